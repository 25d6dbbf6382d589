"""Slips that turn: they stop when closed forms say, or pass near rest and go on. Friction never drives them."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.contact import HalfSpace, Sphere
from mobod.runtime.integrators import FIXED_STEP_METHODS, METHODS
from mobod.spatial import Transform, from_quaternion

G, SLOPE, RADIUS = 9.81, np.radians(20), 0.1
SIN, COS = G * np.sin(SLOPE), G * np.cos(SLOPE)
ROUND_OFF = 1e-9  # W: of slips by 1e-10 m/s


@dataclass(frozen=True)
class Sled:
    """A particle on feet, on a belt that runs along a line of a slope; x points downhill."""

    system: mb.MultibodySystem
    belt: mb.MobilizedBody
    body: mb.MobilizedBody
    contacts: list
    along: np.ndarray

    def thrown(self, mu, slip, angle, belt):
        """A State in which it slips on the belt, in a direction at an angle from downhill."""
        state = self.system.realize_topology()
        for contact in self.contacts:
            contact.set_friction(state, mu)
        self.body.set_q(state, [0.2, -0.1, RADIUS])
        self.body.set_u(state, [*slip * np.array([np.cos(angle), np.sin(angle)]) + belt * self.along, 0])
        return state


@cache
def sled(n_feet=1, belt=0.0):
    system = mb.MultibodySystem("sled")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[np.sin(SLOPE), 0, -np.cos(SLOPE)], magnitude=G)
    turned = 0.7
    X_PF = Transform.of(from_quaternion(np.array([np.cos(turned / 2), 0, 0, np.sin(turned / 2)])), np.zeros(3))
    surface = mb.Slider(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, 0, 0]), X_PF=X_PF, name="belt")
    mb.SteadyMotion(surface, belt)
    body = mb.Translation(matter.ground, mb.MassProperties.point(mass=1.3, p=[0, 0, 0]), name="sled")
    feet = [Transform(p=[0.3 * np.cos(2.1 * k), 0.3 * np.sin(2.1 * k), 0]) for k in range(n_feet)]
    contacts = [
        mb.RigidContact(surface, HalfSpace(), body, Sphere(RADIUS), X_B2S2=foot, static_friction=0.5, name=f"foot{k}")
        for k, foot in enumerate(feet)
    ]
    return Sled(system, surface, body, contacts, np.array([np.cos(turned), np.sin(turned)]))


def throws(seed, n):
    random = np.random.default_rng(seed)
    return [(random.uniform(0.42, 0.9), random.uniform(0.3, 3), random.uniform(0.3, np.pi - 0.05)) for _ in range(n)]


def end_of_slip(mu, slip, angle):
    """s: the time at which mu COS |v| + SIN v_x is zero, which falls at the constant rate (mu COS)^2 - SIN^2."""
    return slip * (mu * COS + SIN * np.cos(angle)) / ((mu * COS) ** 2 - SIN**2)


def dissipation(results):
    """The least power, W, that friction takes from relative slips, of all contacts, at all times."""
    names = [name for name in results.names if name.endswith(".power_dissipation")]
    assert names
    return min(results[name].min() for name in names)


def assert_stops(made, throw, belt, error, **options):
    end = end_of_slip(*throw)
    results = mb.Simulation(made.system, backend="interpreted", **options).run(made.thrown(*throw, belt), 1.5 * end)
    stops = [event.time for event in results.events]
    velocity = belt * np.array([*made.along, 0])
    rests = np.abs(results["sled.u"] - velocity).max(axis=1) < 1e-12
    assert stops == pytest.approx([end] * len(stops), abs=error)
    assert results.time[rests].min() == pytest.approx(end, abs=error)
    assert rests[results.time > end + error].all()
    assert dissipation(results) > -ROUND_OFF


# accuracy 1e-6, or steps of 1 ms: what counts as rest, 1e-5 of 1 + |u|, over the least deceleration, 0.5 m/s^2; of first order in steps
INTEGRATORS = {
    **{name: ({"integrator": name}, 1e-4) for name in METHODS},
    **{name: ({"integrator": name, "step": 1e-3}, 5e-3) for name in ("velocity_level", *FIXED_STEP_METHODS)},
}


@pytest.mark.fast(7)
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_throw_across_a_slope_stops_when_the_closed_form_says(integrator):
    options, error = INTEGRATORS[integrator]
    for throw in throws(0, 2):
        assert_stops(sled(), throw, 0.0, error, **options)


def test_a_throw_on_a_moving_belt_stops_relative_to_it():
    assert_stops(sled(belt=-0.8), (0.48, 2.1, 2.1), -0.8, 1e-4)


def test_a_sled_on_several_feet_stops_as_a_particle():
    assert_stops(sled(n_feet=3), (0.48, 2.1, 2.1), 0.0, 1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("accuracy", [1e-4, 1e-6, 1e-8, 1e-10])
@pytest.mark.parametrize("integrator", METHODS)
@pytest.mark.parametrize(("n_feet", "belt"), [(1, 0.0), (1, 1.1), (3, -0.8)])
def test_random_throws_stop_when_the_closed_form_says(n_feet, belt, integrator, accuracy):
    for throw in throws(1, 40):
        assert_stops(sled(n_feet, belt), throw, belt, 100 * accuracy + 1e-8, integrator=integrator, accuracy=accuracy)


def test_stepped_runs_and_ensembles_stop_as_a_run():
    made, several, times = sled(n_feet=3), [(0.48, 2.1, 2.1), *throws(2, 2)], np.linspace(0, 1.2, 13)
    states = [made.thrown(*throw, 0.0) for throw in several]
    ensemble = mb.Ensemble(made.system, states, backend="interpreted").run(
        1.2, report_every=0.1, outputs=["sled.u", "foot0.power_dissipation"]
    )
    assert ensemble.failed == []
    assert np.min(ensemble["foot0.power_dissipation"]) > -ROUND_OFF
    for k, (state, throw) in enumerate(zip(states, several, strict=True)):
        simulation = mb.Simulation(made.system, backend="interpreted")
        expected = simulation.run(state, 1.2, report_every=0.1)["sled.u"]
        stepped = simulation.start(state)
        speeds = [np.array(stepped["sled.u"])]
        for time in times[1:]:
            stepped.step_to(time)
            assert stepped["foot0.power_dissipation"] > -ROUND_OFF
            speeds.append(np.array(stepped["sled.u"]))
        assert_allclose(speeds, expected, rtol=0, atol=1e-5)  # ten times the accuracy
        assert_allclose(ensemble["sled.u"][k], expected, rtol=0, atol=0)
        assert np.all((np.abs(expected).max(axis=1) > 1e-9) == (times < end_of_slip(*throw)))


# ---- forces that prescribe the velocity of a slip ----


class Spiral(mb.CustomForce):
    """With it the velocity of a slip turns at a constant rate, and its size falls to zero at a constant rate."""

    body: mb.MobilizedBody = mb.argument("the body that is pushed, of 1 kg")
    friction: mb.Parameter[float] = mb.parameter("N", "of the slip")
    speed: mb.Parameter[float] = mb.parameter("m/s", "at the time 0")
    end: mb.Parameter[float] = mb.parameter("s", "of the slip")
    rate: mb.Parameter[float] = mb.parameter("rad/s", "of the direction")

    def calc_force(self, state, body_forces, mobility_forces):
        angle, deceleration = self.rate(state) * state.time, self.speed(state) / self.end(state)
        along = self.friction(state) - deceleration
        across = self.rate(state) * mb.scalar.maximum(self.speed(state) - deceleration * state.time, 0.0)
        mobility_forces[0] += along * np.cos(angle) - across * np.sin(angle)
        mobility_forces[1] += along * np.sin(angle) + across * np.cos(angle)


class NearMiss(mb.CustomForce):
    """With it the velocity of a slip moves along a straight line that passes beside zero."""

    body: mb.MobilizedBody = mb.argument("the body that is pushed, of 1 kg")
    friction: mb.Parameter[float] = mb.parameter("N", "of the slip")
    acceleration: mb.Parameter[float] = mb.parameter("m/s^2", "along x")
    middle: mb.Parameter[float] = mb.parameter("s", "time of the least speed")
    least: mb.Parameter[float] = mb.parameter("m/s", "this speed, along y")

    def calc_force(self, state, body_forces, mobility_forces):
        vx, vy = self.acceleration(state) * (state.time - self.middle(state)), self.least(state)
        share = self.friction(state) / np.sqrt(vx * vx + vy * vy)
        mobility_forces[0] += self.acceleration(state) + share * vx
        mobility_forces[1] += share * vy


MU = 0.5


def pushed(force, **numbers):
    """(system, body) of a particle on a plane."""
    system = mb.MultibodySystem("pushed")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=G)
    body = mb.Translation(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, 0, 0]), name="body")
    body.set_default_q([0, 0, RADIUS])
    mb.RigidContact(matter.ground, HalfSpace(), body, Sphere(RADIUS), static_friction=MU, name="floor")
    force(forces, body=body, friction=MU * G, **numbers)
    return system, body


@pytest.mark.parametrize("rate", [3.0, 40.0])
def test_a_slip_that_turns_many_times_stops(rate):
    system, body = pushed(Spiral, speed=1.3, end=0.7, rate=rate)
    state = system.realize_topology()
    body.set_u(state, [1.3, 0, 0])

    results = mb.Simulation(system, backend="interpreted").run(state, 0.9)

    assert [event.time for event in results.events] == pytest.approx([0.7], abs=2e-5)  # rest is 1e-5 m/s, the deceleration 1.9 m/s^2
    assert dissipation(results) > -ROUND_OFF
    assert_allclose(results["body.u"][-1], 0, rtol=0, atol=1e-12)


@pytest.mark.fast("1e-06-0.001")
@pytest.mark.parametrize("least", [1e-1, 1e-3, 1e-5, 1e-7])
@pytest.mark.parametrize("accuracy", [1e-6, 1e-9])
def test_a_slip_that_passes_beside_rest_goes_on(accuracy, least):
    system, body = pushed(NearMiss, acceleration=2.0, middle=0.5, least=least)
    state = system.realize_topology()
    body.set_u(state, [-1.0, least, 0])

    results = mb.Simulation(system, accuracy=accuracy, backend="interpreted").run(state, 1.0)

    rest = 10 * accuracy * (1 + least)
    assert (results.events == ()) == (least > rest)  # a slower slip is at rest for a moment
    assert dissipation(results) > -ROUND_OFF
    assert_allclose(results["body.u"][-1], [1.0, least, 0], rtol=0, atol=2 * rest)
