"""Events in runs: their times, their order, and their effects."""

import copy
from math import acos, pi, sqrt

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.errors import ElementError, EventError, InputError, StageError
from mobod.matter.unilateral.contact_events import Contact
from mobod.matter.unilateral.friction import FrictionEvent
from mobod.runtime.integrators import METHODS
from mobod.system.events.handlers import EventHandler
from tests.unit.simulate.event_systems import (
    HEIGHT,
    RESTITUTION,
    bounce_times,
    bouncing_mass,
    crossing_times,
    oscillator,
    pendulum,
)


def run(system, state, until, accuracy=1e-6, method="DOP853", **options):
    return mb.Simulation(system, accuracy, backend="interpreted", integrator=method).run(state, until, **options)


# triggered events
@pytest.mark.fast(8)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("recordable", [True, False])
@pytest.mark.parametrize("accuracy", [1e-1, 1e-3, 1e-6, 1e-10])
def test_no_bounce_is_missed_at_any_accuracy(accuracy, recordable, method):
    system, state, _ = bouncing_mass(recordable=recordable)
    results = run(system, state, 3.5, accuracy, method)
    # free fall is a polynomial that the methods integrate exactly; round-off remains and accumulates over the bounces
    assert_allclose(results.event_times("bounce"), bounce_times(3.5), atol=1e-12)


@pytest.mark.parametrize("method", ["RK45", "DOP853"])
def test_a_pendulum_crosses_zero_at_the_times_of_the_elliptic_integral(method):
    system, state, _ = pendulum()
    results = run(system, state, 10.0, 1e-12, method)
    assert_allclose(results.event_times("crossing"), crossing_times(9), atol=1e-10)  # 100 times the accuracy, for about 100 steps
    assert [event.direction for event in results.events] == [-1, 1] * 4 + [-1]


def test_a_handler_gets_the_state_at_the_crossing_and_results_have_it_before_and_after():
    system, state, ball = bouncing_mass()
    seen = []
    mb.TriggeredEventReporter.of(
        system, lambda state: ball.q(state)[0], lambda state: seen.append((state.time, ball.q(state)[0], ball.u(state)[0])), name="look"
    )
    state = system.realize_topology()
    ball.set_q(state, HEIGHT)
    results = run(system, state, 1.0)
    (time, q, u), impact = seen[0], bounce_times(1.0)[0]
    assert time == pytest.approx(impact, abs=1e-13)
    assert q == pytest.approx(0, abs=1e-12)
    assert u == pytest.approx(-9.8 * impact, rel=1e-12)  # reports come before handlers
    at = np.flatnonzero(results.time == time)
    assert_allclose(results["ball.u"][at], [u, -RESTITUTION * u], rtol=1e-15)
    bounce = next(event for event in results.events if event.name == "bounce")
    assert_array_equal(np.array([bounce.y_before, bounce.y_after]), results.y[at])


def test_reports_on_a_grid_match_the_motion_between_bounces():
    system, state, _ = bouncing_mass()
    results = run(system, state, 1.4, 1e-3, report_every=0.01)
    assert len(results.time) == 141
    starts = np.array([-bounce_times(2)[0], *bounce_times(1.4)])  # start times of the arcs between bounces
    speeds = sqrt(2 * 9.8) * RESTITUTION ** np.arange(len(starts))
    arc = np.searchsorted(starts, results.time, side="right") - 1
    since = results.time - starts[arc]
    assert_allclose(results["ball.q"], speeds[arc] * since - 4.9 * since**2, atol=1e-12)


def test_a_report_at_the_time_of_a_handler_shows_the_state_before_it():
    system, state, ball = bouncing_mass()
    mb.PeriodicEventHandler.of(system, 0.25, lambda state, event: ball.set_u(state, 3.0), name="kick")
    state = system.realize_topology()
    ball.set_q(state, 5.0)
    results = run(system, state, 0.5, report_every=0.25)
    assert_allclose(results.time, [0, 0.25, 0.5, 0.5])
    assert_allclose(results["ball.u"], [0, 3 - 9.8 / 4, 3 - 9.8 / 4, 3], atol=1e-12)  # the last row is the state after the handler
    assert_array_equal(results.final_state.u, [3.0])


