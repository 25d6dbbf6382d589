"""Recorder: fills a Table while instances run."""

from collections.abc import Callable, Mapping, Sequence
from typing import final

import numpy as np

from mobod.cosim.component import ComponentVariable
from mobod.cosim.component_model import ComponentInstance, ValueBatch
from mobod.cosim.variable import Kind, Value
from mobod.simulate.table import Table

_DTYPES: dict[Kind, type[np.generic]] = {
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
    times    s   of rows; more of them are added as rows come
    extra        for columns of the run itself their unit, and a function that returns the present value
    """

    def __init__(
        self,
        columns: Mapping[str, Sequence[ComponentVariable]],
        instances: Mapping[str, ComponentInstance],
        times: np.ndarray,
        extra: Mapping[str, tuple[str, Callable[[], float]]] | None = None,
    ) -> None:
        self._times = times
        self._rows = 0
        self._extra = dict(extra or {})
        self._numbers: list[list[float]] = []  # of extra, by row
        self._batches: list[tuple[ValueBatch, list[int]]] | None = None  # and positions of their entries
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
        self._grouped: dict[str, list[tuple[str, int]]] = {}  # names and positions of entries by component
        self._entries: list[np.ndarray] = []
        for name, ports in columns.items():
            column = np.zeros((len(times), len(ports)), dtype=_dtype(ports[0]))
            self._columns[name] = column if len(ports) > 1 else column[:, 0]
            for k, port in enumerate(ports):
                self._grouped.setdefault(port.component.name, []).append((port.variable.name, len(self._entries)))
                self._entries.append(column[:, k])

    @property
    def rows(self) -> int:
        """The number of rows so far."""
        return self._rows

    def append(self, rows: np.ndarray, objects: Mapping[int, Value]) -> None:
        """Add rows of the variables as numbers, or one row with other objects, by the positions of their variables."""
        following = slice(self._rows, self._rows + len(rows))
        for k, column in enumerate(self._entries):
            column[following] = rows[:, k]
        for k, value in objects.items():
            self._entries[k][following] = value
        self._rows += len(rows)

    def record(self) -> None:
        """Write the present values of the variables into the next row. Raises FmuError for a value that is not finite, and then adds no
        row.
        """
        if self._batches is None:
            self._batches = [
                (self._instances[component].batch(name for name, _ in group), [k for _, k in group])
                for component, group in self._grouped.items()
            ]
        time = float(self._times[self._rows])
        for batch, positions in self._batches:
            for k, value in zip(positions, batch.get_finite(time), strict=True):
                self._entries[k][self._rows] = value
        self._rows += 1
        self._numbers.append([read() for _, read in self._extra.values()])

    def table(self, *, terminated_by: str | None = None) -> Table:
        """The rows recorded so far."""
        rows = self._rows
        columns = {name: column[:rows] for name, column in self._columns.items()}
        columns |= {name: np.array([row[k] for row in self._numbers]) for k, name in enumerate(self._extra)}
        units = self._units | {name: unit for name, (unit, _) in self._extra.items() if unit}
        return Table(self._times[:rows], columns, units, components=self._components, terminated_by=terminated_by)

    def move_next(self, time: float) -> None:
        """Use another time, s, for the next row, or add a row with this time."""
        if self._rows == len(self._times):
            self._grow()
        self._times[self._rows] = time

    def _grow(self) -> None:
        """Make room for as many rows again."""
        room = max(len(self._times), 64)
        self._times = np.append(self._times, np.empty(room))
        self._entries = []
        for name, column in self._columns.items():
            longer = np.concatenate([column, np.zeros((room, *column.shape[1:]), dtype=column.dtype)])
            self._columns[name] = longer
            self._entries += list(longer.T) if longer.ndim == 2 else [longer]


def _dtype(port: ComponentVariable) -> type[np.generic]:
    return np.uint64 if port.variable.highest >= 2**63 else _DTYPES[port.variable.kind]
