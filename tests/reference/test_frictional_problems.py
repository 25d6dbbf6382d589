"""mobod compared with the problems with friction of data/contact, and tests of the comparison."""

import copy
from pathlib import Path

import pytest

from tests.reference.check import main
from tests.reference.frictional_problems import compare_problem, read_problems

DATA = Path(__file__).parent / "data" / "contact" / "problems.json"
PROBLEMS = {problem["name"]: problem for problem in read_problems(DATA)}


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_problem_is_solved(name):
    report = compare_problem(PROBLEMS[name])

    assert report.trouble is None
    assert report.compared != []
    assert [each for each in report.compared if not each.error <= each.tolerance] == []


def test_a_wrong_reference_is_found():
    problem = copy.deepcopy(PROBLEMS["arm 4"])
    problem["y"][0] += 1e-6 * max(map(abs, problem["y"]))
    problem["multipliers"][0] *= 1 + 1e-5

    found = [each.quantity for each in compare_problem(problem).compared if each.error > each.tolerance]
    assert found == ["residual of the reference", "y"]


def test_an_error_in_place_of_a_solution_and_a_solution_in_place_of_an_error_fail():
    unsolvable = {key: PROBLEMS["no solution 39"][key] for key in ("n", "n_equations", "n_boxes", "n_contacts", "B", "a", "mu")}

    assert not compare_problem(PROBLEMS["pile 21"] | unsolvable).ok
    assert not compare_problem(PROBLEMS["pile 21"] | {"solutions": []}).ok
    assert "not in mobod yet" in compare_problem(PROBLEMS["pile 21"] | {"torsion": [0.1]}).trouble


def test_check_accepts_the_problems(capsys):
    assert main([str(DATA)]) == 0
    assert "27 of 27 cases agree" in capsys.readouterr().out
