"""What a user says of fixed steps: how long they are, and which limits take part in them."""

from dataclasses import dataclass
from math import isfinite
from typing import Literal, final, get_args

from mobod.errors import InputError

INTEGRATOR = "velocity_level"
EngagementRule = Literal["artisynth", "predictive"]


@final
@dataclass(frozen=True)
class FixedSteps:
    """size: of a step, s; engagement: see Engagement."""

    size: float
    engagement: EngagementRule

    @property
    def rule_number(self) -> int:
        """As in fmu_src/native/engagement.h."""
        return get_args(EngagementRule).index(self.engagement)


def checked_fixed_steps(caller: str, integrator: str | None, step: float | None, engagement: str | None) -> FixedSteps | None:
    """None where the integrator has steps that follow its error. Raises InputError, in the name of the caller."""
    if integrator != INTEGRATOR:
        for name, value in (("step", step), ("engagement", engagement)):
            if value is not None:
                raise InputError(f"{caller}: {name} is for integrator='{INTEGRATOR}', whose steps are fixed; others choose theirs.")
        return None
    if step is None or not (isfinite(step) and step > 0):
        raise InputError(f"{caller}: integrator='{INTEGRATOR}' needs a step that is positive and finite, in s, not {step!r}.")
    for rule in get_args(EngagementRule):
        if engagement == rule or engagement is None:
            return FixedSteps(step, rule)
    raise InputError(f"{caller}: there is no engagement '{engagement}'. There are: {', '.join(get_args(EngagementRule))}.")
