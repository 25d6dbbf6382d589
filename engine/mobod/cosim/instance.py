"""Instance: an FMU for co-simulation by FMI 2.0 that runs. The status of every call is checked, and all resources are freed in any case."""

# Decision: docs/decisions/093-terminated-fmus.md

import ctypes
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from types import TracebackType
from typing import Self, final

import numpy as np

from mobod.cosim.batch import Batch, Value
from mobod.cosim.exchange.direct import DirectVariable, StepOutcome
from mobod.cosim.fmu_file import FmuFile
from mobod.cosim.saved_state import SavedState, check_can_save
from mobod.cosim.step_errors import SimulationEndedError, StepDiscardedError
from mobod.errors import FmuError, UnsupportedError
from mobod.fmi.discarded_step import discard_message, has_ended, last_successful_time
from mobod.fmi.loaded_fmu import LoadedFmu, is_discard
from mobod.fmi.message_file import MessageFile
from mobod.importer.kinds import KINDS


@final
class Instance:
    """An instance of an FMU in this process, with a folder of its own; a context manager that frees both.

    Every call raises FmuError if the FMU returns a status worse than warning. The message names the instance, the function and the time,
    and ends with the FMU's own messages. Calls raise FmuCallError after a fatal error and after the instance was closed. Ctrl-C raises
    KeyboardInterrupt when the FMU has returned.

    log_file  as in LoadedFmu
    """

    fmi_version = "2"

    def __init__(self, file: FmuFile, name: str, log_file: MessageFile | None = None) -> None:
        self.file = file
        self.name = name
        self._in_step_mode = False
        self._may_return = False  # whether a state was saved, to which the master may return from later steps
        self._loaded = LoadedFmu(file.archive, file.description, "co-simulation", name, log_file=log_file)
        self.log = self._loaded.log

    @property
    def time(self) -> float | None:
        """s, time of the instance; None before the experiment is set up."""
        return self._loaded.time

    @time.setter
    def time(self, time: float | None) -> None:
        self._loaded.time = time

    @property
    def is_alive(self) -> bool:
        """Whether it can be called: it was not closed, and no call failed fatally."""
        return self._loaded.is_alive

    def set_up(self, start: float, stop: float | None, tolerance: float | None) -> None:
        """Set the start and stop time of the experiment (s), and the relative tolerance. None: no stop time, no tolerance."""
        self.time = start
        self.call("fmi2SetupExperiment", tolerance is not None, tolerance or 0.0, start, stop is not None, stop or 0.0)

    def enter_initialization(self) -> None:
        self.call("fmi2EnterInitializationMode")

    def exit_initialization(self) -> None:
        self.call("fmi2ExitInitializationMode")
        self._in_step_mode = True

    def step(self, time: float, step: float) -> None:
        """Advance from time to time + step (s).

        Raises SimulationEndedError if the FMU ends the simulation before, StepDiscardedError if it can only take a shorter step.
        """
        self._step(time, step, lambda: self.call("fmi2DoStep", time, step, not self._may_return))

    def finish_step(self, time: float, step: float, outcome: StepOutcome) -> None:
        """Like `step`, after C has called the function."""
        self._step(time, step, lambda: self.check("fmi2DoStep", outcome.status))

    def _step(self, time: float, step: float, do_step: Callable[[], None]) -> None:
        self.time = time
        try:
            do_step()
        except FmuError as error:
            if not is_discard(error):
                raise
            if not has_ended(self):
                reached = last_successful_time(self, time, time + step)
                message = discard_message(time, time + step, reached)
                raise StepDiscardedError(str(self.failure("fmi2DoStep", message)), reached) from error
            self._in_step_mode = True
            self.time = self._time_of_end(time, time + step)
            raise SimulationEndedError(self.name, self.time, self.log) from None
        self.time = time + step

    def _time_of_end(self, start: float, end: float) -> float:
        """s: the time of the FMU's independent variable if it has one; else the last successful time; else the start of the step."""
        clock = next((name for name, variable in self.file.variables.items() if variable.causality == "independent"), None)
        if clock is None:
            reached = last_successful_time(self, start, end)
            return start if reached is None else reached
        said = float(self.get(clock))
        return said if start <= said <= end else start

    def restore(self, state: ctypes.c_void_p, time: float | None) -> None:
        """Restore a state between two steps, at this time (s); `SavedState` holds such a state."""
        self.call("fmi2SetFMUstate", state)
        self.time = time
        self._in_step_mode = True

    @property
    def origin(self) -> str:
        return str(self.file.path)

    @property
    def promises(self) -> Mapping[str, bool]:
        """What the model description declares of saved states."""
        promised = self.file.description.coSimulation
        return {flag: getattr(promised, flag) for flag in ("canGetAndSetFMUstate", "canSerializeFMUstate")}

    def check_can_save(self, *, as_bytes: bool = False) -> None:
        """Raise UnsupportedError if the FMU cannot save its state (as bytes)."""
        check_can_save(self, as_bytes=as_bytes)

    def save(self) -> SavedState:
        self._may_return = True
        return SavedState.of(self)

    def saved(self, data: bytes, time: float) -> SavedState:
        """The state of the bytes of a saved state at this time (s)."""
        return SavedState.from_bytes(self, data, time)

    def directional_derivative(self, unknowns: Sequence[str], knowns: Sequence[str], change: Sequence[float]) -> list[float]:
        """The change of unknowns, to first order, for a change of knowns. Raises UnsupportedError."""
        if not self.file.description.coSimulation.providesDirectionalDerivative:
            raise UnsupportedError(f"FMU '{self.name}' ({self.origin}) has no directional derivatives.")
        n, of = len(unknowns), [self.file.variable(name).valueReference for name in unknowns]
        m, along = len(knowns), [self.file.variable(name).valueReference for name in knowns]
        found = (ctypes.c_double * n)()
        seeds = (ctypes.c_double * m)(*change)
        self.call("fmi2GetDirectionalDerivative", (ctypes.c_uint * n)(*of), n, (ctypes.c_uint * m)(*along), m, seeds, found)
        return list(found)

    def batch(self, names: Iterable[str]) -> Batch:
        """The variables with these names, to be read or written together repeatedly. Raises UnknownNameError."""
        return Batch(self, [self.file.variable(name) for name in names])

    def input_derivatives(self, names: Sequence[str]) -> "Fmi2InputDerivatives":
        return Fmi2InputDerivatives(self, [self.file.variable(name).valueReference for name in names])

    def get(self, name: str) -> Value:
        return self.batch([name]).get()[0]

    def set(self, values: Mapping[str, Value]) -> None:
        self.batch(values).set(list(values.values()))

    def call(self, function: str, *arguments: object) -> None:
        """Call an FMI function of this instance and check its status."""
        try:
            self._loaded.call(function, *arguments)
        except FmuError:
            self._in_step_mode = False
            raise

    def check(self, function: str, status: int) -> None:
        """Raise the error of a call that C made, unless it returned ok or warning."""
        try:
            self._loaded.check_status(function, status)
        except FmuError:
            self._in_step_mode = False
            raise

    @property
    def loaded(self) -> LoadedFmu:
        return self._loaded

    next_event = inf  # s; the FMU handles events within its steps

    def direct_variable(self, name: str) -> DirectVariable:
        """Where C finds a variable. Raises UnknownNameError."""
        variable = self.file.variable(name)
        return DirectVariable(name, variable.causality, KINDS["2"][variable.type], variable.valueReference)

    def failure(self, function: str, what: str, time: float | None = None) -> FmuError:
        """The error of a function call, with the time (s; default: that of the instance) and the FMU's log messages."""
        return self._loaded.failure(function, what, time)

    def close(self) -> None:
        """Terminate unless an error occurred, free the instance and the library, and remove the folder. A second call does nothing."""
        try:
            if self._in_step_mode:
                self._in_step_mode = False
                self.call("fmi2Terminate")
        finally:
            self._loaded.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if error is not None:  # an error of fmi2Terminate would hide it
            self._in_step_mode = False
        self.close()


@final
class Fmi2InputDerivatives:
    """Derivatives of inputs of an Instance."""

    def __init__(self, instance: Instance, references: Sequence[int]) -> None:
        self._instance = instance
        self._n = n = len(references)
        self._references = (ctypes.c_uint * (2 * n))(*references, *references)
        self._orders = (ctypes.c_int * (2 * n))(*[1] * n, *[2] * n)
        self._values = (ctypes.c_double * (2 * n))()

    def set(self, derivatives: np.ndarray) -> None:
        count = len(derivatives) * self._n
        self._values[:count] = derivatives.ravel().tolist()
        self._instance.call("fmi2SetRealInputDerivatives", self._references, count, self._orders, self._values)
