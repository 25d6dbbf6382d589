"""Systems of one coordinate whose motions are known in closed form."""

from math import pi, sin, sqrt

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ellipj, ellipk

import mobod as mb

ACCURACY = 1e-10
WITHIN = 1e-7  # 1000 times the accuracy: errors of some hundred steps add up


@pytest.fixture
def slider():
    """A mass that slides along a skew axis: (system, forces, body)."""
    system = mb.MultibodySystem("slider")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mass = mb.MassProperties(1.7, [0.2, -0.1, 0.3], mb.Inertia.sphere(mass=1.7, radius=0.4).shifted([0.2, -0.1, 0.3]))
    tilted = mb.Transform(mb.spatial.rotation_about([1, 2, -1], 0.8), [0.3, 0.1, -0.2])
    return system, forces, mb.Slider(matter.ground, mass, X_PF=tilted, X_BM=mb.Transform(p=[0.1, 0.2, 0.3]), name="mass")


def run(system, body, q, u, until, **options):
    state = system.realize_topology()
    body.set_q(state, q)
    body.set_u(state, u)
    return mb.Simulation(system, accuracy=ACCURACY, **options).run(state, until=until, report_every=until / 10)


def test_a_pendulum_has_the_period_of_the_elliptic_integral():
    length, g, amplitude = 0.8, 9.81, 2.0  # m, m/s^2, rad: far beyond small angles
    system = mb.MultibodySystem("pendulum")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=g)
    bob = mb.Pin(matter.ground, mb.MassProperties.point(1.3, [0, -length, 0]), name="bob")
    modulus = sin(amplitude / 2) ** 2
    period = 4 * sqrt(length / g) * ellipk(modulus)

    results = run(system, bob, amplitude, 0.0, period)
    assert_allclose(results["bob.q"][-1], amplitude, atol=WITHIN)

    # released at rest: sin(q/2) = sin(amplitude/2) sn(w t + K), Lawden, Elliptic Functions and Applications (1989), ch. 5
    sn, *_ = ellipj(sqrt(g / length) * results.time + ellipk(modulus), modulus)
    assert_allclose(results["bob.q"], 2 * np.arcsin(np.sin(amplitude / 2) * sn), atol=WITHIN)


def test_a_compound_pendulum_has_the_period_of_its_center_of_oscillation():
    """Small swings: 2 pi sqrt(I / (m g d)) with the moment I about the pin, here about an axis that no axis of the body is along."""
    m, g, com = 2.1, 9.4, np.array([0.3, -0.2, 0.25])
    system = mb.MultibodySystem("compound pendulum")
    matter = mb.MatterSubsystem(system)
    R_PF = mb.spatial.rotation_about([1, 2, 3], 0.7)
    axis = R_PF[:, 2]
    down = R_PF[:, 0]
    mb.Gravity(mb.ForceSubsystem(system), matter, down=down, magnitude=g)
    box = mb.Inertia.box(mass=m, size=[0.5, 0.3, 0.9]).shifted(com)
    body = mb.Pin(matter.ground, mb.MassProperties(m, com, box), X_PF=mb.Transform(R_PF), X_BM=mb.Transform(R_PF), name="body")
    distance = np.linalg.norm(com - (com @ axis) * axis)
    period = 2 * pi * sqrt(axis @ box.matrix @ axis / (m * g * distance))

    # at rest the mass center hangs below the pin: the angle from there to where it is at q = 0
    in_F = R_PF.T @ com
    rest = -np.arctan2(in_F[1], in_F[0])
    amplitude = 1e-4
    results = run(system, body, rest + amplitude, 0.0, period)
    # the period of a real swing is longer by amplitude^2 / 16, so the angle is off by less than 1e-9 of the amplitude
    assert_allclose(results["body.q"] - rest, amplitude * np.cos(2 * pi * results.time / period), atol=1e-3 * amplitude)


