"""Conversion of a number from the unit of an output to that of an input."""

from dataclasses import dataclass
from math import isclose
from typing import final

from fmpy.model_description import Unit

_EXPONENTS = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
_POWER = {"kg": 1, "m": 2, "s": -3}


@final
@dataclass(frozen=True)
class UnitConversion:
    """value in the new unit = factor * value + offset"""

    factor: float = 1.0
    offset: float = 0.0


def conversion(given: Unit, wanted: Unit, *, relative: tuple[bool, bool] = (False, False)) -> UnitConversion | None:
    """From one unit to another with the same base units; None if there is none.

    relative  whether each is the unit of a difference, such as of two temperatures, to which the offset of the unit does not apply

    Tools write 'N.m', 'Nm' and 'N m': names count only for a unit without a definition.
    """
    one, other = given.baseUnit, wanted.baseUnit
    if one is None or other is None:
        return UnitConversion() if given.name == wanted.name else None
    if any(getattr(one, letter) != getattr(other, letter) for letter in _EXPONENTS) or not other.factor:
        return None
    # tools write factors such as pi/180 with 15 or more digits
    factor = 1.0 if isclose(one.factor, other.factor, rel_tol=1e-12) else one.factor / other.factor
    offset = 0.0 if isclose(one.offset, other.offset, rel_tol=1e-12) else (one.offset - other.offset) / other.factor
    if offset and relative[0] != relative[1]:
        return None
    return UnitConversion(factor, 0.0 if all(relative) else offset)


def is_power(effort: Unit, flow: Unit) -> bool | None:
    """Whether the product of two units is a power, where radians count as no unit; None if that is not known."""
    one, other = effort.baseUnit, flow.baseUnit
    if one is None or other is None:
        return None
    return all(getattr(one, letter) + getattr(other, letter) == _POWER.get(letter, 0) for letter in _EXPONENTS if letter != "rad")


def described(unit: Unit) -> str:
    """'deg (0.0174533 rad)', 'm (m)', or only the name if the unit has no definition."""
    base = unit.baseUnit
    if base is None:
        return f"'{unit.name}'"
    exponents = [(letter, getattr(base, letter)) for letter in _EXPONENTS]
    powers = [letter if exponent == 1 else f"{letter}^{exponent}" for letter, exponent in exponents if exponent]
    factor = [f"{base.factor:g}"] if base.factor != 1 or not powers else []
    offset = f", zero at {base.offset:g}" if base.offset else ""
    return f"'{unit.name}' ({' '.join(factor + powers)}{offset})"
