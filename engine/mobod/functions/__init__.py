"""Functions of numbers with their derivatives: of mobilizers, couplers, motions and forces. They can be recorded."""

from mobod.functions.constant import Constant
from mobod.functions.function import Function
from mobod.functions.linear import Linear
from mobod.functions.multi_poly import MultiPoly
from mobod.functions.polynomial import Polynomial
from mobod.functions.sinusoid import Sinusoid
from mobod.functions.spline import Spline
from mobod.functions.step import Step

__all__ = ["Constant", "Function", "Linear", "MultiPoly", "Polynomial", "Sinusoid", "Spline", "Step"]


def __dir__() -> list[str]:
    return sorted(__all__)
