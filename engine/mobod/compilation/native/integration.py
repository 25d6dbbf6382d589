"""Integration: the result of a call of the C runtime that integrates, and its outcomes."""

from enum import IntEnum
from typing import Any, NamedTuple, Self

from mobod.runtime.c_objects import CObject
from mobod.runtime.library import enumerators


def _enumeration(name: str) -> Any:
    """The constants of an enumeration of the headers."""
    return IntEnum(name, enumerators(name))


Outcome = _enumeration("Outcome")
"""Outcomes of an integration."""

Explanation = _enumeration("Explanation")
"""What explains a failure: failures/failure_causes.h in fmu_src/native."""


class Integration(NamedTuple):
    """The result of a run: see fmu_src/native/tables/outcome.h and simulation.h."""

    outcome: int
    n_steps: int
    n_evaluations: int
    methods: int
    culprit: int
    constraint: int
    time: float
    value: float
    step_size: float
    is_at_event: bool
    has_changed: bool
    n_not_projected: int
    not_projected_at: float

    @classmethod
    def of(cls, progress: CObject) -> Self:
        raw = progress.integration
        return cls(
            outcome=raw.outcome,
            n_steps=raw.n_steps,
            n_evaluations=raw.n_evaluations,
            methods=raw.methods,
            culprit=raw.culprit,
            constraint=raw.constraint,
            time=raw.time,
            value=raw.value,
            step_size=raw.step_size,
            is_at_event=bool(progress.is_at_event),
            has_changed=bool(progress.has_changed),
            n_not_projected=progress.n_not_projected,
            not_projected_at=progress.not_projected_at,
        )

    @property
    def in_c(self) -> dict[str, int | float]:
        """The members of `Integration` in C that describe a failure."""
        return {name: getattr(self, name) for name in ("outcome", "culprit", "constraint", "time", "value", "step_size")}
