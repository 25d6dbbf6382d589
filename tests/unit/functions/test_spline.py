"""Splines: the numbers of SciPy inside, at knots and outside, from floats and from bytecode; fits; equality; errors."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.interpolate import Akima1DInterpolator, BSpline, CubicSpline, PchipInterpolator, PPoly, make_interp_spline, make_smoothing_spline

from mobod.errors import InputError
from mobod.functions import Function, Spline
from mobod.functions.derivative import derivative_of_value
from mobod.scalar.array_function import ArrayFunction
from mobod.scalar.recording import record

RNG = np.random.default_rng(31)
X = np.linspace(-1.0, 2.0, 12) + RNG.uniform(-0.08, 0.08, 12)
Y = RNG.normal(size=12)
SEVERAL = RNG.normal(size=(12, 3))

BETWEEN = (0.3 * X[:-1] + 0.7 * X[1:]).tolist()
ORDERS = (0, 1, 2, 3)


def asked(function, order):
    """The value or a derivative, as a function of x."""
    return (lambda x: function.derivative([0] * order, x)) if order else function.value


def scales(curve):
    """The size of each derivative over the range, because terms of this size cancel."""
    x = np.linspace(*(np.array([X[0], X[-1]])), 300)
    return [np.abs(curve(x, order)).max() for order in ORDERS]


def assert_is(spline, curve, points, rtol=1e-13):
    """Compares within some rounding errors of the largest terms, because sums and products are ordered differently from SciPy's."""
    for order, scale in zip(ORDERS[: spline.degree + 1], scales(curve), strict=False):
        recorded = ArrayFunction(asked(spline, order))
        for x in points:
            expected = curve(x, order)
            atol = rtol * max(scale, np.abs(expected).max())
            assert_allclose(spline.derivative([0] * order, x) if order else spline.value(x), expected, rtol=0, atol=atol)
            assert_allclose(recorded(np.array([x])), expected, rtol=0, atol=atol)


@pytest.mark.parametrize("y", [Y, SEVERAL], ids=["one value", "several"])
@pytest.mark.parametrize("degree", [1, 2, 3, 4, 5])
def test_a_fit_matches_scipys_value_and_three_derivatives_between_knots(degree, y):
    assert_is(Spline.fit(X, y, degree=degree), make_interp_spline(X, y, k=degree), BETWEEN)


@pytest.mark.parametrize("degree", [1, 3, 5])
def test_an_interpolating_spline_passes_through_its_points(degree):
    spline = Spline.fit(X, Y, degree=degree)

    assert_allclose([spline.value(x) for x in X], Y, rtol=0, atol=1e-13)


@pytest.mark.parametrize("degree", [1, 3])
def test_at_a_knot_the_right_piece_counts_and_at_the_last_knot_the_left_one(degree):
    spline, curve = Spline.fit(X, Y, degree=degree), make_interp_spline(X, Y, k=degree)
    pieces = PPoly.from_spline(curve)
    starts = spline.breakpoints.numbers
    width = np.diff(starts).min()

    assert_is(spline, curve, starts[:-1])  # SciPy's own choice is the same
    for order in range(1, degree + 1):
        for knot in starts[1:-1]:
            at, after, before = (spline.derivative([0] * order, x) for x in (knot, knot + 1e-12 * width, knot - 1e-12 * width))
            scale = np.abs(curve(BETWEEN, order)).max()
            # over so short a way the derivative moves by less than 1e-10 of its size
            assert_allclose(at, after, atol=1e-10 * scale)
            assert (abs(at - before) > 1e-3 * scale) == (order == degree)  # only the highest jumps
        assert_allclose(spline.derivative([0] * order, starts[-1]), pieces(np.nextafter(starts[-1], 0), order), rtol=1e-10)


@pytest.mark.parametrize("y", [Y, SEVERAL], ids=["one value", "several"])
@pytest.mark.parametrize("degree", [1, 2, 3])
def test_outside_its_range_a_spline_continues_as_a_taylor_polynomial(degree, y):
    spline, curve = Spline.fit(X, y, degree=degree), make_interp_spline(X, y, k=degree)

    for end, distance in ((X[0], -0.4), (X[0], -3.0), (X[-1], 0.2), (X[-1], 5.0)):
        inner = np.nextafter(end, 0.5)  # at the end itself SciPy's derivatives are those of either piece
        for order in ORDERS[: degree + 1]:
            terms = [curve(inner, order + n) * distance**n / math.factorial(n) for n in range(degree - order + 1)]
            value = asked(spline, order)(end + distance)
            assert_allclose(value, sum(terms), rtol=0, atol=1e-12 * np.abs(terms).max())
    assert_is(spline, curve, [X[0] - 0.4, X[-1] + 0.2, X[0] - 30.0])


def test_derivatives_match_the_recorded_value_and_differences():
    spline = Spline.fit(X, SEVERAL)
    for x in [*BETWEEN, X[0] - 0.5, X[-1] + 0.5]:
        spline.check_derivatives(x, order=3, step=1e-6)


