"""TableSource: columns of a Table, or of a file of results, as outputs over time."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence, Set
from os import PathLike, fspath
from typing import Literal, Self, final

import numpy as np

from mobod.cosim.component_model import ComponentCapabilities, InputDerivatives, SavedComponent
from mobod.cosim.connections.unit_names import unit_named
from mobod.cosim.simple_batch import SimpleBatch
from mobod.cosim.variable import Kind, NetworkVariable, Value
from mobod.errors import InputError, MobodWarning, UnknownNameError, UnsupportedError
from mobod.simulate.table import Table

ROUND_OFF = 1e-12  # relative, of two times that are meant to be equal
_KINDS: dict[str, tuple[Kind, str, type]] = {
    "f": ("float", "Float64", float),
    "i": ("integer", "Int64", int),
    "u": ("integer", "UInt64", int),
    "b": ("boolean", "Boolean", bool),
}
_TEXT: tuple[Kind, str, type] = ("string", "String", str)


@final
class TableSource:
    """A `ComponentModel` whose outputs are the columns of a Table, each entry of an array by itself: `force`, `p[2]`.

    table          or the path of a .csv, .mat or .h5 file
    interpolation  of real columns between rows: 'linear', or 'held' until the next row. Integers, booleans and texts are always held
    held           names of real columns that are held although the others are interpolated
    beyond         'warn': after the last row its values are held, with a warning, and before the first row is an error; 'error': both are;
                   'hold': the first and last values are held

    A time may occur twice: there the values jump, and those of the second row count. Raises InputError, UnknownNameError.
    """

    noun = "table"

    def __init__(
        self,
        table: Table | str | PathLike[str],
        *,
        interpolation: Literal["linear", "held"] = "linear",
        held: Sequence[str] = (),
        beyond: Literal["warn", "error", "hold"] = "warn",
    ) -> None:
        self.origin = "a Table" if isinstance(table, Table) else fspath(table)
        table = table if isinstance(table, Table) else Table.from_file(table)
        for option, value, allowed in (("interpolation", interpolation, ("linear", "held")), ("beyond", beyond, ("warn", "error", "hold"))):
            UnknownNameError.check(f"{option} of a table", value, allowed)
        if isinstance(held, str):
            raise InputError(f"held is a list of names. Write held=['{held}'].")
        self.beyond = beyond
        self.time = table.time
        self.columns = {column.name: np.asarray(column.values) for column in table.flat()}
        for name in held:
            UnknownNameError.check(f"column of {self.origin}", name, self.columns)
        self._check()
        units = {column.name: column.unit or "" for column in table.flat()}
        self.is_held = {name: interpolation == "held" or name in held or values.dtype.kind != "f" for name, values in self.columns.items()}
        self.variables = {name: self._variable(name, units[name]) for name in self.columns}
        self.recorded: list[str] = list(self.columns)
        self.capabilities = ComponentCapabilities(saves_state=True, saves_bytes=True, handles_events="none")
        self.identity = hashlib.sha256("\n".join(self.columns).encode()).hexdigest()

    def inputs_of(self, output: str, *, at_start: bool) -> Set[str]:
        return set()

    def restructured(self, sizes: Mapping[str, int]) -> "TableSource":
        raise InputError(f"{self.origin} has no structural parameters, but {', '.join(sizes)} was given.")

    def instance(self, name: str, *, varies_inputs: bool = False) -> "TableInstance":
        return TableInstance(self, name)

    def check_covers(self, component: str, first: float, last: float) -> bool:
        """Whether the table is as long as this, s. Raises InputError if it is shorter and values are not held there."""
        allowed = ROUND_OFF * max(abs(first), abs(last))
        begins, ends = self.time[0] - allowed <= first, last <= self.time[-1] + allowed
        if (not begins and self.beyond != "hold") or (not ends and self.beyond == "error"):
            raise InputError(
                f"component '{component}': the rows of {self.origin} go from {self.time[0]:.12g} s to {self.time[-1]:.12g} s, but the run "
                f"goes from {first:.12g} s to {last:.12g} s. Add rows, choose another end, or use TableSource(..., beyond='hold')."
            )
        return ends

    def value(self, name: str, time: float) -> Value:
        """A column's value at a time, s."""
        column, last = self.columns[name], len(self.time) - 1
        row = int(np.searchsorted(self.time, time + ROUND_OFF * abs(time), side="right")) - 1
        row, following = max(row, 0), min(max(row, 0) + 1, last)
        span = self.time[following] - self.time[row]
        convert = _kind(column)[2]
        if self.is_held[name] or span == 0 or time <= self.time[row]:
            return convert(column[row])
        weight = (time - self.time[row]) / span
        return convert((1 - weight) * column[row] + weight * column[following])

    def _check(self) -> None:
        if not self.columns or not len(self.time):
            raise InputError(f"{self.origin}: it has no column or no row of values.")
        steps = np.diff(self.time)
        if not np.isfinite(self.time).all() or (steps < 0).any():
            k = int(np.argmax(np.append(steps < 0, True)))
            raise InputError(f"{self.origin}: time must be finite and increase, but {self.time[k]:.12g} s is followed by another value.")
        if ((steps[1:] == 0) & (steps[:-1] == 0)).any():
            raise InputError(f"{self.origin}: a time occurs three times. Twice is enough for a jump.")
        for name, values in self.columns.items():
            if values.dtype.kind == "f" and not np.isfinite(values).all():
                raise InputError(f"{self.origin}: column '{name}' has a value that is not finite.")

    def _variable(self, name: str, unit: str) -> NetworkVariable:
        kind, type_name, _ = _kind(self.columns[name])
        whole = [int(each) for each in (self.columns[name].min(), self.columns[name].max())] if kind == "integer" else [0, 0]
        return NetworkVariable(
            name=name,
            kind=kind,
            type=type_name,
            causality="output",
            variability="continuous" if kind == "float" and not self.is_held[name] else "discrete",
            unit=unit_named(unit),
            lowest=whole[0],
            highest=whole[1],
            key=name,
        )


