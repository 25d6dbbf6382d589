"""Which functions the standard allows in which modes, and arguments for a call of each."""

import ctypes
from typing import Literal

from fmpy.fmi2 import fmi2EventInfo

from mobod.acceptance.behaviour.probe import Probe
from mobod.acceptance.behaviour.walk import StateVector, Walk
from mobod.fmi.loading import Interface
from mobod.importer.kinds import KINDS
from mobod.importer.variable import ForeignVariable

Mode = Literal["instantiated", "initialization", "event", "continuous", "step", "terminated"]

MODES: dict[Interface, tuple[Mode, ...]] = {
    "co-simulation": ("instantiated", "initialization", "step", "terminated"),
    "model-exchange": ("instantiated", "initialization", "event", "continuous", "terminated"),
}
_INIT: tuple[Mode, ...] = ("initialization",)
_NEW: tuple[Mode, ...] = ("instantiated",)
_RUNS: tuple[Mode, ...] = ("event", "continuous", "step")

# The functions that change the mode or the time: by the state machines of FMI 2.0.5, 3.2.3 and 4.2.4, and of FMI 3.0.2, 2.3, 3.2 and 4.2
SEQUENCE: dict[str, dict[str, tuple[Mode, ...]]] = {
    "2": {
        "SetupExperiment": _NEW,
        "EnterInitializationMode": _NEW,
        "ExitInitializationMode": _INIT,
        "Terminate": _RUNS,
        "DoStep": ("step",),
        "EnterEventMode": ("event", "continuous"),
        "NewDiscreteStates": ("event",),
        "EnterContinuousTimeMode": ("event",),
        "CompletedIntegratorStep": ("continuous",),
        "SetTime": ("event", "continuous"),
        "SetContinuousStates": ("continuous",),
    },
    "3": {
        "EnterInitializationMode": _NEW,
        "ExitInitializationMode": _INIT,
        "Terminate": _RUNS,
        "DoStep": ("step",),
        "EnterEventMode": ("continuous",),
        "EnterContinuousTimeMode": ("event",),
        "SetTime": ("event", "continuous"),  # in Event Mode it does no harm, and many FMUs allow it
        "SetContinuousStates": ("continuous",),
    },
}
_READABLE: tuple[Mode, ...] = ("initialization", "event", "continuous", "step", "terminated")
_SETTABLE: tuple[Mode, ...] = ("instantiated", "initialization", "event", "continuous", "step")
_OF_ME: tuple[Mode, ...] = ("initialization", "event", "continuous", "terminated")

# Other functions; many correct FMUs are more lenient with these
DATA: dict[str, dict[str, tuple[Mode, ...]]] = {
    "2": {
        "Get": _READABLE,
        "Set": _SETTABLE,
        "GetDirectionalDerivative": _READABLE,
        "GetDerivatives": _OF_ME,
        "GetContinuousStates": _OF_ME,
        "GetEventIndicators": _OF_ME,
        "GetNominalsOfContinuousStates": ("instantiated", *_OF_ME),
        "SetRealInputDerivatives": _SETTABLE,
        "GetRealOutputDerivatives": ("step", "terminated"),
        "CancelStep": (),
        "GetStatus": ("step", "terminated"),
        "GetRealStatus": ("step", "terminated"),
        "GetBooleanStatus": ("step", "terminated"),
    },
    "3": {
        "Get": ("instantiated", *_READABLE),
        "Set": _SETTABLE,
        "GetDirectionalDerivative": _READABLE,
        "GetAdjointDerivative": _READABLE,
        "GetContinuousStateDerivatives": _OF_ME,
        "GetContinuousStates": _OF_ME,
        "GetEventIndicators": _OF_ME,
        "GetNominalsOfContinuousStates": _OF_ME,
        "GetOutputDerivatives": ("step", "terminated"),
        "EnterConfigurationMode": _NEW,
        "ExitConfigurationMode": (),
        "EvaluateDiscreteStates": ("event",),
        "UpdateDiscreteStates": ("event",),
        "CompletedIntegratorStep": ("continuous",),
        "EnterStepMode": (),
    },
}

