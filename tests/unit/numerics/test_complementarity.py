from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod.errors import ComplementarityError, InfeasibleError, InputError
from mobod.numerics import solve_complementarity, solve_quadratic_program
from mobod.runtime.library import runtime
from tests.unit.numerics.programs import random_program


def by_enumeration(A: np.ndarray, a: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """The solution z of w = A z + a, by trying each of the 3^m cases: at the lower bound, between, at the upper bound."""
    for case in product((-1, 0, 1), repeat=len(a)):
        case = np.array(case)
        between = case == 0
        z = np.where(case < 0, lower, np.where(case > 0, upper, 0.0))
        if not np.isfinite(z).all():
            continue
        if between.any():
            z[between] = np.linalg.lstsq(A[np.ix_(between, between)], -(a + A @ z)[between])[0]
        w = A @ z + a
        fits = np.where(between, np.abs(w) < 1e-10, case * w <= 1e-10)
        if (fits & (z >= lower - 1e-10) & (z <= upper + 1e-10)).all():
            return z
    raise AssertionError("there is no solution")


@pytest.mark.parametrize("seed", range(60))
def test_the_solution_matches_an_exhaustive_search(seed):
    random = np.random.default_rng(seed)
    m = int(random.integers(1, 7))
    n = int(random.integers(1, m + 2))  # fewer than rows: redundant ones
    B = random.normal(size=(n, m)) * np.exp(random.normal(size=m))
    lower, upper = -random.uniform(0, 2, m) * (random.random(m) < 0.5), random.uniform(0, 2, m)
    a = random.normal(size=m)

    solution = solve_complementarity(B, a, lower=lower, upper=upper)

    expected = by_enumeration(B.T @ B, a, lower, upper)
    assert_allclose(B.T @ solution.y, B.T @ B @ expected, atol=1e-8)
    assert_allclose(solution.y, B @ solution.multipliers, atol=1e-12)
    if n >= m:
        assert_allclose(solution.multipliers, expected, atol=1e-8)


@pytest.mark.parametrize("seed", range(40))
def test_rows_given_by_columns_or_by_a_mass_matrix_have_the_same_solution(seed):
    program = random_program(seed)
    J, k = np.vstack([program.G, program.N]), len(program.G)
    L = np.linalg.cholesky(program.M)
    B, a = np.linalg.solve(L, J.T), J @ program.u_star - np.concatenate([program.b_g, program.b_n])
    size = np.abs(J) @ np.abs(program.u_star) + np.abs(J @ program.u_star - a)

    by_columns = solve_complementarity(B, a, k, size=size, lower=program.lower, upper=program.upper)
    expected = solve_quadratic_program(
        program.M, program.u_star, program.G, program.b_g, program.N, program.b_n, lower=program.lower, upper=program.upper
    )

    change = L.T @ (expected.u - program.u_star)
    size = (
        np.linalg.norm(L.T @ program.u_star)
        + np.linalg.norm(change)
        + 1e-4 * np.abs(by_columns.multipliers * np.linalg.norm(B, axis=0)).sum()
    )
    assert np.linalg.norm(by_columns.y - change) <= 1e-9 * size
    assert by_columns.dependent == expected.dependent
    assert_allclose(B @ by_columns.multipliers, by_columns.y, atol=1e-9 * size)


def test_the_solution_does_not_depend_on_the_basis_of_the_rows():
    """Only B^T B matters: the sweep's D^(-1/2) E, or Cholesky's L^-1 G^T."""
    random = np.random.default_rng(8)
    B, a = random.normal(size=(5, 7)), random.normal(size=7)
    turned = np.linalg.qr(random.normal(size=(9, 5)))[0] @ B

    solution, expected = solve_complementarity(turned, a), solve_complementarity(B, a)

    assert solution.active == expected.active
    assert_allclose(solution.multipliers, expected.multipliers, atol=1e-12)


def test_an_increased_multiplier_decreases_if_another_row_needs_it():
    """Row 0 enters first, reaches its upper bound, and leaves it after row 1 has entered."""
    B, a = np.array([[1.0, 0.9], [0.0, np.sqrt(0.19)]]), np.array([-2.0, -1.95])
    solution = solve_complementarity(B, a, upper=[1.0, np.inf])

    expected = by_enumeration(B.T @ B, a, np.zeros(2), np.array([1.0, 1e9]))
    assert_allclose(solution.multipliers, expected, atol=1e-12)


def test_equations_may_have_multipliers_of_either_sign():
    random = np.random.default_rng(2)
    B, a = random.normal(size=(6, 5)), random.normal(size=5)
    solution = solve_complementarity(B, a, 2)

    w = B.T @ solution.y + a
    assert_allclose(w[:2], 0, atol=1e-13)
    assert (w[2:] >= -1e-13).all()
    assert (solution.multipliers[2:] >= 0).all()
    assert_allclose(w[2:] * solution.multipliers[2:], 0, atol=1e-13)


def test_without_motion_all_multipliers_are_zero():
    B = np.random.default_rng(1).normal(size=(3, 8))
    solution = solve_complementarity(B, np.zeros(8))
    assert not solution.multipliers.any()
    assert solution.n_steps == 0
    assert solve_complementarity(np.zeros((0, 0)), []).multipliers.shape == (0,)
    assert solve_complementarity(np.zeros((0, 2)), [0.4, 0.0]).multipliers.tolist() == [0, 0]


@pytest.mark.parametrize("n_rows", [30, 100])
def test_many_rows_through_one_point_converge(n_rows):
    """A cone of contacts of rank 3, all active at the solution, most of them redundant."""
    random = np.random.default_rng(n_rows)
    directions = np.column_stack([random.normal(size=(n_rows, 2)), np.full(n_rows, 1.3)])
    push = directions.T @ random.uniform(0, 1, n_rows)

    solution = solve_complementarity(directions.T, -directions @ push)

    assert_allclose(solution.y, push, rtol=1e-12)
    assert len(solution.active) <= 3
    assert solution.n_steps < 20


def test_cycling_rows_are_an_error(monkeypatch):
    right = runtime()

    class Endless:
        def __getattr__(self, name):
            return getattr(right, name)

        def mobod_solve_complementarity(self, *arguments):
            right.mobod_solve_complementarity(*arguments)
            return right.ROWS_CYCLING

    monkeypatch.setattr("mobod.numerics.complementarity.runtime", Endless)
    with pytest.raises(ComplementarityError, match="the active set of 2 rows cycles without end") as raised:
        solve_complementarity(np.eye(2), [-1.0, 2.0])
    assert raised.value.problem["a"].tolist() == [-1.0, 2.0]


def test_the_default_sizes_are_those_of_a():
    random = np.random.default_rng(4)
    B, a = random.normal(size=(4, 6)), random.normal(size=6)

    assert solve_complementarity(B, a).multipliers.tolist() == solve_complementarity(B, a, size=np.abs(a)).multipliers.tolist()


def test_contradictory_rows_are_named():
    with pytest.raises(InfeasibleError, match=r"'lower stop' and 'upper stop' contradict each other: 0.3 of the first is missing"):
        solve_complementarity(np.array([[1.0, -1.0]]), [0.2, -0.5], names=["lower stop", "upper stop"])


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ((np.eye(2), [0.0]), {}),
        ((np.eye(2), [0.0, 1.0], 3), {}),
        ((np.eye(2), [0.0, 1.0]), {"size": [1.0]}),
        (([1.0], [1.0]), {}),
        (([[np.nan]], [1.0]), {}),
        ((np.eye(2), [0.0, 1.0]), {"size": [1.0, np.inf]}),
    ],
)
def test_invalid_input_is_an_error(arguments, options):
    with pytest.raises(InputError, match=r"B has shape|B: entry|size: entry"):
        solve_complementarity(*arguments, **options)
