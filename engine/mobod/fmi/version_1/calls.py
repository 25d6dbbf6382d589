"""FMUs of FMI 1.0, called by the functions of FMI 2.0.

The functions of the library have the model identifier before their name: `pendulum_fmiDoStep`.
"""

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any, final

from fmpy.fmi1 import _FMU, FMICallException

from mobod.fmi.fmu_log import FmuLog, log_of_fmi_1

_BOOLEAN = ctypes.c_byte
_COUNTED = {"vr": ctypes.POINTER(ctypes.c_uint), "nvr": ctypes.c_size_t}
_STATES = {"values": ctypes.POINTER(ctypes.c_double), "n": ctypes.c_size_t}
_INSTANCE: dict[str, Any] = {"c": ctypes.c_void_p}
_TERMINATED = 3  # of fmi2StatusKind; FMI 1.0 has no such question


class Fmi1Callbacks(ctypes.Structure):
    """fmiCallbackFunctions, which are passed by value."""

    _fields_ = [(name, ctypes.c_void_p) for name in ("logger", "allocate_memory", "free_memory", "step_finished")]


class _EventInfo(ctypes.Structure):
    _fields_ = [
        *((name, _BOOLEAN) for name in ("converged", "references_changed", "values_changed", "terminates", "has_next_event")),
        ("next_event", ctypes.c_double),
    ]


_ACCESS = {
    f"{verb}{kind}": {**_INSTANCE, **_COUNTED, "values": ctypes.POINTER(c_type)}
    for verb in ("Get", "Set")
    for kind, c_type in (("Real", ctypes.c_double), ("Integer", ctypes.c_int), ("Boolean", _BOOLEAN), ("String", ctypes.c_char_p))
}
_OF_SLAVES: dict[str, dict[str, Any]] = {
    "InstantiateSlave": {
        "instanceName": ctypes.c_char_p, "guid": ctypes.c_char_p, "fmuLocation": ctypes.c_char_p, "mimeType": ctypes.c_char_p,
        "timeout": ctypes.c_double, "visible": _BOOLEAN, "interactive": _BOOLEAN, "functions": Fmi1Callbacks, "loggingOn": _BOOLEAN,
    },
    "InitializeSlave": {**_INSTANCE, "tStart": ctypes.c_double, "stopTimeDefined": _BOOLEAN, "tStop": ctypes.c_double},
    "DoStep": {**_INSTANCE, "time": ctypes.c_double, "step": ctypes.c_double, "newStep": _BOOLEAN},
    "SetRealInputDerivatives": {
        **_INSTANCE, **_COUNTED, "order": ctypes.POINTER(ctypes.c_int), "values": ctypes.POINTER(ctypes.c_double),
    },
    "GetRealStatus": {**_INSTANCE, "kind": ctypes.c_int, "value": ctypes.POINTER(ctypes.c_double)},
    "TerminateSlave": _INSTANCE,
    "FreeSlaveInstance": _INSTANCE,
}  # fmt: skip
_OF_MODELS: dict[str, dict[str, Any]] = {
    "InstantiateModel": {
        "instanceName": ctypes.c_char_p, "guid": ctypes.c_char_p, "functions": Fmi1Callbacks, "loggingOn": _BOOLEAN,
    },
    "SetTime": {**_INSTANCE, "time": ctypes.c_double},
    "Initialize": {**_INSTANCE, "controlled": _BOOLEAN, "tolerance": ctypes.c_double, "eventInfo": ctypes.POINTER(_EventInfo)},
    "EventUpdate": {**_INSTANCE, "intermediateResults": _BOOLEAN, "eventInfo": ctypes.POINTER(_EventInfo)},
    "CompletedIntegratorStep": {**_INSTANCE, "callEventUpdate": ctypes.POINTER(_BOOLEAN)},
    **{
        name: {**_INSTANCE, **_STATES}
        for name in ("SetContinuousStates", "GetContinuousStates", "GetNominalContinuousStates", "GetDerivatives", "GetEventIndicators")
    },
    "Terminate": _INSTANCE,
    "FreeModelInstance": _INSTANCE,
}  # fmt: skip
_NAMES = {  # of FMI 1.0, where they differ by more than the digit
    "co-simulation": {
        "EnterInitializationMode": "InitializeSlave",
        "Instantiate": "InstantiateSlave",
        "Terminate": "TerminateSlave",
        "FreeInstance": "FreeSlaveInstance",
    },
    "model-exchange": {
        "EnterInitializationMode": "Initialize",
        "Instantiate": "InstantiateModel",
        "FreeInstance": "FreeModelInstance",
        "NewDiscreteStates": "EventUpdate",
        "GetNominalsOfContinuousStates": "GetNominalContinuousStates",
    },
}


