"""Stops and constant forces on one coordinate: closed forms, and errors."""

from math import inf
from sys import float_info

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod import Stage
from mobod.errors import InputError


@pytest.fixture
def cart():
    """A mass of 1.7 kg on a slider."""
    system = mb.MultibodySystem("track")
    return mb.Slider(mb.MatterSubsystem(system).ground, mb.MassProperties.point(1.7, [0, 0, 0]), name="cart")


@pytest.fixture
def forces(cart):
    return mb.ForceSubsystem(cart.matter.system)


def state_at(cart, q, u):
    state = cart.matter.system.realize_topology()
    cart.set_q(state, q)
    cart.set_u(state, u)
    cart.matter.system.realize(state, Stage.ACCELERATION)
    return state


@pytest.mark.parametrize(
    "spring",
    [
        lambda forces, cart: mb.FixedTendon(forces, [cart], [0], [1.0], stiffness=6.8, rest_low=0.3, rest_high=0.3),
        lambda forces, cart: mb.MobilityLinearStop(forces, cart, stiffness=6.8, q_low=0.3, q_high=0.3),
    ],
    ids=["tendon", "stop"],
)
def test_a_spring_without_slack_counts_its_stiffness_once_where_it_is_at_rest(cart, forces, spring):
    spring(forces, cart)
    change = cart.matter.system.directional_derivative(state_at(cart, 0.3, 0.0), ["der(cart.u)"], {"cart.q": 1.0})
    assert_allclose(change["der(cart.u)"], -6.8 / 1.7, rtol=1e-15)


def test_a_constant_force_on_a_coordinate_accelerates_it(cart, forces):
    force = mb.MobilityConstantForce(forces, cart, force=-3.4, name="push")
    state = state_at(cart, 0.3, 0.7)
    assert_allclose(cart.u_dot(state), -2.0, rtol=1e-15)
    assert force.calc_potential_energy_contribution(state) == force.calc_power_dissipation_contribution(state) == 0
    assert cart.matter.system.variable(state, "push.force").role == "parameter"


# stiffness 200 N/m, dissipation 0.4 s/m, from -0.1 to 0.3 m
@pytest.mark.parametrize(
    ("q", "u", "force", "energy", "dissipation"),
    [
        (0.1, 3.0, 0.0, 0.0, 0.0),  # between the stops
        (0.3, 3.0, 0.0, 0.0, 0.0),  # just at one
        (0.45, 1.5, -200 * 0.15 * (1 + 0.4 * 1.5), 100 * 0.15**2, 200 * 0.15 * 0.4 * 1.5**2),
        (0.45, -1.5, -200 * 0.15 * (1 - 0.4 * 1.5), 100 * 0.15**2, 200 * 0.15 * 0.4 * 1.5**2),
        (0.45, -4.0, 0.0, 100 * 0.15**2, 200 * 0.15 * 4.0),  # left faster than 1 / dissipation: it does not pull
        (-0.35, -1.5, 200 * 0.25 * (1 + 0.4 * 1.5), 100 * 0.25**2, 200 * 0.25 * 0.4 * 1.5**2),
        (-0.35, 1.5, 200 * 0.25 * (1 - 0.4 * 1.5), 100 * 0.25**2, 200 * 0.25 * 0.4 * 1.5**2),
        (-0.35, 4.0, 0.0, 100 * 0.25**2, 200 * 0.25 * 4.0),
    ],
)
def test_a_stop_pushes_back_beyond_its_bounds(cart, forces, q, u, force, energy, dissipation):
    stop = mb.MobilityLinearStop(forces, cart, stiffness=200.0, dissipation=0.4, q_low=-0.1, q_high=0.3)
    state = state_at(cart, q, u)
    assert_allclose(cart.matter.mobility_forces(state), [force], rtol=1e-14)
    assert_allclose(stop.calc_potential_energy_contribution(state), energy, rtol=1e-14)
    assert_allclose(stop.calc_power_dissipation_contribution(state), dissipation, rtol=1e-14)


