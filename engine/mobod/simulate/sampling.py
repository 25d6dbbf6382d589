"""Values of a variable at many times by one call of the C runtime."""

import numpy as np

from mobod.compilation.liveness import live_sweeps
from mobod.compilation.model_kernels import live_calls
from mobod.scalar.kernel_calls import KernelCalls
from mobod.system import CatalogueVariable, Stage, State, System
from mobod.system.stage_sweeps import stage_sweeps


def can_sample(system: System, state: State) -> bool:
    """Whether sweeps compute everything from the time, y and discrete variables that do not update themselves."""
    return not system.as_text and not state.auto_update_variables and not any(each.why_not_recordable() for each in system.subsystems)


def sample(system: System, state: State, variable: CatalogueVariable, times: np.ndarray, ys: np.ndarray) -> np.ndarray:
    """The values of a computed variable, with the State's discrete variables; not finite where it cannot be computed.

    times    (m,)     s
    ys       (m, ny)
    returns  (m, n)   n entries of the variable
    """
    layout, at = state.layout, list(variable.slot.offsets)
    if variable.name not in layout.sampled:
        sweeps = stage_sweeps(system.realization_order, layout, [variable.entry] if variable.entry is not None else [])
        live = live_sweeps({stage: sweep for stage, sweep in sweeps.items() if stage > Stage.MODEL}, at)
        layout.sampled[variable.name] = [live_calls(sweep) for sweep in live.values() if sweep.rows or sweep.clears]
    w = state.values.copy()
    return KernelCalls.sample(layout.sampled[variable.name], w, layout.time.offset, times, layout.y.offset, ys, at)
