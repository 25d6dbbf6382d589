"""fmu_src/native/factor.c and its twin, mobod.numerics.factor: the same decisions, and the same solutions."""

import ctypes
from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod.native_sources import native_sources
from mobod.numerics import distance_of_errors, factor_rows, factor_semidefinite, rank_tolerance, rank_tolerance_beside
from mobod.runtime.compiler import build_library
from tests.unit.numerics.matrices import CASES, general, nearly_twice

STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fvisibility=default")
FACTORED, NOT_FINITE, NOT_SEMIDEFINITE = range(3)
GUARD = -123.25  # behind each array that C writes

reals, integers = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_int)


class Factors(ctypes.Structure):
    """As in factor.h."""

    _fields_ = (
        ("reals", reals),
        ("order", integers),
        *((name, ctypes.c_int) for name in ("m", "n", "rank", "n_dependent", "is_positive")),
        *((name, reals) for name in ("scale", "rows", "tau", "null", "null_tau", "norm", "work")),
    )


class InC:
    """The functions of factor.c, with a workspace as large as they say; what lies behind it must not change."""

    def __init__(self, library: ctypes.CDLL, A: np.ndarray, symmetric: bool, tolerance: float | None = None):
        self.library, self.symmetric = library, symmetric
        self.A = np.ascontiguousarray(A, dtype=float)
        self.m, self.n = self.A.shape
        self.reals = np.full(library.factor_reals(self.m, self.n) + 1, GUARD)
        self.order = np.full(self.m + 1, -7, dtype=np.intc)
        self.factors = Factors(reals=self.reals.ctypes.data_as(reals), order=self.order.ctypes.data_as(integers))
        tolerance = ctypes.c_double(library.rank_tolerance(self.m) if tolerance is None else tolerance)
        sizes = (self.m,) if symmetric else (self.m, self.n)
        function = library.factor_semidefinite if symmetric else library.factor_rows
        self.outcome = function(ctypes.byref(self.factors), *sizes, pointer(self.A), tolerance)
        self.check_guards()

    @property
    def independent(self) -> np.ndarray:
        return self.order[: self.factors.rank]

    @property
    def dependent(self) -> np.ndarray:
        return self.order[self.factors.rank : -1]

    def solve(self, b: np.ndarray) -> np.ndarray:
        """(n, k) for b (m, k)."""
        return np.column_stack([self.solve_one(column)[1] for column in b.T])

    def solve_one(self, b: np.ndarray) -> tuple[int, np.ndarray]:
        x = np.full(self.n + 1, GUARD)
        function = self.library.solve_semidefinite if self.symmetric else self.library.solve_rows
        outcome = function(ctypes.byref(self.factors), pointer(np.ascontiguousarray(b)), pointer(x))
        assert x[-1] == GUARD
        self.check_guards()
        return outcome, x[:-1]

    def residual(self, x: np.ndarray, b: np.ndarray) -> np.ndarray:
        difference = np.empty(self.m)
        self.library.residual_of_rows(self.m, self.n, pointer(self.A), pointer(x), pointer(b), pointer(difference))
        return difference

    def check_guards(self) -> None:
        assert self.reals[-1] == GUARD
        assert self.order[-1] == -7


def pointer(array: np.ndarray) -> object:
    return array.ctypes.data_as(reals)


@pytest.fixture(scope="session")
def library() -> ctypes.CDLL:
    sources = {name: (native_sources() / name).read_text() for name in ("factor.c", "factor.h", "elementary.h")}
    library = ctypes.CDLL(str(build_library("factor", sources, flags=STRICT)))
    library.factor_reals.restype = ctypes.c_size_t
    for function in (library.rank_tolerance, library.rank_tolerance_beside, library.distance_of_errors):
        function.restype = ctypes.c_double
    return library


