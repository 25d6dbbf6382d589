"""Regularised friction of joints that grows with the load of a bearing or guide."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

import mobod as mb
from mobod import Stage
from mobod.errors import FrictionParadoxError, InputError, UnsupportedError

G = 9.81
SCHEMES = {
    "explicit": {"accuracy": 1e-9},
    "Rodas5P": {"accuracy": 1e-9, "integrator": "Rodas5P"},
    "RK4": {"integrator": "RK4", "step": 1e-3},
    "velocity level": {"integrator": "velocity_level", "step": 1e-3},
}


def simulated(state, until, **options):
    """The final State, realized to ACCELERATION."""
    final = mb.Simulation(state.system, backend="interpreted", **options).run(state, until=until).final_state
    state.system.realize(final, Stage.ACCELERATION)
    return final


def machine(down):
    system = mb.MultibodySystem("machine")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=down, magnitude=G, name="gravity")
    return matter, forces


@pytest.mark.parametrize("name", SCHEMES)
def test_a_wheel_in_a_dry_bearing_follows_the_regularised_law(name):
    """I u_dot = -T u / s, s = sqrt(u^2 + v^2), so that s - v asinh(v / u) falls by T t / I."""
    mass, inertia, mu, radius, v, start, until = 30.0, 0.6, 0.1, 0.02, 0.3, 1.1, 1.0
    matter, forces = machine([0, -1, 0])
    wheel = mb.Pin(matter.ground, mb.MassProperties(mass, [0, 0, 0], mb.Inertia(np.diag([0.4, 0.4, inertia]))), name="wheel")
    bearing = mb.JointFriction(forces, wheel, transition_speed=v, load=mb.BearingLoad(friction=mu, radius=radius), name="bearing")
    state = matter.system.realize_topology()
    wheel.set_u(state, start)

    final = simulated(state, until, **SCHEMES[name])

    def fallen(u):
        return np.hypot(u, v) - v * np.arcsinh(v / u)

    torque = mu * radius * mass * G
    exact = brentq(lambda u: fallen(u) - fallen(start) + torque * until / inertia, 1e-3, start, xtol=1e-14)
    order_1 = name == "velocity level"
    assert_allclose(wheel.u(final), [exact], rtol=0, atol=5e-4 if order_1 else 2e-9)  # half a step times the largest change of u_dot: 4e-4
    assert_allclose(bearing.load_of_joint(final), radius * mass * G, rtol=1e-12)
    friction = -torque * wheel.u(final)[0] / np.hypot(wheel.u(final)[0], v)
    values = [matter.system.value(final, f"bearing.{each}")[0] for each in ("torque", "power_dissipation")]
    assert_allclose(values, [friction, -friction * wheel.u(final)[0]], rtol=1e-12)
    assert bearing.torque(final) == values[0]


MASS, CENTER, INERTIA, FRICTION, RADIUS = 3.0, 0.3, 0.05, 0.4, 0.1  # of the pendulum, about its mass center


def pendulum(speed=6.0, **law):
    matter, forces = machine([0, -1, 0])
    about = INERTIA + MASS * CENTER**2
    body = mb.Pin(matter.ground, mb.MassProperties(MASS, [CENTER, 0, 0], mb.Inertia(np.diag([INERTIA, about, about]))), name="pendulum")
    load = mb.BearingLoad(friction=FRICTION, static_friction=0.5, radius=RADIUS)
    bearing = mb.JointFriction(forces, body, load=load, name="bearing", **law)
    state = matter.system.realize_topology()
    body.set_q(state, -0.3)
    body.set_u(state, speed)
    return body, bearing, state


LAW = {"transition_speed": 0.8, "limit": 0.2, "static_limit": 0.3, "viscous": 0.05, "stribeck_speed": 2.0}


def acceleration(q, u):
    """Of the pendulum by LAW: the friction depends on the reaction, and this on the acceleration."""

    def moment_missing(a):
        along, across = -CENTER * u**2 + G * np.sin(q), CENTER * a + G * np.cos(q)
        load, share = RADIUS * MASS * np.hypot(along, across), np.exp(-((u / 2.0) ** 2))
        dry = 0.2 + FRICTION * load + (0.1 + 0.1 * load) * share
        return (INERTIA + MASS * CENTER**2) * a + MASS * G * CENTER * np.cos(q) + (dry / np.hypot(u, 0.8) + 0.05) * u

    return brentq(moment_missing, -500, 500, xtol=1e-14, rtol=1e-14)


def test_friction_and_reaction_are_of_the_same_instant_with_exact_derivatives():
    body, _, state = pendulum(**LAW)
    h = 1e-4

    def difference(at):
        return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)

    for q, u in ((0.4, 1.5), (-1.0, -0.3)):
        body.set_q(state, q)
        body.set_u(state, u)
        matter_state = state.copy()
        state.system.realize(matter_state, Stage.ACCELERATION)
        assert_allclose(body.u_dot(matter_state), [acceleration(q, u)], rtol=1e-11)
        expected = [difference(lambda d, q=q, u=u: acceleration(q + d, u)), difference(lambda d, q=q, u=u: acceleration(q, u + d))]
        assert_allclose(state.system.linearize(matter_state).A[1], expected, rtol=1e-7)  # of the differences


def test_it_tends_to_rigid_friction_with_the_transition_speed():
    body, _, state = pendulum(transition_speed=None)
    rigid = body.q(simulated(state, 0.3, accuracy=1e-9))[0]  # it turns back on the way
    errors = []
    for v in (0.02, 0.002):
        body, _, state = pendulum(transition_speed=v, stribeck_speed=1e-9)  # far below all speeds, as if friction fell at once
        errors.append(abs(body.q(simulated(state, 0.3, accuracy=1e-9, integrator="Rodas5P"))[0] - rigid))
    assert 2e-6 < errors[1] < errors[0] / 7  # the error is proportional to v log(1 / v)


def test_the_lost_energy_is_that_dissipated():
    body, bearing, state = pendulum(**LAW)
    system, states = state.system, []
    results = mb.Simulation(system, backend="interpreted", accuracy=1e-9).run(state, until=0.6, report_every=0.005)
    for row in (0, -1):
        states.append(state.copy())
        body.set_q(states[-1], results["pendulum.q"][row])
        body.set_u(states[-1], results["pendulum.u"][row])
        system.realize(states[-1], Stage.ACCELERATION)
    before, after = (system.energy(each) for each in states)
    powers = results["bearing.power_dissipation"].ravel()
    weights = np.ones(len(powers))
    weights[1:-1:2], weights[2:-1:2] = 4, 2  # Simpson's rule
    assert_allclose(before - after, weights @ powers * 0.005 / 3, rtol=1e-6)
    assert powers.min() >= 0
    assert bearing.power_dissipation(states[-1]) == powers[-1]
    assert_allclose(bearing.power(states[-1]), -powers[-1], rtol=1e-12)


STRIBECK = {"static_friction": 0.9, "dynamic_friction": 0.5, "stribeck_speed": 0.3}


def carriage(height=0.0, *, box=False, speed=3.0):
    """A carriage slides in a dry guide. It carries a payload, which falls on it from a height: on a vertical slider with a limit, or as a
    box with friction.
    """
    matter, forces = machine([0, 0, -1])
    part = mb.MassProperties(1.5, [0, 0, 0], mb.Inertia.box(mass=1.5, size=[0.2, 0.2, 0.2]))
    body = mb.Slider(matter.ground, mb.MassProperties(2.0, [0, 0, 0], np.eye(3)), name="carriage")
    if box:
        payload = mb.Free(matter.ground, part, name="payload")
        deck = mb.contact.HalfSpace()
        mb.RigidContact(body, deck, payload, mb.contact.Box([0.1, 0.1, 0.1]), **STRIBECK, name="deck")
    else:
        up = mb.Transform(R=np.array([[0, 0, -1], [0, 1, 0], [1, 0, 0]]))  # so that its slider is along z
        payload = mb.Slider(body, part, X_PF=up, X_BM=up, name="payload")
        payload.set_limits(0.0, np.inf)
    guide = mb.JointFriction(forces, body, transition_speed=1e-3, load=mb.GuideLoad(friction=0.3), name="guide")
    state = matter.system.realize_topology()
    body.set_u(state, speed)
    if box:
        payload.set_q(state, [1, 0, 0, 0, 0, 0, 0.1 + height])
        payload.set_u(state, [0, 0, 0, speed, 0, 0])
    else:
        payload.set_q(state, height)
    return body, guide, state


@pytest.mark.parametrize("box", [False, True], ids=["limit", "contact with friction"])
@pytest.mark.parametrize("name", ["explicit", "velocity level"])
def test_the_guide_carries_what_lies_on_the_carriage(name, box):
    """Both slow down as one, by mu g: u / sqrt(u^2 + v^2) differs from 1 by 1e-7."""
    body, guide, state = carriage(box=box)
    final = simulated(state, 0.2, **SCHEMES[name])
    assert_allclose(guide.load_of_joint(final), 3.5 * G, rtol=1e-6)
    assert_allclose(body.u(final), [3.0 - 0.3 * G * 0.2], rtol=1e-6)


@pytest.mark.parametrize(("name", "error"), [("explicit", 1e-6), ("velocity level", 6e-3)], ids=["explicit", "velocity level"])  # two steps
def test_what_falls_on_the_carriage_loads_the_guide_from_then_on(name, error):
    """While the payload falls, the guide carries the carriage alone, which the friction also slows down with the payload's mass."""
    body, guide, state = carriage(height=0.0981)
    fall = np.sqrt(2 * 0.0981 / G)
    final = simulated(state, 0.4, **SCHEMES[name])
    slowing = 0.3 * G * (2.0 / 3.5 * fall + 0.4 - fall)
    assert_allclose(body.u(final), [3.0 - slowing], rtol=0, atol=error)
    assert_allclose(guide.load_of_joint(final), 3.5 * G, rtol=1e-6)


