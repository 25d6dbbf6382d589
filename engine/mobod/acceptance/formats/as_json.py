"""An acceptance report as data for JSON."""

import math
from collections.abc import Mapping, Sequence

from mobod.acceptance.report import AcceptanceReport, Check, Difference
from mobod.fmi.rules.finding import AcceptanceFinding

JsonValue = bool | int | float | str | Sequence["JsonValue"] | Mapping[str, "JsonValue"] | None


def as_json(report: AcceptanceReport) -> dict[str, JsonValue]:
    """The report without its curves. Numbers that JSON lacks, such as infinity, are null."""
    experiment = report.experiment
    return {
        "fmu": str(report.path),
        "valid": report.is_valid,
        "about": dict(report.about),
        "checks": [_check(check) for check in report.checks],
        "differences": [_difference(each) for each in report.differences],
        "experiment": None
        if experiment is None
        else {"start": experiment.start, "stop": experiment.stop, "step": experiment.step, "tolerance": experiment.tolerance},
    }


def _check(check: Check) -> JsonValue:
    return {
        "name": check.name,
        "claim": check.claim,
        "outcome": check.outcome,
        "detail": check.detail,
        "seconds": round(check.seconds, 3),
        "findings": [_finding(each) for each in check.findings],
        "notes": list(check.result.notes),
        "figures": [{"name": name, "value": _number(value), "unit": unit} for name, value, unit in check.result.figures],
    }


def _finding(finding: AcceptanceFinding) -> JsonValue:
    return {
        "rule": finding.rule,
        "message": finding.message,
        "clause": finding.clause,
        "severity": finding.severity,
        "place": finding.place,
    }


def _difference(difference: Difference) -> JsonValue:
    return {
        "output": difference.output,
        "unit": difference.unit,
        "coarse": _number(difference.coarse),
        "fine": _number(difference.fine),
        "allowed": _number(difference.allowed),
        "verdict": difference.verdict,
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
