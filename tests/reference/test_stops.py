"""mobod compared with exactly known motions with stops: data/couplings/exact_*.json."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from tests.reference.stops import bouncing_ball, hinge_with_stop, particle_in_wedge, read, slotted_hinge

ACCURACY = 1e-10
EXACT = 1e-8  # of times, speeds and impulses, at that accuracy


@pytest.fixture(params=["interpreted", "compiled"])
def simulate(request):
    return partial(run, request.param)


def run(backend, system, until, **options):
    results = mb.Simulation(system, accuracy=ACCURACY, backend=backend).run(system.realize_topology(), until, **options)
    system.realize(results.final_state, mb.Stage.ACCELERATION)
    return results


@pytest.mark.fast(1)
def test_a_hinge_falls_on_its_stop_and_rests_there(simulate):
    exact = read("exact_hinge_stop")
    system, pin = hinge_with_stop(exact["params"])

    results = simulate(system, 2.0)
    final = results.final_state

    assert [(event.name, event.direction) for event in results.events] == [("hinge.upper_limit", -1)]
    assert_allclose(results.events[0].time, exact["t_impact"], rtol=EXACT)
    assert_allclose(results.events[0].y_before[1], exact["thetadot_minus"], rtol=EXACT)
    assert_allclose(pin.limit_impulse(final), -exact["impulse_e0"], rtol=EXACT)
    assert_allclose(pin.limit_force(final), -exact["rest_moment"], rtol=EXACT)
    assert pin.engaged(final) == [-1]
    assert_allclose(pin.q(final), exact["params"]["theta_max"], atol=1e-11)  # the constraint tolerance
    lost = 0.5 * exact["thetadot_minus"] ** 2 * exact["params"]["I_pivot"]  # 1/2 w^2 / (N M^-1 N^T): its whole kinetic energy
    assert_allclose(system.energy(final), -lost, rtol=EXACT)  # the energy at the start is 0


def test_a_hinge_bounces_by_its_restitution(simulate):
    exact = read("exact_hinge_stop")
    system, _ = hinge_with_stop(exact["params"], restitution=0.5)

    results = simulate(system, 1.4)

    assert_allclose(results.event_times("hinge.upper_limit")[:3], [0.38517521, 0.89317869, 1.20227514], atol=1e-8)  # 8 decimals
    for bounce in results.events:
        assert_allclose(bounce.y_after[1], -0.5 * bounce.y_before[1], rtol=1e-12)


def test_a_stop_with_restitution_1_conserves_energy(simulate):
    system, _ = hinge_with_stop(read("exact_hinge_stop")["params"], restitution=1.0)

    results = simulate(system, 3.0)

    assert len(results.events) == 4
    assert_allclose(results["energy"], 0.0, atol=1e-8)  # the energies are some 8.5 J; some 200 steps


@pytest.mark.parametrize("case", read("exact_bouncing_ball")["cases"][:3], ids=lambda case: f"e={case['e']}")
def test_a_ball_bounces_and_comes_to_rest_in_finite_steps(case):
    exact = read("exact_bouncing_ball")
    system, ball = bouncing_ball(exact["h0"], exact["g"], case["e"])

    results = run("compiled", system, 1.2 * case["t_zeno"])  # up to 63 bounces
    times = results.event_times("ball.lower_limit")
    n = min(len(times), len(case["impacts"]))

    assert n > 10
    assert_allclose(times[:n], case["impacts"][:n], rtol=EXACT)
    # rest begins when the speed is 1e-6 of the first one, earlier than after all bounces
    assert_allclose(times[-1], case["t_zeno"], rtol=1e-5)
    assert ball.engaged(results.final_state) == [1]
    assert_allclose(ball.limit_force(results.final_state), 1.3 * exact["g"], rtol=1e-12)
    assert_allclose(results.final_state.y, 0.0, atol=1e-11)


@pytest.mark.fast(
    "interpreted-exact_custom_joint_demo_e0", "interpreted-exact_slotted_hinge_undamped_e0", "compiled-exact_slotted_hinge_undamped_e0"
)
@pytest.mark.parametrize("name", ["exact_custom_joint_demo_e0", "exact_slotted_hinge_undamped_e0"])
def test_a_slotted_hinge_matches_the_exact_motion_at_the_ends_of_its_slot(name, simulate):
    exact = read(name)
    system, _ = slotted_hinge(exact["params"])

    results = simulate(system, exact["steps"][-1][0], report_every=0.01)

    assert len(results.events) == len(exact["events"])
    for event, known in zip(results.events, exact["events"], strict=True):
        assert event.name == f"hinge.{known['side']}_limit_0"
        assert event.direction == (1 if known["type"] == "release" else -1)
        assert_allclose(event.time, known["t"], rtol=EXACT)
        assert_allclose(event.y_before[2:], known.get("u_minus", known.get("u")), atol=EXACT)
        assert_allclose(event.y_after[2:], known.get("u_plus", known.get("u")), atol=EXACT)
    _, states, engaged, forces = zip(*exact["steps"], strict=True)
    y = np.hstack([results["hinge.q"], results["hinge.u"]])
    assert_allclose(y, states, atol=EXACT)
    assert_allclose(results["hinge.limit_0.engaged"], engaged)
    assert_allclose(results["hinge.limit_0.force"], forces, atol=EXACT * np.abs(forces).max())


def test_a_body_thrown_off_by_an_impact_is_not_held(simulate):
    exact = read("exact_custom_joint_demo_e0")
    first = exact["events"][0]
    system, hinge = slotted_hinge(exact["params"])

    final = simulate(system, first["t"] + 1e-3).final_state

    assert first["engaged_after"] == 0
    assert hinge.engaged(final)[0] == 0
    assert_allclose(hinge.limit_force(final), 0)
    assert_allclose(hinge.limit_impulse(final)[0], first["impulse"], rtol=EXACT)
    assert hinge.u_dot(final)[0] < -1  # m/s^2: away from the stop
    assert hinge.q(final)[0] < 0.5


@pytest.mark.fast(3)
@pytest.mark.parametrize("case", read("exact_two_wedge")["cases"], ids=lambda case: f"{case['deg']:g} degrees")
def test_a_particle_moves_from_one_side_of_a_wedge_to_the_other(case, simulate):
    system, _, wedge = particle_in_wedge(case["deg"], case["p0"], case["F"])
    impacts = [event for event in case["events"] if event["type"] == "impact"]

    results = simulate(system, case["events"][-1]["t"] + 1e-3)
    found = [event for event in results.events if event.direction < 0]
    if case["deg"] == 90:  # the sides coincide to round-off, and are hit at the same time
        assert len(found) == 2
        assert_allclose(found[1].time, found[0].time, rtol=1e-12)
        del found[1]

    assert [int(event.name[-1]) + 1 for event in found] == [event["constraint"] for event in impacts]
    for event, known in zip(found, impacts, strict=True):
        assert_allclose(event.time, known["t"], rtol=EXACT)
        assert_allclose(event.y_before[3:5], known["v_minus"], atol=EXACT)
        assert_allclose(event.y_after[3:5], known["v_plus"], atol=EXACT)
    assert_allclose(wedge.distances(results.final_state).min(), 0, atol=1e-11)


@pytest.mark.fast(1)
@pytest.mark.parametrize(("integrator", "accuracy"), [("Rodas5P", 1e-7), ("DOP853", ACCURACY)])
def test_limits_hold_with_an_implicit_integrator_and_with_one_of_high_order(integrator, accuracy):
    exact = read("exact_custom_joint_demo_e0")
    system, hinge = slotted_hinge(exact["params"])

    results = mb.Simulation(system, accuracy, integrator=integrator, backend="interpreted").run(system.realize_topology(), 2.0)

    bound = 100 * accuracy  # the same as for the other tests
    assert [event.direction for event in results.events] == [-1, -1, 1]
    for event, known in zip(results.events, exact["events"], strict=True):
        assert_allclose(event.time, known["t"], rtol=bound)
        assert_allclose(event.y_after[2:], known.get("u_plus", known.get("u")), atol=10 * bound)  # speeds of up to 10
    assert hinge.engaged(results.final_state)[0] == 0
