"""Compare hard problems with friction of piles that were struck (an `index.json` with its .npz files) with mobod's solution.

The rows of B are given as a sparse matrix, whitened by the mass matrix, so that w = B B^T z + a; a contact is a normal and two tangents.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from mobod.errors import MobodError
from mobod.numerics import friction_residual, solve_friction
from tests.reference.cases import Comparison, Report
from tests.reference.frictional_problems import CERTIFIED

COUNTS = ("n", "m", "contacts")


def read_struck_piles(path: Path) -> list[dict[str, Any]] | None:
    """The problems that an index names; None if the file has other content."""
    content = json.loads(path.read_text(encoding="utf-8"))
    problems = content.get("problems") if isinstance(content, dict) else None
    if not isinstance(problems, list) or not all(isinstance(each, dict) and {"file", *COUNTS} <= each.keys() for each in problems):
        return None
    return [{"name": each["file"].removesuffix(".npz"), "folder": path.parent} | each for each in problems]


def compare_struck_pile(problem: dict[str, Any]) -> Report:
    """By residual, from the multipliers with which the run began, and of the solution in the file. Solutions are not unique."""
    report = Report(problem["name"])
    with np.load(problem["folder"] / problem["file"]) as given:
        n, m, contacts = (int(given[key]) for key in ("n", "m", "n_contacts"))
        B = csr_array((given["values"], given["columns"], given["first"]), shape=(m, n)).toarray().T
        a, start, known = given["a"], given["start"], given["z"]
        options: dict[str, Any] = {"friction": given["mu"], "size": given["size"]}
    counts = np.abs(np.subtract((n, m, contacts), [problem[key] for key in COUNTS])).max()
    report.compared.append(Comparison("counts", float(counts), 0.5))
    report.compared.append(Comparison("residual of the reference", friction_residual(B, a, known, **options), CERTIFIED))
    try:
        solution = solve_friction(B, a, start=start, **options)
    except MobodError as error:
        report.trouble = f"{type(error).__name__}: {error}"
        return report
    report.compared.append(Comparison("residual", friction_residual(B, a, solution.multipliers, **options), CERTIFIED))
    return report
