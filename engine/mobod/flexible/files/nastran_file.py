"""Matrices of Nastran as text: DMIG cards of a punch file, and GRID cards.

    DMIG    KAAX           0       6       2       0                       9      name, 0, form
    DMIG*   KAAX                           1               1                      column: node and direction; then its entries:
    *                      1               1 1.234500000D+05                      node, direction, number

Fields have 8 characters, 16 after a name with *, or commas between them. Directions are 1 to 6; 0 is a scalar point, a mode. Of symmetric
matrices (form 6) one triangle is there. GRID cards are in the same file, or in a .bdf, .dat or .asm of the same name beside it.

Source: MSC Nastran Quick Reference Guide, entries DMIG and GRID.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mobod.errors import ModelFileError, UnsupportedError
from mobod.flexible.files.numbered_matrices import NumberedMatrices, arranged

_BESIDE = (".bdf", ".dat", ".asm")
_EXPONENT = re.compile(r"(?<=[\d.])([+-]\d+)$")
_OTHERS = ("K4", "MU")  # structural damping, recovery of displacements
_KINDS = {"K": "stiffness", "M": "mass"}
Freedom = tuple[int, int]


def read_nastran(path: Path) -> NumberedMatrices:
    """Raises ModelFileError, which names the file and the card; UnsupportedError for other axes than the basic ones."""
    entries: dict[str, dict[tuple[Freedom, Freedom], float]] = {}
    positions: dict[int, np.ndarray] = {}
    for card in _cards(path):
        _take(path, card, entries, positions)
    for suffix in _BESIDE:
        other = path.with_suffix(suffix)
        if not positions and other != path and other.is_file():
            for card in _cards(other):
                if card[0] == "GRID":
                    _take(other, card, entries, positions)
    chosen = {kind: _only(path, kind, entries) for kind in _KINDS}
    freedoms = sorted({freedom for each in chosen.values() for pair in each for freedom in pair})
    turned = {freedom for freedom in freedoms if freedom[1] > 3}
    has_turns = any(abs(value) > 0 for each in chosen.values() for pair, value in each.items() if turned & set(pair))
    if not has_turns:  # of solids: rows of zeros
        freedoms = [freedom for freedom in freedoms if freedom[1] <= 3]
    at = {freedom: k for k, freedom in enumerate(freedoms)}
    arrays = {}
    for kind, each in chosen.items():
        used = [(at[i], at[j], value) for (i, j), value in each.items() if i in at and j in at]
        if not used:
            raise ModelFileError(f"{path}: the {_KINDS[kind]} has no entry in directions 0 to 3 that is not zero.")
        rows, columns, values = (np.array(part) for part in zip(*used, strict=True))
        arrays[kind] = (rows, columns, values)
    M, K, numbers, n_modes = arranged(path, freedoms, arrays, 6 if has_turns else 3)
    return NumberedMatrices(path, M, K, numbers, positions, {}, n_modes)


def _only(path: Path, kind: str, entries: dict[str, dict[tuple[Freedom, Freedom], float]]) -> dict[tuple[Freedom, Freedom], float]:
    names = [name for name in entries if name.startswith(kind) and not name.startswith(_OTHERS)]
    if len(names) != 1 or not entries[names[0]]:
        found = ", ".join(map(repr, entries)) or "none"
        raise ModelFileError(f"{path}: one DMIG matrix whose name begins with {kind}, the {_KINDS[kind]}, is needed. It has {found}.")
    return entries[names[0]]


def _take(path: Path, card: list[str], entries: dict[str, dict[tuple[Freedom, Freedom], float]], positions: dict[int, np.ndarray]) -> None:
    try:
        if card[0] == "GRID":
            number, system, *p, displacements = (card + [""] * 8)[1:7]
            if (system or "0") != "0" or (displacements or "0") != "0":
                raise UnsupportedError(f"{path}: GRID {number} is in other axes than the basic ones. Write it in these.")
            positions[int(number)] = np.array([_number(each or "0") for each in p])
        elif card[0] == "DMIG" and card[2] == "0":
            if int(card[3]) not in (1, 6) or int(card[4]) not in (1, 2):
                raise UnsupportedError(f"{path}: DMIG {card[1]} is no real, square matrix.")
            entries[card[1]] = {}
        elif card[0] == "DMIG":
            column = (int(card[2]), _direction(card[3]))
            for k in range(5, len(card), 4):
                if card[k]:
                    entries[card[1]][(int(card[k]), _direction(card[k + 1])), column] = _number(card[k + 2])
    except (ValueError, KeyError, IndexError):
        raise ModelFileError(f"{path}: the card {' '.join(card)[:100]!r} cannot be read.") from None


def _direction(text: str) -> int:
    found = int(text or "0")
    if not 0 <= found <= 6:
        raise ValueError
    return found


def _number(text: str) -> float:
    found = float(_EXPONENT.sub(r"e\1", re.sub("[dD]", "e", text)))
    if not np.isfinite(found):
        raise ValueError
    return found


def _cards(path: Path) -> Iterator[list[str]]:
    """DMIG and GRID cards: name, then the fields of all their lines, each line with 4 or 8 of them."""
    try:
        lines = path.read_text(encoding="latin-1").splitlines()
    except OSError as error:
        raise ModelFileError(f"{path} cannot be read: {error.strerror}.") from None
    card: list[str] = []
    for line in lines:
        if line.startswith("$") or not line.strip():
            continue
        line = line.split("$")[0].expandtabs(8)
        if "," in line:
            fields = [part.strip() for part in line.split(",")]
            is_wide = fields[0].endswith("*")
        else:
            is_wide = "*" in line[:8]
            fields = [line[:8].strip(), *(line[k : k + (16 if is_wide else 8)].strip() for k in range(8, 72, 16 if is_wide else 8))]
        width = 4 if is_wide else 8
        content = [*fields[1 : 1 + width], *[""] * (width - len(fields[1 : 1 + width]))]
        name = fields[0].rstrip("*").upper()
        if name[:1].isalpha():
            if card:
                yield card
            card = [name, *content] if name in ("DMIG", "GRID") else []
        elif card:
            card += content
    if card:
        yield card
