"""The planar double pendulum of two point masses, compared with Lagrange's equations integrated separately."""

from math import pi

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import mobod as mb

LENGTH, G = 1.0, 9.81  # m, m/s^2


@pytest.fixture
def pendulum():
    """Two point masses of 1 kg on rods of 1 m without mass, hanging along -y at q = 0; (system, upper, lower)."""
    system = mb.MultibodySystem("double pendulum")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=G)
    bob = mb.MassProperties.point(1.0, [0, -LENGTH, 0])
    upper = mb.Pin(matter.ground, bob, name="upper")
    lower = mb.Pin(upper, bob, X_PF=mb.Transform(p=[0, -LENGTH, 0]), name="lower")
    return system, upper, lower


def textbook_rates(t, y):
    """Equal masses and rods, absolute angles from the vertical; from Lagrange's equations with T + V written out.

    2 a1'' + cos(a1 - a2) a2'' = -sin(a1 - a2) a2'^2 - 2 g/l sin a1
    cos(a1 - a2) a1'' + a2'' = sin(a1 - a2) a1'^2 - g/l sin a2
    """
    a1, a2, w1, w2 = y
    c, s = np.cos(a1 - a2), np.sin(a1 - a2)
    right = [-s * w2**2 - 2 * G / LENGTH * np.sin(a1), s * w1**2 - G / LENGTH * np.sin(a2)]
    return [w1, w2, *np.linalg.solve([[2, c], [c, 1]], right)]


@pytest.mark.parametrize("integrator", ["RK45", "DOP853"])
def test_angles_after_one_second_match_the_literature(pendulum, integrator):
    system, upper, _ = pendulum
    state = system.realize_topology()
    upper.set_q(state, pi / 2)
    results = mb.Simulation(system, accuracy=1e-10, integrator=integrator).run(state, until=1.0)

    theta1 = results["upper.q"][-1]
    theta2 = theta1 + results["lower.q"][-1]
    # 100 times the accuracy: errors of the steps add up
    assert_allclose([theta1, theta2], [-0.625087699806391, -1.03458508568001], atol=1e-8)


def test_the_motion_matches_lagranges_equations(pendulum):
    system, upper, lower = pendulum
    state = system.realize_topology()
    start = [0.9, -0.4, 0.7, -1.3]  # absolute angles and rates
    upper.set_q(state, start[0])
    lower.set_q(state, start[1] - start[0])
    upper.set_u(state, start[2])
    lower.set_u(state, start[3] - start[2])
    results = mb.Simulation(system, accuracy=1e-10).run(state, until=2.0, report_every=0.1)
    exact = solve_ivp(textbook_rates, (0, 2.0), start, method="DOP853", t_eval=results.time, rtol=1e-13, atol=1e-13).y

    assert_allclose(results["upper.q"], exact[0], atol=1e-8)  # 100 times the accuracy, as above
    assert_allclose(results["upper.q"] + results["lower.q"], exact[1], atol=1e-8)
    assert_allclose(results["lower.p_GB"][:, 0], LENGTH * np.sin(exact[0]), atol=1e-8)
    assert_allclose(results["lower.w_GB"][:, 2], exact[3], atol=1e-7)
