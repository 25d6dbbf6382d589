"""Callbacks of a run in C: handlers, witnesses and schedules in plain Python, hooks of subsystems, the NumPy code of elements."""

import signal

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.compilation.native.native_model import NativeModel
from mobod.compilation.native.native_run import open_native
from mobod.compilation.source.model_source import generate, start_values
from mobod.errors import ElementError, EventError, IntegrationError, SingularMechanismError, StageError
from mobod.scalar import maximum, where
from mobod.system import Continuous, Stage

ACCURACY = 1e-9


def arm(name="arm"):
    """Two pins with springs, and a rod that can close a loop."""
    system = mb.MultibodySystem(name)
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mass = mb.MassProperties(1.3, [0.1, -0.4, 0.0], mb.Inertia.box(mass=1.3, size=[0.1, 0.8, 0.2]).shifted([0.1, -0.4, 0.0]))
    upper = mb.Pin(matter.ground, mass, name="upper")
    lower = mb.Pin(upper, mass, mb.Transform(p=[0, -0.8, 0]), name="lower")
    mb.Gravity(forces, matter, name="gravity")
    mb.MobilityLinearSpring(forces, lower, stiffness=4.0, q_zero=0.3, name="spring")
    stop = mb.ConstantCoordinate(lower, 0, position=0.25, name="stop")
    stop.set_disabled_by_default(True)
    state = system.realize_topology()
    upper.set_q(state, 0.7)
    return system, state, upper, lower, stop


def run(system, state, until=1.0, backend="interpreted", **options):
    return mb.Simulation(system, ACCURACY, backend=backend).run(state, until, **options)


def with_handlers(recordable):
    """Handlers that use every action."""
    system, state, upper, lower, stop = arm()
    options = {"recordable": recordable}

    def kick(s, event):
        upper.set_u(s, upper.u(s) + 0.5)
        event.project()
        upper.set_u(s, 1.5 * upper.u(s))
        event.schedule(s.time + 0.07)

    def hit(s, event):
        event.apply_impulse(stop, 0.4)
        lower.set_u(s, lower.u(s) - 0.1)

    def count(s, event):
        event.realize(Stage.ACCELERATION)
        counting.set_variable(s, "largest", maximum(counting.variable(s, "largest"), upper.u_dot(s)[0]))
        event.terminate_when(counting.variable(s, "n") > 40)
        counting.set_variable(s, "n", counting.variable(s, "n") + 1)

    mb.PeriodicEventHandler.of(system, 0.3, kick, name="kick", **options)
    mb.ScheduledEventHandler.of(system, lambda s, now: where(s.time < 0.41, 0.41, 2.0), hit, name="hit", **options)
    counting = mb.TimeAdvancedEventHandler.of(system, count, name="count", variables={"n": 0, "largest": -100}, **options)
    mb.InitializationEventHandler.of(system, lambda s, event: lower.set_q(s, 0.2), name="begin", **options)
    state = system.realize_topology()
    upper.set_q(state, 0.7)
    return system, state


def test_plain_python_handlers_match_recorded_ones():
    (recorded, first), (plain, second) = (with_handlers(recordable) for recordable in (True, False))
    expected, found = run(recorded, first, 2.0), run(plain, second, 2.0)
    assert expected.terminated_by == found.terminated_by == "count"
    assert_array_equal(found.time, expected.time)
    assert_array_equal(found.y, expected.y)
    assert list(map(repr, found.events)) == list(map(repr, expected.events))
    for name in ("count.n", "count.largest"):
        assert_array_equal(found[name], expected[name])


@pytest.mark.slow
def test_compiled_and_interpreted_runs_call_handlers_with_the_same_bits():
    ends = []
    for backend in ("compiled", "interpreted"):
        system, state = with_handlers(False)
        ends.append(run(system, state, 2.0, backend).y)
    assert_array_equal(*ends)


