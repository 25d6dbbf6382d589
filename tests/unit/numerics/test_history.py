"""What a quantity was at past times."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mobod.numerics.history import History, history_size

CUBIC = np.polynomial.Polynomial([0.3, -0.7, 1.1, 0.4])
TIMES = [0.2, 0.5, 0.55, 1.4, 2.0]


def history(capacity=8, n=2):
    return History(np.zeros(history_size(capacity, n)), n)


def entry(time, values, rates):
    return np.array([time, *values, *rates])


def of_cubic(time):
    return np.array([CUBIC(time), -2 * CUBIC(time)]), np.array([CUBIC.deriv()(time), -2 * CUBIC.deriv()(time)])


@pytest.fixture
def recorded():
    past = history()
    assert past.record(entry(TIMES[0], of_cubic(TIMES[0])[0], [0, 0]))  # twice: here it begins
    for time in TIMES:
        assert past.record(entry(time, *of_cubic(time)))
    return past


def test_a_cubic_is_met_between_its_entries_with_its_rate(recorded):
    for time in np.linspace(0.2, 2.0, 37):
        values, rates, bends = recorded.at(time)
        assert_allclose(values, of_cubic(time)[0], rtol=1e-13)  # round-off, which the shortest interval multiplies by 20 and 400
        assert_allclose(rates, of_cubic(time)[1], rtol=1e-12)
        if time < 2.0:
            assert_allclose(bends, [CUBIC.deriv(2)(time), -2 * CUBIC.deriv(2)(time)], rtol=1e-10)


def test_before_the_oldest_it_stands_still_and_from_the_newest_on_nothing_is_extrapolated(recorded):
    assert_array_equal(recorded.at(0.1), [of_cubic(0.2)[0], [0, 0], [0, 0]])
    assert_array_equal(recorded.at(2.0), [*of_cubic(2.0), [0, 0]])
    assert_array_equal(recorded.at(2.5), [*of_cubic(2.0), [0, 0]])


def test_two_entries_of_one_time_are_a_jump(recorded):
    recorded.record(entry(2.0, [5.0, 6.0], [0.0, 1.0]))
    recorded.record(entry(3.0, [5.0, 7.0], [0.0, 1.0]))
    assert_allclose(recorded.at(np.nextafter(2.0, 0))[0], of_cubic(2.0)[0], rtol=1e-13)
    assert_array_equal(recorded.at(2.0)[0], [5.0, 6.0])
    assert_allclose(recorded.at(2.5)[0], [5.0, 6.5], rtol=1e-15)


def test_what_nothing_needs_any_more_makes_room():
    past = history(capacity=3, n=1)
    for k in range(50):
        past.forget_before(0.1 * k - 0.15)
        assert past.record(entry(0.1 * k, [k], [10.0]))
    assert past.count == 3
    assert_allclose(past.at(4.75)[0], 47.5, rtol=1e-14)  # a line, of slope 10
    assert past.find(4.65) == -1
    assert_array_equal(past.at(4.65), np.nan)


def test_an_excerpt_says_the_same_of_its_time(recorded):
    empty = history()
    assert empty.excerpt(0.3).shape == (0, 5)
    for time in (0.1, 0.2, 0.3, 0.5, 1.9, 2.0, 2.5):
        other = history(capacity=2)
        other.replace(recorded.excerpt(time))
        assert_array_equal(other.at(time), recorded.at(time))
    recorded.forget_before(0.6)
    other.replace(recorded.excerpt(0.3))
    assert_array_equal(other.at(0.3), np.nan)


def test_without_room_nothing_is_recorded(recorded):
    small = history(capacity=2, n=1)
    assert small.record(entry(0.0, [1.0], [0.0]))
    assert small.record(entry(1.0, [2.0], [0.0]))
    before = small.memory.copy()
    assert not small.record(entry(2.0, [3.0], [0.0]))
    assert_array_equal(small.memory, before)


def test_later_times_and_all_of_them_can_be_forgotten(recorded):
    recorded.forget_after(0.55)
    assert recorded.count == 4
    assert_array_equal(recorded.at(9.0)[0], of_cubic(0.55)[0])
    recorded.forget_newest()
    assert_array_equal(recorded.at(9.0)[0], of_cubic(0.5)[0])
    recorded.forget()
    assert recorded.count == 0
    assert recorded.find(9.0) == -1
