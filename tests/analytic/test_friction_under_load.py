"""Rigid friction of joints that grows with the load of a bearing or guide, and by the law of Stribeck."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

import mobod as mb
from mobod import Stage
from mobod.errors import FrictionParadoxError, InputError, UnsupportedError

G = 9.81
STEPS = {"integrator": "velocity_level", "step": 1e-3}


def simulated(state, until, **options):
    """The final State, realized to ACCELERATION."""
    final = mb.Simulation(state.system, backend="interpreted", **options).run(state, until=until).final_state
    state.system.realize(final, Stage.ACCELERATION)
    return final


def matter_under_gravity(down, magnitude=G):
    system = mb.MultibodySystem("machine")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=down, magnitude=magnitude)
    return matter


@pytest.mark.fast(3)
@pytest.mark.parametrize("options", [{"accuracy": 1e-9}, STEPS], ids=["error control", "fixed steps"])
@pytest.mark.parametrize("tilt", [0.0, 0.4])
def test_a_balanced_wheel_slows_down_by_its_weight(tilt, options):
    """Its axis is inclined by `tilt`, so that the thrust surface carries a part of the weight; its center is beside the bearing."""
    mass, inertia, mu, radius, thrust, half, beside = 30.0, 0.6, 0.1, 0.02, 0.03, 0.15, 0.05
    matter = matter_under_gravity([0, -np.cos(tilt), -np.sin(tilt)])
    disk = mb.MassProperties(mass, [0, 0, beside], mb.Inertia(np.diag([0.4 + mass * beside**2, 0.4 + mass * beside**2, inertia])))
    wheel = mb.Pin(matter.ground, disk, name="wheel")
    load = mb.BearingLoad(friction=mu, radius=radius, thrust_radius=thrust, half_distance=half)
    bearing = mb.RigidJointFriction(wheel, load=load, name="bearing")
    state = matter.system.realize_topology()
    wheel.set_u(state, 5.0)

    final = simulated(state, 1.0, **options)

    radial, axial = mass * G * np.cos(tilt), mass * G * np.sin(tilt)
    expected = radius * radial + thrust * axial + radius * radial * beside / half
    assert_allclose(bearing.load_of_joint(final), expected, rtol=1e-12)
    assert_allclose(wheel.u(final), [5.0 - mu * expected / inertia], rtol=1e-9)
    assert matter.system.value(final, "bearing.load") == bearing.load_of_joint(final)


MASS, CENTER, INERTIA, FRICTION, RADIUS = 3.0, 0.3, 0.05, 0.4, 0.1  # of the pendulum, about its mass center


def pendulum():
    matter = matter_under_gravity([0, -1, 0])
    about = INERTIA + MASS * CENTER**2
    body = mb.Pin(matter.ground, mb.MassProperties(MASS, [CENTER, 0, 0], mb.Inertia(np.diag([INERTIA, about, about]))), name="pendulum")
    bearing = mb.JointFriction(matter, body, transition_speed=None, load=mb.BearingLoad(friction=FRICTION, radius=RADIUS), name="bearing")
    state = matter.system.realize_topology()
    body.set_q(state, -0.3)
    body.set_u(state, 6.0)
    return body, bearing, state


def acceleration(q, u):
    """Of the pendulum while u > 0: the friction depends on the reaction, and this on the acceleration."""

    def moment_missing(a):
        along, across = -CENTER * u**2 + G * np.sin(q), CENTER * a + G * np.cos(q)
        friction = FRICTION * RADIUS * MASS * np.hypot(along, across)
        return (INERTIA + MASS * CENTER**2) * a + MASS * G * CENTER * np.cos(q) + friction

    return brentq(moment_missing, -500, 500, xtol=1e-14, rtol=1e-14)


def test_the_friction_of_a_pendulum_belongs_to_the_reaction_of_the_same_instant():
    body, _, state = pendulum()
    until = 0.2  # it turns back at 0.209 s
    exact = solve_ivp(lambda t, y: [y[1], acceleration(*y)], (0, until), [-0.3, 6.0], rtol=1e-12, atol=1e-13).y[:, -1]
    for options in ({"accuracy": 1e-10}, {"accuracy": 1e-10, "integrator": "Rodas5P"}):
        final = simulated(state, until, **options)
        assert_allclose([body.q(final)[0], body.u(final)[0]], exact, rtol=0, atol=1e-8)  # 100 times the accuracy
    errors = [abs(body.q(simulated(state, until, integrator="velocity_level", step=h))[0] - exact[0]) for h in (2e-3, 1e-3)]
    assert_allclose(errors[0] / errors[1], 2.0, rtol=0.05)  # of first order


def test_the_friction_under_load_has_exact_derivatives():
    body, _, state = pendulum()
    final = simulated(state, 0.1, accuracy=1e-10)
    q, u, h = body.q(final)[0], body.u(final)[0], 1e-4

    def difference(at):
        return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)

    expected = [difference(lambda d: acceleration(q + d, u)), difference(lambda d: acceleration(q, u + d))]
    assert_allclose(state.system.linearize(final).A[1], expected, rtol=1e-8)


@pytest.mark.fast(2)
@pytest.mark.parametrize("options", [{"accuracy": 1e-9}, STEPS], ids=["error control", "fixed steps"])
@pytest.mark.parametrize(("excess", "mode"), [(-1e-6, "stick"), (1e-6, "slip")])
def test_a_carriage_on_an_incline_at_the_limit(excess, mode, options):
    """Its center is 0.05 m ahead of the guide, half of whose length is 0.1 m: the load is 1.5 times the normal force."""
    angle, mass = np.arctan(0.3 * 1.5) + excess, 2.0
    matter = matter_under_gravity([np.sin(angle), 0, -np.cos(angle)])
    body = mb.MassProperties(mass, [0.05, 0, 0], mb.Inertia(np.diag([0.1, 0.2, 0.2])))
    carriage = mb.Slider(matter.ground, body, name="carriage")
    load = mb.GuideLoad(friction=0.2, static_friction=0.3, half_length=0.1)
    guide = mb.RigidJointFriction(carriage, load=load, name="guide")
    final = simulated(matter.system.realize_topology(), 1.0, **options)
    assert guide.mode(final) == mode
    speed = 0.0 if mode == "stick" else G * (np.sin(angle) - 0.2 * 1.5 * np.cos(angle))
    assert_allclose(carriage.u(final), [speed], rtol=1e-9, atol=1e-12)


def carriage_with_high_center(friction, height):
    """A carriage slides down an incline; its friction lets it tilt the more, the more it is slowed down."""
    matter = matter_under_gravity([np.sin(0.3), 0, -np.cos(0.3)])
    body = mb.MassProperties(2.0, [0, 0, height], mb.Inertia(np.diag([0.1 + 2 * height**2, 0.1 + 2 * height**2, 0.1])))
    carriage = mb.Slider(matter.ground, body, name="carriage")
    mb.RigidJointFriction(carriage, load=mb.GuideLoad(friction=friction, half_length=0.1), name="guide")
    state = matter.system.realize_topology()
    carriage.set_u(state, 3.0)
    return carriage, state


def test_friction_that_raises_its_own_load():
    """The load is N + height / half_length * friction force, so that friction is mu N / (1 - mu height / half_length)."""
    carriage, state = carriage_with_high_center(friction=0.3, height=-0.2)
    slowed = G * np.sin(0.3) - 0.3 * G * np.cos(0.3) / (1 - 0.6)
    assert_allclose(carriage.u(simulated(state, 0.1, accuracy=1e-9)), [3.0 + 0.1 * slowed], rtol=1e-10)


def test_a_guide_that_jams_is_named():
    _, state = carriage_with_high_center(friction=0.4, height=0.3)
    with pytest.raises(FrictionParadoxError, match=r"'guide'"):
        simulated(state, 0.1, accuracy=1e-9)


def parallelogram(**load):
    """Three bars in a plane, with a redundant ball constraint: axial forces and bending moments of the pins are undetermined."""
    matter = matter_under_gravity([0, -1, 0])
    bar = mb.MassProperties(1.0, [0.25, 0, 0], mb.Inertia(np.diag([0.01, 0.15, 0.15])))
    crank = mb.Pin(matter.ground, bar, name="crank")
    coupler = mb.Pin(crank, bar, X_PF=mb.Transform(p=[0.5, 0, 0]), name="coupler")
    rocker = mb.Pin(matter.ground, bar, X_PF=mb.Transform(p=[0.5, 0, 0]), name="rocker")
    mb.BallConstraint(coupler, [0.5, 0, 0], rocker, [0.5, 0, 0])
    friction = mb.RigidJointFriction(crank, load=mb.BearingLoad(friction=0.2, radius=0.02, **load), name="bearing")
    state = matter.system.realize_topology()
    for body, sign in ((crank, 1), (coupler, -1), (rocker, 1)):
        body.set_q(state, sign * 1.4)
        body.set_u(state, sign * -1.0)
    return crank, friction, state


def test_a_loop_takes_only_loads_that_its_reactions_determine():
    crank, friction, state = parallelogram()
    final = simulated(state, 0.1, accuracy=1e-8)
    radial = np.linalg.norm(crank.reaction_on_body_at_M(final)[3:5])
    assert_allclose([friction.load_of_joint(final), -friction.torque(final)], [0.02 * radial, -0.2 * 0.02 * radial], rtol=1e-11)
    for more in ({"thrust_radius": 0.01}, {"half_distance": 0.1}):
        with pytest.raises(UnsupportedError, match=r"'bearing': friction depends on the load .* undetermined"):
            simulated(parallelogram(**more)[-1], 0.1, accuracy=1e-8)


def double_pendulum():
    """Two bodies in dry bearings, with all parts of the load, and the law of Stribeck."""
    matter = matter_under_gravity([0, -1, 0])
    upper = mb.Pin(matter.ground, mb.MassProperties(1.0, [0.3, 0, 0], mb.Inertia(np.diag([0.03, 0.1, 0.12]))), name="upper")
    at_end, body = mb.Transform(p=[0.6, 0, 0.1]), mb.MassProperties(2.0, [0.2, 0.05, 0.1], mb.Inertia(np.diag([0.2, 0.3, 0.32])))
    lower = mb.Pin(upper, body, X_PF=at_end, name="lower")
    load = mb.BearingLoad(friction=0.3, radius=0.05, static_friction=0.4, thrust_radius=0.02, half_distance=0.1)
    frictions = [mb.RigidJointFriction(each, load=load, limit=0.1, viscous=0.01, stribeck_speed=0.1) for each in (upper, lower)]
    state = matter.system.realize_topology()
    upper.set_u(state, 3.0)
    lower.set_u(state, -4.0)
    return (upper, lower), frictions, state


def test_loads_of_several_joints_agree_with_their_reactions():
    bodies, frictions, state = double_pendulum()
    for until in (0.1, 0.6):
        final = simulated(state, until, accuracy=1e-9)
        for body, friction in zip(bodies, frictions, strict=True):
            reaction = body.reaction_on_body_at_M(final)
            radial, moment = np.linalg.norm(reaction[3:5]), np.linalg.norm(reaction[:2])
            load = 0.05 * radial + 0.02 * abs(reaction[5]) + 0.05 * moment / 0.1
            assert_allclose(friction.load_of_joint(final), load, rtol=1e-11)
            assert_allclose(friction.power(final), friction.torque(final) * body.u(final)[0], rtol=1e-12)
            speed = body.u(final)[0]
            coefficient = 0.3 + 0.1 * np.exp(-((speed / 0.1) ** 2))
            assert friction.mode(final) == "slip"
            assert_allclose(friction.torque(final), -np.sign(speed) * (0.1 + 0.01 * abs(speed) + coefficient * load), rtol=1e-11)


@pytest.mark.fast(1)
@pytest.mark.parametrize("options", [{"accuracy": 1e-9}, STEPS], ids=["error control", "fixed steps"])
def test_a_sled_stops_by_the_law_of_stribeck(options):
    matter = matter_under_gravity([0, 0, -1], 0.0)
    sled = mb.Slider(matter.ground, mb.MassProperties.point(2.0, [0, 0, 0]), name="sled")
    friction = mb.RigidJointFriction(sled, limit=3.0, static_limit=8.0, viscous=0.5, stribeck_speed=0.4)
    state = matter.system.realize_topology()
    sled.set_u(state, 2.0)
    exact = quad(lambda u: 2.0 * u / (3.0 + 5.0 * np.exp(-((u / 0.4) ** 2)) + 0.5 * u), 0, 2)[0]
    final = simulated(state, 1.2, **options)
    assert friction.mode(final) == "stick"
    assert_allclose(sled.q(final), [exact], rtol=0, atol=2e-3 if "step" in options else 1e-8)  # 2 m/s times the step


def test_bad_loads_are_named():
    matter = matter_under_gravity([0, -1, 0])
    pin = mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, 0.1, 0]), name="pin")
    with pytest.raises(InputError, match="give limit"):
        mb.RigidJointFriction(pin)
    with pytest.raises(UnsupportedError, match=r"'pin' is a Pin. A BearingLoad is for a Pin, a GuideLoad for a Slider"):
        mb.RigidJointFriction(pin, load=mb.GuideLoad(friction=0.1))
    with pytest.raises(InputError, match=r"load is a mb.BearingLoad or a mb.GuideLoad, not float"):
        mb.RigidJointFriction(pin, load=0.1)
    for wrong in ({"friction": -0.1}, {"radius": 0.0}, {"friction": 0.2, "static_friction": 0.1}, {"half_distance": np.nan}):
        with pytest.raises(InputError, match=r"^BearingLoad: "):
            mb.RigidJointFriction(pin, load=mb.BearingLoad(**{"friction": 0.1, "radius": 0.01, **wrong}))
    with pytest.raises(InputError, match="has no load"):
        mb.RigidJointFriction(pin, limit=1.0, name="brake").set_load_friction(matter.system.realize_topology(), 0.1)


def test_a_model_file_keeps_the_load(tmp_path):
    _, frictions, state = double_pendulum()
    frictions[1].set_default_parameter("load_friction", 0.25)
    mb.save_model(state.system, tmp_path / "model.json")
    again = mb.load_model(tmp_path / "model.json")
    for one, other in zip(frictions, again.matter.constraints, strict=True):
        assert_allclose(other.equations.parameter_values(), one.equations.parameter_values(), rtol=0)
        assert isinstance(other.load, mb.BearingLoad)


def test_coefficients_can_be_tuned():
    body, bearing, state = pendulum()
    bearing.set_load_friction(state, 0.0, 0.7)
    bearing.set_limits(state, 0.3)
    final = simulated(state, 0.1, accuracy=1e-9)
    assert_allclose(bearing.torque(final), -0.3, rtol=1e-12)
    assert bearing.load_of_joint(final) > 0
    assert body.u(final) < 6.0


@pytest.mark.slow
def test_contacts_that_contradict_each_other_are_not_blamed_on_a_bearing():
    """A crate comes to rest beside a pendulum in a dry bearing. Its corners may contradict each other by round-off."""
    system = mb.MultibodySystem("crate")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=9.81, name="gravity")
    crate = mb.Free(matter.ground, mb.MassProperties(2.0, [0, 0, 0], mb.Inertia.box(mass=2.0, size=[0.4, 0.3, 0.2])), name="crate")
    shapes = matter.ground, mb.contact.HalfSpace(), crate, mb.contact.Box([0.2, 0.15, 0.1])
    mb.RigidContact(*shapes, static_friction=0.6, dynamic_friction=0.4, restitution=0.3, name="floor")
    ball = mb.MassProperties(1.0, [0, -0.3, 0], mb.Inertia.sphere(mass=1.0, radius=0.1).shifted([0, -0.3, 0]))
    X_PF = mb.Transform(mb.spatial.rotation_x(np.pi / 2), [2, 0, 2])
    pendulum = mb.Pin(matter.ground, ball, X_PF=X_PF, name="pendulum")
    mb.RigidJointFriction(pendulum, limit=0.3, static_limit=0.5, load=mb.BearingLoad(friction=0.05, radius=0.02), name="bearing")
    state = system.realize_topology()
    crate.set_q(state, [1, 0, 0, 0, 0, 0, 0.13])
    crate.set_u(state, [0.3, 0.2, 1.0, 2.0, 0.5, 0.0])
    pendulum.set_q(state, 1.2)
    for accuracy in (1e-5, 1e-6):
        message = ""
        try:
            mb.Simulation(system, accuracy=accuracy).run(state, until=0.6)
        except mb.errors.MobodError as error:
            message = str(error)
        assert not message or "contradict each other: no accelerations satisfy all of 'floor'" in message
