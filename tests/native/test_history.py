"""history.c: values of a quantity at past times."""

import ctypes

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mobod.native_sources import native_file
from mobod.runtime.compiler import build_library
from mobod.system.measures import history as in_python

STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fvisibility=default", "-ffp-contract=off")
GUARD = -123.25  # after the array that C writes
reals = ctypes.POINTER(ctypes.c_double)


class HistoryInC(ctypes.Structure):
    """The structure History of history.h."""

    _fields_ = (("memory", reals), ("capacity", ctypes.c_int), ("n", ctypes.c_int))


class Past(ctypes.Structure):
    """The structure Past of history.h."""

    _fields_ = (("value", ctypes.c_double), ("rate", ctypes.c_double), ("bend", ctypes.c_double))


def pointer(array):
    return array.ctypes.data_as(reals)


@pytest.fixture(scope="module")
def library(own_library_cache):
    sources = {name: native_file(name).read_text() for name in ("history.c", "history.h", "elementary.h")}
    library = ctypes.CDLL(str(build_library("history", sources, flags=STRICT)))
    library.history_at.restype = Past
    return library


class History:
    """A history in C, with Python methods that read it."""

    def __init__(self, library, capacity, n):
        self._library, self._n = library, n
        self.memory = np.append(np.zeros(in_python.history_size(capacity, n)), GUARD)
        self._in_c = ctypes.byref(HistoryInC(pointer(self.memory), capacity, n))
        self._in_python = in_python.History(self.memory[:-1], n)
        self.excerpt, self.replace = self._in_python.excerpt, self._in_python.replace

    @property
    def count(self):
        count = self._library.history_count(self._in_c)
        assert len(self._in_python.entries) == count
        assert self.memory[-1] == GUARD
        return count

    def record(self, entry):
        return bool(self._library.history_record(self._in_c, pointer(entry)))

    def at(self, time):
        found = self.find(time)
        pasts = [self._library.history_at(self._in_c, found, ctypes.c_double(time), which) for which in range(self._n)]
        return np.transpose([[past.value, past.rate, past.bend] for past in pasts])

    def find(self, time):
        return self._library.history_find(self._in_c, ctypes.c_double(time))

    def forget_before(self, time):
        self._library.history_forget_before(self._in_c, ctypes.c_double(time))

    def forget_after(self, time):
        self._library.history_forget_after(self._in_c, ctypes.c_double(time))

    def forget_newest(self):
        self._library.history_forget_newest(self._in_c)

    def forget(self):
        self._library.history_forget(self._in_c)


CUBIC = np.polynomial.Polynomial([0.3, -0.7, 1.1, 0.4])
TIMES = [0.2, 0.5, 0.55, 1.4, 2.0]


@pytest.fixture
def history(library):
    return lambda capacity=8, n=2: History(library, capacity, n)


def entry(time, values, rates):
    return np.array([time, *values, *rates])


def of_cubic(time):
    return np.array([CUBIC(time), -2 * CUBIC(time)]), np.array([CUBIC.deriv()(time), -2 * CUBIC.deriv()(time)])


@pytest.fixture
def recorded(history):
    past = history()
    assert past.record(entry(TIMES[0], of_cubic(TIMES[0])[0], [0, 0]))  # twice, since the record begins here
    for time in TIMES:
        assert past.record(entry(time, *of_cubic(time)))
    return past


def test_a_cubic_is_interpolated_exactly_with_its_rate(recorded):
    for time in np.linspace(0.2, 2.0, 37):
        values, rates, bends = recorded.at(time)
        assert_allclose(values, of_cubic(time)[0], rtol=1e-13)  # round-off, which the shortest interval multiplies by 20 and 400
        assert_allclose(rates, of_cubic(time)[1], rtol=1e-12)
        if time < 2.0:
            assert_allclose(bends, [CUBIC.deriv(2)(time), -2 * CUBIC.deriv(2)(time)], rtol=1e-10)


def test_values_are_constant_before_the_oldest_entry_and_not_extrapolated_after_the_newest(recorded):
    assert_array_equal(recorded.at(0.1), [of_cubic(0.2)[0], [0, 0], [0, 0]])
    assert_array_equal(recorded.at(2.0), [*of_cubic(2.0), [0, 0]])
    assert_array_equal(recorded.at(2.5), [*of_cubic(2.0), [0, 0]])


def test_two_entries_of_one_time_are_a_jump(recorded):
    recorded.record(entry(2.0, [5.0, 6.0], [0.0, 1.0]))
    recorded.record(entry(3.0, [5.0, 7.0], [0.0, 1.0]))
    assert_allclose(recorded.at(np.nextafter(2.0, 0))[0], of_cubic(2.0)[0], rtol=1e-13)
    assert_array_equal(recorded.at(2.0)[0], [5.0, 6.0])
    assert_allclose(recorded.at(2.5)[0], [5.0, 6.5], rtol=1e-15)


def test_old_entries_that_are_not_needed_are_removed(history):
    past = history(capacity=3, n=1)
    for k in range(50):
        past.forget_before(0.1 * k - 0.15)
        assert past.record(entry(0.1 * k, [k], [10.0]))
    assert past.count == 3
    assert_allclose(past.at(4.75)[0], 47.5, rtol=1e-14)  # a line, of slope 10
    assert past.find(4.65) == -1
    assert_array_equal(past.at(4.65), np.nan)


def test_an_excerpt_gives_the_same_value_at_its_time(history, recorded):
    empty = history()
    assert empty.excerpt(0.3).shape == (0, 5)
    for time in (0.1, 0.2, 0.3, 0.5, 1.9, 2.0, 2.5):
        other = history(capacity=2)
        other.replace(recorded.excerpt(time))
        assert_array_equal(other.at(time), recorded.at(time))
    recorded.forget_before(0.6)
    other.replace(recorded.excerpt(0.3))
    assert_array_equal(other.at(0.3), np.nan)


def test_nothing_is_recorded_without_capacity(history):
    small = history(capacity=2, n=1)
    assert small.record(entry(0.0, [1.0], [0.0]))
    assert small.record(entry(1.0, [2.0], [0.0]))
    before = small.memory.copy()
    assert not small.record(entry(2.0, [3.0], [0.0]))
    assert_array_equal(small.memory, before)


def test_later_entries_or_all_entries_can_be_deleted(recorded):
    recorded.forget_after(0.55)
    assert recorded.count == 4
    assert_array_equal(recorded.at(9.0)[0], of_cubic(0.55)[0])
    recorded.forget_newest()
    assert_array_equal(recorded.at(9.0)[0], of_cubic(0.5)[0])
    recorded.forget()
    assert recorded.count == 0
    assert recorded.find(9.0) == -1