def test_a_mass_on_a_spring_oscillates_harmonically(slider):
    system, forces, mass = slider
    stiffness, q_zero, q, u = 23.0, 0.15, 0.6, -0.9
    mb.MobilityLinearSpring(forces, mass, stiffness=stiffness, q_zero=q_zero)
    results = run(system, mass, q, u, 3.0)

    w, t = sqrt(stiffness / 1.7), results.time
    assert_allclose(results["mass.q"], q_zero + (q - q_zero) * np.cos(w * t) + u / w * np.sin(w * t), atol=WITHIN)
    assert_allclose(results["energy"], stiffness * (q - q_zero) ** 2 / 2 + 1.7 * u**2 / 2, rtol=1e-8)  # 100 times the accuracy


@pytest.mark.parametrize("damper", ["MobilityLinearDamper", "GlobalDamper"])
def test_a_damped_mass_slows_down_exponentially(slider, damper):
    system, forces, mass = slider
    if damper == "GlobalDamper":
        mb.GlobalDamper(forces, system.matter, damping=0.8)
    else:
        mb.MobilityLinearDamper(forces, mass, damping=0.8)
    results = run(system, mass, 0.6, 2.4, 3.0)

    rate, t = 0.8 / 1.7, results.time
    assert_allclose(results["mass.u"], 2.4 * np.exp(-rate * t), atol=WITHIN)
    assert_allclose(results["mass.q"], 0.6 + 2.4 / rate * (1 - np.exp(-rate * t)), atol=WITHIN)


@pytest.mark.parametrize("damping", [1.1, 25.0], ids=["swinging", "creeping"])
def test_a_damped_mass_on_a_spring_matches_the_closed_form(slider, damping):
    system, forces, mass = slider
    mb.MobilityLinearSpring(forces, mass, stiffness=23.0)
    mb.MobilityLinearDamper(forces, mass, damping=damping)
    results = run(system, mass, 0.6, -0.9, 2.0)

    a, w2 = damping / 3.4, 23.0 / 1.7
    w = np.emath.sqrt(w2 - a**2)  # imaginary if overdamped
    exact = np.exp(-a * results.time) * (0.6 * np.cos(w * results.time) + (-0.9 + a * 0.6) / w * np.sin(w * results.time))
    assert_allclose(results["mass.q"], np.real(exact), atol=WITHIN)


def test_a_stiff_damper_needs_the_implicit_integrator(slider):
    system, forces, mass = slider
    mb.MobilityLinearSpring(forces, mass, stiffness=23.0)
    mb.MobilityLinearDamper(forces, mass, damping=1e6)
    implicit = run(system, mass, 0.6, 0.0, 10.0, integrator="Rodas5P")

    # overdamped: q decays at the rate stiffness / damping, after a transient of microseconds
    assert_allclose(implicit["mass.q"], 0.6 * np.exp(-23e-6 * implicit.time), rtol=1e-6)
    assert implicit.steps < 200  # an explicit step could be no longer than some 1e-6 s


def test_a_constant_force_gives_a_parabola(slider):
    system, forces, mass = slider
    mb.MobilityForce(forces, mass, force=-4.2)
    results = run(system, mass, 0.6, 2.4, 2.0)
    assert_allclose(results["mass.q"], 0.6 + 2.4 * results.time - 4.2 / 1.7 * results.time**2 / 2, rtol=1e-12)


def test_a_slider_moves_along_the_axis_of_its_frame(slider):
    system, forces, mass = slider
    mb.MobilityForce(forces, mass, force=3.0)
    results = run(system, mass, 0.6, 2.4, 2.0)
    axis = mass.X_PF.R[:, 0]
    start = mass.X_PF.p - np.array([0.1, 0.2, 0.3]) @ mass.X_PF.R.T
    assert_allclose(results["mass.p_GB"], start + np.outer(results["mass.q"], axis), atol=1e-14)
