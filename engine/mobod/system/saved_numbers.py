"""Numbers of a saved State: allocations declare which values are allowed."""

from dataclasses import dataclass
from sys import float_info
from typing import final

LARGEST = float_info.max


@final
@dataclass(frozen=True)
class Numbers:
    """So many numbers in sequence, and what each of them can be; by default any finite one.

    is_whole  a count, an index, a sign or a flag
    is_any    also not a number: what was computed, and is remembered as it was
    """

    count: int
    least: float = -LARGEST
    greatest: float = LARGEST
    is_whole: bool = False
    is_any: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether all finite numbers are possible."""
        return self == Numbers(self.count)


def flags(count: int = 1) -> Numbers:
    return Numbers(count, 0.0, 1.0, is_whole=True)


def whole(least: float, greatest: float) -> Numbers:
    """One number, such as an index or a count."""
    return Numbers(1, float(least), float(greatest), is_whole=True)
