"""What a failed integration tells."""

from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.errors import IntegrationError, MobodError
from mobod.system import State, System
from mobod.system.measures.delay_table import DelayRow


@final
@dataclass(frozen=True)
class Failure:
    """What is left where a projection did not succeed; or by how much it moved entry `moved` of y where that was too far."""

    constraint: str
    error: float
    level: str
    moved: int | None = None


def state_names(system: System, state: State) -> list[str]:
    """Of each entry of y."""
    states = sorted((each for each in system.variables(state) if each.role == "state"), key=lambda each: each.slot.offset)
    return [name for variable in states for name in variable.entry_names()]


def stopped_by(cause: MobodError, time: float) -> IntegrationError:
    return IntegrationError(f"the integration stopped at {time:.9g} s. {cause}")


def not_projected(constraint: str, error: float, time: float) -> IntegrationError:
    """No step is short enough for a constraint to hold at its end."""
    return IntegrationError(
        f"the integration stopped at {time:.9g} s: constraint '{constraint}' is not satisfied after any step, however short; an error of "
        f"{error:.3g} is left. Look for constraints that contradict each other, or a closed loop that cannot move on."
    )


def moved_too_far(constraint: str, state: str, change: float, time: float) -> IntegrationError:
    """However short a step is, a constraint changes a state after it by more than the accuracy allows."""
    return IntegrationError(
        f"the integration stopped at {time:.9g} s: after any step, however short, constraint '{constraint}' changes '{state}' by "
        f"{change:.3g}, which is not accurate. Look for a configuration where a closed loop can go on in several ways, such as all bars in "
        "line. It may be passed with less accuracy, in one step; or keep the loop from reaching it."
    )


def no_room(delay: DelayRow, time: float) -> IntegrationError:
    """For what a delay has to remember."""
    return IntegrationError(
        f"the integration stopped at {time:.9g} s: delay '{delay.name}' has no room for more than {delay.capacity} entries within "
        f"{delay.delay:g} s. Make it larger, Delay(..., capacity={2 * delay.capacity}), or ask for less accuracy."
    )


def not_finite(system: System, state: State, entry: int, time: float) -> IntegrationError:
    """Entry of y at the end of a fixed step."""
    explanations = " ".join(filter(None, (subsystem.explain_failure(state) for subsystem in system.subsystems)))
    return IntegrationError(
        f"the integration stopped at {time:.9g} s: '{state_names(system, state)[entry]}' is not finite. "
        + (explanations or "Look for forces that are not finite, or take shorter steps: stiff forces need them.")
    )


def steps_too_small(system: System, state: State, y: np.ndarray, y_dot: np.ndarray, reason: str) -> IntegrationError:
    """The steps that the accuracy asks for are too small, at the time of the State."""
    names = state_names(system, state)
    rate = np.abs(y_dot / (1 + np.abs(y)))
    explanations = " ".join(filter(None, (subsystem.explain_failure(state) for subsystem in system.subsystems)))
    return IntegrationError(
        f"the integration stopped at {state.time:.9g} s: the steps that the accuracy asks for are too small ({reason}). "
        f"The state that changes fastest is '{names[int(np.nanargmax(rate))]}'. "
        + (
            explanations
            or "Check for forces that are not smooth or not finite; for a stiff system use integrator='Radau', or ask for less accuracy."
        )
    )
