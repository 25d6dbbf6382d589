"""Counts that a caller gives and that are held in memory: reports, runs, members. Large ones are refused before memory is taken."""

import math
import os

from mobod.errors import InputError

VARIABLE = "MOBOD_LARGEST_COUNT"
LARGEST = 10**7


def check_held_count(count: float, what: str, remedy: str) -> None:
    """Raise InputError for more than 10^7, or more than the environment variable MOBOD_LARGEST_COUNT says.

    what    'Simulation.run: the points every 1e-12 s until 1 s'
    remedy  'Choose a longer interval'
    """
    largest = _largest()
    if count > largest:
        raise InputError(
            f"{what}: there would be {count:.6g}, all held in memory, and the limit is {largest:.6g}. {remedy}; or, if the memory is large "
            f"enough, set the environment variable {VARIABLE}={_rounded_up(count)}."
        )


def _largest() -> float:
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return LARGEST
    try:
        largest = float(text)
    except ValueError:
        largest = math.nan
    if not largest >= 1:
        raise InputError(f"the environment variable {VARIABLE} is '{text}'. It must be a positive number, such as 1e8.")
    return largest


def _rounded_up(count: float) -> str:
    """With two digits: 1.1e+12 for 1000000000001."""
    if not math.isfinite(count):
        return "inf"
    power = 10.0 ** (math.floor(math.log10(count)) - 1)
    return f"{math.ceil(count / power) * power:.1e}"
