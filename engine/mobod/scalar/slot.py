"""Slot: the place of an array in the flat array of a State's numbers."""

import builtins
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import prod


@dataclass(frozen=True, slots=True, init=False)
class Slot:
    offset: int
    shape: tuple[int, ...]
    size: int = field(init=False, repr=False, compare=False)
    slice: builtins.slice = field(init=False, repr=False, compare=False)

    def __init__(self, offset: int, shape: tuple[int, ...]) -> None:
        size = 1 if not shape else shape[0] if len(shape) == 1 else prod(shape)
        _set_offset(self, offset)
        _set_shape(self, shape)
        _set_size(self, size)
        _set_slice(self, slice(offset, offset + size))

    def __hash__(self) -> int:
        return self.offset  # fast: looked up for each value that a user's Python function reads

    @property
    def offsets(self) -> range:
        """The offsets of its entries."""
        return range(self.offset, self.offset + self.size)

    def __getitem__(self, index: int) -> "Slot":
        """The slot of the index-th item along the first axis."""
        return Slot(self.offset + index * (self.size // self.shape[0]), self.shape[1:])


# they set the attributes of a new Slot in a third of the time of object.__setattr__: a large System has a hundred thousand Slots
_set_offset, _set_shape, _set_size, _set_slice = (getattr(Slot, name).__set__ for name in ("offset", "shape", "size", "slice"))


def spans(slots: Iterable[Slot]) -> tuple[Slot, ...]:
    """Flat slots of the entries of these slots, one for each range of them."""
    found: list[tuple[int, int]] = []
    for first, end in sorted((slot.offset, slot.offset + slot.size) for slot in slots):
        if found and first <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((first, end))
    return tuple(Slot(first, (end - first,)) for first, end in found if end > first)


def ranges(offsets: Iterable[int]) -> list[tuple[int, int]]:
    """(first, count) of the ranges in increasing offsets."""
    found: list[tuple[int, int]] = []
    for offset in offsets:
        if found and sum(found[-1]) == offset:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((offset, 1))
    return found
