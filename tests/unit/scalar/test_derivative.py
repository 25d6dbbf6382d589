"""Directional derivatives are exact, of any order, and derivatives of the arguments only."""

import operator

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mobod.errors import InputError
from mobod.scalar import Tape, where
from mobod.scalar.array_function import ArrayFunction
from mobod.scalar.derivative import PIECEWISE_CONSTANT, RULES, jvp, jvps, tangent_twin
from mobod.scalar.evaluation import evaluate
from mobod.scalar.operations import OPERATIONS
from mobod.scalar.recording import Recording, record

# where each operand may lie, away from kinks and poles; -3 to 3 where nothing is said
DOMAINS = {
    "divide": [(-3, 3), (0.4, 3)],
    "power": [(0.2, 3), (-2, 2)],
    "sqrt": [(0.2, 3)],
    "log": [(0.2, 3)],
    "tan": [(-1.2, 1.2)],
    "arcsin": [(-0.9, 0.9)],
    "arccos": [(-0.9, 0.9)],
    "absolute": [(-3, -0.1)],
    "where": [(-3, 3), (-3, 3), (-3, 3)],
}
# of these NumPy has no complex form, or it is not analytic
NOT_ANALYTIC = {"arctan2", "absolute"}


def recording_of(operation):
    tape = Tape(operation)
    operands = tape.symbols("x", (OPERATIONS[operation].arity,))
    return Recording(tape, (operands,), (np.array([tape.apply(operation, *operands)]),))


def samples(operation):
    """(operands, direction), ten times."""
    rng = np.random.default_rng(sorted(OPERATIONS).index(operation))
    domain = DOMAINS.get(operation, [(-3, 3)] * OPERATIONS[operation].arity)
    return [(np.array([rng.uniform(*limits) for limits in domain]), rng.normal(size=len(domain))) for _ in range(10)]


# the operations in as many digits as one likes, where mpmath's name is another
IN_MANY_DIGITS = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "power": operator.pow,
    "negative": operator.neg,
    "absolute": abs,
    "arcsin": mpmath.asin,
    "arccos": mpmath.acos,
    "arctan": mpmath.atan,
    "arctan2": mpmath.atan2,
    "where": lambda condition, a, b: a if condition else b,
}


def differences(operation, x, direction):
    """First and second directional derivative by differences of numbers with 60 digits."""
    function = IN_MANY_DIGITS.get(operation) or getattr(mpmath, operation)
    with mpmath.workdps(60):

        def along(t):
            return function(*(mpmath.mpf(a) + t * mpmath.mpf(b) for a, b in zip(x, direction, strict=True)))

        return [float(mpmath.diff(along, 0, n)) for n in (1, 2)]


def test_every_operation_has_a_derivative():
    assert set(RULES) | PIECEWISE_CONSTANT == set(OPERATIONS)
    assert not set(RULES) & PIECEWISE_CONSTANT


@pytest.mark.parametrize("operation", sorted(set(RULES) - NOT_ANALYTIC))
def test_derivative_rules_match_the_complex_step(operation):
    recording = recording_of(operation)
    for x, direction in samples(operation):
        _, tangent = evaluate(tangent_twin(recording), [x, direction])

        (stepped,) = evaluate(recording, [x + 1e-30j * direction])

        assert_allclose(tangent, stepped.imag / 1e-30, rtol=1e-13, atol=1e-14)  # some rounding errors of terms of the size of x


