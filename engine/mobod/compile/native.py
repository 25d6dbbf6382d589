"""A System compiled into this process: the C runtime that FMUs are made of, called through ctypes."""

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, final

import numpy as np

from mobod.c_calls import CCalls
from mobod.compile.model_source import GeneratedModel
from mobod.errors import MobodError
from mobod.native_sources import runtime_sources
from mobod.runtime.compiler import build_library

_Double = ctypes.POINTER(ctypes.c_double)

# as in fmu_src/native/integrators.h
INTEGRATED, NOT_FINITE, TOO_INACCURATE, ZERO_QUATERNION, NOT_PROJECTED, MOVED_TOO_FAR, NO_ROOM = range(7)
STEP_NOT_FINITE, STEP_UNSOLVED = range(7, 9)
WITNESS_NOT_A_NUMBER, EVENT_ENDLESS, HANDLER_NOT_FINITE, HANDLER_OUT_OF_BOUNDS = range(9, 13)
HANDLER_NOT_PROJECTED, HANDLER_IMPULSE, HANDLER_SCHEDULES_PAST, EVENT_STOPPED = range(13, 17)
CONTACT_OUTSIDE, CONTACT_UNSOLVED, CONTACT_NOT_PROJECTED, CONTACT_ENDLESS = range(17, 21)

_Hook = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_int)


class _Integration(ctypes.Structure):
    """As in fmu_src/native/integrators.h."""

    _fields_ = (
        ("outcome", ctypes.c_int),
        ("n_steps", ctypes.c_int),
        ("n_refused", ctypes.c_int),
        ("n_evaluations", ctypes.c_int),
        ("culprit", ctypes.c_int),
        ("constraint", ctypes.c_int),
        ("time", ctypes.c_double),
        ("value", ctypes.c_double),
        ("step_size", ctypes.c_double),
    )


class _Progress(ctypes.Structure):
    """As in fmu_src/native/simulation.h."""

    _fields_ = (
        ("integration", _Integration),
        ("n_rows", ctypes.c_int),
        ("is_at_event", ctypes.c_int),
        ("has_changed", ctypes.c_int),
    )


@dataclass(frozen=True)
class Integration:
    """How a run went: see fmu_src/native/integrators.h and simulation.h."""

    outcome: int
    n_steps: int
    n_evaluations: int
    culprit: int
    constraint: int
    time: float
    value: float
    step_size: float
    is_at_event: bool
    has_changed: bool

    @classmethod
    def of(cls, progress: Any) -> Self:
        raw = progress.integration
        return cls(
            outcome=raw.outcome,
            n_steps=raw.n_steps,
            n_evaluations=raw.n_evaluations,
            culprit=raw.culprit,
            constraint=raw.constraint,
            time=raw.time,
            value=raw.value,
            step_size=raw.step_size,
            is_at_event=bool(progress.is_at_event),
            has_changed=bool(progress.has_changed),
        )


@final
class NativeModel:
    """A System's shared library, loaded. Its runs begin with `open`."""

    def __init__(self, model: GeneratedModel):
        """Raises NoCompilerError or CompileError."""
        self.n_y = model.y.size
        self.n_w = model.layout.size + self.n_y  # C has the initial conditions at the end
        sources = {**runtime_sources("simulation"), **model.bare_source()}
        library = ctypes.CDLL(str(build_library("mobod_model", sources)))
        library.simulation_open.restype = ctypes.c_void_p
        library.simulation_model.restype = ctypes.c_void_p
        library.simulation_open.argtypes = (ctypes.c_void_p, _Double, ctypes.c_double, ctypes.c_double, ctypes.c_double)
        library.simulation_close.argtypes = (ctypes.c_void_p,)
        library.simulation_run.restype = _Progress
        library.simulation_run.argtypes = (
            *(ctypes.c_void_p, ctypes.c_double, ctypes.c_int, ctypes.c_int, _Double),
            *(ctypes.c_int, _Double, _Double, _Double),
        )
        library.simulation_set_hook.argtypes = (ctypes.c_void_p, _Hook, ctypes.c_void_p)
        for function in (library.simulation_begin, library.simulation_happen, library.simulation_end):
            function.restype, function.argtypes = _Progress, (ctypes.c_void_p,)
        library.simulation_fix_steps.restype = ctypes.c_int
        library.simulation_fix_steps.argtypes = (ctypes.c_void_p, ctypes.c_double, ctypes.c_int, ctypes.c_int, _Double)
        library.simulation_begin_fixed_steps.restype = library.simulation_take_fixed_steps.restype = _Progress
        library.simulation_begin_fixed_steps.argtypes = (ctypes.c_void_p,)
        library.simulation_take_fixed_steps.argtypes = (
            *(ctypes.c_void_p, ctypes.c_double, ctypes.c_double),
            *(ctypes.c_int64, ctypes.c_int64),
        )
        library.simulation_read.argtypes = (ctypes.c_void_p, _Double)
        library.simulation_rates.argtypes = (ctypes.c_void_p, ctypes.c_double, _Double, ctypes.c_int, _Double)
        self._library: Any = library

    def open(
        self, values: np.ndarray, tolerance: float, *, constraint_tolerance: float | None = None, largest_step: float = np.inf
    ) -> "NativeRun":
        """A run from the State with these values; constraint_tolerance: a tenth of the other if left out."""
        return NativeRun(self, self._library, values, tolerance, constraint_tolerance or tolerance / 10, largest_step)


