"""FMI 3.0: the functions allowed in each mode; calls in a wrong order are refused and harmless."""

import ctypes
import re
from importlib.resources import files

import pytest

from mobod.native_sources import runtime_sources
from mobod.runtime.compiler import build_library
from tests.native.slave import ERROR, GUID, OK, STATES, VARIABLES, model_sources

HEADERS = files("fmpy") / "c-code"
FUNCTIONS = set(re.findall(r"^FMI3_Export \w+ +fmi3(\w+);", (HEADERS / "fmi3Functions.h").read_text(), flags=re.MULTILINE))
WITHOUT_INSTANCE = {name for name in FUNCTIONS if name.startswith("Instantiate")} | {"GetVersion", "FreeInstance"}

CS, CS_WITH_EVENTS, ME = "co-simulation", "co-simulation with event mode", "model exchange"
INSTANTIATED, INITIALIZATION, EVENT, STEP = "Instantiated", "Initialization Mode", "Event Mode", "Step Mode"
CONTINUOUS, TERMINATED, FAILED = "Continuous-Time Mode", "Terminated", "Terminated, after an error"
ENDED = {TERMINATED, FAILED}
MODES = {
    CS: {INSTANTIATED, INITIALIZATION, STEP} | ENDED,
    CS_WITH_EVENTS: {INSTANTIATED, INITIALIZATION, EVENT, STEP} | ENDED,
    ME: {INSTANTIATED, INITIALIZATION, EVENT, CONTINUOUS} | ENDED,
}
ALL = set().union(*MODES.values())
SETTABLE, COMPUTED = {INSTANTIATED, INITIALIZATION, EVENT, STEP}, ALL - {INSTANTIATED}
TYPES = ("Float32", "Float64", *(f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)), "Boolean", "String", "Binary")

# FMI 3.0.2, sections 2.3 (common states), 3.2.1 (model exchange) and 4.2.1 (co-simulation): the allowed calls of each state
COMMON = {
    **dict.fromkeys(("SetDebugLogging", "Reset", "GetFMUState", "SetFMUState", "FreeFMUState"), ALL),
    **dict.fromkeys(("SerializedFMUStateSize", "SerializeFMUState", "DeserializeFMUState"), ALL),
    "EnterInitializationMode": {INSTANTIATED},
    "ExitInitializationMode": {INITIALIZATION},
    "Terminate": {EVENT, STEP, CONTINUOUS},
    **{f"Get{kind}": ALL for kind in TYPES},
    **{f"Set{kind}": SETTABLE for kind in TYPES},
    "SetFloat64": SETTABLE | {CONTINUOUS},
    "GetClock": {EVENT},
    "SetClock": {EVENT},
    "GetDirectionalDerivative": COMPUTED,
    "GetAdjointDerivative": COMPUTED,
    "UpdateDiscreteStates": {EVENT},
}
CO_SIMULATION = {"DoStep": {STEP}, "GetOutputDerivatives": {STEP, *ENDED}}
LEGAL = {
    CS: COMMON | CO_SIMULATION,
    CS_WITH_EVENTS: COMMON | CO_SIMULATION | {"EnterEventMode": {STEP}, "EnterStepMode": {EVENT}},
    ME: COMMON
    | {
        "EnterEventMode": {CONTINUOUS},
        "EnterContinuousTimeMode": {EVENT},
        **{function: {CONTINUOUS} for function in ("SetTime", "SetContinuousStates", "CompletedIntegratorStep")},
        **{f"Get{values}": COMPUTED for values in ("ContinuousStateDerivatives", "EventIndicators", "ContinuousStates")},
        "GetNominalsOfContinuousStates": COMPUTED,
        # more than the standard's Instantiated and Event Mode: importers ask at any time
        "GetNumberOfContinuousStates": ALL,
        "GetNumberOfEventIndicators": ALL,
    },
}
# the model has no tangents
WITHOUT_TANGENTS = {"GetDirectionalDerivative", "GetAdjointDerivative", "GetOutputDerivatives"}

Log = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)
booleans, reals = ctypes.POINTER(ctypes.c_bool), ctypes.POINTER(ctypes.c_double)
Update = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_double, *[ctypes.c_bool] * 4, booleans, reals)


@pytest.fixture(scope="module")
def library():
    model = {name: text for name, text in model_sources().items() if "pendulum" in name}
    return ctypes.CDLL(str(build_library("pendulum", runtime_sources("compiled", "3.0") | model, include_directories=[HEADERS])))


