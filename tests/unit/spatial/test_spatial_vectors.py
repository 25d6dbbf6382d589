import numpy as np
from numpy.testing import assert_allclose

from mobod.spatial import shift_force, shift_velocity, spatial_inertia

ROUND_OFF = 1e-14  # tens of rounding errors of numbers of size 1
V = np.array([0.3, -1.7, 0.8, 2.1, 0.4, -0.6])
F = np.array([-0.9, 0.2, 1.4, 0.7, -1.3, 0.5])
p = np.array([0.6, -0.4, 1.1])


def random_points(rng, count=7):
    return rng.uniform(0.1, 1.0, count), rng.normal(size=(count, 3))


def test_the_velocity_at_another_point_adds_the_rotation():
    assert_allclose(shift_velocity(V, p), [*V[:3], *(V[3:] + np.cross(V[:3], p))], atol=ROUND_OFF)


def test_shifting_back_restores_the_vector():
    assert_allclose(shift_velocity(shift_velocity(V, p), -p), V, atol=ROUND_OFF)
    assert_allclose(shift_force(shift_force(F, p), -p), F, atol=ROUND_OFF)


def test_power_does_not_depend_on_the_reference_point():
    assert_allclose(shift_force(F, p) @ shift_velocity(V, p), F @ V, atol=ROUND_OFF)


def test_a_force_at_a_point_has_the_moment_of_its_arm_about_the_origin():
    force = F[3:]
    at_the_point = np.array([0, 0, 0, *force])

    assert_allclose(shift_force(at_the_point, -p), [*np.cross(p, force), *force], atol=ROUND_OFF)


def test_spatial_inertia_gives_the_energy_and_momentum_of_the_points_it_is_made_of():
    masses, points = random_points(np.random.default_rng(3))
    mass = masses.sum()
    I_BBo = sum(m * (s @ s * np.eye(3) - np.outer(s, s)) for m, s in zip(masses, points, strict=True))
    velocities = [shift_velocity(V, s)[3:] for s in points]

    momentum = spatial_inertia(mass, masses @ points / mass, I_BBo) @ V

    angular = sum(m * np.cross(s, v) for m, s, v in zip(masses, points, velocities, strict=True))
    linear = sum(m * v for m, v in zip(masses, velocities, strict=True))
    assert_allclose(momentum, [*angular, *linear], atol=10 * ROUND_OFF)  # sums of seven terms
    assert_allclose(V @ momentum, sum(m * v @ v for m, v in zip(masses, velocities, strict=True)), rtol=10 * ROUND_OFF)
