"""RangeWatch: whether values that connections carry are within the range that their inputs declare."""

from collections.abc import Sequence
from math import inf
from typing import final

import numpy as np

from mobod.cosim.component import ComponentVariable
from mobod.cosim.connection import Connection
from mobod.errors import MobodWarning
from mobod.simulate.table import Table

_ROUND_OFF = 1e-9  # of a bound


@final
class RangeWatch:
    """Looks at recorded outputs, at communication points, once in a run for each connection."""

    def __init__(self, connections: Sequence[Connection]) -> None:
        self._connections = [each for each in connections if _range(each.target) != (-inf, inf)]

    @property
    def is_watching(self) -> bool:
        """Whether there are connections of which it has not warned."""
        return bool(self._connections)

    def check(self, table: Table) -> None:
        """Warn of each connection whose input was given a value outside its min and max, which FMI leaves to the master."""
        for connection in list(self._connections):
            values = recorded(table, connection.source)
            if values is None:
                continue
            least, greatest = _range(connection.target)
            given = connection.factor * values + connection.shift
            outside = (given < least - _ROUND_OFF * abs(least)) | (given > greatest + _ROUND_OFF * abs(greatest))
            if not outside.any():
                continue
            self._connections.remove(connection)
            k = int(np.argmax(outside))
            bound = f"below its min, {least:.9g}" if given[k] < least else f"above its max, {greatest:.9g}"
            unit = "" if connection.target.unit is None else f" {connection.target.unit.name}"
            message = (
                f"co-simulation: the input '{connection.target}' was given {given[k]:.9g}{unit} by '{connection.source}' at "
                f"{table.time[k]:.9g} s, which is {bound}{unit}. Its component may give wrong results there."
            )
            MobodWarning.warn(message)


def recorded(table: Table, variable: ComponentVariable) -> np.ndarray | None:
    """The values of a variable or an entry of an array in a table, (n,); None if it is not there."""
    if str(variable) in table:
        return table[str(variable)]
    whole = f"{variable.component.name}.{variable.variable.array}"
    if variable.variable.array is None or whole not in table:
        return None
    entries = [name for name, each in variable.component.model.variables.items() if each.array == variable.variable.array]
    columns: np.ndarray = table[whole].reshape(len(table.time), -1)[:, entries.index(variable.variable.name)]
    return columns


def _range(target: ComponentVariable) -> tuple[float, float]:
    least, greatest = target.variable.minimum, target.variable.maximum
    if target.variable.items:
        least, greatest = min(target.variable.items.values()), max(target.variable.items.values())
    return -inf if least is None else least, inf if greatest is None else greatest
