"""Compare flexible bodies (files of schema flex-ref/1/KIND) with mobod."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import mobod as mb
from tests.reference import flexible_beams, flexible_motions, flexible_points
from tests.reference.cases import Comparison, Report
from tests.reference.contact_motions import error_of
from tests.reference.models import CannotBuildError

SCHEMA = "flex-ref/1"
Found = dict[str, tuple[Any, Any, float]]
KINDS: dict[str, Callable[[Mapping[str, Any]], Found]] = {
    "invariants": flexible_points.invariants,
    "chains": flexible_points.chains,
    "free_body": flexible_points.free_body,
    "beam_frequencies": flexible_beams.beam_frequencies,
    "statics": flexible_beams.statics,
    "rotating_beam": flexible_beams.rotating_beam,
    "satellite": flexible_beams.satellite,
    "pendulum": flexible_motions.pendulum,
    "slider_crank": flexible_motions.slider_crank,
    "four_bar": flexible_motions.four_bar,
    "spin_up": flexible_motions.spin_up,
}


def read_flexible(path: Path) -> list[dict[str, Any]] | None:
    """The cases of a file, each with its kind; None if it has another schema."""
    content = json.loads(path.read_text(encoding="utf-8"))
    schema = content.get("schema") if isinstance(content, dict) else None
    if not isinstance(schema, str) or not schema.startswith(f"{SCHEMA}/"):
        return None
    kind = schema.removeprefix(f"{SCHEMA}/")
    return [{"name": case.get("name", f"{kind}[{i}]"), "kind": kind, "content": case} for i, case in enumerate(content["cases"])]


def compare_flexible(case: dict[str, Any]) -> Report:
    report = Report(case["name"])
    try:
        if case["kind"] not in KINDS:
            raise CannotBuildError(f"flexible bodies of the kind {case['kind']}")
        for name, (value, expected, tolerance) in KINDS[case["kind"]](case["content"]).items():
            report.compared.append(Comparison(name, error_of(value, expected), tolerance))
        if not report.compared:
            report.not_compared.append(f"all of the kind {case['kind']}: there is nothing that modes can be compared with")
    except CannotBuildError as error:
        report.trouble = f"not in mobod yet: {error}"
    except mb.MobodError as error:
        report.trouble = f"{type(error).__name__}: {error}"
    return report
