"""Array functions: NumPy functions evaluated by their recordings, with derivatives."""

import copy
import functools

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod.errors import InputError
from mobod.scalar.array_function import ArrayFunction, array_function
from mobod.scalar.recording import record

X = np.array([0.4, -1.1, 0.7])
A = np.array([[0.3, -0.2, 1.5], [0.9, 1.4, -0.6]])


def pair(A, x):
    return A @ np.sin(x), (x @ x) ** 1.5


def test_an_array_function_gives_the_numbers_of_its_numpy_code():
    results = ArrayFunction(pair)(A, X)

    for result, expected in zip(results, pair(A, X), strict=True):
        assert_allclose(result, expected, rtol=1e-15)  # one rounding error


def test_lists_and_integers_are_accepted():
    product = ArrayFunction(lambda A, x: A @ x)

    assert product([[1, 2], [3, 4]], [5, 6]).tolist() == [17.0, 39.0]
    assert product([[1, 2, 3]], np.array([1, 2, 3])).tolist() == [14.0]  # other shapes: another recording


def test_a_scalar_result_is_a_float():
    square = array_function(lambda x: x * x)

    assert isinstance(square(3), float)
    assert square(3) == 9.0


def test_results_do_not_change_in_later_calls():
    double = array_function(lambda x: 2 * x)

    first = double([1.0, 2.0])
    double([3.0, 4.0])

    assert first.tolist() == [2.0, 4.0]


def test_anything_callable_can_be_an_array_function():
    def scaled(factor, x):
        return factor * x

    class Offset:
        def __call__(self, x):
            return x + 0.5

    assert ArrayFunction(functools.partial(scaled, 2.0))([1.5]).tolist() == [3.0]
    assert ArrayFunction(Offset())([1.5]).tolist() == [2.0]


def test_empty_results_and_unused_arguments_are_allowed():
    function = ArrayFunction(lambda x, y: (np.zeros((6, 0)), y, np.array([2.0, 0.0])))

    empty, same, constant = function(np.zeros(0), 0.7)

    assert empty.shape == (6, 0)
    assert same == 0.7
    assert constant.tolist() == [2.0, 0.0]


def test_an_array_function_called_with_recorded_scalars_becomes_part_of_the_recording():
    inner = ArrayFunction(lambda x: np.sin(x))

    outer = record(lambda x: 2 * inner(x), [np.full(1, np.nan)], about="outer")

    assert [outer.tape.entries[number][0] for number in outer.needed] == ["symbol", "sin", "constant", "multiply"]


def test_directional_derivatives_match_the_closed_form():
    dA, dx = np.array([[0.2, 0.1, -0.7], [1.1, 0.8, 0.3]]), np.array([-0.5, 0.9, 0.2])

    values, tangents = ArrayFunction(pair).jvp([A, X], [dA, dx])

    assert_allclose(values[0], A @ np.sin(X), rtol=1e-15)
    assert_allclose(tangents[0], dA @ np.sin(X) + A @ (np.cos(X) * dx), rtol=1e-14)
    assert_allclose(tangents[1], 3 * np.sqrt(X @ X) * (X @ dx), rtol=1e-14)


def test_a_jacobian_has_the_shape_of_the_result_and_of_the_argument():
    function = ArrayFunction(lambda A, x: A @ (x * x))

    assert_allclose(function.jacobian(A, X, argument=1), 2 * A * X, rtol=1e-15)
    expected = np.einsum("ik,j->ikj", np.eye(2), X**2)
    assert_allclose(function.jacobian(A, X), expected, rtol=1e-15)
    assert ArrayFunction(lambda x: np.array([1.0, 2.0])).jacobian(np.zeros(0)).shape == (2, 0)


def test_a_jacobian_of_two_results_is_refused():
    with pytest.raises(InputError, match=r"function 'pair' returns 2 results. A Jacobian needs a function with one result"):
        ArrayFunction(pair).jacobian(A, X)


@pytest.mark.parametrize("argument", [1j, [0.3 + 0.1j], "text", None, [[1.0], [2.0, 3.0]]])
def test_arguments_that_are_not_real_numbers_are_refused(argument):
    def stretched(length, x):
        return length * x

    with pytest.raises(InputError, match=r"function 'stretched': argument 1 (must be|is not) an array"):
        ArrayFunction(stretched)(2.0, argument)


def test_directions_of_other_shapes_are_refused():
    with pytest.raises(
        InputError, match=r"function 'pair': the directions must have the shapes of the arguments, \(\(2, 3\), \(3,\)\), not"
    ):
        ArrayFunction(pair).jvp([A, X], [A, np.zeros(2)])


def test_a_deep_copy_of_what_holds_an_array_function_calls_the_same_function():
    double = array_function(lambda x: 2 * x)
    double(np.ones(2))
    held = copy.deepcopy({"function": double})["function"]
    np.testing.assert_array_equal(held(np.array([3.0, 4.0])), [6, 8])
