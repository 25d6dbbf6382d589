"""Options of the fixed-step integrator."""

from dataclasses import dataclass
from math import ceil, isfinite
from typing import Literal, final, get_args

from mobod.errors import InputError
from mobod.real_numbers import real_number

INTEGRATOR = "velocity_level"
WHOLE = 1e-9  # tolerance, in steps, for round-off of times
MOST_ITERATIONS = 20
EngagementRule = Literal["artisynth", "predictive"]


@final
@dataclass(frozen=True)
class FixedSteps:
    """size: of a step, s; engagement: see Engagement; position_iterations: largest number of position corrections in a step."""

    size: float
    engagement: EngagementRule
    position_iterations: int = 1

    @property
    def rule_number(self) -> int:
        """The rule's number in fmu_src/native/engagement.h."""
        return get_args(EngagementRule).index(self.engagement)


def checked_fixed_steps(
    caller: str, integrator: str | None, step: float | None, engagement: str | None, position_iterations: int | None
) -> FixedSteps | None:
    """The options; None for an integrator with error control. Raises InputError with the name of the caller."""
    if integrator != INTEGRATOR:
        for name, value in (("step", step), ("engagement", engagement), ("position_iterations", position_iterations)):
            if value is not None:
                raise InputError(f"{caller}: {name} applies only to integrator='{INTEGRATOR}', which has fixed steps.")
        return None
    step = None if step is None else real_number(step, f"{caller}: step")
    if step is None or not (isfinite(step) and step > 0):
        raise InputError(f"{caller}: integrator='{INTEGRATOR}' needs a positive and finite step in s, not {step!r}.")
    iterations = 1 if position_iterations is None else position_iterations
    if iterations not in range(1, MOST_ITERATIONS + 1):
        raise InputError(f"{caller}: position_iterations must be a whole number from 1 to {MOST_ITERATIONS}, not {position_iterations!r}.")
    for rule in get_args(EngagementRule):
        if engagement == rule or engagement is None:
            return FixedSteps(step, rule, int(iterations))
    raise InputError(f"{caller}: unknown engagement '{engagement}'. Valid names: {', '.join(get_args(EngagementRule))}.")


def count_steps(start: float, until: float, size: float) -> int:
    """The number of steps between two times, of which the last may be shorter."""
    return max(ceil((until - start) / size - WHOLE), int(until > start))
