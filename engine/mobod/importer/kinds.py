"""The types of variables of FMI 2.0 and 3.0: their C types, the functions that read and write them, and their values in Python."""

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobod.errors import InputError

Value = float | int | bool | str


@dataclass(frozen=True)
class VariableKind:
    """A type of variable.

    ending       suffix of its functions: fmi2GetReal
    c_type       of one value
    python_type  float, int, bool or str
    dtype        of a recorded column
    lowest, highest  of integers
    """

    ending: str
    c_type: Any
    python_type: type
    dtype: Any
    lowest: int = 0
    highest: int = 0

    @property
    def from_c(self) -> Callable[[Any], Value]:
        """What converts a value from C."""
        return _text if self.python_type is str else self.python_type

    @property
    def to_c(self) -> Callable[[Value], object]:
        """What converts a value to C. It raises InputError for a number that is not whole where a whole one is needed."""
        return _TO_C[self.python_type]


def _text(raw: bytes | None) -> str:
    return (raw or b"").decode("utf-8", errors="replace")


def _whole(value: Value) -> int:
    if value != int(value):
        raise InputError(f"an Integer variable of an FMU takes whole numbers, not {value!r}.")
    return int(value)


_TO_C: dict[type, Callable[[Any], object]] = {float: float, int: _whole, bool: bool, str: str.encode}


def _integer(ending: str, c_type: object, bits: int, *, signed: bool = True) -> VariableKind:
    lowest, highest = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    return VariableKind(ending, c_type, int, np.int64 if highest < 2**63 else np.uint64, lowest, highest)


_TEXT = VariableKind("String", ctypes.c_char_p, str, np.object_)
_FMI2_INTEGER = _integer("Integer", ctypes.c_int, 32)

# Binary and Clock of FMI 3.0 are no numbers, and are neither set nor recorded
KINDS: dict[str, dict[str, VariableKind]] = {
    "2": {
        "Real": VariableKind("Real", ctypes.c_double, float, np.float64),
        "Integer": _FMI2_INTEGER,
        "Enumeration": _FMI2_INTEGER,
        "Boolean": VariableKind("Boolean", ctypes.c_int, bool, np.bool_),
        "String": _TEXT,
    },
    "3": {
        "Float32": VariableKind("Float32", ctypes.c_float, float, np.float64),
        "Float64": VariableKind("Float64", ctypes.c_double, float, np.float64),
        **{f"Int{bits}": _integer(f"Int{bits}", getattr(ctypes, f"c_int{bits}"), bits) for bits in (8, 16, 32, 64)},
        **{f"UInt{bits}": _integer(f"UInt{bits}", getattr(ctypes, f"c_uint{bits}"), bits, signed=False) for bits in (8, 16, 32, 64)},
        "Enumeration": _integer("Int64", ctypes.c_int64, 64),
        "Boolean": VariableKind("Boolean", ctypes.c_bool, bool, np.bool_),
        "String": _TEXT,
    },
}
