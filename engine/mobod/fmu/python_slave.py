"""What pythonfmu's library calls in a Python FMU: may this be called now? Then call, and never let an error harm the process.

pythonfmu's library (0.7.0) has no way to report an error but an exception, which becomes fmi2Fatal with the text of repr. When it meets
one it drops its references to the slave's class, to the slave and to its list of messages, and does so once more in fmi2FreeInstance:
that frees objects which are still in use, and the process may die at any time later. So a reference to each is added before an exception
leaves here.
"""

import ctypes
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any, ClassVar
from weakref import WeakSet

import numpy as np

from mobod.errors import FmuCallError, MobodError, StateError
from mobod.fmu.python_instance import Memory, Mode, PythonInstance
from mobod.fmu.python_memory import memory_from_bytes, memory_to_bytes, of_another_instance
from mobod.fmu.python_resources import read_resources

_ANY_MODE = Mode.INSTANTIATED | Mode.INITIALIZATION | Mode.STEP | Mode.TERMINATED | Mode.ERROR
_INITIALIZED = Mode.STEP | Mode.TERMINATED | Mode.ERROR
_MODE_NAMES = {
    Mode.INSTANTIATED: "instantiated",
    Mode.INITIALIZATION: "Initialization Mode",
    Mode.STEP: "stepComplete",
    Mode.TERMINATED: "terminated",
    Mode.ERROR: "error: restore a saved state, reset or free the instance",
}


class Fmi2Slave:
    """pythonfmu's library looks for a class that derives from one of this name."""


class CallFailedError(Exception):
    """Leaves for pythonfmu's library, which hands its repr to the host's logger: as a format of printf, so percent signs are doubled."""

    def __repr__(self) -> str:
        return str(self).replace("%", "%%")


class _Message:
    """What the library hands to the host's logger, by these names."""

    status, category = 2, "logStatusDiscard"

    def __init__(self, text: str):
        self.msg = text.replace("%", "%%")


