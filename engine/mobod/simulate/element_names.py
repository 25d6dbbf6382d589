"""Names of single elements of an array: 'lower.p_GB[2]', 'lower.R_GB[1,3]', 'der(free.q[2])'."""

import math
import re
from collections.abc import Container, Sequence

from mobod.errors import InputError

_ELEMENT = re.compile(r"(?P<array>.*)\[(?P<index>[1-9]\d*(?:,[1-9]\d*)*)\](?P<end>\)?)", re.DOTALL)


def split_element(name: str, known: Container[str]) -> tuple[str, tuple[int, ...]] | None:
    """The array and the index, if the name is that of an element of a known array and not itself known; else None.

    Of a derivative the index may be that of the state, 'der(free.q[2])', or of the derivative, 'der(free.q)[2]'.
    """
    match = _ELEMENT.fullmatch(name)
    if name in known or match is None or (array := match["array"] + match["end"]) not in known:
        return None
    return array, tuple(int(part) for part in match["index"].split(","))


def element_position(name: str, index: Sequence[int], shape: Sequence[int]) -> int:
    """The position of an element, by rows, counted from 0.

    index  counts from 1: one number for the k-th of all elements, or one for each dimension

    Raises InputError if there is no such element.
    """
    sizes = (math.prod(shape),) if len(index) == 1 else tuple(shape)
    if not shape and tuple(index) == (1,):
        return 0
    if not shape or len(index) != len(sizes) or not all(1 <= one <= size for one, size in zip(index, sizes, strict=True)):
        given = ",".join(map(str, index))
        what = f"its shape is {tuple(shape)}, and indices count from 1" if shape else "it is a single number"
        raise InputError(f"'{name}' has no element [{given}]: {what}.")
    position = 0
    for one, size in zip(index, sizes, strict=True):
        position = position * size + one - 1
    return position
