"""Newton's method and Anderson acceleration on equations x = g(x) with known solutions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod.cosim.signals.anderson import Anderson
from mobod.cosim.signals.fixed_point import FixedPoint, NotSolvedError, SingularLoopError
from mobod.cosim.signals.newton import Newton, inverse
from mobod.errors import MobodError


class Equation:
    """x = g(x), with its Jacobian at the x of the last evaluation."""

    def __init__(self, g, jacobian=None, nominal=1.0, n=1):
        self._g, self._dg = g, jacobian
        self.problem = FixedPoint(self._value, np.full(n, nominal))
        self.jacobians = 0

    def _value(self, x):
        self.last = x
        return np.asarray(self._g(x), dtype=float)

    def jacobian(self):
        self.jacobians += 1
        return np.atleast_2d(self._dg(self.last))


def linear(n, gain, seed):
    rng = np.random.default_rng(seed)
    matrix, offset = gain * rng.normal(size=(n, n)), rng.normal(size=n)
    return matrix, offset, np.linalg.solve(np.eye(n) - matrix, offset)


@pytest.mark.parametrize(("n", "gain"), [(1, -2.0), (2, 0.75), (3, 30.0), (8, 3.0), (20, 1e3)])
def test_newton_solves_a_linear_loop_in_one_iteration(n, gain):
    matrix, offset, exact = linear(n, gain, seed=n)
    equation = Equation(lambda x: matrix @ x + offset, lambda x: matrix, n=n)
    found = Newton(equation.jacobian).solve(equation.problem, np.ones(n))
    assert_allclose(found, exact, rtol=1e-9, atol=1e-9)  # 10 times the tolerance of loops
    assert equation.problem.evaluations == 2  # at the start, and at the solution
    assert equation.jacobians == 1


@pytest.mark.parametrize(("n", "gain"), [(1, -2.0), (2, 0.75), (3, 30.0), (8, 3.0), (20, 1e3)])
def test_anderson_solves_a_linear_loop_of_any_gain_and_the_next_one_at_once(n, gain):
    matrix, offset, exact = linear(n, gain, seed=n)
    shift = np.zeros(n)
    equation = Equation(lambda x: matrix @ x + offset + shift, n=n)
    anderson = Anderson()
    found = anderson.solve(equation.problem, np.ones(n))
    assert_allclose(found, exact, rtol=1e-9, atol=1e-9)
    shift = 0.1 * np.ones(n)
    before = equation.problem.evaluations
    found = anderson.solve(equation.problem, found)
    assert_allclose(found, np.linalg.solve(np.eye(n) - matrix, offset + shift), rtol=1e-9, atol=1e-9)
    assert equation.problem.evaluations - before <= 3  # the changes of g are known by now


@pytest.mark.parametrize("scale", [1e-7, 1.0, 1e9])
def test_convergence_is_relative_to_nominal_values(scale):
    """x = scale cos(x / scale): 0.739... by the digits of Dottie's number, in any unit."""
    equation = Equation(lambda x: scale * np.cos(x / scale), lambda x: -np.sin(x / scale), nominal=scale)
    for solver in (Newton(equation.jacobian), Anderson()):
        found = solver.solve(equation.problem, np.array([0.1 * scale]))
        assert_allclose(found / scale, 0.7390851332151607, rtol=2e-10)  # twice the tolerance of loops


@pytest.mark.parametrize(("start", "solution"), [(1.2, 2.0), (0.4, -1.0)])
def test_the_solution_near_the_start_is_found(start, solution):
    """x = x^2 - 2 at 2 and -1."""
    equation = Equation(lambda x: x**2 - 2, lambda x: 2 * x)
    assert_allclose(Newton(equation.jacobian).solve(equation.problem, np.array([start])), solution, rtol=1e-10)


def test_newton_is_damped_where_its_whole_step_leads_away():
    """x = x - atan(x): an undamped Newton step from 3 goes beyond -9, the next one further."""
    equation = Equation(lambda x: x - np.arctan(x), lambda x: 1 - 1 / (1 + x**2))
    assert_allclose(Newton(equation.jacobian).solve(equation.problem, np.array([3.0])), 0, atol=1e-10)


