"""Logs on logs: where the nearest points of two capsules pass the end of a straight part, the contact goes on, against closed forms."""

import numpy as np
import pytest
import scipy

import mobod as mb
from mobod.contact import Capsule
from mobod.errors import IntegrationError
from mobod.spatial import Transform, rotation_x, rotation_y, rotation_z
from mobod.spatial.rotation import to_quaternion

G, R1, R2, HALF_LENGTH, SPEED = 9.81, 0.06, 0.04, 0.2, 0.5  # m/s^2, m, m/s
R = R1 + R2
STICK, SLIP = 1, 2
LAID = rotation_y(np.pi / 2)  # the axis of a log along x


def logs(n, friction, restitution=0.0):
    """(system, bodies, contacts): a fixed log along x, and others that lie on each other, each of radius R2."""
    system = mb.MultibodySystem("logs")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=G)
    properties = mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.cylinder(mass=1.0, radius=R2, length=0.3, axis="z"))
    bodies, contacts = [matter.ground], []
    for i in range(n):
        body = mb.Free(matter.ground, properties, name=f"log_{i}")
        below = Capsule(R2, 0.1) if i else Capsule(R1, HALF_LENGTH)
        X = Transform() if i else Transform(LAID)
        coefficients = {"static_friction": friction, "restitution": restitution}
        contacts.append(mb.RigidContact(bodies[-1], below, body, Capsule(R2, 0.1), X_B1S1=X, name=f"contact_{i}", **coefficients))
        bodies.append(body)
    return system, bodies[1:], contacts


def log_that_goes_over_an_end(friction):
    """(system, start, contact): a log across a fixed one, that moves along it over its end; it rolls, if there is friction."""
    system, (log,), (contact,) = logs(1, friction)
    start = system.realize_topology()
    log.set_q(start, [*to_quaternion(rotation_x(np.pi / 2)), 0, 0, R])
    log.set_u(start, [0, SPEED / R2 if friction else 0.0, 0, SPEED, 0, 0])
    return system, start, contact


def end_of_contact(friction):
    """(time, angle) at which it leaves, or begins to slip.

    At the angle a on the end v^2 = v0^2 + 2 g R (1 - cos a) / k, where k is 3/2 of a rolling cylinder, else 1; the normal force is
    m (g cos a - v^2 / R), and friction m g sin(a) / 3.
    """
    k = 1.5 if friction else 1.0

    def square(a):
        return SPEED**2 + 2 * G * R * (1 - np.cos(a)) / k

    def margin(a):
        normal = G * np.cos(a) - square(a) / R
        return friction * normal - G * np.sin(a) / 3 if friction else normal

    angle = scipy.optimize.brentq(margin, 0, 1.5, xtol=1e-14)
    return HALF_LENGTH / SPEED + scipy.integrate.quad(lambda a: R / np.sqrt(square(a)), 0, angle)[0], angle


@pytest.mark.fast("0.6-RK45", "0.0-Rodas5P")
@pytest.mark.parametrize("integrator", ["RK45", "DOP853", "Rodas5P"])
@pytest.mark.parametrize("friction", [0.0, 0.6])
def test_a_log_goes_over_the_end_of_another_one(friction, integrator):
    system, start, _ = log_that_goes_over_an_end(friction)
    time, angle = end_of_contact(friction)
    results = mb.Simulation(system, accuracy=1e-8, integrator=integrator, backend="interpreted").run(start, 0.6, report_every=0.02)

    event = results.events[0]
    assert event.name == (
        "contact_0.crossing.friction" if friction else "contact_0.crossing"
    )  # none before, at the end of the straight part
    assert event.time == pytest.approx(time, abs=1e-7)  # 10 times the accuracy
    assert event.y_before[4:7] == pytest.approx([HALF_LENGTH + R * np.sin(angle), 0, R * np.cos(angle)], abs=1e-7)
    before = results.time < time
    assert np.min(results["contact_0.distance"]) > -1e-10
    modes, energies = results["contact_0.mode"][before], [energy(system, state) for state in results.states()]
    assert (modes[:, 4] == (STICK if friction else SLIP)).all()
    assert not modes[:, :4].any()
    kept = len(energies) if friction == 0 else int(before.sum())
    assert np.ptp(energies[:kept]) < 1e-7


def energy(system, state):
    system.realize(state, mb.Stage.VELOCITY)
    return system.energy(state)


@pytest.mark.fast(0.6)
@pytest.mark.parametrize("friction", [0.0, 0.6])
def test_fixed_steps_and_ensembles_take_a_log_over_the_end(friction):
    system, start, _ = log_that_goes_over_an_end(friction)
    options = {"until": 0.6, "report_every": 0.1}
    exact = mb.Simulation(system, accuracy=1e-8, backend="interpreted").run(start, **options)["log_0.q"]
    stepped = mb.Simulation(system, integrator="velocity_level", step=5e-4, backend="interpreted").run(start, **options)
    together = mb.Ensemble(system, [start, start], outputs=["log_0.q"], accuracy=1e-8, threads=1, backend="interpreted").run(**options)

    assert stepped["log_0.q"] == pytest.approx(exact, abs=6 * 5e-4)  # of first order; measured 2e-3
    assert np.min(stepped["contact_0.distance"]) > -1e-4  # the tolerance of contacts
    for member in together["log_0.q"]:
        assert member == pytest.approx(exact, abs=1e-7)


