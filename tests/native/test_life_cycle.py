"""The functions allowed in each mode; calls in a wrong order are refused and harmless."""

import ctypes

import pytest

from tests.native.slave import CO_SIMULATION, DISCARD, ERROR, LAST_SUCCESSFUL_TIME, MODEL_EXCHANGE, OK, STATES, TERMINATED

# co-simulation
ALWAYS = {"instantiated", "Initialization Mode", "stepComplete", "stepFailed", "terminated", "error"}
FROM_INITIALIZATION_ON = ALWAYS - {"instantiated"}
FROM_STEPS_ON = {"stepComplete", "stepFailed", "terminated", "error"}
TO_SET = {"instantiated", "Initialization Mode", "stepComplete"}
STATUS = {"stepComplete", "stepFailed", "terminated"}

# FMI 2.0.5, section 4.2.4, the table of functions and states, without the states of an asynchronous step
LEGAL = {
    "SetDebugLogging": ALWAYS,
    "SetupExperiment": {"instantiated"},
    "EnterInitializationMode": {"instantiated"},
    "ExitInitializationMode": {"Initialization Mode"},
    "Terminate": {"stepComplete", "stepFailed"},
    "Reset": ALWAYS,
    **{f"Get{kind}": FROM_INITIALIZATION_ON for kind in ("Real", "Integer", "Boolean", "String")},
    **{f"Set{kind}": TO_SET for kind in ("Real", "Integer", "Boolean", "String")},
    "GetFMUstate": ALWAYS,
    "SetFMUstate": ALWAYS,
    "FreeFMUstate": ALWAYS,
    "SerializedFMUstateSize": ALWAYS,
    "SerializeFMUstate": ALWAYS,
    "DeSerializeFMUstate": ALWAYS,
    "GetDirectionalDerivative": FROM_INITIALIZATION_ON,
    "SetRealInputDerivatives": TO_SET,
    "GetRealOutputDerivatives": FROM_STEPS_ON,
    "DoStep": {"stepComplete"},
    "CancelStep": set(),  # stepInProgress alone
    "GetStatus": STATUS,
    "GetRealStatus": STATUS,
    "GetIntegerStatus": STATUS,
    "GetBooleanStatus": STATUS,
    "GetStringStatus": STATUS,
}

# model exchange: FMI 2.0.5, section 3.2.3. States may be set as Reals in continuous-time mode too
RUNNING = {"Event Mode", "Continuous-Time Mode"}
ME_MODES = {"instantiated", "Initialization Mode", *RUNNING, "terminated"}
READABLE, BEFORE_START = ME_MODES - {"instantiated"}, {"instantiated", "Initialization Mode"}
LEGAL_IN_MODEL_EXCHANGE = {
    **{function: ME_MODES for function, modes in LEGAL.items() if modes == ALWAYS},
    **{function: LEGAL[function] for function in ("SetupExperiment", "EnterInitializationMode", "ExitInitializationMode")},
    "Terminate": RUNNING,
    **{f"Get{kind}": READABLE for kind in ("Real", "Integer", "Boolean", "String")},
    "SetReal": BEFORE_START | RUNNING,
    **{f"Set{kind}": BEFORE_START | {"Event Mode"} for kind in ("Integer", "Boolean", "String")},
    "GetDirectionalDerivative": READABLE,
    "EnterEventMode": RUNNING,
    "NewDiscreteStates": {"Event Mode"},
    "EnterContinuousTimeMode": {"Event Mode"},
    "CompletedIntegratorStep": {"Continuous-Time Mode"},
    "SetTime": RUNNING,
    "SetContinuousStates": {"Continuous-Time Mode"},
    "GetDerivatives": READABLE,
    "GetEventIndicators": READABLE,
    "GetContinuousStates": READABLE,
    "GetNominalsOfContinuousStates": ME_MODES,
}

# what the FMU cannot do, as its model has no tangents; and questions that have no answer
UNSUPPORTED = {"GetDirectionalDerivative", "GetRealOutputDerivatives"}
UNANSWERED = {"GetStatus", "GetIntegerStatus", "GetStringStatus"}


