"""A stepped run in Python and a native FMU take the same steps, to the bit."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import mobod as mb
from mobod import measures
from mobod.cosim.fmu_file import FmuFile
from tests.fmu.stepped import start
from tests.unit.simulate.test_called_back import with_handlers
from tests.unit.simulate.test_extremes import oscillator, started
from tests.unit.simulate.test_stepped_run import hinge, motorised_arm

TOLERANCE = 1e-8
TIMES = 0.02 * np.arange(16)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["arm", "handlers", "limits", "RK4", "velocity level"])
def test_a_stepped_run_equals_the_fmu_to_the_bit(case, tmp_path):
    options = {"RK4": {"integrator": "RK4", "step": 0.003}, "velocity level": {"integrator": "velocity_level", "step": 0.002}}.get(case, {})
    system, state, *_ = {"handlers": lambda: with_handlers(True), "limits": hinge, "velocity level": hinge}.get(case, motorised_arm)()
    states = [each.name for each in system.variables(state) if each.role == "state"]
    inputs = ["motor.force"] if case in ("arm", "RK4") else []
    path = mb.export_fmu(system, tmp_path / "it.fmu", inputs=inputs, outputs=states, state=state, code="interpreted", **options)
    simulation = mb.Simulation(system, backend="interpreted", **({} if case == "velocity level" else {"accuracy": TOLERANCE}), **options)
    run, columns = simulation.start(state), None
    columns = run.variables(*states)
    with start(FmuFile(path), TOLERANCE) as instance:
        for number, (time, after) in enumerate(pairwise(TIMES)):
            for name in inputs:
                run.set(name, 0.5 * number)
                instance.set({name: 0.5 * number})
            instance.step(time, after - time)
            run.step_to(after)
            assert run.time == instance.get("time")
            assert_array_equal(columns.get(), [instance.get(name) for name in columns.names])


def test_a_parameter_of_a_constraint_that_is_tuned_leaves_both_with_the_same_bits(tmp_path):
    """Quaternions are normalized and the state is projected, in the same order."""
    system = mb.MultibodySystem("tuned")
    matter = mb.MatterSubsystem(system)
    mass = mb.MassProperties(1.3, [0.1, -0.05, 0.2], mb.Inertia.box(mass=1.3, size=[0.3, 0.4, 0.5]).shifted([0.1, -0.05, 0.2]))
    free, pin = mb.Free(matter.ground, mass, name="free"), mb.Pin(matter.ground, mass, name="pin")
    mb.ConstantAcceleration(pin, 0, -1.1, name="drive")
    state = system.realize_topology()
    free.set_q(state, [0.2, -0.4, 0.9, 0.3, -0.8, 1.5, 0.9])
    free.set_u(state, [1.2, -0.5, -1.2, 1.1, -0.4, 1.1])
    path = mb.export_fmu(system, tmp_path / "it.fmu", outputs=["free.q"], state=state, code="interpreted", reference=False)
    run = mb.Simulation(system, backend="interpreted", accuracy=TOLERANCE).start(state)
    with start(FmuFile(path), TOLERANCE) as instance:
        for number, (time, after) in enumerate(pairwise(TIMES)):
            run.set("drive.acceleration", -1.1 - number)
            instance.set({"drive.acceleration": -1.1 - number})
            instance.step(time, after - time)
            run.step_to(after)
            assert_array_equal(run["free.q"], [instance.get(f"free.q[{i}]") for i in range(1, 8)])


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_samples_between_steps_leave_both_with_the_same_bits_wherever_sums_of_times_round(version, tmp_path):
    """An importer of FMI 3.0 stops at each sample. From 0.0063 s, 0.3 - 0.0063 rounds to a step that ends before 0.3 s; the sum of 15 steps
    of 0.02 s is a round-off later than 0.3 s. No number of s leads from 0.0179 s to 0.3 s exactly.
    """
    system, slider, operands = oscillator()
    measures.SampleAndHold(system, operands["x"], 0.3, name="held")
    state, outputs = started(system, slider), ["x.value", "held.value"]
    path = mb.export_fmu(
        system, tmp_path / "it.fmu", outputs=outputs, state=state, code="interpreted", reference=False, fmi_version=version
    )
    for times in ([0.0, 0.0063, 0.4, 0.7, 1.1], [0.0, 0.0179, 0.4, 0.7, 1.1], np.cumsum([0.0] + 35 * [0.02])):
        run = mb.Simulation(system, backend="interpreted", accuracy=TOLERANCE).start(state)
        columns = run.variables(*outputs)
        with start(FmuFile(path), TOLERANCE) as instance:
            for time, after in pairwise(times):
                instance.step(time, after - time)
                run.step_to(after)
                assert run.time == instance.get("time")
                assert_array_equal(columns.get(), [instance.get(name) for name in outputs])
