"""Batch: variables of one FMU instance that are read or written together."""

import ctypes
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, final

import numpy as np
from fmpy.model_description import ModelVariable

from mobod.errors import FmuError, InputError

Value = float | int | bool | str


class FmiCalls(Protocol):
    """The FMI functions of an instance."""

    def call(self, function: str, *arguments: object) -> None: ...

    def failure(self, function: str, what: str, time: float | None = None) -> FmuError: ...


@dataclass(frozen=True)
class _Kind:
    """A type of FMI 2.0: the suffix of its functions, its C type, and conversions from and to C."""

    ending: str
    c_type: Any
    from_c: Callable[[Any], Value]
    to_c: Callable[[Any], object]


def _whole(value: Value) -> int:
    if value != int(value):
        raise InputError(f"an Integer variable of an FMU takes whole numbers, not {value!r}.")
    return int(value)


_INTEGER = _Kind("Integer", ctypes.c_int, int, _whole)
_KINDS = {
    "Real": _Kind("Real", ctypes.c_double, float, float),
    "Integer": _INTEGER,
    "Enumeration": _INTEGER,
    "Boolean": _Kind("Boolean", ctypes.c_int, bool, int),
    "String": _Kind("String", ctypes.c_char_p, lambda raw: (raw or b"").decode("utf-8", errors="replace"), lambda text: text.encode()),
}


@dataclass(frozen=True)
class _Group:
    """The variables of one type: their indices in the batch, and the buffers for their calls."""

    kind: _Kind
    positions: list[int]
    references: ctypes.Array[ctypes.c_uint]  # C array of value references
    values: Any  # C array of values


@final
class Batch:
    """Variables of one instance. They are read or written with one FMI call for each type; value references are looked up once.

    Values are in the order of the variables: float, int (also for an enumeration), bool or str.
    """

    def __init__(self, instance: FmiCalls, variables: Sequence[ModelVariable]) -> None:
        self._instance = instance
        self._variables = variables
        positions: dict[_Kind, list[int]] = {}
        for position, variable in enumerate(variables):
            positions.setdefault(_KINDS[variable.type], []).append(position)
        self._groups = []
        for kind, places in positions.items():
            references = (ctypes.c_uint * len(places))(*(variables[k].valueReference for k in places))
            self._groups.append(_Group(kind, places, references, (kind.c_type * len(places))()))

    def get(self) -> list[Value]:
        values: list[Value] = [0.0] * len(self._variables)
        for group in self._groups:
            self._instance.call("fmi2Get" + group.kind.ending, group.references, len(group.positions), group.values)
            for position, raw in zip(group.positions, group.values, strict=True):
                values[position] = group.kind.from_c(raw)
        return values

    def get_finite(self, time: float | None = None) -> list[Value]:
        """Like `get`, but raises FmuError for a value that is not finite.

        time  s   of the values, for the message; default: that of the instance
        """
        values = self.get()
        for variable, value in zip(self._variables, values, strict=True):
            if isinstance(value, float) and not math.isfinite(value):
                raise self._not_finite(variable, value, time)
        return values

    def get_reals(self) -> np.ndarray:
        """The values as an array, if all variables are real numbers. Raises FmuError for a value that is not finite."""
        if not self._groups:
            return np.empty(0)
        (group,) = self._groups
        self._instance.call("fmi2GetReal", group.references, len(group.positions), group.values)
        values = np.array(group.values, dtype=float)
        for k in np.flatnonzero(~np.isfinite(values))[:1]:
            raise self._not_finite(self._variables[k], float(values[k]), None)
        return values

    def _not_finite(self, variable: ModelVariable, value: float, time: float | None) -> FmuError:
        what = f"is {value}. Check its inputs and parameters, or what the exporting tool says of this variable"
        return self._instance.failure(f"{variable.causality} '{variable.name}'", what, time)

    def set(self, values: Sequence[Value]) -> None:
        for group in self._groups:
            group.values[:] = [group.kind.to_c(values[position]) for position in group.positions]
            self._instance.call("fmi2Set" + group.kind.ending, group.references, len(group.positions), group.values)
