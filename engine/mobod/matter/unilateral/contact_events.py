"""The rows of unilateral constraints as events that end steps."""

# Decision: docs/decisions/155-contradicting-contacts.md

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, final

from mobod.matter.constraint import ConstraintOwner
from mobod.matter.constraint_rows.constraint_rows import ConstraintRows
from mobod.runtime.library import enumerators
from mobod.scalar import Array, Scalar, Slot, maximum, minimum, where
from mobod.system import Layout, Numbers, Stage, State, TriggeredEventHandler, WitnessCall
from mobod.system.elements import NO_BOUND
from mobod.system.events.table import COUNT

FAR = NO_BOUND / 2  # a larger distance means that there is no bound

# places in what the event of a contact remembers: fmu_src/native/tables/event_table.h says what lies there
_MEMORY = enumerators("ContactMemory")
RAISED = _MEMORY["MEMORY_RAISED"]
N_AMBIGUOUS = _MEMORY["MEMORY_N_AMBIGUOUS"]
AMBIGUOUS_AT = _MEMORY["MEMORY_AMBIGUOUS_AT"]
N_SLIDING = _MEMORY["MEMORY_N_SLIDING"]
SLIDING_AT = _MEMORY["MEMORY_SLIDING_AT"]
_NUMBERS = {
    _MEMORY["MEMORY_IMPACT_SPEED"]: Numbers(1, 0.0),
    RAISED: Numbers(1, 0.0, 100.0, is_whole=True),  # a power of ten
    N_AMBIGUOUS: COUNT,
    AMBIGUOUS_AT: Numbers(1),
    _MEMORY["MEMORY_FALL"]: Numbers(1),
    N_SLIDING: COUNT,
    SLIDING_AT: Numbers(1),
}
MEMORY_OF_CONTACT = tuple(_NUMBERS[place] for place in sorted(_NUMBERS))


class ContactCause(Enum):
    """Why the event of a contact happens."""

    UNILATERAL = "unilateral"


@final
@dataclass(frozen=True, kw_only=True)
class ContactSlots:
    """The slots of one row.

    lean       of a rim, see lean_of_rim in contact/shapes/rims.py
    presences  of a row that is not always there, see Proximity in contact/proximity.py
    """

    enabled: Slot
    active: Slot
    distance: Slot
    rate: Slot
    multiplier: Slot
    restitution: Slot
    impulse: Slot
    engagement: Slot
    lean: Slot | None = None
    presences: Slot | None = None


class ContactRows(ConstraintRows, Protocol):
    """The interface of a UnilateralConstraint that its contact events use."""

    @property
    def matter(self) -> ConstraintOwner: ...

    @property
    def contacts(self) -> Sequence["Contact"]: ...

    @property
    def tolerance(self) -> float | None: ...

    def opposite(self, row: int) -> int | None: ...

    def errors_slot(self, layout: Layout) -> Slot: ...

    def row_slots(self, layout: Layout, row: int) -> ContactSlots: ...

    def where(self, state: State, row: int) -> str: ...


@final
class Contact(TriggeredEventHandler):
    """Ends a step when the distance of a free rigid row becomes zero, or the multiplier of a held row, or its presence.

    The run then decides what happens. Where a held row ceases to be there, another one at the same distance takes over.
    """

    cause = ContactCause.UNILATERAL
    memory_of_element = MEMORY_OF_CONTACT
    is_internal, has_handler = True, False

    def __init__(self, constraint: ContactRows, row: int, name: str):
        self.constraint, self.row = constraint, row
        super().__init__(constraint.matter.system, direction="falling", stage=Stage.ACCELERATION, name=name)

    def witness_stage(self, state: State) -> Stage:
        is_held = state.values[self.constraint.row_slots(state.layout, self.row).active.offset]
        return self.stage if is_held else Stage.POSITION

    def witness_call(self, layout: Layout) -> WitnessCall:
        """The distance of a free row, the multiplier of a held one."""
        slots = self.constraint.row_slots(layout, self.row)
        presences = () if slots.presences is None else (slots.presences,)
        return WitnessCall(end_of_row, (), (slots.enabled, slots.active, slots.distance, slots.multiplier, *presences))

    def witness(self, state: State) -> Scalar:
        return self.witness_call(state.layout).value(state)

    def handle_event(self, state: State, event: object) -> None:
        """Does nothing: the run handles all rows together."""


@final
class CompliantContactEvent(TriggeredEventHandler):
    """Ends a step when the distance of a compliant row crosses zero, where its damping force is discontinuous."""

    is_internal, is_in_results, only_ends_steps, has_handler = True, False, True, False

    def __init__(self, constraint: ContactRows, row: int, name: str):
        self.constraint, self.row = constraint, row
        super().__init__(constraint.matter.system, direction="either", stage=Stage.POSITION, name=name)

    def witness_call(self, layout: Layout) -> WitnessCall:
        """The distance."""
        return WitnessCall(distance_of_row, (), (self.constraint.enabled_slot(layout), self.constraint.errors_slot(layout)[self.row]))

    def witness(self, state: State) -> Scalar:
        return self.witness_call(state.layout).value(state)

    def handle_event(self, state: State, event: object) -> None:
        """Does nothing: the force follows from the distance."""


def end_of_row(enabled: Scalar, active: Scalar, distance: Scalar, multiplier: Scalar, *presences: Array) -> Scalar:
    theta = 0.0 - multiplier
    exists = where(enabled, where(distance < FAR, 1.0, 0.0), 0.0)
    if presences:
        presence = presences[0][0]
        # of a free row it jumps to its distance: so at the event, which is after the jump, the row is there
        distance, theta = where(presence < 0, maximum(distance, 1.0 - presence), distance), minimum(theta, presence)
    return where(exists, where(active, theta, distance), 1.0)


def distance_of_row(enabled: Scalar, distance: Scalar) -> Scalar:
    return where(enabled, where(distance < FAR, distance, 1.0), 1.0)
