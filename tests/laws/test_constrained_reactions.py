"""Reactions of constrained mechanisms: together with the constraint forces they balance each body."""

import numpy as np
import pytest

from mobod import Stage
from mobod.matter.constraints.rod import Rod
from tests.laws.mechanisms import random_mechanism
from tests.laws.test_momentum import check_balance, check_transmitted_forces


@pytest.fixture(params=[11, 12])
def constrained(request, rng):
    """A mechanism with two rods, one to Ground. The lengths need not fit, because forces and accelerations do not depend on position
    errors.
    """
    mechanism = random_mechanism(request.param)
    last, first = mechanism.bodies[-1], mechanism.bodies[0]
    Rod(last, [0.2, -0.1, 0.4], mechanism.matter.ground, [1.1, 0.3, -0.7], length=0.9, name="tie")
    Rod(first, [-0.3, 0.5, 0.1], last, [0.1, 0.2, 0.6], length=1.4, name="strut")
    state = mechanism.random_state(rng)
    mechanism.system.realize(state, Stage.ACCELERATION)
    return mechanism, state


@pytest.mark.slow
def test_reactions_applied_and_constraint_forces_balance_the_momentum_rate_of_each_body(constrained):
    mechanism, state = constrained
    of_constraints = [constraint.forces(state)[0] for constraint in mechanism.matter.constraints]
    assert all(np.abs(F).max() > 1e-2 for F in of_constraints)
    applied = mechanism.matter.body_forces(state) - sum(of_constraints)
    for body in mechanism.bodies:
        check_balance(mechanism, state, body, applied[body.index])


@pytest.mark.fast(1)
def test_along_its_motion_a_mobilizer_transmits_only_forces_applied_there(constrained):
    """And what accelerates its rotors."""
    mechanism, state = constrained
    check_transmitted_forces(mechanism, state, mechanism.matter.mobility_forces(state))