def name_in_fmi_1(function: str, interface: str) -> str:
    """fmiInitializeSlave for fmi2EnterInitializationMode: the function that is called in its place. Other texts stay."""
    if not function.startswith("fmi2"):
        return function
    name = function.removeprefix("fmi2")
    return f"fmi{_NAMES[interface].get(name, name)}"


class _Fmi1(_FMU):  # type: ignore[misc]  # fmpy has no types
    """Functions of both interfaces. Like a class of fmpy, and without a log of calls."""

    functions: Mapping[str, Mapping[str, Any]]
    negated: Mapping[int, int] = {}  # see Description1

    def _loadFunctions(self) -> None:
        self._log: FmuLog | None = None
        self._experiment: tuple[bool, float, float, bool, float] = (False, 0.0, 0.0, False, 0.0)
        for name, arguments in self.functions.items():
            function = getattr(self.dll, f"{self.modelIdentifier}_fmi{name}")
            function.argnames, function.argtypes = list(arguments), list(arguments.values())
            function.restype = ctypes.c_void_p if "Instantiate" in name else None if name.startswith("Free") else ctypes.c_int
            self._functions[name] = function

    def _do(self, name: str, *arguments: object) -> Any:
        with log_of_fmi_1(self._log):
            result = self._functions[name](*arguments)
        if self._functions[name].restype is ctypes.c_int and result not in (0, 1):
            raise FMICallException(f"fmi{name}", result)
        return result

    def _created(self, name: str, log: FmuLog, *arguments: object) -> None:
        self._log = log
        of_log = [getattr(log.callbacks, each) for each in ("logger", "allocateMemory", "freeMemory")]
        self.callbacks = Fmi1Callbacks(*(ctypes.cast(each, ctypes.c_void_p) for each in of_log), None)
        self.component = self._do(name, self.instanceName.encode(), str(self.guid).encode(), *arguments, self.callbacks, 1)
        if not self.component:
            self.component = None
            raise Exception(f"fmi{name} returned NULL")

    def fmi2SetupExperiment(
        self, _component: object, has_tolerance: bool, tolerance: float, start: float, has_stop: bool, stop: float
    ) -> None:
        self._experiment = has_tolerance, tolerance, start, has_stop, stop

    def fmi2ExitInitializationMode(self, component: Any) -> None:
        """The FMU is initialized when initialization mode begins, so that outputs are known in it."""

    def _access(self, name: str, component: Any, references: Any, n: int, values: Any) -> int:
        """Get or set values. Variables with the negative value of another one have references of their own."""
        signs = [reference in self.negated for reference in references] if self.negated else []
        if not any(signs):
            return int(self._do(name, component, references, n, values))
        own = type(references)(*(self.negated.get(reference, reference) for reference in references))
        is_boolean = name.endswith("Boolean")

        def signed(each: Any) -> list[Any]:
            return [(not value if is_boolean else -value) if sign else value for value, sign in zip(each, signs, strict=True)]

        if name.startswith("Set"):
            return int(self._do(name, component, own, n, type(values)(*signed(values))))
        status = int(self._do(name, component, own, n, values))
        values[:] = signed(values)
        return status

    def _boolean(self, name: str, component: Any, references: object, n: int, values: Any) -> int:
        own = (_BOOLEAN * n)(*(bool(each) for each in values))
        status = self._access(name, component, references, n, own)
        values[:] = [bool(each) for each in own]
        return status

    def fmi2GetReal(self, *arguments: Any) -> int:
        return self._access("GetReal", *arguments)

    def fmi2SetReal(self, *arguments: Any) -> int:
        return self._access("SetReal", *arguments)

    def fmi2GetInteger(self, *arguments: Any) -> int:
        return self._access("GetInteger", *arguments)

    def fmi2SetInteger(self, *arguments: Any) -> int:
        return self._access("SetInteger", *arguments)

    def fmi2GetBoolean(self, *arguments: Any) -> int:
        return self._boolean("GetBoolean", *arguments)

    def fmi2SetBoolean(self, *arguments: Any) -> int:
        return self._boolean("SetBoolean", *arguments)

    def fmi2GetString(self, *arguments: object) -> int:
        return int(self._do("GetString", *arguments))

    def fmi2SetString(self, *arguments: object) -> int:
        return int(self._do("SetString", *arguments))


