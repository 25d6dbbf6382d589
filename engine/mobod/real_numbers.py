"""What the user gave as real numbers: as floats, or an InputError that names it. Text is never converted."""

from typing import Any

import numpy as np

from mobod.errors import InputError


def real_numbers(value: Any, what: str, error: type[InputError] = InputError) -> np.ndarray:
    """Real numbers as an array of floats, which is `value` itself if it is one; any shape, finite or not.

    raises   `error` for text, None, complex and recorded numbers, and rows of different lengths
    """
    try:
        array = np.asarray(value)
        kind = array.dtype.kind
        if kind == "f" and array.dtype == float:
            return array
        if kind in "biuf" or (kind == "O" and not any(each is None or isinstance(each, (str, bytes)) for each in array.flat)):
            return array.astype(float)
    except (TypeError, ValueError) as failure:
        raise error(f"{what} takes numbers, not {value!r}.") from failure
    quotes = " Write numbers without quotes." if kind in "US" else ""
    raise error(f"{what} takes numbers, not {value!r}.{quotes}")


def real_number(value: Any, what: str, error: type[InputError] = InputError) -> float:
    """One real number, finite or not.

    raises   `error` as real_numbers does, and for several numbers
    """
    array = real_numbers(value, what, error)
    if array.shape:
        raise error(f"{what} takes one number, not {value!r}.")
    return float(array)
