"""One file for each kind of motion: its equations, and the motion that has them."""

from mobod.matter.motions.function import FunctionMotion
from mobod.matter.motions.sinusoid import SinusoidMotion
from mobod.matter.motions.steady import SteadyMotion

__all__ = ["FunctionMotion", "SinusoidMotion", "SteadyMotion"]