@pytest.fixture(params=["rows", "semidefinite"])
def twins(request, library) -> Callable:
    """From a matrix of rows, what C and Python make of it, or of its products with itself."""
    if request.param == "rows":
        return lambda J, tolerance=None: (InC(library, J, False, tolerance), factor_rows(J, tolerance))
    return lambda J, tolerance=None: (InC(library, J @ J.T, True, tolerance), factor_semidefinite(J @ J.T, tolerance))


def assert_same_decisions(in_c, in_python):
    assert in_c.outcome == FACTORED
    assert in_c.factors.rank == in_python.rank
    assert in_c.factors.n_dependent == len(in_python.dependent)
    assert in_c.factors.is_positive == (in_c.symmetric and in_python._inverse_root is not None)
    assert in_c.independent.tolist() == in_python.independent.tolist()
    assert in_c.dependent.tolist() == in_python.dependent.tolist()


def sizes_of_rows(factors: InC) -> np.ndarray:
    """(m, 1) what factor.h calls so; 1 where a row is zero."""
    size = np.sqrt(np.diagonal(factors.A)) if factors.symmetric else np.abs(factors.A).max(axis=1, initial=0)
    return np.where(size > 1e-12 * size.max(initial=0), size, 1)[:, None]


def uncertainty(factors: InC) -> float:
    """Relative change of a solution by round-off in A: by the condition of its rows of size 1."""
    size = sizes_of_rows(factors)
    sizes = np.linalg.svd(factors.A / size / (size.T if factors.symmetric else 1))[1] if factors.factors.rank else np.ones(1)
    return 20 * np.finfo(float).eps * len(factors.A) * sizes[0] / sizes[max(factors.factors.rank, 1) - 1]


def uncertainty_of_products(factors: InC) -> float:
    """Relative error of A x by round-off in x, which for dependent rows of squares is that of the largest x."""
    size = sizes_of_rows(factors)
    shared = factors.symmetric and factors.factors.n_dependent > 0
    return uncertainty(factors) + (10 * np.finfo(float).eps * len(factors.A) * size.max() / size.min() if shared else 0)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_decisions_and_solutions_are_the_same(twins, case):
    in_c, in_python = twins(case.J)
    assert_same_decisions(in_c, in_python)

    # rows that are dependent contradict each other
    size = sizes_of_rows(in_c)
    b = size * general(len(case.J), 3, 21)
    x, expected = in_c.solve(b), in_python.solve(b)
    if in_c.symmetric and case.name == "in many units, one twice":
        # round-off shows in how the two share
        error = uncertainty_of_products(in_c) * np.abs(b / size).max()
        assert_allclose(in_c.A @ x / size, in_c.A @ expected / size, rtol=0, atol=error)
    else:
        assert_allclose(x, expected, rtol=0, atol=uncertainty(in_c) * np.abs(expected).max(initial=0))


def test_the_tolerance_is_the_same(library):
    for m in (0, 1, 17):
        assert library.rank_tolerance(m) == rank_tolerance(m)
        for distance in (0.0, 1e-9, 3e-5, 0.2, np.inf):
            assert library.rank_tolerance_beside(m, ctypes.c_double(distance)) == rank_tolerance_beside(m, distance)


def test_the_distance_is_the_same(library):
    A, errors = general(5, 4, 21), general(5, 1, 22)[:, 0]
    A[3], A[4] = 0, 1e-14 * A[4]  # a row of zeros, and one of round-off
    A *= 10.0 ** np.arange(5)[:, None]
    distance = library.distance_of_errors(5, 4, pointer(A), pointer(errors))
    assert distance == distance_of_errors(A, errors) == (np.abs(errors) / np.abs(A).max(axis=1).clip(1e-9))[:3].max()
    assert library.distance_of_errors(0, 4, pointer(A), pointer(errors)) == distance_of_errors(A[:0], errors[:0]) == 0


