"""StaticTable: numbers fixed by the structure, which recorded code looks up by value; the data of splines.

In a recording a table is one entry of any size, and an operation on it is another entry.
"""

# Decision: docs/decisions/009-splines.md

from functools import cached_property
from hashlib import sha256
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError


@final
class StaticTable:
    """A constant row of numbers. Equal tables compare equal and become one array in C."""

    def __init__(self, numbers: ArrayLike):
        """Raises InputError unless there is one row of at least one real number."""
        array = np.array(numbers)
        if array.ndim != 1 or not array.size or array.dtype.kind not in "biuf":
            raise InputError(f"a table has shape {array.shape} and type {array.dtype}. One row of real numbers is needed, at least one.")
        self.numbers = array.astype(float)
        self.numbers.flags.writeable = False

    @cached_property
    def digest(self) -> str:
        """Hash of the numbers."""
        return sha256(self.numbers.tobytes()).hexdigest()

    @cached_property
    def is_increasing(self) -> bool:
        """Whether there are at least two numbers and each is larger than the one before."""
        return len(self) > 1 and bool(np.all(np.diff(self.numbers) > 0))

    def __len__(self) -> int:
        return self.numbers.size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StaticTable) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"<table of {len(self)} numbers>"


def interval_number(breakpoints: StaticTable, x: ArrayLike) -> Any:
    """See `interval` in functions.py. Uses the real part of complex numbers."""
    return np.clip(np.searchsorted(breakpoints.numbers, np.real(x), side="right") - 1.0, 0.0, len(breakpoints) - 2.0)


def number_at(table: StaticTable, index: ArrayLike) -> Any:
    """The number at an index; NaN if out of range. See `lookup` in functions.py."""
    index = np.real(index)
    is_inside = (index > -1) & (index < len(table))
    found = np.where(is_inside, table.numbers[np.where(is_inside, index, 0).astype(np.intp)], np.nan)
    return found[()]
