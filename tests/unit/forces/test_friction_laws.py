"""Laws of friction: values, slopes, continuity, passivity."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod.forces.friction.friction_laws import (
    hollars_over_speed,
    lugre,
    regularised_over_speed,
    step5,
    step5_over_speed,
    stribeck,
)

STATIC, KINETIC, VISCOUS, TRANSITION = 0.9, 0.6, 0.15, 0.02


def hollars(s):
    return s * hollars_over_speed(s, STATIC, KINETIC, VISCOUS, TRANSITION)


def by_step5(s):
    return s * step5_over_speed(s, STATIC, KINETIC, VISCOUS, TRANSITION)


def regularised(s):
    return s * regularised_over_speed(s, STATIC, KINETIC, VISCOUS, TRANSITION, 0.3)


def slope(law, s, h=1e-9):
    return (law(s + h) - law(s - h)) / (2 * h)


def test_stribeck_falls_from_the_static_to_the_kinetic_value():
    assert stribeck(0.0, STATIC, KINETIC, 0.1) == STATIC
    assert_allclose(stribeck(0.1, STATIC, KINETIC, 0.1), KINETIC + 0.3 / np.e, rtol=1e-15)
    assert_allclose(stribeck(-0.1, STATIC, KINETIC, 0.1), KINETIC + 0.3 / np.e, rtol=1e-15)
    assert stribeck(5.0, STATIC, KINETIC, 0.1) == KINETIC
    assert stribeck(0.0, 0.2, KINETIC, 0.1) == KINETIC  # a static value below the kinetic one


def test_the_regularised_law_is_odd_and_linear_at_rest():
    assert regularised(0.0) == 0
    assert_allclose(slope(regularised, 0.0), STATIC / TRANSITION + VISCOUS, rtol=1e-8)
    assert_allclose(regularised(TRANSITION), stribeck(TRANSITION, STATIC, KINETIC, 0.3) / np.sqrt(2) + VISCOUS * TRANSITION, rtol=1e-14)
    assert_allclose(regularised(-3.0), -regularised(3.0), rtol=0)
    assert_allclose(regularised(3.0), KINETIC + VISCOUS * 3.0, rtol=1e-4)  # less by (transition / s)^2 / 2


# r: value and slopes on both sides, without the viscous part
@pytest.mark.parametrize(
    ("r", "value", "before", "after"),
    [
        (0.0, 0.0, 2 * STATIC - KINETIC, 2 * STATIC - KINETIC),
        (1.0, STATIC, STATIC - (STATIC - KINETIC), -(STATIC - KINETIC)),
        (3.0, KINETIC + 0.2 * (STATIC - KINETIC), -12 / 100 * (STATIC - KINETIC), -12 / 100 * (STATIC - KINETIC)),
    ],
)
def test_hollars_law_is_continuous_with_a_kink_at_the_transition_speed(r, value, before, after):
    def law(r):
        return np.sign(r) * (hollars(abs(r) * TRANSITION) - VISCOUS * abs(r) * TRANSITION)

    h = 1e-7
    assert_allclose(law(r), value, rtol=1e-14, atol=1e-16)
    assert_allclose((law(r) - law(r - h)) / h, before, rtol=1e-5)
    assert_allclose((law(r + h) - law(r)) / h, after, rtol=1e-5)


@pytest.mark.parametrize(("r", "value"), [(0.0, 0.0), (1.0, STATIC), (2.0, (STATIC + KINETIC) / 2), (3.0, KINETIC), (40.0, KINETIC)])
def test_the_law_of_step5_has_two_continuous_derivatives(r, value):
    def law(r):
        return np.sign(r) * (by_step5(abs(r) * TRANSITION) - VISCOUS * abs(r) * TRANSITION)

    h = 1e-4
    assert_allclose(law(r), value, rtol=1e-14, atol=1e-16)
    if r != 2.0:
        assert_allclose((law(r + h) - law(r - h)) / (2 * h), 0.0, atol=1e-6)
        assert_allclose((law(r + h) - 2 * law(r) + law(r - h)) / h**2, 0.0, atol=1e-2)  # third derivatives, up to 54, times h


def test_step5_goes_from_0_to_1():
    assert (step5(0.0), step5(0.5), step5(1.0)) == (0.0, 0.5, 1.0)


@pytest.mark.parametrize("law", [hollars_over_speed, step5_over_speed])
@pytest.mark.parametrize("r", [0.0, 0.3, 1.0, 1.7, 3.0, 8.0])
def test_coefficients_divided_by_the_speed_need_no_exception_at_rest(law, r):
    s = r * TRANSITION
    assert np.isfinite(law(s, STATIC, KINETIC, VISCOUS, TRANSITION))
    assert law(s, STATIC, KINETIC, VISCOUS, TRANSITION) >= VISCOUS
    assert law(s, 0.1, KINETIC, 0.0, TRANSITION) == law(s, KINETIC, KINETIC, 0.0, TRANSITION)  # a static value below the kinetic one


def test_bristles_at_constant_speed_reach_the_law_of_stribeck():
    slip = np.array([0.3, -0.4]) * 0.1
    s, g = 0.05, stribeck(0.05, STATIC, KINETIC, 0.1)
    z = g / 1e4 * slip / s
    friction, z_dot = lugre(z, slip, STATIC, KINETIC, VISCOUS, 1e4, 30.0, 0.1)
    assert_allclose(z_dot, 0.0, atol=1e-16)
    assert_allclose(friction, -(g * slip / s + VISCOUS * slip), rtol=1e-13)


def test_bristles_never_give_more_energy_than_they_have_stored():
    """Also with a damping far above 4 g / |slip|, and for deflections beyond those that occur."""
    rng = np.random.default_rng(7)
    for _ in range(2000):
        slip, z = rng.normal(size=2) * 10 ** rng.uniform(-4, 1), rng.normal(size=2) * 10 ** rng.uniform(-7, -3)
        stiffness, damping = 10 ** rng.uniform(2, 6), 10 ** rng.uniform(-2, 4)
        friction, z_dot = lugre(z, slip, STATIC, KINETIC, VISCOUS, stiffness, damping, 0.1)
        taken = -friction @ slip
        loss = taken - stiffness * z @ z_dot
        assert loss >= -1e-12 * (abs(taken) + abs(stiffness * z @ z_dot))


def test_without_friction_there_are_no_bristles():
    friction, z_dot = lugre(np.array([1e-3]), np.array([0.2]), 0.0, 0.0, VISCOUS, 1e4, 30.0, 0.1)
    assert_allclose(friction, [-VISCOUS * 0.2], rtol=1e-15)
    assert z_dot == [0.0]


def test_bristles_at_rest_are_a_spring():
    friction, z_dot = lugre(np.array([2e-5]), np.zeros(1), STATIC, KINETIC, VISCOUS, 1e4, 30.0, 0.1)
    assert_allclose(friction, [-0.2], rtol=1e-15)
    assert z_dot == [0.0]
