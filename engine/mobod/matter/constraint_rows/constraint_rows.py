"""The interface of a Constraint that the tables of rows use."""

from collections.abc import Sequence
from typing import Protocol

from mobod.matter.constraint_rows.gathered_bodies import ChosenBodies
from mobod.matter.equations.constraint_equations import ConstraintEquations
from mobod.matter.tree.tree_body import NumberedBody, TreeBody
from mobod.scalar import Slot, Sweep
from mobod.system import Layout, State


class LoadOfRow(Protocol):
    """The load that the dry friction of a joint depends on."""

    def load_slots(self, layout: Layout) -> tuple[Slot, Slot, Slot, Slot]: ...

    def write_measured_load(self, sweep: Sweep, R_GM: Slot, reaction: Slot, size: Slot, layout: Layout) -> None: ...


class FrictionOfRows(Protocol):
    """The part of the dry friction of a constraint that the tables of rows use."""

    def carried_slots(self, layout: Layout, row: int) -> tuple[Slot, Slot]: ...

    def slide_slot(self, layout: Layout, row: int) -> tuple[int | None, Slot | None]: ...

    def write(self, sweep: Sweep, layout: Layout) -> list[Slot]: ...

    @property
    def load(self) -> LoadOfRow | None: ...

    @property
    def is_regularised(self) -> bool: ...

    def write_slides_under_load(self, sweep: Sweep, layout: Layout) -> None: ...


class ConstraintRows(Protocol):
    """The part of a Constraint that the tables of rows use."""

    index: int
    name: str
    is_unilateral: bool

    @property
    def equations(self) -> ConstraintEquations: ...

    @property
    def base(self) -> NumberedBody: ...

    @property
    def followers(self) -> Sequence[NumberedBody]: ...

    @property
    def mobilizers(self) -> Sequence[TreeBody]: ...

    @property
    def ancestor(self) -> NumberedBody: ...

    @property
    def compliant_rows(self) -> tuple[int, ...]: ...

    def enabled_rows(self, state: State) -> list[int]: ...

    def enabled_slot(self, layout: Layout) -> Slot: ...

    def decided_slot(self, layout: Layout) -> Slot | None: ...

    @property
    def chosen_pairs(self) -> Sequence[tuple[int, int]] | None: ...

    def chosen_bodies(self, layout: Layout) -> ChosenBodies | None: ...

    def row_flags(self, layout: Layout) -> list[Slot]: ...

    def impulse_slot(self, row: int, layout: Layout) -> Slot | None: ...

    def places_of_compliance(self, row: int) -> list[int]: ...

    @property
    def friction(self) -> "FrictionOfRows | None": ...

    def tabulate_outputs(self, position: Sweep, acceleration: Sweep, layout: Layout) -> None: ...


def has_rows_apart(constraint: ConstraintRows) -> bool:
    """Whether each row is a block of its own, because some have flags of their own."""
    return constraint.is_unilateral or bool(constraint.compliant_rows)
