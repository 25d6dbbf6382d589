"""Impacts of several rows at once and within closed loops, compared with the laws of mechanics."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad

import mobod as mb
from mobod.spatial import cross
from tests.reference.stops import HalfPlanes

simulation = partial(mb.Simulation, accuracy=1e-10)
GRAVITY = 9.81


def run(system, state, until, **options):
    results = simulation(system, **options).run(state, until)
    system.realize(results.final_state, mb.Stage.ACCELERATION)
    return results


def in_a_plane(name):
    """(system, matter) with gravity along -y."""
    system = mb.MultibodySystem(name)
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=GRAVITY)
    return system, matter


@dataclass(frozen=True)
class Feet(mb.ConstraintEquations):
    """Heights above y = 0 of points of a planar body, (x, y) in its frame; coordinates (angle, x, y)."""

    points: tuple[tuple[float, float], ...]

    @property
    def position_units(self):
        return ("m",) * len(self.points)

    def position_errors(self, motion):
        angle, _, height = motion.q[0]
        return np.array([height + np.sin(angle) * x + np.cos(angle) * y for x, y in self.points])


@dataclass(frozen=True)
class EdgeDoesNotSlide(mb.ConstraintEquations):
    """Velocity of an edge along itself, which is the same for all its points, including the one about which it turns."""

    point: tuple[float, float, float]

    velocity_units = ("m/s",)

    def velocity_errors(self, motion):
        p, edge = motion.X[1].R @ np.array(self.point), motion.X[1].R @ np.array([1.0, 0.0, 0.0])
        return np.array([edge @ (motion.V[1][3:] + cross(motion.V[1][:3], p))])


def block(width, height, mass):
    """(system, block, corners)"""
    system, matter = in_a_plane("block")
    box = mb.MassProperties(mass, [0, 0, 0], mb.Inertia.box(mass=mass, size=[width, height, width]))
    body = mb.Planar(matter.ground, box, name="block")
    points = Feet(((-width / 2, -height / 2), (width / 2, -height / 2)))
    return system, body, mb.UnilateralConstraint(points, mobilizers=[body], name="corners")


def test_a_rocking_block_matches_the_energy_loss_and_period_of_housner():
    """Housner, BSSA 53 (1963): turning without sliding about one corner, then the other; w+ / w- = 1 - 3/2 sin^2 alpha."""
    width, height, mass, angle = 0.1, 0.5, 1.7, 0.11
    system, body, _ = block(width, height, mass)
    mb.CustomConstraint(EdgeDoesNotSlide((0.0, -height / 2, 0.0)), bodies=[system.matter.ground, body], name="edge")
    state = system.realize_topology()
    body.set_q(state, [angle, 0.0, np.sin(angle) * width / 2 + np.cos(angle) * height / 2])
    alpha, radius = np.arctan2(width, height), np.hypot(width, height) / 2
    ratio = 1 - 1.5 * np.sin(alpha) ** 2
    squared = 3 * GRAVITY / (2 * radius)  # w^2 = squared (cos(alpha - top) - cos(alpha - angle))

    def quarter(top):
        """s, from rest at an angle down to 0; the singular speed at the top is substituted away by angle = top (1 - s^2)."""

        def integrand(s):
            angle = top * (1 - s * s)
            return 2 * top * s / np.sqrt(squared * (np.cos(alpha - top) - np.cos(alpha - angle)))

        return quad(integrand, 0, 1, epsabs=1e-13, epsrel=1e-13)[0]

    tops = [angle]
    for _ in range(3):  # the remaining energy determines the height of each swing
        tops.append(alpha - np.arccos(np.cos(alpha) + ratio**2 * (np.cos(alpha - tops[-1]) - np.cos(alpha))))
    quarters = [quarter(top) for top in tops]
    times = [quarters[0], quarters[0] + 2 * quarters[1], quarters[0] + 2 * quarters[1] + 2 * quarters[2]]

    results = run(system, state, times[-1] + 0.01)
    impacts = [event for event in results.events if event.direction < 0]

    assert_allclose([event.time for event in impacts], times, rtol=1e-8)
    assert [event.name for event in impacts] == ["corners.contact_1", "corners.contact_0", "corners.contact_1"]
    for event in impacts:
        assert_allclose(event.y_after[3] / event.y_before[3], ratio, rtol=1e-8)


def test_a_frictionless_block_keeps_turning_about_both_corners():
    """For corners at +-a: w+ / w- = (I - m a^2) / (I + m a^2), if I > m a^2."""
    width, height, mass = 0.1, 0.5, 1.7
    system, body, _ = block(width, height, mass)
    state = system.realize_topology()
    body.set_q(state, [0.11, 0.0, np.sin(0.11) * width / 2 + np.cos(0.11) * height / 2])
    inertia, other = mass * (width**2 + height**2) / 12, mass * width**2 / 4

    results = run(system, state, 0.5)

    first = results.events[0]
    assert_allclose(first.y_after[3] / first.y_before[3], (inertia - other) / (inertia + other), rtol=1e-8)


def test_rocking_with_increasing_frequency_comes_to_rest():
    """Without friction each impact leaves 0.79 of the speed: infinitely many within 0.9 s."""
    width, height, mass = 0.1, 0.5, 1.7
    system, body, corners = block(width, height, mass)
    state = system.realize_topology()
    body.set_q(state, [0.11, 0.0, np.sin(0.11) * width / 2 + np.cos(0.11) * height / 2])

    results = run(system, state, 2.0)
    final = results.final_state

    assert 20 < len(results.events) < 100
    assert max(event.time for event in results.events) < 0.9
    assert_allclose(corners.contact_forces(final), mass * GRAVITY / 2, rtol=1e-9)
    assert_allclose(body.q(final)[[0, 2]], [0, height / 2], atol=1e-10)
    assert_allclose(body.u(final), 0, atol=1e-10)


def test_a_plank_on_twenty_feet_comes_to_rest_and_stays_at_rest():
    """All but two rows of the feet are redundant; the held rows carry the weight and its moment."""
    length, mass = 1.4, 2.3
    system, matter = in_a_plane("plank")
    plank = mb.MassProperties(mass, [0, 0, 0], mb.Inertia.box(mass=mass, size=[length, 0.02, 0.1]))
    body = mb.Planar(matter.ground, plank, name="plank")
    places = np.linspace(-length / 2, length / 2, 20)
    feet = mb.UnilateralConstraint(Feet(tuple((float(x), 0.0) for x in places)), mobilizers=[body], name="feet")
    state = system.realize_topology()
    body.set_q(state, [0.2, 0.0, 0.4])

    results = run(system, state, 5.0)
    final = results.final_state
    forces = feet.contact_forces(final)

    settled = max(event.time for event in results.events)
    assert settled < 2.0
    assert len(results.events) < 100
    assert_allclose(feet.distances(final), 0, atol=1e-11)  # the constraint tolerance
    assert (forces >= 0).all()
    assert_allclose([forces.sum(), forces @ places], [mass * GRAVITY, 0.0], atol=1e-8)
    assert_allclose(body.u_dot(final), 0, atol=1e-9)


@pytest.mark.slow
def test_twenty_stacked_masses_come_to_rest_and_carry_the_weight_above():
    rng = np.random.default_rng(5)
    masses, gaps = rng.uniform(0.5, 2.0, 20), rng.uniform(0.01, 0.05, 20)
    system = mb.MultibodySystem("stack")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[-1, 0, 0], magnitude=GRAVITY)
    below, sliders = matter.ground, []
    for i, mass in enumerate(masses):
        below = mb.Slider(below, mb.MassProperties(float(mass), [0, 0, 0], 0.1 * np.eye(3)), name=f"mass{i}")
        below.set_limits(lower=0.0)
        sliders.append(below)
    state = system.realize_topology()
    state.q = gaps

    results = run(system, state, 1.0)
    final = results.final_state

    assert_allclose(final.q, 0, atol=1e-11)
    assert [slider.engaged(final)[0] for slider in sliders] == [1] * 20
    forces = [slider.limit_force(final)[0] for slider in sliders]
    assert_allclose(forces, GRAVITY * np.cumsum(masses[::-1])[::-1], rtol=1e-9)
    assert_allclose(results.events[0].time, np.sqrt(2 * gaps[0] / GRAVITY), rtol=1e-9)  # the lowest one is the first impact


def four_bar_with_arm(restitution):
    """Crank, coupler with a pendulum on it, rocker, closed by a ball joint that is redundant across the plane; a stop on the rocker."""
    system, matter = in_a_plane("four_bar")

    def bar(parent, at, length, mass, name):
        inertia = mb.Inertia.cylinder(mass=mass, radius=0.02, length=length, axis="x").shifted([length / 2, 0, 0])
        return mb.Pin(parent, mb.MassProperties(mass, [length / 2, 0, 0], inertia), X_PF=mb.Transform(p=at), name=name)

    crank = bar(matter.ground, [0, 0, 0], 0.5, 1.1, "crank")
    coupler = bar(crank, [0.5, 0, 0], 0.9, 1.4, "coupler")
    rocker = bar(matter.ground, [1.0, 0, 0], 0.6, 0.8, "rocker")
    arm = bar(coupler, [0.4, 0, 0], 0.3, 0.5, "arm")
    mb.BallConstraint(coupler, [0.9, 0, 0], rocker, [0.6, 0, 0], name="loop")
    rocker.set_limits(1.2, np.inf, restitution)
    state = system.realize_topology()
    crank.set_q(state, 1.4)
    coupler.set_q(state, -1.2)
    rocker.set_q(state, 1.5)
    arm.set_q(state, -0.7)
    return system, mb.Assembler(system).assemble(state), rocker


@pytest.mark.fast(2)
@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
def test_a_stop_in_a_closed_loop_loses_the_expected_energy(restitution):
    system, state, rocker = four_bar_with_arm(restitution)

    event = next(event for event in run(system, state, 0.41).events if event.name == "rocker.lower_limit")
    before, after = state.copy(), state.copy()
    for each, y in ((before, event.y_before), (after, event.y_after)):
        each.y = y
        system.realize(each, mb.Stage.DYNAMICS)
    matter = system.matter
    M_inverse, G = matter.mass_matrix_inverse(before), matter.constraint_matrix(before)
    within = M_inverse - M_inverse @ G.T @ np.linalg.pinv(G @ M_inverse @ G.T, rcond=1e-10) @ G @ M_inverse
    N = np.zeros(len(within))
    rocker.my_part_u(before, N)[:] = 1.0
    speed = N @ before.u

    assert speed < -0.1
    assert_allclose(N @ after.u, -restitution * speed, atol=1e-10)
    assert_allclose(matter.constraint_velocity_errors(after), 0, atol=1e-10)  # the loop stays closed
    lost = 0.5 * (1 - restitution**2) * speed**2 / (N @ within @ N)
    assert_allclose(system.kinetic_energy(before) - system.kinetic_energy(after), lost, rtol=1e-9, atol=1e-9)


@pytest.mark.filterwarnings("ignore:.*too fast to tell their order:mobod.MobodWarning")  # unknown in a corner of three planes
@pytest.mark.slow
def test_an_impact_of_several_rows_never_gains_energy():
    """Newton's law for two simultaneous rows can gain energy: a particle driven into an acute wedge, one side of which has no
    restitution.
    """
    rng = np.random.default_rng(11)
    for _ in range(12):
        system = mb.MultibodySystem("wedge")
        matter = mb.MatterSubsystem(system)
        inertia = mb.MassProperties(1.0, [0, 0, 0], np.eye(3))
        particle = mb.Translation(matter.ground, inertia, name="particle")
        angles = rng.uniform(0.3, 2.8, 2)
        for k, (angle, restitution) in enumerate(zip((0.0, *angles), rng.uniform(0, 1, 3), strict=True)):
            planes = HalfPlanes(((float(-np.sin(angle)), float(np.cos(angle))),))
            mb.UnilateralConstraint(planes, mobilizers=[particle], restitution=float(restitution), name=f"side{k}")
        state = system.realize_topology()
        particle.set_u(state, rng.normal(size=3))
        system.realize(state, mb.Stage.VELOCITY)
        before = system.kinetic_energy(state)

        final = run(system, state, 0.1, backend="interpreted").final_state  # each would compile its own kinds

        assert system.kinetic_energy(final) <= before * (1 + 1e-12)
        for constraint in matter.constraints:
            assert constraint.distances(final)[0] >= -1e-10


@dataclass(frozen=True)
class HeightOfStation(mb.ConstraintEquations):
    """Height above y = 0 of a station of the second body, the first being Ground."""

    station: tuple[float, float, float]

    position_units = ("m",)

    def position_errors(self, motion):
        return np.array([motion.X[1].apply(np.array(self.station))[1]])


def test_the_impulse_at_a_corner_matches_the_effective_inertia_there():
    """1 / impulse = (n M^-1 n) / (1 + e) / speed, with 1 / m + (r x n) I^-1 (r x n) of the corner r."""
    system, matter = in_a_plane("corner")
    mass, size = 1.9, np.array([0.3, 0.2, 0.5])
    box = mb.MassProperties(mass, [0, 0, 0], mb.Inertia.box(mass=mass, size=size))
    body = mb.Free(matter.ground, box, name="box")
    corner = mb.UnilateralConstraint(HeightOfStation(tuple(-size / 2)), [matter.ground, body], restitution=0.4, name="corner")
    state = system.realize_topology()
    body.set_q_to_fit_translation(state, [0, 1.0, 0])
    body.set_u(state, [0.3, -0.2, 0.5, 0.1, 0.0, -0.3])

    event = run(system, state, 0.5, backend="interpreted").events[0]
    before, after = state.copy(), state.copy()
    for each, y in ((before, event.y_before), (after, event.y_after)):
        each.y = y
        system.realize(each, mb.Stage.VELOCITY)
    R = body.X_GB(before).R
    arm = np.cross(R @ (-size / 2), [0, 1, 0])
    inverse = 1 / mass + arm @ R @ np.linalg.inv(box.inertia) @ R.T @ arm
    speed = corner.velocity_errors(before)[0]

    assert speed < -2
    assert_allclose(corner.velocity_errors(after), -0.4 * speed, rtol=1e-9)
    assert_allclose(mass * (body.V_GB(after) - body.V_GB(before))[3:], [0, -1.4 * speed / inverse, 0], atol=1e-9)


def bounces_in_wedge(normals, restitutions, p, v):
    """(velocity, time) after the last impact of a particle in a wedge with its apex at the origin, or after 2000 of them."""
    time = 0.0
    for _ in range(2000):
        rates, distances = normals @ v, normals @ p
        if (rates >= 0).all():
            break
        ahead = np.array([-d / w if w < 0 else np.inf for d, w in zip(distances, rates, strict=True)])
        first = int(np.argmin(ahead))
        time, p = time + ahead[first], p + ahead[first] * v
        v = v - (1 + restitutions[first]) * rates[first] * normals[first]
        p = p - (normals[first] @ p) * normals[first]
    return v, time


def particle_between_two_planes(angle, restitutions, p, v):
    """(system, state, normals): the x axis, and a line at an angle to it."""
    system = mb.MultibodySystem("wedge")
    matter = mb.MatterSubsystem(system)
    particle = mb.Translation(matter.ground, mb.MassProperties(1.3, [0, 0, 0], np.eye(3)), name="particle")
    normals = np.array([[0.0, 1.0], [np.sin(angle), -np.cos(angle)]])
    for number, (normal, restitution) in enumerate(zip(normals.tolist(), restitutions, strict=True)):
        mb.UnilateralConstraint(HalfPlanes((tuple(normal),)), mobilizers=[particle], restitution=restitution, name=f"side{number}")
    state = system.realize_topology()
    particle.set_q(state, [*p, 0.0])
    particle.set_u(state, [*v, 0.7])
    return system, state, normals


@pytest.mark.parametrize("accuracy", [1e-6, 1e-12])
def test_a_particle_bouncing_between_two_planes_comes_to_rest_in_their_corner(accuracy):
    """Each pair of impacts keeps 0.95 of the speed and a third of the distance: infinitely many impacts within 0.9 s end at rest."""
    restitutions, p, v = (0.8, 0.3), np.array([1.0, 0.05]), np.array([-1.1, 0.4])
    system, state, normals = particle_between_two_planes(0.1, restitutions, p, v)
    _, end = bounces_in_wedge(normals, restitutions, p, v)

    results = run(system, state, 2.0, accuracy=accuracy, backend="interpreted")

    before = results.events[-1].y_before[3:5]
    assert np.linalg.norm(before) > 0.1  # m/s: still fast when impacts are too close to be resolved
    assert_allclose(results.events[-1].time, end, atol=2 * accuracy)  # a tenth of the accuracy divided by a tenth of the speed
    assert_allclose(results.final_state.u, [0, 0, 0.7], atol=1e-12)
    assert_allclose(results.final_state.q[:2], 0, atol=10 * accuracy)  # the tolerance of a distance, in a wedge of 0.1 rad


@pytest.mark.fast(1)
@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e-12])
def test_the_velocity_after_a_wedge_does_not_depend_on_the_distance_from_the_apex(scale):
    """In a wider wedge or with higher restitution the sequence of impacts is finite; at a small scale all impacts are simultaneous."""
    for angle, restitutions in ((0.9, (0.8, 0.3)), (0.31, (1.0, 1.0)), (0.2, (1.0, 0.95))):
        p, v = np.array([1.0, 0.3 * angle]), np.array([-0.5, -1.0])  # it approaches only the first plane
        system, state, normals = particle_between_two_planes(angle, restitutions, scale * p, v)
        expected, _ = bounces_in_wedge(normals, restitutions, p, v)

        final = run(system, state, 6.0, accuracy=1e-8, backend="interpreted").final_state

        assert (normals @ expected > 0.01).all()
        assert_allclose(final.u[:2], expected, atol=1e-9)
