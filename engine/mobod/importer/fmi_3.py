"""Fmi3: how FMUs of FMI 3.0 are loaded and called."""

import ctypes
from collections.abc import Mapping, Sized
from math import inf
from typing import Any, final

from fmpy.fmi3 import FMU3Model, FMU3Slave
from fmpy.model_description import ModelDescription
from lxml import etree

from mobod.fmi.loading import Interface, NewInstance
from mobod.importer.fmi_calls import ExperimentArguments, FmiCalls, StateFunctions
from mobod.importer.kinds import KINDS
from mobod.importer.step_outcome import StepOutcome

_CAPABILITIES = {
    "canGetAndSetFMUstate": "canGetAndSetFMUState",
    "canSerializeFMUstate": "canSerializeFMUState",
    "providesDirectionalDerivative": "providesDirectionalDerivatives",
}


_BINDINGS: dict[Interface, type] = {"co-simulation": FMU3Slave, "model-exchange": FMU3Model}


@final
class Fmi3Loading:
    """See Loading."""

    digit = "3"
    is_called_in_c = keeps_categories = True

    def binding(self, interface: Interface) -> type:
        return _BINDINGS[interface]

    def instantiating(self, interface: Interface) -> str:
        return f"fmi3Instantiate{interface.title().replace('-', '')}"

    def instantiate(self, fmu: Any, new: NewInstance) -> None:
        options: dict[str, object] = {"eventModeUsed": True, "earlyReturnAllowed": True} if new.with_events else {}
        inputs = new.inputs_within
        if inputs is not None:

            def update(_environment: object, time: float, sets: bool, *_: object) -> None:
                """The callback for intermediate updates."""
                if sets:
                    inputs.update(time)

            options |= {"intermediateUpdate": update, "requiredIntermediateVariables": inputs.references}
        fmu.instantiate(loggingOn=True, logMessage=new.log.receive, **options)

    def spelled(self, function: str, _interface: Interface) -> str:
        return function


@final
class Fmi3:
    """The calls that differ between versions, with the meaning that Fmi2 gives them."""

    loading = Fmi3Loading()
    has_initialization_mode = names_states = True
    kinds = KINDS["3"]
    boolean = ctypes.c_bool
    rates = "GetContinuousStateDerivatives"
    of_state = StateFunctions(
        "GetFMUState", "SetFMUState", "FreeFMUState", "SerializedFMUStateSize", "SerializeFMUState", "DeserializeFMUState", ctypes.c_ubyte
    )

    def capability(self, name: str) -> str:
        return _CAPABILITIES.get(name, name)

    def typed(self, variable: "etree._Element") -> "etree._Element":
        return variable

    def counted(self, values: Sized) -> tuple[object, ...]:
        return values, len(values)

    def set_up(self, _fmu: FmiCalls, _experiment: ExperimentArguments) -> None:
        """The experiment is set up where initialization begins."""

    def enter_initialization(self, fmu: FmiCalls, experiment: ExperimentArguments) -> None:
        fmu.call("EnterInitializationMode", *experiment)

    def do_step(self, fmu: FmiCalls, time: float, step: float, *, may_return: bool) -> StepOutcome:
        needs_event, ends, is_early, reached = ctypes.c_bool(), ctypes.c_bool(), ctypes.c_bool(), ctypes.c_double(time)
        byref = ctypes.byref
        fmu.call("DoStep", time, step, not may_return, byref(needs_event), byref(ends), byref(is_early), byref(reached))
        return StepOutcome(0, needs_event.value, ends.value, is_early.value, reached.value)

    def after_discard(self, _fmu: FmiCalls, _start: float, _end: float) -> tuple[bool, float | None]:
        return False, None

    def update_discrete_states(self, fmu: FmiCalls) -> tuple[bool, bool, float]:
        needs_more, ends, nominals, values, has_next = (ctypes.c_bool() for _ in range(5))
        next_event = ctypes.c_double(inf)
        fmu.call("UpdateDiscreteStates", *(ctypes.byref(each) for each in (needs_more, ends, nominals, values, has_next, next_event)))
        return needs_more.value, ends.value, next_event.value if has_next.value else inf

    def sizes(self, fmu: FmiCalls, _description: ModelDescription) -> tuple[int, int]:
        numbers = ctypes.c_size_t(), ctypes.c_size_t()
        for number, of in zip(numbers, ("ContinuousStates", "EventIndicators"), strict=True):
            fmu.call(f"GetNumberOf{of}", ctypes.byref(number))
        return numbers[0].value, numbers[1].value

    def needs_steps(self, capabilities: Mapping[str, object]) -> bool:
        return capabilities.get("needsCompletedIntegratorStep") is True
