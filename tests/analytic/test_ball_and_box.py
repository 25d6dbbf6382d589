"""A ball on a rigid box: over its edge, and dropped on an edge and on a corner, against closed forms."""

import numpy as np
import pytest

import mobod as mb
from mobod.contact import Box, Sphere

G, H, R = 9.81, 0.5, 0.1  # the box has half lengths H, the ball the radius R and mass 1


def ball_and_box(mu, restitution, position, angular, velocity):
    """(system, ball, contact, start); velocities in Ground."""
    system = mb.MultibodySystem("ball_and_box")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=G)
    ball = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.sphere(mass=1.0, radius=R)), name="ball")
    contact = mb.RigidContact(matter.ground, Box([H, H, H]), ball, Sphere(R), static_friction=mu, restitution=restitution, name="contact")
    start = system.realize_topology()
    ball.set_q(start, [1, 0, 0, 0, *position])
    ball.set_u(start, [*angular, *velocity])
    return system, ball, contact, start


def find_root(f, low, high):
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) * f(low) > 0 else (low, middle)
    return (low + high) / 2


@pytest.mark.slow
@pytest.mark.parametrize("mu", [0.0, 0.6])
def test_a_ball_goes_over_the_edge(mu):
    # at the angle a on the edge: v^2 = v0^2 + 2 g R (1 - cos a) / k, k = 7/5 if it rolls; normal force g cos a - v^2 / R; friction of a
    # rolling ball (2/7) g sin a. Without friction it leaves where the normal force is 0, else it begins to slip
    v0, k = 0.1, 1.4 if mu else 1.0
    system, _, contact, start = ball_and_box(mu, 0.0, [H - 0.05, 0, H + R], [0, v0 / R if mu else 0.0, 0], [v0, 0, 0])
    simulation = mb.Simulation(system, accuracy=1e-9).start(start)
    energies, distances = [], []
    for _ in range(100):
        simulation.step(0.012)
        state = simulation.state
        system.realize(state, mb.Stage.VELOCITY)
        energies.append(system.energy(state))
        distances.append(contact.distances(state).min())

    def square(a):
        return v0**2 + 2 * G * R * (1 - np.cos(a)) / k

    angle = find_root(
        lambda a: mu * (G * np.cos(a) - square(a) / R) - 2 / 7 * G * np.sin(a) if mu else G * np.cos(a) - square(a) / R, 0, 1.5
    )
    event, speed = simulation.events[0], np.sqrt(square(angle))
    assert event.y_before[4:7] == pytest.approx([H + R * np.sin(angle), 0, H + R * np.cos(angle)], abs=1e-7)
    assert event.y_before[10:13] == pytest.approx([speed * np.cos(angle), 0, -speed * np.sin(angle)], abs=1e-6)
    assert contact.modes(simulation.state) == ["free"]
    assert max(np.diff(energies)) < 1e-8
    assert (energies[0] - energies[-1] < 1e-8) == (mu == 0)
    assert min(distances) > -1e-9

    final = mb.Simulation(system, integrator="velocity_level", step=2e-4).run(start, 1.2).final_state
    assert np.concatenate([final.q, final.u]) == pytest.approx(np.concatenate([simulation.state.q, simulation.state.u]), abs=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("mu", [0.05, 0.5], ids=["it slips", "it sticks"])
@pytest.mark.parametrize("beyond", [(0.03, 0.0), (0.04, 0.02)], ids=["edge", "corner"])
def test_a_ball_dropped_beside_a_face(beyond, mu):
    e, drop = 0.5, 0.2
    across = np.array([*beyond, 0.0])
    normal = across / R + np.array([0, 0, np.sqrt(1 - across @ across / R**2)])
    position = np.array([H if beyond[0] else 0.0, H if beyond[1] else 0.0, H]) + R * normal
    before = np.array([0, 0, -np.sqrt(2 * G * drop)])
    tangent = before - (before @ normal) * normal
    pressed = -(1 + e) * (before @ normal)
    rubbed = -min(2 / 7, mu * pressed / np.linalg.norm(tangent)) * tangent
    after = before + pressed * normal + rubbed
    spin = np.cross(-R * normal, rubbed) / (0.4 * R**2)

    system, ball, contact, start = ball_and_box(mu, e, position + np.array([0, 0, drop]), [0, 0, 0], [0, 0, 0])
    event = mb.Simulation(system, accuracy=1e-9).run(start, 0.3).events[0]
    assert event.time == pytest.approx(np.sqrt(2 * drop / G), abs=1e-9)
    assert event.y_after[7:13] == pytest.approx([*spin, *after], abs=1e-7)

    results = mb.Simulation(system, integrator="velocity_level", step=1e-4).run(start, 0.3)
    system.realize(results.final_state, mb.Stage.POSITION)
    flight = 0.3 - np.sqrt(2 * drop / G)
    assert ball.u(results.final_state) == pytest.approx([*spin, *(after - [0, 0, G * flight])], rel=0.02, abs=0.02)
    assert contact.distances(results.final_state).min() > 0
