"""The valid ranges of all numbers in a saved State, which are checked when it is read."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from math import prod
from typing import NamedTuple

import numpy as np

from mobod.scalar.slot import Slot
from mobod.system.stage import Stage
from mobod.system.state.handles import DiscreteVariable
from mobod.system.state.layout import Layout
from mobod.system.state.saved_numbers import LARGEST, Numbers, flags
from mobod.system.variable import CatalogueVariable


class SavedRange(NamedTuple):
    """The valid values of numbers from an offset in State.values on."""

    first: int
    numbers: Numbers


def saved_ranges(layout: Layout, catalogue: Iterable[CatalogueVariable]) -> list[SavedRange]:
    """The ranges of time, y, and the discrete variables that a run may change, sorted by offset; without computed values.

    A parameter or input has the bounds that its setters check.
    """
    of_offset = {offset: numbers for slot, each in _declared(layout) for offset, numbers in _by_offset(slot, each)}
    for variable in catalogue:
        if variable.role in ("parameter", "input"):
            bounds = _of_catalogue(variable)
            for offset in range(variable.slot.offset, variable.slot.offset + variable.slot.size):
                if offset in of_offset:
                    of_offset[offset] = _both(of_offset[offset], bounds)
    runs = groupby(enumerate(sorted(of_offset)), key=lambda each: (each[1] - each[0], of_offset[each[1]]))
    return [_range([offset for _, offset in run], numbers) for (_, numbers), run in runs]


def fault_in(values: np.ndarray, layout: Layout, ranges: Iterable[SavedRange]) -> str | None:
    """A message about the first invalid number of a State; None if all are valid."""
    for first, numbers in ranges:
        part = values[first : first + numbers.count]
        possible = (part >= numbers.least) & (part <= numbers.greatest)
        if numbers.is_whole:
            possible &= np.floor(part) == part
        if not (numbers.is_any or possible.all()):
            k = int(np.argmin(possible))
            (owner,) = layout.owners(Slot(first + k, ()))
            return f"'{owner.name}' holds {part[k]:g}, which it cannot be"
    return None


def _declared(layout: Layout) -> Iterator[tuple[Slot, tuple[Numbers, ...]]]:
    yield layout.time, (Numbers(1),)
    yield layout.y, (Numbers(layout.n_y),)
    for handle, slot in layout.slots.items():
        if isinstance(handle, DiscreteVariable) and handle.invalidates > Stage.MODEL:
            count = prod(slot.shape)
            default = flags(count) if handle.is_boolean else Numbers(count)
            yield slot, layout.numbers.get(handle, (default,))


def _by_offset(slot: Slot, numbers: Iterable[Numbers]) -> Iterator[tuple[int, Numbers]]:
    each = [single for one in numbers for single in [Numbers(1, one.least, one.greatest, one.is_whole, one.is_any)] * one.count]
    return zip(range(slot.offset, slot.offset + slot.size), each, strict=True)


def _of_catalogue(variable: CatalogueVariable) -> Numbers:
    least = -LARGEST if variable.minimum is None else variable.minimum
    greatest = LARGEST if variable.maximum is None else variable.maximum
    return flags() if variable.type == "boolean" else Numbers(1, least, greatest, is_whole=variable.type == "integer")


def _both(a: Numbers, b: Numbers) -> Numbers:
    return Numbers(1, max(a.least, b.least), min(a.greatest, b.greatest), a.is_whole or b.is_whole)


def _range(offsets: list[int], numbers: Numbers) -> SavedRange:
    return SavedRange(offsets[0], Numbers(len(offsets), numbers.least, numbers.greatest, numbers.is_whole, numbers.is_any))