def test_a_box_that_slides_on_the_carriage_by_four_corners_loads_the_guide_in_full():
    """The corners share the weight in more than one way, but the load is the same by all of them."""
    body, guide, state = carriage(box=True, speed=1.5)
    state.system.matter.body("payload").set_u(state, [0, 0, 0, 2.2, 0, 0])
    final = simulated(state, 0.02, accuracy=1e-9)
    slip = final.u[4] - body.u(final)[0]
    pulls = (0.5 + 0.4 * np.exp(-((slip / 0.3) ** 2))) * 1.5 * G
    assert slip > 0.5
    assert_allclose(guide.load_of_joint(final), 3.5 * G, rtol=1e-9)
    assert_allclose(body.u_dot(final), [(pulls - 0.3 * 3.5 * G) / 2.0], rtol=1e-6)  # the speed over the smooth one is 1 - 3e-7


def test_an_impulse_of_a_handler_has_no_friction():
    """A stop by a constraint changes the speed along it alone, although the guide's reaction has an impulse."""
    matter, forces = machine([0, 0, -1])
    body = mb.Slider(matter.ground, mb.MassProperties(2.0, [0, 0, 0], np.eye(3)), name="body")
    up = mb.Transform(R=np.array([[0, 0, -1], [0, 1, 0], [1, 0, 0]]))
    lift = mb.Slider(body, mb.MassProperties(1.0, [0, 0, 0], np.eye(3)), X_PF=up, X_BM=up, name="lift")
    stop = mb.ConstantSpeed(lift, 0, 0.0, disabled=True, name="stop")
    mb.JointFriction(forces, body, transition_speed=0.1, load=mb.GuideLoad(friction=0.5), name="guide")

    mb.PeriodicEventHandler.of(matter.system, 0.3, lambda state, event: event.apply_impulse(stop), name="stopping")
    state = matter.system.realize_topology()
    body.set_u(state, 2.0)
    lift.set_u(state, 3.0)
    final = simulated(state, 0.0, accuracy=1e-8)
    assert_allclose(final.u, [2.0, 0.0], atol=1e-12)