def slave_in(mode, new_slave):
    slave = new_slave()
    if mode == "instantiated":
        assert slave.set_up() == OK
        return slave
    if mode == "Initialization Mode":
        assert slave.set_up() == OK
        assert slave.call("EnterInitializationMode") == OK
        return slave
    slave.start({"fault.time": 0.0} if mode == "error" else {"fault.time": 0.05} if mode == "stepFailed" else {})
    if mode == "terminated":
        assert slave.call("Terminate") == OK
    if mode in ("error", "stepFailed"):
        assert slave.step(0, 0.1) == (ERROR if mode == "error" else DISCARD)
        slave.log.clear()
    return slave


def importer_in(mode, new_slave):
    """An instance for model exchange."""
    slave = new_slave(fmu_type=MODEL_EXCHANGE)
    assert slave.set_up() == OK
    if mode == "instantiated":
        return slave
    assert slave.call("EnterInitializationMode") == OK
    if mode == "Initialization Mode":
        return slave
    assert slave.call("ExitInitializationMode") == OK
    if mode == "terminated":
        assert slave.call("Terminate") == OK
    if mode == "Continuous-Time Mode":
        assert slave.call("EnterContinuousTimeMode") == OK
    return slave


class EventInfo(ctypes.Structure):
    _fields_ = (*((name, ctypes.c_int) for name in ("needed", "terminate", "nominals", "values", "has_next")), ("next", ctypes.c_double))


def arguments(function, slave):
    """Valid arguments."""
    none, one = ctypes.c_size_t(0), ctypes.c_double(0)
    saved = ctypes.c_void_p()
    if "FMUstate" in function:
        assert slave.call("GetFMUstate", ctypes.byref(saved)) == OK
    data = slave.to_bytes(saved) if "Serialize" in function else b""
    match function:
        case "SetDebugLogging":
            return ctypes.c_int(0), none, None
        case "SetupExperiment":
            return ctypes.c_int(0), one, one, ctypes.c_int(0), one
        case "SetFMUstate":
            return (saved,)
        case "GetFMUstate" | "FreeFMUstate":
            return (ctypes.byref(saved),)
        case "SerializedFMUstateSize":
            return saved, ctypes.byref(ctypes.c_size_t())
        case "SerializeFMUstate":
            return saved, ctypes.create_string_buffer(len(data)), ctypes.c_size_t(len(data))
        case "DeSerializeFMUstate":
            return data, ctypes.c_size_t(len(data)), ctypes.byref(saved)
        case "GetDirectionalDerivative":
            return None, none, None, none, None, None
        case "SetRealInputDerivatives" | "GetRealOutputDerivatives":
            return None, none, None, None
        case "NewDiscreteStates":
            return (ctypes.byref(EventInfo()),)
        case "CompletedIntegratorStep":
            return ctypes.c_int(1), ctypes.byref(ctypes.c_int()), ctypes.byref(ctypes.c_int())
        case "SetTime":
            return (one,)
        case "GetEventIndicators":
            return None, none
        case "SetContinuousStates" | "GetDerivatives" | "GetContinuousStates" | "GetNominalsOfContinuousStates":
            return (ctypes.c_double * len(STATES))(*[1.0] * len(STATES)), ctypes.c_size_t(len(STATES))
        case "DoStep":
            return ctypes.c_double(0), ctypes.c_double(0.1), ctypes.c_int(1)
        case "GetRealStatus":
            return ctypes.c_int(LAST_SUCCESSFUL_TIME), ctypes.byref(one)
        case "GetBooleanStatus":
            return ctypes.c_int(TERMINATED), ctypes.byref(ctypes.c_int())
        case _ if function.endswith("Status"):
            return ctypes.c_int(0), ctypes.byref(one)
        case _ if function.startswith(("Get", "Set")):
            return None, none, None
        case _:
            return ()


def check_mode(slave, function, mode, legal):
    values = arguments(function, slave)
    before = slave.to_bytes(slave.save())

    status = slave.call(function, *values)

    if mode in legal:
        assert status == (ERROR if function in UNSUPPORTED else DISCARD if function in UNANSWERED else OK), slave.messages()
        assert bool(slave.log) == (function in UNSUPPORTED)
        assert "not allowed" not in slave.messages()
    else:
        assert status == ERROR
        expected = {"CancelStep": "no step is in progress"}.get(
            function, f"not allowed in the mode {mode}" if legal else "this instance is for"
        )
        assert [(s, category) for s, category, _ in slave.log] == [(ERROR, "logStatusError")]
        assert slave.messages().startswith(f"fmi2{function}: {expected}")
        assert slave.to_bytes(slave.save()) == before


