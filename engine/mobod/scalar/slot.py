"""Where an array lies in the flat array that holds all numbers of a State."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod


@dataclass(frozen=True, slots=True)
class Slot:
    offset: int
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def slice(self) -> slice:
        return slice(self.offset, self.offset + self.size)

    def __getitem__(self, index: int) -> "Slot":
        """The index-th entry along the first axis."""
        size = prod(self.shape[1:])
        return Slot(self.offset + index * size, self.shape[1:])


def ranges(offsets: Iterable[int]) -> list[tuple[int, int]]:
    """(first, count) of the ranges in offsets that increase."""
    found: list[tuple[int, int]] = []
    for offset in offsets:
        if found and sum(found[-1]) == offset:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((offset, 1))
    return found
