"""Points of a curve in a CSV file."""

import re
from collections.abc import Sequence
from os import PathLike, fspath

import numpy as np

from mobod.errors import InputError, UnknownNameError

_SEPARATORS = (";", "\t", ",")  # in this order: with ; the comma may be the decimal sign


def read_points(path: str | PathLike[str], x: str | None, y: str | None) -> tuple[np.ndarray, np.ndarray]:
    """Two columns of numbers, by name; default: the first two. See Spline.from_csv.

    returns  (n,), (n,)
    raises   InputError, UnknownNameError, FileNotFoundError
    """
    where = fspath(path)
    try:
        with open(path, encoding="utf-8-sig") as file:
            lines = [(number, line.strip()) for number, line in enumerate(file, start=1)]
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: not a text file in UTF-8: {error}.") from None
    lines = [(number, line) for number, line in lines if line and not line.startswith("#")]
    if not lines:
        raise InputError(f"{where}: it has no lines with numbers.")
    separator = next((each for each in _SEPARATORS if each in lines[0][1]), None)
    rows = [(number, [cell.strip().strip('"') for cell in line.split(separator)]) for number, line in lines]
    names: list[str] = []
    if not all(_is_number(cell) for cell in rows[0][1]):
        names, rows = rows[0][1], rows[1:]
    width = len(names) if names else len(rows[0][1])
    columns = [_column(where, names, width, name, default) for name, default in ((x, 0), (y, 1))]
    values = np.array([_numbers(where, number, cells, width, columns) for number, cells in rows]).reshape(-1, 2)
    return values[:, 0], values[:, 1]


def _column(where: str, names: Sequence[str], width: int, name: str | None, default: int) -> int:
    if name is None:
        if width <= default:
            raise InputError(f"{where}: it has {width} column. A table of points needs two, of x and of y.")
        return default
    if not names:
        raise InputError(f"{where}: column '{name}' was asked for, but the first line has numbers, not names. Leave out the names.")
    UnknownNameError.check(f"column of {where}", name, names)
    return names.index(name)


def _numbers(where: str, line: int, cells: Sequence[str], width: int, columns: Sequence[int]) -> list[float]:
    if len(cells) != width:
        raise InputError(f"{where}, line {line}: {len(cells)} cells, but the first line has {width}.")
    for column in columns:
        if not _is_number(cells[column]):
            raise InputError(f"{where}, line {line}: '{cells[column]}' is not a number.")
    return [float(cells[column].replace(",", ".")) for column in columns]


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?", cell) is not None
