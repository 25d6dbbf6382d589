"""RunDriver: a run in C and the State beside it, under Simulation.run, SteppedRun, and the runs of sensitivities and fits."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self, final

import numpy as np

from mobod.compilation.native.integration import Integration, Outcome
from mobod.compilation.native.native_model import NativeModel
from mobod.compilation.source.model_source import Code
from mobod.errors import ComplementarityError, EventError, IntegrationError, MobodError, SingularMechanismError
from mobod.simulate.bounded_steps import N_LEFTOVERS, Leftovers, check_bounded_system
from mobod.simulate.delays import delay_rows
from mobod.simulate.failure import diverged, largest_speed
from mobod.simulate.native_events import NativeEvents
from mobod.simulate.native_model import compiled_later, native_model
from mobod.simulate.run_failure import is_of_event, run_failure
from mobod.simulate.run_record import RunRecord
from mobod.simulate.run_start import open_run, prepare_start
from mobod.simulate.step_options import StepOptions
from mobod.simulate.velocity_level.native_stepper import NativeVelocityLevelStepper
from mobod.simulate.velocity_level.supported import checked_matter
from mobod.system import State, System

OF_DIVERGENCE = (IntegrationError, EventError, SingularMechanismError, ComplementarityError)


def divergence(system: System, state: State, start_u: np.ndarray, error: BaseException) -> IntegrationError | None:
    """The error of a run whose speeds have grown without bound, if that is what an error comes from. start_u: (nu,) at the start"""
    if not isinstance(error, OF_DIVERGENCE):
        return None
    return diverged(system, state, largest_speed(system, state, start_u), error)


@contextmanager
def divergence_named(system: System, state: State) -> Iterator[None]:
    """Around a run that moves the State: its errors say whether the motion diverges."""
    start_u = np.array(state.u)
    try:
        yield
    except OF_DIVERGENCE as error:
        if (named := divergence(system, state, start_u, error)) is None:
            raise
        raise named from error


@final
class RunDriver:
    """A run in C from a State.

    state    callbacks in plain Python use it. `synchronize` copies the numbers of the run to it
    native   the run in C
    stepper  of 'velocity_level', after `fix_steps`; else None
    events   whose reporters are called and whose handlers are recorded, after `follow_events`; else None
    changes_over
             whether the run is interpreted now, and goes on with compiled code once that is there

    A context manager that frees the memory in C.
    """

    def __init__(self, system: System, state: State, options: StepOptions, code: Code, *, may_change_over: bool = False):
        """may_change_over: whether an interpreted run is compiled in the background once that pays"""
        self.system, self.state, self.options, self.code = system, state, options, code
        self.changes_over = may_change_over and code == "interpreted"
        self._start = state.time
        self._interpreted_until: float | None = None  # s, if it has changed over
        self._n_evaluations = 0  # of which `note_work` knows
        self.model = native_model(system, state, code, options.scales, follows_events=options.fixed_steps is None)
        self._delays = delay_rows(system, state)
        self.stepper: NativeVelocityLevelStepper | None = None
        self.events: NativeEvents | None = None
        self.native = open_run(self.model, state, options)
        state.is_running = True
        if options.is_bounded:
            check_bounded_system("Simulation", system, state)

    # the start
    def prepare(self) -> np.ndarray:
        """Make the State one from which steps begin, and begin from it again. Returns (ny,) y before that. Errors: see prepare_start."""
        self._n_evaluations, self._interpreted_until, self._start = 0, None, self.state.time
        given = prepare_start(self.system, self.state, self.options, lambda _: self.code)
        self.native.reset(self.state)
        return given

    def bound_steps(self) -> None:
        """After the start: bound the work of steps, if the options say so."""
        if self.options.is_bounded:
            self.native.bound_steps()

    @property
    def leftovers(self) -> Leftovers:
        """The work that bounded steps have left."""
        return Leftovers.of(self.native.leftovers(N_LEFTOVERS))

    def fix_steps(self) -> NativeVelocityLevelStepper | None:
        """What takes steps at velocity level from now on; None for other integrators."""
        fixed, self.stepper = self.options.fixed_steps, None
        if fixed is not None:
            matter = checked_matter(self.system, self.state, fixed.size)
            self.stepper = NativeVelocityLevelStepper(self.system, matter, self.state, self.native, fixed)
        return self.stepper

    def follow_events(self, record: RunRecord, *, ambiguous_is_an_error: bool | None = None) -> NativeEvents | None:
        """Call reporters and record events from now on. ambiguous_is_an_error: default: that of the options"""
        self.events = None
        if self.system.has_events:
            is_error = self.options.ambiguous_is_an_error if ambiguous_is_an_error is None else ambiguous_is_an_error
            self.events = NativeEvents(self.system, self.state, self.native, record, ambiguous_is_an_error=is_error)
        return self.events

    # after each call of C
    def checked(self, integration: Integration, *, reports_steps: bool = False) -> Integration:
        """The integration, of which the State gets what handlers have set. Raises the error of a failed one.

        reports_steps  whether the end of each step is reported, for the message
        """
        if self.events is not None and not is_of_event(integration):
            self.events.take(integration)
        if integration.outcome != Outcome.INTEGRATED:
            raise self.failure(integration, reports_steps=reports_steps)
        return integration

    def failure(self, integration: Integration, *, reports_steps: bool = False) -> MobodError:
        """The error of a failed integration. The State gets the last numbers."""
        self.synchronize()
        return run_failure(self.system, self.state, integration, self.native, reports_steps=reports_steps)

    def synchronize(self) -> None:
        """Copy the numbers of the run in C to the State."""
        values, layout = self.native.present, self.state.layout
        self.state.move_to(float(values[layout.time.offset]), values[layout.y.slice])
        self.state.take_numbers(values)
        for delay in self._delays:
            self.state.values[delay.memory.slice] = values[delay.memory.slice]

    # compiled code
    def note_work(self, evaluations: int, seconds: float | None = None, until: float | None = None, *, is_over: bool = False) -> None:
        """Between two calls of C, while `changes_over`: count the work for the decision to compile, and go on with compiled code if it is
        there.

        evaluations  of this run so far
        seconds      that they took since the last time, if that is known
        until        s, the end of the run, if that is known
        is_over      whether this is its end, after which nothing is left to be compiled
        """
        later = compiled_later(self.system, self.state)
        is_decided = later.is_over  # read first: the model is there before that
        if (model := later.model) is not None and not is_over:
            self._change_over(model)
        elif is_decided:
            self.changes_over = False
            later.warn_of_problem()
        else:
            time = self.native.time
            left = evaluations * (until - time) / (time - self._start) if until is not None and time > self._start else 0.0
            later.note_work(evaluations - self._n_evaluations, seconds, left)
            self._n_evaluations = evaluations

    def _change_over(self, compiled: NativeModel) -> None:
        if self.options.fixed_steps is None:
            compiled.index_witnesses()
        self.model = compiled.scaled(self.options.scales)
        self.native.use_kernels_of(self.model)
        self.code, self.changes_over = "compiled", False
        self._interpreted_until = self.native.time

    @property
    def backend(self) -> str:
        """How the run was made, in words."""
        return self.code if self._interpreted_until is None else f"interpreted, then compiled at {self._interpreted_until:.6g} s"

    @property
    def terminated_by(self) -> str | None:
        """The name of the event that has ended the run, or None."""
        return None if self.events is None else self.events.terminated_by

    def close(self) -> None:
        self.state.is_running = False
        self.native.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
