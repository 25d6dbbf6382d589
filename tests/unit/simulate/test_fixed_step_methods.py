"""Methods with fixed steps: orders, stability, energy, times of steps, events, constraints, and what is refused."""

from math import factorial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod import measures
from mobod.errors import InputError, IntegrationError
from mobod.runtime.integrators import FIXED_STEP_METHODS, method_of
from tests.analytic.linkage import linkage
from tests.reference.stops import bouncing_ball
from tests.unit.simulate.event_systems import GRAVITY, HEIGHT, bounce_times, bouncing_mass, oscillator
from tests.unit.simulate.test_integrators import driven, pendulums


def run(system, state, until, integrator, step, report_every=None, backend="interpreted", **options):
    return mb.Simulation(system, integrator=integrator, step=step, backend=backend, **options).run(state, until, report_every)


# Accuracy


@pytest.mark.parametrize("integrator", FIXED_STEP_METHODS)
def test_errors_against_closed_forms_have_the_order(integrator):
    """An oscillator, whose q and u take different ways in SemiImplicitEuler; and an equation that depends on time."""
    spring, at_rest, _ = oscillator()
    forced, start = driven(fast=2.0)
    steps = 0.04 * 0.5 ** np.arange(4)
    errors = [
        (
            abs(run(spring, at_rest, 2.0, integrator, step).final_state.q[0] - np.sin(2.0 - 0.7)),
            abs(run(forced, start, 2.0, integrator, step).final_state.z[0] - np.cos(2.0)),
        )
        for step in steps
    ]
    found = np.log2(np.array(errors[:-1]) / errors[1:])
    assert_allclose(found[-1], method_of(integrator).order, atol=0.15)  # the next term of the error is a tenth of the first


def spinning_body():
    """A body on a ball, with general rates: quaternions, whose rates are not speeds."""
    system = mb.MultibodySystem("spinning")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0])
    body = mb.Ball(matter.ground, mb.MassProperties(1.3, [0.1, -0.2, 0.05], mb.Inertia(np.diag([0.2, 0.15, 0.25]))), name="body")
    state = system.realize_topology()
    body.set_u(state, [1.1, -2.0, 0.7])
    return system, state


@pytest.mark.parametrize("integrator", FIXED_STEP_METHODS)
def test_quaternions_keep_the_order_and_unit_length(integrator):
    system, state = spinning_body()
    exact = mb.Simulation(system, 1e-12, integrator="DOP853", backend="interpreted").run(state, 1.0).final_state
    errors = []
    for step in (0.02, 0.01, 0.005):
        results = run(system, state, 1.0, integrator, step)
        assert_allclose(np.linalg.norm(results.y[:, :4], axis=1), 1, rtol=1e-15)
        errors.append(np.abs(results.final_state.y - exact.y).max())
    assert_allclose(np.log2(errors[1] / errors[2]), method_of(integrator).order, atol=0.3)


@pytest.mark.parametrize("integrator", FIXED_STEP_METHODS)
def test_decays_and_oscillations_are_stable_up_to_their_limits_and_not_far_beyond(integrator):
    """200 steps of x' = -lambda (x - cos t) - sin t, and of q'' = -q. The limits are rounded down by less than a twentieth."""
    method, (spring, start, _) = method_of(integrator), oscillator()
    lasting, growing = (
        np.abs(run(spring, start, 200 * factor * method.oscillations, integrator, factor * method.oscillations).final_state.y).max()
        for factor in (0.99, 1.05)
    )
    assert lasting < 30 < growing  # near the limit q and u are those of a long ellipse
    decaying, start = driven(fast=1e3, start=1.5)
    damped, growing = (
        abs(run(decaying, start, 0.2 * step, integrator, 1e-3 * step).final_state.z[0] - 1)
        for step in (0.99 * method.stability, 1.1 * method.stability)
    )
    assert damped < 0.5 < growing


def test_semi_implicit_euler_follows_its_formula():
    """For u' = -q: u+ = u - h q, and q+ = q + h u+."""
    system, state, _ = oscillator()
    h, q, u = 0.1, state.q[0], state.u[0]
    for _ in range(7):
        u -= h * q
        q += h * u
    final = run(system, state, 0.7, "SemiImplicitEuler", h).final_state
    assert_allclose([final.q[0], final.u[0]], [q, u], rtol=1e-14)


