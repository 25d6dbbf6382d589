import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod.errors import MobodError
from mobod.numerics import distance_of_errors, factor_rows, factor_semidefinite, rank_tolerance, rank_tolerance_beside
from tests.unit.numerics.matrices import CASES, Case, general, nearly_twice

EPS = np.finfo(float).eps
each_case = pytest.mark.parametrize("case", CASES, ids=str)


def size_of_rows(J: np.ndarray) -> np.ndarray:
    """(m, 1); 1 where a row is zero."""
    size = np.linalg.norm(J, axis=1, keepdims=True) if J.size else np.zeros((len(J), 1))
    return np.where(size > 1e-12 * size.max(initial=0), size, size.max(initial=0) or 1)


def null_of_rows(J: np.ndarray, rank: int) -> np.ndarray:
    """(n, n - rank) what the rows do not see, by singular values of rows of the same size."""
    return np.linalg.svd(J / size_of_rows(J))[2][rank:].T if len(J) else np.eye(J.shape[1])


def rank_of_G(case: Case) -> int:
    return case.rank if case.rank_of_G is None else case.rank_of_G


@each_case
def test_the_rank_is_that_of_the_rows(case):
    factors = factor_rows(case.J)

    assert factors.rank == case.rank
    assert sorted([*factors.independent, *factors.dependent]) == list(range(len(case.J)))
    if case.dependent is not None:
        assert tuple(factors.dependent) == case.dependent


@each_case
def test_the_rank_of_squares_is_that_of_the_rows(case):
    factors = factor_semidefinite(case.G)

    assert factors.rank == rank_of_G(case)
    assert sorted([*factors.independent, *factors.dependent]) == list(range(len(case.J)))
    if case.dependent is not None and case.rank_of_G is None:
        assert tuple(factors.dependent) == case.dependent


@each_case
def test_consistent_rows_are_met_and_nothing_is_added_that_they_do_not_see(case):
    J = case.J
    x = factor_rows(J).solve(b := J @ general(J.shape[1], 3, 11))

    # 1e-11: rows that are dependent within the tolerance contradict each other by as much
    size = size_of_rows(J)
    assert_allclose(J @ x / size, b / size, rtol=0, atol=1e-11 * np.abs(b / size).max(initial=0))
    # the nearer the last independent row is to the others, the less is known of what the rows do not see
    sizes = np.linalg.svd(J / size)[1] if len(J) else np.ones(0)
    uncertain = 10 * EPS * sizes[0] / sizes[case.rank - 1] if case.rank else 0
    assert_allclose(null_of_rows(J, case.rank).T @ x, 0, atol=(uncertain + 1e-12) * np.linalg.norm(x))


@each_case
def test_consistent_multipliers_are_met(case):
    G = case.G
    multipliers = factor_semidefinite(G).solve(b := G @ (general(len(G), 3, 11) / size_of_rows(case.J)))

    size = size_of_rows(case.J) * max(1, case.J.shape[1]) ** 0.5
    assert_allclose(G @ multipliers / size, b / size, rtol=0, atol=1e-11 * np.abs(b / size).max(initial=0))


# NumPy knows no sizes of rows, and its pseudo-inverse is exact where they differ little
MODERATE = [case for case in CASES if case.J.size and not any(word in case.name for word in ("unit", "tiny", "huge", "nearly"))]


@pytest.mark.parametrize("case", MODERATE, ids=str)
def test_rows_that_contradict_each_other_are_met_best_by_the_least_solution(case):
    J, b = case.J, general(len(case.J), 4, 12)

    x = factor_rows(J).solve(b)

    largest = np.abs(J).max(axis=1, keepdims=True)
    size = np.where(largest > 1e-12, largest, np.inf) * (1 + 1e-6 * np.arange(len(J)))[:, None]  # the later rows count less
    expected = np.linalg.pinv(J / size, rcond=1e-9) @ (b / size)
    assert_allclose(x, expected, rtol=0, atol=1e-11 * np.abs(expected).max())  # condition 1e3 to 1e4


