"""Moments of friction at contacts: against spin and against rolling, under error control and in fixed steps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.contact import Box, HalfSpace, Sphere
from mobod.ensembles import Ensemble
from mobod.errors import InputError

STEP, GRAVITY, RADIUS = 1e-3, 9.81, 0.1
FIXED = {"integrator": "velocity_level", "step": STEP}
SCHEMES = [{"accuracy": 1e-9}, FIXED, FIXED | {"constraints_at": "begin"}]


def world():
    system = mb.MultibodySystem("moments")
    matter = mb.MatterSubsystem(system)
    return system, matter, mb.ForceSubsystem(system)


def ball_on_floor(mass=1.5, slope=0.0, **friction):
    system, matter, forces = world()
    mb.Gravity(forces, matter, down=[np.sin(slope), 0, -np.cos(slope)], magnitude=GRAVITY)
    of_ball = mb.MassProperties(mass, [0, 0, 0], mb.Inertia.sphere(mass=mass, radius=RADIUS))
    ball = mb.Free(matter.ground, of_ball, name="ball")
    ball.set_default_q([1, 0, 0, 0, 0, 0, RADIUS])
    contact = mb.RigidContact(matter.ground, HalfSpace(), ball, Sphere(RADIUS), name="contact", **friction)
    return system, ball, contact


def run(state, until, **options):
    final = mb.Simulation(state.system, **({"backend": "interpreted"} | options)).run(state, until).final_state
    state.system.realize(final, mb.Stage.ACCELERATION)
    return final


@pytest.mark.parametrize("options", SCHEMES)
def test_slip_spin_and_rolling_have_independent_moments_at_their_limits(options):
    system, ball, contact = ball_on_floor(static_friction=0.3, torsional_friction=0.004, rolling_friction=0.007)
    state = system.realize_topology()
    ball.set_u(state, [4.0, -9.0, 6.0, 1.5, 2.0, 0])

    final = run(state, 0.02, **options)
    normal, (w_x, w_y, w_z) = contact.normal_force(final)[0], ball.u(final)[:3]
    moment, slip = contact.friction_moment(final)[0], contact.slip(final)[0]

    atol = 0.05 if "step" in options else 1e-12  # a mean force of the last step; directions turn by 3 % in a step
    rolling = -0.007 * normal * np.array([w_x, w_y]) / np.hypot(w_x, w_y)
    assert_allclose(moment, [*rolling, -0.004 * normal], atol=atol * 0.007 * normal)
    assert_allclose(contact.friction_force(final)[0], -0.3 * normal * slip / np.linalg.norm(slip), atol=atol * 0.3 * normal)
    assert contact.modes(final) == ["slip"]
    assert [contact.moment_modes(final, each) for each in contact.moments] == [["slip"], ["slip"]]
    powers = moment @ [w_x, w_y, w_z] + contact.friction_force(final)[0] @ slip
    assert_allclose(contact.power_dissipation(final), -powers, rtol=1e-12)


@pytest.mark.parametrize("options", SCHEMES)
@pytest.mark.parametrize("spin", [30.0, -30.0])
def test_a_moment_that_loads_its_own_contact_is_in_balance_with_it(options, spin):
    """The tip of a rod on a drum that turns: N l - mu N sign(spin) = weight l / 2 about the rod's pin."""
    system, matter, forces = world()
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=GRAVITY)
    length, mass, mu, drum_radius = 0.25, 2.0, 0.03, 0.2
    to_y, center = rotation_to_y(), [0, 0, -RADIUS - drum_radius]
    of_rod = mb.MassProperties(mass, [length / 2, 0, 0], mb.Inertia.sphere(mass=mass, radius=RADIUS).shifted([length / 2, 0, 0]))
    rod = mb.Pin(matter.ground, of_rod, X_PF=mb.Transform(to_y), X_BM=mb.Transform(to_y), name="rod")
    of_drum = mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.sphere(mass=1.0, radius=drum_radius))
    drum = mb.Pin(matter.ground, of_drum, X_PF=mb.Transform(to_y, p=[length, *center[1:]]), X_BM=mb.Transform(to_y), name="drum")
    mb.SteadyMotion(drum, rate=spin)
    tip = mb.Transform(p=[length, 0, 0])
    contact = mb.RigidContact(drum, Sphere(drum_radius), rod, Sphere(RADIUS), X_B2S2=tip, rolling_friction=mu, name="contact")

    final = run(system.realize_topology(), 0.01, **options)

    normal = mass * GRAVITY * length / 2 / (length - mu * np.sign(spin))
    assert_allclose(contact.normal_force(final)[0], normal, rtol=1e-9)  # 10 times the tolerance of loads
    assert_allclose(contact.friction_moment(final)[0], [0, mu * normal * np.sign(spin), 0], atol=1e-9 * normal)
    assert_allclose(rod.u(final), 0, atol=1e-12)