@pytest.mark.parametrize(
    "curve", [CubicSpline(X, Y), PchipInterpolator(X, Y), Akima1DInterpolator(X, Y), PPoly.from_spline(make_interp_spline(X, Y))]
)
def test_any_piecewise_polynomial_of_scipy_can_be_used(curve):
    if isinstance(curve, PPoly) and len(np.unique(curve.x)) < len(curve.x):
        curve = PPoly(curve.c[:, 3:-3], curve.x[3:-3])
    assert_is(Spline(curve), curve, BETWEEN)


def test_the_axis_of_scipys_values_may_be_any():
    assert Spline(make_interp_spline(X, SEVERAL.T, axis=1)) == Spline.fit(X, SEVERAL)


def test_a_curve_jumps_at_repeated_knots():
    curve = BSpline([0.0, 0.0, 1.0, 1.0, 2.0, 2.0], [1.0, 2.0, 5.0, -1.0], 1)
    spline = Spline(curve)

    assert_allclose([spline.value(x) for x in (0.0, 0.5, 1.0, 1.5, 2.0)], [1.0, 1.5, 5.0, 2.0, -1.0], rtol=1e-15)


@pytest.mark.parametrize("smoothing", [0.0, 1e-3, 0.1, "gcv"])
def test_smoothing_splines_match_scipy(smoothing):
    curve = make_smoothing_spline(X, Y, lam=None if smoothing == "gcv" else smoothing)

    assert_is(Spline.fit(X, Y, smoothing=smoothing), curve, BETWEEN, rtol=1e-12)


@pytest.mark.slow
def test_a_smoothing_spline_minimizes_its_criterion():
    weight = 0.05

    def cost(spline):
        fine = np.linspace(X[0], X[-1], 4001)
        bends = np.array([spline.derivative([0, 0], x) for x in fine])
        return sum((y - spline.value(x)) ** 2 for x, y in zip(X, Y, strict=True)) + weight * np.trapezoid(bends**2, fine)

    least = cost(Spline.fit(X, Y, smoothing=weight))
    for other in (0.5, 2.0):
        assert cost(Spline.fit(X, Y, smoothing=other * weight)) > least * (1 + 1e-4)


# outside


def test_outside_can_be_an_error():
    spline, free = Spline.fit(X, SEVERAL, outside="error"), Spline.fit(X, SEVERAL)

    for x in (X[0], X[4], X[-1], 0.1):
        assert_array_equal(spline.value(x), free.value(x))
        assert_array_equal(spline.derivative([0, 0], x), free.derivative([0, 0], x))
    for x in (X[0] - 1e-9, X[-1] + 1e-9, math.inf, math.nan):
        for ask in (spline.value, lambda x: spline.derivative([0], x)):
            with pytest.raises(InputError, match=r"function 'Spline': x = .* is outside its range, -0\.93\d+ to 2\.07\d+\. Stay inside"):
                ask(x)


@pytest.mark.parametrize("order", ORDERS)
def test_outside_the_range_recorded_values_and_derivatives_are_nan(order):
    recorded = ArrayFunction(asked(Spline.fit(X, SEVERAL, outside="error"), order))

    assert np.isfinite(recorded(X[3:4])).all()
    assert np.isfinite(recorded(X[-1:])).all()
    for x in (X[0] - 1e-9, X[-1] + 1e-9, math.nan):
        assert np.isnan(recorded(np.array([x]))).all()


@pytest.mark.fast(3)
@pytest.mark.parametrize("degree", [1, 2, 3, 4])
def test_a_periodic_spline_repeats_smoothly(degree):
    y = SEVERAL.copy()
    y[-1] = y[0]
    spline, period = Spline.fit(X, y, degree=degree, outside="periodic"), X[-1] - X[0]

    for order in range(degree + 1):
        ask = asked(spline, order)
        recorded = ArrayFunction(ask)
        scale = max(np.abs(ask(x)).max() for x in BETWEEN)
        for x in BETWEEN[::3]:
            for turns in (-7, -1, 1, 12):
                # the turned x is rounded to some 1e-15, and the next derivative is up to 100 times as large
                assert_allclose(ask(x + turns * period), ask(x), rtol=0, atol=1e-12 * scale)
                assert_allclose(recorded(np.array([x + turns * period])), ask(x), rtol=0, atol=1e-12 * scale)
        for end in (X[0], X[-1], X[-1] + 4 * period):
            jump = np.abs(ask(end - 1e-9) - ask(end + 1e-9)).max()
            assert (jump > 1e-2 * scale) if order == degree else (jump < 1e-6 * scale)
    assert Spline(make_interp_spline(X, y, k=3, bc_type="periodic"), outside="periodic") == Spline.fit(X, y, outside="periodic")


# recording


@pytest.mark.parametrize("outside", ["continue", "error", "periodic"])
def test_the_length_of_a_recording_does_not_depend_on_the_number_of_knots(outside):
    lengths = []
    for n in (10, 10_000):
        x = np.linspace(0.3, 2.0, n)
        y = np.sin(2 * np.pi * (x - x[0]) / (x[-1] - x[0]))
        y[-1] = y[0]
        spline = Spline.fit(x, y, outside=outside)
        for order in (0, 2):
            recording = record(asked(spline, order), [np.full(1, np.nan)], about="spline")
            lengths.append((len(recording.needed), len(recording.tape.entries)))

    assert lengths[:2] == lengths[2:]
    assert lengths[0][0] < 40