def test_semi_implicit_euler_keeps_the_energy_of_an_oscillator_bounded():
    """160 periods. q^2 + u^2 - h q u is constant, so q^2 + u^2 oscillates by h / 2 of it at most."""
    system, state, _ = oscillator()
    h = 0.1
    q, u = run(system, state, 1000.0, "SemiImplicitEuler", h).y.T
    constant = 1 - h * state.q[0] * state.u[0]
    assert_allclose(q**2 + u**2 - h * q * u, constant, rtol=1e-11)
    assert (q**2 + u**2).max() < constant / (1 - h / 2) + 1e-11
    assert (q**2 + u**2).min() > constant / (1 + h / 2) - 1e-11


@pytest.mark.slow
def test_compiled_and_interpreted_runs_give_the_same_bits():
    system, state = pendulums()
    for integrator in FIXED_STEP_METHODS:
        compiled, interpreted = (run(system, state, 0.5, integrator, 0.01, backend=each) for each in ("compiled", "interpreted"))
        assert compiled.integrator == integrator
        assert_array_equal(compiled.y, interpreted.y)


# The times of steps


@pytest.mark.parametrize("integrator", FIXED_STEP_METHODS)
def test_steps_end_at_multiples_from_the_start_and_the_last_one_is_shorter(integrator):
    system, state, _ = oscillator()
    state.time = 0.3
    results = run(system, state, 1.0, integrator, 0.1 / 3)
    assert_array_equal(results.time, [*(0.3 + np.arange(21) * (0.1 / 3)), 1.0][: len(results.time)])
    assert results.steps == len(results.time) - 1 == 21
    assert results.evaluations == results.steps * method_of(integrator).last
    cut = run(system, state, 0.98, integrator, 0.1 / 3)
    assert_array_equal(cut.time[:-1], results.time[: len(cut.time) - 1])
    assert cut.time[-1] == 0.98


def test_a_run_ends_with_the_step_whose_end_equals_its_own_up_to_round_off():
    system, state, _ = oscillator()
    results = run(system, state, 0.3, "RK4", 0.1)
    assert results.steps == 3
    assert results.time[-1] == 3 * 0.1 != 0.3


@pytest.mark.parametrize("integrator", FIXED_STEP_METHODS)
def test_a_run_in_parts_gives_the_same_bits(integrator):
    system, state = driven(fast=2.0)
    step = 2.0**-7
    whole = run(system, state, 1.0, integrator, step)
    part = state
    for until in (0.25, 0.375, 1.0):
        part = run(system, part, until, integrator, step).final_state
    assert_array_equal(part.y, whole.final_state.y)


@pytest.mark.parametrize("integrator", FIXED_STEP_METHODS)
def test_reports_within_steps_do_not_affect_them_and_are_as_accurate(integrator):
    """The error of a step of order p is the next term of exp(i h), h^(p + 1) / (p + 1)!; that of a cubic polynomial h^4 / 384."""
    (system, state, _), order = oscillator(), method_of(integrator).order
    alone, reported = run(system, state, 2.0, integrator, 0.01), run(system, state, 2.0, integrator, 0.01, report_every=0.0037)
    assert_array_equal(reported.final_state.y, alone.final_state.y)
    exact = np.array([np.sin(reported.time - 0.7), np.cos(reported.time - 0.7)]).T
    assert_allclose(reported.y, exact, atol=200 * 0.01 ** (order + 1) / factorial(order + 1) + 0.01**4 / 384)


def test_steps_are_not_longer_than_a_delay():
    system = mb.MultibodySystem("clockwork")
    mb.MatterSubsystem(system)
    wave = measures.Sinusoid(system, 2.0, 3.0, 0.1)
    late = measures.Delay(system, wave, 0.03, name="late")
    measures.Integrate(system, late, name="area")
    state = system.realize_topology()
    results = run(system, state, 1.0, "RK4", 0.1)
    assert np.diff(results.time).max() < 0.0301
    exact = 2 / 3 * (np.cos(0.1) - np.cos(3 * (1 - 0.03) + 0.1)) + 0.03 * 2 * np.sin(0.1)
    assert_allclose(results["area.value"][-1], exact, atol=1e-5)


# Events


@pytest.mark.parametrize("integrator", FIXED_STEP_METHODS)
def test_a_scheduled_event_cuts_a_step_and_the_next_one_ends_where_steps_do(integrator):
    system, state, _ = oscillator()
    heard = []
    mb.PeriodicEventReporter.of(system, 0.25, lambda state: heard.append(state.time), name="tick")
    state = system.realize_topology()
    results = run(system, state, 1.0, integrator, 0.1)
    assert_array_equal(heard, [0, 0.25, 0.5, 0.75, 1.0])
    expected = np.union1d(np.arange(11) * 0.1, [0.25, 0.75])
    assert_array_equal(results.time, expected)


