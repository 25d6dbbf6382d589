"""Measures in a loop with a force, in each runtime: interpreted, compiled, and FMU."""

import fmpy
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod import measures

OUTPUTS = ["height.value", "climb.value", "work.value", "jerk.value", "energy measured.value", "pin.q"]
FMU_OUTPUTS = ["height.value", "climb.value", "work.value", "jerk.value", "'energy measured'.value", "pin.q"]


class Controller(mb.CustomForce):
    """Brakes in proportion to the measured rate of the height and to its integral."""

    def __init__(self, forces, climb, area, gain):
        self.climb, self.area, self.gain = climb, area, gain
        super().__init__(forces, name="controller")

    def calc_force(self, state, body_forces, mobility_forces):
        mobility_forces[0] -= self.gain.value(state) * self.climb.value(state) + 0.3 * self.area.value(state)


def measured_pendulum():
    system = mb.MultibodySystem("measured")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.7, name="gravity")
    pin = mb.Pin(matter.ground, mb.MassProperties.point(0.8, [0, -0.6, 0]), name="pin")
    ball = mb.Ball(pin, mb.MassProperties(0.5, [0.1, -0.3, 0], 0.2 * np.eye(3)), X_PF=mb.Transform(p=[0, -0.6, 0]), name="ball")
    gain = measures.Variable(system, 0.8, unit="N.s", name="gain")
    height = measures.Custom(system, lambda state: ball.X_GB(state).p[1], stage=mb.Stage.POSITION, unit="m", name="height")
    climb = measures.Differentiate(system, height, name="climb")
    area = measures.Integrate(system, measures.Scale(system, 0.7, height, name="scaled"), initial=0.2, name="area")
    acceleration = measures.Differentiate(system, climb)
    measures.Differentiate(system, acceleration, name="jerk")
    energy = measures.Custom(system, lambda state: system.energy(state), stage=mb.Stage.DYNAMICS, unit="J", name="energy measured")
    power = measures.Custom(system, lambda state: climb.value(state) * energy.value(state), stage=mb.Stage.DYNAMICS, unit="W")
    measures.Integrate(system, power, unit="J", name="work")
    Controller(forces, climb, area, gain)
    state = system.realize_topology()
    pin.set_q(state, 0.9)
    ball.set_u(state, [0.4, -1.1, 0.8])
    return system, state


@pytest.fixture(scope="module")
def fmu(tmp_path_factory):
    system, state = measured_pendulum()
    path = tmp_path_factory.mktemp("measured") / "measured.fmu"
    return mb.export_fmu(system, path, inputs=["gain.value"], outputs=OUTPUTS, state=state)


def test_the_fmu_matches_the_simulation(fmu):
    """At accuracy 1e-11 the error is about 1e-10 of the size of each value, which is about 10 to 100 for the jerk."""
    system, state = measured_pendulum()
    results = mb.Simulation(system, 1e-11).run(state, until=1.0, report_every=0.125)
    expected = np.column_stack([results[name] for name in OUTPUTS])
    by_fmu = fmpy.simulate_fmu(str(fmu), stop_time=1.0, output_interval=0.125, relative_tolerance=1e-11, output=FMU_OUTPUTS)
    found = np.column_stack([by_fmu[name] for name in FMU_OUTPUTS])
    size = np.abs(expected).max(axis=0)
    assert (size > 0.1).all()
    assert_allclose(found / size, expected / size, atol=1e-9)


def test_parameters_and_variables_of_measures_can_be_set_in_the_fmu(fmu):
    system, state = measured_pendulum()
    for name, value in (("gain.value", -0.4), ("scaled.factor", 1.9), ("area.value", -0.6)):
        system.set_value(state, name, value)
    expected = mb.Simulation(system, 1e-11, backend="interpreted").run(state, until=1.0)["pin.q"][-1]
    start_values = {"gain.value": -0.4, "scaled.factor": 1.9, "area.value_start": -0.6}
    run = fmpy.simulate_fmu(str(fmu), stop_time=1.0, relative_tolerance=1e-11, start_values=start_values, output=["pin.q"])
    assert_allclose(run["pin.q"][-1], expected, atol=1e-9)


def test_the_fmu_continues_from_a_saved_state_with_the_same_bits(fmu):
    master = mb.Master(_alone(fmu), step=0.1, tolerance=1e-8)
    with master.start() as run:
        run.until(0.3)
        checkpoint = run.checkpoint()
        straight_on = run.until(0.8)
        run.restore(checkpoint)
        resumed = run.until(0.8)
    for name in straight_on:
        assert resumed[name].tobytes() == straight_on[name].tobytes()


def _alone(fmu):
    network = mb.Network()
    network.add(fmu, "it")
    return network


@pytest.mark.slow
def test_a_state_restored_from_bytes_continues_with_the_same_bits():
    system, state = measured_pendulum()
    simulation = mb.Simulation(system, 1e-8, backend="interpreted")
    middle = simulation.run(state, until=0.4).final_state
    again = mb.State.from_bytes(system, middle.to_bytes())
    assert_array_equal(simulation.run(again, until=0.9).final_state.y, simulation.run(middle, until=0.9).final_state.y)
