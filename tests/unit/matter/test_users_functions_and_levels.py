"""Constraints and mobilizers of users' functions, and users' constraints of every level, equal the corresponding built-in elements."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod import functions
from tests.laws.mechanisms import random_frame, random_mass


class Quadratic(mb.Function):
    """a x0^2 + b x1, without derivatives of its own."""

    def __init__(self, a, b):
        self.a, self.b = a, b
        super().__init__(2)

    def value(self, x):
        return self.a * x[0] ** 2 + self.b * x[1]


class Swing(mb.Function):
    """0.7 sin(1.9 t + 0.4), with derivatives of its own."""

    def value(self, x):
        return 0.7 * np.sin(1.9 * x[0] + 0.4)

    def derivative(self, components, x):
        return 0.7 * 1.9 ** len(components) * np.sin(1.9 * x[0] + 0.4 + len(components) * np.pi / 2)


QUADRATIC = functions.MultiPoly(2, [(0.6, [2, 0]), (-1.1, [0, 1])])


def chain(constrain):
    """Three pins and a ball with general frames, and a constraint that is made of the matter and its bodies."""
    rng = np.random.default_rng(12)
    system = mb.MultibodySystem("chain")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0.1, -1, 0.3], magnitude=9.8)
    parent, bodies = matter.ground, []
    for kind, name in ((mb.Pin, "a"), (mb.Ball, "b"), (mb.Pin, "c"), (mb.Slider, "d")):
        parent = kind(parent, random_mass(rng), random_frame(rng), random_frame(rng), name=name)
        bodies.append(parent)
    constrain(matter, bodies)
    return system


def accelerations(system):
    state = system.realize_topology()
    rng = np.random.default_rng(13)
    state.time, state.q, state.u = 0.7, rng.normal(size=len(state.q)), rng.normal(size=len(state.u))
    system.realize(state, mb.Stage.ACCELERATION)
    return np.array(state.u_dot)


@dataclass(frozen=True)
class Skate(mb.ConstraintEquations):
    """The origin of the first body does not move along the y axis of its own frame, relative to the second."""

    velocity_units = ("m/s",)

    def velocity_errors(self, motion):
        v = motion.V[0][3:] - motion.V[1][3:] - np.cross(motion.V[1][:3], motion.X[0].p - motion.X[1].p)
        return np.array([v @ motion.X[0].R[:, 1]])


@dataclass(frozen=True)
class SpeedIs(mb.ConstraintEquations):
    """Constrains the first speed of the mobilizer to the speed of the clock."""

    velocity_units = ("rad/s",)

    def velocity_errors(self, motion):
        return np.array([motion.u[0][0] - np.cos(motion.t)])


@dataclass(frozen=True)
class AccelerationIs(mb.ConstraintEquations):
    value: float

    acceleration_units = ("rad/s2",)
    parameters = (mb.Parameter(name="value", unit="rad/s2", description="acceleration"),)

    def acceleration_errors(self, motion):
        return np.array([motion.u_dot[0][0] - self.value])


@dataclass(frozen=True)
class PositionIs(mb.ConstraintEquations):
    position_units = ("rad",)

    def position_errors(self, motion):
        return np.array([motion.q[0][0] - 0.7 * np.sin(1.9 * motion.t + 0.4)])


PAIRS = {
    "a coupler of coordinates": (
        lambda matter, b: mb.CoordinateCoupler(matter, Quadratic(0.6, -1.1), [b[0], b[3]], [0, 0]),
        lambda matter, b: mb.CoordinateCoupler(matter, QUADRATIC, [b[0], b[3]], [0, 0]),
    ),
    "a coupler of speeds": (
        lambda matter, b: mb.SpeedCoupler(matter, Quadratic(0.6, -1.1), [b[1]], [2], [b[2]], [0]),
        lambda matter, b: mb.SpeedCoupler(matter, QUADRATIC, [b[1]], [2], [b[2]], [0]),
    ),
    "a prescribed motion": (
        lambda matter, b: mb.PrescribedMotion(matter, Swing(), b[2], 0),
        lambda matter, b: mb.PrescribedMotion(matter, functions.Sinusoid(0.7, 1.9, 0.4), b[2], 0),
    ),
    "a position of a mobilizer": (
        lambda matter, b: mb.CustomConstraint(PositionIs(), mobilizers=[b[2]]),
        lambda matter, b: mb.PrescribedMotion(matter, functions.Sinusoid(0.7, 1.9, 0.4), b[2], 0),
    ),
    "a speed of a mobilizer": (
        lambda matter, b: mb.CustomConstraint(SpeedIs(), mobilizers=[b[0]]),
        lambda matter, b: mb.PrescribedMotion(matter, functions.Sinusoid(1.0, 1.0, 0.0), b[0], 0),  # its rate; the position error is free
    ),
    "an acceleration of a mobilizer": (
        lambda matter, b: mb.CustomConstraint(AccelerationIs(1.7), mobilizers=[b[0]]),
        lambda matter, b: mb.ConstantAcceleration(b[0], 0, 1.7),
    ),
    "no slip of a body that carries its direction": (
        lambda matter, b: mb.CustomConstraint(Skate(), [b[2], b[0]]),
        lambda matter, b: mb.NoSlip1D(b[2], [0, 0, 0], [0, 1, 0], b[0], b[2]),
    ),
}


@pytest.mark.fast(5)
@pytest.mark.parametrize(("ours", "built_in"), PAIRS.values(), ids=PAIRS)
def test_a_users_constraint_matches_the_built_in_one(ours, built_in):
    """On the manifold and off it; multipliers agree to round-off times the condition number."""
    expected = accelerations(chain(built_in))
    assert_allclose(accelerations(chain(ours)), expected, atol=1e-10 * np.abs(expected).max())


@pytest.mark.fast(1)
@pytest.mark.parametrize(
    "name", ["a speed of a mobilizer", "an acceleration of a mobilizer", "no slip of a body that carries its direction"]
)
def test_constraints_of_speeds_and_accelerations_hold(name):
    system = chain(PAIRS[name][0])
    assert mb.check_element(system.matter.constraints[0], n_states=2).problems == ()
    state = system.realize_topology()
    state.q = state.q + np.array([0.2, 0.0, 0.1, 0.0, 0.0, 0.3, 0.1])
    final = mb.Simulation(system, 1e-10).run(state, until=0.5).final_state
    constraint = system.matter.constraints[0]
    system.realize(final, mb.Stage.ACCELERATION)
    assert_allclose(constraint.velocity_errors(final), 0, atol=1e-11)
    assert_allclose(constraint.acceleration_errors(final), 0, atol=1e-9)


@pytest.mark.slow
def test_a_mobilizer_with_users_functions_matches_built_in_functions():
    def knee(angle, shift):
        zero = functions.Constant(0.0)
        system = mb.MultibodySystem("knee")
        matter = mb.MatterSubsystem(system)
        mb.Gravity(mb.ForceSubsystem(system), matter, down=[0.1, -1, 0.3], magnitude=9.8)
        rng = np.random.default_rng(3)
        six = [zero, zero, angle, shift, zero, zero]
        of = [[], [], [0], [0, 1], [], []]
        body = mb.FunctionBased(matter.ground, random_mass(rng), random_frame(rng), functions=six, coordinate_indices=of, name="knee")
        assert mb.check_element(body, n_states=2).problems == ()
        return system

    expected = accelerations(knee(functions.Sinusoid(0.7, 1.9, 0.4), QUADRATIC))
    assert_allclose(accelerations(knee(Swing(), Quadratic(0.6, -1.1))), expected, rtol=1e-12)
