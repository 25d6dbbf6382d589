"""Selections by value, and the guarded functions at and near their singular points."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mobod.scalar import Tape, angle, clip, cosc, is_recorded, maximum, minimum, norm, normalized, sinc, where
from mobod.scalar.array_function import ArrayFunction
from mobod.scalar.derivative import jvp
from mobod.scalar.recording import record

NAN = math.nan


def derivatives_along(function):
    """A ArrayFunction of (x, d): value, first and second derivative of function(x + t d) in t."""

    def text(x, d):
        value, first = jvp(function, [x], [d])
        second = jvp(lambda x: jvp(function, [x], [d])[1], [x], [d])[1]
        return np.stack([value, first, second])

    return ArrayFunction(text)


def test_is_recorded_finds_recorded_scalars():
    x = Tape().symbol("x")

    for value in (x, np.array([1.0, x]), [1.0, [2.0, x]], (np.zeros(2), np.array(x))):
        assert is_recorded(value)
        assert is_recorded(0.0, value)
    for value in (1.0, np.ones(3), np.array([1.0, None]), [1, [2, 3]], "x", None, ()):
        assert not is_recorded(value)


# (condition, a, b), of all the shapes that broadcast
CHOICES = [
    (1.0, 2.0, 3.0),
    (0.0, 2.0, 3.0),
    (NAN, 2.0, 3.0),  # what is not 0 holds, as in C
    ([1.0, 0.0], 2.0, [3.0, 4.0]),
    ([[1.0], [0.0]], [2.0, 5.0], 3.0),
]


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("open_ones", [(0,), (1,), (0, 2), (0, 1, 2)])
def test_where_works_for_recorded_and_plain_numbers(choice, open_ones):
    def text(*values):
        given = list(choice)
        for i, value in zip(open_ones, values, strict=True):
            given[i] = value
        return where(*given)

    expected = np.where(*choice)

    assert_array_equal(ArrayFunction(text)(*(choice[i] for i in open_ones)), expected)
    assert_array_equal(where(*choice), expected)


def test_where_of_a_condition_known_when_recording_records_nothing():
    tape = Tape()
    x, y = tape.symbols("x", (2,))

    assert where(True, x, y) is x
    assert where(tape.constant(0.0), x, y).number == y.number
    assert where(x > 0, y, y).number == y.number


@pytest.mark.parametrize(("function", "of_numpy"), [(minimum, np.minimum), (maximum, np.maximum)])
def test_minimum_and_maximum_match_numpy_and_propagate_nan(function, of_numpy):
    a = np.array([1.0, 2.0, -3.0, NAN, 0.5, NAN, math.inf])
    b = np.array([2.0, 1.0, -3.0, 0.5, NAN, NAN, -math.inf])

    assert_array_equal(ArrayFunction(function)(a, b), of_numpy(a, b))
    assert_array_equal(ArrayFunction(lambda a: function(a, 0.7))(a), of_numpy(a, 0.7))
    assert_array_equal(ArrayFunction(lambda b: function(0.7, b))(b), of_numpy(0.7, b))
    assert_array_equal(function(a, b), of_numpy(a, b))


def test_minimum_and_maximum_have_the_derivative_of_the_first_in_a_tie():
    for function in (minimum, maximum):
        _, tangent = ArrayFunction(function).jvp([2.0, 2.0], [5.0, 7.0])
        assert tangent == 5.0


def test_clip_respects_its_bounds_and_propagates_nan():
    x = np.array([-2.0, 0.1, 0.9, NAN])
    expected = [-0.5, 0.1, 0.6, NAN]

    assert_array_equal(ArrayFunction(lambda x: clip(x, -0.5, 0.6))(x), expected)
    assert_array_equal(ArrayFunction(clip)(x, -0.5, [0.6, 0.6, 0.6, 0.6]), expected)
    assert_array_equal(clip(x, -0.5, 0.6), expected)


def test_a_bound_that_is_a_number_is_not_checked_for_nan():
    recording = record(lambda x: clip(x, 0.0, 1.0), [np.full((), NAN)], about="clip")

    operations = [recording.tape.entries[number][0] for number in recording.needed]
    assert sorted(set(operations)) == ["constant", "less", "symbol", "where"]


@pytest.mark.parametrize("size", [1e-100, 1e-6, 1.0, 1e100])
def test_norm_and_its_derivatives_away_from_zero(size):
    v, d = size * np.array([0.3, -0.8, 0.5]), size * np.array([-1.1, 0.4, 0.2])
    length = np.linalg.norm(v)
    first = v @ d / length
    second = (d @ d - first**2) / length

    assert_allclose(derivatives_along(norm)(v, d), [length, first, second], rtol=1e-14)
    assert_allclose(norm(v), length, rtol=1e-15)


def test_norm_at_zero_and_its_derivatives_are_zero():
    assert derivatives_along(norm)(np.zeros(3), [0.3, -0.2, 0.9]).tolist() == [0.0, 0.0, 0.0]
    assert norm(np.zeros(3)) == 0.0
    assert norm([]) == 0.0


def test_normalized_and_its_derivatives_away_from_zero():
    v, d = np.array([0.3, -0.8, 0.5]), np.array([-1.1, 0.4, 0.2])
    n, length = v / np.linalg.norm(v), np.linalg.norm(v)
    first = (d - n * (n @ d)) / length
    # n = v / |v| differentiated twice: |v| n'' = -2 |v|' n' - |v|'' n
    second = (-2 * (n @ d) * first - (d @ d - (n @ d) ** 2) / length * n) / length

    assert_allclose(derivatives_along(normalized)(v, d), [n, first, second], rtol=1e-13)
    assert_allclose(normalized(v), n, rtol=1e-15)


def test_normalized_at_zero_and_its_derivatives_are_zero():
    assert not derivatives_along(normalized)(np.zeros(3), [0.3, -0.2, 0.9]).any()
    assert not normalized(np.zeros(3)).any()


def series(coefficient, x):
    """Value, first and second derivative of the sum of coefficient(k) x^(2 k): 14 terms, the last below 1e-40 for |x| < 1."""
    ks = range(14)
    return [
        math.fsum(coefficient(k) * x ** (2 * k) for k in ks),
        math.fsum(coefficient(k) * 2 * k * x ** (2 * k - 1) for k in ks if k),
        math.fsum(coefficient(k) * 2 * k * (2 * k - 1) * x ** (2 * k - 2) for k in ks if k),
    ]


GUARDED = {
    "sinc": (sinc, lambda k: (-1) ** k / math.factorial(2 * k + 1)),
    "cosc": (cosc, lambda k: (-1) ** k / math.factorial(2 * k + 2)),
}


@pytest.mark.parametrize("name", GUARDED)
@pytest.mark.parametrize("x", [0.0, 1e-300, -1e-12, 1e-8, 1e-4, -0.02, 0.2, 0.2499, 0.2501, -0.31, 0.499, 0.501, 0.9])
def test_guarded_quotients_have_the_derivatives_of_their_series(name, x):
    function, coefficient = GUARDED[name]

    # above the radius of the series the second derivative loses 2 eps / x^2 of its 1/3 or 1/12
    assert_allclose(derivatives_along(function)(x, 1.0), series(coefficient, x), rtol=1e-13)


@pytest.mark.parametrize(("name", "radius"), [("sinc", 0.25), ("cosc", 0.5)])
def test_guarded_quotients_are_continuous_where_the_series_ends(name, radius):
    derivatives = derivatives_along(GUARDED[name][0])

    inside, outside = derivatives(np.nextafter(radius, 0), 1.0), derivatives(radius, 1.0)

    assert_allclose(inside, outside, rtol=1e-13)


@pytest.mark.parametrize("x", [1.0, -2.5, 40.0])
def test_guarded_quotients_far_from_zero(x):
    s, c = math.sin(x), math.cos(x)

    assert_allclose(derivatives_along(sinc)(x, 1.0), [s / x, c / x - s / x**2, -s / x - 2 * c / x**2 + 2 * s / x**3], rtol=1e-13)
    expected = [(1 - c) / x**2, s / x**2 - 2 * (1 - c) / x**3, c / x**2 - 4 * s / x**3 + 6 * (1 - c) / x**4]
    assert_allclose(derivatives_along(cosc)(x, 1.0), expected, rtol=1e-13)


def test_guarded_quotients_accept_arrays_and_plain_numbers():
    x = [0.0, 0.1, -2.0]

    assert_allclose(sinc(x), [1.0, math.sin(0.1) / 0.1, math.sin(2.0) / 2.0], rtol=1e-15)
    assert_allclose(cosc(np.array(x)), [0.5, (1 - math.cos(0.1)) / 0.01, (1 - math.cos(2.0)) / 4], rtol=1e-13)
    assert_allclose(ArrayFunction(sinc)(x), sinc(x), rtol=1e-15)
    assert_allclose(sinc(0.1 + 1e-30j).imag, 1e-30 * (math.cos(0.1) - math.sin(0.1) / 0.1) / 0.1, rtol=1e-13)


def test_an_angle_that_grows_uniformly_has_derivative_one():
    a, b, normal = np.array([2.0, 0.0, 0.0]), np.array([0.0, 0.5, 0.0]), np.array([0.0, 0.0, 1.0])
    assert np.cross(a, b) @ normal > 0

    def turned(t):
        return angle(a, 3 * (np.cos(t) * a / 2 + np.sin(t) * b / 0.5))

    for t in (1e-9, 0.3, math.pi / 2, 2.7, math.pi - 1e-9):
        # near 0 and pi the second derivative is a difference of terms of size 1 / sin(t)
        value, first, second = derivatives_along(turned)(t, 1.0)
        assert_allclose([value, first], [t, 1.0], rtol=1e-14)
        assert abs(second) < 1e-15 / math.sin(t)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([0.3, -0.8, 0.5], [0.6, -1.6, 1.0], 0.0),
        ([0.3, -0.8, 0.5], [-0.3, 0.8, -0.5], math.pi),
        ([0.0, 0.0, 0.0], [0.3, -0.8, 0.5], 0.0),
        ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], 0.0),
    ],
)
def test_where_the_angle_has_no_derivative_zero_is_returned(a, b, expected):
    b = np.array(b)

    assert derivatives_along(lambda a: angle(a, b))(a, [0.1, 0.7, -0.2]).tolist() == [expected, 0.0, 0.0]
    assert angle(a, b) == expected
