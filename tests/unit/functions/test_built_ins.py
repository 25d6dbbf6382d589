"""Constant, Linear, Polynomial, MultiPoly, Sinusoid and Step: closed forms, equality, and error messages."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mobod import functions
from mobod.errors import InputError
from mobod.functions import Constant, Linear, MultiPoly, Polynomial, Sinusoid, Step
from mobod.scalar.array_function import ArrayFunction

X = np.array([0.7, -1.3, 2.1])
x, y, z = X

# function, argument, {components: expected}, the value by ()
CASES = [
    (Constant(-2.5), X[:1], {(): -2.5, (0,): 0.0, (0, 0): 0.0}),
    (Constant([1.5, 2.5], n_args=2), X[:2], {(): [1.5, 2.5], (1,): [0.0, 0.0], (0, 1): [0.0, 0.0]}),
    (Linear([2.0, -0.5, 3.0, 0.25]), X, {(): 2 * x - 0.5 * y + 3 * z + 0.25, (0,): 2.0, (1,): -0.5, (2,): 3.0, (0, 2): 0.0}),
    (
        Polynomial([0.5, -2.0, 0.0, 3.0]),
        X[:1],
        {(): 0.5 * x**3 - 2 * x**2 + 3, (0,): 1.5 * x**2 - 4 * x, (0, 0): 3 * x - 4, (0,) * 3: 3.0, (0,) * 4: 0.0},
    ),
    (Polynomial([4.0]), X[:1], {(): 4.0, (0,): 0.0}),
    (
        MultiPoly(3, [(3.0, (2, 0, 0)), (-1.5, (1, 4, 1)), (0.5, (0, 0, 0))]),
        X,
        {
            (): 3 * x**2 - 1.5 * x * y**4 * z + 0.5,
            (0,): 6 * x - 1.5 * y**4 * z,
            (1, 2): -6 * x * y**3,
            (1, 1, 0): -18 * y**2 * z,
            (2, 2): 0.0,
        },
    ),
    (
        Sinusoid(1.5, 2.5, 0.3),
        X[:1],
        {
            (): 1.5 * math.sin(2.5 * x + 0.3),
            (0,): 3.75 * math.cos(2.5 * x + 0.3),
            (0, 0): -9.375 * math.sin(2.5 * x + 0.3),
            (0, 0, 0): -23.4375 * math.cos(2.5 * x + 0.3),
        },
    ),
]


@pytest.mark.parametrize(
    ("function", "at", "expected"), CASES, ids=lambda value: value.name if isinstance(value, functions.Function) else ""
)
def test_values_and_derivatives_match_those_of_the_formula(function, at, expected):
    assert function.argument_size == len(at)
    for components, number in expected.items():

        def asked(x, components=components):
            return function.derivative(components, x) if components else function.value(x)

        assert_allclose(asked(at), number, rtol=1e-14, atol=1e-15, err_msg=str(components))  # rounding
        assert_allclose(ArrayFunction(asked)(at), number, rtol=1e-14, atol=1e-15, err_msg=str(components))
    function.check_derivatives(at, order=3)


def test_powers_at_zero_have_all_derivatives():
    cubic = MultiPoly(1, [(2.0, (3,))])

    assert [cubic.derivative([0] * n, 0.0) for n in (1, 2, 3, 4)] == [0.0, 0.0, 12.0, 0.0]


def test_a_sinusoid_without_phase_starts_at_zero():
    assert Sinusoid(2.0, 3.0) == Sinusoid(2.0, 3.0, 0.0)


@pytest.mark.parametrize(
    ("one", "twin", "other"),
    [
        (Constant(1), Constant(1.0), Constant(1.0, n_args=2)),
        (Constant([1, 2]), Constant(np.array([1.0, 2.0])), Constant([2, 1])),
        (Linear([1, 2]), Linear(np.array([1.0, 2.0])), Polynomial([1, 2])),
        (MultiPoly(1, [(1, [2])]), MultiPoly(1, [(1.0, (2,))]), MultiPoly(1, [(1, [3])])),
        (Sinusoid(1, 2), Sinusoid(np.float64(1), 2.0), Sinusoid(2, 1)),
        (Step(0, 1, 2, 3), Step(0.0, 1.0, 2.0, 3.0), Step(1, 0, 2, 3)),
    ],
)
def test_functions_are_equal_if_their_numbers_are(one, twin, other):
    assert one == twin
    assert hash(one) == hash(twin)
    assert one != other


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Constant(math.nan), "function 'Constant': constant is nan. All its entries must be finite"),
        (lambda: Constant([]), r"'Constant': constant has shape \(0,\)"),
        (lambda: Constant("one"), "'Constant': constant is 'one'"),
        (lambda: Constant(1.0, n_args=0), "'Constant': n_args is 0. It must be at least 1"),
        (lambda: Linear([3.0]), r"'Linear': coefficients has shape \(1,\). A list of numbers is needed, at least 2"),
        (lambda: Linear([1.0, math.inf]), r"'Linear': coefficients is \[1.0, inf\]"),
        (lambda: Linear(2.0), r"'Linear': coefficients has shape \(\)"),
        (lambda: Polynomial([]), r"'Polynomial': coefficients has shape \(0,\)"),
        (lambda: Polynomial([1.0, 1j]), "'Polynomial': coefficients is complex"),
        (lambda: MultiPoly(0, [(1.0, ())]), "'MultiPoly': n_args is 0"),
        (lambda: MultiPoly(1, []), "'MultiPoly' has no terms"),
        (lambda: MultiPoly(2, [(1.0, (1, 2)), 3.0]), "'MultiPoly': term 1 is 3.0. A pair is needed"),
        (lambda: MultiPoly(2, [(1.0, (1,))]), r"'MultiPoly': term 0 has the powers \(1,\). A power for each of the 2 arguments"),
        (lambda: MultiPoly(1, [(1.0, (-1,))]), "'MultiPoly': term 0, a power is -1. It must be at least 0"),
        (lambda: MultiPoly(1, [(1.0, (0.5,))]), "'MultiPoly': term 0, a power is 0.5. A whole number is needed"),
        (lambda: MultiPoly(1, [(math.nan, (1,))]), "'MultiPoly': term 0, coefficient is nan"),
        (lambda: Sinusoid(1.0, math.nan), "'Sinusoid': frequency is nan"),
        (lambda: Step(0.0, math.inf, 1.0, 2.0), "'Step': y1 is inf"),
        (lambda: Step(0.0, 1.0, 2.0, 2.0), "'Step': x0 and x1 are both 2"),
        (lambda: Step([0.0, 1.0], 1.0, 2.0, 3.0), r"'Step': y0 is \(0.0, 1.0\) and y1 is 1.0. They must have as many values"),
    ],
)
def test_invalid_arguments_are_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


# the step

STEPS = [Step(-0.4, 1.7, 0.5, 2.5), Step(1.7, -0.4, 2.5, 0.5), Step([0.3, -1.0], [2.0, 5.0], -1.0, 3.0)]


@pytest.mark.parametrize("step", STEPS)
def test_a_step_is_the_quintic_between_its_ends(step):
    width = step.x1 - step.x0
    for s in (0.0, 0.1, 0.35, 0.5, 0.8, 1.0):
        rise = np.subtract(step.y1, step.y0)
        quintic = np.polynomial.Polynomial([0, 0, 0, 10, -15, 6])
        at = step.x0 + s * width

        assert_allclose(step.value(at), step.y0 + rise * quintic(s), rtol=1e-14)
        for order in (1, 2, 3)[: 3 if 0 < s < 1 else 2]:
            expected = rise * quintic.deriv(order)(s) / width**order
            assert_allclose(step.derivative([0] * order, at), expected, rtol=1e-12, atol=1e-13)  # terms that cancel


@pytest.mark.parametrize("step", STEPS)
def test_a_step_is_constant_outside_its_range(step):
    width = step.x1 - step.x0
    for s, expected in ((-1e9, step.y0), (-0.1, step.y0), (0.0, step.y0), (1.0, step.y1), (1.7, step.y1), (1e200, step.y1)):
        at = step.x0 + s * width
        assert_array_equal(step.value(at), expected)
        for order in (1, 2, 3):
            assert not np.any(step.derivative([0] * order, at))


def test_a_steps_second_derivative_is_continuous_and_its_third_jumps():
    step = Step(0.0, 2.0, 1.0, 1.5)
    near = 1e-9  # the third derivative, 960 at the ends, moves the second by 1e-6

    for end, sign in ((1.0, 1), (1.5, -1)):
        inside, outside = end + sign * near, end - sign * near
        assert_allclose(step.derivative([0, 0], inside), step.derivative([0, 0], outside), atol=2e-6)
        assert_allclose(step.derivative([0, 0, 0], inside), 60 * 2.0 / 0.5**3, rtol=1e-6)
        assert step.derivative([0, 0, 0], outside) == 0


def test_a_step_of_nan_is_nan():
    step = STEPS[0]

    assert math.isnan(step.value(math.nan))
    assert math.isnan(ArrayFunction(step.value)(np.array([math.nan])))
