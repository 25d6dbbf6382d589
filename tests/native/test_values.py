"""The variables that may be set and read in each mode, and their effect."""

import ctypes

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.native.equations import Y_START, solution
from tests.native.slave import ERROR, OK, VARIABLES


@pytest.mark.parametrize(
    "change",
    [{"motor.torque": 1.9}, {"gravity.magnitude": 3.7}, {"drive.amplitude": -2.0, "drive.frequency": 7.0}, {"damper.damping": 1.1}],
    ids=lambda change: next(iter(change)),
)
def test_a_change_acts_from_its_communication_point_on(new_slave, change):
    slave = new_slave().start(tolerance=1e-9).run([0, 0.3, 0.6])
    before = slave.states()
    assert slave.set(change) == OK
    assert slave.states() == before
    slave.run([0.6, 0.8, 1])

    assert_allclose(before, solution(0.6), atol=2e-8)  # 20 times the tolerance, as in test_integration
    assert_allclose(slave.states(), solution(1, {0.6: change}), atol=2e-8)


def test_a_boolean_parameter_is_tunable(new_slave):
    slave = new_slave().start(tolerance=1e-9).run([0, 0.6])
    assert slave.get_boolean("gravity.enabled") == 1
    assert slave.set_boolean("gravity.enabled", 0) == OK
    assert slave.get_boolean("gravity.enabled") == 0

    assert_allclose(slave.run([0.6, 1]).states(), solution(1, {0.6: {"gravity.enabled": 0}}), atol=2e-8)


def test_values_read_after_a_change_include_it(new_slave):
    slave = new_slave().start().run([0, 0.2])
    (before,) = slave.get("der(pendulum.u)")
    slave.set({"motor.torque": 2.5})

    assert_allclose(slave.get("der(pendulum.u)")[0] - before, 2.5 / (1.3 * 0.8**2), rtol=1e-13)


def test_only_values_that_depend_on_a_change_are_recomputed(new_slave):
    slave = new_slave()
    slave.set_up()
    slave.call("EnterInitializationMode")
    for angle in (0.3, 0.8):  # computed up to the very stage that the change touches
        slave.set({"pendulum.q_start": angle})
        assert_allclose(slave.get("pendulum.height"), -0.8 * np.cos(angle), rtol=1e-15)

    slave.get("der(pendulum.u)")
    (before,) = slave.get("evaluations")
    slave.get("pendulum.energy", "der(pendulum.q)", "pendulum.height")
    assert slave.get("evaluations") == [before]


def test_parameters_set_before_initialization_hold_from_the_start(new_slave):
    values = {"rod.length": 1.1, "rod.mass": 0.6, "motor.torque": 0.2}
    slave = new_slave().start(values, tolerance=1e-9).run([0, 0.7])

    assert_allclose(slave.states(), solution(0.7, {0.0: values}), atol=2e-8)


def test_states_follow_their_initial_conditions_until_initialization_ends(new_slave):
    """A quaternion of any length is shown as the run begins with it."""
    slave = new_slave()
    slave.set_up(tolerance=1e-9)
    slave.set({"pendulum.u_start": 0.9})
    slave.call("EnterInitializationMode")
    slave.set({"pendulum.q_start": 1.2, "body.q_start[1]": 3.0, "body.q_start[4]": -4.0, "motor.work_start": 5.0})

    y_start = np.array([1.2, 0.6, 0, 0, -0.8, 0.9, *Y_START[6:9], 5])
    assert_allclose(slave.states(), y_start, rtol=1e-15)
    assert_allclose(slave.get("pendulum.height"), -0.8 * np.cos(1.2), rtol=1e-15)
    rate = slave.get("der(body.q[1])")
    assert slave.get("body.q_start[1]", "body.q_start[4]") == [3, -4]

    slave.call("ExitInitializationMode")
    assert_allclose(slave.states(), y_start, rtol=1e-15)
    assert slave.get("body.q_start[1]", "body.q_start[4]") == [3, -4]
    assert slave.get("der(body.q[1])") == rate
    assert_allclose(slave.run([0, 0.4]).states(), solution(0.4, y_start=y_start), atol=2e-8)


