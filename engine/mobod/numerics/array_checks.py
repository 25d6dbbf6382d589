"""What is checked of arrays where they enter."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mobod.errors import InputError
from mobod.real_numbers import real_numbers


def checked_array(array: Any, what: str, n_dimensions: int) -> np.ndarray:
    """As floats. Raises InputError unless it has so many dimensions and is finite."""
    array = real_numbers(array, what)
    if array.ndim != n_dimensions:
        raise InputError(f"{what} has shape {array.shape}. It has {n_dimensions} dimension{'s' if n_dimensions > 1 else ''}.")
    if not np.isfinite(array).all():
        at = np.argwhere(~np.isfinite(array))[0].tolist()
        raise InputError(f"{what}: entry {at} is {array[tuple(at)]}. All entries must be finite.")
    return array


def checked_rows(J: Any, b: Any, n: int, name_of_J: str, name_of_b: str) -> tuple[np.ndarray, np.ndarray]:
    """J (m, n) and b (m,); no rows may be written as an empty list."""
    b = checked_array(b, name_of_b, 1)
    J = real_numbers(J, name_of_J)
    J = checked_array(J.reshape(0, n) if J.size == 0 and len(b) == 0 else J, name_of_J, 2)
    if J.shape != (len(b), n):
        raise InputError(f"{name_of_J} has shape {J.shape}. For {len(b)} entries of {name_of_b} and {n} unknowns it is ({len(b)}, {n}).")
    return J, b


def checked_bounds(lower: Any, upper: Any, m: int) -> tuple[np.ndarray, np.ndarray]:
    """(m,) each; one number stands for all."""
    lower, upper = (real_numbers(bound, "a bound of multipliers") for bound in (lower, upper))
    if any(bound.shape not in ((), (m,)) for bound in (lower, upper)):
        raise InputError(f"bounds of multipliers have shapes {lower.shape} and {upper.shape}. One is for all, or one for each of {m} rows.")
    lower, upper = np.broadcast_to(lower, m), np.broadcast_to(upper, m)
    largest = np.finfo(float).max
    wrong = np.flatnonzero(~((lower <= upper) & (lower < largest) & (upper > -largest)))
    if len(wrong):
        i = wrong[0]
        raise InputError(f"the multiplier of row {i} cannot lie between {lower[i]:g} and {upper[i]:g}. The lower bound is the smaller one.")
    return lower, upper


def checked_names(names: Sequence[str] | None, n_equations: int, m: int) -> Sequence[str]:
    """Of equations, then of m unilateral rows; made up if left out."""
    if names is None:
        return [*(f"equation {i}" for i in range(n_equations)), *(f"unilateral row {i}" for i in range(m))]
    if len(names) != n_equations + m:
        raise InputError(f"there are {len(names)} names for {n_equations} equations and {m} unilateral rows.")
    return names
