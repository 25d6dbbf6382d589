"""Parts of the messages of failed runs, and the error of a motion that diverges."""

# Decision: docs/decisions/074-divergence.md

from contextlib import suppress
from dataclasses import dataclass
from re import sub
from typing import final

import numpy as np

from mobod.compilation.source.scales import estimated_scales, y_scales
from mobod.errors import IntegrationError, MobodError
from mobod.system import Stage, State, System


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


@np.errstate(over="ignore")  # sizes are infinite then
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
    first = sub(r"^the integration stopped at \S+ s[:.] ", "", str(cause))
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
