"""Which operations of a recording become one instruction: trees of sums and products are cut into shapes that the interpreter has.

An addition, subtraction, multiplication or negation whose result is used once, by another of these, is an inner part of a tree. Trees are
cut into as few shapes as possible. The association stays as it was recorded. The operands of an addition or a multiplication may be
exchanged: that changes no bit of a number (of a NaN it may change the sign and the payload).
"""

from collections.abc import Callable, Sequence

SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "negative": "-"}
LEAF = 0  # the number of the shape that is a leaf alone

# operation, shape of its first operand, shape of its second (LEAF where it has none)
Growth = tuple[str, int, int]
# -> the number of the shape of both, and whether the operands are exchanged in it; None if no shape has such a part
Grow = Callable[[Growth], tuple[int, bool] | None]


class ShapeTable:
    """Shapes and their parts by number.

    texts     number -> text: "x" is a leaf, "((x*x)+x)" adds a leaf to a product of two, "(-x)" changes a sign
    complete  numbers of the shapes that are instructions; the others are only parts of these
    grow      see Grow
    """

    def __init__(self, shapes: Sequence[str]):
        self.texts = ["x"]
        self._numbers = {"x": LEAF}
        self._grown: dict[Growth, tuple[int, bool]] = {}
        self.complete = frozenset([self._add(shape) for shape in shapes])
        self.grow: Grow = self._grown.get

    def _add(self, shape: str) -> int:
        """The number of a shape; new ones are added with their parts."""
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
    """The operation of a shape that is no leaf, and the shapes of its operands."""
    if shape[1] == "-":
        return "negative", [shape[2:-1]]
    end = depth = 0
    while not end or depth:
        end += 1
        depth += (shape[end] == "(") - (shape[end] == ")")
    operation = {"+": "add", "-": "subtract", "*": "multiply"}[shape[end + 1]]
    return operation, [shape[1 : end + 1], shape[end + 2 : -1]]


# a way to compute a tree: the number of its shape and the tape numbers of the leaves
Tile = tuple[int, tuple[int, ...]]


class Tiles:
    """The best tile for each tree whose root is added; operands must be added before what uses them."""

    def __init__(self, table: ShapeTable):
        self.best: dict[int, Tile] = {}
        self._complete = table.complete
        self._grow = table.grow
        # of each entry that may grow: shape -> (instructions for the leaves that are trees, leaves)
        self._parts: dict[int, dict[int, tuple[int, tuple[int, ...]]]] = {}

    def add(self, number: int, operation: str, operands: tuple[int, ...], *, is_inner: bool) -> None:
        """Find the best tile for an entry of the tape; is_inner: a tree may hold it."""
        grow = self._grow
        grown: dict[int, tuple[int, tuple[int, ...]]] = {}
        left, right = operands[0], operands[-1]
        lefts = self._parts.get(left) or {LEAF: (0, (left,))}
        rights = (self._parts.get(right) or {LEAF: (0, (right,))}) if len(operands) == 2 else {LEAF: (0, ())}
        for one, (one_cost, one_leaves) in lefts.items():
            for other, (other_cost, other_leaves) in rights.items():
                found = grow((operation, one, other))
                if found is None:
                    continue
                shape, is_exchanged = found
                cost = one_cost + other_cost
                known = grown.get(shape)
                if known is None or cost < known[0]:
                    grown[shape] = (cost, other_leaves + one_leaves if is_exchanged else one_leaves + other_leaves)
        best_cost, best = min((cost, shape) for shape, (cost, _) in grown.items() if shape in self._complete)
        self.best[number] = (best, grown[best][1])
        if is_inner:
            grown[LEAF] = (best_cost + 1, (number,))
            self._parts[number] = grown