# friction, yaw and pitch of the log in rad, its spin about the vertical and its speed along the fixed one
THROUGH_PARALLEL = {
    "slides off": (0.0, 0.0, 0.0, 0.0, 0.5),
    "slides off with friction": (0.4, 0.0, 0.0, 0.0, 1.5),
    "turns from parallel": (0.0, 0.0, 0.0, 2.0, 0.0),
    "turns through parallel": (0.0, -0.3, 0.0, 2.0, 0.0),
    "turns and slides": (0.0, -0.1, 0.0, 1.0, 0.4),
    "turns with friction": (0.3, -0.3, 0.0, 2.0, 0.2),
}


@pytest.mark.fast("turns and slides")
@pytest.mark.parametrize("name", THROUGH_PARALLEL)
def test_parallel_logs_hand_their_contact_from_the_ends_to_the_nearest_points_and_back(name):
    friction, yaw, pitch, spin, speed = THROUGH_PARALLEL[name]
    system, (log,), _ = logs(1, friction)
    start = system.realize_topology()
    log.set_q(start, [*to_quaternion(rotation_z(yaw) @ rotation_y(np.pi / 2 + pitch)), 0, 0, R])
    log.set_u(start, [0, 0, spin, speed, 0, 0])
    results = mb.Simulation(system, accuracy=1e-6, backend="interpreted").run(start, 0.8, report_every=0.02)

    distance, pressed = np.min(results["contact_0.distance"], axis=1), np.sum(results["contact_0.normal_force"], axis=1)
    assert np.min(distance) > -1e-10
    before = results.time < 0.1
    assert np.max(distance[before]) < 1e-10  # it does not hop
    assert np.min(pressed[before][1:]) > 8  # N, of a weight of 9.81 N; friction tilts a log that turns
    energies = np.array([energy(system, state) for state in results.states()])
    assert np.max(np.diff(energies)) < 1e-5  # J, 10 times the accuracy
    assert friction or np.ptp(energies) < 1e-5


@pytest.mark.fast("1e-08-SI", "0.0001-of the logs")
@pytest.mark.parametrize("scales", [{}, dict.fromkeys(("length_scale", "time_scale", "mass_scale"), 1.0)], ids=["of the logs", "SI"])
@pytest.mark.parametrize("accuracy", [1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9])
def test_logs_turn_through_parallel_at_each_accuracy(accuracy, scales):
    """The nearest points run along the logs as these become parallel, and their row is held beyond: it must not jump there."""
    friction, yaw, pitch, spin, speed = THROUGH_PARALLEL["turns and slides"]
    system, (log,), _ = logs(1, friction)
    start = system.realize_topology()
    log.set_q(start, [*to_quaternion(rotation_z(yaw) @ rotation_y(np.pi / 2 + pitch)), 0, 0, R])
    log.set_u(start, [0, 0, spin, speed, 0, 0])
    results = mb.Simulation(system, accuracy=accuracy, backend="interpreted", **scales).run(start, 0.8, report_every=0.05)

    assert np.min(results["contact_0.distance"]) > -1e-10
    assert len(results.events) <= 8  # ends, nearest points, ends: no event is repeated by round-off
    energies = [energy(system, state) for state in results.states()]
    assert np.ptp(energies) < 10 * accuracy  # J


SHARE_OF_SINKING = 0.05  # of a normal force: (spin x 0.1 m)^2 / (R g), by which the log sinks and presses less


@pytest.mark.fast("1e-07-0.0", "1e-09-0.3")
@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("accuracy", [1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9])
def test_a_log_spins_on_another_one_from_parallel_at_each_accuracy(accuracy, friction):
    """It keeps its place and its spin; the last place of its pitch moves the nearest points by 1e-7 m where the angle is 1e-5 rad."""
    spin = 2.0
    system, (log,), _ = logs(1, friction)
    start = system.realize_topology()
    log.set_q(start, [*to_quaternion(rotation_y(np.pi / 2)), 0, 0, R])
    log.set_u(start, [0, 0, spin, 0, 0, 0])
    results = mb.Simulation(system, accuracy=accuracy, backend="interpreted").run(start, 0.7, report_every=0.05)

    assert [each.name for each in results.events] == ["contact_0.second_end_0", "contact_0.second_end_1", "contact_0.crossing"]
    while_along = 1e-5 / spin  # s: up to an angle of 1e-5 rad the ends touch, with friction at 0.1 m from the axis
    slowed = friction * G * 0.1 / (R2**2 / 4 + 0.3**2 / 12) * while_along
    expected = [*to_quaternion(rotation_z(spin * 0.7 - slowed * (0.7 - while_along / 2)) @ rotation_y(np.pi / 2)), 0, 0, R]
    sinks = SHARE_OF_SINKING * slowed * 0.7
    assert results["log_0.q"][-1] == pytest.approx(expected, abs=10 * accuracy + sinks)