def swinging(recordable, seen):
    system, state, upper, lower, _ = arm()

    def bounce(s, event):
        seen.append((float(s.time), float(event.direction))) if not recordable else None
        upper.set_u(s, -0.8 * upper.u(s))

    options = {"name": "wall", "stage": "position", "recordable": recordable}
    mb.TriggeredEventHandler.of(system, lambda s: upper.q(s)[0] + 0.2 * lower.q(s)[0], bounce, direction="falling", **options)
    state = system.realize_topology()
    upper.set_q(state, 0.7)
    return system, state


def test_a_plain_python_witness_matches_the_recorded_one():
    seen = []
    expected, found = (run(*swinging(recordable, seen), 2.0) for recordable in (True, False))
    assert len(expected.events) >= 2
    assert len(found.events) == len(expected.events)
    assert_allclose(found.event_times("wall"), expected.event_times("wall"), rtol=1e-11)  # its rate is a finite difference
    assert_allclose(found.y[-1], expected.y[-1], atol=1e-7)
    assert seen == [(time, -1.0) for time in found.event_times("wall")]


class RemarkError(Exception):
    """An exception of a user's code."""


@pytest.mark.fast(5)
@pytest.mark.parametrize("error", [RemarkError("enough"), KeyboardInterrupt()])
@pytest.mark.parametrize("place", ["handler", "witness", "time"])
def test_exceptions_in_users_code_are_raised_by_the_run(error, place):
    system, *_ = arm()

    def fail(s, *_):
        if s.time > 0.2:
            raise error
        return np.inf

    options = {"name": "faulty", "recordable": False}
    if place == "handler":
        mb.PeriodicEventHandler.of(system, 0.25, fail, **options)
    elif place == "witness":
        mb.TriggeredEventHandler.of(system, lambda s: min(fail(s), 1.0), lambda s, event: None, **options)
    else:
        mb.ScheduledEventHandler.of(system, lambda s, now: 0.25 if s.time < 0.25 else fail(s), lambda s, event: None, **options)
    expected = KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else ElementError
    with pytest.raises(expected) as caught:
        run(system, system.realize_topology())
    assert caught.value is error or caught.value.__cause__ is error
    if expected is ElementError:
        assert "'faulty'" in str(caught.value)
        assert "RemarkError: enough" in str(caught.value)


def test_a_failed_action_ends_the_run_with_the_same_message_and_cannot_be_caught():
    messages = []
    for recordable in (True, False):
        system, _, _, lower, stop = arm()
        mb.ConstantCoordinate(lower, 0, position=0.5, name="other stop")

        def hit(s, event, stop=stop, lower=lower):
            lower.set_u(s, 1.0)
            try:
                event.apply_impulse(stop, 0.4)
            except Exception:  # deliberate: even a handler that catches all exceptions must not catch this one
                pytest.fail("users' code caught an exception of the run")

        mb.PeriodicEventHandler.of(system, 0.1, hit, name="hit", recordable=recordable)
        state = system.realize_topology()
        lower.set_q(state, 0.5)
        with pytest.raises(EventError, match="no impulse along constraint 'stop'") as caught:
            run(system, state)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_a_handler_cannot_set_the_time_or_schedule_in_the_past():
    for what, told in (
        (lambda s, event: setattr(s, "time", 3.0), "it sets the time"),
        (lambda s, event: event.schedule(0.05), "not later"),
    ):
        system, *_ = arm()
        mb.PeriodicEventHandler.of(system, 0.1, what, name="wrong", recordable=False)
        with pytest.raises(EventError, match=told):
            run(system, system.realize_topology())