def test_a_guide_that_jams_is_named_by_all_schemes():
    """The friction lets the carriage tilt, which loads its guide: no friction agrees with its load."""
    for scheme in SCHEMES.values():
        matter, forces = machine([np.sin(0.3), 0, -np.cos(0.3)])
        high = mb.MassProperties(2.0, [0, 0, 0.3], mb.Inertia(np.diag([0.28, 0.28, 0.1])))
        body = mb.Slider(matter.ground, high, name="carriage")
        mb.JointFriction(forces, body, transition_speed=0.01, load=mb.GuideLoad(friction=0.4, half_length=0.1), name="guide")
        state = matter.system.realize_topology()
        body.set_u(state, 3.0)
        with pytest.raises(FrictionParadoxError, match="'guide'"):
            simulated(state, 0.1, **scheme)


def test_bad_arguments_are_named():
    matter, forces = machine([0, -1, 0])
    pin = mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, 0.1, 0]), name="pin")
    load = mb.BearingLoad(friction=0.1, radius=0.01)
    with pytest.raises(UnsupportedError, match=r"'pin' is a Pin. A BearingLoad is for a Pin, a GuideLoad for a Slider"):
        mb.JointFriction(forces, pin, transition_speed=0.1, load=mb.GuideLoad(friction=0.1))
    with pytest.raises(InputError, match=r"load is a mb.BearingLoad or a mb.GuideLoad, not float"):
        mb.JointFriction(forces, pin, transition_speed=0.1, load=0.1)
    with pytest.raises(InputError, match="transition_speed"):
        mb.JointFriction(forces, pin, load=load)
    with pytest.raises(InputError, match="transition_speed"):
        mb.JointFriction(forces, pin, transition_speed=-1.0, load=load)
    with pytest.raises(InputError, match=r"static_limit, 1 N\.m, is below limit, 2 N\.m"):
        mb.JointFriction(forces, pin, transition_speed=0.1, load=load, limit=2.0, static_limit=1.0)
    with pytest.raises(InputError, match="give load"):
        mb.RegularisedJointFriction(pin, transition_speed=0.1)


