"""Names of variables and of their single numbers. Every place where a user names a number reads it by this grammar.

    lower.q                        a variable: one number or an array
    free.q[2], lower.R_GB[1,3]     an entry of an array: the index counts from 1
    lower.R_GB[3]                  the same entry, counted by rows
    der(free.q[2]), der(free.q)[2] the derivative of an entry
    lower.q[1]                     a single number

Mobod prints one spelling of each number, which is also that of an FMU's variables: 'lower.q', 'lower.R_GB[1,3]', 'der(free.q[2])'.
"""

import math
import re
from collections.abc import Container, Sequence

import numpy as np

from mobod.errors import UnknownNameError

_ENTRY = re.compile(r"(?P<array>.*)\[(?P<index>[^\[\]]*)\](?P<end>\)?)", re.DOTALL)
_INDEX = re.compile(r"[1-9]\d*(,[1-9]\d*)*", re.ASCII)


def entry_name(array: str, index: Sequence[int] | Sequence[str]) -> str:
    """The name of an entry: 'free.q[2]', 'lower.R_GB[1,3]', 'der(free.q[2])'. index: counts from 1"""
    text = f"[{','.join(map(str, index))}]"
    return f"{array[:-1]}{text})" if array.startswith("der(") and array.endswith(")") else f"{array}{text}"


def entry_names(name: str, shape: tuple[int, ...]) -> list[str]:
    """The names of all numbers of a variable, by rows; the name itself for a single number."""
    if math.prod(shape) == 1:
        return [name]
    return [entry_name(name, [k + 1 for k in index]) for index in np.ndindex(*shape)]


def split_entry(name: str, known: Container[str]) -> tuple[str, str] | None:
    """The array and the text of the index, if `name` is that of an entry of a known array and not itself known; else None."""
    match = _ENTRY.fullmatch(name)
    if name in known or match is None or (array := match["array"] + match["end"]) not in known:
        return None
    return array, match["index"]


def entry_position(thing: str, name: str, array: str, index: str, shape: tuple[int, ...]) -> int:
    """The position of an entry in an array, by rows, from 0.

    thing  what has such names, for the message
    index  counts from 1: one number for the k-th of all entries, or one for each dimension

    Raises UnknownNameError if there is no such entry.
    """
    indices = [int(part) for part in index.split(",")] if _INDEX.fullmatch(index) else []
    sizes = (math.prod(shape),) if len(indices) == 1 else shape
    if indices and len(indices) == len(sizes) and all(one <= size for one, size in zip(indices, sizes, strict=True)):
        return int(np.ravel_multi_index([one - 1 for one in indices], sizes))
    if math.prod(shape) == 1:
        why = "it is a single number"
    else:
        first, last = entry_name(array, [1] * len(shape)), entry_name(array, shape)
        why = f"its shape is {shape}, and indices count from 1. Its elements are '{first}' to '{last}'"
    raise UnknownNameError(thing, name, (), hint=f"'{array}' has no element [{index}]: {why}.")


def array_of(name: str) -> str:
    """The name without an index: 'p' of 'p[1]', 'R' of 'R[1,3]', 'der(free.q)' of 'der(free.q[2])'; the name itself if it has none."""
    match = _ENTRY.fullmatch(name)
    return name if match is None or not _INDEX.fullmatch(match["index"]) else match["array"] + match["end"]


def printed_name(name: str) -> str:
    """The spelling that mobod prints: 'der(free.q[2])' for 'der(free.q)[2]'. Where shapes are not known, as in tables."""
    array = array_of(name)
    return name if array == name else entry_name(array, name[name.rindex("[") + 1 : name.rindex("]")].split(","))


def spellings(array: str, position: int, shape: tuple[int, ...]) -> list[str]:
    """All names of one number of a variable; the one that mobod prints first. position: by rows, from 0"""
    indices = [[position + 1]]
    if shape:
        indices.append([int(k) + 1 for k in np.unravel_index(position, shape)])
    found = [entry_names(array, shape)[position]]
    for index in indices:
        found += [entry_name(array, index), f"{array}[{','.join(map(str, index))}]"]
    return list(dict.fromkeys(found))