def test_a_handler_may_realize_and_simulate_other_states():
    system, state, upper, *_ = arm()
    found = []

    def look_ahead(s, event):
        ahead = s.copy()
        other = run(plain, start, 0.1).y[-1]
        system.realize(ahead, Stage.ACCELERATION)
        found.append((upper.u_dot(ahead)[0], other))
        event.realize(Stage.ACCELERATION)
        assert upper.u_dot(s)[0] == upper.u_dot(ahead)[0]

    mb.PeriodicEventHandler.of(system, 0.2, look_ahead, name="look", recordable=False)
    plain, start, *_ = arm("other")
    state = system.realize_topology()
    upper.set_q(state, 0.7)
    results = run(system, state)
    assert len(found) == 6
    for _, other in found[1:]:
        assert_array_equal(other, found[0][1])
    at_rest, rest_state, upper, *_ = arm("quiet")
    assert_allclose(results.y[-1], run(at_rest, rest_state).y[-1], atol=1e-7)  # only the steps differ


# values that are not numbers


class Notes(mb.Subsystem):
    """Keeps a text and a list."""

    def realize_topology(self, state):
        self.mood = state.allocate_discrete_variable(self, "mood", "calm", Stage.DYNAMICS)


def test_a_handler_sets_variables_of_any_type_and_other_code_reads_them():
    system, *_ = arm()
    notes = Notes(system, "notes")

    class Push(mb.CustomForce):
        recordable = False

        def calc_force(self, state, body_forces, mobility_forces):
            mobility_forces[0] += 2.0 if state.get(notes.mood) == "wild" else 0.0

    Push(mb.ForceSubsystem(system, "pushes"), {}, name="push")
    mb.PeriodicEventHandler.of(system, 0.4, lambda s, e: s.set(notes.mood, "wild" if s.time > 0.3 else "calm"), name="x", recordable=False)
    seen = []
    mb.PeriodicEventReporter.of(system, 0.1, lambda s: seen.append((round(s.time, 3), s.get(notes.mood))), name="see")
    state = system.realize_topology()
    results = run(system, state, 0.75)
    assert results.final_state.get(notes.mood) == "wild"
    assert state.get(notes.mood) == "calm"
    assert [mood for time, mood in seen if time <= 0.4] == ["calm"] * 5
    assert [mood for time, mood in seen if time > 0.4] == ["wild"] * 3
    quiet, other, *_ = arm()
    other.y = np.zeros(4)
    assert np.abs(run(quiet, other, 0.75).y[-1] - results.y[-1]).max() > 1e-2  # the force acts


# hooks


class Heater(mb.CustomSubsystem):
    """T' = power - T. One hook passes values to another: a number, an object, and a lazy value."""

    recordable = False

    def realize_topology(self, state):
        self.power = state.allocate_discrete_variable(self, "power", 3.0, Stage.DYNAMICS)
        self.loss = state.allocate_cache_entry(self, "loss", Stage.POSITION, shape=(), computed_by=Stage.POSITION)
        self.note = state.allocate_cache_entry(self, "note", Stage.POSITION, computed_by=Stage.POSITION)
        self.twice = state.allocate_cache_entry(
            self, "twice", Stage.POSITION, shape=(), prerequisites=[Continuous.Q], compute=lambda s: 2 * s.cached(self.loss)
        )

    def realize_model(self, state):
        state.allocate_q(self, 0.5, name="T")

    def realize_position(self, state):
        state.set_cached(self.loss, float(state.q[0]))
        state.set_cached(self.note, {"loss": float(state.q[0])})

    def realize_acceleration(self, state):
        note = state.cached(self.note)["loss"]
        assert state.cached(self.twice) == 2 * note
        state.set_rate(state.handle(self, "T"), state.get(self.power) - note)


def test_plain_python_hooks_pass_values_within_an_evaluation():
    system = mb.System("oven")
    heater = Heater(system, "heater")
    mb.TriggeredEventHandler.of(
        system, lambda s: s.q[0] - 2.0, lambda s, event: s.set(heater.power, 0.5), name="off", direction="rising", recordable=False
    )
    state = system.realize_topology()
    results = run(system, state, 3.0)
    off = np.log((3 - 0.5) / (3 - 2.0))
    assert_allclose(results.event_times("off"), [off], atol=1e-8)
    assert_allclose(results.y[-1, 0], 0.5 + 1.5 * np.exp(-(3.0 - off)), atol=1e-7)
    assert_allclose(results["heater.loss"], results.y[:, 0], rtol=1e-15)


