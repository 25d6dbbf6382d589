"""A saved state holds all that a simulation is: restoring it resumes bit for bit."""

import ctypes

import numpy as np
import pytest

from tests.native.slave import ERROR, OK

FIRST, SECOND = np.linspace(0, 0.5, 8), np.linspace(0.5, 1.1, 9)


def test_a_restored_state_resumes_bit_for_bit(new_slave):
    slave = new_slave().start({"motor.torque": 0.4}, tolerance=1e-7).run(FIRST)
    saved = slave.save()
    straight_on = slave.run(SECOND).states()
    slave.set({"motor.torque": -3.0})

    assert slave.restore(saved) == OK
    assert slave.get("time", "motor.torque") == [0.5, 0.4]
    assert slave.run(SECOND).states() == straight_on
    assert slave.to_bytes(slave.save()) == slave.to_bytes(slave.save())


def test_bytes_resume_in_another_instance_bit_for_bit(new_slave):
    slave = new_slave().start({"rod.length": 0.9}, tolerance=1e-7).run(FIRST)
    data = slave.to_bytes(slave.save())

    other = new_slave(name="other")
    status, saved = other.from_bytes(data)
    assert status == OK
    assert other.restore(saved) == OK
    assert other.run(SECOND).states() == slave.run(SECOND).states()
    assert other.to_bytes(other.save()) == slave.to_bytes(slave.save())


def test_a_state_brings_its_mode_along(new_slave):
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


def test_a_place_that_holds_a_state_is_used_again(new_slave):
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


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: b"", "too short"),
        (lambda data: data[:40], "too short"),
        (lambda data: data[:-1], "its size is not"),
        (lambda data: data + b"\0", "its size is not"),
        (lambda data: bytes(len(data)), "not a state"),
        (lambda data: changed(data, 0, data[7::-1]), "byte order"),
        (lambda data: changed(data, 0, bytes([data[0] ^ 3])), "another version"),
        (lambda data: changed(data, 8, bytes([data[8] ^ 1])), "of another FMU"),
        (lambda data: changed(data, 16, b"\xff" * 8), "its size is not"),
        (lambda data: changed(data, 24, b"\xff" * 4), "damaged"),  # the mode
        (lambda data: changed(data, 28, b"\x80\x80\x80\x80"), "damaged"),  # the stage
        (lambda data: changed(data, 56, b"\xff" * 8), "damaged"),  # the step size: not a number
    ],
)
def test_foreign_or_damaged_bytes_are_refused(new_slave, damage, message):
    slave = new_slave().start().run(FIRST)
    before = slave.to_bytes(slave.save())

    status, saved = slave.from_bytes(damage(before))

    assert status == ERROR
    assert saved.value is None
    assert message in slave.messages()
    assert slave.to_bytes(slave.save()) == before


def test_null_pointers_and_too_little_room_are_refused(new_slave):
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
