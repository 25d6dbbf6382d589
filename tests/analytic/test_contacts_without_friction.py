"""Contacts and joints without friction do not stick and have no events of friction, at rest and where their velocity changes its sign."""

import numpy as np
import pytest

import mobod as mb
from mobod.contact import HalfSpace, Sphere

MASS, STIFFNESS, START = 1.3, 47.0, 0.2  # kg, N/m, m: at rest
UNTIL = 2.0  # s: nearly two periods, with three turns
RATE = np.sqrt(STIFFNESS / MASS)


def on_a_floor(**coefficients):
    """(system, start, name of x): a ball on a floor and a spring."""
    system = mb.MultibodySystem("ball")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=9.81)
    ball = mb.Translation(matter.ground, mb.MassProperties.point(MASS, [0, 0, 0]), name="ball")
    mb.RigidContact(matter.ground, HalfSpace(), ball, Sphere(0.1), name="of_ball", **coefficients)
    for coordinate in (0, 1):
        mb.MobilityLinearSpring(forces, ball, coordinate=coordinate, stiffness=STIFFNESS, q_zero=0.0)
    start = system.realize_topology()
    ball.set_q(start, [START, START / 2, 0.1])
    return system, start, "ball.q[1]"


def on_a_rail(**_):
    """The same for a slider, whose friction has a limit of 0."""
    system = mb.MultibodySystem("slider")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    ball = mb.Slider(matter.ground, mb.MassProperties.point(MASS, [0, 0, 0]), name="ball")
    mb.RigidJointFriction(ball, limit=0.0, name="of_ball")
    mb.MobilityLinearSpring(forces, ball, stiffness=STIFFNESS, q_zero=0.0)
    start = system.realize_topology()
    ball.set_q(start, START)
    return system, start, "ball.q"


@pytest.mark.parametrize("made", [on_a_floor, on_a_rail])
def test_an_oscillation_without_friction_has_no_events(made):
    system, start, x = made(static_friction=0.0)
    results = mb.Simulation(system, accuracy=1e-9, backend="interpreted").run(start, UNTIL, report_every=0.1)

    assert results[x] == pytest.approx(START * np.cos(RATE * results.time), abs=1e-7)  # 100 times the accuracy
    assert not results.events
    assert np.all(results["of_ball.mode"][1:] == 2)  # it slips, also at rest


@pytest.mark.parametrize("made", [on_a_floor, on_a_rail])
def test_what_has_no_friction_slips_in_fixed_steps_too(made):
    system, start, x = made(static_friction=0.0)
    results = mb.Simulation(system, integrator="velocity_level", step=1e-3, backend="interpreted").run(start, 0.5, report_every=0.1)

    assert results[x] == pytest.approx(START * np.cos(RATE * results.time), abs=START * (RATE * 1e-3) ** 2)  # second order
    assert np.all(results["of_ball.mode"][1:] == 2)


def test_viscous_friction_alone_slows_a_contact():
    """Friction of mu_v v N damps the spring's motion; at its first turn it comes to rest for an instant."""
    viscous = 0.05  # s/m
    system, start, x = on_a_floor(static_friction=0.0, viscous_friction=viscous)
    results = mb.Simulation(system, accuracy=1e-9, backend="interpreted").run(start, UNTIL, report_every=0.1)

    decay = viscous * 9.81 / 2  # 1/s: c / (2 m) with c = mu_v m g
    rate = np.sqrt(RATE**2 - decay**2)
    expected = START * np.exp(-decay * results.time) * (np.cos(rate * results.time) + decay / rate * np.sin(rate * results.time))
    assert results[x] == pytest.approx(expected, abs=1e-7)


def test_friction_that_is_set_to_zero_in_a_run_holds_no_longer():
    system, start, _ = on_a_floor(static_friction=2.0)
    contact = system.matter.constraints[0]
    held = mb.Simulation(system, backend="interpreted").run(start, 0.2).final_state
    assert contact.modes(held) == ["stick"]  # 10 N of 25 N
    contact.set_friction(held, 0.0)
    results = mb.Simulation(system, accuracy=1e-9, backend="interpreted").run(held, 0.2 + UNTIL, report_every=0.1)
    assert results["ball.q[1]"] == pytest.approx(START * np.cos(RATE * (results.time - 0.2)), abs=1e-7)
