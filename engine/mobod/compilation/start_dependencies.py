"""Structural dependencies at the start of a run, where constraints may change coordinates and speeds."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import final

from mobod.compilation.dependencies import Dependencies, OffsetSets
from mobod.matter import MultibodySystem
from mobod.matter.constraint_rows.row_table import RowBlock, RowTable
from mobod.matter.constraints.rigid_joint_friction import RigidJointFriction
from mobod.matter.unilateral.unilateral import unilateral_constraints
from mobod.scalar.slot import Slot
from mobod.system import System
from mobod.system.layout import Layout


@final
@dataclass
class _Changed:
    """Masks: numbers that change together, and all on which the change depends."""

    numbers: int
    sources: int


@final
class StartDependencies:
    """The sets on which numbers depend at the start of a run. A projection changes those coordinates and speeds on which the errors of its
    constraints depend, by all on which these errors depend; an impact changes speeds by inertias too; and a quaternion is normalized.

    Whether a contact is active depends on its distance, its rate and its force.

    with_unilateral  whether limits, contacts and friction act
    """

    def __init__(self, system: System, layout: Layout, dependencies: Dependencies, *, with_unilateral: bool = True):
        self._dependencies = dependencies
        found = _changed(system, layout, lambda slots: _union(dependencies, slots), _masks_of(dependencies), with_unilateral)
        self._changed = _closed(list(found))
        self._known: dict[int, int] = {}

    def of(self, offsets: Iterable[int]) -> OffsetSets:
        """The sets on which the numbers at these offsets depend."""
        sets = self._dependencies.of(offsets)
        return OffsetSets(sets.independent, {offset: self._with_changes(mask) for offset, mask in sets.masks.items()})

    def _with_changes(self, mask: int) -> int:
        if mask not in self._known:
            self._known[mask] = _with(self._changed, mask)
        return self._known[mask]


def _union(dependencies: Dependencies, slots: Iterable[Slot]) -> int:
    union = 0
    for mask in dependencies.of(offset for slot in slots for offset in slot.offsets).masks.values():
        union |= mask
    return union


def decided_offsets(system: System, layout: Layout) -> list[int]:
    """The offsets of the numbers by which runs decide which contacts are active, for `Dependencies`."""
    matter = system.matter if isinstance(system, MultibodySystem) and system.has_matter else None
    return [] if matter is None else [offset for each in unilateral_constraints(matter) for offset in each.flags(layout)]


def _masks_of(dependencies: Dependencies) -> Callable[[Iterable[int]], int]:
    """The mask of independent numbers at given offsets."""
    places = {offset: i for i, offset in enumerate(dependencies.of([]).independent)}

    def mask(offsets: Iterable[int]) -> int:
        return sum(1 << places[offset] for offset in set(offsets) if offset in places)

    return mask


def _changed(
    system: System,
    layout: Layout,
    union: Callable[[Iterable[Slot]], int],
    mask: Callable[[Iterable[int]], int],
    with_unilateral: bool,
) -> Iterator[_Changed]:
    q, u = mask(layout.q.offsets), mask(layout.u.offsets)
    matter = system.matter if isinstance(system, MultibodySystem) and system.has_matter else None
    if matter is not None and matter.constraints:
        sweeps = matter.constraint_sweeps(layout)
        restitutions = {}
        for constraint in unilateral_constraints(matter):
            deciding = [sweeps.part(constraint, name) for name in ("position_errors", "velocity_errors", "multipliers")]
            yield _Changed(mask(constraint.flags(layout)), union([constraint.enabled_slot(layout), *deciding]))
            lines = sweeps.lines(constraint)
            slots = [constraint.row_slots(layout, contact.row).restitution for contact in constraint.contacts]
            restitutions.update(dict.fromkeys(range(lines.start, lines.stop), slots))
        frictions = {sweeps.lines(each).start for each in matter.constraints if isinstance(each, RigidJointFriction)}
        for block in sweeps.table.blocks:
            if not with_unilateral and (block.first in restitutions or block.first in frictions):
                continue
            of_q = union([block.position_errors, block.enabled]) if block.position_errors.size else 0
            yield _Changed(of_q & q, of_q)
            of_u = union([block.velocity_errors, block.enabled])
            if block.first in restitutions:
                of_u |= union([*restitutions[block.first], *_of_impact(sweeps.table, block)])
            yield _Changed(of_u & u, of_u)
    for own in layout.errors:
        yield _Changed(mask(own.unknowns.offsets), union([own.errors, own.jacobian]))
    for first in layout.quaternions:
        four = mask(range(first, first + 4))
        yield _Changed(four, four)


def _of_impact(table: RowTable, block: RowBlock) -> list[Slot]:
    """What decides how speeds change by an impulse along a row, besides its own gradient: inertias, and the coefficient of friction."""
    slides = [each.carried.slide for each in table.blocks if each.carried is not None and each.carried.normal == block.first]
    return [*(joint.D_inverse for joint in table.joints), *(slide for slide in slides if slide is not None)]


def _closed(changed: list[_Changed]) -> list[_Changed]:
    """Changes that share numbers happen together, and a change depends on what changes the numbers on which it depends."""
    groups: list[_Changed] = []
    for each in changed:
        if not each.numbers:
            continue
        joined = [group for group in groups if group.numbers & each.numbers]
        groups = [group for group in groups if not group.numbers & each.numbers]
        for group in joined:
            each = _Changed(each.numbers | group.numbers, each.sources | group.sources)
        groups.append(each)
    is_closed = False
    while not is_closed:
        is_closed = True
        for group in groups:
            sources = _with(groups, group.sources)
            is_closed = is_closed and sources == group.sources
            group.sources = sources
    return groups


def _with(changed: list[_Changed], mask: int) -> int:
    for each in changed:
        if each.numbers & mask:
            mask |= each.sources
    return mask