def rotation_to_y():
    """The pose of a frame whose z axis is y of its parent."""
    return np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])


def heap(rng):
    """(system, State) of boxes that touch as balls, with all kinds of friction, unequal restitutions and random speeds."""
    system, matter, _ = world()
    at, bodies, n, radius = np.array([0, 0, 0.05]), [], int(rng.integers(2, 5)), 0.05
    for i in range(n):
        mass = 10 ** rng.uniform(-1, 1)
        inertia = mb.Inertia.box(mass=mass, size=list(rng.uniform(0.05, 0.1, 3)))
        bodies.append(mb.Free(matter.ground, mb.MassProperties(mass, [0, 0, 0], inertia), name=f"body{i}"))
        bodies[-1].set_default_q([1, 0, 0, 0, *at])
        direction = rng.normal(size=3)
        at = at + 2 * radius * np.array([*direction[:2], abs(direction[2])]) / np.linalg.norm(direction)
    for i in range(n - 1):
        moments = {"torsional_friction": rng.choice([0, 0.01]), "rolling_friction": rng.choice([0.003, 0.01])}
        restitution = float(rng.choice([0, rng.uniform(0, 1), 1]))
        pair = bodies[i], Sphere(radius), bodies[i + 1], Sphere(radius)
        mb.RigidContact(*pair, static_friction=rng.choice([0, 0.3, 0.8]), restitution=restitution, name=f"contact{i}", **moments)
    floor = matter.ground, HalfSpace(), bodies[0], Sphere(radius)
    mb.RigidContact(*floor, static_friction=0.5, rolling_friction=0.01, restitution=float(rng.choice([0, 0.6, 1])), name="floor")
    state = system.realize_topology()
    for body in bodies:
        body.set_u(state, rng.normal(size=6) * [9, 9, 9, 1, 1, 1])
    return system, state


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, 150), marks=pytest.mark.slow)])
@pytest.mark.parametrize("law", ["simultaneous", "sequential"])
def test_impacts_and_rolling_never_gain_energy(seeds, law):
    for seed in seeds:
        system, state = heap(np.random.default_rng(seed))
        system.realize(state, mb.Stage.VELOCITY)

        final = run(state, 1e-3, impacts=law)

        assert system.kinetic_energy(final) <= system.kinetic_energy(state) * (1 + 1e-12), seed  # nothing else acts


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 60))])
def test_a_box_that_tumbles_comes_to_rest_with_rolling_friction(seed):
    """Its corners share the load in more than one way, and so do their moments."""
    system, matter, forces = world()
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=GRAVITY)
    size, com = np.array([0.08, 0.1, 0.12]), np.array([0.01, 0, 0.02])
    inertia = mb.Inertia.box(mass=1.3, size=list(size)).matrix + 1.3 * (com @ com * np.eye(3) - np.outer(com, com))
    box = mb.Free(matter.ground, mb.MassProperties(1.3, com, mb.Inertia(inertia)), name="box")
    turn = np.random.default_rng(seed).normal(size=4)
    box.set_default_q([*turn / np.linalg.norm(turn), 0, 0, 0.2])
    floor = matter.ground, HalfSpace(), box, Box(list(size / 2))
    mb.RigidContact(*floor, static_friction=0.6, dynamic_friction=0.4, rolling_friction=0.005, name="floor")

    final = run(system.realize_topology(), 1.5, **FIXED)

    assert_allclose(box.u(final), 0, atol=1e-11)
    up = box.X_GB(final).R[2]
    arm = com + np.sign(up) * size / 2  # from the lowest corner
    arm = (arm - arm @ up * up)[abs(up) > 1e-4]  # it lies to the gap g h^2 that a corner closes in a step
    assert len(arm) == 1 or np.linalg.norm(arm) < 0.005  # on a face, or on an edge or a corner that rolling friction holds


