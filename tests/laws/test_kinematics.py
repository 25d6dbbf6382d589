"""Velocities are rates of poses, accelerations rates of velocities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod.laws.differences import rate_in_time
from tests.laws.mechanisms import EQUATIONS, random_q

# finite differences of order 6 are right to some 1e-12 of the size (see rate_in_time); engine errors would show at 1e-3 and more
FINITE_DIFFERENCE = 1e-10


def spin_of(R, R_dot):
    """The angular velocity of B in A, in A, from R_AB and its rate: R_dot R^T is its cross matrix."""
    W = R_dot @ R.T
    assert_allclose(W, -W.T, atol=FINITE_DIFFERENCE * max(1, abs(W).max()))
    return np.array([W[2, 1], W[0, 2], W[1, 0]])


def close(actual, expected):
    assert_allclose(actual, expected, rtol=0, atol=FINITE_DIFFERENCE * max(1, np.abs(expected).max(initial=0)))


@pytest.mark.slow
def test_body_velocities_are_rates_of_poses(mechanism, state):
    for body in mechanism.bodies:
        R_dot = rate_in_time(mechanism.system, state, lambda state, body=body: body.X_GB(state).R)
        v = rate_in_time(mechanism.system, state, lambda state, body=body: body.X_GB(state).p)
        close(np.concatenate([spin_of(body.X_GB(state).R, R_dot), v]), body.V_GB(state))


@pytest.mark.fast(1)
def test_mobilizer_velocities_are_rates_of_mobilizer_poses(mechanism, state):
    for body in mechanism.bodies:
        R_dot = rate_in_time(mechanism.system, state, lambda state, body=body: body.X_FM(state).R)
        v = rate_in_time(mechanism.system, state, lambda state, body=body: body.X_FM(state).p)
        close(np.concatenate([spin_of(body.X_FM(state).R, R_dot), v]), body.V_FM(state))


def test_body_accelerations_are_rates_of_velocities(mechanism, state):
    for body in mechanism.bodies:
        close(rate_in_time(mechanism.system, state, body.V_GB), body.A_GB(state))


def test_coordinate_accelerations_are_rates_of_coordinate_rates(mechanism, state):
    for body in mechanism.bodies:
        close(rate_in_time(mechanism.system, state, body.q_dot), body.q_dot_dot(state))


def test_poses_follow_the_chain_of_frames(mechanism, state):
    """X_GB = X_GP X_PF X_FM X_MB; what the kernels round differently is 1e-15 of sizes of some metres."""
    for body in mechanism.bodies:
        X_GB = body.parent.X_GB(state) @ body.X_PF @ body.X_FM(state) @ body.X_BM.inverse()
        assert body.X_GB(state).isclose(X_GB, atol=1e-13)
        assert_allclose(body.X_GB(state).R @ body.X_GB(state).R.T, np.eye(3), atol=1e-14)


@pytest.mark.parametrize("name", EQUATIONS)
def test_H_dot_u_is_the_rate_of_H_at_constant_speeds(name, rng):
    equations = EQUATIONS[name]
    q, u = random_q(equations, rng), rng.normal(size=equations.nu)
    q_dot, h = np.asarray(equations.q_dot(q, u)), 1e-5

    rate = (equations.H_FM(q + h * q_dot) - equations.H_FM(q - h * q_dot)) @ u / (2 * h)
    assert_allclose(equations.H_dot_u(q, u), rate, atol=1e-9)  # truncation h^2, round-off 1e-16/h


@pytest.mark.parametrize("name", EQUATIONS)
def test_coordinate_rates_are_linear_in_the_speeds(name, rng):
    equations = EQUATIONS[name]
    q, u, v = random_q(equations, rng), *rng.normal(size=(2, equations.nu))

    together = equations.q_dot(q, 0.3 * u - 1.7 * v)
    assert_allclose(together, 0.3 * np.asarray(equations.q_dot(q, u)) - 1.7 * np.asarray(equations.q_dot(q, v)), atol=1e-14)


@pytest.mark.fast(49)
@pytest.mark.parametrize("name", EQUATIONS)
def test_a_coordinate_whose_rate_is_a_speed_has_this_rate(name, rng):
    equations = EQUATIONS[name]
    q, u = random_q(equations, rng), rng.normal(size=equations.nu)

    assert len(equations.speed_of) == equations.nq
    for coordinate, speed in enumerate(equations.speed_of):
        assert speed is None or equations.q_dot(q, u)[coordinate] == u[speed]