@final
class NativeRun:
    """One simulation in C, to be closed after use (a context manager)."""

    def __init__(
        self, model: NativeModel, library: Any, values: np.ndarray, tolerance: float, constraint_tolerance: float, largest_step: float
    ):
        w = np.zeros(model.n_w)
        w[: len(values)] = values
        self.model = model
        self._library = library
        self._calls = CCalls()
        self._handle = library.simulation_open(library.simulation_model(), _pointer(w), tolerance, constraint_tolerance, largest_step)
        if not self._handle:
            raise MobodError("there is no memory for a simulation.")

    def run(
        self, until: float, *, report_times: np.ndarray | None, most_steps: int, most_rows: int, past_size: int = 0
    ) -> tuple[Integration, np.ndarray, np.ndarray, np.ndarray]:
        """Integrate towards `until`, but no further than `most_steps` steps, and not beyond a time at which events happened.

        report_times  (m,) s   increasing, before `until`; None: report the end of each step, and stop after most_rows of them
        past_size     numbers that delays are read from at one time
        returns       how it went; times (k,) s and y (k, ny) of the reports that were passed, quaternions not normalized; what delays are
                      read from at each (k, past_size)
        """
        if report_times is not None:
            most_rows = len(report_times)
        times, ys, pasts = np.empty(most_rows), np.empty((most_rows, self.model.n_y)), np.empty((most_rows, past_size))
        reports = np.ascontiguousarray(report_times) if report_times is not None and most_rows else np.zeros(1)
        progress = self._calling(
            self._library.simulation_run,
            until,
            most_steps,
            0 if report_times is None else most_rows,
            None if report_times is None else _pointer(reports),
            most_rows,
            _pointer(times),
            _pointer(ys),
            _pointer(pasts),
        )
        return Integration.of(progress), times[: progress.n_rows], ys[: progress.n_rows], pasts[: progress.n_rows]

    def call_for_events(self, hook: Callable[[int, int, bool], None]) -> None:
        """hook(number of the event, direction, is_done): before a handler and after it, and for a reporter.

        An exception in it stops the run, and is raised by the method that C was called from.
        """

        def guarded(_: int, number: int, direction: int, is_done: int) -> int:
            with self._calls.callback():
                hook(number, direction, bool(is_done))
                return 1
            return 0

        self._hook = _Hook(guarded)  # kept as long as C may call it
        self._library.simulation_set_hook(self._handle, self._hook, None)

    def _calling(self, function: Any, *arguments: Any) -> Any:
        """Call a function of C that may call the hook."""
        with self._calls:
            return function(self._handle, *arguments)

    def begin(self) -> Integration:
        """Initialization."""
        return Integration.of(self._calling(self._library.simulation_begin))

    def happen(self) -> Integration:
        """What is due at the start."""
        return Integration.of(self._calling(self._library.simulation_happen))

    def end(self) -> Integration:
        """Termination."""
        return Integration.of(self._calling(self._library.simulation_end))

    def fix_steps(self, step: float, engagement: int, position_iterations: int, tolerances: np.ndarray) -> None:
        """From here on steps are fixed ones at velocity level; see FixedSteps in fmu_src/native/velocity_level.h."""
        if not self._library.simulation_fix_steps(
            self._handle, step, engagement, position_iterations, _pointer(np.append(tolerances, 0.0))
        ):
            raise MobodError("there is no memory for a simulation.")

    def begin_fixed_steps(self) -> Integration:
        return Integration.of(self._calling(self._library.simulation_begin_fixed_steps))

    def take_fixed_steps(self, start: float, until: float, first: int, last: int) -> Integration:
        """Steps number first to last, counted from 1, of those from `start` to `until`."""
        return Integration.of(self._calling(self._library.simulation_take_fixed_steps, start, until, first, last))

    def values(self) -> np.ndarray:
        """What lies in w now."""
        w = np.empty(self.model.n_w)
        self._library.simulation_read(self._handle, _pointer(w))
        return w

    def rates(self, time: float, y: np.ndarray, times: int = 1) -> np.ndarray:
        """y_dot, computed `times` times over (to measure it)."""
        y_dot = np.empty(self.model.n_y)
        self._library.simulation_rates(self._handle, time, _pointer(np.ascontiguousarray(y, dtype=float)), times, _pointer(y_dot))
        return y_dot

    def close(self) -> None:
        if self._handle:
            self._library.simulation_close(self._handle)
            self._handle = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _pointer(array: np.ndarray) -> Any:
    return array.ctypes.data_as(_Double)
