"""Capsules on boxes under error control: they roll over edges and corners, slide off and tip as in closed forms, and hand over silently."""

from functools import cache

import numpy as np
import pytest
import scipy

import mobod as mb
from mobod.contact import Box, Capsule
from mobod.spatial import Transform, rotation_x, rotation_y, rotation_z, to_quaternion

G, R, SPEED = 9.81, 0.05, 0.6  # m/s^2, m, m/s
WIDE, NARROW = (0.3, 0.2, 0.1), (0.3, 0.1, 0.1)  # half lengths of boxes, whose tops are at z = 0
ACROSS = rotation_x(np.pi / 2)  # the axis along y
SAME_POINT = 1e-5  # m


@cache
def capsule_on_box(half_lengths, half_length, friction, restitution=0.0, in_fixed_steps=False):
    """(system, body)"""
    system = mb.MultibodySystem("capsule")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=G)
    inertia = mb.Inertia.cylinder(mass=1.0, radius=R, length=2 * half_length, axis="z")
    body = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], inertia), name="log")
    shapes = matter.ground, Box(list(half_lengths)), body, Capsule(R, half_length)
    options = {"static_friction": friction, "restitution": restitution, "in_fixed_steps": in_fixed_steps}
    mb.RigidContact(*shapes, X_B1S1=Transform(p=[0, 0, -half_lengths[2]]), name="contact", **options)
    return system, body


def run(system, body, pose, u, until, accuracy=1e-8, **options):
    """(results, energies)"""
    start = system.realize_topology()
    turned, p = pose
    body.set_q(start, [*to_quaternion(turned), *p])
    body.set_u(start, u)
    how = options or {"accuracy": accuracy}
    results = mb.Simulation(system, backend="interpreted", **how).run(start, until, report_every=0.02)
    energies = []
    for state in results.states():
        system.realize(state, mb.Stage.VELOCITY)
        energies.append(system.energy(state))
    return results, np.array(energies)


def names_of(events):
    return [each.name.removeprefix("contact.") for each in events]


def held_twice(results):
    """How often two rows hold the same point."""
    n = 0
    for points, modes in zip(results["contact.contact_point"], results["contact.mode"], strict=True):
        held = points[np.flatnonzero(modes)]
        n += sum(np.linalg.norm(a - b) < SAME_POINT for i, a in enumerate(held) for b in held[:i])
    return n


def end_of_contact(distance, friction):
    """(time, angle) at which it leaves what it goes over at this distance, or begins to slip there.

    At the angle a, v^2 = v0^2 + 2 g R (1 - cos a) / k, where k is 3/2 of a rolling cylinder, else 1; the normal force is
    m (g cos a - v^2 / R), and friction m g sin(a) / 3.
    """
    k = 1.5 if friction else 1.0

    def square(a):
        return SPEED**2 + 2 * G * R * (1 - np.cos(a)) / k

    def margin(a):
        normal = G * np.cos(a) - square(a) / R
        return friction * normal - G * np.sin(a) / 3 if friction else normal

    angle = scipy.optimize.brentq(margin, 0, 1.5, xtol=1e-14)
    return distance / SPEED + scipy.integrate.quad(lambda a: R / np.sqrt(square(a)), 0, angle)[0], angle


@pytest.mark.parametrize("friction", [0.0, 0.6])
@pytest.mark.parametrize(
    ("half_lengths", "half_length", "handed_over", "held"),
    [
        (WIDE, 0.15, [], {"end_0", "end_1"}),
        (NARROW, 0.3, ["edge_x_1", "edge_x_3"], {"corner_5", "corner_7"}),
    ],
    ids=["short", "longer than the edge"],
)
def test_a_capsule_goes_over_the_edge_that_it_lies_along(half_lengths, half_length, handed_over, held, friction):
    system, body = capsule_on_box(half_lengths, half_length, friction)
    time, angle = end_of_contact(0.1, friction)
    spin = SPEED / R if friction else 0.0
    results, energies = run(system, body, (ACROSS, [0.2, 0, R]), [0, spin, 0, SPEED, 0, 0], time + 0.01)

    at_edge = [each for each in results.events if each.time < 0.1 / SPEED + 1e-6]  # rows end, and rows at the same points begin
    assert set(handed_over) <= set(names_of(at_edge)) <= {*handed_over, *held}
    after = [each for each in results.events if each not in at_edge]
    assert {name.removesuffix(".friction") for name in names_of(after)} == held
    event = after[0]
    assert event.time == pytest.approx(time, abs=1e-7)  # 10 times the accuracy
    assert event.y_before[4:7] == pytest.approx([0.3 + R * np.sin(angle), 0, R * np.cos(angle)], abs=1e-7)
    assert np.min(results["contact.distance"]) > -1e-10
    assert np.ptp(energies[results.time < time]) < 1e-7  # J
    assert held_twice(results) == 0


def test_a_capsule_slides_over_a_corner_as_over_an_edge():
    """It lies across the corner, on two edges, whose points go together to the corner."""
    system, body = capsule_on_box(WIDE, 0.15, 0.0)
    time, angle = end_of_contact(0.1 * np.sqrt(2), 0.0)
    along = np.array([1, 1, 0]) / np.sqrt(2)
    pose = rotation_z(np.pi / 4) @ ACROSS, [0.2, 0.1, R]
    results, energies = run(system, body, pose, [0, 0, 0, *(SPEED * along)], time + 0.01)

    assert names_of(results.events)[-1] == "corner_7"
    assert results.events[-1].time == pytest.approx(time, abs=1e-7)
    assert results.events[-1].y_before[4:7] == pytest.approx(
        [*([0.3, 0.2, 0] + R * np.sin(angle) * along)[:2], R * np.cos(angle)], abs=1e-7
    )
    assert np.ptp(energies) < 1e-7
    assert held_twice(results) == 0