# the steps miss the tolerance itself, where round-off decides
@pytest.mark.parametrize("distance", 1.07 * 10.0 ** np.arange(-14.0, 0.0, 0.5))
@pytest.mark.parametrize("tolerance", [None, 1e-7])
def test_near_the_tolerance_decisions_are_the_same(twins, distance, tolerance):
    assert_same_decisions(*twins(nearly_twice(distance), tolerance))


@pytest.mark.parametrize("seed", range(60))
def test_random_rows_give_the_same(twins, seed):
    random = np.random.default_rng(seed)
    m, n = random.integers(1, 25, 2)
    rank = random.integers(0, min(m, n) + 1)
    J = random.normal(size=(m, rank)) @ random.normal(size=(rank, n)) * 10.0 ** random.integers(-3, 3, (m, 1))
    J[random.random(m) < 0.1] = 0

    in_c, in_python = twins(J)

    assert_same_decisions(in_c, in_python)
    assert in_python.rank == np.linalg.matrix_rank(J / np.maximum(np.abs(J).max(axis=1, keepdims=True), 1e-9), rtol=1e-9)
    size = sizes_of_rows(in_c)
    b = in_c.A @ (random.normal(size=(in_c.n, 2)) / (size if in_c.symmetric else 1))
    x, expected = in_c.solve(b), in_python.solve(b)
    for solution in (x, expected):
        error = uncertainty_of_products(in_c) * np.abs(b / size).max(initial=0)
        assert_allclose(in_c.A @ solution / size, b / size, rtol=0, atol=error)
    if not in_c.symmetric:
        assert_allclose(x, expected, rtol=0, atol=uncertainty(in_c) * np.abs(expected).max(initial=0))


def test_the_same_workspace_serves_smaller_matrices(library):
    factors = InC(library, general(8, 11), False)
    for m, n in ((5, 11), (8, 3), (1, 1), (0, 4), (4, 4)):
        A = factors.A = general(m, n, 6)
        factors.m, factors.n = m, n
        assert library.factor_rows(ctypes.byref(factors.factors), m, n, pointer(A), ctypes.c_double(1e-11)) == FACTORED
        factors.check_guards()

        b = A @ general(n, 1, 9)
        assert_allclose(factors.solve(b), factor_rows(A, 1e-11).solve(b), atol=1e-12)


@pytest.mark.parametrize("rank", [3, 5])
@pytest.mark.parametrize("symmetric", [False, True])
def test_the_solution_may_take_the_place_of_the_right_hand_side(library, symmetric, rank):
    A = general(5, rank) @ general(5, rank).T
    factors, b = InC(library, A, symmetric), A @ general(5, 1)[:, 0]
    _, x = factors.solve_one(b)

    function = library.solve_semidefinite if symmetric else library.solve_rows
    assert function(ctypes.byref(factors.factors), pointer(b), pointer(b)) == FACTORED
    assert b.tolist() == x.tolist()


def test_the_residual_is_what_contradicts(library):
    J = np.vstack([general(3, 5), general(1, 5)])
    b = np.array([0.3, -0.8, 1.1, 0.9])
    factors = InC(library, J, False)

    assert_allclose(factors.residual(factors.solve_one(b)[1], b), [0.3, 0, 0, -0.3], atol=2e-6)  # the earlier row weighs a little more


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("at", [(0, 0), (2, 1), (3, 3)])
def test_what_is_not_finite_is_told(library, symmetric, value, at):
    A = general(4, 6) @ general(4, 6).T
    good = InC(library, A, symmetric)
    b = np.ones(4)
    b[at[0]] = value
    assert good.solve_one(b)[0] == NOT_FINITE

    A[at] = value
    assert InC(library, A, symmetric).outcome == NOT_FINITE


def test_a_negative_diagonal_entry_is_told_beyond_round_off(library):
    assert InC(library, np.diag([0.3, -0.2]), True).outcome == NOT_SEMIDEFINITE

    factors = InC(library, np.diag([0.3, -1e-17]), True)
    assert (factors.outcome, factors.dependent.tolist()) == (FACTORED, [1])
