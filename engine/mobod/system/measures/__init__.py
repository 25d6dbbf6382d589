"""Measures: numbers that are computed along with a State, recorded in results and FMUs, and read by elements and by other measures."""

from mobod.system.measures.arithmetic import Minus, Plus, Scale
from mobod.system.measures.constant import Constant, Variable
from mobod.system.measures.custom import Custom
from mobod.system.measures.delay import Delay
from mobod.system.measures.differentiate import Differentiate
from mobod.system.measures.integrate import Integrate
from mobod.system.measures.measure import Measure
from mobod.system.measures.subsystem import MeasureSubsystem
from mobod.system.measures.time import Sinusoid, Time

__all__ = [
    "Constant",
    "Custom",
    "Delay",
    "Differentiate",
    "Integrate",
    "Measure",
    "MeasureSubsystem",
    "Minus",
    "Plus",
    "Scale",
    "Sinusoid",
    "Time",
    "Variable",
]
