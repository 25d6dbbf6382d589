"""Derivatives of forward and inverse dynamics against differences of the dynamics."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError
from tests.laws.mechanisms import random_mechanism


def test_derivatives_of_the_dynamics_match_differences():
    mechanism = random_mechanism(7)
    system, state = mechanism.system, mechanism.random_state(np.random.default_rng(8))
    system.realize(state, mb.Stage.ACCELERATION)
    matter, y, rng = system.matter, np.array(state.y), np.random.default_rng(1)
    u_dot = rng.normal(size=state.layout.n_u)
    parameters = ["gravity.magnitude", "time"]
    forward = mb.forward_dynamics_derivatives(system, state, parameters)
    inverse = mb.inverse_dynamics_derivatives(system, state, u_dot, parameters)
    assert_allclose(forward.u_dot, state.u_dot, rtol=0)
    assert_allclose(inverse.force, matter.inverse_dynamics(state, u_dot), rtol=0)
    assert_allclose(inverse.by_u_dot, matter.mass_matrix(state), atol=1e-13 * np.abs(inverse.by_u_dot).max())
    assert (forward.q[0], len(forward.q), len(forward.u)) == (inverse.q[0], state.layout.n_q, state.layout.n_u)
    assert (forward.parameters, inverse.parameters) == (tuple(parameters),) * 2

    def dynamics(numbers):
        other = state.copy()
        other.y, other.time = numbers[: len(y)], numbers[-1]
        system.set_value(other, "gravity.magnitude", numbers[-2])
        system.realize(other, mb.Stage.ACCELERATION)
        return np.array(other.u_dot), matter.inverse_dynamics(other, u_dot)

    at, step = np.array([*y, float(system.value(state, "gravity.magnitude")), state.time]), 1e-5
    columns = [[(a - b) / (2 * step) for a, b in zip(dynamics(at + e), dynamics(at - e), strict=True)] for e in step * np.eye(len(at))]
    for i, made in enumerate((forward, inverse)):
        differences = np.array([column[i] for column in columns]).T
        ours = np.hstack([made.by_q, made.by_u, made.by_z, made.by_parameters])
        # central differences: step^2 of the third derivative, and round-off / step
        assert_allclose(ours, differences, atol=1e-7 * np.abs(differences).max())


def test_derivatives_of_inverse_and_forward_dynamics_fit_together():
    """Of forces f(q, u, u_dot) and accelerations a(q, u, f): df/dq = -M da/dq. Also with a joint of known motion."""
    system = mb.MultibodySystem("arm")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    parent = matter.ground
    for i in range(4):
        X_PF = mb.Transform(mb.spatial.rotation_x(0.4 * i), p=[0, -1, 0.1])
        parent = mb.Pin(parent, mb.MassProperties.point(1.0 + i, [0.1, -1, 0.2]), X_PF=X_PF, name=f"pin{i}")
    state = system.realize_topology()
    rng = np.random.default_rng(2)
    state.y = rng.normal(size=8)
    matter.body("pin2").lock_at(state, 0.8, "velocity")
    forward = mb.forward_dynamics_derivatives(system, state)
    inverse = mb.inverse_dynamics_derivatives(system, state, forward.u_dot)
    free = [0, 1, 3]
    for a, f in ((forward.by_q, inverse.by_q), (forward.by_u, inverse.by_u)):
        assert_allclose((f + inverse.by_u_dot @ a)[free], 0.0, atol=1e-11 * np.abs(f).max())
    assert not forward.by_q[2].any()
    with pytest.raises(InputError, match="inverse_dynamics_derivatives"):
        mb.inverse_dynamics_derivatives(mb.System("empty"), state, [])
