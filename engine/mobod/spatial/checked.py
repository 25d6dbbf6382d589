"""Conversion of users' values to arrays. InputError names what is invalid."""

import numpy as np

from mobod.errors import InputError, RecordingError
from mobod.scalar import is_recorded


def checked_array(value: object, shape: tuple[int, ...], what: str, error: type[InputError] = InputError) -> np.ndarray:
    """A new array of finite floats, of finite complex numbers, or of recorded scalars (dtype object), whose values are not checked.

    what     for messages: "gravity: down"
    raises   `error` if the value has another shape, or entries that are not numbers or not finite
    """
    try:
        array = np.array(value)
    except ValueError:
        raise error(f"{what} is not an array: its rows have different lengths. {_needed(shape)}") from None
    if array.shape != shape:
        raise error(f"{what} has shape {array.shape}. {_needed(shape)}")
    if is_recorded(array):
        return array
    if array.dtype.kind not in "biufc":
        raise error(f"{what} is {value!r}. {_needed(shape)}")
    if array.dtype.kind != "c":
        array = array.astype(float)
    if not np.isfinite(array).all():
        raise error(f"{what} is {array.tolist()}. All its entries must be finite.")
    return array


def checked_floats(value: object, shape: tuple[int, ...], what: str, error: type[InputError] = InputError) -> np.ndarray:
    """A new array of finite floats.

    raises   `error` as checked_array does, and for complex numbers; RecordingError for recorded scalars
    """
    if is_recorded(value):
        raise RecordingError(f"{what} is a recorded value, but the computation depends on its values. Give numbers.")
    array = checked_array(value, shape, what, error)
    if array.dtype.kind == "c":
        raise error(f"{what} is complex: {value!r}. Real numbers are needed.")
    return array


def unit_vector(v: np.ndarray) -> np.ndarray:
    """v scaled to unit length. If v already has unit length to round-off, it is returned unchanged, so that files are reproduced exactly.

    v   (n,) of any length except zero
    """
    largest = np.abs(v).max()
    scaled = v / largest  # so that no square overflows or underflows
    length = np.linalg.norm(scaled)
    if abs(largest * length - 1) <= 4 * np.finfo(float).eps:
        return v
    return np.asarray(scaled / length)


def checked_direction(v: np.ndarray, what: str) -> np.ndarray:
    """v scaled to unit length. Raises InputError for the zero vector."""
    if not v.any():
        raise InputError(f"{what} cannot be the zero vector: it has no direction. Give any other; its length does not matter.")
    return unit_vector(v)


def checked_axis(value: object, what: str) -> tuple[float, float, float]:
    """A vector (3,) scaled to unit length. Raises InputError unless it has a direction."""
    x, y, z = checked_direction(checked_floats(value, (3,), what), what).tolist()
    return x, y, z


def checked_size(value: object, what: str, unit: str, error: type[InputError] = InputError) -> float:
    """A finite number that is not negative, such as a length or a mass.

    raises   `error` otherwise
    """
    size = float(checked_floats(value, (), what, error))
    if size < 0:
        raise error(f"{what} is {size:g} {unit}. It cannot be negative.")
    return size


def _needed(shape: tuple[int, ...]) -> str:
    return f"Numbers of shape {shape} are needed." if shape else "One number is needed."
