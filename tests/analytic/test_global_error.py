"""The error of a run as described in docs/numerics/integrators.md and Simulation, for the pendulum A01 of the IFToMM benchmark library."""

import mpmath
import numpy as np
import pytest

import mobod as mb

GRAVITY, UNTIL = 9.81, 10.0  # m/s^2, s


def pendulum():
    """1 kg on a rod of 1 m, which starts horizontal, along x."""
    system = mb.MultibodySystem("A01")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=GRAVITY)
    mb.Pin(matter.ground, mb.MassProperties.point(1.0, [1.0, 0, 0]), name="pin")
    return system


def exact(time):
    """(angle, rate): sin((angle + pi / 2) / 2) = k sn(K - w t), k^2 = 1/2, w^2 = g / l."""
    frequency, m = mpmath.sqrt(GRAVITY), mpmath.mpf(1) / 2
    phase = mpmath.ellipk(m) - frequency * mpmath.mpf(time)
    angle = 2 * mpmath.asin(mpmath.sqrt(m) * mpmath.ellipfun("sn", phase, m=m)) - mpmath.pi / 2
    return float(angle), float(-2 * mpmath.sqrt(m) * frequency * mpmath.ellipfun("cn", phase, m=m))


def errors_of(accuracy, integrator):
    """(n, 2) of the angle and the rate at 21 points of time."""
    simulation = mb.Simulation(pendulum(), accuracy, integrator=integrator, backend="interpreted")
    results = simulation.run(simulation.system.realize_topology(), until=UNTIL, report_every=0.5)
    return np.abs(results.y - np.array([exact(time) for time in results.time]))


@pytest.mark.parametrize(("accuracy", "integrator"), [(1e-6, "auto"), (1e-6, "RK45"), (1e-8, "RK45"), (1e-10, "RK45")])
def test_the_error_of_a_pendulum_after_10_s_is_about_100_times_the_accuracy(accuracy, integrator):
    errors = errors_of(accuracy, integrator)
    # the order of magnitude: measured are 72 to 96 for the angle, 140 to 190 for the rate
    assert 30 < errors[:, 0].max() / accuracy < 300
    assert 30 < errors[:, 1].max() / accuracy < 300


@pytest.mark.parametrize("accuracy", [1e-8, 1e-10])
def test_from_1e_8_on_auto_takes_steps_of_order_8_whose_errors_are_smaller(accuracy):
    largest = errors_of(accuracy, "auto").max(axis=0) / accuracy
    # measured are 1 and 4 for the angle, 2 and 7 for the rate
    assert (largest > 0.1).all()
    assert (largest < 30).all()


def test_errors_converge_to_zero_with_the_accuracy():
    simulation = mb.Simulation(pendulum(), 1e-13, integrator="DOP853", backend="interpreted")
    final = simulation.run(simulation.system.realize_topology(), until=UNTIL).final_state
    np.testing.assert_allclose(final.y, exact(UNTIL), atol=1e-11)  # 100 times the accuracy
