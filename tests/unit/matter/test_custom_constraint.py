"""A user's constraint defined by its error alone."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError
from tests.laws.mechanisms import random_frame, random_mass
from tests.reference.seed_elements import DistanceEquations, DistanceEquationsOfTheSeed


def branches(seed=4):
    """A Free body that carries two branches of a Ball and a Pin."""
    rng = np.random.default_rng(seed)
    system = mb.MultibodySystem("branches")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.8)

    def add(kind, parent, name):
        return kind(parent, random_mass(rng), random_frame(rng), random_frame(rng), name=name)

    trunk = add(mb.Free, matter.ground, "trunk")
    tips = [add(mb.Pin, add(mb.Ball, trunk, f"ball {k}"), f"tip {k}") for k in (1, 2)]
    mb.ConstantForce(forces, tips[0], [0.1, 0.2, 0.3], [3.0, 2.0, -1.0])
    return system, matter, trunk, tips


def moving(system):
    state = system.realize_topology()
    rng = np.random.default_rng(9)
    state.q, state.u = rng.normal(size=len(state.q)), rng.normal(size=len(state.u))
    system.realize(state, mb.Stage.ACCELERATION)
    return state


@pytest.mark.parametrize("with_trunk", [False, True], ids=["two tips", "a tip and their ancestor"])
def test_a_custom_distance_matches_a_rod(with_trunk):
    results = []
    for custom in (True, False):
        system, matter, trunk, tips = branches()
        first = trunk if with_trunk else tips[0]
        if custom:
            constraint = mb.CustomConstraint(DistanceEquations(1.3), [first, tips[1]], name="distance")
        else:
            constraint = mb.Rod(first, [0, 0, 0], tips[1], [0, 0, 0], 1.3, name="distance")
        state = moving(system)
        results.append(
            [
                np.array(state.u_dot),
                constraint.position_errors(state),
                constraint.velocity_errors(state),
                constraint.multipliers(state),
                matter.constraint_matrix(state),
            ]
        )
    for ours, expected in zip(*results, strict=True):
        assert_allclose(ours, expected, atol=1e-11 * max(1, np.abs(expected).max()))  # round-off, in another frame


def test_velocity_errors_accelerations_and_forces_follow_a_given_rate():
    """With |r| times the derivative as the rate, a multiplier of 1 has |r| times the force; at rest everything else is equal."""
    found = []
    for equations in (DistanceEquations(1.3), DistanceEquationsOfTheSeed(1.3)):
        system, _, _, tips = branches()
        constraint = mb.CustomConstraint(equations, tips, name="distance")
        state = moving(system)
        length = np.linalg.norm(tips[1].X_GB(state).p - tips[0].X_GB(state).p)
        rate = constraint.velocity_errors(state)
        assert_allclose(constraint.acceleration_errors(state), 0, atol=1e-11)
        state.u = np.zeros(len(state.u))
        system.realize(state, mb.Stage.ACCELERATION)
        found.append((rate, constraint.multipliers(state), np.array(state.u_dot)))
    (rate, multiplier, u_dot), (scaled_rate, scaled_multiplier, same) = found
    assert_allclose(scaled_rate, length * rate, rtol=1e-13)
    assert_allclose(scaled_multiplier, multiplier / length, rtol=1e-11)
    assert_allclose(same, u_dot, atol=1e-11 * np.abs(u_dot).max())


@pytest.mark.filterwarnings("ignore:the start at:mobod.MobodWarning")  # the start is of another distance
def test_a_custom_constraint_holds_in_runs_and_can_be_tuned():
    system, _, _, tips = branches()
    constraint = mb.CustomConstraint(DistanceEquations(1.3), tips, name="distance")
    state = system.realize_topology()
    system.set_value(state, "distance.distance", 1.1)
    end = mb.Simulation(system, 1e-7).run(state, until=0.5).final_state
    system.realize(end, mb.Stage.VELOCITY)
    assert abs(np.linalg.norm(tips[1].X_GB(end).p - tips[0].X_GB(end).p) - 1.1) <= 1e-8
    assert abs(constraint.velocity_errors(end)[0]) <= 1e-8


@dataclass(frozen=True)
class Nothing(mb.ConstraintEquations):
    pass


def test_a_constraint_without_bodies_is_refused():
    _, matter, _, tips = branches()
    with pytest.raises(InputError, match="CustomConstraint 'mine': Nothing has no errors"):
        mb.CustomConstraint(Nothing(), tips, name="mine")
    with pytest.raises(InputError, match="CustomConstraint 'mine': it constrains nothing"):
        mb.CustomConstraint(DistanceEquations(1.0), name="mine")
    with pytest.raises(InputError, match="the equations are ConstraintEquations, not str"):
        mb.CustomConstraint("distance", tips)
    with pytest.raises(InputError, match="between 'tip 1' and itself"):
        mb.CustomConstraint(DistanceEquations(1.0), [tips[0], tips[0]])
    assert matter.constraints == []
