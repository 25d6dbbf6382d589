"""Recorder: fills a Table while instances run."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, final

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


class _Place(NamedTuple):
    """Of a column: the rows of the block of its type. is_array: whether it has entries"""

    type: np.dtype[np.generic]
    rows: slice
    is_array: bool


@final
class RecordedColumns:
    """Which variables make each column, the same for all recorders of a run.

    columns  the variables of each column by its name; several of them are the components of an array

    places   of each column
    sizes    the number of variables of each type
    entries  type and row of each variable, in order
    grouped  names and numbers of variables by component
    units, components
             as those of a Table
    """

    def __init__(self, columns: Mapping[str, Sequence[ComponentVariable]]) -> None:
        self.places: dict[str, _Place] = {}
        self.sizes: dict[np.dtype[np.generic], int] = {}
        self.entries: list[tuple[np.dtype[np.generic], int]] = []
        self.grouped: dict[str, list[tuple[str, int]]] = {}
        self.units: dict[str, str] = {}
        self.components: dict[str, list[tuple[str, str]]] = {}
        for name, ports in columns.items():
            self._add(name, ports)
        numbered: dict[np.dtype[np.generic], list[int]] = {}
        for k, (type_, _) in enumerate(self.entries):
            numbered.setdefault(type_, []).append(k)
        self.numbers = {type_: np.array(of) for type_, of in numbered.items()}  # of the variables of each type, in the order of the rows

    def _add(self, name: str, ports: Sequence[ComponentVariable]) -> None:
        units = ["" if port.unit is None else str(port.unit.name) for port in ports]
        if len(set(units)) > 1:
            self.components[name] = [(str(port), unit) for port, unit in zip(ports, units, strict=True)]
        elif units[0]:
            self.units[name] = units[0]
        type_ = np.dtype(_dtype(ports[0]))
        first = self.sizes.get(type_, 0)
        self.sizes[type_] = first + len(ports)
        self.places[name] = _Place(type_, slice(first, first + len(ports)), len(ports) > 1)
        for k, port in enumerate(ports):
            self.grouped.setdefault(port.component.name, []).append((port.variable.name, len(self.entries)))
            self.entries.append((type_, first + k))


@final
class Recorder:
    """The values of some variables at each communication point, row by row.

    times    s   of rows; more of them are added as rows come
    extra        for columns of the run itself their unit, and a function that returns the present value
    """

    def __init__(
        self,
        columns: RecordedColumns,
        instances: Mapping[str, ComponentInstance],
        times: np.ndarray,
        extra: Mapping[str, tuple[str, Callable[[], float]]] | None = None,
    ) -> None:
        self._times = times
        self._rows = 0
        self._extra = dict(extra or {})
        self._numbers: list[list[float]] = []  # of extra, by row
        self._batches: list[tuple[ValueBatch, list[int]]] | None = None  # and numbers of their variables
        self._instances, self._columns = instances, columns
        self._blocks = {type_: np.zeros((n, len(times)), dtype=type_) for type_, n in columns.sizes.items()}  # variables, times

    @property
    def rows(self) -> int:
        """The number of rows so far."""
        return self._rows

    def append(self, rows: np.ndarray, objects: Mapping[int, Value]) -> None:
        """Add rows of the variables as numbers, or one row with other objects, by the numbers of their variables."""
        following = slice(self._rows, self._rows + len(rows))
        for type_, block in self._blocks.items():
            block[:, following] = rows.T if len(self._blocks) == 1 else rows[:, self._columns.numbers[type_]].T
        for k, value in objects.items():
            self._set(k, following, value)
        self._rows += len(rows)

    def _set(self, number: int, at: int | slice, value: Value) -> None:
        type_, row = self._columns.entries[number]
        self._blocks[type_][row, at] = value

    def record(self) -> None:
        """Write the present values of the variables into the next row. Raises FmuError for a value that is not finite, and then adds no
        row.
        """
        if self._batches is None:
            self._batches = [
                (self._instances[component].batch(name for name, _ in group), [k for _, k in group])
                for component, group in self._columns.grouped.items()
            ]
        time = float(self._times[self._rows])
        for batch, numbers in self._batches:
            for k, value in zip(numbers, batch.get_finite(time), strict=True):
                self._set(k, self._rows, value)
        self._rows += 1
        self._numbers.append([read() for _, read in self._extra.values()])

    def table(self, *, terminated_by: str | None = None) -> Table:
        """The rows recorded so far."""
        layout, rows = self._columns, self._rows
        blocks = {type_: block[:, :rows] for type_, block in self._blocks.items()}
        columns = {
            name: blocks[type_][of].T if is_array else blocks[type_][of.start] for name, (type_, of, is_array) in layout.places.items()
        }
        columns |= {name: np.array([row[k] for row in self._numbers]) for k, name in enumerate(self._extra)}
        units = layout.units | {name: unit for name, (unit, _) in self._extra.items() if unit}
        return Table(self._times[:rows], columns, units, components=layout.components, terminated_by=terminated_by)

    def move_next(self, time: float) -> None:
        """Use another time, s, for the next row, or add a row with this time."""
        if self._rows == len(self._times):
            self._grow()
        self._times[self._rows] = time

    def _grow(self) -> None:
        """Make room for as many rows again."""
        room = max(len(self._times), 64)
        self._times = np.append(self._times, np.empty(room))
        for type_, block in self._blocks.items():
            self._blocks[type_] = np.concatenate([block, np.zeros((len(block), room), dtype=type_)], axis=1)


def _dtype(port: ComponentVariable) -> type[np.generic]:
    return np.uint64 if port.variable.highest >= 2**63 else _DTYPES[port.variable.kind]
