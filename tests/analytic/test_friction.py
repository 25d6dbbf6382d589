"""Rigid dry friction against closed forms and invariants: rest, isotropy, energy, rolling, stick and slip, saved states."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.contact import Box, Capsule, Circle, HalfSpace, Sphere
from mobod.spatial import Transform, from_quaternion

G = 9.81


def on_plane(shape, inertia, m=1.0, angle=0.0, turned=0.0, **friction):
    """(system, a free body, its contact) on a plane inclined by `angle` about y, whose tangents are turned about its normal."""
    system = mb.MultibodySystem("on_plane")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[np.sin(angle), 0, -np.cos(angle)], magnitude=G)
    body = mb.Free(matter.ground, mb.MassProperties(m, [0, 0, 0], inertia), name="body")
    plane = Transform.of(from_quaternion(np.array([np.cos(turned / 2), 0, 0, np.sin(turned / 2)])), np.zeros(3))
    contact = mb.RigidContact(matter.ground, HalfSpace(), body, shape, X_B1S1=plane, name="contact", **friction)
    return system, body, contact


def box_on_plane(half_lengths=(0.1, 0.15, 0.2), m=1.0, **options):
    half_lengths = np.array(half_lengths)
    return on_plane(Box(half_lengths), mb.Inertia.box(mass=m, size=2 * half_lengths), m, **options)


def run(system, state, until, **options):
    results = mb.Simulation(system, **{"accuracy": 1e-10} | options).run(state, until)
    system.realize(results.final_state, mb.Stage.ACCELERATION)
    return results


def started(system, body, q, u):
    state = system.realize_topology()
    body.set_q(state, q)
    body.set_u(state, u)
    return state


# ---- rest ----


@pytest.mark.fast(1)
@pytest.mark.parametrize(("excess", "mode"), [(1e-6, "stick"), (-1e-6, "slip")])
def test_a_box_on_an_incline_at_the_limit(excess, mode):
    angle = 0.4
    mu = np.tan(angle) + excess
    system, body, contact = box_on_plane(angle=angle, static_friction=mu)

    final = run(system, started(system, body, [1, 0, 0, 0, 0, 0, 0.2], np.zeros(6)), 1.0).final_state

    corners = [each for each in contact.mode(final) if each != "free"]
    assert set(corners) == {mode}
    expected = G * (np.sin(angle) - mu * np.cos(angle)) if mode == "slip" else 0.0
    assert body.u(final)[3] == pytest.approx(expected, abs=5e-9)
    assert contact.normal_force(final).sum() == pytest.approx(G * np.cos(angle), rel=1e-12)  # of redundant corners
    assert contact.friction_force(final).sum(axis=0) == pytest.approx([-G * np.sin(angle) + expected, 0, 0], abs=1e-8)


def test_a_box_on_an_incline_exactly_at_the_limit():
    system, body, contact = box_on_plane([1.0, 1.0, 0.1], angle=0.1, turned=0.4, static_friction=np.tan(0.1))
    start = started(system, body, [np.cos(0.3), 0, 0, np.sin(0.3), 0, 0, 0.1], np.zeros(6))

    results = run(system, start, 3.0, accuracy=1e-8)

    assert results.events == ()
    assert {each for each in contact.mode(results.final_state) if each != "free"} == {"stick"}
    assert body.q(results.final_state) == pytest.approx(body.q(start), abs=1e-12)


def test_a_box_at_rest_does_not_drift_in_1000_s():
    system, body, _ = box_on_plane(angle=0.3, static_friction=0.5)
    start = started(system, body, [1, 0, 0, 0, 0, 0, 0.2], np.zeros(6))

    final = run(system, start, 1000.0).final_state

    assert body.q(final) == pytest.approx(body.q(start), abs=1e-9)


# ---- laws that hold for any motion ----


@pytest.mark.slow
def test_the_motion_does_not_depend_on_the_directions_of_the_tangents():
    finals = []
    for turned in (0.0, 0.3, 2.0):
        system, body, _ = on_plane(
            Sphere(0.1), mb.Inertia.sphere(mass=1.0, radius=0.1), angle=0.2, turned=turned, static_friction=0.3, dynamic_friction=0.2
        )
        results = run(system, started(system, body, [1, 0, 0, 0, 0, 0, 0.1], [3.0, -7.0, 20.0, 0.4, 1.1, 0.0]), 1.0)
        finals.append([*results.final_state.q, *results.final_state.u, *[event.time for event in results.events]])

    assert len(finals[0]) == 7 + 6 + 1  # it begins to roll
    assert finals[1] == pytest.approx(finals[0], abs=2e-9)
    assert finals[2] == pytest.approx(finals[0], abs=2e-9)


@pytest.mark.fast(1)
@pytest.mark.parametrize("restitution", [0.0, 0.3])
def test_energy_never_grows(restitution):
    system, body, _ = box_on_plane(static_friction=0.5, dynamic_friction=0.4, restitution=restitution)
    start = started(system, body, [0.9, 0.3, -0.2, 0.1, 0, 0, 0.4], [3.0, -2.0, 1.0, 1.0, -0.5, 0.0])
    simulation = mb.Simulation(system, accuracy=1e-8).start(start)
    energies = []
    for _ in range(150):
        simulation.step(0.01)
        state = simulation.state
        system.realize(state, mb.Stage.VELOCITY)
        energies.append(system.energy(state))

    assert max(np.diff(energies)) < 1e-7
    assert min(abs(energies[-1] - G * height) for height in (0.1, 0.15, 0.2)) < 1e-9  # at rest on a face


@pytest.mark.fast(1)
@pytest.mark.parametrize("scale", [1e-6, 1e6])
@pytest.mark.parametrize("of", ["mass", "length"])
def test_scales_of_mass_and_length(of, scale):
    def sliding(m, length):
        system, body, contact = box_on_plane([0.2 * length, 0.3 * length, 0.1 * length], m, static_friction=0.5, dynamic_friction=0.4)
        start = started(system, body, [1, 0, 0, 0, 0, 0, 0.1 * length], [0, 0, 0, 1.0 * np.sqrt(length), 0, 0])
        results = run(system, start, 0.5 * np.sqrt(length))
        event = results.events[-1]
        return event.time / np.sqrt(length), body.q(results.final_state)[4] / length, contact.normal_force(results.final_state).sum() / m

    time, distance, force = sliding(scale, 1.0) if of == "mass" else sliding(1.0, scale)

    assert time == pytest.approx(1.0 / (0.4 * G), rel=1e-6)
    assert distance == pytest.approx(0.5 / (0.4 * G), rel=1e-6)
    assert force == pytest.approx(G, rel=1e-9)


# ---- no solution ----


def test_redundant_corners_slide_on_together_although_one_alone_would_jam():
    # a torque keeps the box from tipping. With the least norm, the normal force of a front corner is 1 / (1 - mu h / (4 b)) by itself
    mu, b, h, v = 1.5, 0.1, 0.5, 3.0
    system, body, contact = box_on_plane([b, b, h], static_friction=mu)
    mb.ConstantTorque(mb.ForceSubsystem(system, name="torques"), body, [0, -mu * G * h, 0])

    final = run(system, started(system, body, [1, 0, 0, 0, 0, 0, h], [0, 0, 0, v, 0, 0]), 0.1).final_state

    assert contact.mode(final).count("slip") == 4
    assert body.u(final) == pytest.approx([0, 0, 0, v - mu * G * 0.1, 0, 0], abs=1e-9)


def test_a_contact_that_a_constraint_pulls_into_the_ground_is_no_paradox():
    system, block, _ = shaken_block(0.5, 0.5)
    mb.ConstantAcceleration(block, acceleration=-1.0, which=2)
    state = system.realize_topology()
    block.set_u(state, [1.0, 0, 0])

    with pytest.raises(mb.errors.EventError, match=r"at 0 s .*'contact.point' contradicts other constraints") as error:
        run(system, state, 0.1)
    assert not isinstance(error.value, mb.errors.FrictionParadoxError)


# ---- sliding ----


@pytest.mark.parametrize(
    ("options", "error"), [({}, 1e-9), ({"integrator": "velocity_level", "step": 1e-3}, 5e-3)], ids=["error control", "steps"]
)
def test_a_puck_pushed_across_a_slope_of_the_angle_of_friction_turns_downhill(options, error):
    # friction takes as much from the speed as gravity gives to the velocity downhill, so that their sum is constant, at any time
    angle, v0 = 0.4, 1.7
    mu = np.tan(angle)
    system = mb.MultibodySystem("slope")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[np.sin(angle), 0, -np.cos(angle)], magnitude=G)
    puck = mb.Translation(matter.ground, mb.MassProperties.point(mass=2.0, p=[0, 0, 0]), name="puck")
    mb.RigidContact(matter.ground, HalfSpace(), puck, Sphere(0.1), static_friction=1.6 * mu, dynamic_friction=mu, name="slope")

    final = run(system, started(system, puck, [0, 0, 0.1], [0, v0, 0]), 0.3, **options).final_state

    v = puck.u(final)
    assert v[0] > 0.6 * v[1] > 0.1
    assert np.hypot(v[0], v[1]) + v[0] == pytest.approx(v0, abs=error)  # of first order in the step


# ---- rolling ----


@pytest.mark.slow
def test_a_sliding_capsule_begins_to_roll():
    # about its axis, which is y: the slip ends at v = v0 - mu g t = r w
    r, h, mu, v0 = 0.05, 0.1, 0.3, 2.0
    about_axis, across = 0.5 * r**2, 0.02
    system, body, contact = on_plane(Capsule(r, h), mb.Inertia(np.diag([across, across, about_axis])), static_friction=mu)
    lying = [np.cos(np.pi / 4), np.sin(np.pi / 4), 0, 0, 0, 0, r]

    results = run(system, started(system, body, lying, [0, 0, 0, v0, 0, 0]), 1.0)

    time = v0 / (mu * G * (1 + r**2 / about_axis))
    assert results.events[0].time == pytest.approx(time, abs=1e-9)
    assert contact.mode(results.final_state) == ["stick", "stick"]
    speed = v0 - mu * G * time
    assert body.u(results.final_state)[3] == pytest.approx(speed, abs=1e-9)
    assert body.q(results.final_state)[4] == pytest.approx(v0 * time - mu * G * time**2 / 2 + speed * (1.0 - time), abs=1e-9)


def test_a_disk_rolls_on_a_circle_at_steady_state():
    # its axis a is tilted, with s = a . up; d points from the contact to the center; speed w of the rotation along a, precession W:
    #   rate of the moment of momentum about the center, W up x (A W (d . up) d + C w a), is the moment of the contact's force, so that
    #   w W (C + m r^2) (d . up) = s (A W^2 (d . up) - m g r)
    r, m, tilt, precession = 0.2, 1.5, 0.3, 2.0
    about_axis, across = 0.5 * m * r**2, 0.25 * m * r**2
    system, body, contact = on_plane(Circle(r), mb.Inertia(np.diag([across, across, about_axis])), m, static_friction=1.0)
    up, half = np.array([0.0, 0.0, 1.0]), (np.pi / 2 + tilt) / 2
    axis = np.array([np.sin(2 * half), 0.0, np.cos(2 * half)])
    s, steepness = axis[2], np.cos(tilt)
    d = (up - s * axis) / steepness
    spin = s * (across * precession**2 * steepness - m * G * r) / ((about_axis + m * r**2) * precession * steepness)
    angular = precession * steepness * d + spin * axis
    velocity = np.cross(angular, r * d)

    start = started(system, body, [np.cos(half), 0, np.sin(half), 0, 0, 0, r * steepness], [*angular, *velocity])
    results = run(system, start, 1.0)

    final = results.final_state
    turn = np.array([[np.cos(precession), -np.sin(precession), 0], [np.sin(precession), np.cos(precession), 0], [0, 0, 1]])
    assert contact.mode(final) == "stick"
    assert results.events == ()
    assert body.q(final)[6] == pytest.approx(r * steepness, abs=1e-8)
    assert body.u(final) == pytest.approx([*(turn @ angular), *(turn @ velocity)], abs=1e-7)


# ---- stick and slip ----


class Shaking(mb.CustomForce):
    """A force amplitude sin(t) along x."""

    body: mb.MobilizedBody = mb.argument("the body that is pushed")
    amplitude: mb.Parameter[float] = mb.parameter("N", "of the force")

    def calc_force(self, state, body_forces, mobility_forces):
        mobility_forces[0] += self.amplitude(state) * np.sin(state.time)


def shaken_block(mu_s, mu_k):
    system = mb.MultibodySystem("shaken")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=G)
    block = mb.Translation(matter.ground, mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.sphere(mass=1.0, radius=0.1)), name="block")
    block.set_default_q([0, 0, 0.1])
    Shaking(forces, body=block, amplitude=6.0)
    contact = mb.RigidContact(matter.ground, HalfSpace(), block, Sphere(0.1), static_friction=mu_s, dynamic_friction=mu_k, name="contact")
    return system, block, contact


@pytest.mark.parametrize(("mu_s", "mu_k"), [(0.4, 0.4), (0.5, 0.3)])
def test_a_block_pushed_and_pulled(mu_s, mu_k):
    system, *_ = shaken_block(mu_s, mu_k)

    results = run(system, system.realize_topology(), 10.0)

    # from the begin b of a slip on: v = A (cos(b) - cos(t)) - mu_k g (t - b), until it is 0 again; in each half period again
    begin = np.arcsin(mu_s * G / 6.0)
    end = find_root(lambda t: 6.0 * (np.cos(begin) - np.cos(t)) - mu_k * G * (t - begin), 2.0, begin + np.pi)
    assert end < begin + np.pi
    way = 6.0 * (np.cos(begin) * (end - begin) - np.sin(end) + np.sin(begin)) - mu_k * G * (end - begin) ** 2 / 2
    expected = [time + k * np.pi for k in range(3) for time in (begin, end)]
    expected = [time for time in expected if time < 10.0]
    assert [event.time for event in results.events] == pytest.approx(expected, abs=2e-9)
    assert [event.direction for event in results.events] == [1, -1, 1, -1, 1, -1][: len(expected)]
    assert [event.y_after[0] for event in results.events] == pytest.approx([0, way, way, 0, 0, way][: len(expected)], abs=2e-9)


@pytest.mark.parametrize("mu_k", [1.0, 0.8])
def test_a_block_whose_load_touches_the_limit_keeps_sticking(mu_k):
    system, block, contact = shaken_block(6.0 / G, mu_k * 6.0 / G)

    results = run(system, system.realize_topology(), 3.0)

    assert len(results.events) <= 1  # it reaches the limit, and does not exceed it
    assert contact.mode(results.final_state) == "stick"
    assert block.q(results.final_state) == pytest.approx([0, 0, 0.1], abs=1e-12)


def find_root(f, low, high):
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) * f(low) > 0 else (low, middle)
    return (low + high) / 2


# ---- saved and restored ----


@pytest.mark.parametrize("at", [0.3, np.arcsin(0.5 * G / 6.0), 0.9, 1.9, 4.2])  # the second is the time of an event
def test_a_restored_run_goes_on_with_the_same_bits(at):
    system, _, contact = shaken_block(0.5, 0.3)
    simulation = mb.Simulation(system, accuracy=1e-8)
    going = simulation.start(system.realize_topology())
    going.step(at)
    saved = going.save()
    finals = []
    for _ in range(2):
        going.restore(saved)
        going.step(3.0)
        finals.append((going.state.q.tobytes(), going.state.u.tobytes(), contact.mode(going.state), len(going.events)))

    assert finals[1] == finals[0]


@pytest.mark.fast(2)
@pytest.mark.parametrize("at", [1.0, 1.875])
@pytest.mark.parametrize("options", [{"accuracy": 1e-8}, {"integrator": "velocity_level", "step": 2.0**-8}], ids=["error control", "fixed"])
def test_a_run_from_bytes_is_that_from_the_state(at, options):
    system, *_ = shaken_block(0.5, 0.3)
    simulation = mb.Simulation(system, **options)
    state = simulation.run(system.realize_topology(), at).final_state

    finals = [simulation.run(each, 4.5).final_state for each in (state, mb.State.from_bytes(system, state.to_bytes()))]

    assert finals[1].to_bytes() == finals[0].to_bytes()
    if "step" in options:
        assert finals[0].to_bytes() == simulation.run(system.realize_topology(), 4.5).final_state.to_bytes()


# ---- random boxes thrown on a plane ----


def thrown(body, system, seed):
    random = np.random.default_rng(seed)
    turned = random.normal(size=4)
    height = 0.3 + random.uniform(0, 0.3)
    return started(system, body, [*turned / np.linalg.norm(turned), 0, 0, height], [*5 * random.normal(size=3), *random.normal(size=3)])


@pytest.mark.slow
@pytest.mark.parametrize("restitution", [0.0, 0.3])
def test_boxes_thrown_under_error_control(restitution):
    """10,000 boxes each. A run that takes steps or events without end exceeds max_steps, eight times as many as the longest needs."""
    at_once = 500
    system, body, _ = box_on_plane(static_friction=0.5, dynamic_friction=0.4, restitution=restitution)
    for first in range(0, 10_000, at_once):
        states = [thrown(body, system, seed) for seed in range(first, first + at_once)]
        ensemble = mb.Ensemble(system, states, accuracy=1e-6, max_steps=3_000, backend="compiled")
        results = ensemble.run(3.0, report_every=0.05, outputs=["energy", "contact.distance", "body.u"])

        assert (first, results.failed) == (first, [])
        energy, distance, u = (results[name] for name in ("energy", "contact.distance", "body.u"))
        assert (energy[:, -1] < energy[:, 0]).all()
        assert np.diff(energy, axis=1).max() < 1e-5  # J, of 13 J; by the accuracy
        assert distance.min() > -1e-6  # of interpolants
        assert distance[:, -1].min() > -1e-9
        assert np.abs(u[:, -1]).max() < 1e-6  # at rest


def test_slips_that_stop_together_stop():
    """A box that slides and spins: where one corner comes to rest, the others are hardly faster, and must not go on by turns."""
    system, body, _ = box_on_plane(static_friction=0.5, dynamic_friction=0.4)
    for seed in (96, 417):
        results = run(system, thrown(body, system, seed), 1.0, accuracy=1e-6)
        assert len(results.events) < 40
        assert_allclose(body.u(results.final_state), 0, atol=1e-6)


def test_a_step_made_longer_for_the_end_of_a_slip_stops_at_corners_that_land_before():
    system, body, contact = box_on_plane(static_friction=0.5, dynamic_friction=0.4, restitution=0.3)
    results = run(system, thrown(body, system, 7350), 1.1, accuracy=1e-6)
    assert contact.distances(results.final_state).min() > -1e-9


def test_a_corner_at_distance_zero_that_approaches_slower_than_its_coordinates_resolve_lands():
    """Steps to a crossing of round-off, too short to change a coordinate, must not repeat without end."""
    system, body, _ = box_on_plane(static_friction=0.5, dynamic_friction=0.4, restitution=0.3)
    results = run(system, thrown(body, system, 2722), 0.6, accuracy=1e-6)
    assert len(results.events) < 200


@pytest.mark.slow
def test_a_box_that_rocks_with_little_more_than_the_speed_of_capture_comes_to_rest():
    system, body, _ = box_on_plane(static_friction=0.5, dynamic_friction=0.4)
    results = mb.Simulation(system, backend="interpreted", max_steps=500).run(thrown(body, system, 4684), 1.0)  # else steps of 1e-12 s
    assert np.abs(results["body.u"][-1]).max() < 1e-12


def test_a_corner_that_lands_in_fixed_steps_does_not_sink():
    """The step that would pass the plane ends on it. With engagement="artisynth" this corner sinks by its speed times the step, 5.4 mm."""
    system, body, _ = box_on_plane(static_friction=0.5, dynamic_friction=0.4)
    start = thrown(body, system, 986)

    results = mb.Simulation(system, integrator="velocity_level", step=5e-3, backend="interpreted").run(start, 0.45)

    assert results["contact.distance"].min() > -1.001e-4  # the tolerance of a contact
    assert np.diff(results["energy"]).max() < 1e-3  # J; 0.07 J with that rule


@pytest.mark.slow
@pytest.mark.parametrize(("place", "step", "in_air", "at_floor"), [("begin", 5e-3, 1e-2, 1e-3), ("middle", 5e-3, 1e-4, 1e-2)])
def test_boxes_thrown_in_fixed_steps(place, step, in_air, at_floor):
    """10,000 boxes. None sinks by more than the tolerance of contacts. Energy, of 13 J, grows by errors of a step: with rows at the
    beginning those of boxes that tumble in the air, with rows at the middle those of impacts, which are of first order.

    One of the boxes stands on an edge for more than a second before it falls.
    """
    at_once = 500
    system, body, _ = box_on_plane(static_friction=0.5, dynamic_friction=0.4)
    for first in range(0, 10_000, at_once):
        states = [thrown(body, system, seed) for seed in range(first, first + at_once)]
        ensemble = mb.Ensemble(system, states, integrator="velocity_level", step=step, constraints_at=place, backend="compiled")
        results = ensemble.run(4.0, report_every=step, outputs=["energy", "contact.distance", "body.u"])

        assert results.failed == []
        energy, distance, u = (results[name] for name in ("energy", "contact.distance", "body.u"))
        assert (energy[:, -1] < energy[:, 0]).all()
        lowest, growth = distance.min(axis=2), np.diff(energy, axis=1)  # J
        is_at_floor = np.minimum(lowest[:, 1:], lowest[:, :-1]) < 1e-3  # steps that begin or end there
        assert growth[~is_at_floor].max() < in_air
        assert growth[is_at_floor].max() < at_floor
        assert distance.min() > -1.001e-4  # the tolerance of a contact
        assert np.abs(u[:, -1]).max() < 1e-3  # at rest


def tumbling_stack(n_boxes, seed):
    """(system, start) of boxes on each other, each with speeds of its own. The top of a box is a plane for the next one."""
    half = np.array([0.2, 0.15, 0.1])
    system = mb.MultibodySystem("stack")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=G)
    below, boxes = matter.ground, []
    for i in range(n_boxes):
        box = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.box(mass=1.0, size=2 * half)), name=f"box_{i}")
        box.set_default_q([1, 0, 0, 0, 0, 0, (2 * i + 1) * half[2]])
        top = Transform(p=[0, 0, half[2] if i else 0.0])
        mb.RigidContact(below, HalfSpace(), box, Box(half), X_B1S1=top, static_friction=0.5, name=f"contact_{i}")
        boxes.append(box)
        below = box
    start, random = system.realize_topology(), np.random.default_rng(seed)
    for box in boxes:
        box.set_u(start, random.normal(size=6) * [0.6, 0.6, 0.6, 0.3, 0.3, 0.3])
    return system, start


def loses_energy(system, start, until, backend):
    system.realize(start, mb.Stage.VELOCITY)
    final = mb.Simulation(system, integrator="velocity_level", step=5e-3, backend=backend).run(start, until).final_state
    system.realize(final, mb.Stage.VELOCITY)
    return system.energy(final) < system.energy(start)


@pytest.mark.fast("36")
@pytest.mark.parametrize("seed", [12, 36])
def test_two_boxes_that_tumble_on_each_other(seed):
    """Their corners are not quite in a plane after a step, so that one of them must open."""
    assert loses_energy(*tumbling_stack(2, seed), until=0.1, backend="interpreted")


def test_boxes_at_rest_on_each_other_press_on_all_corners_in_each_step():
    """Rates of round-off neither leave corners out of a step nor count as hits, with which the count of steps begins again."""
    system, _ = tumbling_stack(3, 0)
    run = mb.Simulation(system, integrator="velocity_level", step=1e-3, backend="interpreted").start(system.realize_topology())

    run.step(0.02)

    for contact in system.matter.constraints:
        assert sorted(contact.engaged_steps(run.state)) == [0] * 4 + [20] * 4  # of each box the lower corners


@pytest.mark.fast("3-0.03")
@pytest.mark.parametrize(("n_boxes", "until"), [(3, 0.03), (10, 10.0)])
def test_boxes_at_rest_on_each_other_do_not_move(n_boxes, until):
    """Round-off of the heights, of up to 2 m, is 4e-16 m; what each step leaves of the speeds does not add up."""
    system, _ = tumbling_stack(n_boxes, 0)
    start = system.realize_topology()
    simulation = mb.Simulation(system, integrator="velocity_level", step=1e-3, backend="interpreted" if until < 1 else "compiled")

    final = simulation.run(start, until, report_every=until).final_state

    assert_allclose(final.q, start.q, rtol=0, atol=1e-14)


def test_boxes_at_rest_on_each_other_keep_their_forces_from_step_to_step():
    """A step starts from the mean forces of the last one, which are a solution, though round-off of times, 1e-16 s, changes its length by
    1e-13. New solutions, which differ by their round-off, are for what adds up in ten steps and more.
    """
    system, _ = tumbling_stack(2, 0)
    run = mb.Simulation(system, integrator="velocity_level", step=1e-3, backend="interpreted").start(system.realize_topology())
    lowest = system.matter.constraints[0].name
    run.step(1.0)

    forces = []
    for _ in range(50):
        run.step(1e-3)
        forces.append(run[f"{lowest}.normal_force"])
    changes = np.abs(np.diff(forces, axis=0)).max(axis=1) / np.max(forces)

    assert np.mean(changes <= 1e-15) > 0.9  # two roundings, by the length of the step and back


@pytest.mark.slow
@pytest.mark.parametrize(("n_boxes", "n_stacks"), [(5, 30), (8, 30), (10, 12)])
def test_stacks_of_boxes_tumble(n_boxes, n_stacks):
    for seed in range(n_stacks):
        assert loses_energy(*tumbling_stack(n_boxes, seed), until=2.0, backend="compiled")


@pytest.mark.fast(1)
@pytest.mark.parametrize("mu", [0.0, 0.5])
def test_a_box_rests_beside_a_body_that_falls(mu):
    """The rows of its corners are redundant; round-off of its speeds is no contradiction, however fast other bodies are."""
    system = mb.MultibodySystem("two")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=9.81)
    box = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.box(mass=1.0, size=[0.2, 0.2, 0.1])), name="box")
    mb.RigidContact(matter.ground, mb.contact.HalfSpace(), box, mb.contact.Box([0.1, 0.1, 0.05]), static_friction=mu)
    ball = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.sphere(mass=1.0, radius=0.1)), name="ball")
    state = system.realize_topology()
    box.set_q(state, [1, 0, 0, 0, 0, 0, 0.05])
    ball.set_q(state, [1, 0, 0, 0, 1, 0, 5])

    final = mb.Simulation(system).run(state, until=0.5).final_state

    assert_allclose(box.q(final), [1, 0, 0, 0, 0, 0, 0.05], atol=1e-12)
    assert_allclose(ball.u(final)[5], -9.81 * 0.5, rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("gap", "force"), [(0.0, 3.3), (1e-6, 6.0)])
def test_a_gripped_box_holds_in_fixed_steps_though_it_could_turn_on_few_corners(gap, force):
    """2 mu F exceeds m g. Where two corners alone would press, at the same normal force, the box would turn about them."""
    system = mb.MultibodySystem("gripped")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=G)
    box = mb.Free(matter.ground, mb.MassProperties(0.4, [0, 0, 0], mb.Inertia.box(mass=0.4, size=[0.06] * 3)), name="box")
    for R in (np.eye(3), mb.spatial.rotation_z(np.pi)):
        finger = mb.Slider(matter.ground, mb.MassProperties.point(mass=0.1, p=[0, 0, 0]), Transform(R, R @ [-0.03 - gap, 0, 0]))
        pad = HalfSpace.frame(normal=[1, 0, 0])
        mb.RigidContact(finger, HalfSpace(), box, Box([0.03] * 3), X_B1S1=pad, static_friction=0.6)
        mb.MobilityForce(forces, finger, force=force)

    final = mb.Simulation(system, integrator="velocity_level", step=1e-3).run(system.realize_topology(), 0.1).final_state

    assert_allclose(box.u(final), 0, atol=1e-9)
    assert_allclose(box.q(final)[4:], 0, atol=2e-5)  # it falls for the first step, in which the pads do not touch it


@pytest.mark.slow
@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_bodies_without_a_common_contact_move_as_alone(mu):
    """In fixed steps: a ball that begins to roll, one that spins, one that falls on the floor."""
    together = side_by_side((0, 1, 2), mu)

    for number in range(3):
        alone = side_by_side((number,), mu)
        for name in (f"body{number}.q", f"body{number}.u", f"floor{number}.normal_force", f"floor{number}.friction_force"):
            assert_allclose(together[name], alone[name], rtol=1e-9, atol=1e-10, err_msg=name)


def side_by_side(numbers, mu):
    system = mb.MultibodySystem("side_by_side")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=G)
    bodies = []
    for number in numbers:
        body = mb.Free(matter.ground, mb.MassProperties(1.0 + number, [0, 0, 0], 0.01 * np.eye(3)), name=f"body{number}")
        mb.RigidContact(matter.ground, HalfSpace(), body, Sphere(0.1), static_friction=mu, name=f"floor{number}")
        bodies.append(body)
    state = system.realize_topology()
    for number, body in zip(numbers, bodies, strict=True):
        body.set_q(state, [1, 0, 0, 0, number, 0, 0.1 + (0.02 if number == 2 else 0)])
        body.set_u(state, ([0, 0, 0, 1, 0, 0], [0, 3, 1, 0.5, 0, 0], [0, 0, 0, 0, 0.3, 0])[number])
    return mb.Simulation(system, integrator="velocity_level", step=2e-3, backend="interpreted").run(state, 0.2, report_every=0.01)