@pytest.mark.parametrize(("direction", "expected"), [("rising", [1]), ("falling", [-1]), ("either", [1, -1])])
def test_only_crossings_in_the_requested_direction_are_reported(direction, expected):
    system, state, _ = oscillator(0.3, direction=direction)
    results = run(system, state, 5.0, 1e-10)
    assert [event.direction for event in results.events] == expected
    width = acos(0.7)
    exact = {1: pi / 2 + 0.7 - width, -1: pi / 2 + 0.7 + width}
    assert_allclose(results.event_times("dip0"), [exact[each] for each in expected], atol=1e-9)


@pytest.mark.parametrize("method", ["RK45", "DOP853"])
@pytest.mark.parametrize("accuracy", [1e-3, 1e-6, 1e-10])
def test_a_short_crossing_within_one_step_is_found_if_larger_than_the_integration_error(accuracy, method):
    depth = 20 * accuracy  # a generous bound of the integration error of a few steps
    system, state, _ = oscillator(depth)
    results = run(system, state, 5.0, accuracy, method)
    assert [event.direction for event in results.events] == [1, -1]
    middle = results.event_times("dip0").mean()
    assert middle == pytest.approx(pi / 2 + 0.7, abs=10 * accuracy)


def test_a_touch_of_zero_within_a_step_of_any_length_is_found():
    # The method integrates free flight exactly. At the apex the witness (height - apex) is zero, up to round-off.
    system, state, ball = bouncing_mass()
    apex = 4.9 * 0.5**2  # m, after half a second
    for name, margin in (("touch", 0.0), ("graze", 1e-12), ("beyond", -1e-12)):
        mb.TriggeredEventReporter.of(system, lambda s, d=margin: ball.q(s)[0] - apex + d, lambda s: None, name=name)
    state = system.realize_topology()
    ball.set_u(state, 4.9)
    results = run(system, state, 0.95, 1e-3)
    assert len(results.time) < 12
    assert len(results.event_times("beyond")) == 0
    assert_allclose(results.event_times("graze"), 0.5 + np.array([-1, 1]) * sqrt(1e-12 / 4.9), atol=1e-8)
    assert_allclose(results.event_times("touch"), 0.5, atol=1e-7)  # the square root of round-off


def test_ever_smaller_bounces_are_an_error_with_the_handler_and_the_time():
    system, state, _ = bouncing_mass()
    v = sqrt(2 * 9.8 * HEIGHT)
    end = v / 9.8 + 2 * v / 9.8 * RESTITUTION / (1 - RESTITUTION)
    with pytest.raises(EventError, match=rf"at {str(end)[:6]}.* event 'bounce' chatters: .*each interval is shorter.*terminate_when"):
        run(system, state, 10.0)


def test_the_third_bounce_ends_the_run_if_requested():
    system, state, _ = bouncing_mass(stop_at=3)
    results = run(system, state, 10.0, report_every=0.1)
    assert results.terminated_by == "bounce"
    assert results.final_state.time == results.time[-1] == pytest.approx(bounce_times(3.0)[2], abs=1e-12)
    assert results["bounce.count"][-1] == 3
    assert_array_equal(results["bounce.count"], np.searchsorted(bounce_times(3.0)[:3], results.time + 1e-9))


def test_an_event_handler_may_change_parameters_and_results_contain_the_changes():
    system, state, ball = bouncing_mass()
    spring = mb.MobilityLinearSpring(mb.ForceSubsystem(system, "springs"), ball, stiffness=0.0, name="spring")
    mb.ScheduledEventHandler.of(
        system,
        lambda state, includes_now: mb.NEVER,
        lambda state, event: spring.set_stiffness(state, 50.0),
        name="unused",
    )
    mb.PeriodicEventHandler.of(system, 0.2, lambda state, event: spring.set_stiffness(state, 10 * state.time), name="stiffen")
    state = system.realize_topology()
    ball.set_q(state, 100.0)
    results = run(system, state, 0.5, report_every=0.1)
    assert_allclose(results["spring.stiffness"], [0, 0, 0, 2, 2, 4], atol=1e-12)
    assert len(results.event_times("unused")) == 0


