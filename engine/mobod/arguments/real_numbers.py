"""Conversion of users' values to real numbers. InputError names what is not a number. Text is never converted."""

from collections.abc import Sequence

import numpy as np

from mobod.errors import InputError


def real_numbers(value: object, what: str, error: type[InputError] = InputError) -> np.ndarray:
    """Real numbers as an array of floats of any shape, finite or not. An array of floats is returned as it is, without a copy.

    raises   `error` for text, None, complex and recorded numbers, and rows of different lengths
    """
    try:
        array = np.asarray(value)
        kind = array.dtype.kind
        if array.dtype.char == "d":
            return array
        if kind in "biuf" or (kind == "O" and not any(each is None or isinstance(each, (str, bytes)) for each in array.flat)):
            return array.astype(float)
    except (TypeError, ValueError) as failure:
        raise error(f"{what} takes numbers, not {value!r}.") from failure
    quotes = " Write numbers without quotes." if kind in "US" else ""
    raise error(f"{what} takes numbers, not {value!r}.{quotes}")


def real_number(value: object, what: str, error: type[InputError] = InputError) -> float:
    """One real number, finite or not.

    raises   `error` as real_numbers does, and for several numbers
    """
    array = real_numbers(value, what, error)
    if array.shape:
        raise error(f"{what} takes one number, not {value!r}.")
    return float(array)


def distinct(one: float, other: float) -> tuple[str, str]:
    """Two different numbers as text with six digits, or with as many digits as are needed to see the difference."""
    for digits in range(6, 17):
        texts = f"{one:.{digits}g}", f"{other:.{digits}g}"
        if texts[0] != texts[1] and abs((float(texts[0]) - float(texts[1])) / (one - other) - 1) < 0.1:
            return texts
    return repr(float(one)), repr(float(other))


def numbers_text(values: object, units: Sequence[str] = ()) -> str:
    """Numbers as text for messages: [0.4] rad, [1, 0.25, ..., 3] m, or each with its unit if the units differ: [0.1 rad, 0.2 m]."""
    array = np.asarray(values, dtype=float) + 0.0  # + 0.0 turns -0 into 0
    if len(set(units)) > 1 and len(units) == array.size:
        return f"[{', '.join(f'{value:.6g} {unit}' for value, unit in zip(array.flat, units, strict=True))}]"
    text = np.array2string(array, separator=", ", threshold=12, max_line_width=10**6, formatter={"float_kind": "{:.6g}".format})
    unit = units[0] if units and units[0] != "1" else ""
    return f"{text} {unit}".rstrip()
