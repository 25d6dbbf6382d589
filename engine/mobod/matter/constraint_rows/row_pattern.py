"""RowPattern: which constraint rows influence each other, from the joints between their bodies and Ground.

A = E D^-1 E^T has an entry for two rows only if a joint is on the paths of both. So rows fall into parts without common joints, which are
solved one after another; and within a part, A has entries only where paths overlap, and its Cholesky factor where elimination adds some.

The pattern depends on bodies and constraints alone: disabled rows keep their places in it.
"""

# Decision: docs/decisions/179-parts.md

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

_LEAST_ROWS = 9  # of a part that is factored as a sparse matrix; fewer take less time as a dense one
_MOST_FILLED = 0.5  # part of the entries of Cholesky's factor that are not 0; more take less time as a dense matrix


class Overlap(NamedTuple):
    """The products of one block's rows with those of another: that of rows r and s is at `at` + r `down` + s `across` in A."""

    block: int
    at: int
    down: int
    across: int


class Entry(NamedTuple):
    """The products of two blocks of a part as a block of the matrix that is factored: (row, column) in the order of elimination.

    at       in the factor
    overlap  in A
    """

    row: int
    column: int
    at: int
    overlap: Overlap


@dataclass(frozen=True)
class FactorColumn:
    """A column of a sparse Cholesky factor, of the n rows of a block.

    at     of its diagonal block (n, n)
    after  (number in the order of elimination, place of the block (n of it, n)) of each later block with an entry in this column
    pairs  for each of `after`, and each of `after` up to itself: the place of their block
    """

    n: int
    at: int
    after: tuple[tuple[int, int], ...]
    pairs: tuple[int, ...]


@dataclass(frozen=True)
class Elimination:
    """The pattern of the Cholesky factor of a part.

    order    numbers of the blocks; those of contacts are not among them
    columns  in this order
    entries  of the matrix
    size     how many numbers the factor has
    """

    order: tuple[int, ...]
    columns: tuple[FactorColumn, ...]
    entries: tuple[Entry, ...]
    size: int

    @property
    def tallest(self) -> int:
        """The largest number of entries of a column below its diagonal block."""
        return max(column.n * sum(self.columns[k].n for k, _ in column.after) for column in self.columns)


@dataclass(frozen=True)
class RowPart:
    """Rows that may influence each other.

    blocks       numbers, ascending
    n_rows       of these blocks
    bodies       whose speeds they act on
    elimination  None: the part is factored as a dense matrix
    """

    blocks: tuple[int, ...]
    n_rows: int
    bodies: tuple[int, ...]
    elimination: Elimination | None


@dataclass(frozen=True)
class RowPattern:
    """Parts, and for each block its overlaps (n, 4) by the number of the other block: as of Overlap; one of them is with itself.

    size  how many numbers A has

    Where some blocks choose their bodies there are no lists of overlaps: A is (n_rows, n_rows), of which the lower half is used.
    """

    overlaps: tuple[np.ndarray, ...] | None
    parts: tuple[RowPart, ...]
    size: int
    n_blocks: int


class TouchedRows(NamedTuple):
    """The number of rows of a block, the bodies that they act on, and whether they are those of a contact; whether the runtime chooses
    the bodies, among these.
    """

    n: int
    bodies: tuple[int, ...]
    is_contact: bool
    chooses: bool = False


@lru_cache(maxsize=4)  # asked for when a State is laid out, and again for its tables
def row_pattern(blocks: tuple[TouchedRows, ...], parents: tuple[int, ...], nu: tuple[int, ...]) -> RowPattern:
    """The pattern of the rows of blocks.

    parents, nu  of all bodies by their numbers; Ground is 0, and its own parent
    """
    if any(block.chooses for block in blocks):
        bodies = sorted({body for block in blocks for body in _path(block.bodies, parents) if nu[body]})
        n_rows = sum(block.n for block in blocks)
        whole = RowPart(tuple(range(len(blocks))), n_rows, tuple(bodies), None)
        return RowPattern(None, (whole,), n_rows**2, len(blocks))
    on_body = [0] * len(parents)  # the blocks whose paths contain a body's joint, as bits
    paths = [_path(block.bodies, parents) for block in blocks]
    for i, path in enumerate(paths):
        for body in path:
            on_body[body] |= 1 << i
    near = []
    for i, path in enumerate(paths):
        others = 1 << i
        for body in path:
            others |= on_body[body] if nu[body] else 0
        near.append(others)
    sizes = [block.n for block in blocks]
    overlaps, size = _overlaps(np.array(sizes, dtype=np.intp), near)
    parts = []
    of_contacts = sum(1 << i for i, block in enumerate(blocks) if block.is_contact)
    for of_part in _connected(near):
        numbers = tuple(_bits(of_part))
        bodies = sorted({body for i in numbers for body in paths[i] if nu[body]})
        elimination = _elimination(of_part & ~of_contacts, sizes, near, overlaps)
        parts.append(RowPart(numbers, sum(sizes[i] for i in numbers), tuple(bodies), elimination))
    return RowPattern(overlaps, tuple(parts), size, len(blocks))