# scheduled events
def test_events_at_one_time_are_ordered_reports_first_then_by_addition():
    log = []
    system = mb.System("clock")

    def note(name):
        return lambda state, *event: log.append(f"{name}@{state.time:.12g}")

    mb.PeriodicEventHandler.of(system, 0.2, note("H1"), name="H1", recordable=False)
    mb.PeriodicEventHandler.of(system, 0.3, note("H2"), name="H2", recordable=False)
    mb.PeriodicEventReporter.of(system, 0.1, note("R1"), name="R1")
    mb.PeriodicEventReporter.of(system, 0.2, note("R2"), name="R2")
    run(system, system.realize_topology(), 0.65)
    # as in Simbody: 3 * 0.1 is slightly more than 0.3, and 6 * 0.1 slightly more than 2 * 0.3
    assert " ".join(log) == (
        "R1@0 R2@0 H1@0 H2@0 R1@0.1 R1@0.2 R2@0.2 H1@0.2 H2@0.3 R1@0.3 R1@0.4 R2@0.4 H1@0.4 R1@0.5 H2@0.6 R1@0.6 R2@0.6 H1@0.6"
    )


def test_periodic_times_are_multiples_without_drift_for_any_start():
    system = mb.System("clock")
    mb.PeriodicEventReporter.of(system, 0.1, lambda state: None, name="tick")
    state = system.realize_topology()
    state.time = 0.73
    times = run(system, state, 40.0).event_times("tick")
    assert_array_equal(times, np.arange(8, 401) * 0.1)


class Countdown(mb.ScheduledEventHandler):
    """Five times, at 3, 3.1, ... s, then once more at a time that it schedules itself."""

    recordable = False

    def next_event_time(self, state, includes_now):
        n = self.variable(state, "n")
        return mb.NEVER if n > 4 else 3 + n / 10

    def handle_event(self, state, event):
        n = self.variable(state, "n") + 1
        self.set_variable(state, "n", n)
        if n == 5:
            event.schedule(4.25)


def test_a_handler_determines_its_own_times_and_schedules_more():
    system = mb.System("clock")
    Countdown(system, name="countdown", variables={"n": 0.0})
    assert_allclose(run(system, system.realize_topology(), 10.0).event_times("countdown"), [3, 3.1, 3.2, 3.3, 3.4, 4.25], rtol=1e-15)


def test_scheduling_in_the_past_is_an_error():
    system = mb.System("clock")
    mb.PeriodicEventHandler.of(system, 0.5, lambda state, event: event.schedule(state.time), name="stuck")
    with pytest.raises(EventError, match=r"at 0 s the handler of event 'stuck' .* not later than now"):
        run(system, system.realize_topology(), 1.0)


# other causes
def test_initialization_comes_before_the_first_report_and_termination_after_the_last():
    system, _state, ball = bouncing_mass()
    mb.InitializationEventHandler.of(system, lambda state, event: ball.set_q(state, 2.5), name="lift")
    mb.TerminationEventHandler.of(system, lambda state, event: ball.set_u(state, 0.0), name="stop")
    results = run(system, system.realize_topology(), 0.3, report_every=0.1)
    assert results["ball.q"][0] == 2.5
    assert_allclose(results["ball.u"], [0, -0.98, -1.96, -2.94, 0], atol=1e-12)
    assert [(event.name, event.time) for event in results.events] == [("lift", 0), ("stop", 0.3)]


def test_a_time_advanced_handler_is_called_at_the_end_of_each_step():
    system, state, ball = bouncing_mass()
    heights = []

    def note(state, event):
        heights.append(ball.q(state)[0])

    mb.TimeAdvancedEventHandler.of(system, note, recordable=False)
    state = system.realize_topology()
    ball.set_q(state, HEIGHT)
    results = run(system, state, 0.7, 1e-9)
    steps = results.time[1:][np.diff(results.time) > 0]
    assert len(heights) == results.steps == len(steps)
    before_jumps = [results["ball.q"][np.flatnonzero(results.time == time)[0]] for time in steps]
    assert_array_equal(heights, before_jumps)


