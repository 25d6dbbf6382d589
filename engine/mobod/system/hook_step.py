"""A hook of a subsystem that runs as plain Python, as a step of the sweep of its stage."""

from collections.abc import Sequence
from typing import final

import numpy as np

from mobod.scalar.slot import Slot
from mobod.scalar.step import PythonStep
from mobod.scalar.sweep import Sweep
from mobod.system.layout import Layout
from mobod.system.stage import Stage
from mobod.system.stage_hooks import HOOKS
from mobod.system.state import State
from mobod.system.subsystem import Subsystem


@final
class HookStep(PythonStep):
    """Nothing tells what it reads and sets: it may be everything."""

    def __init__(self, subsystem: Subsystem, stage: Stage, earlier: frozenset[int], layout: Layout):
        """earlier: the subsystems whose turn at this stage comes before."""
        self._subsystem, self._stage, self._earlier, self._layout = subsystem, stage, earlier, layout

    @property
    def name(self) -> str:
        return f"{HOOKS[self._stage]} of subsystem '{self._subsystem.name}'"

    @property
    def inputs(self) -> tuple[Slot, ...]:
        return (Slot(0, (self._layout.size,)),)

    @property
    def outputs(self) -> tuple[Slot, ...]:
        """All that is computed."""
        first = self._layout.y_dot.offset
        return (Slot(first, (self._layout.size - first,)),)

    @property
    def reached(self) -> Stage:
        """That before its own."""
        return self._stage.previous()

    @property
    def realizing(self) -> tuple[int, Stage, frozenset[int]]:
        """See PythonStep."""
        return self._subsystem.index, self._stage, self._earlier

    def run_on(self, state: State, w: np.ndarray) -> None:
        self._subsystem.run_hook(state, self._stage)


def hook_sweep(order: Sequence[Subsystem], subsystem: Subsystem, stage: Stage, layout: Layout) -> Sweep | None:
    """What calls the hook of a subsystem that computes by plain Python at a stage; None if nothing does."""
    if not (subsystem.why_not_in_sweeps() and subsystem.calls_hook(stage)):
        return None
    earlier = frozenset(each.index for each in order[: order.index(subsystem)])
    return Sweep(f"{subsystem.name} {stage.name} hook", [HookStep(subsystem, stage, earlier, layout)])
