"""The class that pythonfmu's library calls in a Python FMU: an instance of the C runtime. Its errors never crash the process.

pythonfmu's library (0.7.0) can report an error only through an exception, which becomes fmi2Fatal with the text of repr. After an
exception it releases its references to the slave's class, to the slave and to its list of messages, and does so again in
fmi2FreeInstance. This would free objects that are still in use, and the process could crash at any later time. Therefore a reference to
each is added before an exception leaves this module.
"""

# Decision: docs/decisions/092-pythonfmu.md

import ctypes
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any, ClassVar
from weakref import WeakSet

from mobod.errors import FmuError, MobodError, StateError
from mobod.fmu.python.instance import Message, PythonInstance, PythonInstanceState
from mobod.fmu.python.memory import memory_from_bytes, memory_to_bytes, of_another_instance
from mobod.fmu.python.resources import read_resources


class Fmi2Slave:
    """pythonfmu's library looks for a class that derives from a class of this name."""


class CallFailedError(Exception):
    """The exception for pythonfmu's library, which passes its repr to the host's logger as a printf format. So percent signs are
    doubled.
    """

    def __repr__(self) -> str:
        return str(self).replace("%", "%%")


class _Message:
    """A message for the host's logger. The library requires these names."""

    def __init__(self, message: Message):
        self.status, self.category, self.msg = message.status, message.category, message.text.replace("%", "%%")


def _fmi_call(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator of the method that implements the FMI function `name`."""

    def decorate(method: Callable[..., object]) -> Callable[..., Any]:
        @wraps(method)
        def called(self: "PythonSlave", *arguments: object) -> Any:
            try:
                if self._failure is not None:
                    raise self._failure
                result = method(self, *arguments)
                self._messages += map(_Message, self.instance.messages)
                self.instance.messages.clear()
                return result
            except BaseException as error:  # no exception may leave without the references that the library will release
                self.keep_alive()
                raise CallFailedError(_message_of(error, name)) from error

        return called

    return decorate


def _message_of(error: BaseException, call: str) -> str:
    """The message of an error. Messages of the runtime already begin with the call."""
    if isinstance(error, FmuError):
        return str(error)
    return f"{call}: {error}" if isinstance(error, MobodError) else f"{call}: {type(error).__name__}: {error}"


class PythonSlave(Fmi2Slave):
    """One instance, with the method names that the library calls. Each FMU has its own subclass."""

    _alive: ClassVar[WeakSet["PythonSlave"]] = WeakSet()
    _loggers: ClassVar[set[int]] = set()

    def __init__(self, *, resources: str, logger: int, **_others: object):
        """logger: the address of the library's logger, one for each instance; fmi2Reset makes a new slave with the same one."""
        self._messages: list[object] = []
        self._failure: Exception | None = None
        path = sys.path.copy()
        with suppress(ValueError):  # the library leaves the folder in sys.path, where it could hide other modules
            path.remove(resources)
        sys.path = path  # another thread may be searching the old list
        try:
            read = read_resources(Path(resources))
            self._token = read.interface.token
            self.instance = PythonInstance(*read.unpickle(), read.interface)
        except Exception as error:  # unpickling of users' classes may raise anything
            if logger not in self._loggers:
                raise CallFailedError(_message_of(error, "fmi2Instantiate")) from error
            self._failure = error  # fmi2Reset has already freed the old slave; an exception would free it again
        self._loggers.add(logger)
        self._alive.add(self)

    def keep_alive(self) -> None:
        """Add the references that the library will release."""
        for each in (type(self), self, self._messages):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(each))

    def _get_log_queue(self) -> list[object]:
        return self._messages

    # life cycle
    @_fmi_call("fmi2SetupExperiment")
    def setup_experiment(self, start_time: float, stop_time: float | None = None, tolerance: float | None = None) -> None:
        self.instance.set_up_experiment(start_time, stop_time, tolerance)

    @_fmi_call("fmi2EnterInitializationMode")
    def enter_initialization_mode(self) -> None:
        self.instance.enter_initialization()

    @_fmi_call("fmi2ExitInitializationMode")
    def exit_initialization_mode(self) -> None:
        self.instance.exit_initialization()

    @_fmi_call("fmi2DoStep")
    def do_step(self, current_time: float, step_size: float) -> bool:
        return self.instance.do_step(current_time, step_size)  # False becomes fmi2Discard

    @_fmi_call("fmi2Terminate")
    def terminate(self) -> None:
        self.instance.terminate()

    # values
    @_fmi_call("fmi2GetReal")
    def get_real(self, references: Sequence[int]) -> list[float]:
        return self.instance.get(references, "real")

    @_fmi_call("fmi2GetBoolean")
    def get_boolean(self, references: Sequence[int]) -> list[bool]:
        return [value != 0 for value in self.instance.get(references, "boolean")]

    @_fmi_call("fmi2SetReal")
    def set_real(self, references: Sequence[int], values: Sequence[float]) -> None:
        self.instance.set(references, values, "real")

    @_fmi_call("fmi2SetBoolean")
    def set_boolean(self, references: Sequence[int], values: Sequence[bool]) -> None:
        self.instance.set(references, values, "boolean")

    @_fmi_call("fmi2GetInteger")
    def get_integer(self, references: Sequence[int]) -> list[int]:
        return [int(value) for value in self.instance.get(references, "integer")]

    @_fmi_call("fmi2GetString")
    def get_string(self, references: Sequence[int]) -> list[str]:
        self.instance.check_has_none("GET_STRING", references)
        return []

    @_fmi_call("fmi2SetInteger")
    def set_integer(self, references: Sequence[int], values: Sequence[int]) -> None:
        self.instance.set(references, values, "integer")

    @_fmi_call("fmi2SetString")
    def set_string(self, references: Sequence[int], values: Sequence[str]) -> None:
        self.instance.check_has_none("SET_STRING", references)

    # saved states
    @_fmi_call("fmi2GetFMUstate")
    def _get_fmu_state(self) -> "SlaveState":
        return SlaveState(self.instance.save(), self._token)

    @_fmi_call("fmi2SetFMUstate")
    def _set_fmu_state(self, saved: object) -> None:
        system = self.instance.state.system
        if isinstance(saved, bytes):
            memory = memory_from_bytes(saved, system)
        elif isinstance(saved, SlaveState) and saved.token == self._token:
            memory = of_another_instance(saved.memory, system)
        else:
            raise StateError("the state cannot be used: it is a state of another FMU.")
        self.instance.restore(memory)

    @classmethod
    def _fmu_state_to_bytes(cls, saved: Any) -> bytes:
        """Called by the library on the class. After an error it releases references to an instance that it does not name. So all instances
        get extra references and are never freed. This happens only if a host ignores that canSerializeFMUstate is false.
        """
        try:
            return saved if isinstance(saved, bytes) else saved.to_bytes()
        except BaseException as error:  # see _fmi_call
            for each in list(cls._alive):
                each.keep_alive()
            raise CallFailedError(_message_of(error, "fmi2SerializeFMUstate")) from error

    @classmethod
    def _fmu_state_from_bytes(cls, data: bytes) -> bytes:
        """The bytes themselves. They are checked when an instance restores them, since that can report errors."""
        return data


class SlaveState:
    """The result of fmi2GetFMUstate. Its bytes are made on first use."""

    def __init__(self, memory: PythonInstanceState, token: str):
        self.memory = memory
        self.token = token
        self._bytes: bytes | None = None

    def to_bytes(self) -> bytes:
        if self._bytes is None:
            self._bytes = memory_to_bytes(self.memory)
        return self._bytes