@pytest.mark.parametrize("case", MODERATE, ids=str)
def test_multipliers_are_the_least_that_meet_the_rows(case):
    b = case.G @ general(len(case.J), 4, 12)

    multipliers = factor_semidefinite(case.G).solve(b)

    expected = np.linalg.pinv(case.G, rcond=1e-11, hermitian=True) @ b
    assert_allclose(multipliers, expected, rtol=0, atol=1e-9 * np.abs(expected).max())  # condition 1e6


def test_equal_rods_share_the_force():
    J = np.vstack([general(1, 4), general(1, 4)])

    force = factor_semidefinite(J @ J.T).solve(3.0 * (J @ J.T)[:, 0])

    assert_allclose(force, [1.5, 1.5], rtol=4 * EPS)


def test_multipliers_in_different_units_are_shared_so_that_their_squares_are_least():
    direction, ratio = general(1, 4), 20.0
    J = np.vstack([direction, ratio * direction])

    multipliers = factor_semidefinite(J @ J.T).solve(J @ J.T @ [2.0, 0.0])

    # the least of the squares where multipliers[0] + ratio * multipliers[1] = 2
    assert_allclose(multipliers, 2.0 * np.array([1, ratio]) / (1 + ratio**2), rtol=1e-12)  # errors of the larger in the smaller


@pytest.mark.parametrize("factor", [factor_rows, factor_semidefinite])
@pytest.mark.parametrize("name", ["a row twice", "a combination of two", "wide"])
def test_the_rank_does_not_depend_on_units(factor, name):
    J = next(case.J for case in CASES if case.name == name)
    rows = np.vstack([J, 1e-3 * J[:1]])  # a dependent row in each
    units = 10.0 ** np.random.default_rng(4).uniform(-5, 5, (len(rows), 1))
    A, A_in_units = (rows, units * rows) if factor is factor_rows else (rows @ rows.T, units * rows @ rows.T * units.T)

    assert factor(A_in_units).rank == factor(A).rank == 6


@pytest.mark.parametrize(("times_tolerance", "rank"), [(0.1, 6), (10, 7)])
def test_rows_count_as_equal_within_the_tolerance(times_tolerance, rank):
    # 10: entries and norms of rows differ by up to 3, and so do pivots from distances
    assert factor_rows(nearly_twice(times_tolerance * rank_tolerance(7))).rank == rank
    assert factor_rows(nearly_twice(times_tolerance * 1e-5), tolerance=1e-5).rank == rank


@pytest.mark.parametrize("away", [0.0, 1e-9, 1e-6, 1e-4])
def test_rows_that_differ_by_how_far_away_they_are_count_as_equal_and_no_others(away):
    tolerance = rank_tolerance_beside(7, away)
    assert factor_rows(nearly_twice(max(away, 1e-7)), tolerance).rank == 6
    assert factor_rows(nearly_twice(max(100 * away, 1e-4)), tolerance).rank == 7
    assert rank_tolerance_beside(7, 1e3) < 0.1  # rows that differ by more are others, however far away


def test_the_distance_of_errors_is_relative_to_rows_and_leaves_out_those_of_nothing():
    A = np.array([[0.0, 2e-3, 1e-3], [0.0, 0.0, 0.0], [-5.0, 1.0, 0.0], [1e-15, 0.0, 0.0]])
    assert distance_of_errors(A, np.array([1e-4, 7.0, -0.1, 3.0])) == pytest.approx(0.05)
    assert distance_of_errors(A[1:2], np.array([7.0])) == 0


@pytest.mark.parametrize(("times_tolerance", "rank"), [(0.1, 6), (10, 7)])
@pytest.mark.parametrize("tolerance", [None, 1e-8, 1e-3])
def test_rows_of_squares_count_as_equal_within_the_root_of_the_tolerance(times_tolerance, rank, tolerance):
    distance = np.sqrt(times_tolerance * (tolerance or rank_tolerance(7)))
    J = nearly_twice(distance)

    factors = factor_semidefinite(J @ J.T, tolerance)

    assert factors.rank == rank
    assert tuple(factors.dependent) == ((6,) if rank == 6 else ())