@pytest.mark.parametrize("function", sorted({*LEGAL, *LEGAL_IN_MODEL_EXCHANGE}))
def test_a_function_works_only_in_its_legal_modes_and_is_a_logged_error_otherwise(new_slave, function):
    for mode in sorted(ALWAYS):
        check_mode(slave_in(mode, new_slave), function, mode, LEGAL.get(function, set()))
    for mode in sorted(ME_MODES):
        check_mode(importer_in(mode, new_slave), function, mode, LEGAL_IN_MODEL_EXCHANGE.get(function, set()))


@pytest.mark.parametrize("mode", sorted(ALWAYS))
def test_an_instance_can_be_freed_in_any_mode(new_slave, mode):
    slave_in(mode, new_slave).free()


@pytest.mark.parametrize("function", LEGAL)
def test_without_an_instance_every_function_is_an_error(new_slave, function):
    slave = slave_in("stepComplete", new_slave)
    values = arguments(function, slave)
    slave.free()
    assert slave.call(function, *values) == ERROR


def test_initialization_begins_only_after_the_experiment_is_set_up(new_slave):
    slave = new_slave()
    assert slave.call("EnterInitializationMode") == ERROR
    assert "set up the experiment first" in slave.messages()


@pytest.mark.parametrize(
    ("experiment", "message"),
    [
        ({"start": float("nan")}, "the start time is nan s"),
        ({"start": 2.0, "stop": 1.5}, "the stop time, 1.5 s, is not after the start time, 2 s"),
        ({"stop": float("inf")}, "the stop time, inf s"),
        ({"tolerance": -1e-6}, "the tolerance is -1e-06"),
        ({"tolerance": 1e-20}, "the tolerance is 1e-20"),
        ({"tolerance": float("nan")}, "the tolerance is nan"),
        ({"tolerance": 1.0}, "the tolerance is 1;"),
    ],
)
def test_an_experiment_that_makes_no_sense_is_refused(new_slave, experiment, message):
    slave = new_slave()
    assert slave.set_up(**experiment) == ERROR
    assert message in slave.messages()
    assert slave.set_up() == OK


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"guid": b"{another}"}, "the GUID is '{another}', but that of 'pendulum' is '{6f1c9f52"),
        ({"fmu_type": 7}, "'pendulum' has no interface type 7"),
        ({"name": ""}, "the instance name is empty"),
    ],
)
def test_a_failed_instantiation_returns_null_and_logs_the_reason(new_slave, arguments, message):
    slave = new_slave(**arguments)
    assert slave.component is None
    assert message in slave.messages()


def test_null_pointers_make_no_instance(new_slave):
    library = new_slave().library
    guid = b"{6f1c9f52-5f0e-4c62-9f0b-3a51d1f6a0c7}"
    assert library.fmi2Instantiate(b"name", CO_SIMULATION, guid, None, None, 0, 0) is None
    assert library.fmi2Instantiate(None, CO_SIMULATION, None, None, (ctypes.c_void_p * 5)(), 0, 0) is None


def test_the_version_and_the_platform_need_no_instance(new_slave):
    library = new_slave().library
    library.fmi2GetVersion.restype = library.fmi2GetTypesPlatform.restype = ctypes.c_char_p
    assert library.fmi2GetVersion() == b"2.0"
    assert library.fmi2GetTypesPlatform() == b"default"


def test_supported_status_queries_are_answered(new_slave):
    slave = new_slave().start().run([0, 0.25])
    time, terminated = ctypes.c_double(), ctypes.c_int(-1)
    assert slave.call("GetRealStatus", ctypes.c_int(LAST_SUCCESSFUL_TIME), ctypes.byref(time)) == OK
    assert slave.call("GetBooleanStatus", ctypes.c_int(TERMINATED), ctypes.byref(terminated)) == OK
    assert (time.value, terminated.value) == (0.25, 0)

    # and null pointers and other questions do no harm
    for function, kind in (("GetRealStatus", LAST_SUCCESSFUL_TIME), ("GetBooleanStatus", TERMINATED)):
        assert slave.call(function, ctypes.c_int(kind), None) == ERROR
        assert slave.call(function, ctypes.c_int(99), None) == DISCARD
