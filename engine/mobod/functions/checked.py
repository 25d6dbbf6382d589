"""What the user gave a function, as plain numbers that compare, or an InputError that names it."""

from operator import index
from typing import Any

import numpy as np

from mobod.arguments.held_counts import check_held_count
from mobod.errors import InputError
from mobod.spatial.checked import checked_floats


def checked_number(value: object, what: str) -> float:
    """A finite number."""
    return float(checked_floats(value, (), what))


def checked_numbers(value: Any, what: str, *, least: int) -> tuple[float, ...]:
    """A row of finite numbers, at least so many."""
    shape = np.shape(value)
    if len(shape) != 1 or shape[0] < least:
        raise InputError(f"{what} has shape {shape}. A list of numbers is needed, at least {least}.")
    return tuple(checked_floats(value, shape, what).tolist())


def checked_values(value: Any, what: str) -> float | tuple[float, ...]:
    """A finite number, or a row of them."""
    return checked_numbers(value, what, least=1) if np.ndim(value) else checked_number(value, what)


def checked_count(value: Any, what: str, *, least: int) -> int:
    """A whole number that is not too small, and not too large to be held in memory."""
    try:
        number = index(value)
    except TypeError:
        raise InputError(f"{what} is {value!r}. A whole number is needed.") from None
    if number < least:
        raise InputError(f"{what} is {number}. It must be at least {least}.")
    check_held_count(number, what, "Give a smaller number")
    return number
