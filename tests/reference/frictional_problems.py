"""Compare a problem with friction of a `problems.json` with mobod's solution."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from mobod.errors import ComplementarityError, InfeasibleError, MobodError
from mobod.numerics import friction_residual, solve_friction
from tests.reference.cases import Comparison, Report
from tests.reference.models import CannotBuildError, check_keys
from tests.unit.numerics.friction_problems import FrictionProblem

CERTIFIED = 1e-8  # relative residual of a solution
SAME = 1e-7  # other solutions whose y differs less from it, relative, are the same one
GIVEN = frozenset({"kind", "number", "n", "n_equations", "n_boxes", "n_contacts", "B", "a", "lower", "upper", "mu"})
FOUND = frozenset(
    {"multipliers", "y", "rates_after", "modes", "residual", "rank", "other_starts_solved", "largest_difference_of_y", "solutions", "note"}
)


def read_problems(path: Path) -> list[dict[str, Any]] | None:
    """The problems of a file, each with a name; None if the file has other content."""
    content = json.loads(path.read_text(encoding="utf-8"))
    is_problems = isinstance(content, list) and all(isinstance(each, dict) and {"kind", "B", "a", "mu"} <= each.keys() for each in content)
    return [{"name": f"{each['kind']} {each['number']}"} | each for each in content] if is_problems else None


def compare_problem(problem: dict[str, Any]) -> Report:
    """By residual, and by y if it is unique. Problems without a solution must be an error that names them."""
    report = Report(problem["name"])
    try:
        check_keys(problem, GIVEN | {"name"}, "a problem", FOUND)
    except CannotBuildError as error:
        report.trouble = f"not in mobod yet: {error}"
        return report
    B = np.reshape(problem["B"], (-1, problem["n"])).T
    a, lower, upper, mu = (np.array(problem[key], dtype=float) for key in ("a", "lower", "upper", "mu"))
    given = FrictionProblem(B, a, mu, problem["n_equations"], lower, upper)
    has_solution = problem.get("solutions") != []
    try:
        solution = solve_friction(B, a, given.n_equations, **given.options)
    except MobodError as error:
        if has_solution or not isinstance(error, ComplementarityError | InfeasibleError):
            report.trouble = f"{type(error).__name__}: {error}"
        else:
            report.compared.append(Comparison("an error", 0.0, CERTIFIED))
        return report
    if not has_solution:
        report.trouble = "was solved, and has no solution"
        return report
    report.compared.append(Comparison("residual", given.residual(solution.multipliers), CERTIFIED))
    if "multipliers" in problem:
        of_reference = friction_residual(B, a, problem["multipliers"], given.n_equations, **given.options)
        report.compared.append(Comparison("residual of the reference", of_reference, CERTIFIED))
    difference = problem.get("largest_difference_of_y")
    if difference is not None and difference < SAME:
        y = np.array(problem["y"])
        report.compared.append(Comparison("y", float(np.abs(solution.y - y).max() / np.abs(y).max()), SAME))
    return report
