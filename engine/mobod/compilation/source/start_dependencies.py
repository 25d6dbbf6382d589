"""Structural dependencies at the start of a run, where constraints may change coordinates and speeds."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import final

from mobod.compilation.calls.dependencies import Dependencies, OffsetSets
from mobod.compilation.source.model_tables import settings_at
from mobod.matter import MatterSubsystem, MultibodySystem, UnilateralConstraint
from mobod.matter.bodies.body import Ground
from mobod.matter.constraints.rigid_joint_friction import RigidJointFriction
from mobod.runtime.numerics import SETTINGS
from mobod.scalar.slot import Slot
from mobod.system import Layout, System


@final
@dataclass
class _Changed:
    """Masks: numbers that change together, and all on which the change depends."""

    numbers: int
    sources: int


@final
class StartDependencies:
    """The sets on which numbers depend at the start of a run. A projection changes those coordinates and speeds on which the errors of its
    constraints depend, by all on which these errors depend. An impact changes all speeds of the trees of bodies that it reaches, by
    inertias too. A quaternion is normalized.

    Whether a contact is active depends on its distance, its rate and its force, and on the tolerance of constraints. Constraints that are
    equations are satisfied up to round-off, whatever the tolerance.

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


def run_numbers(system: System, layout: Layout) -> list[int]:
    """The offsets of the numbers of a run on which its start depends, for `Dependencies`: by which it decides which contacts are active,
    and the tolerances of an FMU.
    """
    return [*_decided(system, layout), *_tolerances(layout)]


def _tolerances(layout: Layout) -> list[int]:
    """Of constraints: numerics.tolerance also counts, of which a tenth is the default."""
    return [settings_at(layout) + each.number for each in SETTINGS if each.name in ("numerics.tolerance", "numerics.constraint_tolerance")]


def _decided(system: System, layout: Layout) -> list[int]:
    matter = system.matter if isinstance(system, MultibodySystem) and system.has_matter else None
    return [] if matter is None else [k for each in _decided_constraints(matter) for part in _numbers_of(each, layout) for k in part]


def _decided_constraints(matter: MatterSubsystem) -> list[UnilateralConstraint | RigidJointFriction]:
    return [each for each in matter.constraints if isinstance(each, (UnilateralConstraint, RigidJointFriction))]


def _numbers_of(constraint: UnilateralConstraint | RigidJointFriction, layout: Layout) -> tuple[list[int], list[int]]:
    """The offsets of the impulses of its rows, and of what a run decides else: which rows act, and how they slip."""
    variables = {each: [*layout.slots[each].offsets] for each in constraint.decided}
    impulses = variables.pop(constraint.impulse_variable)
    return impulses, [offset for offsets in variables.values() for offset in offsets]


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
    if isinstance(system, MultibodySystem) and system.has_matter and system.matter.constraints:
        yield from _changed_by_constraints(system.matter, layout, union, mask, with_unilateral)
    for own in layout.errors:
        yield _Changed(mask(own.unknowns.offsets), union([own.errors, own.jacobian]) | mask(_tolerances(layout)))
    for first in layout.quaternions:
        four = mask(range(first, first + 4))
        yield _Changed(four, four)


def _changed_by_constraints(
    matter: MatterSubsystem,
    layout: Layout,
    union: Callable[[Iterable[Slot]], int],
    mask: Callable[[Iterable[int]], int],
    with_unilateral: bool,
) -> Iterator[_Changed]:
    """How speeds change by an impulse along a row depends on its own gradient, on inertias, and on coefficients of friction. Equations of
    other constraints pass it on to other trees.
    """
    q, u, tolerances = (mask(offsets) for offsets in (layout.q.offsets, layout.u.offsets, _tolerances(layout)))
    sweeps = matter.constraint_sweeps(layout)
    table, of_impacts = sweeps.table, dict[int, int]()  # by the lines of decided constraints
    inertias = union([joint.D_inverse for joint in table.joints])
    for constraint in _decided_constraints(matter):
        of_constraint = sweeps.lines(constraint)
        lines = range(of_constraint.start, of_constraint.stop)
        slots = [each.carried.slide for each in table.blocks if each.carried is not None and each.carried.normal in lines]
        if isinstance(constraint, UnilateralConstraint):
            slots += [constraint.row_slots(layout, contact.row).restitution for contact in constraint.contacts]
        of_impact = inertias | union([slot for slot in slots if slot is not None]) | tolerances
        of_impacts.update(dict.fromkeys(lines, of_impact))
        errors = [sweeps.part(constraint, name) for name in ("position_errors", "velocity_errors", "multipliers")]
        sources = union([constraint.enabled_slot(layout), *errors]) | tolerances
        impulses, others = _numbers_of(constraint, layout)
        yield _Changed(mask(others), sources)
        yield _Changed(mask(impulses), sources | of_impact)
    speeds = [union([block.velocity_errors, block.enabled]) | of_impacts.get(block.first, 0) for block in table.blocks]
    trees = [mask(offsets) for offsets in _speeds_of_trees(matter, layout)]
    links = [_reached(of_u & u, trees) for of_u in speeds]
    for block, of_u in zip(table.blocks, speeds, strict=True):
        is_decided = block.first in of_impacts
        if with_unilateral or not is_decided:
            of_q = union([block.position_errors, block.enabled]) if block.position_errors.size else 0
            yield _Changed(of_q & q, of_q | tolerances if is_decided else of_q)
            yield _Changed(_reached(of_u & u, [*trees, *links]) if is_decided else of_u & u, of_u)


def _speeds_of_trees(matter: MatterSubsystem, layout: Layout) -> list[list[int]]:
    """The offsets of the speeds of each body on Ground and of all bodies that it carries: an impulse changes all of them."""
    tree, found, root = matter.tree(layout), dict[int, list[int]](), dict[int, int]()
    for body in matter.bodies:  # parents first
        root[body.index] = body.index if isinstance(body.parent, Ground) else root[body.parent.index]
        found.setdefault(root[body.index], []).extend(tree.u(body).offsets)
    return list(found.values())


def _reached(mask: int, groups: list[int]) -> int:
    """The mask with all groups that it shares numbers with, or that those groups do."""
    before = None
    while mask != before:
        before = mask
        for group in groups:
            mask |= group if group & mask else 0
    return mask


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
