"""Valid values of numbers in a saved State. Allocations declare them."""

# Decision: docs/decisions/089-saved-states.md

from dataclasses import dataclass
from sys import float_info
from typing import final

LARGEST = float_info.max


@final
@dataclass(frozen=True)
class Numbers:
    """A sequence of numbers and their valid range; default: any finite numbers.

    is_whole  whole numbers: counts, indices, signs, flags
    is_any    NaN and infinity are also valid: computed values that are stored as they were
    """

    count: int
    least: float = -LARGEST
    greatest: float = LARGEST
    is_whole: bool = False
    is_any: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether all finite numbers are valid."""
        return self == Numbers(self.count)


def flags(count: int = 1) -> Numbers:
    return Numbers(count, 0.0, 1.0, is_whole=True)


def whole(least: float, greatest: float) -> Numbers:
    """One whole number in a range, such as an index or a count."""
    return Numbers(1, float(least), float(greatest), is_whole=True)
