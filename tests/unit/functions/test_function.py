"""Users' functions: automatic derivatives, given derivatives and their check, and error messages."""

import copy
import math
import re
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.errors import InputError, RecordingError
from mobod.scalar import is_recorded
from mobod.scalar.array_function import ArrayFunction

X = np.array([0.7, -1.3])


class Wave(mb.Function):
    """exp(0.4 x) sin(2 y), with automatic derivatives."""

    def __init__(self):
        super().__init__(2)

    def value(self, x):
        return np.exp(0.4 * x[0]) * np.sin(2 * x[1])


def wave_derivative(n_x, n_y, x):
    """The n-th derivative of sin(2 y) is 2^n sin(2 y + n pi / 2)."""
    return 0.4**n_x * np.exp(0.4 * x[0]) * 2**n_y * np.sin(2 * x[1] + n_y * np.pi / 2)


class Path(mb.Function):
    """A function with two values and one argument; the default of n_args is 1."""

    def value(self, x):
        return [np.cos(3 * x[0]), x[0] ** 3]


class Given(mb.Function):
    """x^2 y with given derivatives up to the second order; `error` makes one of them wrong."""

    def __init__(self, error=0.0, at=(0, 1)):
        super().__init__(n_args=2, max_derivative_order=2)
        self.error, self.at = error, at

    def value(self, x):
        return x[0] ** 2 * x[1]

    def derivative(self, components, x):
        counts = components.count(0), components.count(1)
        table = {(1, 0): 2 * x[0] * x[1], (0, 1): x[0] ** 2, (2, 0): 2 * x[1], (1, 1): 2 * x[0], (0, 2): 0.0}
        return table[counts] + (self.error if components == self.at else 0.0)


@pytest.mark.parametrize("components", [(0,), (1,), (0, 0), (0, 1), (1, 0), (1, 1), (0, 1, 1), (1, 1, 1, 0)])
def test_derivatives_are_made_to_any_order(components):
    wave = Wave()
    expected = wave_derivative(components.count(0), components.count(1), X)

    assert_allclose(wave.derivative(components, X), expected, rtol=1e-14)  # rounding
    assert_allclose(ArrayFunction(lambda x: wave.derivative(components, x))(X), expected, rtol=1e-14)


def test_a_function_can_have_several_values():
    path = Path()

    assert_allclose(path.value([0.4]), [math.cos(1.2), 0.064], rtol=1e-15)
    assert_allclose(path.derivative([0, 0], [0.4]), [-9 * math.cos(1.2), 6 * 0.4], rtol=1e-14)
    assert_allclose(ArrayFunction(path.value)(np.array([0.4])), path.value([0.4]), rtol=1e-15)


def test_one_argument_can_be_a_plain_number():
    path = Path()

    assert_array_equal(path.value(2), path.value([2.0]))
    assert_array_equal(path.derivative([0], 2), path.derivative([0], [2.0]))


def test_complex_steps_differentiate_a_function():
    step = 1e-30
    wave = Wave()

    assert_allclose(wave.value(X + np.array([step * 1j, 0])).imag / step, wave.derivative((0,), X), rtol=1e-14)
    assert_allclose(wave.derivative((0,), X + np.array([0, step * 1j])).imag / step, wave.derivative((0, 1), X), rtol=1e-14)


def test_a_callable_becomes_a_function():
    def cam(x):
        return 0.3 * x[0] * x[1]

    function = mb.Function.of(cam, n_args=2)

    assert function.value(X) == cam(X)
    assert_allclose(function.derivative([1], X), 0.3 * X[0], rtol=1e-15)
    assert function == mb.Function.of(cam, n_args=2, name="another name")
    assert hash(function) == hash(mb.Function.of(cam, n_args=2))
    assert function != mb.Function.of(cam, n_args=3)
    assert function != mb.Function.of(lambda x: cam(x), n_args=2)
    assert str(function) == "function 'cam'"
    assert str(mb.Function.of(cam, 2, name="lift")) == "function 'lift'"


def test_a_function_knows_its_argument_and_derivative_counts():
    assert (Wave().argument_size, Wave().max_derivative_order) == (2, math.inf)
    assert (Path().argument_size, Given().max_derivative_order) == (1, 2)


def test_a_function_without_value_cannot_be_made():
    class Nothing(mb.Function):
        pass

    with pytest.raises(TypeError, match=r"abstract method '?value"):
        Nothing()


def test_copies_of_what_holds_a_function_share_it():
    wave = Wave()

    assert copy.deepcopy({"function": wave})["function"] is wave


# given derivatives


def test_given_derivatives_are_used():
    assert Given(error=0.5).derivative((0, 1), X) == 2 * X[0] + 0.5


def test_derivatives_that_are_not_given_are_derived():
    class Half(Given):
        def derivative(self, components, x):
            return np.float64(x[0] ** 2) if components == (1,) else mb.Function.derivative(self, components, x)

    Half().check_derivatives(X)
    assert Half().derivative([0, 0], X) == 2 * X[1]


@pytest.mark.parametrize("function", [Given(), Wave(), Path()], ids=str)
def test_correct_derivatives_pass_the_check(function):
    function.check_derivatives(X[: function.argument_size], order=4)


