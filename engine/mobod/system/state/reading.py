"""What a function of a State may read during a realization: only values whose change causes the function to be called again."""

from dataclasses import dataclass
from typing import final

from mobod.errors import StageError
from mobod.scalar.slot import Slot
from mobod.system.stage import Stage
from mobod.system.state.handles import CacheEntry, Continuous, DiscreteVariable, Prerequisite
from mobod.system.state.layout import Layout


@final
@dataclass(frozen=True, kw_only=True)
class Reader:
    """The function that reads, and what it may read.

    about          name of the function, for messages: "calc_force of force 'wind' (Wind)"
    stage          the last stage of computed values that it may read
    variables      the last stage of variables that it may read
    prerequisites  further values that it may read: a lazy value becomes invalid when one of these changes
    earlier        numbers of the subsystems whose values of the same stage are already computed; None: all
    """

    about: str
    stage: Stage
    variables: Stage
    prerequisites: frozenset[Prerequisite] = frozenset()
    earlier: frozenset[int] | None = None

    def check_slot(self, layout: Layout, slot: Slot) -> None:
        """Raise StageError unless everything in the slot may be read."""
        if slot.size:
            for owner in layout.owners(slot):
                self.check(f"'{owner.name}'", owner.what, owner.stage)

    def check(self, name: str, what: Prerequisite | None, needed: Stage) -> None:
        """Raise StageError unless a value may be read.

        what   the variable or the computed value; None: rates
        """
        if what in self.prerequisites:
            return
        is_variable = isinstance(what, (Continuous, DiscreteVariable))
        allowed = self.variables if is_variable else self.stage
        if needed > allowed:
            raise StageError(
                f"{self.about}: {name} {'changes' if is_variable else 'is computed'} at {needed.name}, but only values known at "
                f"{allowed.name} may be read here."
            )
        if (
            isinstance(what, CacheEntry)
            and what.computed_by == self.stage
            and self.earlier is not None
            and what.subsystem not in self.earlier
        ):
            raise StageError(
                f"{self.about}: {name} is also computed at {needed.name} and is not known yet: its subsystem is realized later, or it was "
                "not "
                "set before. Read it at a later stage, or add that subsystem to the System before this one."
            )

    def check_entry(self, entry: CacheEntry) -> None:
        """Raise StageError unless a computed value, and everything that a lazy value depends on, may be read."""
        if entry in self.prerequisites:
            return
        self.check(f"'{entry.name}'", entry, entry.computed_by or entry.earliest)
        for each in () if entry.computed_by is not None else entry.prerequisites:
            if isinstance(each, CacheEntry):
                self.check_entry(each)
            else:
                name, stage = (each.name, each.invalidates) if isinstance(each, DiscreteVariable) else (each.value, CONTINUOUS_STAGES[each])
                self.check(f"'{name}'", each, stage)


CONTINUOUS_STAGES = {
    Continuous.T: Stage.TIME,
    Continuous.Q: Stage.POSITION,
    Continuous.U: Stage.VELOCITY,
    Continuous.Z: Stage.DYNAMICS,
}
