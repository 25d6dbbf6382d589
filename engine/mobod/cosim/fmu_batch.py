"""FmuBatch: entries of variables of an FMU, read or written together."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import final

from mobod.cosim.variable import Value
from mobod.errors import FmuError, UnknownNameError
from mobod.importer.instance import FmuInstance
from mobod.importer.values import VariableValues
from mobod.importer.variable import ForeignVariable

Places = Mapping[str, tuple[ForeignVariable, int]]
Write = Callable[[Sequence[ForeignVariable], VariableValues, list[list[Value]]], None]


@final
class FmuBatch:
    """Entries of variables by their names. An array is read and written as a whole; its entries that are not named keep their values.

    places  of all entries: the FMU's variable, and the position in it
    write   sets some variables to values

    Raises UnknownNameError with the nearest name.
    """

    def __init__(self, instance: FmuInstance, names: Iterable[str], places: Places, write: Write) -> None:
        self._instance = instance
        self._names = names = list(names)
        for name in names:
            if name not in places:
                raise UnknownNameError(f"variable of {instance.model.path.name}", name, places)
        self._write = write
        rows: dict[ForeignVariable, int] = {}
        for name in names:
            rows.setdefault(places[name][0], len(rows))
        self._variables = list(rows)
        self._values = instance.values(self._variables)
        self._places = [(rows[places[name][0]], places[name][1]) for name in names]
        self._is_whole = len(set(self._places)) == sum(instance.size(variable) for variable in rows)

    def get(self) -> list[Value]:
        rows = self._values.get()
        return [rows[row][position] for row, position in self._places]

    def get_finite(self, time: float | None = None) -> list[Value]:
        """Like `get`, but raises FmuError for a value that is not finite.

        time  s   of the values, for the message; default: that of the instance
        """
        values = self.get()
        for name, (row, _), value in zip(self._names, self._places, values, strict=True):
            if isinstance(value, float) and not math.isfinite(value):
                raise not_finite(self._instance, f"{self._variables[row].causality} '{name}'", value, time)
        return values

    def set(self, values: Sequence[Value]) -> None:
        rows: list[list[Value]] = self._empty() if self._is_whole else self._values.get()
        for (row, position), value in zip(self._places, values, strict=True):
            rows[row][position] = value
        self._write(self._variables, self._values, rows)

    def _empty(self) -> list[list[Value]]:
        return [[0.0] * self._instance.size(variable) for variable in self._variables]


def not_finite(instance: FmuInstance, what: str, value: float, time: float | None) -> FmuError:
    before = instance.time
    if time is not None:
        instance.time = time
    error = instance.failure(what, f"is {value}. Check its inputs and parameters, or what the exporting tool says of this variable")
    instance.time = before
    return error
