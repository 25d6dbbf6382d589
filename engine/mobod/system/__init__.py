"""System, Subsystem, State and Stage: what depends on what, and when it is computed. No mechanics."""

from mobod.system.custom_element import CustomElement
from mobod.system.custom_subsystem import CustomSubsystem
from mobod.system.handles import CacheEntry, Continuous, ContinuousVariable, DiscreteVariable, Label
from mobod.system.layout import Layout
from mobod.system.stage import Stage
from mobod.system.state import State
from mobod.system.subsystem import Subsystem
from mobod.system.system import System
from mobod.system.variable import Variable

__all__ = [
    "CacheEntry",
    "Continuous",
    "ContinuousVariable",
    "CustomElement",
    "CustomSubsystem",
    "DiscreteVariable",
    "Label",
    "Layout",
    "Stage",
    "State",
    "Subsystem",
    "System",
    "Variable",
]
