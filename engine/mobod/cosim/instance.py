"""Instance: a loaded FMU. The status of every call is checked, and all resources are freed in any case."""

import ctypes
import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self, final

from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Slave

from mobod.c_calls import CCalls
from mobod.cosim.batch import Batch, Value
from mobod.cosim.fmu_file import FmuFile
from mobod.cosim.fmu_log import DISCARD, FATAL, FmuLog, status_name
from mobod.errors import FmuCallError, FmuError, FmuFileError, UnsupportedError

_LAST_SUCCESSFUL_TIME, _TERMINATED = 2, 3  # of fmi2StatusKind


@final
class SimulationEndedError(FmuError):
    """An FMU has ended the simulation within a step, as the standard allows. A master then ends the run.

    time  s, time of the end and of the instance
    """

    def __init__(self, name: str, time: float, log: FmuLog) -> None:
        super().__init__(f"FMU '{name}' ended the simulation at {time:.12g} s. {log}")
        self.name = name
        self.time = time


@final
class StepDiscardedError(FmuError):
    """An FMU could not complete a step, but may complete a shorter one from a state saved before.

    reached  s, time that it reached; None if it does not report it
    """

    def __init__(self, message: str, reached: float | None) -> None:
        super().__init__(message)
        self.reached = reached


@final
class Instance:
    """An instance of an FMU in this process, with a folder of its own; a context manager that frees both.

    Every call raises FmuError if the FMU returns a status worse than warning. The message names the instance, the function and the time,
    and ends with the FMU's own messages. Calls raise FmuCallError after a fatal error and after the instance was closed. Ctrl-C raises
    KeyboardInterrupt when the FMU has returned.
    """

    def __init__(self, file: FmuFile, name: str) -> None:
        self.file = file
        self.name = name
        self.time: float | None = None  # s, time of the instance; None before the experiment is set up
        self.log = FmuLog()
        self._in_step_mode = False
        resources = ExitStack()
        # also if the caller forgets to close, and when the process ends: some FMUs abort a process that does not free them
        self._release = weakref.finalize(self, resources.close)
        try:
            folder = Path(tempfile.mkdtemp(prefix="mobod_"))
            # a virus scanner may still hold a file; the system deletes what remains
            resources.callback(shutil.rmtree, folder, ignore_errors=True)
            self._fmu = self._load(folder)
            resources.callback(_free, self._fmu, self.log.calls)
            self._instantiate()
        except BaseException:
            self._release()
            raise

    def _load(self, folder: Path) -> FMU2Slave:
        library = self.file.unpack(folder)
        if self.file.is_pythonfmu and re.search("%(?!20)", folder.as_uri()):
            raise UnsupportedError(
                f"FMU '{self.name}' ({self.file.path}) is a Python FMU, whose library crashes in a folder with non-ASCII letters such as "
                f"{folder}. Set the environment variable TMPDIR to a folder with ASCII letters only."
            )
        here = os.getcwd()
        try:
            return FMU2Slave(
                guid=self.file.description.guid,
                modelIdentifier=self.file.description.coSimulation.modelIdentifier,
                unzipDirectory=str(folder),
                libraryPath=str(library),
                instanceName=self.name,
            )
        except Exception as error:  # fmpy raises Exception for errors of the loader, AttributeError for a missing function
            raise FmuFileError(f"{self.file.path}: its library cannot be loaded: {error}") from error
        finally:
            os.chdir(here)  # fmpy does not leave the folder of a library that cannot be loaded

    def _instantiate(self) -> None:
        try:
            with self.log.calls:
                self._fmu.instantiate(callbacks=self.log.callbacks, loggingOn=True)
        except Exception as error:  # fmpy raises Exception for NULL
            raise self.failure("fmi2Instantiate", "returned no instance") from error

    @property
    def is_alive(self) -> bool:
        """Whether it can be called: it was not closed, and no call failed fatally."""
        return self._release.alive and self._fmu not in _fatal

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
        """Advance from time to time + step (s). The step will not be repeated.

        Raises SimulationEndedError if the FMU ends the simulation before, StepDiscardedError if it can only take a shorter step.
        """
        self.time = time
        try:
            self.call("fmi2DoStep", time, step, True)
        except FmuError as error:
            if not _is_discard(error):
                raise
            if not self._has_ended():
                raise self._discarded(time, time + step) from error
            self._in_step_mode = True
            self.time = self._time_of_end(time, time + step)
            raise SimulationEndedError(self.name, self.time, self.log) from None
        self.time = time + step

    def _discarded(self, start: float, end: float) -> StepDiscardedError:
        said = ctypes.c_double(start)
        says = self._answers("fmi2GetRealStatus", _LAST_SUCCESSFUL_TIME, said) and start <= said.value <= end
        how_far = f"it came to {said.value:.12g} s" if says else "it does not say how far it came"
        what = (
            f"returned discard: it cannot take this step of {end - start:.6g} s; {how_far}. Look for the cause there, or take shorter steps"
        )
        return StepDiscardedError(str(self.failure("fmi2DoStep", what)), said.value if says else None)

    def _has_ended(self) -> bool:
        has_ended = ctypes.c_int(0)
        return self._answers("fmi2GetBooleanStatus", _TERMINATED, has_ended) and bool(has_ended.value)

    def _time_of_end(self, start: float, end: float) -> float:
        """s: the time of the FMU's independent variable if it has one; else the last successful time; else the start of the step."""
        clock = next((name for name, variable in self.file.variables.items() if variable.causality == "independent"), None)
        said = ctypes.c_double(start)
        if clock is not None:
            said.value = float(self.get(clock))
        elif not self._answers("fmi2GetRealStatus", _LAST_SUCCESSFUL_TIME, said):
            return start
        return said.value if start <= said.value <= end else start

    def _answers(self, function: str, kind: int, value: "ctypes.c_int | ctypes.c_double") -> bool:
        try:
            self.call(function, kind, ctypes.byref(value))
        except FmuError:  # the FMU need not know it
            return False
        return True

    def restore(self, state: ctypes.c_void_p, time: float | None) -> None:
        """Restore a state between two steps, at this time (s); `SavedState` holds such a state."""
        self.call("fmi2SetFMUstate", state)
        self.time = time
        self._in_step_mode = True

    def batch(self, names: Iterable[str]) -> Batch:
        """The variables with these names, to be read or written together repeatedly. Raises UnknownNameError."""
        return Batch(self, [self.file.variable(name) for name in names])

    def get(self, name: str) -> Value:
        return self.batch([name]).get()[0]

    def set(self, values: Mapping[str, Value]) -> None:
        self.batch(values).set(list(values.values()))

    def call(self, function: str, *arguments: Any) -> None:
        """Call an FMI function of this instance and check its status."""
        if not self.is_alive:
            why = "the instance was closed" if not self._release.alive else "a fatal error"
            raise FmuCallError(f"FMU '{self.name}' ({self.file.path}): {function} was called after {why}. Make a new instance.")
        with self.log.calls:
            try:
                status = getattr(self._fmu, function)(self._fmu.component, *arguments)
                if status is not None and status < 0:  # FMPy does not treat this as a failure
                    raise FMICallException(function, status)
            except FMICallException as error:
                self._in_step_mode = False
                if error.status == FATAL:
                    _fatal.add(self._fmu)
                raise self.failure(function, f"returned {status_name(error.status)}") from error

    def failure(self, function: str, what: str, time: float | None = None) -> FmuError:
        """The error of a function call, with the time (s; default: that of the instance) and the FMU's log messages."""
        time = self.time if time is None else time
        when = "" if time is None else f" at {time:.12g} s"
        return FmuError(f"FMU '{self.name}' ({self.file.path}): {function}{when} {what}. {self.log}")

    def close(self) -> None:
        """Terminate unless an error occurred, free the instance and the library, and remove the folder. A second call does nothing."""
        try:
            if self._in_step_mode:
                self._in_step_mode = False
                self.call("fmi2Terminate")
        finally:
            self._release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if error is not None:  # an error of fmi2Terminate would hide it
            self._in_step_mode = False
        self.close()


def _is_discard(error: FmuError) -> bool:
    return isinstance(error.__cause__, FMICallException) and error.__cause__.status == DISCARD


def _free(fmu: FMU2Slave, calls: CCalls) -> None:
    if fmu in _fatal:
        return
    if fmu.component is None:
        fmu.freeLibrary()
    else:
        with calls:
            fmu.freeInstance()


# After 'fatal' the standard forbids every call, also fmi2FreeInstance. FMUs made with pythonfmu do crash there: they free their Python
# object twice. So such instances stay loaded, with their callbacks, until the process ends.
_fatal: set[FMU2Slave] = set()
