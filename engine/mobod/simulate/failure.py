"""Messages of failed integrations."""

from contextlib import suppress
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.compilation.scales import estimated_scales, y_scales
from mobod.errors import IntegrationError, MobodError
from mobod.system import Stage, State, System
from mobod.system.measures.delay_table import DelayRow


@final
@dataclass(frozen=True)
class Failure:
    """The remaining error of a failed projection. If the projection moved entry `moved` of y too far, the change of this entry.

    unit  of the error; empty if it is not known
    """

    constraint: str
    error: float
    level: str
    moved: int | None = None
    unit: str = ""


def state_names(system: System, state: State) -> list[str]:
    """The name of each entry of y."""
    return [name for name, _ in entry_names_and_units(system, state)]


DIVERGED_SPEED, DIVERGED_RATE = 1e5, 1e20  # relative to the scales and the largest speed at the start: beyond these the motion diverges


def largest_speed(system: System, state: State, u: np.ndarray) -> float:
    """The largest of some speeds u (nu,), relative to their scales."""
    layout = state.layout
    return float(np.max(np.abs(u) / y_scales(system, state)[layout.n_q : layout.n_q + layout.n_u], initial=0.0))


def diverged(system: System, state: State, start_speed: float, cause: MobodError) -> IntegrationError | None:
    """The error for a run in which speeds or accelerations grew without bound; None if they did not.

    state        where it failed
    start_speed  `largest_speed` at the start of the run
    """
    layout = state.layout
    if any(subsystem.explain_failure(state) for subsystem in system.subsystems):
        return None  # singular coordinates have large rates; the message of the cause explains them
    with np.errstate(all="ignore"), suppress(MobodError):  # if accelerations do not exist, speeds are still known
        system.realize(state, Stage.ACCELERATION)
    scales = y_scales(system, state)[layout.n_q : layout.n_q + layout.n_u]
    all_sizes = (np.abs(state.values[part.slice]) / scales for part in (layout.u, layout.u_dot))
    speeds, rates = (np.nan_to_num(sizes, nan=0.0, posinf=np.inf) for sizes in all_sizes)
    if state.stage < Stage.ACCELERATION:
        rates = np.zeros(len(speeds))
    limit = 1 + start_speed
    if not (speeds > DIVERGED_SPEED * limit).any() and not (rates * estimated_scales(system).scales.time > DIVERGED_RATE * limit).any():
        return None
    worst = int(np.argmax(speeds if (speeds > DIVERGED_SPEED * limit).any() else rates))
    name, unit = entry_names_and_units(system, state, layout.u.offset - layout.y.offset)[worst]
    first = str(cause).removeprefix(f"the integration stopped at {state.time:.9g} s").lstrip(":. ")
    grows = f" and grows by {rates[worst] * scales[worst]:.3g} {unit} each second" if rates[worst] else ""
    reached = speeds[worst] * scales[worst]
    return IntegrationError(
        f"the integration stopped at {state.time:.9g} s: the motion diverges. The speed '{name}' has reached {reached:.3g} "
        f"{unit}{grows}. Look for a force or a controller that adds energy: its sign, its gain, or a sampling time or step that is too "
        f"long for it. The first error was: {first}"
    )


def entry_names_and_units(system: System, state: State, first: int = 0) -> list[tuple[str, str]]:
    """Names and units of the entries of y, from entry `first` on."""
    states = sorted((each for each in system.variables(state) if each.role == "state"), key=lambda each: each.slot.offset)
    pairs = []
    for variable in states:
        pairs += [(name, variable.unit(i)) for i, name in enumerate(variable.entry_names())]
    return pairs[first:]


def stopped_by(cause: MobodError, time: float) -> IntegrationError:
    return IntegrationError(f"the integration stopped at {time:.9g} s. {cause}")


