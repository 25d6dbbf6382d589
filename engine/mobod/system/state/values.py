"""Conversion of the numbers of variables: on setting, storing and reading."""

from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import real_numbers
from mobod.errors import InputError
from mobod.scalar import is_recorded
from mobod.system.state.handles import DiscreteVariable


def checked_numbers(value: object, shape: tuple[int, ...], name: str) -> np.ndarray:
    """Finite numbers in the given shape. A shape of one number accepts a single number. Raises InputError."""
    array = real_numbers(value, f"'{name}'")
    if array.shape != shape and not (array.size == 1 and prod(shape) == 1):
        raise InputError(f"'{name}' has shape {shape}, but a value of shape {array.shape} was given.")
    if not np.isfinite(array).all():
        raise InputError(f"'{name}' cannot be {value}: not a finite number.")
    return array


def as_read(variable: DiscreteVariable, array: np.ndarray) -> bool | float | np.ndarray:
    """A number as float or bool, an array unchanged."""
    if variable.shape == ():
        return bool(array) if variable.is_boolean else float(array)
    return array


def read_only(value: ArrayLike) -> np.ndarray:
    """A read-only copy as an array of floats."""
    array = np.array(value, dtype=float)
    array.flags.writeable = False
    return array


def own(value: object) -> Any:
    """A copy that does not change with the State; a float for one number. Recorded values are returned unchanged."""
    if is_recorded(value):
        return value
    array = np.array(value, dtype=float)
    return array if array.shape else float(array)
