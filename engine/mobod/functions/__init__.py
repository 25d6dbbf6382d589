"""Functions of numbers with their derivatives: of mobilizers, couplers, motions and forces. They can be recorded."""

from typing import TYPE_CHECKING

from mobod.functions.constant import Constant as Constant
from mobod.functions.function import Function as Function
from mobod.functions.linear import Linear as Linear
from mobod.functions.multi_poly import MultiPoly as MultiPoly
from mobod.functions.polynomial import Polynomial as Polynomial
from mobod.functions.sinusoid import Sinusoid as Sinusoid
from mobod.functions.spline import Spline as Spline
from mobod.functions.step import Step as Step


def __dir__() -> list[str]:
    return sorted(name for name, each in globals().items() if isinstance(each, type))


if not TYPE_CHECKING:  # type checkers see the imports
    __all__ = __dir__()
