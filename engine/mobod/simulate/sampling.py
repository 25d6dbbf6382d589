"""Values of variables at many times by one call of the C runtime."""

from collections.abc import Sequence

import numpy as np

from mobod.compilation.calls.liveness import live_sweeps
from mobod.compilation.source.model_kernels import live_calls
from mobod.scalar.kernel_calls import KernelCalls
from mobod.system import CatalogueVariable, Stage, State, System
from mobod.system.stage_sweeps import stage_sweeps


def can_sample(system: System, state: State) -> bool:
    """Whether sweeps compute everything from the time, y and discrete variables that do not update themselves."""
    return not system.as_text and not state.auto_update_variables and not any(each.why_not_recordable() for each in system.subsystems)


def calls_for(system: System, state: State, variables: Sequence[CatalogueVariable], at: Sequence[int]) -> list[KernelCalls]:
    """The calls that compute the numbers at some offsets, entries of variables, from time, y and discrete variables."""
    sweeps = stage_sweeps(system.realization_order, state.layout, [each.entry for each in variables if each.entry is not None])
    live = live_sweeps({stage: sweep for stage, sweep in sweeps.items() if stage > Stage.MODEL}, at)
    return [live_calls(sweep) for sweep in live.values() if sweep.calls or sweep.clears]


def sample(system: System, state: State, variables: Sequence[CatalogueVariable], times: np.ndarray, ys: np.ndarray) -> np.ndarray:
    """The values of computed variables, with the State's discrete variables; not finite where they cannot be computed.

    times    (m,)     s
    ys       (m, ny)
    returns  (m, n)   n entries of all variables, one variable after the other
    """
    layout, at = state.layout, [offset for variable in variables for offset in variable.slot.offsets]
    names = frozenset(variable.name for variable in variables)
    if names not in layout.sampled:
        layout.sampled[names] = calls_for(system, state, variables, at)
    w = state.values.copy()
    return KernelCalls.sample(layout.sampled[names], w, layout.time.offset, times, layout.y.offset, ys, at)
