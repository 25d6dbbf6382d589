"""Table: named columns over time, which can be read, written and plotted."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, final

import numpy as np

from mobod.errors import InputError, UnknownNameError
from mobod.real_numbers import real_numbers
from mobod.simulate.plot import Curve, plot_curves
from mobod.whole_file import whole_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@final
class Table:
    """Named columns over time.

    time           (m,)            s
    columns[name]  (m,) or (m, k)  in units[name], if the name has a unit
    components[name]               of an (m, k) column: k pairs (label, unit) for plots, if known
    terminated_by                  the name of the event or FMU that ended the run early, or None

    Iteration gives the names, in the order of the columns.
    Raises InputError if a column has another length than time, is named 'time', or has another number of components than labels;
    UnknownNameError for a unit or components of a column that does not exist.
    """

    def __init__(
        self,
        time: np.ndarray,
        columns: Mapping[str, np.ndarray],
        units: Mapping[str, str] | None = None,
        *,
        components: Mapping[str, Sequence[tuple[str, str]]] | None = None,
        terminated_by: str | None = None,
    ) -> None:
        self.time = real_numbers(time, "time")
        self.columns = {name: np.asarray(values) for name, values in columns.items()}
        self.units = dict(units or {})
        self.components = dict(components or {})
        self.terminated_by = terminated_by
        if self.time.ndim != 1:
            raise InputError(f"time has shape {self.time.shape}; give one number for each row.")
        for name, values in self.columns.items():
            if name == "time":
                raise InputError("a column is named 'time', which is the name of the first column. Rename it.")
            if values.ndim not in (1, 2) or len(values) != len(self.time):
                raise InputError(f"column '{name}' has shape {values.shape}, but there are {len(self.time)} points in time.")
        for name in (*self.units, *self.components):
            self._check(name)
        for name, labels in self.components.items():
            if self.columns[name].shape[1:] != (len(labels),):
                raise InputError(f"column '{name}' has shape {self.columns[name].shape}, but {len(labels)} names of components are given.")

    def __getitem__(self, name: str) -> np.ndarray:
        self._check(name)
        return self.columns[name]

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write time and all columns as CSV, so that `float(text)` gives the same number, bit for bit; a boolean is 1 or 0.

        The columns of an (m, k) array are named `name[1]` to `name[k]`. If writing fails, an existing file stays unchanged.
        Raises WriteError.
        """
        flat = dict(self._flat())
        with whole_file(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")  # writes a float as its repr
            writer.writerow(["time", *flat])
            cells = [(values.astype(int) if values.dtype == bool else values).tolist() for values in flat.values()]
            writer.writerows(zip(self.time.tolist(), *cells, strict=True))

    @classmethod
    def from_csv(cls, path: str | PathLike[str]) -> "Table":
        """Read a file that `to_csv` wrote. Each column of the file becomes one name. A column that is not numbers stays text.

        Raises InputError, with the line number, for a file that is not such a table.
        """
        with open(path, encoding="utf-8", newline="") as file:
            reader = csv.reader(file)
            names = next(reader, [])
            if names[:1] != ["time"] or len(set(names)) != len(names):
                raise InputError(f"{path}: the first line must contain 'time', then the names of the other columns without repetition.")
            rows = []
            for row in reader:
                if len(row) != len(names):
                    raise InputError(f"{path}, line {reader.line_num}: {len(row)} cells, but the header has {len(names)} names.")
                rows.append(row)
        columns = {name: _numbers([row[k] for row in rows]) for k, name in enumerate(names)}
        time = columns.pop("time")
        if time.dtype != float:
            raise InputError(f"{path}: the column 'time' contains text that is not a number.")
        return cls(time, columns)

    def plot(self, *names: str) -> "Axes":
        """Plot the named columns, or all numeric ones, over time, with separate axes for each unit. Returns the first Axes.

        All axes are in `.figure.axes`.
        """
        shown = names or tuple(name for name, values in self.columns.items() if values.dtype != object)
        return plot_curves(self.time, [curve for name in shown for curve in self._curves(name)])

    def _curves(self, name: str) -> list[Curve]:
        values, unit = self[name], self.units.get(name)
        if name in self.components:
            return [Curve(*labelled, column) for labelled, column in zip(self.components[name], values.T, strict=True)]
        return [Curve(label, unit, column) for label, column in _components(name, values)]

    def _check(self, name: str) -> None:
        if name not in self.columns:
            raise UnknownNameError("column", name, self.columns)

    def _flat(self) -> Iterator[tuple[str, np.ndarray]]:
        seen = {"time"}
        for name, values in self.columns.items():
            for label, column in _components(name, values):
                if label in seen:
                    raise InputError(f"two columns would be written as '{label}'. Rename one.")
                seen.add(label)
                yield label, column


def _components(name: str, values: np.ndarray) -> list[tuple[str, np.ndarray]]:
    if values.ndim == 1:
        return [(name, values)]
    return [(f"{name}[{k + 1}]", column) for k, column in enumerate(values.T)]


def _numbers(cells: list[str]) -> np.ndarray:
    try:
        return np.array([float(cell) for cell in cells], dtype=float)
    except ValueError:
        return np.array(cells, dtype=object)