def test_a_log_that_sticks_beside_the_middle_is_as_accurate_as_its_nearest_points_or_ends_with_an_error_that_names_them():
    """Where the angle is 1e-5 rad, the last place of the pitch moves the nearest points by 1e-7 m: so the speed of the contact changes."""
    system, (log,), _ = logs(1, 0.3)
    start = system.realize_topology()
    log.set_q(start, [*to_quaternion(rotation_y(np.pi / 2)), 0.03, 0, R])
    log.set_u(start, [0, 0, 2.0, 0, 0, 0])
    coarse, fine = (mb.Simulation(system, accuracy=each, backend="interpreted").run(start, 0.3) for each in (1e-5, 1e-7))
    assert coarse.final_state.q == pytest.approx(fine.final_state.q, abs=1e-4)  # 10 times the accuracy
    with pytest.raises(
        IntegrationError, match=r"'contact_0' changes .* m/s after a step.*capsules that lie nearly along each other.*larger"
    ):
        mb.Simulation(system, accuracy=1e-9, backend="interpreted").run(start, 0.3)


@pytest.mark.slow
@pytest.mark.parametrize("accuracy", [1e-4, 1e-6, 1e-8])
def test_a_log_that_tips_over_an_end_has_no_event_twice(accuracy):
    """The nearest points are those of the end that is held before them."""
    friction, _, _, _, speed = THROUGH_PARALLEL["slides off"]
    system, (log,), _ = logs(1, friction)
    start = system.realize_topology()
    log.set_q(start, [*to_quaternion(rotation_y(np.pi / 2)), 0, 0, R])
    log.set_u(start, [0, 0, 0, speed, 0, 0])
    results = mb.Simulation(system, accuracy=accuracy, backend="interpreted").run(start, 0.8)
    assert len(results.events) <= 8


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(25))
def test_logs_thrown_on_logs_do_not_overlap_nor_gain_energy(seed):
    rng = np.random.default_rng(seed)
    system, bodies, contacts = logs(2, friction=[0.0, 0.5][seed % 2], restitution=[0.0, 0.3, 0.0][seed % 3])
    start, height = system.realize_topology(), R1 - R2
    for body in bodies:
        height += 2 * R2 + rng.uniform(0.06, 0.1)  # they do not overlap at the start
        turned = scipy.spatial.transform.Rotation.from_euler("ZY", [rng.uniform(-np.pi, np.pi), np.pi / 2 + rng.uniform(-0.15, 0.15)])
        body.set_q(start, [*to_quaternion(turned.as_matrix()), rng.uniform(-0.1, 0.1), rng.uniform(-0.01, 0.01), height])
        body.set_u(start, [*rng.normal(size=3), *rng.uniform(-0.5, 0.5, 2), 0])
    results = mb.Simulation(system, accuracy=1e-7, backend="interpreted").run(start, 0.8, report_every=0.01)

    assert all(np.min(results[f"{each.name}.distance"]) > -1e-8 for each in contacts)  # of 0.1 m
    assert results.events  # they have met
    assert np.max(np.diff([energy(system, state) for state in results.states()])) < 1e-6  # J, of 5 J; 10 times the accuracy


@pytest.mark.fast("across")
@pytest.mark.parametrize(
    ("yaw", "pitch", "spin"), [(np.pi / 2, 0, 0), (0.3, 0, 0), (0, 0.001, 0), (0, 0, 2)], ids=["across", "askew", "along", "turns"]
)
def test_a_compliant_log_keeps_its_energy_over_the_end_and_while_it_turns(yaw, pitch, spin):
    system = mb.MultibodySystem("logs")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=G)
    inertia = mb.Inertia.cylinder(mass=1.0, radius=R2, length=0.3, axis="z")
    log = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], inertia), name="log")
    shapes = (matter.ground, Capsule(R1, HALF_LENGTH), log, Capsule(R2, 0.1))
    mb.CompliantContact(forces, *shapes, material1=mb.ContactMaterial(1e5), X_B1S1=Transform(LAID), name="contact")
    start = system.realize_topology()
    log.set_q(start, [*to_quaternion(rotation_z(yaw) @ rotation_y(np.pi / 2 + pitch)), 0, 0, R - 2e-4])
    log.set_u(start, [0, 0, spin, SPEED, 0, 0])
    simulation = mb.Simulation(system, accuracy=1e-8, integrator="RK45", backend="interpreted")  # the force is not smooth
    results = simulation.run(start, 0.6, report_every=0.02)

    assert np.max(results["contact.normal_force"]) > 5  # N
    assert np.ptp([energy(system, state) for state in results.states()]) < 1e-6  # J; 0.4 J move
