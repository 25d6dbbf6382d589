"""What the validation of an FMU found."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, final

Outcome = Literal["passed", "failed", "not checked"]


@final
@dataclass(frozen=True)
class Check:
    """One thing that was looked at: what it claims, how it came out, and what was found or why it was not checked."""

    claim: str
    outcome: Outcome
    detail: str = ""


@final
@dataclass(frozen=True)
class Difference:
    """How far an output moves when the communication step is halved, and halved again; the largest over all points.

    coarse   between the steps h and h/2
    fine     between the steps h/2 and h/4
    allowed  what the FMU's tolerance explains
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
        # halving the step halves the error of a method of first order; the rest is room for one whose step is still too long to show it
        return "converge" if self.fine <= 0.75 * self.coarse else "differ"


@final
@dataclass(frozen=True)
class Experiment:
    """What was run: `points` communication steps of `step` from `start`, and the same in steps of a half and a quarter of it.

    start, step  s
    tolerance        the relative one that the FMU was told; None if its default experiment has none
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
    """experiment  None where nothing could be run"""

    path: Path
    checks: Sequence[Check]
    differences: Sequence[Difference] = field(default=())
    experiment: Experiment | None = None

    @property
    def is_valid(self) -> bool:
        """Whether no check failed; those that could not be made say so."""
        return all(check.outcome != "failed" for check in self.checks)