_ONLY: dict[Interface, frozenset[str]] = {
    "co-simulation": frozenset(
        {"DoStep", "EnterStepMode", "SetRealInputDerivatives", "GetRealOutputDerivatives", "GetOutputDerivatives", "CancelStep"}
        | {"GetStatus", "GetRealStatus", "GetBooleanStatus"}
    ),
    "model-exchange": frozenset(
        {"NewDiscreteStates", "EnterContinuousTimeMode", "CompletedIntegratorStep", "SetTime", "SetContinuousStates", "GetDerivatives"}
        | {"GetContinuousStateDerivatives", "GetContinuousStates", "GetEventIndicators", "GetNominalsOfContinuousStates"}
    ),
}


def belongs_to(function: str, interface: Interface) -> bool:
    """Whether an FMU with only this interface has to have the function."""
    return all(each == interface or function not in only for each, only in _ONLY.items())


def go_to(probe: Probe, mode: Mode, steps: int = 1) -> None:
    """Bring a new instance to a mode."""
    if mode == "instantiated":
        return
    probe.enter_initialization()
    if mode == "initialization":
        return
    probe.exit_initialization()
    if mode == "event":
        probe.where = "in Event Mode"
        return
    walk = Walk(probe)
    walk.begin()
    walk.walk(0, steps)
    if mode == "terminated":
        probe.call("Terminate")
        probe.where = "after the end"


def arguments(probe: Probe, function: str, variable: ForeignVariable | None, time: float) -> list[object] | None:
    """Arguments with which the function would be right in its modes; None if this FMU gives none.

    variable  that Get and Set access
    """
    tested, is_2 = probe.tested, probe.fmi_version == "2"
    experiment = tested.experiment
    tolerance = (experiment.tolerance is not None, experiment.tolerance or 0.0)
    if function == "SetupExperiment" or (function == "EnterInitializationMode" and not is_2):
        return [*tolerance, experiment.start, True, experiment.stop]
    if function == "DoStep":
        said = [] if is_2 else [ctypes.byref(each()) for each in (ctypes.c_bool, ctypes.c_bool, ctypes.c_bool, ctypes.c_double)]
        return [time, experiment.step, True, *said]
    if function == "SetTime":
        return [time]
    if function == "NewDiscreteStates":
        return [ctypes.byref(fmi2EventInfo())]
    if function == "UpdateDiscreteStates":
        return [*(ctypes.byref(ctypes.c_bool()) for _ in range(5)), ctypes.byref(ctypes.c_double())]
    if function == "CompletedIntegratorStep":
        return [True, ctypes.byref(ctypes.c_int()), ctypes.byref(ctypes.c_int())]
    if function in ("GetStatus", "GetRealStatus", "GetBooleanStatus"):
        return [{"GetStatus": 0, "GetRealStatus": 2, "GetBooleanStatus": 3}[function], ctypes.byref(ctypes.c_double())]
    if function in ("Get", "Set"):
        return None if variable is None else access(probe, variable, function)
    if function == "GetEventIndicators":
        count = StateVector(probe).indicators
        return [(ctypes.c_double * count)(), count] if count else None
    if "ContinuousState" in function or function.endswith("Derivatives"):
        return _vector(probe, function)
    if "Derivative" in function:
        return None  # checked where it is allowed
    return []


def _vector(probe: Probe, function: str) -> list[object] | None:
    if function in _ONLY["co-simulation"] or probe.interface != "model-exchange":
        return None
    count = StateVector(probe).count
    return [(ctypes.c_double * count)(), count] if count else None


def access(probe: Probe, variable: ForeignVariable, verb: str, reference: int | None = None) -> list[object]:
    """The arguments of Get or Set for a variable, with its start values; or for another value reference."""
    kind = variable.kind
    assert kind is not None  # accessible variables have one
    size = probe.size(variable)
    values = (kind.c_type * size)()
    start = variable.start_values
    if verb == "Set" and start is not None and len(start) in (1, size):
        values[:] = [kind.to_c(each) for each in (start if len(start) == size else start * size)]
    references = (ctypes.c_uint * 1)(variable.reference if reference is None else reference)
    return [references, 1, *probe.version.counted(values)]


def kinds_of(fmi_version: str) -> list[str]:
    """The endings of the functions that get and set values."""
    return sorted({kind.ending for kind in KINDS[fmi_version].values()})
