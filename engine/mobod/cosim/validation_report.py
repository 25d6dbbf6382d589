"""ValidationReport: the result of the validation of an FMU."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, final

Outcome = Literal["passed", "failed", "not checked"]


@final
@dataclass(frozen=True)
class Check:
    """One check: its claim, its verdict, and its finding or the reason why it was not made."""

    claim: str
    outcome: Outcome
    detail: str = ""


@final
@dataclass(frozen=True)
class Difference:
    """The largest change of an output over all points when the communication step is halved, and halved again.

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
class ValidationReport:
    """The result of validate_fmu.

    experiment  None if nothing could be run
    """

    path: Path
    checks: Sequence[Check]
    differences: Sequence[Difference] = field(default=())
    experiment: Experiment | None = None

    @property
    def is_valid(self) -> bool:
        """Whether no check failed. Checks that could not be made do not count; each gives its reason."""
        return all(check.outcome != "failed" for check in self.checks)
