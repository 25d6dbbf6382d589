"""Reactions of constrained mechanisms: together with the constraint forces they balance each body."""

import numpy as np
import pytest

from mobod import Stage
from mobod.laws.differences import rate_along_motion
from mobod.matter.constraints.rod import Rod
from tests.laws.mechanisms import random_mechanism
from tests.laws.test_momentum import about_ground_origin, close_to_rate, momentum_of
from tests.laws.test_operators import close, speeds_of


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
        F = applied[body.index] + body.reaction_on_body_at_origin(state)
        F = F + sum(child.reaction_on_parent_at_origin(state) for child in mechanism.bodies if child.parent is body)
        rate = rate_along_motion(mechanism.system, state, lambda state, body=body: momentum_of(body, state), step=1e-3)
        close_to_rate(about_ground_origin(F, body.X_GB(state).p), rate, scale=np.abs(body.reaction_on_body_at_M(state)).max())


@pytest.mark.slow
def test_along_its_motion_a_mobilizer_transmits_only_forces_applied_there(constrained):
    mechanism, state = constrained
    J, f = mechanism.matter.system_jacobian(state), mechanism.matter.mobility_forces(state)
    for body in mechanism.bodies:
        own, F = speeds_of(mechanism, body), body.reaction_on_body_at_origin(state)
        close(J[body.index][:, own].T @ F, f[own], scale=np.abs(F).max())
