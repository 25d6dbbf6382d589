"""Runs of a System by the C runtime in this process: simulation.h in fmu_src/native."""

from collections.abc import Callable
from types import TracebackType
from typing import Any, Self, final

import numpy as np

from mobod.c_calls import CCalls
from mobod.compilation.native.idle_runs import RunMemory, RunSettings
from mobod.compilation.native.integration import Integration
from mobod.compilation.native.native_model import NativeModel
from mobod.compilation.native.run_host import RunHost
from mobod.compilation.source.model_source import write_start
from mobod.errors import InputError, MobodError, SingularMechanismError
from mobod.runtime.c_objects import CObject
from mobod.runtime.failure_words import written
from mobod.runtime.integrators import AUTO, DEFAULT_MAX_STEPS, IMPLICIT_METHODS, integrator_number
from mobod.runtime.library import doubles, ffi, runtime
from mobod.system import State


@final
class NativeRun:
    """One simulation in C, which `open_native` begins. Close it after use (a context manager).

    fixed_step            s, of an integrator with fixed steps; else 0
    is_at_velocity_level  whether it takes fixed steps at velocity level
    """

    def __init__(self, model: NativeModel, start: State | np.ndarray, settings: RunSettings, state: State | None):
        self.model = model
        self._library = library = runtime()
        self._calls = CCalls()
        self._idle, self._is_used_again, self._is_of_first_model = model.idle, False, True
        if (kept := self._idle.take(settings)) is not None:
            self._memory = kept
            library.simulation_reset(kept.in_c, self._w_of(start))
        else:
            self._memory = memory = RunMemory(settings, model.n_w)
            memory.in_c = library.simulation_open(model.table, self._w_of(start), integrator_number(settings.integrator), *settings[1:-1])
            if memory.in_c == ffi.NULL:
                raise MobodError("not enough memory for a simulation.")
        self._handle = self._memory.in_c
        self._progress = self._memory.progress
        self.fixed_step = settings.fixed_step
        self.is_at_velocity_level = False
        self._uses_tangents = False
        self.n_sets = 0  # how often numbers were set or restored from outside
        self._calls_python = state is not None
        self.host: RunHost | None = None
        if state is not None:
            self.host = host = RunHost(model.system, state, model.rows, self._calls, model.n_w)
            self._host = ffi.new_handle(host)  # kept alive as long as C may call back
            library.simulation_set_host(self._handle, self._host, host.hooks)
        if settings.integrator in IMPLICIT_METHODS:
            self.set_tangents()

    @property
    def steps_change_y_alone(self) -> bool:
        """Whether steps change nothing but time and y, and what is computed from them."""
        table = self.model.table
        return not (self._calls_python or table.events or table.delays or table.auto_updates)

    @property
    def calls_python(self) -> bool:
        """Whether C may call Python: then exceptions and Ctrl-C need care."""
        return self._calls_python

    @property
    def why_no_value(self) -> SingularMechanismError | None:
        """The last error that plain Python raised for a value that does not exist."""
        return None if self.host is None else self.host.why_no_value

    @property
    def progress(self) -> CObject:
        """`Progress *` of the last `advance`, also if C has called the function."""
        return self._progress

    @property
    def calls(self) -> CCalls:
        """The context of calls in which C may call Python."""
        return self._calls

    def set_tangents(self) -> None:
        """Make the tangents for implicit steps, which C has asked for."""
        if not self._library.simulation_set_tangents(self._handle, *self.use_tangents()):
            raise MobodError("not enough memory for a simulation.")

    def use_tangents(self) -> tuple[Any, int]:
        """The tangents of the model, which C uses from now on."""
        self._uses_tangents = True
        return self.model.tangents

    def use_kernels_of(self, model: NativeModel) -> None:
        """Go on with another form of the same model, in the same memory or in more: the bits stay the same. Only between two calls."""
        tangents, n_scratch = model.tangents if self._uses_tangents else (ffi.NULL, 0)
        if not self._library.simulation_use_kernels(self._handle, model.table, tangents, n_scratch):
            raise MobodError("not enough memory for a simulation.")
        self.model = model
        self._memory, self._is_of_first_model = self._memory.for_more(model.n_w), False
        if self.host is not None:
            self.host.has_moved(model.n_w)

    def end_near(self, until: float) -> float:
        """The time at which a run to `until` ends: the end of a fixed step that equals it up to round-off, else `until`."""
        return float(self._library.simulation_end_near(self._handle, until))

    def has_reached(self, until: float) -> bool:
        """Whether a run to `until` is at its end: there, or after the time events that are round-off after it."""
        return bool(self._library.simulation_has_reached(self._handle, until))

    def run(
        self, until: float, *, report_times: np.ndarray | None, most_steps: int, most_rows: int, past_size: int = 0
    ) -> tuple[Integration, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Integrate towards `until`. Stops after `most_steps` steps, and at times at which events occurred.

        report_times  (m,) s   increasing, before `until`; None: report the end of each step, and stop after most_rows reports
        past_size     number of floats in the delays' histories that are needed at one time
        returns       the result; times (k,) s and y (k, ny) of the reports, with quaternions not exactly of unit length;
                      history entries for delays at each report (k, past_size); the variables of Layout.auto_updates in the steps of the
                      reports, and in the last step (k + 1, size)
        """
        if report_times is not None:
            most_rows = len(report_times)
        times, ys, pasts = np.empty(most_rows), np.empty((most_rows, self.model.n_y)), np.empty((most_rows, past_size))
        updated = np.empty((most_rows + 1, self.model.n_updated))
        reports = np.ascontiguousarray(report_times) if report_times is not None and most_rows else np.zeros(1)
        progress = self._calling(
            self._library.simulation_run,
            until,
            most_steps,
            0 if report_times is None else most_rows,
            ffi.NULL if report_times is None else doubles(reports),
            most_rows,
            doubles(times),
            doubles(ys.reshape(-1)),
            doubles(pasts.reshape(-1)),
            doubles(updated.reshape(-1)),
        )
        if progress.wants_tangents:
            self.set_tangents()
        n = progress.n_rows
        return Integration.of(progress), times[:n], ys[:n], pasts[:n], updated[[*range(n), most_rows]]

    def reset(self, start: State | np.ndarray) -> None:
        """Begin again from a State, or from its values."""
        self.n_sets += 1
        self._library.simulation_reset(self._handle, self._w_of(start))

    def _w_of(self, start: State | np.ndarray) -> CObject:
        """`double *` to w of a start, which the next call may change."""
        if isinstance(start, np.ndarray):
            self._given = self.model.extended(start)
            return doubles(self._given)
        write_start(start, self._memory.w)
        return self._memory.w_in_c

    def keep(self) -> None:
        """Remember the present state for `undo`."""
        if not self._library.simulation_keep(self._handle):
            raise MobodError("not enough memory for a simulation.")

    def undo(self) -> None:
        """Restore the state of the last `keep`."""
        self.n_sets += 1
        self._library.simulation_undo(self._handle)

    def prepare(self) -> np.ndarray:
        """Project a state that was set onto the constraints, as `advance` does first; `advanced` describes how it ended.

        returns  (ny,) y before that, with what motions and locks determine
        """
        given = np.empty(self.model.n_y)
        self._calling(self._library.simulation_prepare, doubles(given), self._progress)
        return given

    def advance(self, until: float, n_steps: int) -> bool:
        """Advance to `until`, or to the next event, or by `n_steps` steps; `advanced` describes how it ended.

        returns  whether it reached `until` and no event occurred there
        """
        if not self._calls_python:
            return not self._library.simulation_advance(self._handle, until, n_steps, self._progress)
        with self._calls:
            return not self._library.simulation_advance(self._handle, until, n_steps, self._progress)

    def stepper(self) -> Callable[[float, float, int], int]:
        """A function (start, until, n_steps) that keeps the state and advances as `advance` does, of a run that never calls Python.

        It returns 0 if it has reached `until`; 1 if it has not: `advanced` describes why; -1 if nothing was done, because the run is not at
        the start or `until` is not later. It must not be called after `close`.
        """
        step, handle, progress = self._library.simulation_step, self.handle, self._progress
        return lambda start, until, n_steps: step(handle, start, until, n_steps, progress)

    def need_no_host(self) -> None:
        """Say that nothing calls Python back: no event, and no element in plain Python. Then `advance` is quicker."""
        self._library.simulation_set_host(self._handle, ffi.NULL, ffi.NULL)
        self._calls_python = False

    def advanced(self) -> Integration:
        """The result of the last `advance`. If steps are implicit from now on, it makes their tangents."""
        if self._progress.wants_tangents:
            self.set_tangents()
        return Integration.of(self._progress)

    @property
    def steps(self) -> int:
        """The number of integration steps by `advance` since the start."""
        return int(self.handle.n_steps)

    @property
    def evaluations(self) -> int:
        """The number of evaluations by `advance` since the start."""
        return int(self.handle.n_evaluations)

    @property
    def time(self) -> float:
        """s"""
        return float(self._library.simulation_time(self.handle))

    @property
    def handle(self) -> CObject:
        """`Simulation *` of simulation.h. Raises InputError after `close`."""
        if self._handle is None:
            raise InputError("the run was closed. Start a new one.")
        return self._handle

    def save(self) -> bytes:
        """The whole state, for `restore` of this run or of another one of the same model in this process."""
        data = bytearray(self._library.simulation_size(self._handle))
        self._library.simulation_save(self._handle, ffi.from_buffer("char[]", data))
        return bytes(data)

    def restore(self, data: bytes) -> None:
        self.n_sets += 1
        size = self._library.simulation_size(self._handle)
        if len(data) != size:
            data = data[:size].ljust(size, b"\0")  # other kernels have scratch memory of another size at the end of w
        self._library.simulation_restore(self._handle, ffi.from_buffer("char[]", data))

    def call_for_events(self, hook: Callable[[int, int, bool], None]) -> None:
        """Set the hook (number of the event, direction, is_done), called before and after each handler, and for each reporter.

        An exception in the hook stops the run. The method that called C raises it.
        """

        def guarded(_: object, number: int, direction: int, is_done: int) -> int:
            with self._calls.callback():
                hook(number, direction, bool(is_done))
                return 1
            return 0

        self._calls_python = True
        self._hook = ffi.callback("EventHook", guarded)  # kept alive as long as C may call it
        self._library.simulation_set_hook(self._handle, self._hook, ffi.NULL)

    def _calling(self, function: Callable[..., object], *arguments: object) -> Any:
        """Call a C function that may call the hook."""
        if not self._calls_python:
            return function(self._handle, *arguments)
        with self._calls:
            return function(self._handle, *arguments)

    def begin(self) -> Integration:
        """Call the handlers of the start of a run."""
        return Integration.of(self._calling(self._library.simulation_begin))

    def preview(self) -> Integration:
        """The same without handlers and reporters in plain Python."""
        return Integration.of(self._calling(self._library.simulation_preview))

    def process_events(self) -> Integration:
        """Process the events that are due at the start."""
        return Integration.of(self._calling(self._library.simulation_process_events))

    def end(self) -> Integration:
        """Call the handlers of the end of a run."""
        return Integration.of(self._calling(self._library.simulation_end))

    def fix_steps(self, step: float, engagement: int, constraints_at: int, position_iterations: int, tolerances: np.ndarray) -> None:
        """Use fixed steps at velocity level from now on; see FixedSteps in fmu_src/native/velocity_level/velocity_level_work.h."""
        numbers = doubles(np.append(tolerances, 0.0))
        if not self._library.simulation_fix_steps(self._handle, step, engagement, constraints_at, position_iterations, numbers):
            raise MobodError("not enough memory for a simulation.")
        self.is_at_velocity_level = True

    def bound_steps(self) -> None:
        """Bound the work of all steps from now on, until `reset`; see bounded_steps.h in fmu_src/native/state."""
        if not self._library.simulation_bound_steps(self._handle):
            raise MobodError("not enough memory for a simulation.")

    def leftovers(self, n: int) -> np.ndarray:
        """(n,) what they have left."""
        numbers = np.zeros(n)
        self._library.simulation_read_overruns(self._handle, doubles(numbers))
        return numbers

    def jams(self) -> tuple[int, float]:
        """In how many fixed steps since the start bodies have jammed, and a time within the first of them, s."""
        numbers = np.zeros(2)
        self._library.simulation_read_jams(self._handle, doubles(numbers))
        return int(numbers[0]), float(numbers[1])

    def is_at_end_of_fixed_step(self) -> bool:
        """Whether the State is unchanged since the end of a fixed step."""
        return bool(self._calling(self._library.simulation_is_at_end_of_fixed_step))

    def cause(self, failure: Integration) -> tuple[str, int]:
        """Why the run failed, in the words of failures/failure_causes.h in fmu_src/native, and the `Explanation` behind them."""
        self.model.name_states()
        explanations: list[int] = []
        raw = ffi.new("Integration *", failure.in_c)
        words = written(lambda text, size: explanations.append(self._calling(self._library.simulation_describe_failure, raw, text, size)))
        return words, explanations[0]

    def begin_fixed_steps(self) -> Integration:
        return Integration.of(self._calling(self._library.simulation_begin_fixed_steps))

    def take_fixed_steps(self, start: float, until: float, first: int, last: int) -> Integration:
        """Take the steps with numbers first to last, from 1, of the steps from `start` to `until`."""
        return Integration.of(self._calling(self._library.simulation_take_fixed_steps, start, until, first, last))

    def project(self, tolerance: float, *, of_speeds_alone: bool = False) -> CObject:
        """Project q and u to the constraints; returns the `Projection` of projection.h."""
        return self._calling(self._library.simulation_project, tolerance, of_speeds_alone)

    @property
    def present(self) -> np.ndarray:
        """The present numbers of w, without a copy: the next call of C changes them."""
        return np.frombuffer(ffi.buffer(self._handle.state.w, 8 * self.model.n_w))

    def first_bytes(self, n: int) -> bytes:
        """A copy of the first n present numbers of w."""
        copy: bytes = ffi.buffer(self.handle.state.w, 8 * n)[:]
        return copy

    def values(self) -> np.ndarray:
        """The present numbers of w; temporary ones are 0."""
        w = np.zeros(self.model.n_w)
        self._library.simulation_read(self._handle, doubles(w))
        return w

    def rates(self, time: float, y: np.ndarray, times: int = 1) -> np.ndarray:
        """y_dot, computed `times` times, for measuring its time."""
        y_dot = np.empty(self.model.n_y)
        self._library.simulation_rates(self._handle, time, doubles(np.ascontiguousarray(y, dtype=float)), times, doubles(y_dot))
        return y_dot

    def use_again(self) -> None:
        """Keep the memory in C for the next run with the same settings, when this one is closed, unless its kernels have changed. Call it
        after the last call of C.
        """
        self._is_used_again = self._is_of_first_model

    def close(self) -> None:
        handle, self._handle = self._handle, None
        if not handle:
            return
        if self._is_used_again:
            if self._calls_python:
                self._library.simulation_set_host(handle, ffi.NULL, ffi.NULL)
            self._library.simulation_set_hook(handle, ffi.NULL, ffi.NULL)
            self._idle.keep(self._memory)
        else:
            self._library.simulation_close(handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def open_native(
    model: NativeModel,
    start: State | np.ndarray,
    tolerance: float,
    *,
    state: State | None = None,
    constraint_tolerance: float | None = None,
    largest_step: float = np.inf,
    fixed_step: float = 0.0,
    max_steps: int = DEFAULT_MAX_STEPS,
    integrator: str = AUTO,
    impacts: int = 0,
    at_velocity_level: bool = False,
) -> NativeRun:
    """Begin a run from a State, or from its values (n,).

    integrator            one of mobod.runtime.integrators
    state                 updated during the run for callbacks in plain Python; None: there are none
    constraint_tolerance  default: a tenth of the tolerance
    fixed_step            s, of an integrator with fixed steps
    max_steps             limit of steps from one report to the next, or of the whole run if each step is reported
    impacts               the number of one of mobod.simulate.limits.Impacts
    at_velocity_level     whether `fix_steps` is called
    """
    numbers = (tolerance, constraint_tolerance or tolerance / 10, largest_step, fixed_step, max_steps, impacts)
    return NativeRun(model, start, RunSettings(integrator, *numbers, at_velocity_level), state)
