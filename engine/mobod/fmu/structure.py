"""The dependencies of an FMU's unknowns on its knowns, as its model structure lists them.

An unknown without a list depends on all knowns. A long list may be left out if the unknown really depends on most knowns, and on every
input: an input on which an output does not depend would close a loop that does not exist.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import final

import numpy as np

from mobod.compilation.calls.dependencies import OffsetSets

LONG = 64
"""Lists of more knowns than this may be left out, so that the lists of a mechanism grow with its bodies, not with their square."""

KnownList = tuple[int, ...] | None
"""Value references of knowns in increasing order; None: not listed, which means all."""


@final
class Knowns:
    """The knowns of an FMU while it steps, or during its initialization.

    references  their offsets, and those of states that stand for start values -> value reference
    inputs      the offsets of the inputs among them
    """

    def __init__(self, sets: OffsetSets, references: Mapping[int, int], inputs: Collection[int]):
        self._sets = sets
        self._references = np.array([references.get(offset, -1) for offset in sets.independent])
        self._known = _mask(offset in references for offset in sets.independent)
        self._inputs = _mask(offset in inputs for offset in sets.independent)
        self._count = len(set(references.values()))
        self._lists: dict[int, KnownList] = {}  # set of knowns -> its list

    def of(self, offset: int) -> KnownList:
        """The knowns on which the number at this offset depends."""
        found = self._sets.masks[offset] & self._known
        if found not in self._lists:
            self._lists[found] = None if self._can_be_left_out(found) else self._listed(found)
        return self._lists[found]

    def _can_be_left_out(self, found: int) -> bool:
        return LONG < found.bit_count() > self._count / 2 and found & self._inputs == self._inputs

    def _listed(self, found: int) -> tuple[int, ...]:
        first = max((found & -found).bit_length() - 1, 0)
        found >>= first
        packed = np.frombuffer(found.to_bytes((found.bit_length() + 7) // 8, "little"), dtype=np.uint8)
        return tuple(np.sort(self._references[first + np.unpackbits(packed, bitorder="little").nonzero()[0]]).tolist())


def _mask(bits: Iterable[bool]) -> int:
    return int.from_bytes(np.packbits(list(bits), bitorder="little").tobytes(), "little")
