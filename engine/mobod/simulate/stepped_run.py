"""SteppedRun: a simulation that is advanced step by step."""

import weakref
from collections.abc import Callable
from math import inf, isfinite
from time import perf_counter
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import real_number
from mobod.compilation.native.native_run import NativeRun
from mobod.compilation.source.model_source import Code
from mobod.errors import InputError
from mobod.simulate.bounded_steps import Leftovers
from mobod.simulate.results import Results
from mobod.simulate.run_driver import RunDriver, divergence
from mobod.simulate.run_history import RunHistory
from mobod.simulate.run_record import EventRecord, RunRecord
from mobod.simulate.run_start import normalize_state, start_changes
from mobod.simulate.run_variables import RunVariables
from mobod.simulate.saved_run import SavedRun
from mobod.simulate.step_grid import StepGrid
from mobod.simulate.step_options import StepOptions
from mobod.system import Stage, State, System
from mobod.system.boundary import check_state, checked_kind
from mobod.system.readable import Readable

_STEPS_OF_A_CALL = 2000  # integration steps between two moments at which Ctrl-C acts


class SteppedRun(Readable):
    """A simulation that is advanced step by step: made by `Simulation.start`. A context manager that frees the memory in C.

        run = mb.Simulation(system).start(state)
        run.set("motor.force", 2.0)
        run.step(1e-3)
        print(run.time, run["lower.q"])

    Integration steps, events, limits and callbacks are those of `Simulation.run`: a step from one time to the next is one call of the C
    runtime. An integration step never passes the end of a step, so many short steps take more evaluations than one long run.

    backend        'compiled', 'interpreted', or 'interpreted, then compiled at 1.2 s'
    events         an EventRecord for each call of a handler or reporter, in order
    warnings       messages on anything that makes the run doubtful
    """

    def __init__(
        self,
        system: System,
        state: State,
        options: StepOptions,
        choose_backend: Callable[[State], Code],
        report_every: float | None = None,
        *,
        is_preview: bool = False,
        may_change_over: bool = False,
    ) -> None:
        """may_change_over: whether an interpreted run is compiled in the background once that pays

        is_preview: only the start is looked at: there are no warnings, events that are due there do not occur, and neither handlers nor
        reporters in plain Python are called
        """
        self.system = system
        self._report_every = report_every
        self._options = options
        self._is_preview = is_preview
        self._handles: dict[str, RunVariables] = {}
        self._state = _normalized(state, system)
        self._driver = RunDriver(system, self._state, options, choose_backend(self._state), may_change_over=may_change_over)
        self._native = self._driver.native
        self._history = RunHistory(system, self._state, self._native, self._report_every)
        self._kept_history = self._history if self._history.is_kept else None
        self._uses_state = _calls_back(system, self._state)
        if not self._uses_state:
            self._native.need_no_host()
        self._finalizer = weakref.finalize(self, self._driver.close)
        self._begin_step = self._native.stepper()
        self._begin()

    def _begin(self) -> None:
        """Begin from the State: project it, and call the handlers of the start."""
        driver, native = self._driver, self._native
        self._done = RunRecord(self.system, is_silent=self._is_preview)
        self._start_u = np.array(self._state.u)
        self._has_ended = self._has_set_states = False  # since the last step
        given = driver.prepare()
        for each in start_changes(self.system, self._state, given, self._options):
            self._done.warn(each)
        if (stepper := driver.fix_steps()) is not None:
            stepper.begin()
        elif driver.follow_events(self._done, ambiguous_is_an_error=False if self._is_preview else None) is not None:
            driver.checked(native.preview() if self._is_preview else native.begin())
            if not self._is_preview:
                driver.checked(native.process_events())
        driver.bound_steps()
        self._history.begin()
        self._grid = StepGrid.from_time(native.time, native.time)
        self._note_what_steps_need()

    def _note_what_steps_need(self) -> None:
        """Whether a step is one call of C, besides the history. A run that may still change over to compiled code needs more."""
        self._is_in_c_alone = not (self._uses_state or self._has_ended or self._has_set_states or self._driver.changes_over)

    def step(self, duration: float) -> None:
        """Advance by a duration, s. If an event ends the run, the time is then that of the event.

        Equal steps are counted from the first of them, so that their times are not a running sum.

        Raises IntegrationError and EventError with the time and the cause; the run is then as it was before the step. Raises InputError
        after the end of the run.
        """
        grid = self._grid
        if self._is_in_c_alone and duration == grid.size and type(duration) is float:
            until = grid.next_end
            if (history := self._kept_history) is not None:
                history.take()
            result = self._begin_step(grid.reached, until, _STEPS_OF_A_CALL)
            if result > 0:
                self._advance(until, is_under_way=True)
            elif result == 0 and history is not None:
                history.note_end_of_step()
            if result >= 0:
                self._grid = grid.after_step(self._native.time if result else until)
                return
        duration = duration if type(duration) is float else real_number(duration, "run.step")
        time = self._native.time
        grid = grid.with_size(duration, time)
        until = grid.next_end
        if not (0 < duration < inf and until > time):
            raise InputError(f"run.step: the duration must be positive, finite, and long enough to change the time, not {duration!r} s.")
        self._advance(until)
        self._grid = grid.after_step(self._native.time)

    def step_to(self, time: float) -> None:
        """Advance to a time, s. Errors are those of `step`."""
        until = real_number(time, "run.step_to")
        earliest = self._grid.end if self.time == self._grid.reached else self.time
        if not (isfinite(until) and until >= earliest):
            raise InputError(f"run.step_to: the run is at {self.time:.9g} s and cannot go to {time!r} s.")
        if until > self.time:
            self._advance(until)
            self._grid = StepGrid.from_time(until, self._native.time)

    @property
    def needs_no_python(self) -> bool:
        """Whether C may advance it and set numbers by itself: nothing calls Python back, and there are no events."""
        return not self._uses_state

    def finish_step(self, until: float) -> None:
        """Complete a step to a time (s) that C has begun and returned from before its end."""
        self._advance(until, is_under_way=True)

    def note_steps(self) -> None:
        """Note that C has taken steps."""
        self._grid = StepGrid.from_time(self.time, self.time)
        self._note_end()

    def _advance(self, until: float, *, is_under_way: bool = False) -> None:
        native = self._native
        if self._has_ended or self.terminated_by is not None:
            why = "run.end() was called" if self._has_ended else f"event '{self.terminated_by}' has ended it at {self.time:.9g} s"
            raise InputError(f"the run is over: {why}. Use run.reset(state) or run.restore(saved).")
        until = native.end_near(until)
        if not is_under_way:
            self._history.take()
            native.keep()
        n_events, mark = len(self._done.events), self._history.mark
        since = perf_counter() if self._driver.changes_over else 0.0
        try:
            if self._has_set_states:
                self._prepare()
                self._history.take_change(is_before=False)
            while is_under_way or not native.advance(until, _STEPS_OF_A_CALL):
                is_under_way = False
                self._driver.checked(native.advanced())
                if native.has_reached(until) or self.terminated_by is not None:
                    break
        except BaseException as error:
            self._undo(error, n_events, mark)
        self._note_end(since)

    def _note_end(self, since: float | None = None) -> None:
        """Note the end of a step, and the work since a moment of `perf_counter`."""
        self._history.note_end_of_step()
        if self._driver.changes_over:
            self._driver.note_work(self.evaluations, None if since is None else perf_counter() - since)
            self._note_what_steps_need()

    def _prepare(self) -> None:
        """Project the state that was set onto the constraints, and warn of changes."""
        given = self._native.prepare()
        self._driver.checked(self._native.advanced())
        self._driver.synchronize()
        for each in start_changes(self.system, self._state, given, self._options, "the state that was set"):
            self._done.warn(each)
        self._has_set_states = False
        self._note_what_steps_need()

    def _undo(self, error: BaseException, n_events: int, mark: int) -> NoReturn:
        """Restore the state before the step, and raise the error."""
        named = divergence(self.system, self._state, self._start_u, error)
        self._native.undo()
        self._history.go_back(mark)
        del self._done.events[n_events:]
        self._driver.synchronize()
        if named is not None:
            raise named from error
        raise error

    @property
    def backend(self) -> str:
        """How the equations are evaluated."""
        return self._driver.backend

    @property
    def native(self) -> NativeRun:
        """The run in C."""
        return self._native

    @property
    def time(self) -> float:
        """s"""
        return self._native.time

    @property
    def state(self) -> State:
        """The present State, a copy: realize it to look at whatever a System computes. Changing it does not change the run."""
        self._driver.synchronize()
        return self._state.copy()

    @property
    def terminated_by(self) -> str | None:
        """The name of the event that has ended the run, or None."""
        return self._driver.terminated_by

    @property
    def steps(self) -> int:
        """The number of integration steps since the start."""
        return self._native.steps

    @property
    def evaluations(self) -> int:
        """The number of evaluations of the rates in them, and in those that were refused."""
        return self._native.evaluations

    @property
    def jammed_steps(self) -> int:
        """In how many fixed steps since the start bodies have jammed, so that gaps of contacts were kept which the step closes."""
        return self._native.jams()[0]

    @property
    def leftovers(self) -> Leftovers:
        """The work that bounded steps have left to the next step, and how often."""
        return self._driver.leftovers

    @property
    def integrator(self) -> str:
        """The integration methods."""
        return self._options.integrator

    @property
    def events(self) -> tuple[EventRecord, ...]:
        return tuple(self._done.events)

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(self._done.warnings)

    def history(self) -> Results:
        """The Results of the run since its start or the last `reset`: to animate, plot, compare and save.

            run.history().animate("run.html")

        A row at the end of each step, or as `report_every` of Simulation.start says, and one of the present; two of the same time where a
        state was set. Inputs and parameters of a row are those that were set at its time, which act from then on. `restore` drops the rows
        after the time of the saved state, or all rows if the saved state is not on the way that they record. Rows of
        more than 64 MiB are thinned out, with a MobodWarning.

        Raises InputError for a run that was started with report_every=inf.
        """
        if not self._history.is_kept:
            raise InputError("run.history: this run was started with report_every=inf, so that it keeps no history.")
        record = self._history.record(self._done, self.terminated_by, self.state)
        final = self.state
        self.system.realize(final, Stage.INSTANCE)
        return Results(self.system, final, record, backend=self.backend, integrator=self.integrator)

    def variables(self, *names: str) -> RunVariables:
        """Several variables, which are then read or set together: `run.variables("lower.q", "lower.p_GB[2]").get()`.

        Making them takes longer than a step, reading and setting them does not. Raises UnknownNameError with the nearest name.
        """
        if not names:
            raise InputError("run.variables: give the names of one or more variables.")
        chosen = [self.system.variable(self._state, name) for name in names]
        return RunVariables(self.system, self._state, chosen, self._native, lambda: self.state, self._note_states)

    def _note_states(self) -> None:
        """States are about to be set."""
        if not self._has_set_states:
            self._history.take_change(is_before=True)
        self._has_set_states = True
        self._note_what_steps_need()

    def __getitem__(self, name: str) -> np.ndarray:
        """The present value of a variable, in its shape. Raises UnknownNameError with the nearest name."""
        handle = self._handle(name)
        return handle.get().reshape(handle.variables[0].slot.shape)

    def set(self, name: str, value: ArrayLike) -> None:
        """Set a state, a parameter or an input by its name, from the present time on.

        value  in the variable's shape; a number for a single entry

        Before the next step a state that was set is projected onto the constraints. A MobodWarning, also in `warnings`, names what this
        changes.

        Raises UnknownNameError, and InputError for a result, a wrong shape, or a value that is not finite or out of its bounds.
        """
        self._handle(name).set(value)

    def _handle(self, name: str) -> RunVariables:
        if name not in self._handles:
            self._handles[name] = self.variables(name)
        return self._handles[name]

    def save(self) -> SavedRun:
        """The present state with all that the integration remembers. After `restore` the run goes on with the same bits."""
        objects = {each: self._state.get(each) for each in self._history.objects}
        return SavedRun(self.time, self, self._native.save(), objects, len(self._done.events), self._grid[:3], self._history.mark)

    def restore(self, saved: SavedRun) -> None:
        """Go back to a saved state of this run. Raises InputError for one of another run."""
        checked_kind(saved, SavedRun, "run.restore", "run.save() returns one.")
        if saved.run is not self:
            raise InputError("run.restore: this is not a state that run.save() of this run has returned.")
        self._native.restore(saved.data)
        for variable, value in saved.objects.items():
            self._state.set(variable, value)
        del self._done.events[saved.n_events :]
        self._grid, self._has_ended, self._has_set_states = StepGrid(*saved.grid, saved.time), False, False
        if self._uses_state:
            self._driver.synchronize()
        self._history.go_back(saved.mark)
        self._note_what_steps_need()

    def reset(self, state: State) -> None:
        """Begin again from a State of the same structure. Handlers of the start are called. `steps` and `evaluations` begin at 0.

        Raises InputError for a State with other coordinates; for that start a new run.
        """
        state = _normalized(state, self.system)
        if state.layout is not self._state.layout:
            raise InputError("run.reset: the State has another structure than that of the run. Start a new run from it.")
        self._state.take(state.snapshot())
        self._begin()

    def end(self) -> None:
        """Call the handlers of the end of a run. No step can follow."""
        if not self._has_ended and self._driver.events is not None:
            self._history.take()
            self._driver.checked(self._native.end())
            self._history.take_change(is_before=False)
        self._has_ended = True
        self._note_what_steps_need()

    def close(self) -> None:
        """Free the memory in C. The run cannot be used any more."""
        self._is_in_c_alone = False
        self._finalizer()

    def __enter__(self) -> "SteppedRun":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _summary(self) -> str:
        end = "" if self.terminated_by is None else f", ended by '{self.terminated_by}'"
        return f"of System '{self.system.name}' at {self.time:.9g} s{end}; {self.steps} steps ({self.backend})"


def _calls_back(system: System, state: State) -> bool:
    """Whether C calls Python back during runs, or there are events."""
    is_python = system.as_text or any(each.why_not_recordable() for each in system.subsystems)
    return is_python or system.has_events or bool(state.layout.auto_updates.called_back)


def _normalized(state: State, system: System) -> State:
    """A copy of the State, with quaternions of unit length."""
    check_state(state, system)
    copy = state.copy()
    normalize_state(copy)
    return copy
