"""Static tables: lookup by value gives the same result for floats, recorded scalars and bytecode, for any size."""

import math

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from mobod.errors import InputError
from mobod.scalar import StaticTable, interval, lookup
from mobod.scalar.array_function import ArrayFunction
from mobod.scalar.c_tables import c_table_name, c_tables
from mobod.scalar.derivative import jvp
from mobod.scalar.recording import record

BREAKPOINTS = StaticTable([-1.5, -0.25, 0.0, 0.7, 2.0])
NUMBERS = StaticTable([3.5, -0.2, 0.0, 7.25])
# x -> number of the interval that holds it
INTERVALS = {
    -7.0: 0,
    -1.5: 0,
    -0.3: 0,
    -0.25: 1,
    math.nextafter(0.0, -1): 1,
    0.0: 2,
    0.5: 2,
    0.7: 3,
    1.9: 3,
    2.0: 3,
    math.inf: 3,
    -math.inf: 0,
    math.nan: 3,
}


def test_interval_finds_the_interval_that_starts_at_or_before_x():
    x, expected = np.array(list(INTERVALS)), list(INTERVALS.values())

    assert_array_equal(interval(BREAKPOINTS, x), expected)
    assert_array_equal(ArrayFunction(lambda x: interval(BREAKPOINTS, x))(x), expected)
    assert [interval(BREAKPOINTS, each) for each in x] == expected


def test_a_lookup_returns_the_number_or_nan_if_out_of_range():
    indices, expected = np.array([0.0, 1.0, 2.0, 3.0, 4.0, -1.0, math.nan, math.inf]), [3.5, -0.2, 0.0, 7.25, *[math.nan] * 4]

    assert_array_equal(lookup(NUMBERS, indices), expected)
    assert_array_equal(ArrayFunction(lambda index: lookup(NUMBERS, index))(indices), expected)


def test_the_real_part_of_complex_numbers_counts():
    assert interval(BREAKPOINTS, 0.5 + 3j) == 2
    assert lookup(NUMBERS, 3 + 1e-30j) == 7.25


def test_the_derivative_between_breakpoints_is_zero():
    value, along = jvp(lambda x: lookup(NUMBERS, interval(BREAKPOINTS, x)) * x**2, [0.5], [2.0])

    assert (value, along) == (0.0, 0.0)
    value, along = jvp(lambda x: lookup(NUMBERS, interval(BREAKPOINTS, x)) * x**2, [1.5], [2.0])
    assert (value, along) == (7.25 * 1.5**2, 7.25 * 2 * 1.5 * 2.0)


def test_a_lookup_by_a_constant_is_a_constant():
    recording = record(lambda x: lookup(NUMBERS, interval(BREAKPOINTS, x)), [np.array([1.0, np.nan])], about="half open")

    known, opened = recording.outputs[0]
    assert known.value == 7.25
    assert opened.value is None


@pytest.mark.parametrize("size", [2, 10_000])
def test_a_recording_does_not_grow_with_the_table(size):
    table = StaticTable(np.linspace(0.0, 1.0, size))
    recording = record(lambda x: lookup(table, interval(table, x)), [np.full((), np.nan)], about="found")

    assert [recording.tape.entries[number][0] for number in recording.needed] == ["symbol", "table", "interval", "lookup"]


def test_equal_tables_are_shared_in_recordings_and_in_c():
    twin = StaticTable(list(NUMBERS.numbers))
    recording = record(lambda x: lookup(NUMBERS, x) + lookup(twin, x) * lookup(BREAKPOINTS, x), [np.full((), np.nan)], about="three")
    other = record(lambda x: lookup(twin, x + 1), [np.full((), np.nan)], about="one")

    text = "\n".join(c_tables([recording, other]))

    assert twin == NUMBERS
    assert hash(twin) == hash(NUMBERS)
    assert twin != BREAKPOINTS
    assert twin != [3.5, -0.2, 0.0, 7.25]
    assert text.count("static const double") == 2
    assert text.count(f"{c_table_name(NUMBERS)}[] = {{\n    3.5, -0.2, 0.0, 7.25,\n}};") == 1
    assert text.count("static double mobod_lookup") == 1
    assert "mobod_interval" not in text  # a function that nobody calls is a warning


def test_the_c_of_an_array_function_holds_its_tables():
    text = ArrayFunction(lambda x: lookup(NUMBERS, x)).c_code((), name="found")

    assert text.index(c_table_name(NUMBERS)) < text.index("void found(")


def test_a_table_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        NUMBERS.numbers[0] = 1.0


@pytest.mark.parametrize("numbers", [[], [[1.0, 2.0]], 3.0, ["a"], [1j]])
def test_a_table_must_be_a_row_of_real_numbers(numbers):
    with pytest.raises(InputError, match="One row of real numbers is needed"):
        StaticTable(numbers)


@pytest.mark.parametrize("breakpoints", [[1.0], [0.0, 0.0, 1.0], [0.0, 2.0, 1.0], [0.0, math.nan]])
def test_breakpoints_must_increase(breakpoints):
    with pytest.raises(InputError, match="each must be larger than the one before"):
        interval(StaticTable(breakpoints), 0.5)
