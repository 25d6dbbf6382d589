"""A failed step: status, a message with reason, place and time, and an unchanged instance."""

import ctypes
import re

import numpy as np
import pytest

from tests.native.slave import DISCARD, ERROR, LAST_SUCCESSFUL_TIME, OK, TERMINATED


def failing(new_slave, fault):
    slave = new_slave().start(fault).run(np.linspace(0, 0.5, 6))
    before = slave.states() + slave.get("time")
    assert slave.step(0.5, 0.1) == DISCARD
    return slave, before


def last_good_time(slave):
    time = ctypes.c_double()
    assert slave.call("GetRealStatus", ctypes.c_int(LAST_SUCCESSFUL_TIME), ctypes.byref(time)) == OK
    return time.value


def test_a_derivative_that_is_not_finite_ends_the_step_with_the_name_of_the_state_and_the_time(new_slave):
    slave, _ = failing(new_slave, {"fault.time": 0.53})

    assert re.search(r"the derivative of 'pendulum\.u' is -?nan", slave.messages())
    time = float(re.search(r"at time (\S+) s", slave.messages())[1])
    assert 0.53 <= time < 0.53 + 1e-12  # found by ever shorter steps


def test_a_derivative_that_is_not_finite_at_the_start_is_found_at_once(new_slave):
    slave = new_slave().start({"fault.time": 0.0})
    assert slave.step(0, 0.1) == ERROR
    assert slave.get("evaluations") == [1]
    assert "at time 0 s the derivative of 'pendulum.u'" in slave.messages()


def test_a_step_that_cannot_reach_its_accuracy_ends_with_the_name_of_the_state_and_the_time(new_slave):
    slave = new_slave().start({"damper.drag": -4.0, "pendulum.u_start": 3.0, "gravity.magnitude": 0.0})
    assert slave.step(0, 1.0) == DISCARD

    assert "the error of 'pendulum.u'" in slave.messages()
    time = float(re.search(r"at time (\S+) s", slave.messages())[1])
    assert 0 < time < 0.1  # rate' > (drag rate^2 - damping rate - amplitude) / inertia, integrated from 3 rad/s to infinity


def test_derivatives_so_large_that_their_scaled_size_overflows_end_in_the_same_error(new_slave):
    slave = new_slave().start({"gravity.magnitude": 1e303, "damper.drag": 0.0}, tolerance=1e-8)
    assert slave.step(0, 0.1) == ERROR
    assert "a step of" in slave.messages()
    assert "nan" not in slave.messages()


def test_a_failed_step_changes_nothing(new_slave):
    slave, before = failing(new_slave, {"fault.time": 0.53})
    assert slave.states() + slave.get("time") == before


def test_after_a_failure_the_instance_can_be_reset(new_slave):
    slave, _ = failing(new_slave, {"fault.time": 0.53})
    assert slave.call("Reset") == OK
    times = np.linspace(0, 1, 11)
    assert slave.start().run(times).states() == new_slave().start().run(times).states()


def test_after_a_failure_a_saved_state_can_be_restored(new_slave):
    slave = new_slave().start({"fault.time": 0.53}).run(np.linspace(0, 0.5, 6))
    saved = slave.save()
    assert slave.step(0.5, 0.1) == DISCARD
    assert slave.restore(saved) == OK
    assert slave.set({"fault.time": 9.0}) == OK
    slave.run(np.linspace(0.5, 1, 6))

    assert slave.states() == new_slave().start().run(np.linspace(0, 0.5, 6)).run(np.linspace(0.5, 1, 6)).states()


