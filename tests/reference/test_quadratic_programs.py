"""mobod compared with the quadratic programs of data/couplings, and tests of the comparison."""

import copy
from pathlib import Path

import pytest

from tests.reference.check import main
from tests.reference.quadratic_programs import compare_program, read_programs

DATA = Path(__file__).parent / "data" / "couplings"
PROGRAMS = {program["name"]: program for program in read_programs(DATA / "qp_problems.json")}


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_solution_matches(name):
    report = compare_program(PROGRAMS[name])

    assert report.trouble is None
    assert report.compared != []
    assert [each for each in report.compared if not each.error <= each.tolerance] == []


@pytest.mark.parametrize(
    ("name", "key"), [("single_stop", "u"), ("blocker_drop", "theta"), ("equality_makes_stop_redundant", "lam"), ("box_four_corners", "u")]
)
def test_a_solution_off_by_ten_tolerances_is_found(name, key):
    program = copy.deepcopy(PROGRAMS[name])
    program["solution"][key][0] += 1e-8 * max(1, max(map(abs, program["solution"][key])))

    assert [each.quantity for each in compare_program(program).compared if each.error > each.tolerance] == [key]


def test_a_program_that_is_infeasible_on_only_one_side_fails():
    feasible = PROGRAMS["single_stop"] | {"solution": {"feasible": False}}
    infeasible = PROGRAMS["infeasible_inequalities"] | {"solution": PROGRAMS["single_stop"]["solution"]}

    assert not compare_program(feasible).ok
    assert not compare_program(infeasible).ok


def test_unsupported_content_is_named():
    assert compare_program(PROGRAMS["single_stop"] | {"upper": [3.0]}).trouble == "not in mobod yet: a program with upper"
    solution = PROGRAMS["single_stop"]["solution"] | {"friction": [0.1]}
    assert compare_program(PROGRAMS["single_stop"] | {"solution": solution}).trouble == "not in mobod yet: a solution with friction"


def test_programs_without_equations_and_unique_multipliers_are_compared():
    program = {key: value for key, value in PROGRAMS["single_stop"].items() if key not in ("G", "b_g", "multipliers_unique")}

    assert compare_program(program).ok
    assert {"balance", "signs", "complementarity"} <= {each.quantity for each in compare_program(program).compared}


def test_check_accepts_the_programs(capsys):
    assert main([str(DATA / "qp_problems.json")]) == 0
    assert "14 of 14 cases agree" in capsys.readouterr().out
