import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import nnls

from mobod.errors import ComplementarityError, InfeasibleError, InputError
from mobod.numerics import QuadraticSolution, solve_quadratic_program
from mobod.runtime.library import runtime
from tests.unit.numerics.programs import (
    Program,
    blocked_on_the_second_turn,
    general_program,
    harder_program,
    nearly_parallel,
    random_program,
    tiny_right_sides,
)


def solve(program: Program, **options) -> QuadraticSolution:
    arrays = (program.M, program.u_star, program.G, program.b_g, program.N, program.b_n)
    return solve_quadratic_program(*arrays, lower=program.lower, upper=program.upper, **options)


def residual(program: Program, solution: QuadraticSolution) -> float:
    return program.residual(solution.u, solution.equality_multipliers, solution.inequality_multipliers)


@pytest.mark.fast(1)
@pytest.mark.parametrize("first", range(0, 1000, 250))
def test_redundant_and_degenerate_programs_are_solved(first):
    for seed in range(first, first + 250):
        program = random_program(seed)
        solution = solve(program)
        assert residual(program, solution) < 1e-9, seed
        assert (solution.inequality_multipliers[program.lower == 0] >= 0).all(), seed


@pytest.mark.parametrize("distance", 10.0 ** np.arange(-13, -3))
def test_nearly_dependent_rows_are_solved(distance):
    for seed in range(20):
        program = nearly_parallel(seed, distance)
        assert residual(program, solve(program)) < 1e-9, seed


@pytest.mark.slow
def test_twenty_thousand_redundant_and_degenerate_programs_are_solved():
    for seed in range(20_000):
        program = random_program(seed)
        assert residual(program, solve(program)) < 1e-9, seed


@pytest.mark.parametrize("seeds", [range(250), pytest.param(range(250, 20_000), marks=pytest.mark.slow)], ids=["few", "many"])
def test_programs_with_mostly_dependent_rows_are_solved(seeds):
    for seed in seeds:
        program = harder_program(seed)
        assert residual(program, solve(program)) < 1e-9, seed


def test_the_random_programs_have_the_intended_properties():
    """Checks that the random programs are hard enough for the tests above."""
    programs = [random_program(seed) for seed in range(300)]
    solutions = [solve(program) for program in programs]
    held = [np.abs(p.N @ s.u - p.b_n) < 1e-9 * (1 + np.abs(p.N @ s.u)) for p, s in zip(programs, solutions, strict=True)]

    assert sum(len(s.dependent) > 0 for s in solutions) > 30
    assert sum(len(s.active) > 1 for s in solutions) > 100
    assert sum(len(p.G) + each.sum() > len(p.M) for p, each in zip(programs, held, strict=True)) > 50  # more than determine u
    assert sum(np.any(each & (s.inequality_multipliers == 0)) for s, each in zip(solutions, held, strict=True)) > 100
    at_upper = [np.any(s.inequality_multipliers == p.upper) for p, s in zip(programs, solutions, strict=True)]
    assert sum(at_upper) > 20
    # rows come and go about as often as there are unknowns
    assert max(s.n_steps / (len(p.M) + len(p.N)) for p, s in zip(programs, solutions, strict=True)) < 2.5


@pytest.mark.parametrize("seed", range(40))
def test_the_solution_matches_non_negative_least_squares(seed):
    """theta >= 0 makes |[B; c^T] theta - [0; 1]| least, for B = L^-1 N^T and c = b - N u*: u is what remains (Lawson & Hanson, 23.4)."""
    program = general_program(6, 9, seed)
    B = np.linalg.solve(np.linalg.cholesky(program.M), program.N.T)
    c = program.b_n - program.N @ program.u_star
    theta, _ = nnls(np.vstack([B, c]), np.eye(7)[6])
    remaining = 1 - c @ theta
    expected = program.u_star + np.linalg.solve(program.M, program.N.T @ theta) / remaining

    solution = solve(program)

    assert_allclose(solution.u, expected, rtol=0, atol=1e-9)
    assert_allclose(solution.inequality_multipliers, theta / remaining, rtol=0, atol=1e-8 * np.abs(theta / remaining).max())