def test_a_zero_quaternion_is_named_and_can_be_corrected(new_slave):
    slave = new_slave()
    slave.set_up()
    slave.call("EnterInitializationMode")
    slave.set({"body.q_start[1]": 0.0})

    assert slave.call("ExitInitializationMode") == ERROR
    assert "'body.q[1]' is zero" in slave.messages()

    slave.set({"body.q_start[2]": 1e-200})  # whose square underflows
    assert slave.call("ExitInitializationMode") == OK
    assert slave.get("body.q[1]", "body.q[2]") == [0, 1]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("pendulum.energy", 1.0, "'pendulum.energy' is computed by the model"),
        ("rod.length", 1.0, "'rod.length' can only be set before initialization ends"),
        ("pendulum.q_start", 1.0, "'pendulum.q_start' can only be set before initialization ends"),
        ("motor.torque", np.nan, "'motor.torque' cannot be set to nan"),
        ("motor.torque", -np.inf, "'motor.torque' cannot be set to -inf"),
        ("gravity.enabled", 1.0, "'gravity.enabled' is a Boolean"),
        ("damper.damping", -1e-9, "'damper.damping' cannot be set to -1e-09; the least value is 0"),
        ("damper.damping", 1000.1, "'damper.damping' cannot be set to 1000.1; the greatest value is 1000"),
    ],
)
def test_what_cannot_be_set_is_refused_by_name_and_changes_nothing(new_slave, name, value, message):
    slave = new_slave().start().run([0, 0.1])
    before = slave.to_bytes(slave.save())

    assert slave.set({"gravity.magnitude": 1.6, name: value}) == ERROR
    assert message in slave.messages()
    assert slave.to_bytes(slave.save()) == before


@pytest.mark.parametrize("value", [-1, 2])
def test_a_boolean_is_0_or_1(new_slave, value):
    slave = new_slave().start()
    assert slave.set_boolean("gravity.enabled", value) == ERROR
    assert f"'gravity.enabled' cannot be set to {value}" in slave.messages()
    assert slave.set_boolean("motor.torque", 1) == ERROR
    assert "'motor.torque' is a Real" in slave.messages()


@pytest.mark.parametrize("reference", [len(VARIABLES), 2**31, 2**32 - 1])
@pytest.mark.parametrize("function", ["GetReal", "SetReal", "GetBoolean", "SetBoolean", "GetInteger", "SetInteger"])
def test_an_unknown_value_reference_is_refused(new_slave, function, reference):
    slave = new_slave().start()
    values = (ctypes.c_double * 1)()
    assert slave.call(function, ctypes.byref(ctypes.c_uint(reference)), ctypes.c_size_t(1), values) == ERROR
    assert f"fmi2{function}: no variable has value reference {reference}" in slave.messages()


@pytest.mark.parametrize("function", ["GetReal", "SetReal", "GetBoolean", "SetBoolean", "GetInteger", "SetInteger"])
def test_null_arrays_are_refused_unless_their_size_is_zero(new_slave, function):
    slave = new_slave().start()
    some = (ctypes.c_uint * 1)()
    assert slave.call(function, None, ctypes.c_size_t(0), None) == OK
    assert slave.call(function, None, ctypes.c_size_t(1), some) == ERROR
    assert slave.call(function, some, ctypes.c_size_t(1), None) == ERROR
    assert slave.messages().count("null pointer") == 2


def test_bounds_are_inclusive(new_slave):
    slave = new_slave().start()
    for value in (0.0, 1000.0):
        assert slave.set({"damper.damping": value}) == OK
        assert slave.get("damper.damping") == [value]


@pytest.mark.parametrize("function", ["GetInteger", "SetInteger"])
def test_a_real_cannot_be_read_as_an_integer(new_slave, function):
    slave = new_slave().start()
    reference, value = ctypes.c_uint(VARIABLES["damper.damping"]), ctypes.c_int(1)
    assert slave.call(function, ctypes.byref(reference), ctypes.c_size_t(1), ctypes.byref(value)) == ERROR
    assert "'damper.damping' is a Real" in slave.messages()


@pytest.mark.parametrize("function", ["GetString", "SetString"])
def test_string_variables_do_not_exist(new_slave, function):
    slave = new_slave().start()
    some = (ctypes.c_uint * 2)()
    assert slave.call(function, None, ctypes.c_size_t(0), None) == OK
    assert slave.call(function, some, ctypes.c_size_t(1), some) == ERROR
    assert "Real, Integer and Boolean variables alone" in slave.messages()
