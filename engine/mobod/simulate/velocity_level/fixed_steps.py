"""Options of the integrators with fixed steps: that at velocity level, and those of the others."""

from dataclasses import dataclass
from math import ceil
from typing import Any, Final, Literal, final, get_args

from mobod.errors import InputError
from mobod.runtime.integrators import FIXED_STEP_METHODS, checked_step

INTEGRATOR: Final = "velocity_level"
WHOLE = 1e-9  # tolerance, in steps, for round-off of times
MOST_ITERATIONS = 20
DEFAULT_RULE = "automatic"
EngagementRule = Literal["artisynth", "predictive", "automatic"]
ConstraintsAt = Literal["begin", "middle"]


@final
@dataclass(frozen=True)
class FixedSteps:
    """size: of a step, s; engagement, constraints_at: see Simulation; position_iterations: largest number of position corrections in a
    step.
    """

    size: float
    engagement: EngagementRule
    position_iterations: int = 1
    constraints_at: ConstraintsAt = "begin"

    @property
    def rule_number(self) -> int:
        """The rule's number in fmu_src/native/contact/engagement.h."""
        return get_args(EngagementRule).index(self.engagement)

    @property
    def place_number(self) -> int:
        """The number of `constraints_at` in velocity_level_work.h of fmu_src/native."""
        return get_args(ConstraintsAt).index(self.constraints_at)


def default_place(rule: EngagementRule) -> ConstraintsAt:
    """ArtiSynth's rule, chosen explicitly, comes with ArtiSynth's steps."""
    return "begin" if rule == "artisynth" else "middle"


def checked_fixed_steps(
    caller: str,
    integrator: str | None,
    step: float | None,
    engagement: str | None,
    position_iterations: int | None,
    constraints_at: str | None = None,
) -> FixedSteps | None:
    """The options of the integrator at velocity level; None for another one. Raises InputError with the name of the caller."""
    if integrator != INTEGRATOR:
        given = {"engagement": engagement, "position_iterations": position_iterations, "constraints_at": constraints_at}
        for name, value in given.items():
            if value is not None:
                raise InputError(f"{caller}: {name} applies only to integrator='{INTEGRATOR}'.")
        if step is not None and integrator not in FIXED_STEP_METHODS:
            others = " or ".join(f"'{name}'" for name in FIXED_STEP_METHODS)
            raise InputError(f"{caller}: step applies only to integrator='{INTEGRATOR}', {others}, which have fixed steps.")
        return None
    step = checked_step(step, INTEGRATOR, caller)
    iterations = 1 if position_iterations is None else position_iterations
    if iterations not in range(1, MOST_ITERATIONS + 1):
        raise InputError(f"{caller}: position_iterations must be a whole number from 1 to {MOST_ITERATIONS}, not {position_iterations!r}.")
    rule: EngagementRule = _chosen(caller, "engagement", engagement or DEFAULT_RULE, get_args(EngagementRule))
    place: ConstraintsAt = _chosen(caller, "constraints_at", constraints_at or default_place(rule), get_args(ConstraintsAt))
    return FixedSteps(step, rule, int(iterations), place)


def _chosen(caller: str, what: str, given: str, names: tuple[Any, ...]) -> Any:
    """The one of these names that was given. Raises InputError."""
    if given not in names:
        raise InputError(f"{caller}: unknown {what} '{given}'. Valid names: {', '.join(names)}.")
    return given


def count_steps(start: float, until: float, size: float) -> int:
    """The number of steps between two times, of which the last may be shorter."""
    return max(ceil((until - start) / size - WHOLE), int(until > start))
