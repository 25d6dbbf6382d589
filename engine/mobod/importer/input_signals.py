"""InputSignals: inputs and tunable parameters of an FMU as functions of time, from a table."""

# Decision: docs/decisions/112-input-derivatives.md

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.errors import InputError, MobodWarning
from mobod.importer.fmu_model import FmuModel
from mobod.importer.input_table import InputTable
from mobod.importer.kinds import Value
from mobod.importer.start_values import named_element, position_of
from mobod.importer.variable import ForeignVariable

_TEXTS = ("String", "Binary")
_ROUND_OFF = 1e-12  # relative, of two times that are meant to be equal


@dataclass(frozen=True)
class InputSignal:
    """The values of one variable in the rows of the table: floats that are interpolated, or values that are held."""

    variable: ForeignVariable
    values: np.ndarray  # (m, elements)


@final
class InputSignals:
    """Values over time. Continuous inputs are interpolated linearly, all others are held until the next row.

    continuous, held  signals
    breaks            (k,)  s   times of jumps, of changes of held values; between them all is smooth or has kinks
    kinks             (m,)  s   the times of the rows

    Raises UnknownNameError; InputError for a variable that cannot change during a run, a value of a wrong type or out of bounds, and
    for an array of which elements are missing.
    """

    def __init__(self, model: FmuModel, table: InputTable, structure: dict[str, Value]) -> None:
        self._table = table
        self._time = table.time
        elements: dict[str, dict[int, list[Value]]] = {}
        for name, cells in table.columns.items():
            variable, index = named_element(model, name)
            variable.check_changes()
            shape = model.shape(variable, structure)
            if variable.is_array and index is None:
                raise InputError(f"{table.path}: '{name}' is an array of {math.prod(shape)} elements. Give each a column: {name}[1], ...")
            position = 0 if index is None else position_of(model, variable, index, shape)
            elements.setdefault(variable.name, {})[position] = [_read(table, variable, name, row, cell) for row, cell in enumerate(cells)]
        signals = []
        for name, columns in elements.items():
            size = math.prod(model.shape(model.variables[name], structure))
            for position in range(size):
                if position not in columns:
                    raise InputError(
                        f"{table.path}: the array '{name}' has {size} elements, but there is no column '{name}[{position + 1}]'."
                    )
            values = np.array([columns[position] for position in range(size)], dtype=object).T
            variable = model.variables[name]
            signals.append(InputSignal(variable, values.astype(float) if variable.is_continuous else values))
        self.continuous = [each for each in signals if each.variable.is_continuous]
        self.held = [each for each in signals if not each.variable.is_continuous]
        jumps = [self._time[1:][np.diff(self._time) == 0]]
        jumps += [self._time[1:][(signal.values[1:] != signal.values[:-1]).any(axis=1)] for signal in self.held]
        self.breaks = np.unique(np.concatenate(jumps))
        self.kinks = np.unique(self._time)

    def check_covers(self, start: float, stop: float) -> None:
        """Raise InputError if the table begins after the run, and warn if it ends before it."""
        first, last = float(self._time[0]), float(self._time[-1])
        allowed = _ROUND_OFF * max(abs(start), abs(stop))
        if first > start + allowed:
            raise InputError(
                f"{self._table.path}: its first row is at {first:.12g} s, but the run starts at {start:.12g} s. Add a row for the start."
            )
        if last < stop - allowed:
            MobodWarning.warn(
                f"{self._table.path}: its last row is at {last:.12g} s, but the run ends at {stop:.12g} s. From there on its last values "
                "are held. Add rows if the inputs change."
            )

    def continuous_values(self, time: float, *, before: bool = False) -> list[list[Value]]:
        """The interpolated values at a time (s), at a jump those after it, or those before it."""
        row, following, weight = self._place(time, before=before)
        return [((1 - weight) * each.values[row] + weight * each.values[following]).tolist() for each in self.continuous]

    def held_values(self, time: float) -> list[list[Value]]:
        """The held values at a time (s)."""
        row, _, _ = self._place(time, before=False)
        return [each.values[row].tolist() for each in self.held]

    def slopes(self, start: float, end: float) -> list[float]:
        """Mean slopes of the elements of the continuous signals, in their units per second."""
        first, last = self.continuous_values(start), self.continuous_values(end, before=True)
        return [
            (float(b) - float(a)) / (end - start) for one, other in zip(first, last, strict=True) for a, b in zip(one, other, strict=True)
        ]

    def _place(self, time: float, *, before: bool) -> tuple[int, int, float]:
        """The rows around a time, and the weight of the second."""
        allowed = _ROUND_OFF * abs(time)
        if before:
            row = int(np.searchsorted(self._time, time - allowed, side="left")) - 1
        else:
            row = int(np.searchsorted(self._time, time + allowed, side="right")) - 1
        row = max(row, 0)
        following = min(row + 1, len(self._time) - 1)
        span = self._time[following] - self._time[row]
        weight = 0.0 if span == 0 else float(np.clip((time - self._time[row]) / span, 0.0, 1.0))
        return row, following, weight


def _read(table: InputTable, variable: ForeignVariable, name: str, row: int, cell: str) -> Value:
    try:
        return variable.parsed(cell if variable.type in _TEXTS else table.dialect.number(cell))
    except InputError as error:
        raise InputError(f"{table.place(row, name)}: {error}") from None
