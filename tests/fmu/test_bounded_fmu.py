"""FMUs whose steps have bounded work: the bits and the leftovers of a stepped run, saved states, their description and page."""

import re
import zipfile

import fmpy
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import mobod as mb
from mobod.cosim.fmu_file import FmuFile
from mobod.errors import UnsupportedError
from tests.fmu.stepped import start, walked_thrice
from tests.unit.simulate.test_bounded_steps import falling_balls

STEP, N = 0.05, 12
LEFT = {
    "numerics.overrun": "1",
    "numerics.late": "s",
    "numerics.left_length": "m",
    "numerics.left_angle": "rad",
    "numerics.left_speed": "m/s",
    "numerics.left_angular_speed": "rad/s",
    "numerics.left_impulse": "1",
}


@pytest.fixture(scope="module", params=["2.0", "3.0"])
def fmu(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("bounded") / "balls.fmu"
    options = {"integrator": "RK4", "step": STEP, "bounded": True, "code": "interpreted", "reference": False}
    return mb.export_fmu(falling_balls(), path, outputs=["ball3.q"], fmi_version=request.param, **options)


@pytest.mark.fast(1)
def test_it_has_the_bits_and_the_leftovers_of_a_stepped_run(fmu):
    system = falling_balls()
    rows, states = [], []
    with mb.Simulation(system, integrator="RK4", step=STEP, bounded=True, backend="interpreted").start(system.realize_topology()) as run:
        for i in range(N):
            run.step_to((i + 1) * STEP)
            rows.append(list(vars(run.leftovers).values()))
            states.append(run["ball3.q"][0])
    with start(FmuFile(fmu), 1e-8) as instance:
        for i in range(N):
            instance.step(i * STEP, STEP)
            assert instance.get("ball3.q") == states[i]
            assert [instance.get(name) for name in LEFT] == rows[i]
    assert rows[-1][0] > 0


@pytest.mark.fast(1)
def test_what_is_left_is_part_of_a_saved_state_and_of_its_bytes(fmu):
    times = STEP * np.arange(N)
    first, again, elsewhere = walked_thrice(FmuFile(fmu), times, 4, ["ball3.q", *LEFT])
    assert_array_equal(first, again)
    assert_array_equal(first, elsewhere)
    assert first[-1, 1] > first[0, 1] > 0


def test_the_description_has_its_outputs_with_units_and_no_model_exchange(fmu):
    described = fmpy.read_model_description(fmu)
    assert described.modelExchange is None
    outputs = {each.name: (each.unit or "1", each.variability) for each in described.modelVariables if each.causality == "output"}
    assert {name: outputs[name] for name in LEFT} == {name: (unit, "discrete") for name, unit in LEFT.items()}
    assert not any(each.name == "numerics.integrator" for each in described.modelVariables)
    (overrun,) = [each for each in described.modelVariables if each.name == "numerics.overrun"]
    assert re.search(r"a step takes at most [\d.e+]+ operations", overrun.description)


def test_its_page_has_the_largest_work_of_a_step(fmu):
    with zipfile.ZipFile(fmu) as archive:
        page = archive.read("documentation/index.html").decode()
    assert "Largest work of a step" in page
    assert "8 parts" in page


def test_a_python_fmu_is_refused(tmp_path):
    with pytest.raises(UnsupportedError, match="bounded"):
        mb.export_fmu(falling_balls(), tmp_path / "balls.fmu", outputs=[], kind="python", integrator="RK4", step=STEP, bounded=True)
