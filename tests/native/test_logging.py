"""Errors are always logged; debug messages are logged on request."""

import ctypes

import pytest

from tests.native.slave import DISCARD, ERROR, OK


def set_logging(slave, is_on, *categories):
    names = (ctypes.c_char_p * len(categories))(*(name.encode() for name in categories))
    return slave.call("SetDebugLogging", ctypes.c_int(is_on), ctypes.c_size_t(len(categories)), names)


def make_one_message_of_each_category(slave):
    """A step, a question without answer and an illegal call; returns the categories that were logged."""
    slave.log.clear()
    (time,) = slave.get("time")
    assert slave.step(time, 0.1) == OK
    assert slave.call("GetStatus", ctypes.c_int(0), ctypes.byref(ctypes.c_int())) == DISCARD
    assert slave.call("EnterInitializationMode") == ERROR
    return [category for _, category, _ in slave.log]


def test_without_debug_logging_only_errors_are_logged(new_slave):
    assert make_one_message_of_each_category(new_slave().start()) == ["logStatusError"]


def test_with_debug_logging_everything_is_logged(new_slave):
    slave = new_slave(logging_on=True).start()
    assert make_one_message_of_each_category(slave) == ["logSteps", "logStatusDiscard", "logStatusError"]
    assert [status for status, _, _ in slave.log] == [OK, DISCARD, ERROR]
    assert slave.messages().startswith("fmi2DoStep: to 0.1 s in ")


def test_debug_logging_can_be_switched_and_restricted_to_categories(new_slave):
    slave = new_slave().start()
    for setting, logged in [
        ((1,), ["logSteps", "logStatusDiscard", "logStatusError"]),
        ((1, "logSteps"), ["logSteps", "logStatusError"]),
        ((1, "logStatusDiscard", "logStatusError"), ["logStatusDiscard", "logStatusError"]),
        ((1, "logAll"), ["logSteps", "logStatusDiscard", "logStatusError"]),
        ((0,), ["logStatusError"]),
    ]:
        assert set_logging(slave, *setting) == OK
        assert make_one_message_of_each_category(slave) == logged


def test_debug_logging_survives_a_reset(new_slave):
    slave = new_slave(logging_on=True)
    slave.call("Reset")
    assert len(make_one_message_of_each_category(slave.start())) == 3


def test_an_unknown_category_is_refused_and_changes_nothing(new_slave):
    slave = new_slave().start()
    assert set_logging(slave, 1, "logAll", "logNonsense") == ERROR
    assert "there is no log category 'logNonsense'" in slave.messages()
    assert slave.call("SetDebugLogging", ctypes.c_int(1), ctypes.c_size_t(1), None) == ERROR
    assert make_one_message_of_each_category(slave) == ["logStatusError"]


def test_percent_signs_are_escaped_for_the_hosts_printf_format(new_slave):
    slave = new_slave()
    set_logging(slave, 1, "100%s")
    assert "'100%%s'" in slave.messages()


@pytest.mark.parametrize("length", [900, 1100, 5000])
def test_a_long_message_is_truncated(new_slave, length):
    slave = new_slave()
    set_logging(slave, 1, "%" * length)
    assert len(slave.messages().replace("%%", "%")) <= 1023
    assert slave.messages().count("%") == 2 * slave.messages().replace("%%", "%").count("%")


def test_a_host_without_a_logger_still_gets_the_status(new_slave):
    library = new_slave().library
    component = ctypes.c_void_p(
        library.fmi2Instantiate(b"quiet", 1, b"{6f1c9f52-5f0e-4c62-9f0b-3a51d1f6a0c7}", None, (ctypes.c_void_p * 5)(), 0, 1)
    )
    assert library.fmi2Terminate(component) == ERROR
    library.fmi2FreeInstance(component)
