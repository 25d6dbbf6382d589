"""Units of variables expressed by SI base units, as an FMU defines them."""

import re
from collections import defaultdict
from collections.abc import Iterator
from math import pi

from mobod.errors import InputError

Exponents = dict[str, float]
"""Base unit -> nonzero exponent, a whole number except in units of noise. FMI counts rad as a base unit."""

_BASE_UNITS = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")

# unit -> its exponents
_UNITS: dict[str, Exponents] = {
    **{base: {base: 1} for base in _BASE_UNITS},
    "Hz": {"s": -1},
    "sqrtHz": {"s": -0.5},
    "N": {"kg": 1, "m": 1, "s": -2},
    "Pa": {"kg": 1, "m": -1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "C": {"s": 1, "A": 1},
    "V": {"kg": 1, "m": 2, "s": -3, "A": -1},
    "Ohm": {"kg": 1, "m": 2, "s": -3, "A": -2},
    "S": {"kg": -1, "m": -2, "s": 3, "A": 2},
    "F": {"kg": -1, "m": -2, "s": 4, "A": 2},
    "H": {"kg": 1, "m": 2, "s": -2, "A": -2},
    "Wb": {"kg": 1, "m": 2, "s": -2, "A": -1},
    "T": {"kg": 1, "s": -2, "A": -1},
}

DISPLAY_UNITS = {"rad": ("deg", 180 / pi), "rad/s": ("deg/s", 180 / pi)}
"""Unit -> its display unit, and the factor to it."""

_FACTOR = re.compile(r"(?P<unit>[A-Za-z]+)(?P<exponent>[+-]?[1-9]\d*)?")


def si_exponents(unit: str) -> Exponents:
    """The exponents of the SI base units in a unit such as 'N.m.s/rad', 'kg.m2' or 'W/(m2.K)'.

    A dot multiplies. A slash, of which there may be one, divides by the factor, or the product in parentheses, after it. '1' means no unit.
    Raises InputError for anything else.

    Source: Modelica Language Specification 3.6, chapter 19 (unit expressions), which FMI recommends.
    """
    numerator, slash, denominator = unit.partition("/")
    if slash and denominator.startswith("(") and denominator.endswith(")"):
        denominator = denominator[1:-1]
    elif "." in denominator:
        raise InputError(f"unit '{unit}': the divisor is ambiguous. Write it in parentheses, as in 'W/(m2.K)'.")
    exponents: defaultdict[str, float] = defaultdict(int)
    products = [*([(1, numerator)] if numerator != "1" else []), *([(-1, denominator)] if slash else [])]
    for sign, product in products:
        for base, exponent in _factors(product, unit):
            exponents[base] += sign * exponent
    return {base: exponents[base] for base in _BASE_UNITS if exponents[base]}


def _factors(product: str, unit: str) -> Iterator[tuple[str, float]]:
    for factor in product.split("."):
        match = _FACTOR.fullmatch(factor)
        if match is None or match["unit"] not in _UNITS:
            raise InputError(f"unit '{unit}': unknown unit '{factor}'. Known units: {', '.join(_UNITS)}. Write products as in 'N.m.s/rad'.")
        for base, exponent in _UNITS[match["unit"]].items():
            yield base, exponent * int(match["exponent"] or 1)
