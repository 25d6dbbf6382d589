"""FMUs of boxes on boxes, whose points of contact are decided once a step: the bits of a stepped run, saved states, what they refuse."""

import zipfile
from itertools import pairwise

import fmpy
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import mobod as mb
from mobod.contact import Box, HeightField
from mobod.cosim.fmu_file import FmuFile
from mobod.errors import UnsupportedError
from tests.analytic.scenes_of_shapes import STEP, Scene, box_on_box, tumbling
from tests.fmu.stepped import start, walked_thrice

TIMES = 0.05 * np.arange(11)
STEPS = {"integrator": "velocity_level", "step": STEP}
SHOWN_OF_POOL = ["n_points", "distance", "normal_force", "contact_point"]
SHOWN = ["body0_body1.n_points", "floor_body0.distance", "floor_body0.normal_force", "floor_body1.contact_point"]


@pytest.fixture(scope="module")
def tumblers():
    return tumbling(3)


@pytest.fixture(scope="module")
def pooled():
    """Two cubes that fall on each other and on hills."""
    scene, x = Scene(), 0.15 * np.arange(-2, 3)
    scene.fix(HeightField(0.02 * np.sin(9 * x)[:, None] * np.cos(7 * x)[None, :], spacing=0.15), [0, 0, 0], name="hills")
    scene.add(Box([0.1] * 3), [0.02, 0.01, 0.13], u=[0.5, 1.0, 0.3, 0.4, 0, 0])
    scene.add(Box([0.1] * 3), [0.05, 0.0, 0.36])
    return scene, scene.begin(slots=24)


@pytest.mark.fast(1)
@pytest.mark.parametrize(("version", "which"), [("2.0", "tumblers"), ("3.0", "tumblers"), ("2.0", "pooled"), ("3.0", "pooled")])
def test_an_fmu_has_the_bits_of_a_stepped_run_and_goes_on_from_saved_states(version, which, request, tmp_path):
    scene, state = request.getfixturevalue(which)
    shown = SHOWN if which == "tumblers" else [f"{next(iter(scene.contacts))}.{name}" for name in SHOWN_OF_POOL]
    states = [each.name for each in scene.system.variables(state) if each.role == "state"]
    export = {"state": state, "code": "interpreted", "reference": False, "fmi_version": version, "arrays": "scalars"}
    path = mb.export_fmu(scene.system, tmp_path / "boxes.fmu", outputs=[*states, *shown], **export, **STEPS)
    run = mb.Simulation(scene.system, backend="interpreted", **STEPS).start(state)
    columns = run.variables(*states, *shown)

    table = {}
    with start(FmuFile(path), 1e-8) as instance:
        for time, after in pairwise(TIMES):
            instance.step(time, after - time)
            run.step_to(after)
            table[after] = columns.get().copy()
            assert_array_equal(columns.get(), [instance.get(name) for name in columns.names])
    first, again, elsewhere = walked_thrice(FmuFile(path), TIMES, 5, columns.names)
    assert_array_equal(first, again)
    assert_array_equal(first, elsewhere)

    results = fmpy.simulate_fmu(str(path), stop_time=TIMES[-1], output_interval=TIMES[1], fmi_type="CoSimulation", output=columns.names)
    for row, after in zip(results, TIMES, strict=True):
        if after:
            assert_array_equal([row[name] for name in columns.names], table[after])


def test_an_fmu_of_boxes_has_no_model_exchange_and_no_derivatives(tumblers, tmp_path):
    scene, state = tumblers
    for version, attribute in (("2.0", "providesDirectionalDerivative"), ("3.0", "providesAdjointDerivatives")):
        path = tmp_path / f"boxes{version}.fmu"
        mb.export_fmu(
            scene.system, path, outputs=["body0.q"], state=state, code="interpreted", fmi_version=version, reference=False, **STEPS
        )
        description = zipfile.ZipFile(path).read("modelDescription.xml").decode()
        assert f'{attribute}="false"' in description
        assert "<ModelExchange" not in description
    with pytest.raises(UnsupportedError, match=r"export_fmu: contact 'floor_body0': a Box and a Box touch in fixed steps only"):
        mb.export_fmu(scene.system, tmp_path / "error.fmu", state=state, outputs=["body0.q"])


@pytest.mark.slow
def test_a_compiled_fmu_has_the_bits_of_an_interpreted_one(tmp_path):
    scene, state = box_on_box(gap=0.05)
    scene.bodies[0].set_u(state, [1.0, 2.0, 0.5, 0.2, 0.0, -1.0])
    rows = []
    for code in ("interpreted", "compiled"):
        path = mb.export_fmu(
            scene.system, tmp_path / f"{code}.fmu", outputs=["body0.q"], state=state, code=code, reference=False, arrays="scalars", **STEPS
        )
        with start(FmuFile(path)) as instance:
            for time, after in pairwise(TIMES):
                instance.step(time, after - time)
            rows.append([instance.get(f"body0.q[{i}]") for i in range(1, 8)])
    assert_array_equal(*rows)