def test_a_disabled_handler_does_nothing_until_it_is_enabled():
    system, state, ball = bouncing_mass(disabled=True)
    bounce = system.events.event("bounce")
    mb.PeriodicEventHandler.of(system, 0.6, lambda state, event: bounce.set_enabled(state, state.time > 0), name="late")
    state = system.realize_topology()
    ball.set_q(state, HEIGHT)
    assert bounce.is_disabled(state)
    results = run(system, state, 0.9)
    assert len(results.event_times("bounce")) == 0  # it fell through zero before the event was enabled
    ball.set_q(state, 4.9 * 0.64)  # it arrives at 0.8 s
    assert_allclose(run(system, state, 0.9).event_times("bounce"), [0.8], atol=1e-12)


# runs that continue others
def test_a_run_continues_from_the_end_of_another_with_the_same_events():
    system, state, ball = bouncing_mass()
    mb.PeriodicEventReporter.of(system, 0.25, lambda state: None, name="tick")
    mb.InitializationEventHandler.of(system, lambda state, event: None, name="once")
    state = system.realize_topology()
    ball.set_q(state, HEIGHT)
    whole = run(system, state, 2.5)
    for cut in (0.5, whole.event_times("bounce")[1], 1.3):
        first = run(system, state, cut)
        second = run(system, first.final_state, 2.5)
        both = [*first.events, *second.events]
        assert [event.name for event in both] == [event.name for event in whole.events]
        assert_allclose([event.time for event in both], [event.time for event in whole.events], atol=1e-12)


def test_changes_between_two_runs_trigger_at_the_start_of_the_second():
    system, state, ball = bouncing_mass()
    first = run(system, state, 0.3).final_state
    ball.set_q(first, -0.2)
    assert run(system, first, 0.4).event_times("bounce")[0] == 0.3
    fresh = system.realize_topology()
    ball.set_q(fresh, -0.2)
    assert len(run(system, fresh, 0.1).events) == 0  # it starts below zero


def test_a_crossing_caused_by_a_handler_does_not_trigger():
    system, state, ball = bouncing_mass()
    mb.PeriodicEventHandler.of(system, 0.3, lambda state, event: ball.set_q(state, -ball.q(state)), name="mirror")
    state = system.realize_topology()
    ball.set_q(state, -HEIGHT)
    ball.set_u(state, 0.5)
    results = run(system, state, 0.32)  # at 0 s from below to above, at 0.3 s from above to below
    assert len(results.event_times("bounce")) == 0


# errors
@pytest.mark.parametrize("is_reporter", [True, False])
def test_an_error_in_a_users_function_has_name_and_time_and_keeps_the_state(is_reporter):
    system, state, _ball = bouncing_mass()

    def fail(state, *event):
        if state.time > 0.25:
            raise ZeroDivisionError("by nothing")

    if is_reporter:
        mb.PeriodicEventReporter.of(system, 0.1, fail, name="sick")
    else:
        mb.PeriodicEventHandler.of(system, 0.1, fail, name="sick", recordable=False)
    state = system.realize_topology()
    before = state.copy()
    with pytest.raises(ElementError, match=r"at 0.3 s .*'sick' .*ZeroDivisionError: by nothing") as caught:
        run(system, state, 1.0)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert state == before


def test_a_handler_that_reads_later_stages_raises_a_stage_error():
    system, _, ball = bouncing_mass()
    mb.PeriodicEventHandler.of(system, 0.1, lambda state, event: ball.u_dot(state), stage=mb.Stage.VELOCITY, name="eager", recordable=False)
    with pytest.raises(StageError, match=r"at 0 s .*'eager'.*u_dot of 'ball'.*ACCELERATION.*VELOCITY"):
        run(system, system.realize_topology(), 1.0)


