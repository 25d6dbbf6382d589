"""SteadyMotion: constant speeds."""

from dataclasses import dataclass
from typing import Annotated, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import real_numbers
from mobod.errors import InputError
from mobod.matter.equations.motion_equations import MotionEquations
from mobod.matter.motion import Motion
from mobod.scalar import Array, Scalar
from mobod.system.elements import Given, Parameter, argument


@final
@dataclass(frozen=True)
class SteadyEquations(MotionEquations):
    """u = rate."""

    rate_of_u: tuple[float, ...]
    unit: str

    level = "velocity"

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return (Parameter(name="rate_of_u", unit=self.unit, description="speeds", shape=(len(self.rate_of_u),)),)

    def value(self, t: Scalar) -> Array:
        return np.array(self.rate_of_u)


def checked_rates(rate: object, what: str) -> tuple[float, ...]:
    """One number or several. Raises InputError unless they are finite."""
    rates = np.atleast_1d(real_numbers(rate, what))
    if rates.ndim != 1 or not np.isfinite(rates).all():
        raise InputError(f"{what} cannot be {rate!r}: finite numbers are needed.")
    return tuple(rates.tolist())


@final
class SteadyMotion(Motion):
    """Speeds that do not change.

    rate  (nu,) in the units of the speeds, or one number for all of them
    """

    rate: Given[Annotated[tuple[float, ...], checked_rates], ArrayLike] = argument("of each speed, or one for all", kw_only=False)

    def make_equations(self) -> SteadyEquations:
        """A speed for each degree of freedom."""
        body = self.body
        if len(self.rate) not in (1, body.nu):
            raise InputError(f"SteadyMotion of '{body.name}': the rate is one number or {body.nu} of them, not {list(self.rate)}.")
        self.rate = self.rate * body.nu if len(self.rate) == 1 else self.rate
        units = set(body.equations.u_units)
        return SteadyEquations(self.rate, units.pop() if len(units) == 1 else "1")