def _path(bodies: Sequence[int], parents: Sequence[int]) -> set[int]:
    """The bodies between these and Ground, without Ground."""
    found: set[int] = set()
    for each in bodies:
        body = each
        while body and body not in found:
            found.add(body)
            body = parents[body]
    return found


def _overlaps(sizes: np.ndarray, near: Sequence[int]) -> tuple[tuple[np.ndarray, ...], int]:
    """Of each block; and the number of entries of A. The rows of a block have their products with earlier blocks, then their own, in lines
    one after another.
    """
    if not near:
        return (), 0
    each = [_numbers(others & ((2 << i) - 1), len(near)) for i, others in enumerate(near)]
    counts = np.array([len(others) for others in each])
    row, other = np.repeat(np.arange(len(near)), counts), np.concatenate(each)
    before_line = np.cumsum(sizes[other]) - sizes[other]  # the products of all blocks, one line of each
    first = np.cumsum(counts) - counts
    width = np.add.reduceat(sizes[other], first)
    start = np.cumsum(sizes * width) - sizes * width
    at = start[row] + before_line - before_line[first][row]
    one = np.ones_like(at)
    pairs = np.stack([row, other, at, width[row], one], axis=1)
    transposed = np.stack([other, row, at, one, width[row]], axis=1)[row != other]
    found = np.concatenate([pairs, transposed])
    found = found[np.lexsort((found[:, 1], found[:, 0]))]
    ends = np.cumsum(np.bincount(found[:, 0], minlength=len(near)))
    return tuple(np.split(found[:, 1:], ends[:-1])), int((sizes * width).sum())


def _numbers(bits: int, n: int) -> np.ndarray:
    """The numbers of the bits that are set, ascending, of n bits."""
    of_bytes = np.frombuffer(bits.to_bytes((n + 7) // 8, "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(of_bytes, bitorder="little"))


def _connected(near: Sequence[int]) -> Iterator[int]:
    """The parts, as bits, by their first block."""
    left = (1 << len(near)) - 1
    while left:
        part, new = 0, left & -left
        while new:
            part |= new
            reached = 0
            for i in _bits(new):
                reached |= near[i]
            new = reached & ~part
        yield part
        left &= ~part


def _elimination(blocks: int, sizes: Sequence[int], near: Sequence[int], overlaps: Sequence[np.ndarray]) -> Elimination | None:
    """Of the blocks of a part, as bits. Contacts are left out: a few of many may be active, in any combination."""
    n_rows = sum(sizes[i] for i in _bits(blocks))
    if n_rows < _LEAST_ROWS:
        return None
    steps = _least_degrees(blocks, sizes, near, most=_MOST_FILLED * n_rows * (n_rows + 1) / 2)
    if steps is None:
        return None
    order = [i for i, _ in steps]
    place = {i: k for k, i in enumerate(order)}
    at: dict[tuple[int, int], int] = {}
    afters, size = [], 0
    for k, (i, later) in enumerate(steps):
        after = sorted(place[j] for j in _bits(later))
        for row in (k, *after):
            at[row, k] = size
            size += sizes[order[row]] * sizes[i]
        afters.append(after)
    columns = tuple(
        FactorColumn(
            sizes[order[k]],
            at[k, k],
            tuple((row, at[row, k]) for row in after),
            tuple(at[a, b] for a in after for b in after if b <= a),
        )
        for k, after in enumerate(afters)
    )
    entries = tuple(
        Entry(place[i], place[overlap.block], at[place[i], place[overlap.block]], overlap)
        for i in order
        for overlap in (Overlap(*line) for line in overlaps[i].tolist())
        if place.get(overlap.block, len(order)) <= place[i]
    )
    return Elimination(tuple(order), columns, entries, size)


def _least_degrees(blocks: int, sizes: Sequence[int], near: Sequence[int], most: float) -> list[tuple[int, int]] | None:
    """The blocks in the order of elimination, each with the later ones in its column, as bits: next is always the one with the fewest rows
    in its column. None: the factor has more than `most` entries.
    """
    left = {i: near[i] & blocks & ~(1 << i) for i in _bits(blocks)}
    degrees = {i: sum(sizes[k] for k in _bits(others)) for i, others in left.items()}
    if sum(sizes[i] * degrees[i] for i in left) / 2 > most:  # of the matrix itself
        return None
    steps, filled = [], 0.0
    while left:
        i = min(degrees, key=lambda k: (degrees[k], k))
        column = left.pop(i)
        filled += sizes[i] * (degrees.pop(i) + (sizes[i] + 1) / 2)
        if filled > most:
            return None
        steps.append((i, column))
        for k in _bits(column):
            left[k] = (left[k] | column) & ~(1 << i | 1 << k)
            degrees[k] = sum(sizes[j] for j in _bits(left[k]))
    return steps


def _bits(numbers: int) -> Iterator[int]:
    """The numbers of the bits that are set, ascending."""
    while numbers:
        lowest = numbers & -numbers
        yield lowest.bit_length() - 1
        numbers ^= lowest