def test_a_speed_that_satisfies_all_rows_is_unchanged():
    program = general_program(5, 7)
    free = solve_quadratic_program(program.M, program.u_star, N=program.N, b_n=program.N @ program.u_star - 0.3)

    assert free.u.tolist() == program.u_star.tolist()
    assert (free.active, free.n_steps) == ((), 0)
    assert not free.inequality_multipliers.any()


def test_equations_alone_match_lagrange_multipliers():
    program = general_program(6, 3)
    G, b = program.N, program.b_n
    expected = np.linalg.solve(np.block([[program.M, -G.T], [G, np.zeros((3, 3))]]), [*program.M @ program.u_star, *b])

    solution = solve_quadratic_program(program.M, program.u_star, G, b)

    assert_allclose([*solution.u, *solution.equality_multipliers], expected, rtol=1e-11)


def test_empty_programs_are_solved():
    assert solve_quadratic_program([[2.0]], [0.7]).u.tolist() == [0.7]
    assert solve_quadratic_program(np.zeros((0, 0)), []).u.shape == (0,)


def test_only_the_lower_triangle_is_read():
    program = general_program(4, 5)
    arrays = (program.u_star, (), (), program.N, program.b_n)

    assert np.array_equal(solve_quadratic_program(np.tril(program.M), *arrays).u, solve_quadratic_program(program.M, *arrays).u)


@pytest.mark.parametrize("seed", range(12))
def test_units_of_rows_and_of_unknowns_do_not_matter(seed):
    program = random_program(3 * seed + 1)  # without bounds
    random = np.random.default_rng(seed)
    units, of_rows = 10.0 ** random.integers(-4, 5, len(program.M)), 10.0 ** random.integers(-4, 5, len(program.N))
    M = program.M / units[:, None] / units
    N, b_n = of_rows[:, None] * program.N / units, of_rows * program.b_n

    solution, scaled = solve(program), solve_quadratic_program(M, units * program.u_star, program.G / units, program.b_g, N, b_n)

    change = scaled.u / units - solution.u
    size = np.sqrt(program.u_star @ program.M @ program.u_star) + np.sqrt(solution.u @ program.M @ solution.u)
    assert np.sqrt(change @ program.M @ change) <= 1e-9 * size  # masses of condition 1e6


def test_a_column_of_contacts_carries_the_weight_above_each():
    """A column of bodies, each with the weight of all above it on its contact."""
    n, h = 60, 0.01
    masses = np.geomspace(1e4, 1e-4, n)
    N = np.eye(n) - np.eye(n, k=-1)
    solution = solve_quadratic_program(np.diag(masses), np.full(n, -9.81 * h), N=N, b_n=np.zeros(n))

    assert_allclose(solution.inequality_multipliers, 9.81 * h * np.cumsum(masses[::-1])[::-1], rtol=1e-9)
    assert_allclose(solution.u, 0, atol=1e-9 * 9.81 * h)


def test_a_multiplier_stops_at_its_bound():
    """A brake: 3 N s at most of the 6 that it takes to stop, and as much the other way."""
    for sign in (1, -1):
        brake = {"N": [[1.0]], "b_n": [0.0], "lower": -3.0, "upper": 3.0}
        sliding = solve_quadratic_program([[2.0]], [-3.0 * sign], **brake)
        stopped = solve_quadratic_program([[2.0]], [-1.4 * sign], **brake)

        assert_allclose([*sliding.u, *sliding.inequality_multipliers], [-1.5 * sign, 3 * sign])
        assert_allclose([*stopped.u, *stopped.inequality_multipliers], [0, 2.8 * sign], atol=1e-15)


def test_the_largest_float_means_no_bound():
    program = general_program(5, 8)
    bounded = solve_quadratic_program(program.M, program.u_star, N=program.N, b_n=program.b_n, upper=np.finfo(float).max)

    assert bounded.u.tolist() == solve(program).u.tolist()


