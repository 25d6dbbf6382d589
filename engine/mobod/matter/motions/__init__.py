"""One file for each kind of motion: its equations, and the motion that has them."""

from mobod.matter.motions.custom import CustomMotion as CustomMotion
from mobod.matter.motions.function import FunctionMotion as FunctionMotion
from mobod.matter.motions.input import InputMotion as InputMotion
from mobod.matter.motions.sinusoid import SinusoidMotion as SinusoidMotion
from mobod.matter.motions.steady import SteadyMotion as SteadyMotion
