"""SteadyMotion: constant speeds."""

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.equations.motion_equations import MotionEquations
from mobod.matter.motion import Motion, checked_body
from mobod.real_numbers import real_numbers
from mobod.scalar import Array, Scalar
from mobod.system.elements import Parameter


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


@final
class SteadyMotion(Motion):
    """Speeds that do not change.

    rate  (nu,) in the units of the speeds, or one number for all of them
    """

    def __init__(self, body: MobilizedBody, rate: ArrayLike, *, disabled: bool = False):
        super().__init__(body, _equations(body, rate), disabled=disabled)


def _equations(body: MobilizedBody, rate: ArrayLike) -> SteadyEquations:
    what = f"SteadyMotion of '{checked_body(body, 'SteadyMotion').name}': the rate"
    rates = real_numbers(rate, what)
    if rates.shape not in ((), (1,), (body.nu,)):
        raise InputError(f"{what} is one number or {body.nu} of them, not {rate!r}.")
    rates = np.broadcast_to(rates, (body.nu,))
    if not np.isfinite(rates).all():
        raise InputError(f"{what} cannot be {rate!r}: not a finite number.")
    units = set(body.equations.u_units)
    return SteadyEquations(tuple(rates.tolist()), units.pop() if len(units) == 1 else "1")
