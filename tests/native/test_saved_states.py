"""A saved state is complete: a restored simulation continues with the same bits."""

import ctypes

import numpy as np
import pytest

from mobod.runtime.integrators import INTEGRATORS
from tests.native.sealing import with_number
from tests.native.slave import ERROR, OK, STATES

FIRST, SECOND = np.linspace(0, 0.5, 8), np.linspace(0.5, 1.1, 9)


def test_a_restored_state_continues_bit_for_bit(new_slave):
    slave = new_slave().start({"motor.torque": 0.4}, tolerance=1e-7).run(FIRST)
    saved = slave.save()
    straight_on = slave.run(SECOND).states()
    slave.set({"motor.torque": -3.0})

    assert slave.restore(saved) == OK
    assert slave.get("time", "motor.torque") == [0.5, 0.4]
    assert slave.run(SECOND).states() == straight_on
    assert slave.to_bytes(slave.save()) == slave.to_bytes(slave.save())


def test_a_serialised_state_continues_in_another_instance_bit_for_bit(new_slave):
    slave = new_slave().start({"rod.length": 0.9}, tolerance=1e-7).run(FIRST)
    data = slave.to_bytes(slave.save())

    other = new_slave(name="other")
    status, saved = other.from_bytes(data)
    assert status == OK
    assert other.restore(saved) == OK
    assert other.run(SECOND).states() == slave.run(SECOND).states()
    assert other.to_bytes(other.save()) == slave.to_bytes(slave.save())


def test_the_stop_time_is_part_of_the_bytes(new_slave):
    data = new_slave().start(stop=0.7).run(FIRST)
    other = new_slave(name="other")
    _, saved = other.from_bytes(data.to_bytes(data.save()))
    assert other.restore(saved) == OK
    assert other.step(0.5, 0.1) == OK
    assert other.step(0.6, 0.2) == ERROR
    assert "after the stop time, 0.7 s" in other.messages()


def test_restoring_a_state_restores_its_mode(new_slave):
    slave = new_slave()
    slave.set_up()
    slave.call("EnterInitializationMode")
    saved = slave.save()
    slave.call("ExitInitializationMode")
    slave.run(FIRST)
    slave.restore(saved)

    assert slave.step(0, 0.1) == ERROR
    assert slave.set({"pendulum.q_start": 0.1}) == OK
    assert slave.call("ExitInitializationMode") == OK
    assert slave.get("pendulum.q") == [0.1]


def test_saving_again_reuses_the_state(new_slave):
    slave = new_slave().start().run(FIRST)
    saved = slave.save()
    address = saved.value
    slave.run(SECOND)
    assert slave.call("GetFMUstate", ctypes.byref(saved)) == OK
    assert saved.value == address
    slave.restore(saved)
    assert slave.get("time") == [SECOND[-1]]

    assert slave.call("FreeFMUstate", ctypes.byref(saved)) == OK
    assert saved.value is None
    assert slave.call("FreeFMUstate", ctypes.byref(saved)) == OK


def changed(data, offset, replacement):
    return data[:offset] + replacement + data[offset + len(replacement) :]


# words in sequence: as in fmu_src/native/state/serialized_state.c
INTERFACE_TYPE, MODE, PENDING, HAS_START, HAS_STOP, IS_DISTURBED, INTEGRATOR, IMPACTS = range(3, 11)
IS_STIFF, N_STIFF, N_EASY, PATIENCE, N_CAREFUL, IS_BOUNDED, N_PARTS = range(11, 18)
STOP_TIME, EXPERIMENT_TOLERANCE, TOLERANCE, CONSTRAINT_TOLERANCE, LARGEST_STEP, FIXED_STEP, STEP_SIZE = range(18, 25)
STEPS_FROM, ERROR_BEFORE, LAST_GOOD_TIME, EVENT_TIME, TIME_AFTER_EVENT, COMPLETED_STEP = range(25, 31)
PART_END, OVERRUN, LATE, LEFT_LENGTH, LEFT_ANGLE, LEFT_SPEED, LEFT_ANGULAR_SPEED, LEFT_IMPULSE = range(31, 39)
JAMMED_STEPS, FIRST_JAM, TIME = range(39, 42)
GRAVITY_ENABLED = TIME + 1 + 2 * len(STATES) + 3
IMPOSSIBLE = {
    INTERFACE_TYPE: (-1.0, 3.0, 0.5),
    MODE: (0.0, 1.5, 512.0, np.nan),
    PENDING: (-1.0, 16.0),
    HAS_START: (2.0, -1.0, 0.5),
    HAS_STOP: (2.0, np.nan),
    IS_STIFF: (2.0, -1.0),
    N_STIFF: (-1.0, 1e6),
    PATIENCE: (0.0, 1e6, 20.5),
    N_CAREFUL: (-1.0, 17.0),
    IS_BOUNDED: (2.0, 0.5),
    N_PARTS: (-1.0, 0.5),
    PART_END: (np.nan, np.inf),
    OVERRUN: (-1.0, np.inf),
    LATE: (-1.0,),
    LEFT_IMPULSE: (np.nan,),
    IS_DISTURBED: (2.0, np.inf),
    STOP_TIME: (np.nan, np.inf),
    INTEGRATOR: (0.0, 1.0 + len(INTEGRATORS), 1.5),
    IMPACTS: (-1.0, 2.0),
    EXPERIMENT_TOLERANCE: (0.0, 2.0),
    TOLERANCE: (0.0, -1.0, 1e-320, 2.0, np.nan),
    CONSTRAINT_TOLERANCE: (0.0, np.inf),
    LARGEST_STEP: (0.0, np.nan),
    FIXED_STEP: (-1e-3, np.inf),
    STEP_SIZE: (-1e-3, np.inf, np.nan),
    STEPS_FROM: (np.nan, np.inf),
    ERROR_BEFORE: (-1.0, np.nan),
    LAST_GOOD_TIME: (np.nan, -np.inf),
    EVENT_TIME: (np.nan, -np.inf),
    COMPLETED_STEP: (np.nan, np.inf),
    JAMMED_STEPS: (np.nan, -1.0),
    FIRST_JAM: (np.nan, np.inf),
    TIME: (np.nan, np.inf),
    TIME + 1: (np.nan, -np.inf),
    GRAVITY_ENABLED: (0.5, 2.0, np.nan),
}


