"""System, Subsystem, State, Stage and events: the dependencies of values and the order of their computation. No mechanics."""

from mobod.system import measures
from mobod.system.boundary import check_state as check_state
from mobod.system.custom_element import CustomElement
from mobod.system.custom_subsystem import CustomSubsystem
from mobod.system.events.handler_actions import NEVER, HandlerActions
from mobod.system.events.handlers import EventHandler, EventReporter
from mobod.system.events.kinds import (
    InitializationEventHandler,
    PeriodicEventHandler,
    PeriodicEventReporter,
    ScheduledEventHandler,
    ScheduledEventReporter,
    TerminationEventHandler,
    TimeAdvancedEventHandler,
    TriggeredEventHandler,
    TriggeredEventReporter,
    WitnessCall,
)
from mobod.system.stage import Stage
from mobod.system.state.handles import CacheEntry, Continuous, ContinuousVariable, DiscreteVariable, Label
from mobod.system.state.layout import Layout
from mobod.system.state.saved_numbers import Numbers, flags
from mobod.system.state.state import State
from mobod.system.subsystem import Subsystem
from mobod.system.system import System
from mobod.system.variable import CatalogueVariable

__all__ = [
    "NEVER",
    "CacheEntry",
    "CatalogueVariable",
    "Continuous",
    "ContinuousVariable",
    "CustomElement",
    "CustomSubsystem",
    "DiscreteVariable",
    "EventHandler",
    "EventReporter",
    "HandlerActions",
    "InitializationEventHandler",
    "Label",
    "Layout",
    "Numbers",
    "PeriodicEventHandler",
    "PeriodicEventReporter",
    "ScheduledEventHandler",
    "ScheduledEventReporter",
    "Stage",
    "State",
    "Subsystem",
    "System",
    "TerminationEventHandler",
    "TimeAdvancedEventHandler",
    "TriggeredEventHandler",
    "TriggeredEventReporter",
    "WitnessCall",
    "flags",
    "measures",
]
