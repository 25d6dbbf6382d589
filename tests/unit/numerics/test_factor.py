import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod.errors import MobodError
from mobod.numerics import Factors, distance_of_errors, factor_rows, factor_semidefinite, rank_tolerance, rank_tolerance_at_distance
from mobod.runtime.library import doubles, ffi, ints, runtime, workspace
from tests.unit.numerics.matrices import CASES, Case, general, nearly_twice

EPS = np.finfo(float).eps
each_case = pytest.mark.parametrize("case", CASES, ids=str)


def size_of_rows(J: np.ndarray) -> np.ndarray:
    """(m, 1) the lengths of the rows; 1 where a row is zero."""
    size = np.linalg.norm(J, axis=1, keepdims=True) if J.size else np.zeros((len(J), 1))
    return np.where(size > 1e-12 * size.max(initial=0), size, size.max(initial=0) or 1)


def null_of_rows(J: np.ndarray, rank: int) -> np.ndarray:
    """(n, n - rank) a basis of the null space, by singular values of rows scaled to equal length."""
    return np.linalg.svd(J / size_of_rows(J))[2][rank:].T if len(J) else np.eye(J.shape[1])


def solutions(factors: Factors, b: np.ndarray) -> np.ndarray:
    """(n, k) the solutions for right-hand sides b (m, k)."""
    return np.column_stack([factors.solve(column) for column in b.T])


def rank_of_G(case: Case) -> int:
    return case.rank if case.rank_of_G is None else case.rank_of_G


@each_case
def test_the_rank_matches_that_of_the_rows(case):
    factors = factor_rows(case.J)

    assert factors.rank == case.rank
    assert sorted([*factors.independent, *factors.dependent]) == list(range(len(case.J)))
    if case.dependent is not None:
        assert tuple(factors.dependent) == case.dependent


@each_case
def test_the_rank_of_squares_matches_that_of_the_rows(case):
    factors = factor_semidefinite(case.G)

    assert factors.rank == rank_of_G(case)
    assert sorted([*factors.independent, *factors.dependent]) == list(range(len(case.J)))
    if case.dependent is not None and case.rank_of_G is None:
        assert tuple(factors.dependent) == case.dependent


@each_case
def test_consistent_rows_are_solved_by_the_minimum_norm_solution(case):
    J = case.J
    x = solutions(factor_rows(J), b := J @ general(J.shape[1], 3, 11))

    # 1e-11: rows that are dependent within the tolerance contradict each other by as much
    size = size_of_rows(J)
    assert_allclose(J @ x / size, b / size, rtol=0, atol=1e-11 * np.abs(b / size).max(initial=0))
    # the nearer the last independent row is to the others, the less is known of what the rows do not see
    sizes = np.linalg.svd(J / size)[1] if len(J) else np.ones(0)
    uncertain = 10 * EPS * sizes[0] / sizes[case.rank - 1] if case.rank else 0
    assert_allclose(null_of_rows(J, case.rank).T @ x, 0, atol=(uncertain + 1e-12) * np.linalg.norm(x))


@each_case
def test_consistent_multipliers_are_solved(case):
    G = case.G
    multipliers = solutions(factor_semidefinite(G), b := G @ (general(len(G), 3, 11) / size_of_rows(case.J)))

    size = size_of_rows(case.J) * max(1, case.J.shape[1]) ** 0.5
    assert_allclose(G @ multipliers / size, b / size, rtol=0, atol=1e-11 * np.abs(b / size).max(initial=0))


# NumPy knows no sizes of rows, and its pseudo-inverse is exact where they differ little
MODERATE = [case for case in CASES if case.J.size and not any(word in case.name for word in ("unit", "tiny", "huge", "nearly"))]


@pytest.mark.parametrize("case", MODERATE, ids=str)
def test_contradictory_rows_are_solved_by_the_least_squares_solution_of_least_norm(case):
    J, b = case.J, general(len(case.J), 4, 12)

    x = solutions(factor_rows(J), b)

    largest = np.abs(J).max(axis=1, keepdims=True)
    size = np.where(largest > 1e-12, largest, np.inf) * (1 + 1e-6 * np.arange(len(J)))[:, None]  # the later rows count less
    expected = np.linalg.pinv(J / size, rcond=1e-9) @ (b / size)
    assert_allclose(x, expected, rtol=0, atol=1e-11 * np.abs(expected).max())  # condition 1e3 to 1e4


@pytest.mark.parametrize("case", MODERATE, ids=str)
def test_multipliers_have_least_norm(case):
    b = case.G @ general(len(case.J), 4, 12)

    multipliers = solutions(factor_semidefinite(case.G), b)

    expected = np.linalg.pinv(case.G, rcond=1e-11, hermitian=True) @ b
    assert_allclose(multipliers, expected, rtol=0, atol=1e-9 * np.abs(expected).max())  # condition 1e6


def test_equal_rods_share_the_force():
    J = np.vstack([general(1, 4), general(1, 4)])

    force = factor_semidefinite(J @ J.T).solve(3.0 * (J @ J.T)[:, 0])

    assert_allclose(force, [1.5, 1.5], rtol=4 * EPS)


