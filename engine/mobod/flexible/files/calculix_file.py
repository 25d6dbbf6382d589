"""Matrices that CalculiX writes by *FREQUENCY, SOLVER=MATRIXSTORAGE, with the nodes and sets of its input deck.

    bar.sti, bar.mas   an entry a line, of one triangle: row and column, from 1 on, and the number
    bar.dof            a freedom a line, in the order of the rows: node.direction
    bar.inp            the deck: *NODE, *NSET

Source: Dhondt, CalculiX CrunchiX User's Manual, version 2.20, sections *FREQUENCY, *NODE, *NSET.
"""

from pathlib import Path

import numpy as np

from mobod.errors import ModelFileError, UnsupportedError
from mobod.flexible.files.numbered_matrices import NumberedMatrices, arranged

_MOST = 10**7  # freedoms


def read_calculix(path: Path) -> NumberedMatrices:
    """path: bar.sti, beside which the other files are. Raises ModelFileError; UnsupportedError for decks with local axes."""
    freedoms = _freedoms(path.with_suffix(".dof"))
    entries = {"K": _entries(path, len(freedoms)), "M": _entries(path.with_suffix(".mas"), len(freedoms))}
    positions, sets = _deck(path.with_suffix(".inp"))
    M, K, numbers, _ = arranged(path, freedoms, entries, 3)
    return NumberedMatrices(path, M, K, numbers, positions, sets)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="latin-1")
    except OSError as error:
        raise ModelFileError(f"{path} cannot be read: {error.strerror}. CalculiX's .sti, .mas, .dof and .inp must lie together.") from None


def _freedoms(path: Path) -> list[tuple[int, int]]:
    found = []
    for number, line in enumerate(_text(path).split(), start=1):
        node, _, direction = line.partition(".")
        if not (node.isdecimal() and direction in ("1", "2", "3")):
            raise ModelFileError(f"{path}, line {number}: '{line}' is no node.direction with a direction from 1 to 3.")
        found.append((int(node), int(direction)))
    if not 0 < len(found) <= _MOST:
        raise ModelFileError(f"{path}: it has {len(found)} freedoms.")
    return found


def _entries(path: Path, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    try:
        numbers = np.array(_text(path).split(), dtype=float)
    except ValueError as error:
        raise ModelFileError(f"{path}: it has a text where a number belongs: {error}.") from None
    if numbers.size % 3 or not np.isfinite(numbers).all():
        raise ModelFileError(f"{path}: it has no row, column and finite number for each entry.")
    i, j, values = numbers.reshape(-1, 3).T
    if i.size and not ((i == np.round(i)) & (j == np.round(j)) & (i >= 1) & (j >= 1) & (i <= n) & (j <= n)).all():
        raise ModelFileError(f"{path}: an entry is not in a matrix of {n} rows, those of its .dof file.")
    return i.astype(int) - 1, j.astype(int) - 1, values


def _deck(path: Path) -> tuple[dict[int, np.ndarray], dict[str, list[int]]]:
    """(positions of nodes, sets of nodes by name in lower case)"""
    positions: dict[int, np.ndarray] = {}
    sets: dict[str, list[int]] = {}
    card, options = "", dict[str, str]()
    for line_number, line in enumerate(_text(path).splitlines(), start=1):
        if not line.strip() or line.startswith("**"):
            continue
        parts = [part.strip() for part in line.split(",")]
        try:
            if line.startswith("*"):
                card, options = parts[0].lower(), dict(_option(part) for part in parts[1:])
                if card in ("*transform", "*include"):
                    raise UnsupportedError(f"{path}, line {line_number}: {card.upper()} is not read. Write the deck without it.")
            elif card == "*node":
                positions[int(parts[0])] = np.array([float(part or 0) for part in [*parts[1:4], *["0"] * (4 - len(parts))]])
                if "nset" in options:
                    sets.setdefault(options["nset"], []).append(int(parts[0]))
            elif card == "*nset":
                sets.setdefault(options.get("nset", ""), []).extend(_members(parts, sets, generate="generate" in options))
        except (ValueError, KeyError):
            raise ModelFileError(f"{path}, line {line_number}: '{line.strip()[:80]}' does not belong to {card.upper()}.") from None
    return positions, sets


def _option(part: str) -> tuple[str, str]:
    name, _, value = part.partition("=")
    return name.strip().lower(), value.strip().lower()


def _members(parts: list[str], sets: dict[str, list[int]], *, generate: bool) -> list[int]:
    given = [part for part in parts if part]
    if generate:
        first, last, *step = (int(part) for part in given)
        if last - first > _MOST:
            raise ValueError
        return list(range(first, last + 1, *step))
    return [number for part in given for number in ([int(part)] if part.isdecimal() else sets[part.lower()])]