def test_redundant_equations_are_named_and_have_no_multiplier():
    program = general_program(5, 3)
    G = np.vstack([program.N, 2 * program.N[0] - program.N[2]])

    solution = solve_quadratic_program(program.M, program.u_star, G, G @ np.arange(5.0))

    assert len(solution.dependent) == 1
    assert solution.equality_multipliers[list(solution.dependent)] == 0
    assert solution.contradiction < 1e-14
    assert_allclose(G @ solution.u, G @ np.arange(5.0), rtol=1e-12)


def test_equations_with_tiny_right_sides_do_not_contradict_each_other():
    """Numbers near 5e-324 have too few digits to agree."""
    for seed in range(50):
        u = solve_quadratic_program(**tiny_right_sides(seed)).u
        assert_allclose(u, 0, atol=1e-300)


@pytest.mark.parametrize(("distance", "is_solved"), [(1e-9, True), (1e-4, False)])
def test_equations_may_contradict_each_other_by_round_off(distance, is_solved):
    G, b = np.array([[0.6, -1.1, 0.3], [1.2, -2.2, 0.6]]), np.array([0.7, 1.4 + distance])
    if is_solved:
        solution = solve_quadratic_program(np.eye(3), [0.2, 0.4, -0.1], G, b)
        assert_allclose(G @ solution.u, b, atol=distance)
        assert 0.01 * distance < solution.contradiction < distance
    else:
        with pytest.raises(InfeasibleError, match="'equation 0' and 'equation 1' contradict each other"):
            solve_quadratic_program(np.eye(3), [0.2, 0.4, -0.1], G, b)


@pytest.mark.parametrize(("distance", "is_solved"), [(1e-8, True), (1e-5, False)])
def test_unilateral_rows_may_contradict_equations_by_round_off(distance, is_solved):
    row = np.array([0.6, -1.1, 0.3])
    arguments = (np.eye(3), [0.2, 0.4, -0.1], [row], [0.7], [[0.1, 0.2, 1.4], 2 * row, [1.0, 0.3, 0.2]], [0.9, 1.4 + distance, 1.3])
    if is_solved:
        solution = solve_quadratic_program(*arguments)
        assert solution.inequality_multipliers[1] == 0
        assert solution.active == (0, 2)  # met although another cannot be
        assert 0.1 * distance < solution.contradiction < distance
    else:
        with pytest.raises(InfeasibleError) as raised:
            solve_quadratic_program(*arguments, names=["rod", "floor", "stop of the elbow", "wall"])
        assert raised.value.rows == (2, 0)
        assert "'stop of the elbow' and 'rod' contradict each other: 1e-05 of the first" in str(raised.value)


def test_a_row_infeasible_by_round_off_changes_nothing():
    solution = solve(blocked_on_the_second_turn())

    assert_allclose(solution.u, 0, atol=1e-15)
    assert_allclose(solution.equality_multipliers, [-0.3])
    assert_allclose(solution.inequality_multipliers, [1.0, 0.0])
    assert solution.active == (0,)
    assert 1e-10 < solution.contradiction < 1e-8


def test_a_dependent_equation_has_no_multiplier():
    """It nearly equals the first equation, and has an error of 5e-10 after the unilateral row moves the rest."""
    G = np.array([[1.0, 0.0, 0.0], [1.0, 5e-10, 0.0]])
    solution = solve_quadratic_program(np.eye(3), [0.2, 0.1, 0.3], G, [0.0, 0.0], [[0.0, 1.0, 0.0]], [4.0])

    assert solution.dependent == (1,)
    assert_allclose(solution.u, [0, 4, 0.3], atol=1e-8)
    assert_allclose(solution.equality_multipliers, [-0.2, 0], atol=1e-8)


def test_contradictory_equations_are_solved_by_least_squares_on_request():
    G, b = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]]), np.array([0.0, 2.0, 0.3])

    solution = solve_quadratic_program(np.eye(2), [0.5, -0.4], G, b, least_squares=True)

    assert_allclose(solution.u, [0.5, 0.3], atol=1e-6)  # the earlier row weighs a little more
    assert solution.contradiction > 0.1


