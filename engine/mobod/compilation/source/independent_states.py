"""States that begin a run with the start values that they are given."""

from collections.abc import Iterable
from itertools import chain

from mobod.compilation.calls.dependencies import Dependencies
from mobod.compilation.source.start_dependencies import StartDependencies
from mobod.system import CatalogueVariable, Layout, Stage, System
from mobod.system.events.handlers import Cause


def independent_states(
    system: System, layout: Layout, variables: Iterable[CatalogueVariable], dependencies: Dependencies
) -> frozenset[int]:
    """Offsets of the states whose start values nothing else determines: no motion or lock, no constraint, and no handler of the
    initialization. Limits and contacts are no constraints here: a start that violates them is refused or moved. The entries of a vector
    are independent together, and the four numbers of a quaternion also if they are normalized.
    """
    changed = _changed_by_handlers(system, layout)
    if changed is None:
        return frozenset()
    free = [each.slot.offsets for each in variables if each.role == "state" and each.stage == Stage.MODEL]
    sets = StartDependencies(system, layout, dependencies, with_unilateral=False).of(chain.from_iterable(free))
    places = {offset: i for i, offset in enumerate(sets.independent)}
    quaternions = {first + i: range(first, first + 4) for first in layout.quaternions for i in range(4)}

    def is_independent(offset: int) -> bool:
        itself = sum(1 << places[each] for each in quaternions.get(offset, (offset,)))
        return offset not in changed and not sets.masks[offset] & ~itself

    return frozenset(chain.from_iterable(offsets for offsets in free if all(map(is_independent, offsets))))


def _changed_by_handlers(system: System, layout: Layout) -> set[int] | None:
    """Offsets of what handlers of the initialization set; None: not known."""
    rows = system.events.table(layout).rows if system.has_events else ()
    handlers = [row for row in rows if row.event.cause is Cause.INITIALIZATION and not row.event.is_reporter]
    if any(row.handling is None for row in handlers):
        return None
    functions = [function for row in handlers if row.handling is not None for function in row.handling.functions]
    return {offset for function in functions for slot in function.outputs for offset in slot.offsets}