def test_a_capsule_slides_off_a_face_and_tips_as_its_two_coordinates_do():
    """s is how far its middle is beyond the edge, along its axis, a its angle; independent equations of Lagrange."""
    half_length, inertia = 0.15, R**2 / 4 + 0.3**2 / 12
    system, body = capsule_on_box(WIDE, half_length, 0.0)
    at_edge, until = 0.2 / SPEED, 0.2 / SPEED + 0.12
    results, energies = run(system, body, (rotation_y(np.pi / 2), [0.1, 0, R]), [0, 0, 0, SPEED, 0, 0], until)

    def rates(t, y):
        s, a, of_s, of_a = y
        a_dot = (of_a - R * of_s) / (s**2 + inertia)
        return [of_s - R * a_dot, a_dot, s * a_dot**2 + G * np.sin(a), G * (R * np.sin(a) + s * np.cos(a))]

    s, a, *_ = scipy.integrate.solve_ivp(rates, (at_edge, until), [0, 0, SPEED, R * SPEED], rtol=1e-11, atol=1e-12).y[:, -1]
    expected = [0.3 + R * np.sin(a) + s * np.cos(a), 0, R * np.cos(a) - s * np.sin(a)]
    assert s < half_length  # still on the edge
    assert a > 0.1
    assert results["log.q"][-1][4:] == pytest.approx(expected, abs=1e-7)
    assert results["log.q"][-1][:4] == pytest.approx(to_quaternion(rotation_y(np.pi / 2 + a)), abs=1e-7)
    assert np.flatnonzero(results["contact.mode"][-1]).tolist() == [2 + 4 + 3]  # edge_y_3
    assert np.ptp(energies) < 1e-7
    assert held_twice(results) == 0


# friction, pose, speeds
MOTIONS = {
    "spins on its face and off it": (0.2, (rotation_z(0.0) @ rotation_y(np.pi / 2), [0.2, 0.1, R]), [0, 0, 4.0, 0.3, 0.3, 0]),
    "rolls askew over an edge": (0.6, (rotation_z(0.02) @ ACROSS, [0.2, 0, R]), [0, SPEED / R, 0, SPEED, 0, 0]),
    "turns beside a corner": (0.0, (rotation_z(0.7) @ rotation_y(np.pi / 2), [0.25, 0.15, R]), [0, 0, 0.5, 0.4, 0.3, 0]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MOTIONS)
def test_small_fixed_steps_with_slots_and_with_exact_rows_go_to_the_same_motion(name):
    friction, pose, u = MOTIONS[name]
    exact, _ = run(*capsule_on_box(WIDE, 0.15, friction), pose, u, 0.45)
    for in_fixed_steps in (None, False):
        errors = []
        for step in (4e-4, 1e-4):
            steps = {"integrator": "velocity_level", "step": step}
            found, _ = run(*capsule_on_box(WIDE, 0.15, friction, 0.0, in_fixed_steps), pose, u, 0.45, **steps)
            errors.append(np.max(np.abs(found["log.q"][-1] - exact["log.q"][-1])))
        assert errors[1] < 2e-3
        assert errors[1] < 0.5 * errors[0]  # of first order: a quarter


@pytest.mark.fast("0", "9")
@pytest.mark.parametrize("seed", range(24))
def test_capsules_thrown_on_boxes_do_not_overlap_nor_gain_energy(seed):
    rng = np.random.default_rng(seed)
    half_lengths, half_length = [(0.1, 0.15, 0.05), WIDE][(seed // 4) % 2], [0.1, 0.3][(seed // 2) % 2]
    system, body = capsule_on_box(half_lengths, half_length, [0.0, 0.5][seed % 2], [0.0, 0.3, 0.0][seed % 3])
    pitch = rng.uniform(-0.3, 0.3) if seed % 3 else 0.0
    turned = rotation_z(rng.uniform(-np.pi, np.pi)) @ rotation_y(np.pi / 2 + pitch)
    height = R + 0.02 + half_length * np.sin(abs(pitch))
    place = [*(rng.uniform(-1, 1, 2) * np.array(half_lengths[:2])), height]
    results, energies = run(system, body, (turned, place), [*rng.normal(size=3), *rng.uniform(-0.5, 0.5, 2), 0], 0.6, accuracy=1e-7)

    assert results.events  # they have met
    assert np.min(results["contact.distance"]) > -1e-8  # m
    assert np.max(np.diff(energies)) < 1e-6  # J, of 5 J; 10 times the accuracy
    assert held_twice(results) == 0


def test_a_capsule_lies_on_a_face_and_across_its_edges_without_an_event():
    for x, rows in ((0.0, {0, 1}), (0.29, {0, 9}), (0.35, None)):
        system, body = capsule_on_box(WIDE, 0.15, 0.5)
        results, _ = run(system, body, (rotation_y(np.pi / 2), [x, 0, R]), [0] * 6, 0.05)
        if rows is None:
            assert results["log.q"][-1][6] < R - 1e-3  # its middle is beyond the edge: it tips
        else:
            assert set(np.flatnonzero(results["contact.mode"][-1])) <= rows
            assert not results.events
            assert results["log.q"][-1] == pytest.approx(results["log.q"][0], abs=1e-12)
