"""A subsystem's hook in plain Python, as a procedure of the sweep of its stage."""

from collections.abc import Sequence
from typing import final

import numpy as np

from mobod.scalar import Slot, Sweep
from mobod.scalar.procedure import PythonProcedure
from mobod.system.stage import Stage
from mobod.system.stage_hooks import HOOKS
from mobod.system.state.layout import Layout
from mobod.system.state.state import State
from mobod.system.subsystem import Subsystem


@final
class HookProcedure(PythonProcedure):
    """A procedure that calls a hook. It is assumed to read and set everything, since nothing is known about its code."""

    def __init__(self, subsystem: Subsystem, stage: Stage, earlier: frozenset[int], layout: Layout):
        """earlier: the subsystems that are realized before this one at this stage."""
        self._subsystem, self._stage, self._earlier, self._layout = subsystem, stage, earlier, layout

    @property
    def name(self) -> str:
        return f"{HOOKS[self._stage]} of subsystem '{self._subsystem.name}'"

    @property
    def inputs(self) -> tuple[Slot, ...]:
        return (Slot(0, (self._layout.size,)),)

    @property
    def outputs(self) -> tuple[Slot, ...]:
        """All computed values."""
        first = self._layout.y_dot.offset
        return (Slot(first, (self._layout.size - first,)),)

    @property
    def reached(self) -> Stage:
        """The stage before its own."""
        return self._stage.previous()

    @property
    def realizing(self) -> tuple[int, Stage, frozenset[int]]:
        """The subsystem and the stage that are being realized. See PythonProcedure."""
        return self._subsystem.index, self._stage, self._earlier

    def run_on(self, state: State, w: np.ndarray) -> None:
        self._subsystem.run_hook(state, self._stage)


def hook_sweep(order: Sequence[Subsystem], subsystem: Subsystem, stage: Stage, layout: Layout) -> Sweep | None:
    """A sweep that calls the hook of a subsystem in plain Python; None if the subsystem has none at this stage."""
    if not (subsystem.why_not_in_sweeps() and subsystem.calls_hook(stage)):
        return None
    earlier = frozenset(each.index for each in order[: order.index(subsystem)])
    return Sweep(f"{subsystem.name} {stage.name} hook", [HookProcedure(subsystem, stage, earlier, layout)])