@final
class TableInstance:
    """A `ComponentInstance`."""

    def __init__(self, source: TableSource, name: str) -> None:
        self.name = name
        self.time: float | None = None
        self._source = source
        self._has_warned = False

    def set_up(self, start: float, stop: float | None, tolerance: float | None) -> None:
        self._source.check_covers(self.name, start, start if stop is None else stop)
        self.time = start

    def enter_initialization(self) -> None: ...

    def exit_initialization(self) -> None: ...

    def step(self, time: float, step: float) -> None:
        self._source.check_covers(self.name, time, time + step)
        self.time = time + step

    def batch(self, names: Iterable[str]) -> SimpleBatch:
        names = list(names)
        for name in names:
            UnknownNameError.check(f"variable of '{self.name}'", name, self._source.columns)
        return SimpleBatch(self.name, names, self._read, self._write, lambda: self.time)

    def set(self, values: Mapping[str, Value]) -> None:
        self.batch(values).set(list(values.values()))

    def input_derivatives(self, names: Sequence[str]) -> InputDerivatives:
        raise UnsupportedError(f"component '{self.name}': a table has no inputs.")

    def check_can_save(self, *, as_bytes: bool = False) -> None:
        """It always can."""

    def save(self) -> "SavedTime":
        return SavedTime(self, self.time)

    def saved(self, data: bytes, time: float) -> "SavedTime":
        return SavedTime(self, time)

    def directional_derivative(self, unknowns: Sequence[str], knowns: Sequence[str], change: Sequence[float]) -> list[float]:
        raise UnsupportedError(f"component '{self.name}': a table has no inputs.")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def warn_of_end(self, last: float) -> None:
        """Warn once of a table that ends before the run, s. Steps do not, since trials of the master go beyond the run."""
        first = self._source.time[0] if self.time is None else self.time
        if self._has_warned or self._source.beyond == "hold" or self._source.check_covers(self.name, first, last):
            return
        self._has_warned = True
        MobodWarning.warn(
            f"component '{self.name}': the last row of {self._source.origin} is at {self._source.time[-1]:.12g} s, but the run ends at "
            f"{last:.12g} s. From there on its last values are held. Add rows, or use TableSource(..., beyond='hold' or 'error')."
        )

    def _read(self, names: Sequence[str]) -> list[Value]:
        time = 0.0 if self.time is None else self.time
        return [self._source.value(name, time) for name in names]

    def _write(self, name: str, value: Value) -> None:
        raise InputError(f"'{self.name}.{name}' is a column of a table, which cannot be set.")


@final
class SavedTime(SavedComponent):
    """A state of a TableInstance, which is its time."""

    def __init__(self, instance: TableInstance, time: float | None) -> None:
        self._instance, self._time = instance, time

    def restore(self) -> None:
        self._instance.time = self._time

    def to_bytes(self) -> bytes:
        return b""


def _kind(column: np.ndarray) -> tuple[Kind, str, type]:
    return _KINDS.get(column.dtype.kind, _TEXT)