class Instance:
    """`call("DoStep", ...)` is fmi3DoStep, and returns its status; what was logged is in `log`."""

    def __init__(self, library, kind, update=None):
        self.library, self.log = library, []
        self.logger = Log(lambda _, status, category, message: self.log.append((status, category.decode(), message.decode())))
        self.update = Update(update) if update else None
        common = [b"instance", GUID, None, ctypes.c_bool(False), ctypes.c_bool(True)]
        create = library["fmi3InstantiateModelExchange" if kind == ME else "fmi3InstantiateCoSimulation"]
        create.restype = ctypes.c_void_p
        of_steps = [] if kind == ME else [ctypes.c_bool(kind == CS_WITH_EVENTS), ctypes.c_bool(False), None, ctypes.c_size_t(0)]
        self.instance = create(*common, *of_steps, None, self.logger, *([] if kind == ME else [self.update]))
        assert self.instance

    def call(self, function, *values):
        return self.library[f"fmi3{function}"](ctypes.c_void_p(self.instance), *values)

    def does(self, *functions):
        for function in functions:
            assert self.call(function, *arguments(function, self)) == OK, self.log

    def set(self, name, value):
        one = ctypes.c_size_t(1)
        reference, number = ctypes.c_uint(VARIABLES[name]), ctypes.c_double(value)
        assert self.call("SetFloat64", ctypes.byref(reference), one, ctypes.byref(number), one) == OK, self.log

    def to_bytes(self):
        saved, size = ctypes.c_void_p(), ctypes.c_size_t()
        assert self.call("GetFMUState", ctypes.byref(saved)) == OK
        assert self.call("SerializedFMUStateSize", saved, ctypes.byref(size)) == OK
        data = ctypes.create_string_buffer(size.value)
        assert self.call("SerializeFMUState", saved, data, size) == OK
        assert self.call("FreeFMUState", ctypes.byref(saved)) == OK
        return data.raw


@pytest.fixture
def make(library):
    made = []

    def make_one(kind, update=None):
        made.append(Instance(library, kind, update))
        return made[-1]

    yield make_one
    for instance in made:
        library.fmi3FreeInstance(ctypes.c_void_p(instance.instance))


def put_in(mode, kind, instance):
    """Brings a new instance into the mode."""
    if mode == FAILED and kind != ME:
        instance.set("fault.time", 0.0)
    if mode != INSTANTIATED:
        instance.does("EnterInitializationMode")
    if mode in (INSTANTIATED, INITIALIZATION):
        return
    instance.does("ExitInitializationMode")
    if mode == TERMINATED:
        instance.does("Terminate")
    if kind == CS_WITH_EVENTS and mode in (STEP, FAILED):
        instance.does("EnterStepMode")
    if kind == ME and mode in (CONTINUOUS, FAILED):
        instance.does("EnterContinuousTimeMode")
    if mode == FAILED and kind == ME:
        states = (ctypes.c_double * len(STATES))()  # a quaternion without direction
        assert instance.call("SetContinuousStates", states, ctypes.c_size_t(len(STATES))) == OK
        instance.does("EnterEventMode")
    if mode == FAILED:
        function = "UpdateDiscreteStates" if kind == ME else "DoStep"
        assert instance.call(function, *arguments(function, instance)) == ERROR
    instance.log.clear()


