"""The Bushing mobilizer and the LinearBushing force measure the same coordinates."""

import numpy as np
from numpy.testing import assert_allclose

import mobod as mb
from tests.laws.mechanisms import random_frame, random_mass


def test_a_bushing_mobilizer_has_the_coordinates_of_a_linear_bushing_between_its_frames():
    rng = np.random.default_rng(12)
    system = mb.MultibodySystem("bushings")
    matter = mb.MatterSubsystem(system)
    base = mb.Free(matter.ground, random_mass(rng), random_frame(rng), random_frame(rng), name="base")
    X_PF, X_BM = random_frame(rng), random_frame(rng)
    body = mb.Bushing(base, random_mass(rng), X_PF, X_BM, name="body")
    force = mb.LinearBushing(
        mb.ForceSubsystem(system), base, body, X_B1F=X_PF, X_B2M=X_BM, stiffness=rng.uniform(1, 9, 6), damping=rng.uniform(0.1, 1, 6)
    )
    state = system.realize_topology()
    state.q, state.u = 0.6 * rng.normal(size=13), rng.normal(size=12)
    system.realize(state, mb.Stage.ACCELERATION)

    # round-off of angles by arctan2, of rates by the inverse of the angles' matrix
    assert_allclose(force.q(state), body.q(state), atol=1e-14)
    assert_allclose(force.q_dot(state), body.u(state), atol=1e-13)
    # in the mobilizer's coordinates the bushing's forces are mobility forces of the body, and zero for the base
    on_bodies, _ = force.calc_force_contribution(state)
    along = matter.multiply_by_system_jacobian_transpose(state, on_bodies)
    assert_allclose(body.my_part_u(state, along), force.f(state), atol=1e-12)
    assert_allclose(base.my_part_u(state, along), 0, atol=1e-12)