def test_newton_comes_back_from_where_g_has_no_value():
    """x = x - log(x) at 1; the whole step from 3 ends at -0.3."""

    def g(x):
        if x[0] <= 0:
            raise MobodError("no logarithm")
        return x - np.log(x)

    equation = Equation(g, lambda x: 1 - 1 / x)
    assert_allclose(Newton(equation.jacobian).solve(equation.problem, np.array([3.0])), 1, rtol=1e-10)


def test_a_kept_jacobian_is_renewed_when_it_no_longer_contracts():
    factor = 0.5
    equation = Equation(lambda x: factor * x**3 + 1, lambda x: 3 * factor * x**2)
    newton = Newton(equation.jacobian)
    for factor, jacobians in ((-0.5, 1), (-0.501, 0), (-40.0, None)):
        before = equation.jacobians
        (x,) = newton.solve(equation.problem, np.array([0.7]))
        assert_allclose(x, factor * x**3 + 1, rtol=1e-9, atol=1e-9)
        assert jacobians is None or equation.jacobians - before == jacobians
    assert equation.jacobians > before  # the loop is 80 times steeper


def test_a_kept_jacobian_is_improved_by_what_steps_show():
    """With the Jacobian as it was, the error would shrink to a fifth with each evaluation: 14 of them."""
    matrix, offset, _ = linear(3, 1.0, seed=5)
    equation = Equation(lambda x: matrix @ x + offset, lambda x: matrix, n=3)
    newton = Newton(equation.jacobian)
    found = newton.solve(equation.problem, np.zeros(3))
    matrix = matrix + 0.2 * (np.eye(3) - matrix)  # 1 - g' is 0.8 of what it was
    before = equation.problem.evaluations
    assert_allclose(newton.solve(equation.problem, found), np.linalg.solve(np.eye(3) - matrix, offset), rtol=1e-9)
    assert equation.problem.evaluations - before == 3  # at the start, after a step, and after one more
    assert equation.jacobians == 1


@pytest.mark.parametrize("offset", [0.3, 0.0])
@pytest.mark.parametrize("units", [1.0, 1e8])
def test_a_gain_of_one_is_singular_for_newton(offset, units):
    """Two connections, one in other units: without a solution, or with infinitely many."""
    matrix = np.array([[0, units], [1 / units, 0]])
    equation = Equation(lambda x: matrix @ x + [offset, 0], lambda x: matrix, n=2)
    with pytest.raises(SingularLoopError):
        Newton(equation.jacobian).solve(equation.problem, np.zeros(2))


def test_a_gain_of_one_without_a_solution_is_singular_for_anderson():
    equation = Equation(lambda x: np.array([x[1] + 0.3, x[0]]), n=2)
    with pytest.raises(SingularLoopError):
        Anderson().solve(equation.problem, np.array([1.0, -0.2]))


def test_an_equation_without_a_solution_is_not_solved():
    """x = x + 1 + x^2."""
    equation = Equation(lambda x: x + 1 + x**2, lambda x: 1 + 2 * x)
    for solver in (Newton(equation.jacobian), Anderson()):
        with pytest.raises((NotSolvedError, SingularLoopError)):
            solver.solve(equation.problem, np.array([0.7]))


def test_different_units_are_no_singularity_and_near_dependence_in_all_units_is():
    ratio = 1e7  # of masses: the loop of a rigid joint, in SI units
    assert_allclose(inverse(np.array([[1.0, 1.0], [-ratio, 1.0]]), 1e3) @ [1.0, 0.0], [1 / (1 + ratio), ratio / (1 + ratio)], rtol=1e-12)
    with pytest.raises(SingularLoopError):
        inverse(np.array([[1.0, -1 / ratio], [-ratio, 1 + 1e-9]]), 1e3)


def test_outputs_that_are_computed_with_an_error_of_their_own_are_solved_to_that_error():
    """An FMU may solve equations of its own to 1e-9: here the values are rounded."""
    equation = Equation(lambda x: np.round(3 - 1.7 * x + 0.2 * np.sin(x), 9), lambda x: -1.7 + 0.2 * np.cos(x))
    exact = Newton(lambda: np.array([[-1.7 + 0.2 * np.cos(1.1)]])).solve(
        FixedPoint(lambda x: 3 - 1.7 * x + 0.2 * np.sin(x), np.ones(1)), np.ones(1)
    )
    for solver in (Newton(equation.jacobian), Anderson()):
        assert_allclose(solver.solve(equation.problem, np.ones(1)), exact, atol=2e-9)
