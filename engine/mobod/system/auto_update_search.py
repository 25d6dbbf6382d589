"""Finds the auto-update variables and how their next values are computed, after all hooks are recorded."""

from mobod.system.stage import Stage
from mobod.system.state.auto_updates import AutoUpdate, AutoUpdates
from mobod.system.state.handles import DiscreteVariable
from mobod.system.state.layout import Layout


def updated_offsets(layout: Layout) -> frozenset[int]:
    """Offsets of all numbers of auto-update variables, whether C or Python computes them."""
    updating = (each for each in layout.handles if isinstance(each, DiscreteVariable) and each.update is not None)
    return frozenset(offset for each in updating if each.shape is not None for offset in layout.slots[each].offsets)


def find_auto_updates(layout: Layout) -> AutoUpdates:
    """Make the table of auto-update variables and reserve memory for their flags. Called when all hooks are recorded."""
    updating = [each for each in layout.handles if isinstance(each, DiscreteVariable) and each.update is not None]
    stages = {each: stage for each in updating if (stage := _stage_of(each, layout)) is not None}
    called_back = tuple(each for each in updating if each not in stages)
    if called_back:
        return AutoUpdates(called_back=called_back)
    return AutoUpdates(
        tuple(
            AutoUpdate(each, each.update, stages[each], layout.slots[each], layout.slots[each.update], layout.reserve(()))
            for each in updating
            if each.update is not None
        )
    )


def _stage_of(variable: DiscreteVariable, layout: Layout) -> Stage | None:
    """The last stage with a recorded hook that sets the variable's next value, or None."""
    stages = [stage for (_, stage), sweep in layout.sweeps.items() if variable.update in layout.marks.get(sweep.name, ())]
    return max(stages, default=None)
