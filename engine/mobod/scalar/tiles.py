"""Selects the operations of a recording that become one instruction: trees of sums and products are cut into the interpreter's shapes.

An addition, subtraction, multiplication or negation whose result is used only once, by another of these, is an inner node of a tree. Trees
are cut into as few shapes as possible. The association stays as recorded. The operands of an addition or a multiplication may be
exchanged, which changes no bit of a number (the sign and payload of a NaN may change).
"""

# Decision: docs/decisions/007-instruction-is-a-tree.md

from collections.abc import Callable, Container, Sequence
from typing import NamedTuple, Protocol

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


class Tiling:
    """Cuts the trees of recordings into these shapes.

    Whether two parts fit together depends on their shapes alone, which recur in all trees: it is found once for all recordings.
    """

    def __init__(self, shapes: Shapes):
        self._shapes = shapes
        self._families: list[_Family] = [((LEAF, 0),)]
        self._numbers: dict[_Family, int] = {self._families[_ALONE]: _ALONE}
        self._combinations: dict[tuple[str, int, int], _Combination] = {}

    def tiles(self, recording: Recording, stored: Container[int]) -> dict[int, Tile]:
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

        best: dict[int, Tile] = {}
        parts: dict[int, _Parts] = {}  # of inner nodes of trees
        for number in recording.needed:
            operation, operands = entries[number]
            if operation in SIGNS:
                is_inner = n_uses.get(number) == 1 and number not in stored
                best[number] = self._best_tile(number, operation, operands, parts, is_inner=is_inner)

        # from the results back to their operands
        used: dict[int, Tile] = {}
        leaves: set[int] = set()
        for number, tile in reversed(best.items()):
            if number in stored or number in elsewhere or number in leaves:
                used[number] = tile
                leaves.update(tile[1])
        return dict(reversed(used.items()))

    def _best_tile(self, number: int, operation: str, operands: tuple[int, ...], parts: "dict[int, _Parts]", *, is_inner: bool) -> Tile:
        """The tile with which an entry's tree needs the fewest instructions. is_inner: whether a tree may contain it; if so, it is added to
        `parts`, where its operands are.
        """
        left, lefts = parts.get(operands[0]) or (_ALONE, [(operands[0],)])
        right, rights = _NO_OPERAND if len(operands) == 1 else parts.get(operands[1]) or (_ALONE, [(operands[1],)])
        key = (operation, left, right)
        found = self._combinations.get(key)
        if found is None:
            found = self._combinations[key] = self._combine(*key)
        if not is_inner:
            i, j, is_exchanged = found.ways[found.best]
            return found.shapes[found.best], rights[j] + lefts[i] if is_exchanged else lefts[i] + rights[j]
        leaves = [rights[j] + lefts[i] if is_exchanged else lefts[i] + rights[j] for i, j, is_exchanged in found.ways]
        tile = (found.shapes[found.best], leaves[found.best])
        leaves.append((number,))
        parts[number] = (found.family, leaves)
        return tile

    def _combine(self, operation: str, left: int, right: int) -> "_Combination":
        """What an operation makes of operands of two families."""
        grown: dict[int, tuple[int, tuple[int, int, bool]]] = {}  # shape -> (cost, way)
        for i, (one, one_cost) in enumerate(self._families[left]):
            for j, (other, other_cost) in enumerate(self._families[right]):
                found = self._shapes.grow((operation, one, other))
                if found is None:
                    continue
                shape, is_exchanged = found
                cost = one_cost + other_cost
                if shape not in grown or cost < grown[shape][0]:
                    grown[shape] = (cost, (i, j, is_exchanged))
        least, best = min((cost, shape) for shape, (cost, _) in grown.items() if shape in self._shapes.complete)
        family = (*((shape, cost - least) for shape, (cost, _) in grown.items()), (LEAF, 1))
        known = self._numbers.setdefault(family, len(self._families))
        if known == len(self._families):
            self._families.append(family)
        return _Combination(known, tuple(grown), tuple([way for _, way in grown.values()]), list(grown).index(best))


# ways to compute an entry: (shape, number of instructions for those leaves that are trees, less that of the best complete shape)
_Family = tuple[tuple[int, int], ...]
_ALONE = 0  # the number of the family of entries that are leaves only

# the number of an entry's family, and the leaves of each of its members
_Parts = tuple[int, list[tuple[int, ...]]]
_NO_OPERAND: _Parts = (_ALONE, [()])


class _Combination(NamedTuple):
    """An operation on operands of two families.

    family  number of the family of its result, as a part of a larger tree: `shapes`, and last a leaf
    shapes  its shapes
    ways    for each shape: its members of the operands' families, and whether the operands are exchanged
    best    index of the complete shape with the fewest instructions
    """

    family: int
    shapes: tuple[int, ...]
    ways: tuple[tuple[int, int, bool], ...]
    best: int
