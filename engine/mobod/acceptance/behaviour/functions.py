"""FUNCTIONS: the functions of FMI 2.0 and 3.0, with the types of their arguments."""

import ctypes
from typing import Any

from mobod.fmi.loading import Interface

# c instance, p pointer, d double, z size_t, i int (also fmi2Boolean), b bool, s text, u value reference; the result is a status unless
# another letter follows ">", and "-" is none
_TYPES: dict[str, type | None] = {
    "c": ctypes.c_void_p,
    "p": ctypes.c_void_p,
    "d": ctypes.c_double,
    "z": ctypes.c_size_t,
    "i": ctypes.c_int,
    "b": ctypes.c_bool,
    "s": ctypes.c_char_p,
    "u": ctypes.c_uint,
    "-": None,
}

_TYPES_OF_3 = (
    *("Float32", "Float64", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64"),
    *("Boolean", "String"),
)

_COMMON_2 = {
    "GetTypesPlatform": ">s",
    "GetVersion": ">s",
    "SetDebugLogging": "cizp",
    "Instantiate": "sisspii>p",
    "FreeInstance": "c>-",
    "SetupExperiment": "ciddid",
    "EnterInitializationMode": "c",
    "ExitInitializationMode": "c",
    "Terminate": "c",
    "Reset": "c",
    **{f"{verb}{kind}": "cpzp" for verb in ("Get", "Set") for kind in ("Real", "Integer", "Boolean", "String")},
    "GetFMUstate": "cp",
    "SetFMUstate": "cp",
    "FreeFMUstate": "cp",
    "SerializedFMUstateSize": "cpp",
    "SerializeFMUstate": "cppz",
    "DeSerializeFMUstate": "cpzp",
    "GetDirectionalDerivative": "cpzpzpp",
}
_OF_INTERFACE_2: dict[Interface, dict[str, str]] = {
    "model-exchange": {
        "EnterEventMode": "c",
        "NewDiscreteStates": "cp",
        "EnterContinuousTimeMode": "c",
        "CompletedIntegratorStep": "cipp",
        "SetTime": "cd",
        "SetContinuousStates": "cpz",
        "GetDerivatives": "cpz",
        "GetEventIndicators": "cpz",
        "GetContinuousStates": "cpz",
        "GetNominalsOfContinuousStates": "cpz",
    },
    "co-simulation": {
        "SetRealInputDerivatives": "cpzpp",
        "GetRealOutputDerivatives": "cpzpp",
        "DoStep": "cddi",
        "CancelStep": "c",
        **{f"Get{kind}Status": "cip" for kind in ("", "Real", "Integer", "Boolean", "String")},
    },
}
_ALL_3 = {
    "GetVersion": ">s",
    "SetDebugLogging": "cbzp",
    "InstantiateModelExchange": "sssbbpp>p",
    "InstantiateCoSimulation": "sssbbbbpzppp>p",
    "InstantiateScheduledExecution": "sssbbppppp>p",
    "FreeInstance": "c>-",
    "EnterInitializationMode": "cbddbd",
    "ExitInitializationMode": "c",
    "EnterEventMode": "c",
    "Terminate": "c",
    "Reset": "c",
    **{f"{verb}{kind}": "cpzpz" for verb in ("Get", "Set") for kind in _TYPES_OF_3},
    "GetBinary": "cpzppz",
    "SetBinary": "cpzppz",
    "GetClock": "cpzp",
    "SetClock": "cpzp",
    "GetNumberOfVariableDependencies": "cup",
    "GetVariableDependencies": "cuppppz",
    "GetFMUState": "cp",
    "SetFMUState": "cp",
    "FreeFMUState": "cp",
    "SerializedFMUStateSize": "cpp",
    "SerializeFMUState": "cppz",
    "DeserializeFMUState": "cpzp",
    "GetDirectionalDerivative": "cpzpzpzpz",
    "GetAdjointDerivative": "cpzpzpzpz",
    "EnterConfigurationMode": "c",
    "ExitConfigurationMode": "c",
    "GetIntervalDecimal": "cpzpp",
    "GetIntervalFraction": "cpzppp",
    "GetShiftDecimal": "cpzp",
    "GetShiftFraction": "cpzpp",
    "SetIntervalDecimal": "cpzp",
    "SetIntervalFraction": "cpzpp",
    "SetShiftDecimal": "cpzp",
    "SetShiftFraction": "cpzpp",
    "EvaluateDiscreteStates": "c",
    "UpdateDiscreteStates": "cpppppp",
    "EnterContinuousTimeMode": "c",
    "CompletedIntegratorStep": "cbpp",
    "SetTime": "cd",
    "SetContinuousStates": "cpz",
    "GetContinuousStateDerivatives": "cpz",
    "GetEventIndicators": "cpz",
    "GetContinuousStates": "cpz",
    "GetNominalsOfContinuousStates": "cpz",
    "GetNumberOfEventIndicators": "cp",
    "GetNumberOfContinuousStates": "cp",
    "EnterStepMode": "c",
    "GetOutputDerivatives": "cpzppz",
    "DoStep": "cddbpppp",
    "ActivateModelPartition": "cud",
}

# by the first digit of the FMI version, without the prefix fmi2 or fmi3
FUNCTIONS: dict[str, dict[str, str]] = {
    "2": {**_COMMON_2, **_OF_INTERFACE_2["model-exchange"], **_OF_INTERFACE_2["co-simulation"]},
    "3": _ALL_3,
}


def required_functions(fmi_version: str, interface: Interface) -> set[str]:
    """What a library for this interface must have. FMI 3.0 requires all functions of the header."""
    return set(_ALL_3) if fmi_version == "3" else {*_COMMON_2, *_OF_INTERFACE_2[interface]}


def declare(function: Any, types: str) -> None:
    """Declare the arguments and the result of a function of a library."""
    arguments, _, result = types.partition(">")
    function.argtypes = [_TYPES[each] for each in arguments]
    function.restype = _TYPES[result] if result else ctypes.c_int
