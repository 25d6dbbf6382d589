"""Standard Input Data of flexible bodies (SID): a text with Taylor series of shapes, inertia and stiffness.

    6  4  Geo_Stiff= no         first line: numbers of nodes and of modes
    part
      new modal
        refmod                  mass, nelastq
        frame                   for each node: origin, phi, psi, AP
        mdCM J Ct Cr Me Ke De   series: order, nrow, ncol, nq, nqn, structure, then m0( row, column) = number

Numbers may be written as 1.5D+03. Of the series the constant terms are read, and those of first order, m1( row, column, mode), of J, Cr, Oe
and Ct; see sid_moments.py. structure: 0 zero, 1 diagonal, 2 symmetric, 3 general, 4 unit matrix.

Source: Wallrapp, Standardization of flexible body modeling in multibody system codes, Mechanics of Structures and Machines 22 (1994).
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

import numpy as np

from mobod.errors import ModelFileError

_NEXT = r"(?:\s*,\s*|\s+)"
_ENTRY = re.compile(rf"m0\s*\(\s*(\d+){_NEXT}(\d+)\s*\)\s*=\s*(\S+)")
_FIRST_ORDER = re.compile(rf"m1\s*\(\s*(\d+){_NEXT}(\d+){_NEXT}(\d+)\s*\)\s*=\s*(\S+)")
_PROPERTY = re.compile(r"(order|nrow|ncol|nq|nqn|structure)(?:\s*=)?\s*(-?\d+)\s*$")
_SERIES = {"mdCM", "J", "Ct", "Cr", "Me", "Gr", "Ge", "Oe", "ksigma", "Ke", "De", "origin", "phi", "psi", "AP", "sigma"}
_MOST = 2000  # rows or columns of a matrix, and modes
_DIGITS = 18  # of a whole number, with leading zeros; Python refuses to read thousands
ZERO, DIAGONAL, SYMMETRIC, GENERAL, UNIT = range(5)


@final
@dataclass
class Series:
    """The constant term of a Taylor series, and that of first order."""

    rows: int = 0
    columns: int = 0
    structure: int = GENERAL
    entries: dict[tuple[int, int], float] = field(default_factory=dict)
    first: dict[tuple[int, int, int], float] = field(default_factory=dict)

    def matrix(self) -> np.ndarray:
        """(rows, columns)"""
        m0 = np.zeros((self.rows, self.columns))
        if self.structure == UNIT:
            return np.eye(self.rows, self.columns)
        if self.structure == ZERO:
            return m0
        for (i, j), value in self.entries.items():
            m0[i, j] = value
            if self.structure == SYMMETRIC and (j, i) not in self.entries:
                m0[j, i] = value
        return m0


@final
@dataclass
class SidData:
    """mass: kg; n: modes; series by name; nodes: by number, their series by name"""

    path: Path
    mass: float = 0.0
    n: int = -1
    series: dict[str, Series] = field(default_factory=dict)
    nodes: dict[int, dict[str, Series]] = field(default_factory=dict)

    def matrix(self, name: str, shape: tuple[int, int], node: int | None = None, default: np.ndarray | None = None) -> np.ndarray:
        """The constant term of a series. Raises ModelFileError if it is missing without a default, or has another shape."""
        of_node = "" if node is None else f" of node {node}"
        found = (self.series if node is None else self.nodes[node]).get(name)
        if found is None:
            if default is None:
                raise ModelFileError(f"{self.path}: there is no '{name}'{of_node}.")
            return default
        if found.structure != ZERO and (found.rows, found.columns) != shape:
            raise ModelFileError(
                f"{self.path}: '{name}'{of_node} has {found.rows} rows and {found.columns} columns, not {shape[0]} and {shape[1]}."
            )
        return np.zeros(shape) if found.structure == ZERO else found.matrix()

    def first_order(self, name: str, shape: tuple[int, int]) -> np.ndarray | None:
        """(rows, columns, n) the term of first order; None if there is none. Raises ModelFileError for another shape."""
        found = self.series.get(name)
        if found is None or not found.first:
            return None
        if (found.rows, found.columns) != shape or max(k for _, _, k in found.first) >= self.n:
            raise ModelFileError(f"{self.path}: '{name}' has terms of first order that do not fit {shape[0]} rows, {shape[1]} columns.")
        m1 = np.zeros((*shape, self.n))
        for (i, j, k), value in found.first.items():
            m1[i, j, k] = value
            if found.structure == SYMMETRIC and (j, i, k) not in found.first:
                m1[j, i, k] = value
        return m1


def read_sid(path: Path) -> SidData:
    """Raises ModelFileError, with the line, for a text that is no SID."""
    try:
        lines = path.read_text(encoding="latin-1").splitlines()
    except OSError as error:
        raise ModelFileError(f"{path} cannot be read: {error.strerror}.") from None
    reader = _SidReader(SidData(path))
    for number, line in enumerate(lines[1:], start=2):
        reader.take(number, line.strip())
    data = reader.data
    if data.n < 0:
        raise ModelFileError(f"{path}: there is no 'nelastq' in 'refmod': it is no SID file.")
    return data


@final
class _SidReader:
    """Takes line after line; series: the one that is open, node: the one that is open."""

    def __init__(self, data: SidData) -> None:
        self.data = data
        self.series: Series | None = None
        self.node: int | None = None

    def take(self, number: int, line: str) -> None:
        first = line.split(maxsplit=1)[0] if line else ""
        if first == "end":
            name = line.split()[1] if len(line.split()) > 1 else ""
            self.series = None if name in _SERIES else self.series
            self.node = None if name == "node" else self.node
        elif self.series is not None:
            self._take_part(number, line)
        elif first == "new" and (found := re.match(r"new\s+node\s*=\s*(\d+)", line)):
            self.node = self._whole_node(number, found[1])
            if self.node in self.data.nodes:
                raise self._error(number, f"node {self.node} is there twice")
            self.data.nodes[self.node] = {}
        elif first in _SERIES:
            of = self.data.series if self.node is None else self.data.nodes[self.node]
            if first in of:
                raise self._error(number, f"'{first}' is there twice")
            self.series = of[first] = Series()
        elif found := re.match(r"mass\s*=\s*(\S+)", line):
            self.data.mass = self._number(number, found[1])
        elif found := re.match(r"nelastq\s*=\s*(\d+)", line):
            self.data.n = self._whole(number, found[1])

    def _take_part(self, number: int, line: str) -> None:
        assert self.series is not None
        if found := _ENTRY.match(line):
            i, j = (self._whole(number, found[part]) - 1 for part in (1, 2))
            if not (0 <= i < self.series.rows and 0 <= j < self.series.columns):
                raise self._error(
                    number, f"the entry ({i + 1}, {j + 1}) is not in a matrix of {self.series.rows} rows, {self.series.columns} columns"
                )
            self.series.entries[i, j] = self._number(number, found[3])
        elif found := _FIRST_ORDER.match(line):
            i, j, k = (self._whole(number, found[part]) - 1 for part in (1, 2, 3))
            if not (0 <= i < self.series.rows and 0 <= j < self.series.columns and 0 <= k < _MOST):
                raise self._error(number, f"the entry ({i + 1}, {j + 1}, {k + 1}) is not in a matrix of {self.series.rows} rows")
            self.series.first[i, j, k] = self._number(number, found[4])
        elif found := _PROPERTY.match(line):
            value = self._whole(number, found[2])
            if found[1] == "structure" and value > UNIT:
                raise self._error(number, f"structure is {value}; it is 0 to 4")
            name = {"nrow": "rows", "ncol": "columns", "structure": "structure"}.get(found[1])
            if name is not None:
                setattr(self.series, name, value)

    def _number(self, number: int, text: str) -> float:
        try:
            value = float(re.sub("[dD]", "e", text))
        except ValueError:
            raise self._error(number, f"'{text}' is no number") from None
        if not np.isfinite(value):
            raise self._error(number, f"'{text}' is not finite")
        return value

    def _whole(self, number: int, text: str) -> int:
        if len(text) > _DIGITS or not 0 <= int(text) <= _MOST:
            raise self._error(number, f"{text[:20]} is not from 0 to {_MOST}")
        return int(text)

    def _whole_node(self, number: int, text: str) -> int:
        if len(text) > _DIGITS:
            raise self._error(number, f"{text[:20]}... is no number of a node")
        return int(text)

    def _error(self, number: int, what: str) -> ModelFileError:
        return ModelFileError(f"{self.data.path}, line {number}: {what}.")
