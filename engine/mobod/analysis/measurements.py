"""Measurements: measured values over time, and inputs, from tables and files."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from os import PathLike, fspath
from typing import final

import numpy as np

from mobod.analysis.driving_inputs import DrivingInputs
from mobod.analysis.named_numbers import each_number
from mobod.errors import InputError, described
from mobod.simulate import Results, Table
from mobod.simulate.table_files.csv_dialect import CsvDialect
from mobod.simulate.table_files.text_lines import TextLines
from mobod.system import State, System
from mobod.system.named_numbers import NamedNumber

Data = Table | Results | str | PathLike[str]


@final
@dataclass(frozen=True)
class Measurements:
    """Measured values of some numbers of a System.

    numbers  that were measured
    time     (m,) s        increasing
    values   (m, numbers)  NaN where there is no value
    inputs   that follow the data, or None
    """

    numbers: list[NamedNumber]
    time: np.ndarray
    values: np.ndarray
    inputs: DrivingInputs | None


def read_measurements(
    system: System,
    state: State,
    data: Data | Sequence[Data],
    inputs: Data | None,
    columns: Mapping[str, str] | None,
) -> Measurements:
    """The measurements in one or more tables, which may have different times. Columns that are inputs of the System drive it.

    Raises UnknownNameError; InputError for a column without numbers, no measured values, and two tables with the same input.
    """
    given: Sequence[Data] = [data] if isinstance(data, (Table, Results, str, PathLike)) else _several(data)
    tables = [_table(each, columns) for each in given]
    driving = [] if inputs is None else [_table(inputs, None)]
    measured: list[_Series] = []
    driven: list[list[_Series]] = []
    for table in [*tables, *driving]:
        chosen = _series(system, state, table)
        of_inputs = [each for each in chosen if each.number.variable.role == "input"]
        if of_inputs:
            driven.append(of_inputs)
        others = [each for each in chosen if each.number.variable.role != "input"]
        if table in driving and others:
            raise InputError(f"inputs: '{others[0].number.name}' is no input of System '{system.name}'. Give measured values as data.")
        measured += others
    if len(driven) > 1:
        names = f"'{driven[0][0].number.name}' and '{driven[1][0].number.name}'"
        raise InputError(f"inputs are in {len(driven)} tables, such as {names}. Give them in one.")
    time, numbers, values = _merged(measured)
    inside = time >= state.time
    if not np.isfinite(values[inside]).any():
        raise InputError(f"data: there is no measured value at or after the start of the run, {state.time:.9g} s.")
    used = inside & np.isfinite(values).any(axis=1)
    signals = None
    if driven:
        inputs_of_table = driven[0]
        numbers_set = [each.number for each in inputs_of_table]
        signals = DrivingInputs(state, numbers_set, inputs_of_table[0].time, [each.values for each in inputs_of_table])
    return Measurements(numbers, time[used], values[used], signals)


def _several(data: object) -> Sequence[Data]:
    if not isinstance(data, (list, tuple)) or not data:
        raise InputError(f"data takes a Table, Results, or the path of a CSV file, or a list of these, not {described(data)}.")
    return data


@final
@dataclass(frozen=True)
class _Series:
    """A column of a table: the values (m,) of a number at times (m,), NaN where there is none."""

    number: NamedNumber
    time: np.ndarray
    values: np.ndarray


def _series(system: System, state: State, table: Table) -> list[_Series]:
    """The columns of a table. Raises UnknownNameError; InputError for a number that is there twice, and an array with too few columns."""
    found: list[_Series] = []
    for name, numbers in zip(table, each_number(system, state, table, "data"), strict=True):
        columns = np.asarray(table[name], dtype=float).reshape(len(table.time), -1).T
        if len(columns) != len(numbers):
            raise InputError(f"data: '{name}' has {len(numbers)} numbers, but {len(columns)} columns.")
        found += [_Series(number, table.time, column) for number, column in zip(numbers, columns, strict=True)]
    return found


def _merged(measured: list[_Series]) -> tuple[np.ndarray, list[NamedNumber], np.ndarray]:
    """All times, all numbers, and their values. If a time occurs twice in a table, as at an event, its first row counts."""
    by_name = {each.number.name: each.number for each in measured}
    numbers = list(by_name.values())
    time = np.unique(np.concatenate([np.zeros(0), *(each.time for each in measured)]))
    values = np.full((len(time), len(numbers)), nan)
    for each in reversed(measured):
        times, first = np.unique(each.time, return_index=True)
        rows, found = np.searchsorted(time, times), each.values[first]
        has_value = np.isfinite(found)
        values[rows[has_value], list(by_name).index(each.number.name)] = found[has_value]
    return time, numbers, values


def _table(data: Data, columns: Mapping[str, str] | None) -> Table:
    if isinstance(data, Results):
        data = data.table()
    elif isinstance(data, (str, PathLike)):
        data = _read_csv(data)
    elif not isinstance(data, Table):
        raise InputError(f"data takes a Table, Results, or the path of a CSV file, not {described(data)}.")
    if columns is not None:
        data = Table(data.time, {name: data[column] for column, name in columns.items() if column in data})
        if not data.columns:
            raise InputError(f"data has none of the columns {', '.join(map(repr, columns))}.")
    for name, values in data.columns.items():
        if values.dtype == object:
            raise InputError(f"data: the column '{name}' contains text that is not a number.")
    if not np.isfinite(data.time).all():
        raise InputError("data: the times must be finite.")
    return data


def _read_csv(path: str | PathLike[str]) -> Table:
    """A table with NaN for empty cells. Raises InputError, with the line, for a file that is not such a table."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        lines = TextLines(path, file)
        dialect, table_lines = CsvDialect.of(lines)
        reader = csv.reader(table_lines, delimiter=dialect.separator, skipinitialspace=True)
        names = [name.strip() for name in next((row for row in reader if row), [])]
        if not names or names[0].lower() != "time" or len(set(names)) != len(names) or len(names) < 2:
            raise InputError(f"{fspath(path)}: the first line must contain 'time', then the names of the other columns without repetition.")
        rows = []
        for row in reader:
            if not any(cell.strip() for cell in row):
                continue
            if lines.drops(row, reader.line_num):
                continue
            if len(row) != len(names):
                raise InputError(f"{fspath(path)}, line {reader.line_num}: {len(row)} cells, but the header has {len(names)} names.")
            place = f"{fspath(path)}, line {reader.line_num}, column"
            rows.append([_number(dialect.number(cell.strip()), f"{place} '{name}'") for name, cell in zip(names, row, strict=True)])
            if not isfinite(rows[-1][0]):
                raise InputError(f"{fspath(path)}, line {reader.line_num}: give a finite time.")
    if not rows:
        raise InputError(f"{fspath(path)}: it has no row of values.")
    columns = np.array(rows).T
    return Table(columns[0], dict(zip(names[1:], columns[1:], strict=True)))


def _number(cell: str, place: str) -> float:
    try:
        return float(cell) if cell else nan
    except ValueError:
        raise InputError(f"{place}: {cell!r} is not a number. Leave the cell empty where there is no value.") from None