def _fmi_call(name: str, modes: Mode) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A method as the FMI function `name`, which may be called in some modes (FMI 2.0.5, section 4.2.4)."""

    def decorate(method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def called(self: "PythonSlave", *arguments: Any) -> Any:
            try:
                if self._failure is not None:
                    raise self._failure
                if not self.instance.mode & modes:
                    raise FmuCallError(f"not allowed in the mode {_MODE_NAMES[self.instance.mode]}.")
                with np.errstate(all="ignore"):  # what is not finite is told in our words
                    return method(self, *arguments)
            except BaseException as error:  # none may leave without the references that the library will drop
                self.keep_alive()
                raise CallFailedError(f"{name}: {_told(error)}") from error

        return called

    return decorate


def _told(error: BaseException) -> str:
    return str(error) if isinstance(error, MobodError) else f"{type(error).__name__}: {error}"


class PythonSlave(Fmi2Slave):
    """One instance, by the names that the library calls. Its class is that of one FMU."""

    _alive: ClassVar[WeakSet["PythonSlave"]] = WeakSet()
    _loggers: ClassVar[set[int]] = set()

    def __init__(self, *, resources: str, logger: int, **_others: Any):
        """logger: the address of the library's, one for each instance; fmi2Reset makes a new slave with the same."""
        self._messages: list[Any] = []
        self._failure: Exception | None = None
        with suppress(ValueError):  # the library leaves the folder in the path, where it could hide modules of others
            sys.path.remove(resources)
        try:
            read = read_resources(Path(resources))
            self._token = read.token
            self.instance = PythonInstance(*read.unpickle(), read.rows, read.tolerance, read.fixed_steps)
        except Exception as error:  # whatever users' classes raise where they are unpickled
            if logger not in self._loggers:
                raise CallFailedError(f"fmi2Instantiate: {_told(error)}") from error
            self._failure = error  # in fmi2Reset, whose old slave is freed already, an exception would free it once more
        self._loggers.add(logger)
        self._alive.add(self)

    def keep_alive(self) -> None:
        """Add the references that the library will drop."""
        for each in (type(self), self, self._messages):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(each))

    def _get_log_queue(self) -> list[Any]:
        return self._messages

    # life cycle
    @_fmi_call("fmi2SetupExperiment", Mode.INSTANTIATED)
    def setup_experiment(self, start_time: float, stop_time: float | None = None, tolerance: float | None = None) -> None:
        self.instance.set_up_experiment(start_time, stop_time, tolerance)

    @_fmi_call("fmi2EnterInitializationMode", Mode.INSTANTIATED)
    def enter_initialization_mode(self) -> None:
        self.instance.enter_initialization()

    @_fmi_call("fmi2ExitInitializationMode", Mode.INITIALIZATION)
    def exit_initialization_mode(self) -> None:
        self.instance.exit_initialization()

    @_fmi_call("fmi2DoStep", Mode.STEP)
    def do_step(self, current_time: float, step_size: float) -> bool:
        ended = self.instance.do_step(current_time, step_size)
        if ended is None:
            return True
        self._messages.append(_Message(f"fmi2DoStep: {ended}"))
        return False  # which becomes fmi2Discard

    @_fmi_call("fmi2Terminate", Mode.STEP)
    def terminate(self) -> None:
        self.instance.terminate()

    # values
    @_fmi_call("fmi2GetReal", Mode.INITIALIZATION | _INITIALIZED)
    def get_real(self, references: Sequence[int]) -> list[float]:
        return self.instance.values.get(references, "real")

    @_fmi_call("fmi2GetBoolean", Mode.INITIALIZATION | _INITIALIZED)
    def get_boolean(self, references: Sequence[int]) -> list[bool]:
        return [value != 0 for value in self.instance.values.get(references, "boolean")]

    @_fmi_call("fmi2SetReal", Mode.INSTANTIATED | Mode.INITIALIZATION | Mode.STEP)
    def set_real(self, references: Sequence[int], values: Sequence[float]) -> None:
        self.instance.values.set(references, values, "real")

    @_fmi_call("fmi2SetBoolean", Mode.INSTANTIATED | Mode.INITIALIZATION | Mode.STEP)
    def set_boolean(self, references: Sequence[int], values: Sequence[bool]) -> None:
        self.instance.values.set(references, values, "boolean")

    @_fmi_call("fmi2GetInteger", Mode.INITIALIZATION | _INITIALIZED)
    def get_integer(self, references: Sequence[int]) -> list[int]:
        return [int(value) for value in self.instance.values.get(references, "integer")]

    @_fmi_call("fmi2GetString", Mode.INITIALIZATION | _INITIALIZED)
    def get_string(self, references: Sequence[int]) -> list[str]:
        return self._no_variables(references)

    @_fmi_call("fmi2SetInteger", Mode.INSTANTIATED | Mode.INITIALIZATION | Mode.STEP)
    def set_integer(self, references: Sequence[int], values: Sequence[int]) -> None:
        self.instance.values.set(references, values, "integer")

    @_fmi_call("fmi2SetString", Mode.INSTANTIATED | Mode.INITIALIZATION | Mode.STEP)
    def set_string(self, references: Sequence[int], values: Sequence[str]) -> None:
        self._no_variables(references)

    # saved states
    @_fmi_call("fmi2GetFMUstate", _ANY_MODE)
    def _get_fmu_state(self) -> "SavedState":
        return SavedState(self.instance.remember(), self._token)

    @_fmi_call("fmi2SetFMUstate", _ANY_MODE)
    def _set_fmu_state(self, saved: Any) -> None:
        system = self.instance.state.system
        if isinstance(saved, bytes):
            memory = memory_from_bytes(saved, system, self._token)
        elif isinstance(saved, SavedState) and saved.token == self._token:
            memory = of_another_instance(saved.memory, system, self._token)
        else:
            raise StateError("the state cannot be used: it is a state of another FMU.")
        self.instance.recall(memory)

    @classmethod
    def _fmu_state_to_bytes(cls, saved: Any) -> bytes:
        """The library asks the class; on an error it drops references to the instance that it asks for, which it does not tell. So all are
        kept, and the others never freed: the price of asking for what canSerializeFMUstate denies.
        """
        try:
            return saved if isinstance(saved, bytes) else saved.to_bytes()
        except BaseException as error:  # see _fmi_call
            for each in list(cls._alive):
                each.keep_alive()
            raise CallFailedError(f"fmi2SerializeFMUstate: {_told(error)}") from error

    @classmethod
    def _fmu_state_from_bytes(cls, data: bytes) -> bytes:
        """Looked at when it is set, by an instance that can tell what is wrong."""
        return data

    def _no_variables(self, references: Sequence[int]) -> list[Any]:
        if references:
            raise MobodError("this FMU has Real, Integer and Boolean variables alone.")
        return []


class SavedState:
    """What fmi2GetFMUstate gives; its bytes are made when they are first asked for."""

    def __init__(self, memory: Memory, token: str):
        self.memory = memory
        self.token = token
        self._bytes: bytes | None = None

    def to_bytes(self) -> bytes:
        if self._bytes is None:
            self._bytes = memory_to_bytes(self.memory, self.token)
        return self._bytes