def test_a_model_file_keeps_it_and_a_state_its_parameters(tmp_path):
    body, bearing, state = pendulum(**LAW)
    mb.save_model(state.system, tmp_path / "model.json")
    again = mb.load_model(tmp_path / "model.json")
    read = again.matter.constraints[0]
    assert isinstance(read, mb.RegularisedJointFriction)
    assert_allclose(read.equations.parameter_values(), bearing.equations.parameter_values(), rtol=0)
    bearing.set_load_friction(state, 0.0)
    bearing.set_limits(state, 0.7)
    bearing.set_viscous(state, 0.0)
    bearing.set_transition_speed(state, 2.5)
    body.set_u(state, -6.0)
    state.system.realize(state, Stage.ACCELERATION)
    assert_allclose(bearing.torque(state), 0.7 * 6.0 / 6.5, rtol=1e-13)
    bearing.disable(state)
    state.system.realize(state, Stage.ACCELERATION)
    assert bearing.torque(state) == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["explicit", "velocity level"])
def test_compiled_and_interpreted_runs_have_the_same_bits(name):
    _, _, state = carriage(box=True, height=0.01)
    runs = [mb.Simulation(state.system, backend=each, **SCHEMES[name]).run(state, until=0.2) for each in ("interpreted", "compiled")]
    assert runs[0]["guide.load"].tobytes() == runs[1]["guide.load"].tobytes()
    assert runs[0]["carriage.q"].tobytes() == runs[1]["carriage.q"].tobytes()
