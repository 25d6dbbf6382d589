"""System, Subsystem, State and Stage: what depends on what, and when it is computed. No mechanics."""

from mobod.system import measures
from mobod.system.handles import CacheEntry, Continuous, DiscreteVariable
from mobod.system.layout import Layout
from mobod.system.stage import Stage
from mobod.system.state import State
from mobod.system.subsystem import Subsystem
from mobod.system.system import System
from mobod.system.variable import Variable

__all__ = ["CacheEntry", "Continuous", "DiscreteVariable", "Layout", "Stage", "State", "Subsystem", "System", "Variable", "measures"]
