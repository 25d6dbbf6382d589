"""The classes by which fmpy calls an FMU, for an FMU in a process of its own."""

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any, final

from mobod.fmi.isolation.messages import call_message, read_answer
from mobod.fmi.isolation.process import AT_EACH_STEP, FmuProcess
from mobod.runtime.library import library_path

_WARNING, _FATAL = 1, 4  # status of FMI


def isolated(binding: type) -> type:
    """A class like one of fmpy's, such as FMU2Slave. Its constructor also takes the process, in which the library is loaded."""
    return type(binding.__name__, (_Isolated, binding), {})  # fmpy finds the version of FMI in the name of the class


class _Isolated:
    def __init__(
        self, *, process: FmuProcess, guid: str, modelIdentifier: str, unzipDirectory: str, libraryPath: str, instanceName: str
    ) -> None:
        self.process = process
        self.guid, self.modelIdentifier, self.instanceName = guid, modelIdentifier, instanceName
        self.unzipDirectory = unzipDirectory
        self.fmiCallLogger = self.component = self.callbacks = None
        self._functions: dict[str, object] = {}
        process.load(libraryPath)
        self.dll = _Library(process)
        self._loadFunctions()  # type: ignore[attr-defined]  # of fmpy: reads the functions of dll

    def freeLibrary(self) -> None:
        self.process.close()


@final
class _Library:
    """Stands for the library that ctypes would load here. Raises AttributeError for a function that it does not have."""

    def __init__(self, process: FmuProcess) -> None:
        self._process = process

    def __getattr__(self, name: str) -> Any:
        if not self._process.knows(name):
            raise AttributeError(f"the library has no function {name}")
        is_at_each_step = any(name in names for names in AT_EACH_STEP.values())
        return getattr(_runtime(), f"isolated_{name}") if is_at_each_step else RemoteFunction(self._process, name)


@final
class RemoteFunction:
    """A function of the library. fmpy sets its arguments' names and types, and the type of its result."""

    argnames: Sequence[str]
    argtypes: Sequence[Any]
    restype: Any

    def __init__(self, process: FmuProcess, name: str) -> None:
        self._process = process
        self._name = name

    def __call__(self, *arguments: Any) -> Any:
        if (status := self._process.set_values()) > _WARNING and self.restype is ctypes.c_int:
            return status
        answer = self._process.answer(call_message(self._name, self.argnames, self.argtypes, self.restype, arguments))
        if answer is None:
            return _FATAL if self.restype is ctypes.c_int else None
        result = read_answer(answer, arguments)
        if self.restype is ctypes.c_void_p:  # the instance
            return self._process.address if result else None
        return result


@cache
def _runtime() -> ctypes.CDLL:
    return ctypes.CDLL(str(library_path()))