@pytest.mark.parametrize(("at", "exact"), [((0,), 2 * 0.7 * -1.3), ((1, 1), 0.0), ((0, 1), 1.4)])
def test_a_wrong_derivative_is_named_with_both_numbers(at, exact):
    error = 1e-6
    with pytest.raises(InputError) as caught:
        Given(error, at).check_derivatives(X)

    found = re.match(r"(.*) at x = (.*) is (.*), but by differentiating the value it is (\S+)\. Correct it", str(caught.value))
    assert found is not None
    assert found[1] == f"function 'Given': derivative({at}, x)"
    assert found[2] == "[0.7, -1.3]"
    assert_allclose([float(found[3]), float(found[4])], [exact + error, exact], rtol=0, atol=1e-15)


class Measured(mb.Function):
    """A function that cannot be recorded."""

    def __init__(self, error=0.0):
        super().__init__(1, max_derivative_order=1)
        self.error = error

    def value(self, x):
        return math.sin(x[0])

    def derivative(self, components, x):
        return math.cos(x[0]) + self.error


def test_an_unrecordable_value_is_checked_by_differences():
    Measured().check_derivatives([0.4])
    with pytest.raises(InputError, match=r"is 0.92206.*, but by finite differences it is 0.92106"):
        Measured(1e-3).check_derivatives([0.4])
    with pytest.raises(RecordingError, match="function 'Measured'"):
        mb.Function.derivative(Measured(), [0], [0.4])


class TwoTexts(mb.Function):
    """A function with different values for recorded scalars and for floats."""

    def value(self, x):
        return x[0] * (2.0 if is_recorded(x) else 3.0)


def test_a_value_that_differs_when_recorded_is_found():
    with pytest.raises(InputError, match=r"derivative\(\(0,\), x\) at x = \[0.4\] is 2\.0, but by finite differences it is (2\.9999|3\.0)"):
        TwoTexts().check_derivatives([0.4])


def test_a_wrong_shape_of_a_derivative_is_found():
    class Flat(Path):
        def derivative(self, components, x):
            return -3 * np.sin(3 * x[0])

    with pytest.raises(InputError, match="function 'Flat'"):
        Flat().check_derivatives([0.4])


def test_derivatives_that_are_almost_zero_pass():
    class Sharp(mb.Function):
        def value(self, x):
            return np.cos(x[0])

        def derivative(self, components, x):
            return -np.sin(x[0]) if len(components) == 1 else -np.cos(x[0])

    Sharp().check_derivatives([0.0], order=2)  # sin(0) exactly 0
    Sharp().check_derivatives([math.pi], order=2)  # 1e-16


# errors


def test_a_missing_order_of_derivative_is_refused():
    with pytest.raises(InputError, match=r"function 'Given': a derivative of order 3 was asked for, \(0, 0, 1\).* has none above order 2"):
        Given().derivative([0, 0, 1], X)
    with pytest.raises(InputError, match="function 'None' has no derivatives"):
        type("None", (Path,), {})(1, max_derivative_order=0).derivative([0], [0.4])


@pytest.mark.parametrize(
    ("components", "message"),
    [
        ([], "a derivative by nothing was asked for"),
        ([2], "there is no argument 2. They are numbered from 0 to 1"),
        ([-1], "there is no argument -1"),
        ([0.5], "A list of argument numbers is needed"),
        (0, "A list of argument numbers is needed"),
    ],
)
def test_components_must_be_arguments(components, message):
    for function in (Wave(), Given()):
        with pytest.raises(InputError, match=message):
            function.derivative(components, X)


@pytest.mark.parametrize("x", [0.5, [1.0], np.zeros(3), np.zeros((2, 1))])
def test_the_number_of_arguments_must_match(x):
    for ask in (Wave().value, lambda x: Wave().derivative([0], x)):
        with pytest.raises(InputError, match=r"function 'Wave' was given an argument of shape .* Its shape is \(2,\)"):
            ask(x)


def test_arguments_must_be_numbers():
    with pytest.raises(InputError, match="Numbers are needed"):
        Wave().value(["a", "b"])


@pytest.mark.parametrize("n_args", [0, -1, 1.5, "2"])
def test_a_function_has_at_least_one_argument(n_args):
    with pytest.raises(InputError, match="function 'Path': n_args is"):
        Path(n_args)
    with pytest.raises(InputError, match="n_args is"):
        mb.Function.of(lambda x: x[0], n_args)


@pytest.mark.parametrize("order", [-1, 1.5])
def test_an_order_is_a_whole_number(order):
    with pytest.raises(InputError, match="max_derivative_order is"):
        Path(max_derivative_order=order)


def test_a_function_can_be_checked_for_fitness():
    Given().check_fits("mobilizer 'knee'", argument_size=2, derivative_order=2)
    with pytest.raises(InputError, match=r"mobilizer 'knee': function 'Given' has 2 arguments\. 1 are given to it"):
        Given().check_fits("mobilizer 'knee'", argument_size=1, derivative_order=2)
    with pytest.raises(InputError, match=r"mobilizer 'knee' needs derivatives of order 3\. function 'Given' has none above order 2"):
        Given().check_fits("mobilizer 'knee'", argument_size=2, derivative_order=3)


def test_an_unhashable_function_is_not_fit():
    @dataclass
    class Loose(mb.Function):
        amplitude: float

        def value(self, x):
            return self.amplitude * x[0]

    with pytest.raises(InputError, match=r"function 'Loose' cannot be hashed. Make it a dataclass with frozen=True"):
        Loose(1.0).check_fits("coupler", argument_size=1, derivative_order=1)
