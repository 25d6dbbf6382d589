"""The actions of handlers of every cause: variables, impulses, schedules; and errors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.compilation.source.model_source import generate
from mobod.errors import ElementError, EventError, InputError, RecordingError, StageError, UnsupportedError
from mobod.scalar import where
from tests.unit.simulate.event_systems import HEIGHT, bouncing_mass


def run(system, state, until, accuracy=1e-11, **options):
    return mb.Simulation(system, accuracy, backend="interpreted").run(state, until, **options)


def workshop():
    """A mass on a spring with handlers of every cause."""
    system, _, ball = bouncing_mass(stop_at=4)
    spring = mb.MobilityLinearSpring(mb.ForceSubsystem(system, "springs"), ball, stiffness=2.0, q_zero=0.3, name="spring")
    mb.InitializationEventHandler.of(system, lambda s, e: ball.set_q(s, 1.2 * ball.q(s)), name="lift")

    def stiffen(state, event):
        spring.set_stiffness(state, spring.stiffness(state) + where(ball.u(state)[0] > 0, 0.5, 0.25))

    mb.PeriodicEventHandler.of(system, 0.4, stiffen, name="stiffen")

    class Kick(mb.ScheduledEventHandler):
        def next_event_time(self, state, includes_now):
            n = self.variable(state, "n")
            return where(n < 3, 0.3 + 0.37 * n, np.inf)

        def handle_event(self, state, event):
            n = self.variable(state, "n") + 1
            self.set_variable(state, "n", n)
            ball.set_u(state, ball.u(state) + self.variable(state, "kicks"))
            event.schedule(where(n == 3, 1.55, mb.NEVER))

    Kick(system, name="kick", variables={"n": 0.0, "kicks": np.array([0.25])})

    class Highest(mb.TimeAdvancedEventHandler):
        def handle_event(self, state, event):
            q = ball.q(state)[0]
            self.set_variable(state, "q", where(q > self.variable(state, "q"), q, self.variable(state, "q")))

    Highest(system, name="highest", variables={"q": 0.0})
    mb.TriggeredEventHandler.of(
        system,
        lambda s: ball.u(s)[0] - 0.7 * s.time,
        lambda s, e: spring.set_q_zero(s, spring.q_zero(s) + 0.01 * e.direction),
        name="speed",
    )
    mb.TriggeredEventReporter.of(system, lambda s: ball.u_dot(s)[0] + 10.1, lambda s: None, stage=mb.Stage.ACCELERATION, name="pull")
    mb.PeriodicEventReporter.of(system, 0.5, lambda s: None, name="tick")
    mb.TerminationEventHandler.of(system, lambda s, e: ball.set_u(s, 0.5 * ball.u(s)), name="rest")
    state = system.realize_topology()
    ball.set_q(state, HEIGHT)
    return system, state


def test_handlers_of_every_cause_are_called():
    system, state = workshop()
    results = run(system, state, 4.0)
    assert {event.name for event in results.events} == {"bounce", "lift", "stiffen", "kick", "speed", "pull", "tick", "rest"}
    assert results.terminated_by == "bounce"
    assert len(results.event_times("kick")) == 4
    assert results["spring.stiffness"][-1] > 2
    assert results["highest.q"][-1] == pytest.approx(results["ball.q"][results.time > 0].max(), abs=1e-12)  # at the ends of steps


def test_a_run_continues_from_the_end_of_another():
    system, state = workshop()
    whole = run(system, state, 4.0)
    half = run(system, state, 0.9)
    rest = run(system, half.final_state, 4.0)
    both = [each for each in (*half.events, *rest.events) if each.name != "rest"]  # at each end of a run
    without = [each for each in whole.events if each.name != "rest"]
    assert [each.name for each in both][: len(half.events)] == [each.name for each in without][: len(half.events)]
    system.events.event("rest").set_enabled(state, False)
    whole, half = run(system, state, 4.0), run(system, state, 0.9)
    rest = run(system, half.final_state, 4.0)
    assert [each.name for each in (*half.events, *rest.events)] == [each.name for each in whole.events]
    assert_allclose([each.time for each in (*half.events, *rest.events)], [each.time for each in whole.events], atol=1e-9)


# impulses
def linkage(*, closes=False, **options):
    """Two links whose tip reaches a plane; with `closes` a third one makes a loop. (system, matter, contact, state)"""
    system = mb.MultibodySystem("links")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    link = mb.RigidBody(
        mb.MassProperties(
            mass=1.1, com=[0, -0.5, 0.1], inertia=mb.Inertia.cylinder(mass=1.1, radius=0.05, length=1.0, axis="y").shifted([0, -0.5, 0.1])
        )
    )
    upper = mb.Pin(matter.ground, link, name="upper")
    lower = mb.Universal(upper, link, X_PF=mb.Transform(p=[0, -1, 0]), name="lower")
    if closes:
        mb.Rod(matter.ground, [1.2, -0.4, 0.1], lower, [0, -0.3, 0], length=1.9, name="rod")
    height = -0.8 if closes else 0.9  # m, which the tip reaches
    contact = mb.PointInPlane(matter.ground, [1, 0, 0], height, lower, [0, -1, 0], disabled=True, name="contact")
    mb.TriggeredEventHandler.of(
        system,
        lambda s: height - lower.station_location_in_ground(s, np.array([0.0, -1.0, 0.0]))[0],
        lambda s, e: e.apply_impulse(contact, 0.6),
        direction="falling",
        name="hit",
        **options,
    )
    state = system.realize_topology()
    upper.set_q(state, -0.4)
    lower.set_q(state, [0.2, 0.1])
    upper.set_u(state, 3.0)
    lower.set_u(state, [1.0, 0.4])
    return system, matter, contact, state


@pytest.mark.filterwarnings("ignore:Assembler of System:mobod.MobodWarning")  # the loop shares the given speed
@pytest.mark.parametrize("closes", [False, True])
def test_an_impulse_reverses_the_velocity_of_its_constraint_and_keeps_others(closes):
    system, matter, contact, state = linkage(closes=closes)
    if closes:
        state = mb.Assembler(system).assemble(state)
    results = run(system, state, 1.5, 1e-10)
    hits = [each for each in results.events if each.name == "hit"]
    assert hits
    for hit in hits:
        state.time = hit.time
        state.y = hit.y_before
        contact.enable(state)
        system.realize(state, mb.Stage.DYNAMICS)
        G, M = matter.constraint_matrix(state), matter.mass_matrix(state)
        errors = matter.constraint_velocity_errors(state)
        wanted = errors * np.where(np.arange(len(errors)) == len(errors) - 1, 1.6, 1.0)  # the contact is the last row
        impulse = np.linalg.solve(G @ np.linalg.solve(M, G.T), wanted)
        n_q = state.layout.n_q
        assert_allclose(hit.y_after[n_q:], hit.y_before[n_q:] - np.linalg.solve(M, G.T @ impulse), atol=1e-9)
        assert errors[-1] != 0
        assert_array_equal(hit.y_after[:n_q], hit.y_before[:n_q])


def test_a_handler_continues_with_the_results_of_its_actions():
    system, matter, contact, _ = linkage(disabled=True)
    lower = matter.body("lower")

    class Meter(mb.PeriodicEventHandler):
        """Applies an impulse at the tip. Stores its speed before and after, and a joint speed that was read before."""

        def handle_event(self, state, event):
            u = lower.u(state)
            before = lower.station_velocity_in_ground(state, np.array([0.0, -1.0, 0.0]))[0]
            event.apply_impulse(contact, self.variable(state, "restitution"))
            after = lower.station_velocity_in_ground(state, np.array([0.0, -1.0, 0.0]))[0]
            lower.set_u(state, lower.u(state) * 1.5)
            event.realize(mb.Stage.VELOCITY)
            self.set_variable(state, "speeds", np.array([before, after, u[0], lower.V_GB(state)[2]]))

    Meter(system, 0.1, name="meter", variables={"restitution": 0.3, "speeds": np.zeros(4)})
    state = system.realize_topology()
    matter.body("upper").set_u(state, 3.0)
    lower.set_q(state, [0.2, 0.1])
    results = run(system, state, 0.25, 1e-10, report_every=0.05)
    speeds = results["meter.speeds"]
    assert_allclose(speeds[1:, 1], -0.3 * speeds[1:, 0], atol=1e-9)
    assert (np.abs(speeds[1:, [0, 1, 3]]) > 1e-3).all()


@pytest.mark.filterwarnings("ignore:Assembler of System:mobod.MobodWarning")  # the wall stops the tip
def test_an_impulse_that_contradicts_other_constraints_is_reported():
    system, matter, contact, state = linkage()
    mb.PointInPlane(matter.ground, [1, 0, 0], 0.9, matter.body("lower"), [0, -1, 0], disabled=True, name="wall")
    wall = matter.constraints[-1]
    mb.PeriodicEventHandler.of(system, 0.01, lambda s, e: e.apply_impulse(contact, 1.0), name="push")
    state = system.realize_topology()
    matter.body("lower").set_q(state, [0.2, 0.1])
    matter.body("upper").set_q(state, 0.6)
    wall.enable(state)
    matter.body("upper").set_u(state, 2.0)
    # the wall keeps the tip at rest, so that the impulse is zero
    assert run(system, mb.Assembler(system).assemble(state), 0.015, 1e-8).event_times("push")[0] == 0
    mb.PeriodicEventHandler.of(
        system,
        0.01,
        lambda s, e: (matter.body("upper").set_u(s, 1.0), e.apply_impulse(contact, 1.0)),
        name="contradict",
    )
    state = system.realize_topology()
    wall.enable(state)
    with pytest.raises(EventError, match=r"at 0 s .*'contradict'.*impulse along constraint 'contact'"):
        run(system, mb.Assembler(system).assemble(state), 0.1, 1e-8)


def test_after_a_handler_the_constraints_hold():
    system, matter, _, _ = linkage(closes=True)
    upper = matter.body("upper")
    mb.PeriodicEventHandler.of(system, 0.1, lambda s, e: upper.set_u(s, upper.u(s) + 0.4), name="push")
    state = mb.Assembler(system).assemble(system.realize_topology())
    results = run(system, state, 0.25, 1e-8)
    for event in results.events:
        state.y = event.y_after
        system.realize(state, mb.Stage.VELOCITY)
    pushed = results.y[np.flatnonzero(np.diff(results.time) == 0) + 1]
    assert len(pushed) == 3
    for y in pushed:
        state.y = y
        system.realize(state, mb.Stage.VELOCITY)
        assert_allclose(matter.constraint_velocity_errors(state), 0, atol=1e-9)


# errors
@pytest.mark.parametrize(
    ("handle", "message"),
    [
        (lambda ball, spring: lambda s, e: e.schedule(s.time - 0.1), "not later than now"),
        (lambda ball, spring: lambda s, e: ball.set_u(s, np.log(ball.u(s) - 1e6)), "not a finite number|a value that is not finite"),
        (lambda ball, spring: lambda s, e: spring.set_stiffness(s, s.time - 3.0), "least value is 0|out of bounds"),
    ],
)
def test_illegal_actions_of_a_handler_are_errors_with_its_name_and_the_time(handle, message):
    system, _, ball = bouncing_mass()
    spring = mb.MobilityLinearSpring(mb.ForceSubsystem(system, "springs"), ball, stiffness=2.0, name="spring")
    mb.PeriodicEventHandler.of(system, 0.5, handle(ball, spring), name="sick")
    with np.errstate(invalid="ignore"), pytest.raises(EventError, match=rf"at 0 s .*'sick'.*({message})"):
        run(system, system.realize_topology(), 1.0, 1e-6)


def test_a_witness_that_is_not_a_number_is_reported():
    system, _, ball = bouncing_mass()
    mb.TriggeredEventReporter.of(system, lambda s: np.sqrt(ball.q(s)[0] - 0.5), lambda s: None, name="root")
    state = system.realize_topology()
    ball.set_q(state, 1.0)
    with np.errstate(invalid="ignore"), pytest.raises(EventError, match=r"witness of event 'root' is not a number"):
        run(system, state, 1.0, 1e-6)


def test_an_error_in_a_reporter_comes_with_its_name_and_time():
    system, _, ball = bouncing_mass()
    reported = []

    def fail(state):
        reported.append(state.time)
        if state.time > 0.35:
            raise raised

    mb.PeriodicEventReporter.of(system, 0.1, fail, name="sick")
    state = system.realize_topology()
    ball.set_q(state, HEIGHT)
    raised = ZeroDivisionError("by nothing")
    with pytest.raises(ElementError, match=r"at 0.4 s reporter 'sick' .*ZeroDivisionError: by nothing") as caught:
        run(system, state.copy(), 1.0, 1e-6)
    assert caught.value.__cause__ is raised
    raised = KeyboardInterrupt()  # Ctrl-C while Python runs
    reported.clear()
    with pytest.raises(KeyboardInterrupt):
        run(system, state.copy(), 1.0, 1e-6)
    assert_allclose(reported, [0.0, 0.1, 0.2, 0.3, 0.4], atol=1e-12)


# recorded and unrecorded code
LOG = []


class Counter(mb.PeriodicEventHandler):
    def handle_event(self, state, event):
        self.count += 1


class Assigner(mb.PeriodicEventHandler):
    def handle_event(self, state, event):
        global LOG
        LOG = [state.time]


def _appends(system):
    seen = []
    return mb.PeriodicEventHandler.of(system, 0.1, lambda s, e: seen.append(s.time), name="h")


def _counter(system):
    handler = Counter(system, 0.1, name="h")
    handler.count = 0
    return handler


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (_counter, RecordingError, r"'h' \(Counter\): it changes 'self.count'.*discrete variable"),
        (_appends, RecordingError, r"'h'.*it changes 'seen'.*recordable = False"),
        (lambda system: Assigner(system, 0.1, name="h"), RecordingError, r"assigns to 'LOG'"),
        (
            lambda system: mb.PeriodicEventHandler.of(system, 0.1, lambda s, e: s.q[0] if s.q[0] > 0 else None, name="h"),
            RecordingError,
            r"handle_event of event handler 'h'.*used as a condition",
        ),
        (
            lambda system: mb.PeriodicEventHandler.of(
                system, 0.1, lambda s, e: system.events.event("h").set_variable(s, "text", "b"), name="h", variables={"text": "a"}
            ),
            RecordingError,
            r"'h.text', which is not numeric",
        ),
        (
            lambda system: mb.PeriodicEventHandler.of(system, 0.1, lambda s, e: system.matter.body("ball").u_dot(s), name="h"),
            StageError,
            r"handle_event of event handler 'h'.*u_dot of 'ball' is computed at ACCELERATION.*VELOCITY",
        ),
        (
            lambda system: mb.TriggeredEventReporter.of(
                system, lambda s: system.matter.body("ball").u(s)[0], lambda s: None, stage=mb.Stage.POSITION, name="h"
            ),
            None,
            "",
        ),
        (
            lambda system: mb.PeriodicEventHandler.of(
                system, 0.1, lambda s, e: (system.matter.body("ball").set_q(s, 1.0), system.matter.body("ball").X_GB(s)), name="h"
            ),
            StageError,
            r"X_GB of 'ball' is computed at POSITION.*TIME",
        ),
        (
            lambda system: mb.PeriodicEventHandler.of(system, 0.1, lambda s, e: e.apply_impulse("wall"), name="h"),
            InputError,
            r"'wall' is not a constraint",
        ),
        (
            lambda system: mb.PeriodicEventHandler.of(system, 0.1, lambda s, e: setattr(s, "time", 3.0), name="h"),
            InputError,
            "sets the time",
        ),
    ],
)
def test_code_that_cannot_be_recorded_is_refused_by_name(make, error, message):
    system, _, _ = bouncing_mass()
    make(system)
    if error is None:
        system.realize_topology()
        return
    with pytest.raises(error, match=message):
        system.realize_topology()


def test_a_model_variable_cannot_be_set_by_a_handler():
    system, _, _ = bouncing_mass()
    mb.PeriodicEventHandler.of(system, 0.1, lambda s, e: system.matter.set_uses_euler_angles(s, True), name="h")
    with pytest.raises(StageError, match=r"'h'.*invalidates MODEL"):
        system.realize_topology()


def test_a_plain_python_event_is_called_back_and_refused_in_an_fmu_by_name():
    system, _, ball = bouncing_mass()
    seen = []
    mb.PeriodicEventHandler.of(system, 0.1, lambda s, e: seen.append(s.time), name="log", recordable=False)
    state = system.realize_topology()
    ball.set_q(state, HEIGHT)
    run(system, state, 0.2)
    assert_allclose(seen, [0, 0.1, 0.2])
    with pytest.raises(UnsupportedError, match=r"event handler 'log' .*recordable = False"):
        generate(system, state).source([])
