"""FmiCalls: the functions of an instance of an FMU, and names of those for its state."""

import ctypes
from typing import NamedTuple, Protocol


class FmiCalls(Protocol):
    """Functions of FMI by their names without a prefix. Each raises FmuError for a status worse than warning."""

    def call(self, function: str, *arguments: object) -> None: ...


class ExperimentArguments(NamedTuple):
    """Arguments of the function that sets up the experiment. Times in s."""

    has_tolerance: bool
    tolerance: float
    start: float
    has_stop: bool
    stop: float


class StateFunctions(NamedTuple):
    """The functions that save states, without their prefix, and the C type of a byte."""

    get: str
    set: str
    free: str
    size: str
    write: str
    read: str
    byte: type[ctypes.c_char] | type[ctypes.c_ubyte]
