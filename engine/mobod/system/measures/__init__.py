"""Measures: numbers that are computed along with a State, recorded in results and FMUs, and read by elements and by other measures."""

from typing import TYPE_CHECKING

from mobod.system.measures.arithmetic import Minus as Minus
from mobod.system.measures.arithmetic import Plus as Plus
from mobod.system.measures.arithmetic import Scale as Scale
from mobod.system.measures.constant import Constant as Constant
from mobod.system.measures.constant import Variable as Variable
from mobod.system.measures.custom import Custom as Custom
from mobod.system.measures.custom import CustomMeasure as CustomMeasure
from mobod.system.measures.delay import Delay as Delay
from mobod.system.measures.differentiate import Differentiate as Differentiate
from mobod.system.measures.extreme import MaxAbs as MaxAbs
from mobod.system.measures.extreme import Maximum as Maximum
from mobod.system.measures.extreme import MinAbs as MinAbs
from mobod.system.measures.extreme import Minimum as Minimum
from mobod.system.measures.integrate import Integrate as Integrate
from mobod.system.measures.measure import Measure as Measure
from mobod.system.measures.sample_and_hold import SampleAndHold as SampleAndHold
from mobod.system.measures.subsystem import MeasureSubsystem as MeasureSubsystem
from mobod.system.measures.time import Sinusoid as Sinusoid
from mobod.system.measures.time import Time as Time


def __dir__() -> list[str]:
    return sorted(name for name, each in globals().items() if isinstance(each, type))


if not TYPE_CHECKING:  # type checkers see the imports
    __all__ = __dir__()