@pytest.mark.parametrize("seed", [79, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (7, 9, 34))])
def test_points_of_a_flat_patch_have_together_the_moments_of_its_load(seed):
    """A box that tumbles into a corner of a floor and a wall: how its points share the loads is not determined."""
    system, matter, forces = world()
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=GRAVITY)
    size, mass, mu = np.array([0.1, 0.12, 0.16]), 1.0, 0.02
    box = mb.Free(matter.ground, mb.MassProperties(mass, [0, 0, 0], mb.Inertia.box(mass=mass, size=list(size))), name="box")
    wall = mb.Transform.of(np.array([[0, 0, -1.0], [0, 1, 0], [1, 0, 0]]), np.array([0.1, 0, 0]))
    coefficients = {"static_friction": 0.5, "torsional_friction": mu, "rolling_friction": mu}
    contacts = [
        mb.RigidContact(matter.ground, HalfSpace(), box, Box(list(size / 2)), name=name, X_B1S1=frame, **coefficients)
        for name, frame in (("floor", mb.Transform()), ("wall", wall))
    ]
    state, random = system.realize_topology(), np.random.default_rng(seed)
    turn = random.normal(size=4)
    box.set_q(state, [*turn / np.linalg.norm(turn), -0.01, 0, 0.12])
    box.set_u(state, [*random.uniform(-9, 9, 3), 2, random.uniform(-2, 2), -1])
    system.realize(state, mb.Stage.VELOCITY)

    final = run(state, 0.25, integrator="velocity_level", step=2e-3)

    assert energy(system, box, final) < energy(system, box, state)
    for contact, axis in zip(contacts, (2, 0), strict=True):
        moment, load = contact.friction_moment(final).sum(axis=0), contact.normal_force(final).sum()
        assert abs(moment[axis]) <= mu * load * (1 + 1e-4)  # ten times the tolerance of loads that are not determined
        assert np.linalg.norm(np.delete(moment, axis)) <= mu * load * (1 + 1e-4)


def energy(system, box, state):
    """J, of a body of 1 kg"""
    return system.kinetic_energy(state) + GRAVITY * box.X_GB(state).p[2]


@pytest.mark.parametrize("options", SCHEMES[:2])
def test_a_box_with_four_corners_stays_at_rest_below_its_rolling_limit(options):
    system, matter, forces = world()
    mb.Gravity(forces, matter, down=[np.sin(0.02), 0, -np.cos(0.02)], magnitude=GRAVITY)
    box = mb.Free(matter.ground, mb.MassProperties(2.0, [0, 0, 0], mb.Inertia.box(mass=2.0, size=[0.2, 0.3, 0.1])), name="box")
    box.set_default_q([1, 0, 0, 0, 0, 0, 0.05])
    coefficients = {"static_friction": 0.5, "torsional_friction": 0.01, "rolling_friction": 0.02}
    contact = mb.RigidContact(matter.ground, HalfSpace(), box, Box([0.1, 0.15, 0.05]), name="contact", **coefficients)

    final = run(system.realize_topology(), 0.1, **options)

    assert_allclose(box.u(final), 0, atol=1e-12)
    assert_allclose(contact.normal_force(final).sum(), 2.0 * GRAVITY * np.cos(0.02), rtol=1e-9)


