"""Mass matrix, forward and inverse dynamics agree with each other and with the kinetic energy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod import MobilityForce, Stage
from mobod.errors import InputError
from tests.laws.mechanisms import random_mechanism

# different recursions over the same tree are compared: some hundred roundings of 1e-16, times the condition of M, some 1e2
ROUND_OFF = 1e-11


def close(actual, expected, scale=None):
    size = np.abs(expected).max() if scale is None else scale
    assert_allclose(actual, expected, rtol=0, atol=ROUND_OFF * size)


def kinetic_energy(system, state, u):
    other = state.copy()
    other.u = u
    system.realize(other, Stage.VELOCITY)
    return system.kinetic_energy(other)


@pytest.mark.slow
def test_mass_matrix_is_symmetric_and_positive_definite(mechanism, state):
    M = mechanism.matter.mass_matrix(state)
    assert M.shape == (len(state.u), len(state.u))
    close(M, M.T)
    assert np.linalg.eigvalsh((M + M.T) / 2).min() > 0


def test_kinetic_energy_is_half_u_M_u(mechanism, state):
    M = mechanism.matter.mass_matrix(state)
    close(mechanism.system.kinetic_energy(state), state.u @ M @ state.u / 2)


@pytest.mark.fast(1)
def test_mass_matrix_is_the_hessian_of_the_kinetic_energy(mechanism, state):
    """By differences, which are exact for quadratic functions of u."""
    unit = np.eye(len(state.u))
    freed = mechanism.freed(state)
    T = [kinetic_energy(mechanism.system, freed, e) for e in unit]
    hessian = np.array([[kinetic_energy(mechanism.system, freed, a + b) for b in unit] for a in unit]) - np.add.outer(T, T)
    close(mechanism.matter.mass_matrix(state), hessian)


def test_products_with_the_mass_matrix_match_its_columns(mechanism, state, rng):
    v = rng.normal(size=len(state.u))
    close(mechanism.matter.multiply_by_mass_matrix(state, v), mechanism.matter.mass_matrix(state) @ v)


def test_inverse_dynamics_of_forward_dynamics_gives_the_motion_forces(mechanism, state):
    """The inverse dynamics gives the applied forces, except at prescribed mobilities."""
    scale = np.abs(mechanism.matter.mass_matrix(state) @ state.u_dot).max()
    motion_forces, known = mechanism.matter.motion_forces(state), mechanism.known_speeds(state)
    close(mechanism.matter.inverse_dynamics(state, state.u_dot), motion_forces, scale)
    assert not motion_forces[~known].any()
    assert np.abs(motion_forces[known]).min(initial=1.0) > 1e-3


def test_inverse_dynamics_is_affine_in_the_accelerations_with_slope_M(mechanism, state, rng):
    wanted = rng.normal(size=len(state.u))
    M, forces = mechanism.matter.mass_matrix(state), mechanism.matter.motion_forces(state)
    close(mechanism.matter.inverse_dynamics(state, wanted) - forces, M @ (wanted - state.u_dot))


@pytest.mark.fast(1)
@pytest.mark.parametrize("seed", [21, 22])
def test_forward_dynamics_applies_the_inverse_of_the_mass_matrix(seed, rng):
    """By motors on all speeds, of which a limit of drives clips one."""
    mechanism = random_mechanism(seed)
    matter, forces, limit = mechanism.matter, mechanism.system.subsystems[-1], mechanism.forces["DriveLimit"]
    motors = [MobilityForce(forces, body, speed=i) for body in mechanism.bodies for i in range(body.nu)]
    state = mechanism.random_state(rng)
    mechanism.system.realize(state, Stage.ACCELERATION)
    before, in_range, applied = state.u_dot.copy(), limit.drive_force(state), matter.mobility_forces(state).copy()
    torques = rng.normal(size=len(motors))
    for motor, torque in zip(motors, torques, strict=True):
        motor.set_force(state, torque)
    mechanism.system.realize(state, Stage.ACCELERATION)
    clipped = next(i for i, motor in enumerate(motors) if (motor.body, motor.speed) == (limit.body, limit.speed))
    torques[clipped] = limit.drive_force(state) - in_range

    assert_allclose(matter.mobility_forces(state) - applied, torques, rtol=0, atol=1e-13 * np.abs(applied).max())
    # The torques are the difference of two much larger products: of M with accelerations up to 1e4 rad/s^2, of which each entry is rounded.
    # A row of up to 64 products, each rounded by eps, has an error of sqrt(64) eps of its absolute values; and so have the accelerations.
    M = matter.mass_matrix(state)
    round_off = 2 * 8 * np.finfo(float).eps * (np.abs(M) @ (np.abs(state.u_dot) + np.abs(before)))
    assert round_off.max() < 1e-8 * np.abs(torques).max()  # so that the test can fail
    assert (np.abs(M @ (state.u_dot - before) - torques) <= round_off).all()


@pytest.mark.fast(1)
@pytest.mark.parametrize("seed", [21, 22])
def test_inverse_dynamics_gives_the_forces_that_make_the_wanted_accelerations(seed, rng):
    """By discrete forces, which no limit of drives clips."""
    mechanism = random_mechanism(seed)
    state = mechanism.random_state(rng)
    mechanism.system.realize(state, Stage.DYNAMICS)
    wanted = rng.normal(size=len(state.u))
    pushes, needed = mechanism.forces["DiscreteForces"], mechanism.matter.inverse_dynamics(state, wanted)
    pushes.set_mobility_forces(state, pushes.mobility_forces(state) + needed)
    mechanism.system.realize(state, Stage.ACCELERATION)

    close(state.u_dot, wanted, scale=10)


def test_vectors_of_another_length_are_refused(mechanism, state):
    nu = len(state.u)
    with pytest.raises(InputError, match=rf"shape \({nu},\), not \({nu + 1},\)"):
        mechanism.matter.multiply_by_mass_matrix(state, np.ones(nu + 1))
    with pytest.raises(InputError, match=rf"shape \({nu},\), not \(\)"):
        mechanism.matter.inverse_dynamics(state, 1.0)
