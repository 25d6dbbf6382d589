"""AcceptanceReport: what the checks of an FMU found."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, final

from mobod.fmi.rules.finding import AcceptanceFinding

Outcome = Literal["passed", "failed", "not checked"]


@final
@dataclass(frozen=True)
class Difference:
    """The largest difference of an output over all points of two pairs of runs.

    coarse   between the steps h and h/2
    fine     between the steps h/2 and h/4
    allowed  change that the FMU's tolerance explains
    """

    output: str
    unit: str
    coarse: float
    fine: float
    allowed: float

    @property
    def verdict(self) -> Literal["agree", "converge", "differ"]:
        if self.coarse <= self.allowed and self.fine <= self.allowed:
            return "agree"
        # halving the step halves the error of a first-order method; the factor 0.75 allows for steps that are still too long for this
        return "converge" if self.fine <= 0.75 * self.coarse else "differ"


@final
@dataclass(frozen=True)
class PlottedCurve:
    """A variable over time, for the plots of the report.

    plot    name of the plot; curves of the same variable lie in one plot
    label   of the curve in it: "steps of 0.01 s"
    time    s
    values  in the unit
    """

    plot: str
    label: str
    unit: str
    time: Sequence[float]
    values: Sequence[float]


@final
@dataclass(frozen=True)
class Result:
    """What a check function returns.

    not_checked  the reason why nothing could be checked; None if it was checked
    notes        sentences about what was seen, which are no findings
    figures      measured numbers with their units: ("fmi2DoStep", 1.2, "us")
    """

    findings: Sequence[AcceptanceFinding] = ()
    not_checked: str | None = None
    notes: Sequence[str] = ()
    differences: Sequence[Difference] = ()
    curves: Sequence[PlottedCurve] = ()
    figures: Sequence[tuple[str, float, str]] = ()


@final
@dataclass(frozen=True)
class Check:
    """One check with its result.

    name     short, and the same in all versions of mobod: "archive", "state.co-simulation"
    claim    what holds if it passed
    seconds  that it took
    """

    name: str
    claim: str
    result: Result
    seconds: float = 0.0

    @property
    def outcome(self) -> Outcome:
        if any(each.severity == "error" for each in self.result.findings):
            return "failed"
        return "passed" if self.result.not_checked is None else "not checked"

    @property
    def findings(self) -> Sequence[AcceptanceFinding]:
        return self.result.findings

    @property
    def detail(self) -> str:
        """The findings and notes as text, or the reason why it was not checked."""
        reason = [] if self.result.not_checked is None else [self.result.not_checked]
        return "\n".join([*map(str, self.result.findings), *reason, *self.result.notes])


@final
@dataclass(frozen=True)
class Experiment:
    """The runs: `points` communication steps of `step` from `start`, and the same with steps of a half and a quarter of it.

    start, step  s
    tolerance        relative tolerance passed to the FMU; None if its default experiment has none
    """

    start: float
    step: float
    points: int
    tolerance: float | None

    @property
    def stop(self) -> float:
        return self.start + self.points * self.step


@final
@dataclass(frozen=True)
class AcceptanceReport:
    """The result of validate_fmu.

    about       facts about the FMU: "FMI version", "generation tool", "platforms" ...
    experiment  None if nothing could be run
    """

    path: Path
    checks: Sequence[Check]
    about: Sequence[tuple[str, str]] = field(default=())
    experiment: Experiment | None = None

    @property
    def is_valid(self) -> bool:
        """Whether no check failed. Checks that could not be made do not count; each gives its reason."""
        return all(check.outcome != "failed" for check in self.checks)

    @property
    def findings(self) -> list[AcceptanceFinding]:
        return [finding for check in self.checks for finding in check.findings]

    @property
    def differences(self) -> list[Difference]:
        return [difference for check in self.checks for difference in check.result.differences]
