"""Exceptions and Ctrl-C in callbacks from C: none is lost, all are raised after the C function returns. The C function is qsort."""

import ctypes
import os
import signal
import threading

import pytest

from mobod.c_calls import CCalls

C = ctypes.CDLL("msvcrt" if os.name == "nt" else None)
Compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))


def sort(calls, compare):
    """Sort six numbers by qsort with this function in its callback; returns them as qsort leaves them."""
    numbers = (ctypes.c_int * 6)(5, 3, 4, 6, 1, 2)

    def guarded(a, b):
        with calls.callback():
            return compare(a[0], b[0])
        return 0

    with calls:
        C.qsort(numbers, 6, ctypes.sizeof(ctypes.c_int), Compare(guarded))
    return list(numbers)


@pytest.fixture(autouse=True)
def handler_is_back_after_each_test(ctrl_c):
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_callback_without_errors_works():
    assert sort(CCalls(), lambda a, b: a - b) == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, ZeroDivisionError])
def test_the_first_exception_is_raised_after_c_has_returned(kind):
    called = []

    def fail(a, b):
        called.append((a, b))
        raise kind(f"call {len(called)}")

    calls = CCalls()
    with pytest.raises(kind, match="call 1"):
        sort(calls, fail)
    assert len(called) > 1  # C went on to its end
    assert sort(calls, lambda a, b: a - b) == [1, 2, 3, 4, 5, 6]  # nothing is kept for the next call


def test_ctrl_c_in_a_callback_is_raised_when_c_has_returned():
    called = []

    def interrupted(a, b):
        if not called:
            signal.raise_signal(signal.SIGINT)
        called.append(a)
        return a - b

    with pytest.raises(KeyboardInterrupt):
        sort(CCalls(), interrupted)
    assert len(called) > 1


def test_a_handler_of_sigterm_is_called_when_c_has_returned():
    called = []

    def ended(a, b):
        if not called:
            signal.raise_signal(signal.SIGTERM)
        called.append(a)
        return a - b

    def end(number, frame):
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        with pytest.raises(SystemExit, match="143"):
            sort(CCalls(), ended)
        assert signal.getsignal(signal.SIGTERM) is end
    finally:
        signal.signal(signal.SIGTERM, before)
    assert len(called) > 1


def test_a_second_ctrl_c_does_not_wait():
    reached = []

    def interrupted(a, b):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        reached.append(a)

    with pytest.raises(KeyboardInterrupt):
        sort(CCalls(), interrupted)
    assert not reached


def test_a_handler_of_the_users_own_is_called_after_c_has_returned():
    seen = []
    signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:

        def interrupted(a, b):
            signal.raise_signal(signal.SIGINT)
            assert seen == []
            return a - b

        assert sort(CCalls(), lambda a, b: interrupted(a, b) if (a, b) == (5, 3) else a - b) == [1, 2, 3, 4, 5, 6]
        assert seen == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def test_calls_inside_calls_wait_for_the_outermost():
    inner, reached = CCalls(), []
    outer = CCalls()

    def nested():
        with outer, outer:
            with inner:
                signal.raise_signal(signal.SIGINT)
            reached.append(1)

    with pytest.raises(KeyboardInterrupt):
        nested()
    assert reached == [1]


def test_other_threads_keep_exceptions_and_do_not_handle_signals():
    raised = []

    def work():
        try:
            sort(CCalls(), lambda a, b: 1 // 0)
        except ZeroDivisionError as error:
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(raised) == 1