def next_value_not_finite(system: System, state: State, number: int, value: float, time: float) -> IntegrationError:
    """number: of an auto-update variable, whose next value is not finite."""
    variable = state.layout.auto_updates.in_c[number].variable
    return IntegrationError(
        f"the integration stopped at {time:.9g} s: the next value of variable '{variable.name}' of subsystem "
        f"'{system.subsystems[variable.subsystem].name}' is {value}. Look for a division by zero or a value outside of a function's domain."
    )


def not_projected(constraint: str, error: float, time: float, fixed_step: float) -> IntegrationError:
    """A fixed step, or even the smallest step under error control (fixed_step 0), does not satisfy a constraint."""
    step = f"after a step of {fixed_step:g} s" if fixed_step else "even with the smallest step"
    return IntegrationError(
        f"the integration stopped at {time:.9g} s: constraint '{constraint}' is not satisfied, {step}: an error of "
        f"{error:.3g} remains. Look for constraints that contradict each other, or for a closed loop that is blocked"
        f"{', or use a shorter step' if fixed_step else ''}."
    )


def moved_too_far(constraint: str, state: str, change: float, time: float) -> IntegrationError:
    """A constraint changes a state after a step by more than the accuracy allows, even after the smallest step."""
    return IntegrationError(
        f"the integration stopped at {time:.9g} s: constraint '{constraint}' changes '{state}' by {change:.3g} after a step, even after "
        "the smallest one. This is too inaccurate. Look for a configuration where a closed loop can continue in several ways, such as all "
        "bars in line. Near it, speeds are accurate only to about 1e-8. Use an accuracy of 1e-8 or larger, or keep the loop away from this "
        "configuration by bars of other lengths or by a limit."
    )


def too_many_steps(time: float, max_steps: int, step_size: float, state: str, *, reports_steps: bool) -> IntegrationError:
    """`max_steps` steps were tried.

    step_size  s, of the next step
    state      name of the state with the largest error in the last step
    """
    since = "in this run" if reports_steps else "since the last report"
    return IntegrationError(
        f"the integration stopped at {time:.9g} s: {max_steps} steps were tried {since}, and max_steps allows no more. The "
        f"next step would be {step_size:.3g} s long; the error of '{state}' is the largest. Look for stiffness, damping or events "
        "that require short steps. Use integrator='Rodas5P' for a stiff system, a larger accuracy value or more reports "
        "(report_every), or allow more steps: Simulation(..., max_steps=...)."
    )


def history_full(delay: DelayRow, time: float) -> IntegrationError:
    """The record of a delay is full."""
    return IntegrationError(
        f"the integration stopped at {time:.9g} s: the record of delay '{delay.name}' is full: it has {delay.capacity} entries for "
        f"{delay.delay:g} s. Use a larger capacity, Delay(..., capacity={2 * delay.capacity}), or a larger accuracy value."
    )


def not_finite(system: System, state: State, entry: int, time: float) -> IntegrationError:
    """An entry of y is not finite at the end of a fixed step."""
    explanations = " ".join(filter(None, (subsystem.explain_failure(state) for subsystem in system.subsystems)))
    return IntegrationError(
        f"the integration stopped at {time:.9g} s: '{state_names(system, state)[entry]}' is not finite. "
        + (explanations or "Look for forces that are not finite, or take shorter steps, which stiff forces need.")
    )


def steps_too_small(system: System, state: State, y: np.ndarray, y_dot: np.ndarray, reason: str) -> IntegrationError:
    """The steps that the accuracy requires are too small, at the time of the State."""
    names = state_names(system, state)
    rate = np.abs(y_dot / (y_scales(system, state) + np.abs(y)))
    explanations = " ".join(filter(None, (subsystem.explain_failure(state) for subsystem in system.subsystems)))
    return IntegrationError(
        f"the integration stopped at {state.time:.9g} s: the steps that the accuracy requires are too small ({reason}). "
        f"The state that changes fastest is '{names[int(np.nanargmax(rate))]}'. "
        + (
            explanations
            or "Check for forces that are not smooth or not finite; for a stiff system use integrator='Rodas5P', or use a larger "
            "accuracy value."
        )
    )