@pytest.mark.parametrize("bound", ["q_low", "q_high"])
def test_a_stop_may_have_a_single_bound(cart, forces, bound):
    """Infinity is stored as the largest double in a State, and so in an FMU."""
    stop = mb.MobilityLinearStop(forces, cart, stiffness=200.0, **{bound: 0.1})
    for q, beyond in ((5.0, "q_high"), (-5.0, "q_low")):
        state = state_at(cart, q, 0.0)
        assert_allclose(cart.matter.mobility_forces(state), [-200 * (q - 0.1) if beyond == bound else 0.0], rtol=1e-15)
    assert (stop.q_low(state), stop.q_high(state)) == ((0.1, float_info.max) if bound == "q_low" else (-float_info.max, 0.1))


def test_a_cart_bounces_elastically_from_a_stop_without_dissipation(cart, forces):
    """After half a period of the spring, pi sqrt(m/k), the cart leaves the stop with the opposite speed."""
    mb.MobilityLinearStop(forces, cart, stiffness=680.0, q_high=0.5)
    state = state_at(cart, 0.0, 2.0)
    contact = np.pi * np.sqrt(1.7 / 680)
    results = mb.Simulation(cart.matter.system, accuracy=1e-10, max_step=0.01).run(state, until=0.25 + contact + 0.1)
    assert_allclose([results["cart.q"][-1], results["cart.u"][-1]], [0.3, -2.0], atol=1e-6)  # the corner costs some digits


def test_bounds_are_set_together_or_in_turn(cart, forces):
    stop = mb.MobilityLinearStop(forces, cart, stiffness=200.0, q_low=-0.1, q_high=0.3, name="stop")
    state = state_at(cart, 0.0, 0.0)
    assert stop.set_bounds(state, 1.0, 2.0) is stop
    assert (stop.q_low(state), stop.q_high(state)) == (1.0, 2.0)
    stop.set_q_high(state, inf).set_q_low(state, 1.5)
    assert (stop.q_low(state), stop.q_high(state)) == (1.5, float_info.max)
    stop.set_default_bounds(-4.0, -3.0)
    assert (stop.default_q_low, stop.default_q_high) == (-4.0, -3.0)


def test_bounds_in_the_wrong_order_are_refused_and_nothing_is_set(cart, forces):
    order = "'stop': its lower stop, .* m, is above its upper stop, .* m. Swap them"
    with pytest.raises(InputError, match=order):
        mb.MobilityLinearStop(forces, cart, stiffness=1.0, q_low=0.3, q_high=-0.1, name="stop")
    assert forces.elements == []
    stop = mb.MobilityLinearStop(forces, cart, stiffness=1.0, q_low=-0.1, q_high=0.3, name="stop")
    state = state_at(cart, 0.0, 0.0)
    for use in (
        lambda: stop.set_q_low(state, 0.4),
        lambda: stop.set_q_high(state, -0.2),
        lambda: stop.set_bounds(state, 2, 1),
        lambda: stop.set_default_q_low(0.4),
        lambda: stop.set_default_q_high(-0.2),
    ):
        with pytest.raises(InputError, match=order):
            use()
    assert (stop.q_low(state), stop.q_high(state)) == (stop.default_q_low, stop.default_q_high) == (-0.1, 0.3)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"stiffness": -1.0}, "'stop.stiffness' cannot be -1.0 N/m: the least value is 0"),
        ({"dissipation": -1.0}, "'stop.dissipation' cannot be -1.0 s/m: the least value is 0"),
        ({"q_low": np.nan}, "'stop.q_low' cannot be nan m: not a finite number"),
        ({"coordinate": 1}, r"'cart' \(Slider\) has 1 coordinates, numbered from 0; 1 is not one of them"),
    ],
)
def test_invalid_stops_are_refused(cart, forces, more, message):
    with pytest.raises(InputError, match=message):
        mb.MobilityLinearStop(forces, cart, **{"stiffness": 1.0, "name": "stop", **more})
    assert forces.elements == []


def test_stops_and_constant_forces_need_a_coordinate_whose_rate_is_a_speed(forces, cart):
    free = mb.Free(cart, mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.sphere(mass=1.0, radius=0.1)), name="free")
    with pytest.raises(InputError, match=r"MobilityLinearStop: coordinate 2 of 'free' \(Free\) has no speed as its rate"):
        mb.MobilityLinearStop(forces, free, coordinate=2, stiffness=1.0)
    with pytest.raises(InputError, match=r"MobilityConstantForce: 'free' \(Free\) has 6 speeds"):
        mb.MobilityConstantForce(forces, free, speed=6, force=1.0)
