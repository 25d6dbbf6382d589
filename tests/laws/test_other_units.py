"""The helper that makes the same System in other units: accelerations at general states are the same in all of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod import contact
from tests.other_units import SYSTEMS_OF_UNITS, NotConvertedError, Units, in_units, state_in_units, y_in_SI


def _arm() -> mb.MultibodySystem:
    """A double pendulum with a compliant limit and springs, and a ball above a floor."""
    system = mb.MultibodySystem("arm")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    inertia = mb.Inertia.cylinder(mass=1.2, radius=0.02, length=0.8, axis="y").shifted([0, -0.4, 0])
    rod = mb.MassProperties(mass=1.2, com=[0, -0.4, 0], inertia=inertia)
    upper = mb.Pin(matter.ground, rod, name="upper")
    lower = mb.Pin(upper, rod, X_PF=mb.Transform(p=[0, -0.8, 0]), name="lower")
    lower.set_limits(-0.3, 0.2, compliance=0.01, damping=1.3)
    mb.TwoPointLinearSpring(forces, matter.ground, [0.2, 0, 0.1], lower, [0, -1, 0], stiffness=40, rest_length=1.1, name="spring")
    mb.MobilityLinearSpring(forces, upper, stiffness=3.0, q_zero=0.1, name="hinge")
    ball = mb.Free(matter.ground, mb.MassProperties(0.3, [0, 0, 0], 0.003 * np.eye(3)), name="ball")
    floor = contact.HalfSpace.frame([0, 1, 0], [0, -2, 0])
    of_friction = {"static_friction": 0.3, "viscous_friction": 0.1, "stribeck_speed": 0.2}
    mb.RigidContact(matter.ground, contact.HalfSpace(), ball, contact.Sphere(0.1), X_B1S1=floor, **of_friction, name="floor")
    return system


def _accelerations(system: mb.MultibodySystem, state: mb.State) -> np.ndarray:
    system.realize(state, mb.Stage.ACCELERATION)
    return np.array(state.u_dot)


@pytest.mark.parametrize("name", SYSTEMS_OF_UNITS)
def test_accelerations_are_the_same_in_other_units(name):
    units, system, rng = SYSTEMS_OF_UNITS[name], _arm(), np.random.default_rng(3)
    state = system.realize_topology()
    state.q, state.u = rng.normal(size=len(state.q)), rng.normal(size=len(state.u))
    other = in_units(system, units)
    start = state_in_units(system, state, other, units)
    factors = [units.factor(unit) for body in system.matter.bodies for unit in body.equations.u_units]

    assert_allclose(y_in_SI(system, state, start, units), state.y, rtol=1e-14)
    expected = _accelerations(system, state)
    # round-off of numbers of all sizes
    assert_allclose(_accelerations(other, start) * factors / units.time, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_functions_without_units_are_refused():
    system = _arm()
    upper, lower = system.matter.bodies[:2]
    mb.CoordinateCoupler(system.matter, mb.functions.Linear([1.0, -1.0, 0.0]), [upper, lower], [0, 0], name="gear")
    with pytest.raises(NotConvertedError, match="gear"):
        in_units(system, Units(length=1e-3))
