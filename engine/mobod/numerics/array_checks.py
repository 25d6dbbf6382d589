"""Checks of array shapes before C reads the arrays, and messages for numbers that C refuses."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import real_numbers
from mobod.errors import InputError


def shaped(array: ArrayLike, what: str, n_dimensions: int) -> np.ndarray:
    """The array as contiguous floats. Raises InputError unless it has this number of dimensions."""
    array = np.ascontiguousarray(real_numbers(array, what))
    if array.ndim != n_dimensions:
        raise InputError(f"{what} has shape {array.shape}. It must have {n_dimensions} dimension{'s' if n_dimensions > 1 else ''}.")
    return array


def shaped_rows(J: ArrayLike, b: ArrayLike, n: int, name_of_J: str, name_of_b: str) -> tuple[np.ndarray, np.ndarray]:
    """J (m, n) and b (m,). An empty list stands for no rows."""
    b = shaped(b, name_of_b, 1)
    J = real_numbers(J, name_of_J)
    J = shaped(J.reshape(0, n) if J.size == 0 and len(b) == 0 else J, name_of_J, 2)
    if J.shape != (len(b), n):
        raise InputError(
            f"{name_of_J} has shape {J.shape}. For {len(b)} entries of {name_of_b} and {n} unknowns it must be ({len(b)}, {n})."
        )
    return J, b


def shaped_bounds(lower: ArrayLike, upper: ArrayLike, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Both as (m,) arrays. One number is used for all rows."""
    lower, upper = (real_numbers(bound, "a bound of multipliers") for bound in (lower, upper))
    if any(bound.shape not in ((), (m,)) for bound in (lower, upper)):
        raise InputError(
            f"bounds of multipliers have shapes {lower.shape} and {upper.shape}. Give one number for all rows, or one for each of {m} rows."
        )
    return np.full(m, lower), np.full(m, upper)


def not_finite(array: np.ndarray, what: str) -> InputError:
    """The error for an array with an entry that is not finite."""
    at = np.argwhere(~np.isfinite(array))[0].tolist()
    return InputError(f"{what}: entry {at} is {array[tuple(at)]}. All entries must be finite.")


def invalid_rows(problem: Mapping[str, np.ndarray]) -> InputError:
    """The error for a problem that C refuses; `lower` and `upper` are bounds of multipliers."""
    for name, array in problem.items():
        if name not in ("lower", "upper") and not np.isfinite(array).all():
            return not_finite(array, name)
    lower, upper = problem["lower"], problem["upper"]
    largest = np.finfo(float).max
    wrong = np.flatnonzero(~((lower <= upper) & (lower < largest) & (upper > -largest)))
    if len(wrong):
        i = wrong[0]
        return InputError(
            f"the bounds of the multiplier of row {i}, {lower[i]:g} and {upper[i]:g}, are invalid. The lower bound must be smaller."
        )
    return InputError(f"numbers of {', '.join(problem)} are so large that their products overflow. Choose larger units.")


def checked_names(names: Sequence[str] | None, n_equations: int, m: int) -> Sequence[str] | None:
    """The names of equations, then of m unilateral rows. Raises InputError for a wrong number of names."""
    if names is not None and len(names) != n_equations + m:
        raise InputError(f"there are {len(names)} names for {n_equations} equations and {m} unilateral rows.")
    return names
