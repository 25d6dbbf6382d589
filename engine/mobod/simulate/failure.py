"""What a failed integration tells."""

import numpy as np

from mobod.errors import IntegrationError, MobodError
from mobod.system import State, System


def stopped_by(cause: MobodError, time: float) -> IntegrationError:
    return IntegrationError(f"the integration stopped at {time:.9g} s. {cause}")


def steps_too_small(system: System, state: State, y: np.ndarray, y_dot: np.ndarray, reason: str) -> IntegrationError:
    """The steps that the accuracy asks for are too small, at the time of the State."""
    names = [name for variable in system.variables(state) if variable.role == "state" for name in variable.entry_names()]
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
