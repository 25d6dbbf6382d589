"""Recorder: fills a Table while instances run."""

from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np

from mobod.cosim.component import ComponentVariable
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.variable import Kind, Value
from mobod.simulate.table import Table

_DTYPES: dict[Kind, Any] = {
    "float": np.float64,
    "integer": np.int64,
    "enumeration": np.int64,
    "boolean": np.bool_,
    "string": np.object_,
}


@final
class Recorder:
    """The values of some variables at each communication point, row by row.

    columns  the variables of each column by its name; several of them are the components of an array
    times    s
    """

    def __init__(
        self, columns: Mapping[str, Sequence[ComponentVariable]], instances: Mapping[str, ComponentInstance], times: np.ndarray
    ) -> None:
        self._times = times
        self._rows = 0
        self._columns: dict[str, np.ndarray] = {}
        self._units: dict[str, str] = {}
        self._components: dict[str, list[tuple[str, str]]] = {}
        for name, ports in columns.items():
            units = ["" if port.unit is None else str(port.unit.name) for port in ports]
            if len(set(units)) > 1:
                self._components[name] = [(str(port), unit) for port, unit in zip(ports, units, strict=True)]
            elif units[0]:
                self._units[name] = units[0]
        self._instances = instances
        self._grouped: dict[str, list[tuple[str, np.ndarray]]] = {}  # names and entries by component
        self._entries: list[np.ndarray] = []
        for name, ports in columns.items():
            column = np.zeros((len(times), len(ports)), dtype=_dtype(ports[0]))
            self._columns[name] = column if len(ports) > 1 else column[:, 0]
            for k, port in enumerate(ports):
                self._entries.append(column[:, k])
                self._grouped.setdefault(port.component.name, []).append((port.variable.name, column[:, k]))

    def append(self, times: np.ndarray, rows: np.ndarray, objects: Mapping[int, Value]) -> None:
        """Add rows of the variables as numbers at these times (s), or one row with other objects, by the positions of their variables."""
        following = slice(self._rows, self._rows + len(rows))
        self._times[following] = times
        for k, column in enumerate(self._entries):
            column[following] = rows[:, k]
        for k, value in objects.items():
            self._entries[k][following] = value
        self._rows += len(rows)

    def record(self) -> None:
        """Write the present values of the variables into the next row. Raises FmuError for a value that is not finite, and then adds no
        row.
        """
        time = float(self._times[self._rows])
        for component, group in self._grouped.items():
            batch = self._instances[component].batch(name for name, _ in group)
            for (_, column), value in zip(group, batch.get_finite(time), strict=True):
                column[self._rows] = value
        self._rows += 1

    def table(self, *, terminated_by: str | None = None) -> Table:
        """The rows recorded so far."""
        rows = self._rows
        columns = {name: column[:rows] for name, column in self._columns.items()}
        return Table(self._times[:rows], columns, self._units, components=self._components, terminated_by=terminated_by)

    def move_next(self, time: float) -> None:
        """Use another time, s, for the next row."""
        self._times[self._rows] = time


def _dtype(port: ComponentVariable) -> Any:
    return np.uint64 if port.variable.highest >= 2**63 else _DTYPES[port.variable.kind]
