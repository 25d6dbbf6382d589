"""GearPair: a closed form of its backlash, the balance of its torques, its energy, and errors."""

import numpy as np
import pytest

import mobod as mb
from mobod.errors import InputError

J1, J2 = 0.02, 0.3


def wheels(**given):
    system = mb.MultibodySystem("gears")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    pinion = mb.Pin(matter.ground, mb.MassProperties(1.0, [0, 0, 0], J1 * np.eye(3)), name="pinion")
    wheel = mb.Pin(matter.ground, mb.MassProperties(1.0, [0, 0, 0], J2 * np.eye(3)), name="wheel")
    return system, pinion, wheel, mb.GearPair(forces, pinion, wheel, **given, name="stage")


def test_wheels_rattle_with_the_period_of_free_flight_and_of_two_contacts():
    """Relative to each other they are one inertia that flies across the backlash and bounces on the springs of the teeth."""
    ratio, gap, k, speed = -3.0, 0.02, 5000.0, 0.7
    system, pinion, _, _ = wheels(ratio=ratio, backlash=gap, stiffness=k)
    state = system.realize_topology()
    pinion.set_u(state, speed)
    relative = 1 / (1 / J1 + ratio**2 / J2)
    period = 2 * gap / speed + 2 * np.pi * np.sqrt(relative / k)
    results = mb.Simulation(system, accuracy=1e-9).run(state, until=3 * period)
    play = results["pinion.q"][-1] - ratio * results["wheel.q"][-1]
    rate = results["pinion.u"][-1] - ratio * results["wheel.u"][-1]
    assert (play, rate) == (pytest.approx(0, abs=1e-7), pytest.approx(speed, abs=1e-6))
    assert results["stage.play"].max() > gap / 2


def test_torques_balance_by_the_ratio_and_losses_are_those_of_the_teeth():
    system, pinion, wheel, stage = wheels(ratio=-3.0, backlash=0.02, stiffness=5000.0, dissipation=2.0)
    state = system.realize_topology()
    pinion.set_q(state, 0.05)
    pinion.set_u(state, 0.3)
    wheel.set_u(state, 0.1)
    system.realize(state, mb.Stage.ACCELERATION)
    depth, rate = 0.05 - 0.01, 0.3 + 3.0 * 0.1
    force = -5000.0 * depth * (1 + 2.0 * rate)
    assert stage.applied_force(state) == pytest.approx(force, rel=1e-14)
    np.testing.assert_allclose([pinion.u_dot(state)[0] * J1, wheel.u_dot(state)[0] * J2], [force, 3.0 * force], rtol=1e-14)
    assert stage.calc_potential_energy_contribution(state) == pytest.approx(5000.0 * depth**2 / 2, rel=1e-14)
    assert stage.calc_power_dissipation_contribution(state) == pytest.approx(5000.0 * depth * 2.0 * rate * rate, rel=1e-13)


def test_a_coordinate_cannot_mesh_with_itself():
    _, pinion, _, stage = wheels(ratio=2.0, stiffness=1.0)
    with pytest.raises(InputError, match="'pinion' is given twice"):
        mb.GearPair(stage.forces, pinion, pinion, ratio=1.0, stiffness=1.0)