def test_multipliers_in_different_units_minimize_their_sum_of_squares():
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
def test_rows_count_as_equal_within_the_distance_tolerance(away):
    tolerance = rank_tolerance_at_distance(7, away)
    assert factor_rows(nearly_twice(max(away, 1e-7)), tolerance).rank == 6
    assert factor_rows(nearly_twice(max(100 * away, 1e-4)), tolerance).rank == 7
    assert rank_tolerance_at_distance(7, 1e3) < 0.1  # rows that differ by more are others, however far away


def test_the_distance_of_errors_is_relative_to_rows_and_ignores_zero_rows():
    A = np.array([[0.0, 2e-3, 1e-3], [0.0, 0.0, 0.0], [-5.0, 1.0, 0.0], [1e-15, 0.0, 0.0]])
    assert distance_of_errors(A, np.array([1e-4, 7.0, -0.1, 3.0])) == pytest.approx(0.05)
    assert distance_of_errors(A[1:2], np.array([7.0])) == distance_of_errors(A[:0], np.zeros(0)) == 0


@pytest.mark.parametrize(("times_tolerance", "rank"), [(0.1, 6), (10, 7)])
@pytest.mark.parametrize("tolerance", [None, 1e-8, 1e-3])
def test_rows_of_squares_count_as_equal_within_the_square_root_of_the_tolerance(times_tolerance, rank, tolerance):
    distance = np.sqrt(times_tolerance * (tolerance or rank_tolerance(7)))
    J = nearly_twice(distance)

    factors = factor_semidefinite(J @ J.T, tolerance)

    assert factors.rank == rank
    assert tuple(factors.dependent) == ((6,) if rank == 6 else ())


@pytest.mark.parametrize("distance", 10.0 ** np.arange(-7.0, 0.0, 0.25))
def test_cholesky_and_pivoting_decide_the_same(distance):
    J = nearly_twice(distance)
    G, b = J @ J.T, general(7, 1, 13)[:, 0]
    with_equal_rows = np.zeros((9, 9))  # which need pivots
    with_equal_rows[:7, :7], with_equal_rows[7:, 7:] = G, 0.3

    quick, pivoted = factor_semidefinite(G, rank_tolerance(9)), factor_semidefinite(with_equal_rows)

    assert quick.rank == pivoted.rank - 1
    # each errs by the condition of G, which is about distance^-2
    condition = 1e3 * distance**-2
    x, expected = quick.solve(b), pivoted.solve([*b, 0.0, 0.0])[:7]
    assert_allclose(x, expected, rtol=0, atol=4 * EPS * condition * np.abs(expected).max())


@pytest.mark.parametrize("size", [0.0, 1e-13])  # the second is round-off beside the other rows
def test_rows_of_round_off_are_left_out(size):
    A, b = (J := general(5, 7)) @ J.T, general(5, 1, 13)[:, 0]
    others, whole = [0, 2, 3, 5, 7], np.zeros((8, 8))
    whole[np.ix_(others, others)] = A
    whole[[1, 4, 6], [1, 4, 6]] = size**2

    factors, alone = factor_semidefinite(whole), factor_semidefinite(A)
    x = factors.solve(np.insert(b, [1, 3, 4], 0.7))

    assert factors.rank == 5
    assert (*factors.independent,) == (0, 2, 3, 5, 7)
    assert (*factors.dependent,) == (1, 4, 6)
    assert x[[1, 4, 6]].tolist() == [0, 0, 0]
    assert_allclose(x[others], alone.solve(b), rtol=1e-14)  # the scales of two rows that follow each other differ by 1e-6


def test_dependence_without_a_small_cholesky_pivot_is_found():
    L = np.eye(40) - 0.45 * np.tril(np.ones((40, 40)), -1)  # as in Kahan's example
    size = np.linalg.norm(L, axis=1, keepdims=True)
    G = (L / size) @ (L / size).T
    assert np.linalg.cholesky(G).diagonal().min() > 0.3
    assert np.linalg.eigvalsh(G)[0] < 1e-12 < 0.1 < np.linalg.eigvalsh(G)[1]

    assert factor_semidefinite(G).rank == 39


@pytest.mark.parametrize("seed", range(60))
def test_random_rows_have_the_right_rank_and_solution(seed):
    random = np.random.default_rng(seed)
    m, n = random.integers(1, 25, 2)
    rank = random.integers(0, min(m, n) + 1)
    J = random.normal(size=(m, rank)) @ random.normal(size=(rank, n)) * 10.0 ** random.integers(-3, 3, (m, 1))
    J[random.random(m) < 0.1] = 0

    size = size_of_rows(J)
    rows, products = factor_rows(J), factor_semidefinite(J @ J.T)
    b, b_of_products = J @ random.normal(size=n), J @ J.T @ (random.normal(size=m) / size[:, 0])
    x, multipliers = rows.solve(b), products.solve(b_of_products)

    assert rows.rank == products.rank == np.linalg.matrix_rank(J / size, rtol=1e-9)
    sizes = np.linalg.svd(J / size)[1]
    condition = sizes[0] / sizes[rows.rank - 1] if rows.rank else 1
    missed, missed_by_products = (J @ x - b) / size[:, 0], (J @ J.T @ multipliers - b_of_products) / size[:, 0]
    assert np.abs(missed).max() <= 20 * EPS * m * condition * np.abs(b / size[:, 0]).max()
    # products have the square of the condition; where rows are dependent, each multiplier is as exact as the largest
    uncertain = condition**2 + (size.max() / size.min() if rows.rank < m else 0)
    assert np.abs(missed_by_products).max() <= 20 * EPS * m * uncertain * np.abs(b_of_products / size[:, 0]).max()


