"""Compare a case of a `simbody-ref/1` file with mobod: every output, or the reason why it is not compared."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mobod as mb
from tests.reference import event_logs, graphs, gravity_log, trajectories
from tests.reference.models import CannotBuildError, build
from tests.reference.quantities import QUANTITIES, flat_outputs

SCHEMA = "simbody-ref/1"
CORRECTED = "_corrected"
LESS_THAN_ONE = 0.5  # the tolerance of a count of differences


@dataclass(frozen=True)
class Comparison:
    """error and tolerance have the same meaning (absolute or relative); a quantity of a state is named 'label: key'."""

    quantity: str
    error: float
    tolerance: float

    @property
    def excess(self) -> float:
        return self.error / self.tolerance


@dataclass
class Report:
    """The result of the comparison of a case.

    compared      quantities that were compared
    not_compared  outputs that mobod does not compute yet
    excluded      wrong outputs of Simbody without a corrected value in the file: these are no failures
    trouble       why the case could not be run at all
    """

    name: str
    compared: list[Comparison] = field(default_factory=list)
    not_compared: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    trouble: str | None = None

    @property
    def worst(self) -> Comparison | None:
        """The quantity with the largest ratio of error and tolerance."""
        return max(self.compared, key=lambda each: each.excess, default=None)

    @property
    def agrees(self) -> bool:
        """Whether all compared quantities are within their tolerances."""
        return all(each.error <= each.tolerance for each in self.compared)

    @property
    def ok(self) -> bool:
        return self.agrees and not self.not_compared and self.trouble is None


def read_cases(path: Path) -> list[dict[str, Any]] | None:
    """The cases of a file; None if it has another schema."""
    content = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        return None
    return content["cases"]


def compare(case: dict[str, Any]) -> Report:
    """Compares mobod with a case. The report contains all errors."""
    report = Report(case["name"])
    try:
        if "joint_types" in case:
            _compare_graph(case, report)
        elif event_logs.is_event_case(case):
            report.compared += [Comparison(*each) for each in event_logs.compare(case)]
        elif case["name"] == "gravity_cache_log":
            report.compared += [Comparison(name, wrong, LESS_THAN_ONE) for name, wrong in gravity_log.differences(case).items()]
        else:
            _compare(case, report)
    except CannotBuildError as error:
        report.trouble = f"not in mobod yet: {error}"
    except mb.MobodError as error:
        report.trouble = f"{type(error).__name__}: {error}"
    return report


def _compare(case: dict[str, Any], report: Report) -> None:
    model = build(case)
    for entry in case["states"]:
        state = model.state(entry)
        for name, key, value in _to_compare(flat_outputs(entry["outputs"]), case.get("upstream_wrong", ()), report):
            quantity = QUANTITIES.get(key)
            if quantity is None:
                _add_once(report.not_compared, name)
            else:
                report.compared.append(Comparison(f"{entry['label']}: {name}", quantity.error(model, state, value), quantity.tolerance))
    if "trajectory" in case:
        run = trajectories.run(model, model.state(case["states"][0]), case["trajectory"])
        for name in [name for name in case["trajectory"] if name not in trajectories.NO_RESULTS]:
            result = trajectories.RESULTS.get(name)
            if result is None:
                _add_once(report.not_compared, f"trajectory.{name}")
            else:
                report.compared.append(Comparison(f"trajectory.{name}", *result(run, case["trajectory"][name])))


def _compare_graph(case: dict[str, Any], report: Report) -> None:
    results = {key: case[key] for key in ("result", "result" + CORRECTED) if key in case}
    for _, _, result in _to_compare(results, case.get("upstream_wrong", ()), report):
        for key, count in graphs.differences(case, result).items():
            report.compared.append(Comparison(key, count, LESS_THAN_ONE))


def _to_compare(outputs: dict[str, Any], upstream_wrong: Any, report: Report) -> Iterator[tuple[str, str, Any]]:
    """(name in the file, key of the quantity, value); a corrected value replaces a wrong value of Simbody."""
    for name, value in outputs.items():
        if name.endswith(CORRECTED):
            yield name, name.removesuffix(CORRECTED), value
        elif name.split(".")[-1] not in upstream_wrong:
            yield name, name, value
        elif name + CORRECTED not in outputs:
            _add_once(report.excluded, name)


def _add_once(names: list[str], name: str) -> None:
    if name not in names:
        names.append(name)
