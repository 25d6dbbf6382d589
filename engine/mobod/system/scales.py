"""Scales: the sizes of a System's lengths, times and masses, in its own units."""

from dataclasses import dataclass
from functools import cache
from typing import final

from mobod.errors import InputError
from mobod.system.units import si_exponents

NAMES = ("length_scale", "time_scale", "mass_scale")
"""Their names as options."""


@final
@dataclass(frozen=True)
class Scales:
    """Errors and tolerances of a number are relative to the scale of its unit plus its size; see fmu_src/native/tables/scales.h.

    length, time, mass   in the unit of the System: m, s, kg
    """

    length: float = 1.0
    time: float = 1.0
    mass: float = 1.0

    def of(self, unit: str) -> float:
        """The scale of numbers with this unit: 1 for angles, and for numbers without a unit or with one that is not known."""
        length, time, mass = _exponents(unit)
        return float(self.length**length * self.time**time * self.mass**mass)


def has_length(unit: str) -> bool:
    """Whether numbers with this unit depend on the unit of lengths."""
    return _exponents(unit)[0] != 0


SI = Scales()
"""The scales of FMUs that have none: 1 in each unit."""


@cache
def _exponents(unit: str) -> tuple[float, float, float]:
    try:
        exponents = si_exponents(unit)
    except InputError:  # of a user's variable, which may have any text
        return 0, 0, 0
    return exponents.get("m", 0), exponents.get("s", 0), exponents.get("kg", 0)
