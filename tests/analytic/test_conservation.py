"""Energy and momentum are conserved to the requested accuracy where no force changes them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import mobod as mb
from tests.analytic.momentum import momentum_about_ground_origin
from tests.laws.mechanisms import random_frame, random_mass

# local errors of some hundred steps, each within the accuracy, add up: at most 100 of them
ADDED_UP = 100


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def free(rng):
    """A body with three different moments and its mass center off its origin; (system, body)."""
    system = mb.MultibodySystem("free body")
    matter = mb.MatterSubsystem(system)
    mb.ForceSubsystem(system)
    return system, mb.Free(matter.ground, random_mass(rng), random_frame(rng), random_frame(rng), name="body")


def tumbling(free, rng):
    system, body = free
    state = system.realize_topology()
    body.set_q(state, [*(e := rng.normal(size=4)) / np.linalg.norm(e), *rng.normal(size=3)])
    body.set_u(state, rng.normal(size=6))
    return state


@pytest.mark.parametrize("accuracy", [1e-5, 1e-9])
def test_energy_of_an_undriven_chain_is_conserved_to_the_accuracy(rng, accuracy):
    """Pins, a slider and a weld at general angles in a gravity field, with a spring, without dampers and motors."""
    system = mb.MultibodySystem("chain")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0.3, -1, 0.2], magnitude=9.7)
    last = matter.ground
    for kind in (mb.Pin, mb.Pin, mb.Weld, mb.Slider, mb.Pin):
        last = kind(last, random_mass(rng), random_frame(rng), random_frame(rng))
    mb.MobilityLinearSpring(forces, matter.bodies[3], stiffness=40.0)
    state = system.realize_topology()
    state.q, state.u = rng.normal(size=4), rng.normal(size=4)
    results = mb.Simulation(system, accuracy=accuracy).run(state, until=3.0, report_every=0.1)

    assert np.ptp(results["kinetic_energy"]) > 1  # it does move
    assert np.ptp(results["energy"]) <= ADDED_UP * accuracy * np.abs(results["kinetic_energy"]).max()


@pytest.mark.parametrize("accuracy", [1e-5, 1e-9])
def test_energy_and_momentum_of_a_free_body_are_conserved_to_the_accuracy(free, rng, accuracy):
    system, body = free
    state = tumbling(free, rng)
    results = mb.Simulation(system, accuracy=accuracy).run(state, until=5.0)
    start, end = (momentum_at(system, body, each) for each in (state, results.final_state))

    assert_allclose(end, start, atol=ADDED_UP * accuracy * np.abs(start).max())
    assert np.ptp(results["energy"]) <= ADDED_UP * accuracy * results["energy"][0]
    assert not np.allclose(results["body.u"][-1, :3], results["body.u"][0, :3], atol=0.1)  # it does tumble


def momentum_at(system, body, state):
    system.realize(state, mb.Stage.VELOCITY)
    return momentum_about_ground_origin([body], state)


def test_a_torque_free_body_satisfies_eulers_equations(free, rng):
    """In the axes of the body about its mass center: I w' = (I w) x w."""
    system, body = free
    state = tumbling(free, rng)
    results = mb.Simulation(system, accuracy=1e-11).run(state, until=3.0, report_every=0.25)
    central = body.body.mass_properties.inertia_about_com
    R_GB = results["body.R_GB"].reshape(-1, 3, 3)
    w_B = np.einsum("tji,tj->ti", R_GB, results["body.w_GB"])
    euler = solve_ivp(
        lambda t, w: np.linalg.solve(central, np.cross(central @ w, w)), (0, 3), w_B[0], "DOP853", results.time, rtol=1e-12, atol=1e-12
    )

    assert_allclose(w_B, euler.y.T, atol=1e-8)  # 1000 times the accuracy


def test_the_mass_center_of_a_falling_body_moves_along_a_parabola(rng):
    system = mb.MultibodySystem("falling")
    matter = mb.MatterSubsystem(system)
    down = np.array([0.4, -0.6, 0.2])
    mb.Gravity(mb.ForceSubsystem(system), matter, down=down, magnitude=9.81)
    body = mb.Free(matter.ground, random_mass(rng), random_frame(rng), random_frame(rng), name="body")
    state = tumbling((system, body), rng)
    results = mb.Simulation(system, accuracy=1e-10).run(state, until=2.0, report_every=0.25)

    to_com = results["body.R_GB"].reshape(-1, 3, 3) @ body.body.mass_properties.com
    com = results["body.p_GB"] + to_com
    velocity = results["body.v_GB"][0] + np.cross(results["body.w_GB"][0], to_com[0])
    g = 9.81 * down / np.linalg.norm(down)
    t = results.time[:, None]
    assert_allclose(com, com[0] + velocity * t + g * t**2 / 2, atol=1e-7)  # 1000 times the accuracy
    assert_allclose(results["energy"], results["energy"][0], atol=1e-7)


@pytest.mark.parametrize("report_every", [None, 0.01])
def test_quaternions_have_unit_length_at_every_report(free, rng, report_every):
    system, _ = free
    results = mb.Simulation(system, accuracy=1e-4).run(tumbling(free, rng), until=5.0, report_every=report_every)
    assert_allclose(np.linalg.norm(results["body.q"][:, :4], axis=1), 1, atol=1e-14)


@pytest.mark.parametrize("length", [1e-3, 0.7, 40.0])
def test_a_quaternion_of_any_length_starts_the_same_motion(free, rng, length):
    system, body = free
    state = tumbling(free, rng)
    scaled = state.copy()
    body.set_q(scaled, [*length * body.q(state)[:4], *body.q(state)[4:]])
    simulation = mb.Simulation(system, accuracy=1e-9)
    expected, actual = (simulation.run(each, until=1.0, report_every=0.1) for each in (state, scaled))

    assert_allclose(np.linalg.norm(actual["body.q"][:, :4], axis=1), 1, atol=1e-14)
    assert_allclose(actual["body.q"], expected["body.q"], atol=1e-12)  # the same steps but for the rounding of the start
    assert_allclose(body.q(scaled)[:4], length * body.q(state)[:4])  # run did not change its argument


def test_projection_to_unit_length_keeps_the_order_of_the_method(free, rng):
    """Halving fixed steps of a method of order 5 divides the error by about 2^5."""
    system, _ = free
    state = tumbling(free, rng)
    exact = mb.Simulation(system, accuracy=1e-13).run(state, until=1.0).y[-1]
    errors = [
        np.abs(mb.Simulation(system, accuracy=0.1, integrator="RK45", max_step=h).run(state, until=1.0).y[-1] - exact).max()
        for h in (0.1, 0.05)
    ]
    assert errors[0] / errors[1] > 2**4.5