def arguments(function, instance):
    """Valid arguments."""
    none, zero, flag = ctypes.c_size_t(0), ctypes.c_double(0), lambda: ctypes.byref(ctypes.c_bool())
    states = (ctypes.c_double * len(STATES))(*[1.0] * len(STATES)), ctypes.c_size_t(len(STATES))
    saved, data = ctypes.c_void_p(), b""
    if "FMUState" in function:
        assert instance.call("GetFMUState", ctypes.byref(saved)) == OK
        data = instance.to_bytes()
    given = {
        "SetDebugLogging": (ctypes.c_bool(True), none, None),
        "EnterInitializationMode": (ctypes.c_bool(False), zero, zero, ctypes.c_bool(False), zero),
        "GetFMUState": (ctypes.byref(saved),),
        "SetFMUState": (saved,),
        "FreeFMUState": (ctypes.byref(saved),),
        "SerializedFMUStateSize": (saved, ctypes.byref(ctypes.c_size_t())),
        "SerializeFMUState": (saved, ctypes.create_string_buffer(len(data) + 1), ctypes.c_size_t(len(data))),
        "DeserializeFMUState": (data, ctypes.c_size_t(len(data)), ctypes.byref(saved)),
        "GetBinary": (None, none, None, None, none),
        "SetBinary": (None, none, None, None, none),
        "GetClock": (None, none, None),
        "SetClock": (None, none, None),
        "GetDirectionalDerivative": (None, none, None, none, None, none, None, none),
        "GetAdjointDerivative": (None, none, None, none, None, none, None, none),
        "GetOutputDerivatives": (None, none, None, None, none),
        "DoStep": (zero, ctypes.c_double(0.1), ctypes.c_bool(True), flag(), flag(), flag(), ctypes.byref(zero)),
        "UpdateDiscreteStates": (*(flag() for _ in range(5)), ctypes.byref(zero)),
        "CompletedIntegratorStep": (ctypes.c_bool(True), flag(), flag()),
        "SetTime": (zero,),
        "GetEventIndicators": (None, none),
        "GetNumberOfContinuousStates": (ctypes.byref(ctypes.c_size_t()),),
        "GetNumberOfEventIndicators": (ctypes.byref(ctypes.c_size_t()),),
        "GetNumberOfVariableDependencies": (ctypes.c_uint(0), ctypes.byref(ctypes.c_size_t())),
        "GetVariableDependencies": (ctypes.c_uint(0), None, None, None, None, none),
        "ActivateModelPartition": (ctypes.c_uint(0), zero),
        **{f"Get{values}": states for values in ("ContinuousStates", "ContinuousStateDerivatives", "NominalsOfContinuousStates")},
        "SetContinuousStates": states,
    }
    of_clocks = (None, none, None, None, None) if "Interval" in function or "Shift" in function else ()
    return given.get(function, (None, none, None, none) if function[3:] in TYPES else of_clocks)


def check_mode(instance, kind, function, mode):
    legal = LEGAL[kind].get(function, set())
    values = arguments(function, instance)
    before = instance.to_bytes()

    status = instance.call(function, *values)

    messages = [message for status_of, _, message in instance.log if status_of != OK]
    if mode in legal:
        assert status == (ERROR if function in WITHOUT_TANGENTS else OK), messages
        assert bool(messages) == (function in WITHOUT_TANGENTS)
        assert not any("not allowed" in message for message in messages)
        return
    reason = f"not allowed in the mode {mode}" if legal else "this (instance|FMU) "
    if (function, kind, mode) == ("EnterEventMode", CS, STEP):
        reason = "this instance was made with eventModeUsed = fmi3False"
    elif (function, kind) in (("EnterEventMode", CS), ("EnterStepMode", CS)):
        reason = "not allowed in the mode "
    assert status == ERROR
    assert [(s, category) for s, category, _ in instance.log] == [(ERROR, "logStatusError")]
    assert re.match(f"fmi3{function}: {reason}", messages[0])
    assert instance.to_bytes() == before


@pytest.mark.parametrize("function", sorted(FUNCTIONS - WITHOUT_INSTANCE))
def test_a_function_works_only_in_its_legal_modes_and_is_a_logged_error_otherwise(make, function):
    for kind, modes in MODES.items():
        for mode in sorted(modes):
            instance = make(kind)
            put_in(mode, kind, instance)
            check_mode(instance, kind, function, mode)


def test_all_functions_are_known():
    assert len(FUNCTIONS) > 70
    assert set().union(*LEGAL.values()) <= FUNCTIONS


@pytest.mark.parametrize("function", sorted(FUNCTIONS - WITHOUT_INSTANCE))
def test_without_an_instance_every_function_is_an_error(make, library, function):
    values = arguments(function, make(CS))
    assert library[f"fmi3{function}"](None, *values) == ERROR


def test_an_intermediate_update_may_only_read(make):
    """FMI 3.0.2, section 4.2.1, Intermediate Update Mode; none of the inputs was requested."""
    found = {}

    def update(*_):
        for function in sorted(FUNCTIONS - WITHOUT_INSTANCE) if not found else ():
            n = len(instance.log)
            status = instance.call(function, *([] if "FMUState" in function else arguments(function, instance)), *[None] * 4)
            found[function] = status, len(instance.log) - n, instance.log[-1][2] if len(instance.log) > n else ""

    instance = make(CS, update)
    put_in(STEP, CS, instance)
    instance.does("DoStep")

    readable = {f"Get{kind}" for kind in TYPES}
    assert {function for function, (status, _, _) in found.items() if status == OK} == readable
    assert {n for function, (_, n, _) in found.items() if function not in readable} == {1}
    assert all("not allowed" in found[function][2] for function in ("SetFloat64", "DoStep", "GetFMUState", "Reset", "Terminate"))
    assert "not allowed" not in found["GetOutputDerivatives"][2]
