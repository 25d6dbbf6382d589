"""Table: named columns over time, which can be read, written, compared and plotted."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike, fspath
from pathlib import PurePath
from typing import TYPE_CHECKING, Protocol, final

import numpy as np

from mobod.arguments.real_numbers import real_numbers
from mobod.errors import InputError, UnknownNameError
from mobod.simulate.column import Column, chosen_names
from mobod.simulate.comparison import Comparison, Trajectories, compare_trajectories
from mobod.simulate.html_table import html_table
from mobod.simulate.plot import Curve, plot_curves
from mobod.simulate.table_files import csv_file, frames, hdf5_file, mat_file
from mobod.simulate.table_files.text_lines import UNFINISHED

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.axes import Axes


class HasTable(Protocol):
    """What can give a Table with the columns of another Table, as far as it has them."""

    def table_like(self, table: "Table") -> "Table": ...


SUFFIXES = {".csv": "csv", ".mat": "mat", ".h5": "hdf5", ".hdf5": "hdf5"}  # suffix of a file -> its kind


@final
class Table:
    """Named columns over time.

    time                (m,)            s
    columns[name]       (m,) or (m, k)  in units[name], if the name has a unit
    components[name]                    of an (m, k) column: k pairs (label, unit), if known
    descriptions[name]                  one line, if known
    parameters                          names of the columns that are parameters of the model
    terminated_by                       the name of the event or FMU that ended the run early, or None

    Iteration gives the names, in the order of the columns.
    Raises InputError if a column has another length than time, is named 'time', or has another number of components than labels;
    UnknownNameError for a unit, components or a description of a column that does not exist.
    """

    def __init__(
        self,
        time: np.ndarray,
        columns: Mapping[str, np.ndarray],
        units: Mapping[str, str] | None = None,
        *,
        components: Mapping[str, Sequence[tuple[str, str]]] | None = None,
        descriptions: Mapping[str, str] | None = None,
        parameters: Iterable[str] = (),
        terminated_by: str | None = None,
    ) -> None:
        self.time = real_numbers(time, "time")
        self.columns = {name: np.asarray(values) for name, values in columns.items()}
        self.units = dict(units or {})
        self.components = dict(components or {})
        self.descriptions = dict(descriptions or {})
        self.parameters = frozenset(parameters)
        self.terminated_by = terminated_by
        if self.time.ndim != 1:
            raise InputError(f"time has shape {self.time.shape}; give one number for each row.")
        if "time" in self.columns:
            raise InputError("a column is named 'time', which is the name of the first column. Rename it.")
        n_rows = len(self.time)
        for name, values in self.columns.items():
            if values.ndim not in (1, 2) or len(values) != n_rows:
                raise InputError(f"column '{name}' has shape {values.shape}, but there are {len(self.time)} points in time.")
        for names in (self.units, self.components, self.descriptions, sorted(self.parameters)):
            for name in names if not self.columns.keys() >= set(names) else ():
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

    def _repr_html_(self) -> str:
        """For notebooks: the first and the last rows, with units."""
        columns = [(each.name, each.unit or "", each.values) for name in self.columns for each in self._column(name).flat()]
        return html_table([("time", "s", self.time), *columns], len(self.time))

    def select(self, *names: str) -> "Table":
        """A Table of the named columns. Raises UnknownNameError."""
        return self._of(self.time, [self._column(name) for name in dict.fromkeys(names)], self.terminated_by)

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write time and all columns as CSV, so that `float(text)` gives the same number, bit for bit; a boolean is 1 or 0.

        The columns of an (m, k) array are named `name[1]` to `name[k]`. If writing fails, an existing file stays unchanged.
        Raises WriteError.
        """
        csv_file.write_csv(path, self.time, self.flat())

    @classmethod
    def from_csv(cls, path: str | PathLike[str]) -> "Table":
        """Read a file that `to_csv` wrote. Each column of the file becomes one name. A column that is not numbers stays text.

        A last row without a line end, whose last number may be cut off, is a MobodWarning. In the file of a run that was killed,
        `run.csv.part`, it is left out.

        Raises InputError, with the line number, for a file that is not such a table.
        """
        return cls._of(*csv_file.read_csv(path))

    def to_mat(self, path: str | PathLike[str]) -> None:
        """Write a .mat file as Dymola and OpenModelica do, with units and descriptions. All values are written as floats.

        The columns of an (m, k) array are named `name[1]` to `name[k]`. Parameters that do not change are written once.
        Raises InputError for text and for integers above 2^53; WriteError.
        """
        mat_file.write_mat(path, self.time, self.flat())

    @classmethod
    def from_mat(cls, path: str | PathLike[str]) -> "Table":
        """Read results of `to_mat`, Dymola or OpenModelica. Each variable becomes one name; a parameter has its value at all times.

        Raises InputError for a file that is not such a table.
        """
        return cls._of(*mat_file.read_mat(path))

    def to_hdf5(self, path: str | PathLike[str]) -> None:
        """Write an HDF5 file, with one dataset for each column, and units, components and descriptions as attributes. Needs h5py.

        Raises WriteError; MobodError if h5py is not installed.
        """
        hdf5_file.write_hdf5(path, self.time, [self._column(name) for name in self.columns], self._attributes())

    @classmethod
    def from_hdf5(cls, path: str | PathLike[str], *names: str) -> "Table":
        """Read a file that `to_hdf5` wrote: all of it, or only the named columns, which leaves the others on the disk.

        Raises InputError for another file; UnknownNameError; MobodError if h5py is not installed.
        """
        time, columns, attributes = hdf5_file.read_hdf5(path, names)
        return cls._of(time, columns, attributes.get("terminated_by"))

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> "Table":
        """Read a .csv, .mat, .h5 or .hdf5 file, or the .csv.part of a run that was killed. Raises InputError for any other."""
        kind = SUFFIXES.get(PurePath(fspath(path).removesuffix(UNFINISHED)).suffix.lower())
        if kind is None:
            raise InputError(f"{fspath(path)}: the name of a file with results must end with {', '.join(SUFFIXES)}.")
        return {"csv": cls.from_csv, "mat": cls.from_mat, "hdf5": cls.from_hdf5}[kind](path)

    def to_dataframe(self) -> "pandas.DataFrame":
        """A DataFrame of pandas with the same columns as `to_csv`, and the time as its index. `attrs["units"]` has the units by name.

        Raises MobodError if pandas is not installed.
        """
        return frames.to_dataframe(self.time, self.flat())

    def to_xarray(self) -> "xarray.Dataset":
        """A Dataset of xarray with units and descriptions as attributes. Entries of vectors are a dimension with labels, such as 'xyz'.

        Raises MobodError if xarray is not installed.
        """
        return frames.to_xarray(self.time, [self._column(name) for name in self.columns], self._attributes())

    def compare(
        self,
        other: "Table | HasTable | str | PathLike[str]",
        tolerance: float = 1e-6,
        *,
        rtol: float | None = None,
        atol: float | None = None,
        names: Sequence[str] = (),
    ) -> Comparison:
        """Compare the columns with those of the same names in another Table, in Results, or in a file.

        other      the path of a file ends with .csv, .mat, .h5 or .hdf5
        tolerance  a difference is allowed up to atol + rtol |value of other|, where both are `tolerance` unless they are given
        names      what to compare; default: all columns that both have. `p` is all entries of a vector, `p[1]` its first

        Raises InputError if there is nothing to compare; UnknownNameError.
        """
        if isinstance(other, (str, PathLike)):
            other = Table.from_file(other)
        reference = other if isinstance(other, Table) else other.table_like(self)
        one, two = (Trajectories(each.time, {column.name: column for column in each.flat(names)}) for each in (self, reference))
        return compare_trajectories(one, two, rtol=tolerance if rtol is None else rtol, atol=tolerance if atol is None else atol)

    def plot(self, *names: str) -> "Axes":
        """Plot the named columns, or all numeric ones, over time, with separate axes for each unit. Returns the first Axes.

        All axes are in `.figure.axes`.
        """
        return plot_curves(self.curves(*names))

    def curves(self, *names: str) -> list[Curve]:
        """The named columns, or all numeric ones, as curves of a plot. `p` is all entries of a vector, `p[1]` its first."""
        shown = [column for column in self.flat(names) if names or not column.is_text]
        return [Curve(column.label or column.name, column.unit, self.time, column.values) for column in shown]

    def flat(self, names: Sequence[str] = ()) -> list[Column]:
        """The named columns with one number a row, for each entry of (m, k) arrays; default: all. `p` is all entries of a vector, `p[1]`
        its first.

        Raises InputError if two have the same name; UnknownNameError.
        """
        found: dict[str, Column] = {}
        for column in (each for name in self.columns for each in self._column(name).flat()):
            if column.name in found:
                raise InputError(f"two columns would be written as '{column.name}'. Rename one.")
            found[column.name] = column
        return [found[each] for each in chosen_names("column", names, found)] if names else list(found.values())

    def _column(self, name: str) -> Column:
        self._check(name)
        return Column(
            name,
            self.columns[name],
            unit=self.units.get(name),
            components=tuple(self.components.get(name, ())),
            description=self.descriptions.get(name, ""),
            is_parameter=name in self.parameters,
        )

    @classmethod
    def _of(cls, time: np.ndarray, columns: Sequence[Column], terminated_by: str | None = None) -> "Table":
        return cls(
            time,
            {each.name: each.values for each in columns},
            {each.name: each.unit for each in columns if each.unit is not None},
            components={each.name: each.components for each in columns if each.components},
            descriptions={each.name: each.description for each in columns if each.description},
            parameters=[each.name for each in columns if each.is_parameter],
            terminated_by=terminated_by,
        )

    def _attributes(self) -> dict[str, str]:
        return {} if self.terminated_by is None else {"terminated_by": self.terminated_by}

    def _check(self, name: str) -> None:
        UnknownNameError.check("column", name, self.columns)