def test_equal_splines_compare_equal_and_share_recordings():
    one, twin = Spline.fit(X, Y), Spline.fit(list(X), list(Y))

    assert one == twin
    assert hash(one) == hash(twin)
    assert one != Spline.fit(X, Y + 1e-9)
    assert one != Spline.fit(X, Y, outside="error")
    assert one != Spline.fit(X, Y, degree=1)
    assert Spline.fit(X, Y[:, None]) != one  # one value in a row of one
    assert Spline.fit(X, Y[:, None]).value(0.2).shape == (1,)


def test_complex_steps_differentiate_a_spline():
    for outside in ("continue", "error", "periodic"):
        y = [*Y[:-1], Y[0]]
        spline = Spline.fit(X, y, outside=outside)
        for x in (*BETWEEN, X[3]):
            assert_allclose(spline.value([x + 1e-30j]).imag / 1e-30, spline.derivative([0], x), rtol=1e-12)


def test_a_spline_has_degree_range_and_highest_derivative():
    spline = Spline.fit(X, Y, degree=2)

    assert (spline.degree, spline.max_derivative_order, spline.argument_size) == (2, 2, 1)
    assert spline.range == (X[0], X[-1])
    with pytest.raises(InputError, match=r"function 'Spline': a derivative of order 3 was asked for.* has none above order 2"):
        spline.derivative([0, 0, 0], 0.3)
    assert isinstance(spline, Function)
    assert derivative_of_value(spline, (0, 0, 0), np.array([0.3])) == 0


# errors

SHORT = X[:4]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Spline.fit([0.0, 1.0, 0.5, 2.0], SHORT), r"'Spline': x must increase, but number 2 is 0\.5, after 1"),
        (lambda: Spline.fit([0.0, 1.0, 1.0, 2.0], SHORT), "'Spline': x must increase, but number 2 is 1, after 1"),
        (
            lambda: Spline.fit([0.0, math.nan, 1.0, 2.0], SHORT),
            r"'Spline': x is \[0\.0, nan, 1\.0, 2\.0\]\. All its entries must be finite",
        ),
        (lambda: Spline.fit([0.0], [1.0]), r"'Spline': x has shape \(1,\). A list of numbers is needed, at least 2"),
        (lambda: Spline.fit(X, SHORT), r"'Spline': y has shape \(4,\), but there are 12 x"),
        (lambda: Spline.fit(SHORT, np.zeros((4, 2, 2))), r"'Spline': y has shape \(4, 2, 2\)"),
        (lambda: Spline.fit(SHORT, [1.0, 2.0, math.inf, 0.0]), "'Spline': y is .*inf"),
        (lambda: Spline.fit(SHORT[:3], SHORT[:3]), "'Spline': 3 points were given. A spline of degree 3 needs at least 4"),
        (lambda: Spline.fit(SHORT, SHORT, degree=0), "'Spline': the degree is 0"),
        (lambda: Spline.fit(SHORT, SHORT, degree=1.5), "'Spline': the degree is 1.5. A whole number is needed"),
        (lambda: Spline.fit(SHORT, SHORT, smoothing=0.1), "'Spline': 4 points were given. A spline of smoothing needs at least 5"),
        (lambda: Spline.fit(X, Y, smoothing=-1.0), "'Spline': smoothing is -1. It cannot be negative"),
        (lambda: Spline.fit(X, Y, smoothing="much"), "'Spline': smoothing is 'much'"),
        (lambda: Spline.fit(X, Y, degree=5, smoothing=0.1), "'Spline': the degree is 5. A spline that smooths is cubic"),
        (lambda: Spline.fit(X, Y, outside="zero"), "'Spline': outside is 'zero'. It can be 'continue', 'error' or 'periodic'"),
        (lambda: Spline.fit(X, Y, outside="periodic"), "'Spline': y is .* at the first point and .* at the last"),
        (lambda: Spline.fit(X, Y, smoothing=0.1, outside="periodic"), "'Spline': smoothing is 0.1, but outside is 'periodic'"),
        (
            lambda: Spline(make_interp_spline(X, [*Y[:-1], Y[0]], bc_type="periodic")),
            "'Spline': the curve is periodic, but outside is 'continue'",
        ),
        (lambda: Spline(np.sin), "'Spline': the curve is <ufunc 'sin'>. A BSpline or a PPoly of SciPy's is needed"),
        (lambda: Spline(make_interp_spline(X, RNG.normal(size=(12, 2, 2)))), r"'Spline': the curve has values of shape \(2, 2\)"),
        (lambda: Spline(PPoly([[1.0, math.nan]], [0.0, 1.0, 2.0])), "'Spline': the coefficients is"),
        (lambda: Spline(PPoly([[1.0, 2.0]], [2.0, 1.0, 0.0])), "'Spline': the breakpoints must increase, but number 1 is 1, after 2"),
    ],
)
def test_invalid_splines_are_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()
