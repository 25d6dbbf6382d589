"""SiteServo: closed forms on a hinge and on a free body, and its power."""

import numpy as np
import pytest

import mobod as mb
from mobod.spatial import rotation_x, rotation_z

INERTIA, ARM, PUSH, COUPLE = 0.8, 0.6, 0.9, 0.25  # kg m^2, m, no unit, m


def rotor(**law):
    """A hinge with a servo at a distance from its axis, which pushes along the circle and has a couple."""
    system = mb.MultibodySystem("rotor")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    pin = mb.Pin(matter.ground, mb.MassProperties(2.0, [0, 0, 0], INERTIA * np.eye(3)), name="pin")
    site = mb.Transform(rotation_z(0.4), [ARM * np.cos(0.4), ARM * np.sin(0.4), 0.3])  # its y axis lies along the circle
    servo = mb.SiteServo(forces, pin, site, wrench=[0, 0, COUPLE, 0, PUSH, 0], name="fan", **law)
    return system, servo


def test_a_fan_at_an_arm_reaches_its_speed_by_the_closed_form():
    """The rate is L u with the lever L, so I du/dt = L kd (command - L u)."""
    kd, command, until, lever = 3.0, 1.4, 0.5, ARM * PUSH + COUPLE
    system, servo = rotor(control="velocity", kd=kd, command=command)
    results = mb.Simulation(system, accuracy=1e-10, backend="interpreted").run(system.realize_topology(), until=until)
    expected = command / lever * (1 - np.exp(-kd * lever**2 * until / INERTIA))
    assert results["pin.u"][-1] == pytest.approx(expected, rel=1e-8)
    final = results.final_state
    system.realize(final, mb.Stage.DYNAMICS)
    assert servo.applied_force(final) == pytest.approx(kd * (command - lever * expected), rel=1e-7)
    assert servo.power(final) == pytest.approx(servo.applied_force(final) * lever * expected, rel=1e-7)


def test_the_impulse_of_a_thruster_is_the_momentum_that_a_free_body_gains_in_its_frame():
    """A constant couple about a main axis and a constant thrust along it: the body spins up, and flies straight."""
    system = mb.MultibodySystem("rocket")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    moments = np.array([0.3, 0.5, 0.7])
    rocket = mb.Free(matter.ground, mb.MassProperties(1.6, [0, 0, 0], np.diag(moments)), name="rocket")
    tilted = mb.Transform(rotation_x(np.pi / 2), [0, 0.2, 0])  # its y axis is z of the body, its z axis -y
    mb.SiteServo(forces, rocket, tilted, wrench=[0, 0.1, 0, 0, 0, 1], control="force", command=2.5, force_high=2.0, name="jet")
    state = system.realize_topology()
    until = 0.4
    results = mb.Simulation(system, accuracy=1e-10, backend="interpreted").run(state, until=until)
    # thrust along -y of the body, through the mass center; the couple 0.1 m times 2 N about its z axis turns the thrust
    times = np.linspace(0, until, 4001)
    angles = 0.1 * 2.0 / moments[2] * times**2 / 2
    thrust = 2.0 * np.array([np.sin(angles), -np.cos(angles)])
    gained = np.trapezoid(thrust, times, axis=1) / 1.6  # error of the trapezoids: 1e-9
    np.testing.assert_allclose(results["rocket.u"][-1], [0, 0, 0.2 / moments[2] * until, *gained, 0], atol=1e-7)


def test_the_power_of_a_site_servo_is_what_the_energy_gains():
    system = mb.MultibodySystem("arm")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81)
    link = mb.MassProperties(0.8, [0.2, 0, 0], mb.Inertia.box(mass=0.8, size=[0.4, 0.05, 0.05]).shifted([0.2, 0, 0]))
    upper = mb.Ball(matter.ground, link, name="upper")
    lower = mb.Universal(upper, link, X_PF=mb.Transform(p=[0.4, 0, 0]), name="lower")
    frame = mb.Transform(rotation_x(0.7) @ rotation_z(-0.3), [0.35, 0.02, -0.1])
    mb.SiteServo(forces, lower, frame, wrench=[0.1, -0.2, 0.05, 0.6, 1.0, -0.4], control="velocity", kd=1.5, command=0.8, name="jet")
    state = system.realize_topology()
    lower.set_u(state, [0.7, -0.4])
    step = 1e-4
    results = mb.Simulation(system, accuracy=1e-10, backend="interpreted").run(state, until=0.2, report_every=step)
    gained, power = results["energy"] - results["energy"][0], results["jet.power"]
    done = np.concatenate([[0.0], np.cumsum((power[1:] + power[:-1]) / 2 * step)])  # trapezoids: errors of step^2 / 12 of the second rate
    np.testing.assert_allclose(done, gained, atol=2e-6 * np.abs(gained).max())
    assert np.abs(gained).max() > 0.01  # J