@pytest.mark.parametrize("operation", sorted(RULES))
def test_derivative_rules_match_high_precision_differences_to_second_order(operation):
    recording = recording_of(operation)
    for x, direction in samples(operation):
        twin = tangent_twin(recording)
        second_twin = tangent_twin(Recording(twin.tape, twin.inputs, twin.outputs[1:]))
        first, second = evaluate(second_twin, [x, direction, direction, np.zeros(len(x))])

        assert_allclose([first[0], second[0]], differences(operation, x, direction), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("operation", sorted(PIECEWISE_CONSTANT))
def test_piecewise_constant_operations_have_derivative_zero(operation):
    twin = tangent_twin(recording_of(operation))

    assert twin.outputs[1][0].value == 0.0


def test_the_derivative_at_a_kink_is_one_sided_or_the_mean():
    absolute = tangent_twin(recording_of("absolute"))

    for x, expected in ((-2.0, -1.5), (0.0, 0.0), (2.0, 1.5)):
        assert evaluate(absolute, [np.array([x]), np.array([1.5])])[1] == expected


def test_zero_to_a_power_stays_zero_when_the_power_changes():
    power = tangent_twin(recording_of("power"))

    value, tangent = evaluate(power, [np.array([0.0, 1.7]), np.array([0.0, 1.0])])

    assert (value, tangent) == (0.0, 0.0)


def test_derivatives_on_plain_numbers_need_no_array_function():
    x, dx = np.array([0.3, -0.8]), np.array([1.1, 0.4])

    value, tangent = jvp(lambda x: np.sin(x[0]) * x, [x], [dx])

    assert_allclose(value, np.sin(0.3) * x, rtol=1e-15)
    assert_allclose(tangent, np.cos(0.3) * 1.1 * x + np.sin(0.3) * dx, rtol=1e-15)


def test_several_results_and_scalars_are_supported():
    values, tangents = jvp(lambda x, y: (x * y, np.array([y, 2.0])), [3.0, 5.0], [0.5, 0.25])

    assert values[0] == 15.0
    assert tangents[0] == 0.5 * 5.0 + 3.0 * 0.25
    assert tangents[1].tolist() == [0.25, 0.0]


@pytest.mark.parametrize("is_recorded", [False, True])
def test_derivatives_along_several_directions_are_those_along_each_from_one_call_of_the_function(is_recorded):
    calls = []

    def function(x, y):
        calls.append(x)
        return np.sin(x[0]) * x * y, np.exp(y) - x[1]

    x, y = np.array([0.3, -0.8]), 1.7
    directions = [[np.array([1.1, 0.4]), 0.0], [np.zeros(2), -0.6], [np.array([0.0, 2.3]), 0.9]]

    def several(x, y):
        (one, two), along = jvps(function, [x, y], directions)
        return (one, two, *(array for each in along for array in each))

    found = evaluate(record(several, [np.full(2, np.nan), np.nan], about="several"), [x, np.array(y)]) if is_recorded else several(x, y)
    n_calls = len(calls)
    singly = [jvp(function, [x, y], each) for each in directions]

    assert n_calls == 1
    expected = [*singly[0][0], *(array for _, derivatives in singly for array in derivatives)]
    for one, other in zip(found, expected, strict=True):
        assert_array_equal(one, other)


def test_derivatives_of_derivatives():
    def function(x):
        return np.exp(x[0] * x[1]) + x[1] ** 3

    def second(x, d, e):
        return jvp(lambda x: jvp(function, [x], [d])[1], [x], [e])[1]

    x, d, e = np.array([0.7, -0.4]), np.array([1.2, 0.3]), np.array([-0.6, 0.9])
    a, b = x
    hessian = np.exp(a * b) * np.array([[b * b, 1 + a * b], [1 + a * b, a * a]]) + np.array([[0, 0], [0, 6 * b]])

    assert_allclose(second(x, d, e), d @ hessian @ e, rtol=1e-14)
    assert_allclose(ArrayFunction(second)(x, d, e), d @ hessian @ e, rtol=1e-14)


def test_constant_arguments_have_derivatives():
    def function(q):  # recorded, with a constant 2 in the argument of jvp
        return jvp(lambda x: x[0] ** 3 * x[1], [np.array([2.0, q])], [np.array([0.5, 0.0])])

    value, tangent = ArrayFunction(function)(1.7)

    assert value == 8 * 1.7
    assert_allclose(tangent, 3 * 4 * 0.5 * 1.7, rtol=1e-15)


def test_plain_arguments_may_have_recorded_directions():
    tangent = ArrayFunction(lambda d: jvp(lambda x: x[0] * x[1], [np.array([2.0, 3.0])], [d])[1])

    assert tangent([0.5, 0.25]) == 0.5 * 3.0 + 2.0 * 0.25


def test_a_repeated_argument_uses_both_directions():
    tangent = ArrayFunction(lambda q, d, e: jvp(lambda x, y: x * x * y, [q, q], [d, e])[1])

    assert_allclose(tangent(1.3, 0.2, 0.7), 2 * 1.3 * 1.3 * 0.2 + 1.3**2 * 0.7, rtol=1e-15)


def test_arguments_may_be_computed_values():
    def function(q, d):
        angle = np.sin(q)
        return jvp(lambda x: np.cos(x) * x, [angle], [d])[1]

    x, d = np.sin(0.6), 0.9
    assert_allclose(ArrayFunction(function)(0.6, d), (np.cos(x) - x * np.sin(x)) * d, rtol=1e-15)


def test_captured_values_are_constant_even_if_computed_from_the_argument():
    def function(q):
        speed = 2 * q  # the function computes the same number anew, and that one moves
        return jvp(lambda x: x * speed + 2 * x, [q], [1.0])[1]

    assert_allclose(ArrayFunction(function)(0.8), 2 * 0.8 + 2, rtol=1e-15)


def test_directions_must_have_the_shapes_of_the_arguments():
    with pytest.raises(InputError, match=r"jvp: the directions must have the shapes of the arguments, \[\(2,\)\]"):
        jvp(lambda x: x, [np.zeros(2)], [np.zeros(3)])


# (function, where it is safe, the branch that is not taken there being infinite or NaN, value, first and second derivative)
SAFE = {
    "square root of a negative number": (lambda x: where(x > 0, np.sqrt(x), x * x), -1.5, (2.25, -3.0, 2.0)),
    "square root at zero": (lambda x: where(x > 0, np.sqrt(x), 3 * x), 0.0, (0.0, 3.0, 0.0)),
    "logarithm at zero": (lambda x: where(x <= 0, np.exp(x), np.log(x)), 0.0, (1.0, 1.0, 1.0)),
    "pole": (lambda x: where(x != 0, 1 / x, np.sin(x)), 0.0, (0.0, 1.0, 0.0)),
    "arcsine beyond 1": (lambda x: where((x < 1) & (x > -1), np.arcsin(x), x**3), 2.0, (8.0, 12.0, 12.0)),
    "overflow": (lambda x: where(x > 800, x, np.exp(x)), 1000.0, (1000.0, 1.0, 0.0)),
    "nested": (lambda x: where(x > 0, np.log(x), where(x == 0, 1.0, 1 / x)), 0.0, (1.0, 0.0, 0.0)),
    "a factor of the result": (lambda x: x * where(x == 0, 2.0, np.sin(1 / x)), 0.0, (0.0, 2.0, 0.0)),
}


@pytest.mark.parametrize("name", SAFE)
def test_where_is_safe_for_values_and_two_derivatives(name):
    function, x, expected = SAFE[name]
    x, direction = np.array(x), np.array(1.0)

    def derivatives(x, d):
        def first(x):
            return jvp(function, [x], [d])[1]

        value, slope = jvp(function, [x], [d])
        return np.array([value, slope, jvp(first, [x], [d])[1]])

    recording = record(derivatives, [np.full((), np.nan)] * 2, about=name)
    assert_allclose(evaluate(recording, [x, direction])[0], expected, rtol=1e-15)
    assert_allclose(ArrayFunction(derivatives)(x, direction), expected, rtol=1e-15)
    # by the text: jvp on plain numbers; NumPy warns of the branch that is not taken
    with np.errstate(all="ignore"):
        assert_allclose(function(x), expected[0], rtol=1e-15)
        assert_allclose(derivatives(x, direction), expected, rtol=1e-15)