@pytest.mark.fast(1)
@pytest.mark.parametrize("options", [{}, FIXED])
def test_compiled_interpreted_restored_and_ensemble_runs_have_the_same_bits(options):
    system, ball, _ = ball_on_floor(slope=0.05, static_friction=0.4, torsional_friction=0.002, rolling_friction=0.004)
    states = []
    for spin in (3.0, -4.0):
        states.append(system.realize_topology())
        ball.set_u(states[-1], [spin, 9.0, 2 * spin, 2.0, 0.3, 0])
    expected = [run(state, 0.3, **options).y.tobytes() for state in states]

    assert [run(state, 0.3, backend="compiled", **options).y.tobytes() for state in states] == expected
    ensemble = Ensemble(system, states, backend="compiled", threads=1, **options).run(0.3)
    assert [final.y.tobytes() for final in ensemble.final_states] == expected
    stepped = mb.Simulation(system, backend="interpreted", **options).start(states[0])
    stepped.step_to(0.1)
    saved = stepped.save()
    stepped.step_to(0.3)
    end = stepped.state.to_bytes()
    stepped.restore(saved)
    stepped.step_to(0.3)
    assert stepped.state.to_bytes() == end


def test_coefficients_are_tuned_by_name_and_a_radius_gives_the_moment_of_even_pressure():
    system, ball, contact = ball_on_floor(static_friction=0.6, torsional_radius=0.03, rolling_friction=0.0)
    state = system.realize_topology()
    assert_allclose(contact.parameter(state, "torsional_friction"), 2 / 3 * 0.6 * 0.03)

    contact.set_moment_friction(state, torsional=0.005, rolling=0.002)
    ball.set_u(state, [0, 10.0, 5.0, 1.0, 0, 0])
    final = run(state, 0.01)
    assert_allclose(contact.friction_moment(final)[0], [0, -0.002 * 1.5 * GRAVITY, -0.005 * 1.5 * GRAVITY], atol=1e-12)
    assert contact.moment_modes(run(system.realize_topology(), 0.01), "rolling_friction") == ["slip"]  # without friction nothing sticks


def test_the_way_of_a_ball_depends_on_its_rolling_friction_as_the_closed_form():
    """7 R v^2 / (10 mu g): its derivative by mu, through the event at which it stops."""
    system, ball, _ = ball_on_floor(static_friction=0.5, rolling_friction=0.02)
    state = system.realize_topology()
    ball.set_u(state, [0, 5.0, 0, 0.5, 0, 0])
    way = 7 * RADIUS * 0.5**2 / (10 * 0.02 * GRAVITY)

    found = mb.sensitivities(mb.Simulation(system, accuracy=1e-9), state, ["contact.rolling_friction"], ["ball.q[5]"], until=1.0)

    assert found.method.startswith("tangents of the steps; jumps at 1 events by saltation")
    assert_allclose(found.derivatives[-1].ravel(), [-way / 0.02], rtol=1e-5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rolling_friction": -0.1}, "rolling_friction cannot be -0.1 m: the least value is 0"),
        ({"torsional_friction": 0.1, "torsional_radius": 0.1}, "both torsional_friction and torsional_radius are given"),
        ({"torsional_radius": 0.1}, "torsional_radius needs static_friction"),
    ],
)
def test_wrong_coefficients_are_refused_by_name(options, message):
    with pytest.raises(InputError, match=f"contact.*{message}"):
        ball_on_floor(**options)


def test_a_contact_without_moments_says_so():
    system, _, contact = ball_on_floor(static_friction=0.5)
    state = system.realize_topology()
    for call in (lambda: contact.friction_moment(state), lambda: contact.set_moment_friction(state, rolling=0.1)):
        with pytest.raises(InputError, match=r"'contact' has no .*Make it with"):
            call()
