"""FmuBatch: entries of variables of an FMU, read or written together."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import final

from mobod.cosim.fmu_entries import FmuEntries, elements_of
from mobod.cosim.variable import Value
from mobod.importer.instance import FmuInstance
from mobod.importer.values import VariableValues
from mobod.importer.variable import ForeignVariable

Write = Callable[[Sequence[ForeignVariable], VariableValues, Sequence[Value]], None]


@final
class FmuBatch:
    """Entries of variables by their names. An array is read and written as a whole; its entries that are not named keep their values.

    write   sets some variables to the values of all their elements; default: the function of the FMU does

    Raises UnknownNameError with the nearest name.
    """

    def __init__(self, instance: FmuInstance, entries: FmuEntries, names: Iterable[str], write: Write | None = None) -> None:
        self._instance = instance
        names = list(names)
        places = entries.of(names)
        self._labels = [f"{variable.causality} '{name}'" for name, (variable, _) in zip(names, places, strict=True)]
        self._variables, self._positions, size = elements_of(instance, places)
        self._values = instance.values(self._variables)
        self._write = write
        self._is_whole = len(set(self._positions)) == size
        self._is_in_order = self._positions == list(range(size))

    def get(self) -> list[Value]:
        elements = self._values.get_elements()
        return elements if self._is_in_order else [elements[position] for position in self._positions]

    def get_finite(self, time: float | None = None) -> list[Value]:
        """Like `get`, but raises FmuError for a value that is not finite.

        time  s   of the values, for the message; default: that of the instance
        """
        values = self.get()
        for label, value in zip(self._labels, values, strict=True):
            if isinstance(value, float) and not math.isfinite(value):
                what = f"is {value}. Check its inputs and parameters, or what the exporting tool says of this variable"
                raise self._instance.loaded.failure(label, what, time)
        return values

    def set(self, values: Sequence[Value]) -> None:
        elements = values if self._is_in_order else self._placed(values)
        if self._write is None:
            self._values.set_elements(elements, always=True)
        else:
            self._write(self._variables, self._values, elements)

    def _placed(self, values: Sequence[Value]) -> list[Value]:
        """Values of the entries among all elements."""
        elements: list[Value] = [0.0] * self._values.size if self._is_whole else self._values.get_elements()
        for position, value in zip(self._positions, values, strict=True):
            elements[position] = value
        return elements
