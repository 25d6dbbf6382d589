"""InputTable: values of inputs over time, read from a CSV file."""

import csv
import math
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import final

import numpy as np

from mobod.errors import InputError
from mobod.simulate.table_files.csv_dialect import CsvDialect
from mobod.simulate.table_files.text_lines import TextLines


@final
@dataclass(frozen=True)
class InputTable:
    """A table of texts over time.

    path
    time     (m,)  s   increasing; a time may occur twice, where values jump
    columns            texts by name
    lines              number of each row's line in the file
    dialect            how the file is written
    """

    path: Path
    time: np.ndarray
    columns: dict[str, list[str]]
    lines: list[int]
    dialect: CsvDialect

    def place(self, row: int, name: str) -> str:
        """A cell for a message."""
        return f"{self.path}, line {self.lines[row]}, column '{name}'"


def read_input_table(path: str | PathLike[str]) -> InputTable:
    """Read a CSV file: names in the first line, with or without quotes; time in the first column; commas, semicolons or tabs between cells.
    Lines that begin with '#' are left out. Warns of a last row without a line end (see TextLines).

    Raises InputError, with the line, for a file that is not such a table.
    """
    path = Path(path)
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            text = TextLines(path, file)
            dialect, table_lines = CsvDialect.of(text)
            reader = csv.reader(table_lines, delimiter=dialect.separator, skipinitialspace=True, strict=True)
            names = [name.strip() for name in next((row for row in reader if row), [])]
            _check_names(path, names)
            rows, lines = [], []
            for row in reader:
                if not any(cell.strip() for cell in row):
                    continue  # an empty line
                if text.drops(row, reader.line_num):
                    continue
                if len(row) != len(names):
                    raise InputError(f"{path}, line {reader.line_num}: {len(row)} cells, but the first line has {len(names)} names.")
                rows.append([cell.strip() for cell in row])
                lines.append(reader.line_num)
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not a CSV file in UTF-8: {error}.") from None
    for row, line in zip(rows, lines, strict=True):
        for name, cell in zip(names, row, strict=True):
            if not cell:
                raise InputError(f"{path}, line {line}: the cell of '{name}' is empty. Give a value in each row.")
    if not rows:
        raise InputError(f"{path}: it has no row of values.")
    time = np.array([_time(path, line, dialect.number(row[0])) for row, line in zip(rows, lines, strict=True)])
    for k in range(1, len(time)):
        if time[k] < time[k - 1]:
            raise InputError(f"{path}, line {lines[k]}: time {time[k]:.12g} s is before {time[k - 1]:.12g} s in the row above.")
        if k > 1 and time[k] == time[k - 2]:
            raise InputError(f"{path}, line {lines[k]}: time {time[k]:.12g} s occurs three times. Twice is enough for a jump.")
    return InputTable(path, time, {name: [row[k] for row in rows] for k, name in enumerate(names) if k > 0}, lines, dialect)


def _check_names(path: Path, names: list[str]) -> None:
    if not names or names[0].lower() != "time":
        found = f"'{names[0]}'" if names else "nothing"
        raise InputError(f"{path}: the first line must begin with time, then the names of the inputs, but it begins with {found}.")
    if len(names) == 1:
        raise InputError(f"{path}: it has a column for time, but none for an input.")
    for name in names:
        if not name or names.count(name) > 1:
            what = "a column without a name" if not name else f"two columns named '{name}'"
            raise InputError(f"{path}: the first line has {what}.")


def _time(path: Path, line: int, cell: str) -> float:
    try:
        time = float(cell)
    except ValueError:
        time = math.nan
    if not math.isfinite(time):
        raise InputError(f"{path}, line {line}: time is {cell!r}. Give a finite number of seconds.")
    return time