class Wall(mb.CustomSubsystem):
    """q' = 1 up to q = 0.5, and NaN beyond."""

    recordable = False

    def realize_model(self, state):
        state.allocate_q(self, 0.0, name="q")

    def realize_acceleration(self, state):
        if state.q[0] > 0.5:
            raise SingularMechanismError("beyond the wall")
        state.set_rate(state.handle(self, "q"), 1.0)


def test_a_step_into_an_undefined_region_is_refused_with_the_reason():
    system = mb.System("corridor")
    Wall(system, "wall")
    assert_allclose(run(system, system.realize_topology(), 0.499).y[-1], 0.499)
    with pytest.raises(IntegrationError, match=r"stopped at 0\.(5|49999\d*) s. beyond the wall"):
        run(system, system.realize_topology())


# auto-update variables


class Tally(mb.CustomSubsystem):
    """Counts steps, in a variable that updates itself."""

    recordable = False

    def realize_topology(self, state):
        self.n = state.allocate_auto_update_discrete_variable(self, "n", 0.0, Stage.POSITION, update_depends_on=Stage.POSITION)

    def realize_model(self, state):
        state.allocate_q(self, [0.3, 0.0], name="q")

    def realize_position(self, state):
        state.set_cached(self.n.update, state.get(self.n) + 1)

    def realize_acceleration(self, state):
        state.set_rate(state.handle(self, "q"), [state.q[1], -state.q[0]])


@pytest.mark.parametrize("has_witness", [False, True])
def test_an_auto_update_occurs_once_per_step_also_if_the_step_is_repeated(has_witness):
    system = mb.System("swing")
    tally = Tally(system, "tally")
    if has_witness:
        mb.TriggeredEventHandler.of(system, lambda s: s.q[0], lambda s, event: None, name="zero", recordable=False)
    results = mb.Simulation(system, 1e-6).run(system.realize_topology(), 7.0)
    assert len(results.events) == (2 if has_witness else 0)
    assert results.final_state.get(tally.n) == results.steps


# the text of elements


@pytest.mark.slow
def test_a_system_as_text_runs_by_calls_of_its_numpy_code():
    ends = []
    for as_text in (False, True):
        system, state = with_handlers(True)
        system.as_text = as_text
        ends.append(run(system, state, 0.5))
    assert ends[1].backend == "text"
    assert_allclose(ends[1].y[-1], ends[0].y[-1], atol=1e-9)


# variables that only the host stores


def test_a_host_saves_and_restores_variables_that_w_cannot_contain():
    system, *_ = arm()
    notes = Notes(system, "notes")
    state = system.realize_topology()
    with open_native(
        NativeModel(generate(system, state, calls_back=True), "interpreted"), start_values(state), 1e-6, state=state
    ) as native:
        host = native.host
        host.save()
        state.set(notes.mood, "wild")
        host.restore()
    assert state.get(notes.mood) == "calm"


def test_plain_python_may_not_read_later_stages():
    system, _, upper, *_ = arm()
    mb.PeriodicEventHandler.of(system, 0.1, lambda s, event: upper.u_dot(s), name="early", recordable=False)
    with pytest.raises(StageError, match="'early'"):
        run(system, system.realize_topology())


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_acts_at_the_next_call_of_plain_python():
    calls = []

    class Slow(mb.CustomForce):
        recordable = False

        def calc_force(self, state, body_forces, mobility_forces):
            calls.append(state.time)
            if len(calls) == 20:
                signal.raise_signal(signal.SIGINT)

    system, *_ = arm()
    Slow(mb.ForceSubsystem(system, "more"), {}, name="slow")
    with pytest.raises(KeyboardInterrupt):
        run(system, system.realize_topology())
    assert len(calls) == 20