@pytest.mark.parametrize("distance", 10.0 ** np.arange(-7.0, 0.0, 0.25))
def test_cholesky_and_pivoting_decide_the_same(distance, monkeypatch):
    J = nearly_twice(distance)
    G, b = J @ J.T, general(7, 1, 13)[:, 0]
    quick = factor_semidefinite(G)
    monkeypatch.setattr("mobod.numerics.factor._LARGEST_INVERSE", 0.0)
    pivoted = factor_semidefinite(G)

    assert quick.rank == pivoted.rank
    # each errs by the condition of G, which is about distance^-2
    condition = 1e3 * distance**-2
    x, expected = quick.solve(b), pivoted.solve(b)
    assert_allclose(x, expected, rtol=0, atol=4 * EPS * condition * np.abs(expected).max())


def test_dependence_that_no_single_pivot_of_cholesky_shows_is_found():
    L = np.eye(40) - 0.45 * np.tril(np.ones((40, 40)), -1)  # as in Kahan's example
    size = np.linalg.norm(L, axis=1, keepdims=True)
    G = (L / size) @ (L / size).T
    assert np.linalg.cholesky(G).diagonal().min() > 0.3
    assert np.linalg.eigvalsh(G)[0] < 1e-12 < 0.1 < np.linalg.eigvalsh(G)[1]

    assert factor_semidefinite(G).rank == 39


@pytest.mark.parametrize("factor", [factor_rows, factor_semidefinite])
def test_many_right_hand_sides_are_solved_as_each_alone(factor):
    for A in (general(5, 5) @ general(5, 5).T, general(5, 3) @ general(5, 3).T):
        b = general(5, 4, 9)
        factors = factor(A)

        assert_allclose(factors.solve(b), np.column_stack([factors.solve(column) for column in b.T]), rtol=1e-12)


def test_what_contradicts_remains_as_residual():
    J = np.vstack([general(3, 5), general(1, 5)])  # the last is the first again
    b = np.array([0.3, -0.8, 1.1, 0.9])

    factors = factor_rows(J)

    assert_allclose(factors.residual(factors.solve(b), b), [0.3, 0, 0, -0.3], atol=2e-6)  # the earlier row weighs a little more
    assert_allclose(factor_semidefinite(J @ J.T).residual(np.zeros(4), b), -b)


def test_only_the_lower_triangle_is_read():
    G = general(4, 6) @ general(4, 6).T

    assert np.array_equal(factor_semidefinite(np.tril(G)).solve(np.arange(4.0)), factor_semidefinite(G).solve(np.arange(4.0)))


@pytest.mark.parametrize("factor", [factor_rows, factor_semidefinite])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_an_error_that_names_the_entry(factor, value):
    A = general(3, 3) @ general(3, 3).T
    A[2, 1] = value
    with pytest.raises(MobodError, match=rf"G M\^-1 G\^T: entry \[2, 1\] is {value}"):
        factor(A, what="G M^-1 G^T")

    b = np.array([0.5, 1.5, value])
    with pytest.raises(MobodError, match=rf"right-hand side: entry \[2\] is {value}"):
        factor(np.eye(3)).solve(b)


@pytest.mark.parametrize("factor", [factor_rows, factor_semidefinite])
def test_a_right_hand_side_of_another_length_is_an_error(factor):
    with pytest.raises(MobodError, match=r"shape \(2,\).*3 rows"):
        factor(np.eye(3)).solve(np.ones(2))


def test_a_matrix_that_cannot_be_symmetric_or_semidefinite_is_an_error():
    with pytest.raises(MobodError, match=r"shape \(2, 3\)"):
        factor_semidefinite(general(2, 3))
    with pytest.raises(MobodError, match=r"not positive semidefinite: its diagonal entry 1 is -0\.2"):
        factor_semidefinite(np.diag([0.3, -0.2]))


def test_a_diagonal_entry_that_is_negative_by_round_off_counts_as_zero():
    assert tuple(factor_semidefinite(np.diag([0.3, -1e-17])).dependent) == (1,)
