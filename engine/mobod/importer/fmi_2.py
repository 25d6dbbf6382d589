"""Fmi2: how FMUs of FMI 2.0 are loaded and called. Those of FMI 1.0 get the same functions."""

import ctypes
from collections.abc import Mapping, Sized
from dataclasses import dataclass, field
from math import inf
from typing import Any, final

from fmpy.fmi2 import FMU2Model, FMU2Slave, fmi2EventInfo
from fmpy.model_description import ModelDescription
from lxml import etree

from mobod.errors import FmuError
from mobod.fmi.loading import Interface, Loading, NewInstance
from mobod.importer.fmi_calls import ExperimentArguments, FmiCalls, StateFunctions
from mobod.importer.kinds import KINDS
from mobod.importer.step_outcome import StepOutcome

_LAST_SUCCESSFUL_TIME, _TERMINATED = 2, 3  # of fmi2StatusKind
_DONE = StepOutcome()


_BINDINGS: dict[Interface, type] = {"co-simulation": FMU2Slave, "model-exchange": FMU2Model}


@final
class Fmi2Loading:
    """See Loading."""

    digit = "2"
    is_called_in_c = True
    keeps_categories = False

    def binding(self, interface: Interface) -> type:
        return _BINDINGS[interface]

    def instantiating(self, _interface: Interface) -> str:
        return "fmi2Instantiate"

    def instantiate(self, fmu: Any, new: NewInstance) -> None:
        fmu.instantiate(callbacks=new.log.callbacks, loggingOn=True)

    def spelled(self, function: str, _interface: Interface) -> str:
        return function


@final
@dataclass(frozen=True)
class Fmi2:
    """The calls that differ between versions.

    loading                  of the library
    has_initialization_mode  where inputs are set
    names_states             whether the description says which variables are the continuous states
    """

    loading: Loading = field(default_factory=Fmi2Loading)
    has_initialization_mode: bool = True
    names_states: bool = True

    kinds = KINDS["2"]
    boolean = ctypes.c_int
    rates = "GetDerivatives"
    of_state = StateFunctions(
        "GetFMUstate", "SetFMUstate", "FreeFMUstate", "SerializedFMUstateSize", "SerializeFMUstate", "DeSerializeFMUstate", ctypes.c_char
    )

    def capability(self, name: str) -> str:
        """The name of a capability, which is given as in FMI 2.0."""
        return name

    def typed(self, variable: "etree._Element") -> "etree._Element":
        """The element of modelDescription.xml with the type of a variable."""
        return next((child for child in variable if child.tag in self.kinds), variable)

    def counted(self, values: Sized) -> tuple[object, ...]:
        """An array as arguments of a function."""
        return (values,)

    def set_up(self, fmu: FmiCalls, experiment: ExperimentArguments) -> None:
        """Set up the experiment before start values are set."""
        fmu.call("SetupExperiment", *experiment)

    def enter_initialization(self, fmu: FmiCalls, _experiment: ExperimentArguments) -> None:
        fmu.call("EnterInitializationMode")

    def do_step(self, fmu: FmiCalls, time: float, step: float, *, may_return: bool) -> StepOutcome:
        """Step from time to time + step (s). may_return: whether a state may be restored from before"""
        fmu.call("DoStep", time, step, not may_return)
        return _DONE

    def after_discard(self, fmu: FmiCalls, start: float, end: float) -> tuple[bool, float | None]:
        """What the FMU says of a step that it discarded: whether it ended the simulation, and how far it came (s), if it says it."""
        has_ended, reached = ctypes.c_int(0), ctypes.c_double(start)
        says_end = _answers(fmu, "GetBooleanStatus", _TERMINATED, has_ended)
        says_time = _answers(fmu, "GetRealStatus", _LAST_SUCCESSFUL_TIME, reached) and start <= reached.value <= end
        return says_end and bool(has_ended.value), reached.value if says_time else None

    def update_discrete_states(self, fmu: FmiCalls) -> tuple[bool, bool, float]:
        """Whether another update is needed, whether the FMU ends the simulation, and the time of its next event (s)."""
        info = fmi2EventInfo()
        fmu.call("NewDiscreteStates", ctypes.byref(info))
        next_event = info.nextEventTime if info.nextEventTimeDefined else inf
        return bool(info.newDiscreteStatesNeeded), bool(info.terminateSimulation), float(next_event)

    def sizes(self, _fmu: FmiCalls, description: ModelDescription) -> tuple[int, int]:
        """The numbers of continuous states and of event indicators."""
        return description.numberOfContinuousStates, int(description.numberOfEventIndicators or 0)

    def needs_steps(self, capabilities: Mapping[str, object]) -> bool:
        """Whether the FMU wants to know of each step of the integrator."""
        return capabilities.get("completedIntegratorStepNotNeeded") is not True


def _answers(fmu: FmiCalls, function: str, kind: int, value: "ctypes.c_int | ctypes.c_double") -> bool:
    try:
        fmu.call(function, kind, ctypes.byref(value))
    except FmuError:  # the FMU need not know it
        return False
    return True
