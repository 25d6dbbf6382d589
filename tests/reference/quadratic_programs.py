"""Compare a quadratic program of a `qp_problems.json` with mobod's solution."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from mobod.errors import InfeasibleError, MobodError
from mobod.numerics import QuadraticSolution, solve_quadratic_program
from tests.reference.cases import Comparison, Report
from tests.reference.models import CannotBuildError, check_keys

TOLERANCE = 1e-9  # of the largest entry, or of 1
OF_A_PROGRAM = frozenset({"name", "M", "u_star", "solution"})
ROWS = frozenset({"G", "b_g", "N", "b_n"})
OF_A_SOLUTION = frozenset({"u", "lam", "theta", "feasible"})


def read_programs(path: Path) -> list[dict[str, Any]] | None:
    """The programs of a file; None if the file has other content."""
    content = json.loads(path.read_text(encoding="utf-8"))
    is_programs = isinstance(content, list) and all(
        isinstance(each, dict) and {"M", "u_star", "solution"} <= each.keys() for each in content
    )
    return content if is_programs else None


def compare_program(program: dict[str, Any]) -> Report:
    report, expected = Report(program["name"]), program["solution"]
    try:
        check_keys(program, OF_A_PROGRAM, "a program", ROWS | {"multipliers_unique"})
        program = dict.fromkeys(ROWS, ()) | {"multipliers_unique": False} | program
        check_keys(expected, OF_A_SOLUTION if expected.get("feasible") else frozenset({"feasible"}), "a solution", OF_A_SOLUTION)
        solution = solve_quadratic_program(*(program[key] for key in ("M", "u_star", "G", "b_g", "N", "b_n")))
    except CannotBuildError as error:
        report.trouble = f"not in mobod yet: {error}"
        return report
    except InfeasibleError as error:
        if expected["feasible"]:
            report.trouble = f"InfeasibleError: {error}"
        else:
            report.compared.append(Comparison("feasible", 0.0, TOLERANCE))
        return report
    except MobodError as error:
        report.trouble = f"{type(error).__name__}: {error}"
        return report
    if not expected["feasible"]:
        report.trouble = "was solved, and has no solution"
        return report
    compared = {"u": (solution.u, expected["u"])}
    if program["multipliers_unique"]:
        compared["lam"] = solution.equality_multipliers, expected["lam"]
        compared["theta"] = solution.inequality_multipliers, expected["theta"]
    else:
        compared |= conditions(program, solution)
    report.compared += [Comparison(name, difference(*pair), TOLERANCE) for name, pair in compared.items()]
    return report


def conditions(program: dict[str, Any], solution: QuadraticSolution) -> dict[str, tuple[np.ndarray, Any]]:
    """The conditions for multipliers, each as a pair of numbers that must be equal."""
    n = len(program["u_star"])
    G, N = np.reshape(program["G"], (-1, n)), np.reshape(program["N"], (-1, n))
    theta, w = solution.inequality_multipliers, N @ solution.u - program["b_n"]
    forces = G.T @ solution.equality_multipliers + N.T @ theta
    return {
        "balance": (np.array(program["M"]) @ (solution.u - program["u_star"]), forces),
        "signs": (theta, np.abs(theta)),
        "complementarity": (np.minimum(theta, w), np.zeros(len(w))),
    }


def difference(value: Any, expected: Any) -> float:
    value, expected = np.asarray(value, dtype=float), np.asarray(expected, dtype=float)
    if value.shape != expected.shape:
        return float("inf")
    largest = np.abs(value - expected).max(initial=0.0) / max(1.0, np.abs(expected).max(initial=0.0))
    return float(largest) if np.isfinite(largest) else float("inf")