def test_a_step_to_the_last_successful_time_succeeds_from_a_saved_state(new_slave):
    slave = new_slave().start({"fault.time": 0.53}).run(np.linspace(0, 0.5, 6))
    saved = slave.save()
    assert slave.step(0.5, 0.1) == DISCARD
    reached, terminated = last_good_time(slave), ctypes.c_int(-1)
    assert 0.52 < reached < 0.53
    assert slave.call("GetBooleanStatus", ctypes.c_int(TERMINATED), ctypes.byref(terminated)) == OK
    assert terminated.value == 0
    assert {(status, category) for status, category, _ in slave.log} == {(DISCARD, "logStatusDiscard")}
    assert f"a step to {reached:.15g} s is possible, from a state that was saved before this step" in slave.messages()

    assert slave.restore(saved) == OK
    assert slave.step(0.5, reached - 0.5) == OK
    assert slave.get("time") == [reached]
    assert last_good_time(slave) == reached


def test_after_a_discarded_step_no_step_is_taken_until_a_state_is_restored(new_slave):
    slave = new_slave().start({"fault.time": 0.53}).run(np.linspace(0, 0.5, 6))
    saved = slave.save()
    assert slave.step(0.5, 0.1) == DISCARD
    slave.log.clear()
    for _ in range(2):
        assert slave.step(0.5, 0.01) == ERROR
    assert "fmi2DoStep: not allowed in the mode stepFailed: the last step was discarded. Restore a state" in slave.messages()
    assert slave.restore(saved) == OK
    assert slave.step(0.5, 0.01) == OK


def test_a_step_that_fails_at_its_start_is_an_error(new_slave):
    slave = new_slave().start({"fault.time": 0.53}).run(np.linspace(0, 0.5, 6))
    saved = slave.save()
    times = []
    while (status := slave.step(0.5, 0.1 if not times else times[-1] - 0.5)) == DISCARD:  # a master that always goes as far as it can
        times.append(last_good_time(slave))
        assert slave.restore(saved) == OK
    assert status == OK
    assert len(times) == 1

    slave.set({"fault.time": 0.0})
    assert slave.step(times[-1], 0.1) == ERROR
    assert slave.step(times[-1], 0.1) == ERROR
    assert "fmi2DoStep: not allowed in the mode error" in slave.messages()


def test_after_a_discarded_step_an_instance_can_be_terminated_saved_and_restored(new_slave):
    slave, before = failing(new_slave, {"fault.time": 0.53})
    reached = last_good_time(slave)
    other = new_slave(name="other")
    _, read = other.from_bytes(slave.to_bytes(slave.save()))
    assert other.restore(read) == OK
    assert last_good_time(other) == reached
    assert other.states() + other.get("time") == before
    assert other.step(0.5, 0.01) == ERROR
    assert slave.call("Terminate") == OK
    assert last_good_time(slave) == 0.5


def test_an_output_that_is_not_finite_is_an_error_that_names_it(new_slave):
    slave = new_slave().start({"fault.time": 0.0})
    with pytest.raises(AssertionError):
        slave.get("pendulum.q", "der(pendulum.u)")
    assert re.search(r"fmi2GetReal: at time 0 s variable 'der\(pendulum\.u\)' is -?nan", slave.messages())


@pytest.mark.parametrize(
    ("time", "step", "message"),
    [
        (0.5, 0.0, "a step above zero"),
        (0.5, -0.1, "a step above zero"),
        (0.5, np.nan, "give finite numbers"),
        (0.5, np.inf, "give finite numbers"),
        (np.nan, 0.1, "give finite numbers"),
        (0.5, 1e-30, "too short to change the time"),
        (0.6, 0.1, "begins at 0.6"),
        (0.4, 0.1, "begins at 0.4"),
        (0.5, 1.6, "after the stop time, 2 s"),
    ],
)
def test_an_invalid_step_is_refused_and_changes_nothing(new_slave, time, step, message):
    slave = new_slave().start(stop=2.0).run(np.linspace(0, 0.5, 6))
    before = slave.to_bytes(slave.save())

    assert slave.step(time, step) == ERROR
    assert message in slave.messages()
    assert slave.to_bytes(slave.save()) == before
    assert slave.step(0.5, 1.5) == OK