@pytest.mark.parametrize(
    ("handle", "error", "message"),
    [
        (lambda matter: lambda s, e: matter.set_uses_euler_angles(s, True), StageError, "cannot be set during a run"),
        (lambda matter: lambda s, e: setattr(s, "time", s.time + 1), EventError, "sets the time"),
        (lambda matter: lambda s, e: e.schedule(s.time), EventError, "not later than now"),
    ],
)
def test_a_plain_python_handler_must_not_change_the_basis_of_a_run(handle, error, message):
    system, _, _ = bouncing_mass()
    mb.PeriodicEventHandler.of(system, 0.1, handle(system.matter), name="bold", recordable=False)
    with pytest.raises(error, match=rf"at 0 s (the handler of event|event handler) 'bold' .*{message}"):
        run(system, system.realize_topology(), 1.0)


def test_copies_of_a_system_have_events_of_their_own():
    system, state, _ = bouncing_mass()
    other, its_state = copy.deepcopy((system, state))
    first = run(other, its_state, 1.5).final_state
    again = mb.State.from_bytes(other, first.to_bytes())
    assert again == first
    assert_allclose(run(other, again, 3.0).event_times("bounce"), bounce_times(3.0)[2:], atol=1e-12)
    assert system.events.event("bounce").variable(state, "count") == 0


def test_a_reporter_cannot_change_the_run():
    system, state, ball = bouncing_mass()
    mb.PeriodicEventReporter.of(system, 0.1, lambda state: ball.set_q(state, 99.0), name="meddler")
    state = system.realize_topology()
    ball.set_q(state, HEIGHT)
    assert run(system, state, 0.4).final_state.q[0] == pytest.approx(HEIGHT - 4.9 * 0.16, abs=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda system: mb.PeriodicEventHandler.of(system, 0.0, lambda s, e: None), "positive time"),
        (lambda system: mb.TriggeredEventHandler.of(system, lambda s: s.time, lambda s, e: None, direction="up"), "'rising', 'falling'"),
        (lambda system: mb.TriggeredEventHandler.of(system, lambda s: s.time, None), "handle_event must be a function"),
        (lambda system: mb.TriggeredEventHandler.of(system, lambda s: s.time, lambda s, e: None, window=-1.0), "at least 0 s"),
        (lambda system: mb.InitializationEventHandler.of(system, lambda s, e: None, stage=mb.Stage.MODEL), "between INSTANCE"),
        (lambda system: mb.InitializationEventHandler.of(system, lambda s, e: None, variables={"enabled": 1.0}), "every event has"),
    ],
)
def test_invalid_events_are_refused_at_construction(make, message):
    with pytest.raises(InputError, match=message):
        make(mb.System("clock"))


@pytest.mark.slow
def test_a_subsystem_has_events_of_its_own():
    class Thermostat(mb.Subsystem):
        """A temperature that falls by 1 K/s and rises by 1 K/s with the heater, switched at 18 and 20 degrees."""

        recordable = True  # declared so, although its hooks are Python

        def __init__(self, system):
            super().__init__(system, "thermostat")
            mb.TriggeredEventHandler.of(self, lambda s: self.temperature(s) - 18, lambda s, e: s.set(self.heater, 1.0), direction="falling")
            mb.TriggeredEventHandler.of(self, lambda s: self.temperature(s) - 20, lambda s, e: s.set(self.heater, 0.0), direction="rising")

        def realize_topology(self, state):
            self.heater = state.allocate_discrete_variable(self, "heater", 0.0, mb.Stage.DYNAMICS)

        def realize_model(self, state):
            state.allocate_z(self, [19.0])

        def temperature(self, state):
            return state.z[0]

        def realize_acceleration(self, state):
            state.values[state.layout.z_dot.slice] = 2 * state.get(self.heater) - 1

    system = mb.System("room")
    Thermostat(system)
    results = run(system, system.realize_topology(), 10.0)
    assert_allclose([event.time for event in results.events], [1, 3, 5, 7, 9], atol=1e-12)
    assert_allclose(results.final_state.z, [19.0], atol=1e-12)


def test_a_handler_that_is_not_recorded_does_nothing():
    def subclasses(of):
        return {of}.union(*map(subclasses, of.__subclasses__()))

    without = {each for each in subclasses(EventHandler) if not each.has_handler}
    assert {Contact, FrictionEvent} <= without
    for each in without:
        handler = each.handle_event.__code__
        assert handler.co_names == (), each.__name__
        assert set(handler.co_consts) <= {None, each.handle_event.__doc__}, each.__name__
