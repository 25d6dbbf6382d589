"""Names of single elements of an array: 'lower.p_GB[2]', 'lower.R_GB[1,3]'."""

import math
import re
from collections.abc import Container, Sequence

from mobod.errors import InputError


def split_element(name: str, known: Container[str]) -> tuple[str, tuple[int, ...]] | None:
    """The array and the index, if the name is that of an element of a known array and not itself known; else None."""
    match = re.fullmatch(r"(.*)\[(\d+(?:,\d+)*)\]", name, re.DOTALL)
    if name in known or match is None or match[1] not in known:
        return None
    return match[1], tuple(int(part) for part in match[2].split(","))


def element_position(name: str, index: Sequence[int], shape: Sequence[int]) -> int:
    """The position of an element, by rows, counted from 0.

    index  counts from 1: one number for the k-th of all elements, or one for each dimension

    Raises InputError if there is no such element.
    """
    sizes = (math.prod(shape),) if len(index) == 1 else tuple(shape)
    if not shape or len(index) != len(sizes) or not all(1 <= one <= size for one, size in zip(index, sizes, strict=True)):
        given = ",".join(map(str, index))
        what = f"its shape is {tuple(shape)}, and indices count from 1" if shape else "it is a single number"
        raise InputError(f"'{name}' has no element [{given}]: {what}.")
    position = 0
    for one, size in zip(index, sizes, strict=True):
        position = position * size + one - 1
    return position
