"""Measures: numbers that are computed along with a State, recorded in results and FMUs, and read by elements and by other measures."""

from mobod.system.measures.arithmetic import Minus, Plus, Scale
from mobod.system.measures.constant import Constant, Variable
from mobod.system.measures.custom import Custom, CustomMeasure
from mobod.system.measures.delay import Delay
from mobod.system.measures.differentiate import Differentiate
from mobod.system.measures.extreme import MaxAbs, Maximum, MinAbs, Minimum
from mobod.system.measures.integrate import Integrate
from mobod.system.measures.measure import Measure
from mobod.system.measures.sample_and_hold import SampleAndHold
from mobod.system.measures.subsystem import MeasureSubsystem
from mobod.system.measures.time import Sinusoid, Time

__all__ = [
    "Constant",
    "Custom",
    "CustomMeasure",
    "Delay",
    "Differentiate",
    "Integrate",
    "MaxAbs",
    "Maximum",
    "Measure",
    "MeasureSubsystem",
    "MinAbs",
    "Minimum",
    "Minus",
    "Plus",
    "SampleAndHold",
    "Scale",
    "Sinusoid",
    "Time",
    "Variable",
]


def __dir__() -> list[str]:
    return sorted(__all__)
