"""Where an array lies in the flat array that holds all numbers of a State."""

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