def check_refused(new_slave, damage, message):
    slave = new_slave().start().run(FIRST)
    before = slave.to_bytes(slave.save())

    status, saved = slave.from_bytes(damage(before))

    assert status == ERROR
    assert saved.value is None
    assert message in slave.messages()
    assert slave.to_bytes(slave.save()) == before


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: b"", "too short"),
        (lambda data: data[:31], "too short"),
        (lambda data: data[:40], "its size is not"),
        (lambda data: data[:-1], "its size is not"),
        (lambda data: data + b"\0", "its size is not"),
        (lambda data: bytes(len(data)), "not a state"),
        (lambda data: changed(data, 0, data[7::-1]), "not a state, or one of another version"),
        (lambda data: changed(data, 0, bytes([data[0] ^ 3])), "another version"),
        (lambda data: changed(data, 8, bytes([data[8] ^ 1])), "of another FMU"),
        (lambda data: changed(data, 16, b"\xff" * 8), "its size is not"),
        (lambda data: changed(data, 8 * TIME, bytes([data[8 * TIME] ^ 1])), "its checksum is wrong"),
        (lambda data: changed(data, len(data) - 1, bytes([data[-1] ^ 128])), "its checksum is wrong"),
        (lambda data: with_number(data, MODE, 5.0), "its numbers contradict each other"),
        (lambda data: with_number(data, MODE, 128.0), "its numbers contradict each other"),  # Continuous-Time Mode, in co-simulation
        (lambda data: with_number(data, MODE, 256.0), "its numbers contradict each other"),  # Intermediate Update Mode, which would not end
    ],
)
def test_foreign_or_damaged_bytes_are_refused(new_slave, damage, message):
    check_refused(new_slave, damage, message)


@pytest.mark.parametrize(("number", "value"), [(number, value) for number, values in IMPOSSIBLE.items() for value in values])
def test_bytes_with_an_impossible_number_are_refused_despite_a_valid_checksum(new_slave, number, value):
    check_refused(new_slave, lambda data: with_number(data, number, value), "it holds a number that no state can have")


def test_valid_numbers_in_bytes_are_accepted(new_slave):
    slave = new_slave().start().run(FIRST)
    status, saved = slave.from_bytes(with_number(slave.to_bytes(slave.save()), TIME + 1, 0.25))
    assert status == OK
    assert slave.restore(saved) == OK
    assert slave.get("pendulum.q") == [0.25]


def test_refused_bytes_do_not_change_an_existing_state(new_slave):
    slave = new_slave().start().run(FIRST)
    saved = slave.save()
    data = slave.to_bytes(saved)
    damaged = with_number(data, TIME + 1, np.nan)
    assert slave.call("DeSerializeFMUstate", damaged, ctypes.c_size_t(len(damaged)), ctypes.byref(saved)) == ERROR
    assert slave.to_bytes(saved) == data


def test_null_pointers_and_too_small_buffers_are_refused(new_slave):
    slave = new_slave().start()
    saved, size = slave.save(), ctypes.c_size_t(8)
    room = ctypes.create_string_buffer(8)
    calls = [
        ("GetFMUstate", None),
        ("SetFMUstate", None),
        ("FreeFMUstate", None),
        ("SerializedFMUstateSize", None, ctypes.byref(size)),
        ("SerializedFMUstateSize", saved, None),
        ("SerializeFMUstate", None, room, size),
        ("SerializeFMUstate", saved, None, size),
        ("SerializeFMUstate", saved, room, size),
        ("DeSerializeFMUstate", None, size, ctypes.byref(saved)),
        ("DeSerializeFMUstate", room, size, None),
    ]
    for call in calls:
        slave.log.clear()
        assert slave.call(*call) == ERROR, call
        assert len(slave.log) == 1
