"""Regions: the parts of a flat array that are read and written as a whole."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import final

from mobod.scalar.slot import Slot, ranges


@final
class Regions:
    """A flat array, divided at the ends of slots.

    An analysis of sweeps keeps sets of the numbers of regions. Such sets stay small where slots are large, such as a matrix of all
    constraint rows: a slot that is only read and written as a whole is one region, whatever its size.
    """

    def __init__(self, whole: Iterable[Slot], divided: Iterable[Slot]):
        """
        whole    slots that are read and written as a whole
        divided  slots whose entries are regions of their own
        """
        bounds = {bound for slot in whole for bound in (slot.offset, slot.offset + slot.size)}
        bounds.update(*(range(slot.offset, slot.offset + slot.size + 1) for slot in divided))
        self._bounds = sorted(bounds)
        self._numbers = {bound: number for number, bound in enumerate(self._bounds)}

    def __len__(self) -> int:
        return max(len(self._bounds) - 1, 0)

    def of(self, slot: Slot) -> range:
        """The regions of one of the slots, or of some entries of a divided slot."""
        return self.between(slot.offset, slot.offset + slot.size)

    def between(self, first: int, end: int) -> range:
        """The regions from one bound to another."""
        return range(self._numbers[first], self._numbers[end])

    def at(self, offset: int) -> int | None:
        """The region of an offset; None if it is outside of all."""
        number = bisect_right(self._bounds, offset) - 1
        return number if 0 <= number < len(self) else None

    def ranges(self, regions: Iterable[int]) -> list[tuple[int, int]]:
        """(first, count) of the ranges of offsets in increasing regions."""
        return [(self._bounds[first], self._bounds[first + count] - self._bounds[first]) for first, count in ranges(regions)]

    def offsets(self, regions: Iterable[int]) -> Iterator[int]:
        """The offsets in these regions."""
        return (offset for region in regions for offset in range(self._bounds[region], self._bounds[region + 1]))
