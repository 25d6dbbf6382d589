"""Laws of normal forces: values, energy books, restitution, the elliptic patch."""

from math import acos, exp, log, pi, sqrt

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipe, ellipk

from mobod.forces.contact_laws import (
    eigenvalues,
    ellipse_factor,
    hertz,
    hertz_of_ellipse,
    hunt_crossley,
    kelvin_voigt,
    linear,
    smooth_hertz,
)

LAWS = {
    "hertz": lambda x, v: hunt_crossley(*hertz(x, 3e6, 0.2), 0.4, v),
    "ellipse": lambda x, v: hunt_crossley(*hertz_of_ellipse(x, 3e6, 8.0, 1.3), 0.4, v),
    "linear": lambda x, v: hunt_crossley(*linear(x, 3e4), 0.4, v),
    "Kelvin and Voigt": lambda x, v: kelvin_voigt(x, v, 3e4, 60.0),
}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
@pytest.mark.parametrize("v", [0.0, 0.7, -0.7, -30.0])
def test_the_power_of_a_normal_force_is_stored_or_lost(law, v):
    x, h = 0.013, 1e-7
    force, energy, loss = law(x, v)
    rate = (law(x + h, v)[1] - law(x - h, v)[1]) / (2 * h) * v
    assert_allclose(force * v, rate + loss, rtol=1e-7, atol=1e-7 * abs(rate))
    assert force >= 0
    assert loss >= 0
    assert energy > 0
    assert (force == 0) == (v == -30.0)  # faster than it can follow


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
@pytest.mark.parametrize("x", [0.0, -0.1])
def test_there_is_no_force_without_overlap(law, x):
    assert law(x, 0.5) == (0.0, 0.0, 0.0)


def test_hertz_of_two_spheres():
    """Steel on steel: Johnson, Contact Mechanics, (4.23)."""
    modulus, radius = 2.1e11 / (1 - 0.3**2) / 2, 0.01
    force, energy = hertz(5e-6, modulus, radius)
    assert_allclose(force, 4 / 3 * modulus * sqrt(radius) * 5e-6**1.5, rtol=1e-14)
    assert_allclose(energy, 8 / 15 * modulus * sqrt(radius) * 5e-6**2.5, rtol=1e-14)


@pytest.mark.parametrize("ratio", [1.0, 1 + 1e-9, 1.7, 12.0, 900.0])
def test_the_factor_of_an_ellipse_solves_the_equation_of_its_axes(ratio):
    """By SciPy's integrals and a bracketing search in place of the mean and Newton's method."""

    def of(k):
        m = 1 - 1 / k**2
        return k, ellipk(m), ellipe(m)

    def wrong(k):
        k, K, E = of(k)
        return (k * k * E - K) / (K - E) - ratio

    k, K, E = of(brentq(wrong, 1 + 1e-3, 1e4, xtol=1e-15) if ratio > 1.01 else 1.0)
    assert_allclose(ellipse_factor(ratio), pi * k * sqrt(E) / (2 * K**1.5), rtol=1e-11)  # SciPy's m has lost digits near 1


def test_an_ellipse_with_equal_axes_is_a_circle():
    assert_allclose(hertz_of_ellipse(1e-3, 2e6, 4.0, 4.0), hertz(1e-3, 2e6, 0.25), rtol=1e-14)


def test_eigenvalues_of_a_curvature():
    a = np.array([[2.0, -0.7], [-0.7, 0.4]])
    assert_allclose(eigenvalues(a), np.linalg.eigvalsh(a)[::-1], rtol=1e-14)
    assert eigenvalues(3.0 * np.eye(2)) == (3.0, 3.0)


def bounce(law, mass, v_in):
    """The speed after an impact, by SciPy."""

    def fall(t, y):
        return [y[1], -law(y[0], y[1])[0] / mass]

    def leaves(t, y):
        return y[0] if t > 0 else 1.0

    leaves.terminal, leaves.direction = True, -1
    run = solve_ivp(fall, (0, 10), [0.0, v_in], method="DOP853", events=leaves, rtol=1e-12, atol=1e-15, max_step=2e-3)
    return -run.y_events[0][0][1] / v_in


@pytest.mark.parametrize("v", [0.1, 1.3, 20.0])
@pytest.mark.parametrize("name", ["hertz", "ellipse", "linear"])
def test_the_restitution_of_hunt_and_crossley_is_independent_of_the_elastic_law(name, v):
    a = 0.4 * v
    e = brentq(lambda e: a * (1 + e) - log((1 + a) / (1 - e * a)), 1e-9, min(1, 1 / a) - 1e-12, xtol=1e-14)
    assert_allclose(bounce(LAWS[name], 0.7, v), e, rtol=1e-6)


def test_the_restitution_of_kelvin_and_voigt_is_independent_of_the_speed():
    k, b, m = 3e4, 60.0, 0.7
    zeta = b / (2 * sqrt(k * m))

    def leaves(t, y):
        return k * y[0] + b * y[1] if t > 0 else 1.0

    leaves.terminal = True
    run = solve_ivp(
        lambda t, y: [y[1], -(k * y[0] + b * y[1]) / m], (0, 1), [0.0, 2.0], method="DOP853", events=leaves, rtol=1e-12, atol=1e-15
    )
    e = exp(-2 * zeta * acos(zeta) / sqrt(1 - zeta**2))
    assert_allclose(-run.y_events[0][0][1] / 2.0, e, rtol=1e-8)
    x, v = run.y_events[0][0]
    assert_allclose(kelvin_voigt(x, v, k, b)[0], 0.0, atol=1e-6)


def test_the_smooth_law_tends_to_hunt_and_crossley_inside_and_to_nothing_outside():
    law = (2e6, 0.3, 0.2, 1e-12, 1e6, 1e4)
    force, elastic = smooth_hertz(2e-3, 0.4, *law)
    assert_allclose(elastic, hertz(2e-3, 2e6, 0.3)[0], rtol=1e-6)
    assert_allclose(force, elastic * (1 + 1.5 * 0.2 * 0.4), rtol=1e-12)
    assert_allclose(smooth_hertz(-2e-3, 0.4, *law), (0.0, 0.0), atol=1e-12)
    assert_allclose(smooth_hertz(2e-3, -10.0, *law)[0], 0.0, atol=1e-9)  # faster than 2 / (3 dissipation)


def test_the_smooth_law_without_dissipation_is_elastic():
    force, elastic = smooth_hertz(1e-3, -3.0, 2e6, 0.3, 0.0, 1e-5, 300.0, 0.0)
    assert force == elastic