def test_bounces_are_located_within_steps():
    """RK4 is exact for a fall, so that only the location of the witness is left."""
    system, _, ball = bouncing_mass()
    found = []
    mb.TriggeredEventReporter.of(system, lambda state: ball.q(state)[0], lambda state: found.append(state.time), direction="falling")
    state = system.realize_topology()
    ball.set_q(state, HEIGHT)
    run(system, state, 2.0, "RK4", 0.04)
    assert_allclose(found, bounce_times(2.0), atol=1e-9)


def test_bounces_with_semi_implicit_euler_are_as_accurate_as_its_steps():
    errors = []
    for step in (0.004, 0.002):
        system, state, _ = bouncing_mass(stop_at=3)
        results = run(system, state, 3.0, "SemiImplicitEuler", step)
        assert results.terminated_by == "bounce"
        errors.append(abs(results.time[-1] - bounce_times(3.0)[2]))
    assert_allclose(errors[0] / errors[1], 2, atol=0.2)


@pytest.mark.fast(2)
@pytest.mark.parametrize("integrator", FIXED_STEP_METHODS)
def test_an_impact_at_a_limit_comes_to_rest_there(integrator):
    system, _ = bouncing_ball(HEIGHT, GRAVITY, 0.4)
    results = run(system, system.realize_topology(), 2.0, integrator, 0.01)
    assert np.abs(results.y[-1]).max() < 1e-9
    assert results.y[:, 0].min() > -1e-9
    assert np.diff(results.time).max() < 0.0101


# Constraints


@pytest.mark.fast(2)
@pytest.mark.parametrize("integrator", FIXED_STEP_METHODS)
def test_every_step_satisfies_the_constraints_of_a_linkage(integrator):
    made = linkage()
    results = run(made.system, made.state, 1.0, integrator, 0.01, report_every=0.004)
    for time, y in zip(results.time, results.y, strict=True):
        state = made.state.copy()
        state.time, state.y = time, y
        made.system.realize(state, mb.Stage.VELOCITY)
        for ball in made.balls:
            assert np.abs(ball.position_errors(state)).max() < 1e-12
            assert np.abs(ball.velocity_errors(state)).max() < 1e-11
    exact = mb.Simulation(made.system, 1e-10, backend="interpreted").run(made.state, 1.0).final_state
    # the motion, of some units, changes within half a second
    assert_allclose(results.final_state.y, exact.y, atol=5 * (0.01 / 0.5) ** method_of(integrator).order)


# What is refused


@pytest.mark.parametrize("integrator", FIXED_STEP_METHODS)
def test_a_step_is_required_and_options_of_error_control_are_refused(integrator):
    system, _, _ = oscillator()
    for options, message in [
        ({}, f"integrator='{integrator}' needs a positive and finite step in s, not None"),
        ({"step": -0.1}, "needs a positive and finite step"),
        ({"step": 0.1, "max_step": 0.2}, f"integrator='{integrator}' has fixed steps, so max_step has no effect"),
        ({"step": 0.1, "max_steps": 10}, f"integrator='{integrator}' takes a number of steps that follows from the duration"),
        ({"step": 0.1, "engagement": "predictive"}, "engagement applies only to integrator='velocity_level'"),
    ]:
        with pytest.raises(InputError, match=message):
            mb.Simulation(system, integrator=integrator, **options)


@pytest.mark.parametrize("integrator", FIXED_STEP_METHODS)
def test_steps_that_are_too_long_for_stability_diverge_with_an_error(integrator):
    system, state = driven(fast=1e3, start=1.5)
    with pytest.raises(IntegrationError, match=r"the derivative of 'driven\.x' is inf.*shorter steps"):
        run(system, state, 10.0, integrator, 0.01)


def test_a_rate_that_is_not_finite_ends_the_run_at_the_last_good_step():
    system = mb.MultibodySystem("wall")
    mb.MatterSubsystem(system)

    class Wall(mb.CustomSubsystem):
        def realize_model(self, state):
            state.allocate_z(self, 1.0, "x")

        def realize_acceleration(self, state):
            x = state.handle(self, "x")
            state.set_rate(x, -1.0 + 1e-3 * np.sqrt(state.get(x)))

    Wall(system, "wall")
    state = system.realize_topology()
    with pytest.raises(IntegrationError, match=r"the integration stopped at 1\.\d+ s: the derivative of 'wall\.x' is nan"):
        run(system, state, 2.0, "RK4", 0.3)
    assert state.time == 0
