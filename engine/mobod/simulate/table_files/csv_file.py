"""Tables as CSV files."""

import csv
from collections.abc import Sequence
from os import PathLike

import numpy as np

from mobod.disk.whole_file import whole_file
from mobod.errors import InputError
from mobod.simulate.column import Column
from mobod.simulate.table_files.csv_dialect import CsvDialect
from mobod.simulate.table_files.text_lines import TextLines


def write_csv(path: str | PathLike[str], time: np.ndarray, columns: Sequence[Column]) -> None:
    """Write flat columns, so that `float(text)` gives the same number, bit for bit; a boolean is 1 or 0. Raises WriteError."""
    with whole_file(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")  # writes a float as its repr
        writer.writerow(["time", *(column.name for column in columns)])
        writer.writerows(zip(time.tolist(), *csv_cells(columns), strict=True))


def csv_cells(columns: Sequence[Column]) -> list[list[object]]:
    """The cells of each column."""
    return [(each.values.astype(int) if each.values.dtype == bool else each.values).tolist() for each in columns]


def read_csv(path: str | PathLike[str]) -> tuple[np.ndarray, list[Column]]:
    """Time and columns. Warns of a last row without a line end (see TextLines).

    Raises InputError, with the line number, for a file that is not a table.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            lines = TextLines(path, file)
            dialect, table_lines = CsvDialect.of(lines)
            reader = csv.reader(table_lines, delimiter=dialect.separator)
            names = next((row for row in reader if row), [])
            if names[:1] != ["time"] or len(set(names)) != len(names):
                raise InputError(f"{path}: the first line must contain 'time', then the names of the other columns without repetition.")
            rows = []
            for row in reader:
                if not row:  # a comment, such as how an unfinished run ended
                    continue
                if lines.drops(row, reader.line_num):
                    continue
                if len(row) != len(names):
                    raise InputError(f"{path}, line {reader.line_num}: {len(row)} cells, but the header has {len(names)} names.")
                rows.append(row)
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not a CSV file in UTF-8: {error}.") from None
    time, *columns = (Column(name, _numbers([dialect.number(row[k]) for row in rows])) for k, name in enumerate(names))
    if time.is_text:
        raise InputError(f"{path}: the column 'time' contains text that is not a number.")
    return time.values, columns


def _numbers(cells: list[str]) -> np.ndarray:
    try:
        return np.array([float(cell) for cell in cells], dtype=float)
    except ValueError:
        return np.array(cells, dtype=object)