def test_contradictory_rows_come_with_a_proof():
    """Three half planes without a common point, and rows that are not part of the contradiction."""
    angles = np.array([0.3, 0.3 + 2 * np.pi / 3, 0.3 + 4 * np.pi / 3])
    N = np.vstack([[0.5, 0.2], np.column_stack([np.cos(angles), np.sin(angles)])])
    b = np.array([-9.0, 0.4, 0.3, 0.2])

    with pytest.raises(InfeasibleError) as raised:
        solve_quadratic_program([[2.0, 0.3], [0.3, 1.0]], [0.7, -0.2], N=N, b_n=b)

    assert sorted(raised.value.rows) == [1, 2, 3]
    assert raised.value.problem["b_n"].tolist() == b.tolist()


def test_a_row_without_effect_is_reported():
    with pytest.raises(InfeasibleError, match=r"'unilateral row 1' cannot be met: 0.3 is missing"):
        solve_quadratic_program(np.eye(2), [1.0, 2.0], N=[[1.0, 1.0], [0.0, 0.0]], b_n=[0.0, 0.3])
    assert solve_quadratic_program(np.eye(2), [1.0, 2.0], N=[[0.0, 0.0]], b_n=[-0.3]).n_steps == 0


def test_a_solution_that_fails_its_check_is_an_error(monkeypatch):
    """That the check finds wrong solutions is shown in tests/native/test_programs.py."""
    right = runtime()

    class Doubtful:
        def __getattr__(self, name):
            return getattr(right, name)

        def mobod_solve_quadratic_program(self, program, *arguments):
            right.mobod_solve_quadratic_program(program, *arguments)
            program.complementarity, program.stationarity = 2e-3, 4e-5
            return right.ROWS_NOT_CERTIFIED

    monkeypatch.setattr("mobod.numerics.quadratic_program.runtime", Doubtful)
    message = (
        "8 rows: the relative residual of the solution is 2.0e-03 for the rows and 4.0e-05 for the balance of forces, and 1e-08 is allowed"
    )
    with pytest.raises(ComplementarityError, match=message) as raised:
        solve(general_program(5, 8))
    assert raised.value.problem["M"].shape == (5, 5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0, 0.0]], [1.0]), r"M has shape \(1, 2\). For 1 unknowns it must be \(1, 1\)"),
        (([1.0], [1.0]), r"M has shape \(1,\)"),
        (([[np.nan]], [1.0]), r"M: entry \[0, 0\] is nan"),
        (([[1.0, 0.0], [2.0, 1.0]], [1.0, 2.0]), "M is not positive definite: the factorization fails in row 1"),
        (([[1.0]], [np.inf]), r"u_star: entry \[0\] is inf"),
        (([[1.0]], [1.0], [[1.0, 2.0]], [0.0]), r"G has shape \(1, 2\). For 1 entries of b_g and 1 unknowns it must be \(1, 1\)"),
        (([[1.0]], [1.0], (), (), [[1.0]], [0.0, 1.0]), "N has shape"),
        (([[1.0]], [1.0], (), (), [[1.0]], [np.nan]), r"b_n: entry \[0\] is nan"),
        (([[1.0]], [1.0], [[-np.inf]], [0.0]), r"G: entry \[0, 0\] is -inf"),
        (([[2.0, 0.0], [np.inf, 1.0]], [1.0, 2.0]), r"M: entry \[1, 0\] is inf"),
        (([[1.0]], [1e200], [[1e200]], [0.0]), "numbers of M, u_star, .* are so large that their products overflow"),
    ],
)
def test_what_cannot_be_is_an_error_that_says_so(arguments, message):
    with pytest.raises(InputError, match=message):
        solve_quadratic_program(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lower": 1.0, "upper": 0.5}, "the bounds of the multiplier of row 0, 1 and 0.5, are invalid"),
        ({"upper": np.nan}, "0 and nan, are invalid"),
        ({"lower": np.inf}, "inf and inf, are invalid"),
        ({"lower": [0.0, 0.0]}, r"bounds of multipliers have shapes \(2,\) and \(\)"),
        ({"names": ["a", "b"]}, "there are 2 names for 0 equations and 1 unilateral rows"),
    ],
)
def test_invalid_bounds_and_names_are_errors(options, message):
    with pytest.raises(InputError, match=message):
        solve_quadratic_program([[1.0]], [1.0], N=[[1.0]], b_n=[0.0], **options)
