"""Selects the operations of a recording that become one instruction: trees of sums and products are cut into the interpreter's shapes.

An addition, subtraction, multiplication or negation whose result is used only once, by another of these, is an inner node of a tree. Trees
are cut into as few shapes as possible. The association stays as recorded. The operands of an addition or a multiplication may be
exchanged, which changes no bit of a number (the sign and payload of a NaN may change).
"""

from collections.abc import Callable, Container, Sequence
from typing import Protocol

from mobod.scalar.operations import LEAVES
from mobod.scalar.recording import Recording

SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "negative": "-"}
LEAF = 0  # the number of the shape that is a single leaf

# operation, shape of its first operand, shape of its second (LEAF if there is none)
Growth = tuple[str, int, int]
# -> the number of the combined shape, and whether its operands are exchanged; None if no shape contains it
Grow = Callable[[Growth], tuple[int, bool] | None]


class ShapeTable:
    """Shapes and their parts by number.

    texts     number -> text: "x" is a leaf, "((x*x)+x)" adds a leaf to a product of two, "(-x)" negates a leaf
    complete  numbers of the shapes that are instructions; others are only parts of these
    grow      see Grow
    """

    def __init__(self, shapes: Sequence[str]):
        self.texts = ["x"]
        self._numbers = {"x": LEAF}
        self._grown: dict[Growth, tuple[int, bool]] = {}
        self.complete = frozenset([self._add(shape) for shape in shapes])
        self.grow: Grow = self._grown.get

    def _add(self, shape: str) -> int:
        """The number of a shape. A new shape is added with its parts."""
        known = self._numbers.get(shape)
        if known is not None:
            return known
        operation, parts = split(shape)
        numbers = [self._add(part) for part in parts]
        left, right = numbers if len(numbers) == 2 else (numbers[0], LEAF)
        number = self._numbers[shape] = len(self.texts)
        self.texts.append(shape)
        if operation in ("add", "multiply"):
            self._grown[operation, right, left] = (number, True)
        self._grown[operation, left, right] = (number, False)
        return number


def split(shape: str) -> tuple[str, list[str]]:
    """The operation of a shape that is not a leaf, and the shapes of its operands."""
    if shape[1] == "-":
        return "negative", [shape[2:-1]]
    end = depth = 0
    while not end or depth:
        end += 1
        depth += (shape[end] == "(") - (shape[end] == ")")
    operation = {"+": "add", "-": "subtract", "*": "multiply"}[shape[end + 1]]
    return operation, [shape[1 : end + 1], shape[end + 2 : -1]]


class Shapes(Protocol):
    """The interface of shapes into which trees of operations are cut; implemented by ShapeTable."""

    @property
    def complete(self) -> Container[int]: ...

    @property
    def grow(self) -> Grow: ...


# one instruction for a tree or a part of it: the number of its shape, and the tape numbers of its leaves
Tile = tuple[int, tuple[int, ...]]


def tiles_of(recording: Recording, stored: Container[int], shapes: Shapes) -> dict[int, Tile]:
    """The instructions for sums and products of a recording: tape number -> tile, in order.

    stored  tape numbers of the results
    """
    entries = recording.tape.entries
    n_uses: dict[int, int] = {}
    elsewhere: set[int] = set()  # used by other operations
    for number in recording.needed:
        operation, operands = entries[number]
        if operation not in LEAVES:
            for operand in operands:
                n_uses[operand] = n_uses.get(operand, 0) + 1
            if operation not in SIGNS:
                elsewhere.update(operands)

    best = _BestTiles(shapes)
    for number in recording.needed:
        operation, operands = entries[number]
        if operation in SIGNS:
            best.add(number, operation, operands, is_inner=n_uses.get(number) == 1 and number not in stored)

    # from the results back to their operands
    used: dict[int, Tile] = {}
    leaves: set[int] = set()
    for number, tile in reversed(best.tiles.items()):
        if number in stored or number in elsewhere or number in leaves:
            used[number] = tile
            leaves.update(tile[1])
    return dict(reversed(used.items()))


# ways to compute an entry: shape -> (number of instructions for those leaves that are trees, leaves)
_Parts = dict[int, tuple[int, tuple[int, ...]]]


class _BestTiles:
    """Finds for each entry the tile with which its tree needs the fewest instructions."""

    def __init__(self, shapes: Shapes):
        self.tiles: dict[int, Tile] = {}
        self._complete = shapes.complete
        self._grow = shapes.grow
        self._parts: dict[int, _Parts] = {}  # of inner nodes of trees

    def add(self, number: int, operation: str, operands: tuple[int, ...], *, is_inner: bool) -> None:
        """Find the tile of an entry, whose operands were added before. is_inner: whether a tree may contain it."""
        grow = self._grow
        grown: _Parts = {}
        lefts, rights = self._parts_of(operands[0]), self._parts_of(operands[1]) if len(operands) == 2 else {LEAF: (0, ())}
        for one, (one_cost, one_leaves) in lefts.items():
            for other, (other_cost, other_leaves) in rights.items():
                found = grow((operation, one, other))
                if found is None:
                    continue
                shape, is_exchanged = found
                cost = one_cost + other_cost
                if shape not in grown or cost < grown[shape][0]:
                    grown[shape] = (cost, other_leaves + one_leaves if is_exchanged else one_leaves + other_leaves)
        cost, shape = min((cost, shape) for shape, (cost, _) in grown.items() if shape in self._complete)
        self.tiles[number] = (shape, grown[shape][1])
        if is_inner:
            self._parts[number] = {**grown, LEAF: (cost + 1, (number,))}

    def _parts_of(self, number: int) -> _Parts:
        return self._parts.get(number) or {LEAF: (0, (number,))}
