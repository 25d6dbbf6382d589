"""FMUs with moments of friction: the bits of a stepped run, also after a coefficient was tuned, saved states, and model exchange."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.contact import HalfSpace, Sphere
from mobod.cosim.fmu_file import FmuFile
from mobod.importer.fmu_model import FmuModel
from mobod.importer.run import FmuRun
from mobod.importer.start_values import StartValues
from tests.fmu.stepped import start, walked_thrice

TOLERANCE, RADIUS, GRAVITY = 1e-8, 0.1, 9.81
TIMES = 0.02 * np.arange(8)
MU = "floor.rolling_friction"


def ball():
    system = mb.MultibodySystem("ball")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=GRAVITY)
    body = mb.Free(matter.ground, mb.MassProperties(1.5, [0, 0, 0], mb.Inertia.sphere(mass=1.5, radius=RADIUS)), name="ball")
    body.set_default_q([1, 0, 0, 0, 0, 0, RADIUS])
    friction = {"static_friction": 0.5, "torsional_friction": 0.02, "rolling_friction": 0.01}
    mb.RigidContact(matter.ground, HalfSpace(), body, Sphere(RADIUS), name="floor", **friction)
    state = system.realize_topology()
    body.set_u(state, [0, 5.0, 3.0, 0.5, 0, 0])  # the spin stops at 0.061 s
    return system, state


@pytest.mark.parametrize(("version", "options"), [("2.0", {}), ("3.0", {"integrator": "velocity_level", "step": 1e-3})])
def test_an_fmu_has_the_bits_of_a_stepped_run_and_goes_on_from_saved_states(version, options, tmp_path):
    system, state = ball()
    states = [each.name for each in system.variables(state) if each.role == "state"]
    export = {"inputs": [MU], "state": state, "code": "interpreted", "reference": False, "fmi_version": version, "arrays": "scalars"}
    shown = ["floor.friction_moment", "floor.torsional_mode", "floor.rolling_mode"]
    file = FmuFile(mb.export_fmu(system, tmp_path / "ball.fmu", outputs=[*states, *shown], **export, **options))
    accuracy = {} if options else {"accuracy": TOLERANCE}
    run = mb.Simulation(system, backend="interpreted", **accuracy, **options).start(state)
    columns = run.variables(*states)

    with start(file, TOLERANCE) as instance:
        for number, (time, after) in enumerate(pairwise(TIMES)):
            if number == 2:
                run.set(MU, 0.03)
                instance.set({MU: 0.03})
            instance.step(time, after - time)
            run.step_to(after)
            assert_array_equal(columns.get(), [instance.get(name) for name in columns.names])
        assert [instance.get("floor.torsional_mode"), instance.get("floor.rolling_mode")] == [1, 2]  # stick, slip
        assert_allclose(instance.get("floor.friction_moment[1,2]"), -0.03 * 1.5 * GRAVITY, rtol=1e-9)
    first, again, elsewhere = walked_thrice(file, TIMES, 2, columns.names)
    assert_array_equal(first, again)
    assert_array_equal(first, elsewhere)


def test_a_ball_in_model_exchange_stops_at_its_way(tmp_path):
    system, state = ball()
    model = FmuModel(mb.export_fmu(system, tmp_path / "ball.fmu", outputs=["ball.q"], state=state, code="interpreted", reference=False))

    table = FmuRun(model, StartValues(model), outputs=["ball.q[5]"], interface="model-exchange", until=1.0, accuracy=TOLERANCE).run()

    assert_allclose(table["ball.q[5]"][-1], 7 * RADIUS * 0.5**2 / (10 * 0.01 * GRAVITY), rtol=1e-6)
