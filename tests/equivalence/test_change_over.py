"""A run that goes on with compiled code after some step has the bits of an interpreted one: across events, contacts, delays, implicit and
fixed steps, saves and restores, derivatives."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import mobod as mb
from mobod.compilation.native.native_changes import set_ramps
from mobod.simulate.native_model import native_model
from tests.equivalence.test_compiled_realization import Wind
from tests.equivalence.test_interpreted_runs import four_bar_with_a_limit
from tests.native.test_flipped_states import contacts, everything
from tests.unit.simulate.test_called_back import Heater, Tally, with_handlers


def thrown_ball():
    """A ball that bounces and slips, a pendulum in a wind that is plain Python, and a reporter."""
    system = mb.MultibodySystem("thrown")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=9.7)
    arm = mb.Pin(matter.ground, mb.MassProperties.point(mass=1.1, p=[0, -0.7, 0.2]), name="arm")
    ball = mb.Free(matter.ground, mb.MassProperties(0.4, [0, 0, 0], mb.Inertia.sphere(mass=0.4, radius=0.1)), name="ball")
    mb.RigidContact(ball, mb.contact.Sphere(0.1), matter.ground, mb.contact.HalfSpace(), static_friction=0.3, restitution=0.4)
    Wind(forces, name="wind")
    mb.PeriodicEventReporter.of(system, 0.09, lambda state: None, name="seen")
    state = system.realize_topology()
    arm.set_q(state, 0.6)
    ball.set_q(state, [1, 0, 0, 0, 0.1, -0.2, 0.25])
    ball.set_u(state, [3.0, -1.0, 2.0, 0.8, 0.3, -0.5])
    return system, state


def called_back():
    """Handlers, a witness, hooks and variables that update themselves, all in plain Python."""
    system, given = with_handlers(False)
    Heater(system, "heater")
    Tally(system, "tally")
    mb.TriggeredEventHandler.of(system, lambda s: s.u[0], lambda s, event: None, name="turn", recordable=False)
    state = system.realize_topology()
    system.set_value(state, "upper.q", given.q[0])
    return system, state


MECHANISMS = {each.__name__: each for each in (everything, four_bar_with_a_limit, contacts, thrown_ball, called_back)}
RUNS = {
    "loop": ("four_bar_with_a_limit", 0.5, {}),
    "loop, implicit": ("four_bar_with_a_limit", 0.35, {"integrator": "Rodas5P", "accuracy": 1e-6}),
    "loop, RK4": ("four_bar_with_a_limit", 0.35, {"integrator": "RK4", "step": 0.01}),
    "events": ("everything", 0.5, {}),
    "limits, semi-implicit": ("contacts", 0.9, {"integrator": "SemiImplicitEuler", "step": 0.01}),
    "contacts, plain Python": ("thrown_ball", 0.4, {}),
    "plain Python": ("called_back", 0.5, {"accuracy": 1e-5}),
    "velocity level": ("contacts", 0.9, {"integrator": "velocity_level", "step": 0.01}),
}


class AtOnce:
    """In place of what compiles in the background: gives the compiled model after so many calls of `note_work`."""

    is_over = False

    def __init__(self, system, state, calls):
        self.forms = [native_model(system, state, code) for code in ("compiled", "interpreted")]
        del state.layout.native["compiled"]  # with which runs would begin
        self.calls, self.n_changes = calls, 0

    @property
    def model(self):
        self.calls -= 1
        return self.forms[0] if self.calls < 0 else None

    def note_work(self, *_):
        """Nothing is left to decide."""

    def change(self, driver):
        """Change over, and be ready to change back after the next step."""
        to = self.forms[driver.code == "compiled"]
        driver.model = to.scaled(driver.options.scales)
        driver.native.use_kernels_of(driver.model)
        driver.code = "compiled" if to is self.forms[0] else "interpreted"
        self.n_changes += 1


@pytest.fixture
def each_step(monkeypatch):
    """A piece of a run is a step."""
    monkeypatch.setattr("mobod.simulate.pieces.MOST_STEPS", 1)
    monkeypatch.setattr("mobod.simulate.pieces.FIRST_STEPS", 1)


@pytest.fixture
def change(monkeypatch):
    """A function that lets runs change over after so many calls; back_and_forth: after each of them, from the present form to the other."""

    def after(calls, system, state, *, back_and_forth=False):
        later = AtOnce(system, state, calls)
        monkeypatch.setattr("mobod.simulate.run_driver.compiled_later", lambda *_: later)
        if back_and_forth:
            monkeypatch.setattr("mobod.simulate.run_driver.RunDriver._change_over", lambda driver, _: later.change(driver))
        return later

    return after


def outcome(results):
    names = [each.name for each in results.system.variables(results.final_state)]
    return {
        "time": results.time,
        "y": results.y,
        "counts": [results.steps, results.evaluations],
        "events": [(event.name, event.time, event.direction, *event.y_after) for event in results.events],
        "end": [number for name in names for number in np.ravel(results.system.value(results.final_state, name))],
    }


def assert_same(one, other):
    assert one.keys() == other.keys()
    for name, values in one.items():
        assert_array_equal(values, other[name], err_msg=name)


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.fast("loop", "loop, implicit", "loop, RK4", "events", "velocity level")
def test_runs_that_change_their_form_after_each_step_keep_their_bits(name, each_step, change):
    make, until, options = RUNS[name]
    system, state = MECHANISMS[make]()
    until += state.time
    every = 0.05 if options.get("step") else 0.013  # the latter within steps
    expected = mb.Simulation(system, backend="interpreted", **options).run(state, until, report_every=every)
    later = change(0, system, state, back_and_forth=True)

    found = mb.Simulation(system, backend="auto", **options).run(state, until, report_every=every)

    assert later.n_changes > 10
    assert_same(outcome(found), outcome(expected))


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_runs_that_are_compiled_after_any_step_keep_their_bits(name, each_step, change):
    make, until, options = RUNS[name]
    system, state = MECHANISMS[make]()
    until += state.time
    expected = mb.Simulation(system, backend="interpreted", **options).run(state, until)
    for step in range(expected.steps - 1):
        change(step, system, state)

        found = mb.Simulation(system, backend="auto", **options).run(state, until)

        assert found.backend.startswith("interpreted, then compiled at ")
        assert_same(outcome(found), outcome(expected))


def steps_with_returns(run, state):
    """y after each step, and what is read, of a run that goes back to saved states, is set, follows a ramp, and begins again."""
    found, saved = [], None
    spring = run.system.variable(state, "spring.stiffness")
    at, stage = np.array([spring.slot.offset], dtype=np.intc), np.array([spring.invalidates], dtype=np.intc)
    for i in range(30):
        run.step(0.02)
        found += [run.state.y, run["ball.w_GB"], [run.time, run.steps, run.evaluations]]
        if i % 5 == 1:
            saved = run.save()
        if i % 5 == 3:
            run.restore(saved)
        if i == 8:
            run.set("upper.u", -0.3)
        if i == 12:
            set_ramps(run.native, at, stage, np.array([30.0]), np.array([7.0]))
        if i == 20:
            run.reset(state)
    return [np.copy(each) for each in found]


@pytest.mark.parametrize("and_back", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_stepped_runs_that_change_over_save_restore_and_begin_again_with_the_same_bits(change, and_back):
    system, state = everything()
    with mb.Simulation(system, backend="interpreted").start(state) as run:
        expected = steps_with_returns(run, state)
    for calls in [0] if and_back else range(30):
        later = change(calls, system, state, back_and_forth=and_back)

        with mb.Simulation(system, backend="auto").start(state) as run:
            found = steps_with_returns(run, state)

        assert later.n_changes == 30 * and_back
        for one, other in zip(found, expected, strict=True):
            assert_array_equal(one, other)


class FinishedMeanwhile(AtOnce):
    """The model is there just after a run has looked for it."""

    @property
    def model(self):
        self.is_over = True
        return super().model


def test_a_run_changes_over_to_a_model_that_is_finished_while_the_run_looks_for_it(monkeypatch):
    system, state = contacts()
    later = FinishedMeanwhile(system, state, 1)
    monkeypatch.setattr("mobod.simulate.run_driver.compiled_later", lambda *_: later)
    with mb.Simulation(system, backend="auto").start(state) as run:
        run.step(0.01)
        run.step(0.01)
        assert run.backend == "interpreted, then compiled at 0.02 s"


class Gust(mb.CustomForce):
    """Raises an error while `fails` is set."""

    recordable = False
    fails = False

    def calc_force(self, state, body_forces, mobility_forces):
        if self.fails:
            raise ZeroDivisionError("a gust")
        mobility_forces[0] += 0.2 * state.u[0]


def test_a_step_that_fails_after_the_change_leaves_the_run_as_it_was(change):
    system, state = contacts()
    gust = Gust(mb.ForceSubsystem(system, "wind"), name="gust")
    state = system.realize_topology()
    change(2, system, state)
    ends = []
    for backend in ("interpreted", "auto"):
        with mb.Simulation(system, backend=backend).start(state) as run:
            for i in range(8):
                gust.fails = i in (3, 4)
                if gust.fails:
                    with pytest.raises(mb.errors.ElementError, match="a gust"):
                        run.step(0.05)
                else:
                    run.step(0.05)
            ends.append((run.time, run.steps, *run.state.y))
    assert run.backend == "interpreted, then compiled at 0.15 s"
    assert ends[0] == ends[1]


def test_derivatives_of_runs_that_change_over_keep_their_bits(change, monkeypatch):
    system, state = contacts()
    monkeypatch.setattr("mobod.analysis.tangent_run._STEPS_OF_A_CALL", 1)
    arguments = (["gravity.magnitude", "upper.u"], ["upper.q", "lower.u"])

    def sensitivities(backend):
        simulation = mb.Simulation(system, 1e-6, backend=backend)
        return mb.sensitivities(simulation, state, *arguments, until=0.6, report_every=0.1)

    expected = sensitivities("interpreted")
    later = change(0, system, state, back_and_forth=True)
    found = sensitivities("auto")

    assert later.n_changes > 10
    assert expected.method.startswith("tangents")
    assert_array_equal(found.values, expected.values)
    assert_array_equal(found.derivatives, expected.derivatives)
