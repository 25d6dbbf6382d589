"""ReachedBound: the event that ends a step where a force reaches a bound, and so has a kink."""

# Decision: docs/decisions/187-drives.md

from typing import Protocol, final

from mobod.forces.force import ForceOwner
from mobod.scalar import Scalar
from mobod.scalar.slot import Slot
from mobod.system import Layout, Stage, State, TriggeredEventHandler, WitnessCall


class BoundedForce(Protocol):
    """What keeps an 'unlimited_force', and has parameters that bound it."""

    forces: ForceOwner
    name: str

    def kept(self, layout: Layout, name: str) -> Slot: ...

    def bound(self, layout: Layout, name: str) -> Slot: ...


@final
class ReachedBound(TriggeredEventHandler):
    """Ends a step where the unlimited force passes a bound."""

    is_internal, is_in_results, only_ends_steps, has_handler = True, False, True, False

    def __init__(self, force: BoundedForce, bound: str):
        self.force, self.bound = force, bound
        super().__init__(force.forces.system, stage=Stage.DYNAMICS, name=f"{bound} of {force.name}")

    def witness_call(self, layout: Layout) -> WitnessCall:
        """What the force asks for, less the bound."""
        return WitnessCall(difference, (), (self.force.kept(layout, "unlimited_force"), self.force.bound(layout, self.bound)))

    def witness(self, state: State) -> Scalar:
        return self.witness_call(state.layout).value(state)

    def handle_event(self, state: State, event: object) -> None:
        """It is enough that the step ends there."""


def difference(unlimited: Scalar, bound: Scalar) -> Scalar:
    return unlimited - bound