@final
class Fmi1Slave(_Fmi1):
    """An FMU for co-simulation."""

    functions: Mapping[str, Mapping[str, Any]] = {**_ACCESS, **_OF_SLAVES}

    def instantiate(self, log: FmuLog, location: str, mime_type: str) -> None:
        """location: the URI of the folder that the FMU was unpacked to. Raises Exception if there is no instance, as fmpy does"""
        self._created("InstantiateSlave", log, location.encode(), mime_type.encode(), 0.0, 0, 0)

    def fmi2EnterInitializationMode(self, component: Any) -> None:
        _, _, start, has_stop, stop = self._experiment
        self._do("InitializeSlave", component, start, int(has_stop), stop)

    def fmi2DoStep(self, component: Any, time: float, step: float, _keeps_no_state: bool) -> int:
        return int(self._do("DoStep", component, time, step, 1))

    def fmi2GetRealStatus(self, component: Any, kind: int, value: object) -> int:
        return int(self._do("GetRealStatus", component, kind, value))

    def fmi2GetBooleanStatus(self, component: Any, kind: int, value: Any) -> int:
        """Whether it has ended the simulation, which a slave of FMI 1.0 cannot do."""
        assert kind == _TERMINATED
        value._obj.value = 0
        return 0

    def fmi2SetRealInputDerivatives(self, component: Any, references: Any, n: int, orders: object, values: Any) -> int:
        signs = [-1.0 if reference in self.negated else 1.0 for reference in references]
        own = type(references)(*(self.negated.get(reference, reference) for reference in references))
        signed = type(values)(*(sign * value for sign, value in zip(signs, values, strict=True)))
        return int(self._do("SetRealInputDerivatives", component, own, n, orders, signed))

    def fmi2Terminate(self, component: Any) -> int:
        return int(self._do("TerminateSlave", component))

    def fmi2FreeInstance(self, component: Any) -> None:
        self._do("FreeSlaveInstance", component)

    def freeInstance(self) -> None:
        self.fmi2FreeInstance(self.component)
        self.freeLibrary()


@final
class Fmi1Model(_Fmi1):
    """An FMU for model exchange."""

    functions: Mapping[str, Mapping[str, Any]] = {**_ACCESS, **_OF_MODELS}

    def instantiate(self, log: FmuLog, _location: str, _mime_type: str) -> None:
        """Raises Exception if there is no instance, as fmpy does."""
        self._info = _EventInfo()
        self._is_news = False  # whether the event info was not passed on yet
        self._created("InstantiateModel", log)

    def fmi2EnterInitializationMode(self, component: Any) -> None:
        has_tolerance, tolerance, start, *_ = self._experiment
        self._do("SetTime", component, start)
        self._do("Initialize", component, int(has_tolerance), tolerance, ctypes.byref(self._info))
        self._is_news = True

    def fmi2EnterEventMode(self, component: Any) -> None:
        """FMI 1.0 has no modes."""

    def fmi2EnterContinuousTimeMode(self, component: Any) -> None:
        """FMI 1.0 has no modes."""

    def fmi2NewDiscreteStates(self, component: Any, event_info: Any) -> None:
        """The initialization has updated them once."""
        if not self._is_news:
            self._do("EventUpdate", component, 0, ctypes.byref(self._info))
        self._is_news = False
        info, found = self._info, event_info._obj
        found.newDiscreteStatesNeeded = not info.converged
        found.terminateSimulation = bool(info.terminates)
        found.valuesOfContinuousStatesChanged = bool(info.values_changed)
        found.nominalsOfContinuousStatesChanged = bool(info.references_changed)  # other variables may now be the states
        found.nextEventTimeDefined = bool(info.has_next_event)
        found.nextEventTime = info.next_event

    def fmi2CompletedIntegratorStep(self, component: Any, _keeps_no_state: bool, wants_event: Any, terminates: Any) -> None:
        wants = _BOOLEAN()
        self._do("CompletedIntegratorStep", component, ctypes.byref(wants))
        wants_event._obj.value, terminates._obj.value = bool(wants.value), False

    def fmi2SetTime(self, component: Any, time: float) -> int:
        return int(self._do("SetTime", component, time))

    def fmi2SetContinuousStates(self, component: Any, values: Sequence[float], n: int) -> int:
        return int(self._do("SetContinuousStates", component, values, n))

    def fmi2GetContinuousStates(self, component: Any, values: object, n: int) -> int:
        return int(self._do("GetContinuousStates", component, values, n))

    def fmi2GetNominalsOfContinuousStates(self, component: Any, values: object, n: int) -> int:
        return int(self._do("GetNominalContinuousStates", component, values, n))

    def fmi2GetDerivatives(self, component: Any, values: object, n: int) -> int:
        return int(self._do("GetDerivatives", component, values, n))

    def fmi2GetEventIndicators(self, component: Any, values: object, n: int) -> int:
        return int(self._do("GetEventIndicators", component, values, n))

    def fmi2Terminate(self, component: Any) -> int:
        return int(self._do("Terminate", component))

    def fmi2FreeInstance(self, component: Any) -> None:
        self._do("FreeModelInstance", component)

    def freeInstance(self) -> None:
        self.fmi2FreeInstance(self.component)
        self.freeLibrary()
