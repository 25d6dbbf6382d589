"""MotorDC: its two time constants, its steady state, its energy, and the loss in its gear."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mobod as mb
from mobod.errors import InputError

K, R, L, N, J, ROTOR = 0.04, 0.9, 2e-3, 12.0, 0.05, 3e-5


def driven_wheel(**given):
    """A wheel on a motor with a gear; what turns at the joint has the inertia J + N^2 ROTOR."""
    system = mb.MultibodySystem("drive")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    wheel = mb.Pin(matter.ground, mb.MassProperties(1.0, [0, 0, 0], J * np.eye(3)), name="wheel")
    motor = mb.MotorDC(forces, wheel, torque_constant=K, resistance=R, gear_ratio=N, rotor_inertia=ROTOR, name="motor", **given)
    return system, wheel, motor


def exact(t, voltage, inductance):
    """Speed and current from rest: the linear equations of motor and wheel, by the eigenvalues of their matrix."""
    inertia = J + N**2 * ROTOR
    A = np.array([[0.0, K * N / inertia], [-K * N / inductance, -R / inductance]])
    steady = np.array([voltage / (K * N), 0.0])
    values, vectors = np.linalg.eig(A)
    start = np.linalg.solve(vectors, -steady.astype(complex))
    return (steady + np.einsum("ij,jt->ti", vectors, np.exp(np.outer(values, t)) * start[:, None])).real


def test_a_step_of_voltage_has_the_two_time_constants_of_motor_and_wheel():
    system, _, _ = driven_wheel(inductance=L, voltage=24.0)
    results = mb.Simulation(system, accuracy=1e-10).run(system.realize_topology(), until=0.3, report_every=0.01)
    expected = exact(results.time, 24.0, L)
    np.testing.assert_allclose(results["wheel.u"], expected[:, 0], atol=1e-7 * 24.0 / (K * N))
    np.testing.assert_allclose(
        results["motor.current"], expected[:, 1], atol=1e-6 * 24.0 / R
    )  # between steps: an interpolant of the fast current


def test_without_inductance_the_speed_has_one_time_constant():
    system, _, _ = driven_wheel(voltage=24.0)
    results = mb.Simulation(system, accuracy=1e-10).run(system.realize_topology(), until=0.3, report_every=0.01)
    rate = (K * N) ** 2 / (R * (J + N**2 * ROTOR))
    np.testing.assert_allclose(results["wheel.u"], 24.0 / (K * N) * (1 - np.exp(-rate * results.time)), atol=1e-7 * 24.0 / (K * N))


def test_the_efficiency_is_smoothed_at_rest_as_stated():
    """Against the stated law by SciPy; the full loss from the first instant on is 0.1 / 2 of the transition speed behind."""
    eta, slow = 0.9, 0.01

    def rate(t, u, width):
        shaft = N * K * (24.0 - K * N * u) / R
        return shaft * (1 - np.minimum(np.abs(u) / width, 1) * (1 - eta)) / (J + N**2 * ROTOR)

    system, _, _ = driven_wheel(voltage=24.0, efficiency=eta, transition_speed=slow)
    results = mb.Simulation(system, accuracy=1e-10).run(system.realize_topology(), until=0.1, report_every=0.01)
    for width, ahead in ((slow, 0.0), (1e-12, slow * (1 - eta) / 2)):
        known = solve_ivp(rate, (0, 0.1), [0.0], args=(width,), rtol=1e-12, atol=1e-13, max_step=1e-4, t_eval=results.time)
        difference = results["wheel.u"] - known.y[0]
        np.testing.assert_allclose(difference[1:3], ahead, atol=max(1e-7, 0.1 * ahead))


@pytest.mark.parametrize("inductance", [0.0, L])
@pytest.mark.fast(1)
def test_what_the_supply_gives_is_kinetic_magnetic_or_heat(inductance):
    system, wheel, motor = driven_wheel(inductance=inductance, voltage=24.0, efficiency=0.8)
    state = system.realize_topology()
    wheel.set_u(state, -3.0)  # the wheel drives the motor at first
    step = 1e-4
    results = mb.Simulation(system, accuracy=1e-9).run(state, until=0.05, report_every=step)
    losses = []
    for time, u, i in zip(results.time, results["wheel.u"], results["motor.current"], strict=True):
        at = system.realize_topology()
        wheel.set_u(at, u)
        if inductance:
            system.set_value(at, "motor.current", i)
        system.realize(at, mb.Stage.DYNAMICS)
        losses.append(motor.calc_power_dissipation_contribution(at))
        assert losses[-1] >= 0, time
    net = results["motor.electrical_power"] - losses
    energy = results["energy"] - results["energy"][0]
    given = np.concatenate([[0.0], np.cumsum((net[1:] + net[:-1]) / 2 * step)])
    np.testing.assert_allclose(given, energy, atol=2e-4 * np.abs(energy).max())  # trapezoids; the gear's factor changes within steps


@pytest.mark.parametrize(
    ("u", "shaft_sign", "factor"), [(2.0, 1, 0.8), (-2.0, 1, 1 / 0.8), (0.0, 1, 1.0), (-2.0, -1, 0.8), (0.005, 1, 0.9)]
)
def test_the_gear_gives_less_where_it_drives_and_takes_more_where_it_is_driven(u, shaft_sign, factor):
    system, wheel, motor = driven_wheel(inductance=L, efficiency=0.8)
    state = system.realize_topology()
    wheel.set_u(state, u)
    system.set_value(state, "motor.current", shaft_sign * 1.5)
    system.realize(state, mb.Stage.DYNAMICS)
    assert motor.applied_force(state) == pytest.approx(shaft_sign * 1.5 * K * N * factor, rel=1e-14)


def test_a_motor_is_a_drive_of_its_joint():
    system, wheel, motor = driven_wheel(voltage=24.0)
    wheel.set_drive_limit(-1.0, 1.0)
    state = system.realize_topology()
    system.realize(state, mb.Stage.ACCELERATION)
    assert motor.applied_force(state) == pytest.approx(24.0 / R * K * N, rel=1e-14)
    assert wheel.u_dot(state) == pytest.approx([1.0 / (J + N**2 * ROTOR)], rel=1e-14)


def test_an_inductance_cannot_come_or_go_in_a_state():
    system, _, motor = driven_wheel()
    with pytest.raises(InputError, match="make the motor with an inductance"):
        motor.set_inductance(system.realize_topology(), 1e-3)
    system, _, motor = driven_wheel(inductance=L)
    with pytest.raises(InputError, match="give an inductance above 0"):
        motor.set_default_inductance(0.0)
