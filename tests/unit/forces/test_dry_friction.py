"""Dry friction of a coordinate: regularised, and by bristles."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad

import mobod as mb
from mobod import Stage
from mobod.errors import InputError

MASS = 1.7


@pytest.fixture
def cart():
    """A mass of 1.7 kg on a slider, pushed by a force that can be set."""
    system = mb.MultibodySystem("track")
    return mb.Slider(mb.MatterSubsystem(system).ground, mb.MassProperties.point(MASS, [0, 0, 0]), name="cart")


@pytest.fixture
def forces(cart):
    return mb.ForceSubsystem(cart.matter.system)


def state_at(cart, u):
    state = cart.matter.system.realize_topology()
    cart.set_u(state, u)
    cart.matter.system.realize(state, Stage.ACCELERATION)
    return state


def regularised(forces, cart, **more):
    arguments = {"limit": 3.0, "static_limit": 5.0, "viscous": 0.4, "stribeck_speed": 0.2, "transition_speed": 0.01, "name": "rub"}
    return mb.JointFriction(forces, cart, **{**arguments, **more})


def bristles(forces, cart, **more):
    arguments = {
        "limit": 3.0,
        "static_limit": 5.0,
        "viscous": 0.4,
        "stribeck_speed": 0.02,
        "stiffness": 2e4,
        "damping": 150.0,
        "name": "rub",
    }
    return mb.LuGreFriction(forces, cart, **{**arguments, **more})


@pytest.mark.parametrize("u", [0.0, 0.003, -0.13, 4.0])
def test_friction_opposes_the_speed_by_the_law_of_stribeck(cart, forces, u):
    rub = regularised(forces, cart)
    state = state_at(cart, u)
    expected = -u * ((3 + 2 * np.exp(-((u / 0.2) ** 2))) / np.hypot(u, 0.01) + 0.4)
    assert_allclose(cart.matter.mobility_forces(state), [expected], rtol=1e-14)
    assert_allclose(rub.friction(state), expected, rtol=1e-14)
    assert_allclose(rub.calc_power_dissipation_contribution(state), -expected * u, rtol=1e-14)
    assert cart.matter.system.value(state, "rub.force") == rub.friction(state)
    assert cart.matter.system.variable(state, "rub.force").units == ("N",)


def test_limits_and_speeds_have_defaults(cart, forces):
    rub = mb.JointFriction(forces, cart, limit=3.0, transition_speed=0.01)
    assert (rub.default_static_limit, rub.default_stribeck_speed, rub.default_viscous) == (3.0, 0.1, 0.0)


def test_a_sliding_mass_loses_its_energy_to_friction(cart, forces):
    """The distance is the integral of m u / friction(u) over the speed; the integrated dissipation is the energy that it had."""
    rub = regularised(forces, cart)
    heat = mb.measures.Integrate(
        cart.matter.system,
        mb.measures.Custom(cart.matter.system, rub.calc_power_dissipation_contribution, stage=Stage.DYNAMICS, unit="W", name="loss"),
        initial=0.0,
        name="heat",
    )
    state = state_at(cart, 2.0)
    results = mb.Simulation(cart.matter.system, accuracy=1e-10).run(state, until=0.5, report_every=0.5)
    u = results["cart.u"][-1]
    assert 0.5 < u < 2.0
    distance = quad(lambda u: MASS / ((3 + 2 * np.exp(-((u / 0.2) ** 2))) / np.hypot(u, 0.01) + 0.4), u, 2.0, epsabs=1e-12)[0]
    assert_allclose(results["cart.q"][-1], distance, rtol=1e-8)
    assert_allclose(results[f"{heat.name}.value"][-1], MASS / 2 * (2.0**2 - u**2), rtol=1e-8)


def test_below_its_limit_regularised_friction_creeps(cart, forces):
    regularised(forces, cart, static_limit=3.0, viscous=0.0)
    mb.MobilityConstantForce(forces, cart, force=2.0)
    results = mb.Simulation(cart.matter.system, integrator="Rodas5P", accuracy=1e-8).run(state_at(cart, 0.0), until=1.0)
    assert_allclose(results["cart.u"][-1], 0.01 * 2.0 / np.sqrt(3.0**2 - 2.0**2), rtol=1e-6)


def test_bristles_at_constant_speed(cart, forces):
    rub = bristles(forces, cart)
    mb.SteadyMotion(cart, 0.03)
    results = mb.Simulation(cart.matter.system, integrator="Rodas5P", accuracy=1e-9).run(cart.matter.system.realize_topology(), until=0.2)
    final = results.final_state
    cart.matter.system.realize(final, Stage.DYNAMICS)
    g = 3 + 2 * np.exp(-((0.03 / 0.02) ** 2))
    assert_allclose(rub.friction(final), -(g + 0.4 * 0.03), rtol=1e-7)
    assert_allclose(rub.deflection(final), g / 2e4, rtol=1e-7)


def test_bristles_hold_below_the_static_limit_and_break_away_above_it(cart, forces):
    rub = bristles(forces, cart)
    push = mb.MobilityForce(forces, cart)
    system = cart.matter.system
    for load, holds in ((4.95, True), (5.05, False)):
        state = system.realize_topology()
        push.set_force(state, load)
        rub.balance(state)
        final = mb.Simulation(system, integrator="Rodas5P", accuracy=1e-9).run(state, until=3.0).final_state
        assert (abs(cart.u(final)[0]) < 1e-12) == holds
        assert (cart.q(final)[0] > 1.0) == (not holds)


def test_balanced_bristles_hold_without_a_jump(cart, forces):
    rub = bristles(forces, cart)
    mb.MobilityConstantForce(forces, cart, force=-4.5)
    state = cart.matter.system.realize_topology()
    assert rub.balance(state) is rub
    cart.matter.system.realize(state, Stage.ACCELERATION)
    assert_allclose(cart.u_dot(state), [0.0], atol=1e-14)
    assert_allclose(rub.deflection(state), -4.5 / 2e4, rtol=1e-14)
    mb.Simulation(cart.matter.system, integrator="Rodas5P", accuracy=1e-8).run(state, until=10.0)


def test_balanced_bristles_never_exceed_the_limit(cart, forces):
    rub = bristles(forces, cart)
    mb.MobilityConstantForce(forces, cart, force=8.5)
    state = cart.matter.system.realize_topology()
    rub.balance(state)
    cart.matter.system.realize(state, Stage.ACCELERATION)
    assert_allclose(rub.friction(state), -5.0, rtol=1e-14)


def test_the_energy_of_bristles_is_accounted_for(cart, forces):
    """Kinetic energy, bristles and heat together are constant while it slips, stops and swings back on its bristles."""
    rub = bristles(forces, cart)
    system = cart.matter.system
    loss = mb.measures.Custom(system, rub.calc_power_dissipation_contribution, stage=Stage.DYNAMICS, unit="W", name="loss")
    mb.measures.Integrate(system, loss, initial=0.0, name="heat")
    state = state_at(cart, 0.3)
    start = system.energy(state)
    results = mb.Simulation(system, integrator="Rodas5P", accuracy=1e-10).run(state, until=0.4, report_every=0.01)
    assert_allclose(results["energy"] + results["heat.value"], start, rtol=1e-8)
    assert (np.diff(results["heat.value"]) >= 0).all()


def test_the_deflection_starts_as_given_and_is_a_state(cart, forces):
    rub = bristles(forces, cart, deflection_at_start=1e-4)
    state = cart.matter.system.realize_topology()
    assert rub.deflection(state) == 1e-4
    assert cart.matter.system.variable(state, "rub.deflection").role == "state"
    assert rub.set_deflection(state, 2e-4).deflection(state) == 2e-4
    cart.matter.system.realize(state, Stage.ACCELERATION)
    assert rub.calc_potential_energy_contribution(state) == 2e4 * 2e-4**2 / 2
    rub.set_deflection(state, 3e-4)
    cart.matter.system.realize(state, Stage.ACCELERATION)
    assert rub.calc_potential_energy_contribution(state) == 2e4 * 3e-4**2 / 2  # the energy depends on it


@pytest.mark.parametrize("make", [regularised, bristles])
def test_limits_are_checked_together(cart, forces, make):
    message = "'rub': its static_limit, .* N, is below its limit while it slips, .* N"
    with pytest.raises(InputError, match=message):
        make(forces, cart, limit=6.0)
    assert forces.elements == []
    rub = make(forces, cart)
    state = state_at(cart, 0.0)
    for use in (
        lambda: rub.set_limit(state, 5.5),
        lambda: rub.set_static_limit(state, 2.5),
        lambda: rub.set_limits(state, 2.0, 1.0),
        lambda: rub.set_default_limit(5.5),
        lambda: rub.set_default_static_limit(2.5),
    ):
        with pytest.raises(InputError, match=message):
            use()
    assert rub.set_limits(state, 6.0, 7.0) is rub
    assert (rub.limit(state), rub.static_limit(state)) == (6.0, 7.0)
    assert rub.set_default_limits(8.0, 8.0) is rub
    assert (rub.default_limit, rub.default_static_limit) == (8.0, 8.0)


def test_messages_about_friction_name_the_argument_that_was_given_or_left_out(cart, forces):
    for make, message in (
        (lambda: mb.JointFriction(forces, cart), "JointFriction: the argument 'limit' is missing: friction while it slips."),
        (lambda: mb.RigidJointFriction(cart, limit=-1.0), "RigidJointFriction: limit cannot be -1.0 N: the least value is 0."),
    ):
        with pytest.raises(InputError) as raised:
            make()
        assert str(raised.value) == message


@pytest.mark.parametrize(
    ("make", "more", "message"),
    [
        (regularised, {"limit": -1.0}, "'rub.limit' cannot be -1.0 N: the least value is 0"),
        (regularised, {"viscous": -1.0}, "'rub.viscous' cannot be -1.0 N.s/m: the least value is 0"),
        (regularised, {"transition_speed": 0.0}, "'rub.transition_speed' cannot be 0.0 m/s: it must be greater than 0"),
        (regularised, {"transition_speed": 0.0, "stribeck_speed": None}, "'rub.transition_speed' cannot be 0.0 m/s: it must be greater"),
        (regularised, {"transition_speed": "slow", "stribeck_speed": None}, "'rub.transition_speed' takes numbers, not 'slow'"),
        (regularised, {"stribeck_speed": 0.0}, "'rub.stribeck_speed' cannot be 0.0 m/s: it must be greater than 0"),
        (regularised, {"coordinate": 1}, r"JointFriction: 'cart' \(Slider\) has 1 coordinates"),
        (bristles, {"limit": 0.0}, "'rub.limit' cannot be 0.0 N: it must be greater than 0"),
        (bristles, {"stiffness": 0.0}, "'rub.stiffness' cannot be 0.0 N/m: it must be greater than 0"),
        (bristles, {"damping": -1.0}, "'rub.damping' cannot be -1.0 N.s/m: the least value is 0"),
        (bristles, {"deflection_at_start": "far"}, "deflection_at_start"),
    ],
)
def test_invalid_friction_is_refused(cart, forces, make, more, message):
    with pytest.raises(InputError, match=message):
        make(forces, cart, **more)
    assert forces.elements == []