def test_contradictory_rows_are_not_satisfied():
    J = np.vstack([general(3, 5), general(1, 5)])  # the last is the first again
    b = np.array([0.3, -0.8, 1.1, 0.9])

    x = factor_rows(J).solve(b)

    assert_allclose(J @ x - b, [0.3, 0, 0, -0.3], atol=2e-6)  # the earlier row weighs a little more


def test_the_tolerance_grows_with_the_number_of_rows():
    assert rank_tolerance(0) == 0
    assert rank_tolerance(17) == pytest.approx(17 * EPS**0.75, rel=1e-14)
    assert rank_tolerance_at_distance(17, 0.0) == pytest.approx((17 * EPS**0.75) ** 0.5, rel=1e-14)
    assert rank_tolerance_at_distance(17, 3e-5) == pytest.approx(3e-4)


def test_only_the_lower_triangle_is_read():
    G = general(4, 6) @ general(4, 6).T

    assert np.array_equal(factor_semidefinite(np.tril(G)).solve(np.arange(4.0)), factor_semidefinite(G).solve(np.arange(4.0)))


@pytest.mark.parametrize("factor", [factor_rows, factor_semidefinite])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("at", [(0, 0), (2, 1), (2, 2)])
def test_an_entry_that_is_not_finite_is_an_error_that_names_it(factor, value, at):
    A = general(3, 3) @ general(3, 3).T
    A[at] = value
    with pytest.raises(MobodError, match=rf"G M\^-1 G\^T: entry \[{at[0]}, {at[1]}\] is {value}"):
        factor(A, what="G M^-1 G^T")

    b = np.array([0.5, 1.5, 2.5])
    b[at[0]] = value
    with pytest.raises(MobodError, match=rf"right-hand side: entry \[{at[0]}\] is {value}"):
        factor(np.eye(3)).solve(b)


@pytest.mark.parametrize("factor", [factor_rows, factor_semidefinite])
def test_a_right_hand_side_of_another_length_is_an_error(factor):
    with pytest.raises(MobodError, match=r"shape \(2,\).*3 rows"):
        factor(np.eye(3)).solve(np.ones(2))
    with pytest.raises(MobodError, match=r"shape \(2,\).*3 rows"):
        distance_of_errors(np.eye(3), np.ones(2))


def test_asymmetric_shapes_and_indefinite_matrices_are_errors():
    with pytest.raises(MobodError, match=r"shape \(2, 3\)"):
        factor_semidefinite(general(2, 3))
    with pytest.raises(MobodError, match=r"not positive semidefinite: its diagonal entry 1 is -0\.2"):
        factor_semidefinite(np.diag([0.3, -0.2]))


def test_a_diagonal_entry_negative_by_round_off_counts_as_zero():
    assert tuple(factor_semidefinite(np.diag([0.3, -1e-17])).dependent) == (1,)


def test_a_workspace_can_be_reused_and_the_solution_may_overwrite_the_right_side():
    """C reuses its workspaces in the same way."""
    library, (reals, order) = runtime(), workspace(runtime().mobod_factor_reals(8, 11), 8)
    factors = ffi.new("Factors *", {"reals": doubles(reals), "order": ints(order)})
    for m, n in ((8, 11), (5, 11), (8, 3), (1, 1), (0, 4), (4, 4)):
        A = general(m, n, 6)
        assert library.mobod_factor_rows(factors, m, n, doubles(A), 1e-11) == library.FACTORED
        x = np.append(A @ general(n, 1, 9)[:, 0], np.zeros(max(0, n - m)))
        expected = factor_rows(A, 1e-11).solve(x[:m])
        assert library.mobod_solve_rows(factors, doubles(x), doubles(x)) == library.FACTORED
        assert x[:n].tolist() == expected.tolist()

    for rank in (3, 5):  # by pivoting, and by Cholesky's factor
        A = general(5, rank) @ general(5, rank).T
        assert library.mobod_factor_semidefinite(factors, 5, doubles(A), 1e-11) == library.FACTORED
        x = A @ general(5, 1)[:, 0]
        expected = factor_semidefinite(A, 1e-11).solve(x)
        assert library.mobod_solve_semidefinite(factors, doubles(x), doubles(x)) == library.FACTORED
        assert x.tolist() == expected.tolist()
