"""fmu_src/native/quadratic_program.c and complementarity.c, and their twins in mobod.numerics: the same decisions and solutions."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod.errors import InfeasibleError
from mobod.numerics import solve_complementarity, solve_quadratic_program
from tests.equivalence.programs_in_c import CONTRADICT, INVALID, NOT_POSITIVE, SOLVED, Outcome, ProgramsInC
from tests.unit.numerics.programs import (
    Program,
    blocked_on_the_second_turn,
    harder_program,
    nearly_parallel,
    random_program,
    tiny_right_sides,
)

PROBLEMS = {
    problem["name"]: problem
    for problem in json.loads((Path(__file__).parents[1] / "reference" / "data" / "couplings" / "qp_problems.json").read_text())
}


@pytest.fixture(scope="session")
def in_c() -> ProgramsInC:
    return ProgramsInC()


def solve(in_c: ProgramsInC, program: Program) -> Outcome:
    rows, b = np.vstack([program.G, program.N]), np.concatenate([program.b_g, program.b_n])
    return in_c.solve_quadratic_program(program.M, program.u_star, rows, b, len(program.G), program.lower, program.upper)


def missed(program: Program, outcome: Outcome) -> float:
    assert outcome.code == SOLVED
    assert max(outcome.stationarity, outcome.complementarity) < 1e-8
    return program.residual(outcome.u, *np.split(outcome.multipliers, [len(program.G)]))


@pytest.mark.parametrize("first", range(0, 1000, 250))
def test_redundant_and_degenerate_programs_are_solved_in_c(in_c, first):
    for seed in range(first, first + 250):
        program = random_program(seed)
        assert missed(program, solve(in_c, program)) < 1e-9, seed


@pytest.mark.parametrize("distance", 10.0 ** np.arange(-13, -3))
def test_rows_that_nearly_depend_on_each_other_are_solved_in_c(in_c, distance):
    for seed in range(20):
        program = nearly_parallel(seed, distance)
        assert missed(program, solve(in_c, program)) < 1e-9, seed


def test_a_row_that_cannot_be_met_by_round_off_leaves_everything_as_it_was(in_c):
    outcome = solve(in_c, blocked_on_the_second_turn())

    assert (outcome.code, outcome.active) == (SOLVED, (0,))
    assert_allclose(outcome.u, 0, atol=1e-15)
    assert_allclose(outcome.multipliers, [-0.3, 1, 0])


@pytest.mark.slow
def test_twenty_thousand_redundant_and_degenerate_programs_are_solved_in_c(in_c):
    for seed in range(20_000):
        program = random_program(seed)
        assert missed(program, solve(in_c, program)) < 1e-9, seed


@pytest.mark.parametrize("seeds", [range(250), pytest.param(range(250, 20_000), marks=pytest.mark.slow)], ids=["few", "many"])
def test_programs_whose_rows_mostly_depend_on_each_other_are_solved_in_c(in_c, seeds):
    for seed in seeds:
        program = harder_program(seed)
        assert missed(program, solve(in_c, program)) < 1e-9, seed


def test_no_rows_and_equations_alone_are_solved_in_c(in_c):
    program = next(each for each in (random_program(seed, is_degenerate=False) for seed in range(99)) if 2 < len(each.G) < len(each.M))
    n, k = len(program.M), len(program.G)
    none = in_c.solve_quadratic_program(program.M, program.u_star, np.zeros((0, n)), np.zeros(0))
    alone = in_c.solve_quadratic_program(program.M, program.u_star, program.G, program.b_g, k)

    assert (none.code, none.u.tolist(), none.n_steps) == (SOLVED, program.u_star.tolist(), 0)
    expected = solve_quadratic_program(program.M, program.u_star, program.G, program.b_g)
    assert alone.code == SOLVED
    assert_allclose(alone.u, expected.u, rtol=0, atol=1e-10 * (1 + np.abs(expected.u).max()))
    assert_allclose(program.G @ alone.u, program.b_g, rtol=0, atol=1e-10 * (1 + np.abs(program.b_g).max()))
    assert in_c.solve_quadratic_program(np.zeros((0, 0)), np.zeros(0), np.zeros((0, 0)), np.zeros(0)).code == SOLVED


@pytest.mark.parametrize("first", range(0, 300, 100))
def test_decisions_and_solutions_are_the_same(in_c, first):
    for seed in range(first, first + 100):
        program = random_program(seed, is_degenerate=False)
        outcome = solve(in_c, program)
        expected = solve_quadratic_program(
            program.M, program.u_star, program.G, program.b_g, program.N, program.b_n, lower=program.lower, upper=program.upper
        )

        assert outcome.stationarity > 0 or outcome.n_steps == 0 or len(program.M) < 4  # it is round-off, and not nothing
        assert (outcome.active, outcome.dependent, outcome.n_steps) == (expected.active, expected.dependent, expected.n_steps), seed
        # masses of condition 1e6, so factors of condition 1e3
        multipliers = np.concatenate([expected.equality_multipliers, expected.inequality_multipliers])
        size = np.linalg.norm(expected.u) + np.linalg.norm(program.u_star)
        assert_allclose(outcome.u, expected.u, rtol=0, atol=1e-10 * size, err_msg=str(seed))
        assert_allclose(outcome.multipliers, multipliers, rtol=0, atol=1e-8 * np.abs(multipliers).max(initial=0), err_msg=str(seed))


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_answer_is_met_in_c(in_c, name):
    problem = PROBLEMS[name]
    n, k = len(problem["u_star"]), len(problem["b_g"])
    rows = np.vstack([np.reshape(problem["G"], (-1, n)), np.reshape(problem["N"], (-1, n))])
    arrays = [np.array(each, dtype=float) for each in (problem["M"], problem["u_star"], rows, [*problem["b_g"], *problem["b_n"]])]

    outcome = in_c.solve_quadratic_program(*arrays, k)

    expected = problem["solution"]
    if not expected["feasible"]:
        with pytest.raises(InfeasibleError) as raised:
            solve_quadratic_program(*(problem[key] for key in ("M", "u_star", "G", "b_g", "N", "b_n")))
        assert (outcome.code, outcome.against) == (CONTRADICT, raised.value.rows)
        assert outcome.violation > 0.1
        return
    assert outcome.code == SOLVED
    assert_allclose(outcome.u, expected["u"], atol=1e-9)
    # of those that are not unique, all take the first that is violated most
    multipliers = [*expected["lam"], *expected["theta"]]
    assert_allclose(outcome.multipliers, multipliers, atol=1e-9 * max(map(abs, multipliers), default=1))


@pytest.mark.parametrize("seed", range(100))
def test_rows_by_their_columns_have_the_same_solution(in_c, seed):
    random = np.random.default_rng(seed)
    n, m = random.integers(0, 9, 2)
    k = int(random.integers(0, min(n, m) + 1))
    B, a = random.normal(size=(n, m)) * np.exp(random.uniform(-4, 4, m)), random.normal(size=m)
    a = np.abs(a) * (np.arange(m) >= k) - B.T @ random.normal(size=n)  # there is a y that meets them
    upper = np.where(random.random(m - k) < 0.3, 0.5, np.finfo(float).max)

    expected = solve_complementarity(B, a, k, upper=upper)
    outcome = in_c.solve_complementarity(B, a, k, upper=upper)

    assert (outcome.code, outcome.active, outcome.n_steps) == (SOLVED, expected.active, expected.n_steps)
    assert_allclose(outcome.u, expected.y, atol=1e-9 * (1 + np.abs(expected.y).max(initial=0)))
    assert_allclose(outcome.multipliers, expected.multipliers, atol=1e-9 * (1 + np.abs(expected.multipliers).max(initial=0)))
    assert outcome.complementarity < 1e-12


def test_bounds_and_sizes_that_are_left_out_are_those_of_the_twin(in_c):
    random = np.random.default_rng(4)
    B, a = random.normal(size=(4, 6)), random.normal(size=6)
    least = in_c.solve_complementarity(B, a)
    spelled_out = in_c.solve_complementarity(B, a, size=np.abs(a), lower=np.zeros(6), upper=np.full(6, np.inf))

    assert least.multipliers.tolist() == spelled_out.multipliers.tolist()


def test_contradictions_are_those_of_the_twin(in_c):
    row, angles = np.array([0.6, -1.1, 0.3]), 0.3 + np.arange(3) * 2 * np.pi / 3
    triangle = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(3)])
    for G, b_g, N, b_n in (
        ([row, 2 * row], [0.7, 1.5], [], []),
        ([row], [0.7], [[0.1, 0.2, 1.4], 2 * row], [0.9, 1.5]),
        ([], [], triangle, [0.4, 0.3, 0.2]),
        ([[0.0, 0.0, 0.0]], [0.3], [row], [0.2]),
        ([], [], [row, [0.0, 0.0, 0.0]], [0.2, 0.3]),
    ):
        J, b = np.reshape([*G, *N], (-1, 3)), np.array([*b_g, *b_n])
        with pytest.raises(InfeasibleError) as raised:
            solve_quadratic_program(np.eye(3), [0.2, 0.4, -0.1], G, b_g, N, b_n)
        outcome = in_c.solve_quadratic_program(np.eye(3), np.array([0.2, 0.4, -0.1]), J, b, len(G))
        assert (outcome.code, outcome.against) == (CONTRADICT, raised.value.rows)
        assert f": {outcome.violation:.3g} " in str(raised.value)


def test_equations_whose_right_sides_are_the_smallest_numbers_there_are_do_not_contradict_each_other(in_c):
    for seed in range(50):
        program = tiny_right_sides(seed)
        outcome = in_c.solve_quadratic_program(program["M"], program["u_star"], program["G"], program["b_g"], 5, np.zeros(0), np.zeros(0))
        assert outcome.code == SOLVED
        assert_allclose(outcome.u, 0, atol=1e-300)


def test_equations_that_contradict_each_other_are_met_best_on_request(in_c):
    G, b = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]]), np.array([0.0, 2.0, 0.3])
    expected = solve_quadratic_program(np.eye(2), [0.5, -0.4], G, b, least_squares=True)
    outcome = in_c.solve_quadratic_program(np.eye(2), np.array([0.5, -0.4]), G, b, 3, least_squares=True)

    assert_allclose(outcome.u, expected.u, rtol=1e-14)
    assert outcome.dependent == expected.dependent
    assert_allclose(outcome.contradiction, expected.contradiction, rtol=1e-12)


def test_rows_that_contradict_each_other_by_round_off_are_skipped_as_in_the_twin(in_c):
    row = np.array([0.6, -1.1, 0.3])
    N, b_n = np.array([[0.1, 0.2, 1.4], 2 * row, [1.0, 0.3, 0.2]]), [0.9, 1.4 + 1e-8, 1.3]
    expected = solve_quadratic_program(np.eye(3), [0.2, 0.4, -0.1], [row], [0.7], N, b_n)
    outcome = in_c.solve_quadratic_program(np.eye(3), np.array([0.2, 0.4, -0.1]), np.vstack([row, N]), np.array([0.7, *b_n]), 1)

    assert (outcome.code, outcome.active) == (SOLVED, expected.active)
    assert_allclose(outcome.u, expected.u, rtol=1e-13)
    assert_allclose(outcome.contradiction, expected.contradiction, rtol=1e-6)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_told(in_c, value):
    def arrays():
        return [np.array([[2.0, 0.3], [0.3, 1.0]]), np.array([0.3, 0.4]), np.array([[1.0, 2.0], [0.3, -1.0]]), np.array([0.1, 0.2])]

    for i in range(4):
        wrong = arrays()
        wrong[i].flat[0] = value
        assert in_c.solve_quadratic_program(*wrong).code == INVALID
    assert in_c.solve_quadratic_program(*arrays(), lower=np.full(2, np.nan)).code == INVALID
    assert in_c.solve_quadratic_program(*arrays(), lower=np.ones(2), upper=np.full(2, 0.5)).code == INVALID


def test_a_mass_matrix_that_is_not_positive_is_told(in_c):
    assert in_c.solve_quadratic_program(np.array([[1.0, 0.0], [2.0, 1.0]]), np.zeros(2), np.zeros((0, 2)), np.zeros(0)).code == NOT_POSITIVE
