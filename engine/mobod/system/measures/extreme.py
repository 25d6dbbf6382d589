"""Maximum, Minimum, MaxAbs and MinAbs: the extreme that a measure has had, and when."""

# Decision: docs/decisions/066-extremes.md

from math import prod
from typing import Any, ClassVar, Literal

import numpy as np

from mobod.scalar import Array, Scalar, Slot, is_recorded, where
from mobod.system.boundary import check_state
from mobod.system.elements import argument
from mobod.system.events.handler_actions import NEVER
from mobod.system.events.kinds import Direction, Observer, TriggeredEventHandler
from mobod.system.measures.measure import ComputedMeasure, Measure, checked_operand
from mobod.system.stage import Stage
from mobod.system.state.handles import DiscreteVariable
from mobod.system.state.layout import Layout
from mobod.system.state.saved_numbers import Numbers
from mobod.system.state.state import State
from mobod.system.state.values import own
from mobod.system.variable import CatalogueVariable

Kind = Literal["maximum", "minimum", "largest size", "least size"]


class Extreme(ComputedMeasure):
    """Of the operand since the start, entry by entry; `time` is when it was first there.

    operand  one whose rate is known (see Differentiate)

    Steps end where the rate crosses zero, so that no extreme lies within one, and what it is has the accuracy of the run. Jumps count
    with both of their sides. What was found lies in discrete variables: a State that is copied or restored goes on from it.
    """

    kind: ClassVar[Kind]
    turns: ClassVar[Direction]  # of the rate at an extreme

    operand: Measure = argument("what is measured of", kw_only=False)

    def __post_init__(self) -> None:
        operand = checked_operand(self.operand, self.system, type(self).__name__)
        rate_stage = operand.rate_stage
        self._measure(shape=operand.shape, stage=operand.stage, unit=operand.units)
        self._variables: dict[str, DiscreteVariable] = {}
        Observation(self)
        for entry in range(int(np.prod(self.shape))):
            Turn(self, entry, self.turns, rate_stage, of_rate=True)
            if self.kind == "least size":
                Turn(self, entry, "either", operand.stage, of_rate=False)

    def time(self, state: State) -> Any:
        """s, when the extreme was first there; from the stage of the value on."""
        check_state(state, self.system)
        state.require(self.known_from, f"the time of '{self.name}'", self.subsystem.index)
        return own(state.view(self._time_slot(state.layout)))

    def reset(self, state: State) -> None:
        """Forget what was found: the extreme is that from here on. Takes the State back before the stage of the operand."""
        check_state(state, self.system)
        state.set(self._variables["found_at"], np.full(self.shape, NEVER) if self.shape else NEVER)
        state.invalidate(self.stage)

    # for MeasureSubsystem and its events
    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        starts = {"found": 0.0, "found_at": NEVER}
        for what, start in starts.items():
            # what is found changes no value: that is the larger of it and the operand, from which it was found
            self._variables[what] = state.allocate_discrete_variable(
                self.subsystem,
                f"{self.name}.{what}",
                np.full(self.shape, start) if self.shape else start,
                Stage.REPORT,
                numbers=[Numbers(prod(self.shape))],
            )
        self._entries["time"] = state.allocate_cache_entry(
            self.subsystem, f"{self.name}.time", self.stage, shape=self.shape, computed_by=self.stage
        )

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values, when the layout is known."""
        self.operand.rate(layout)  # which the witnesses read
        found = [layout.slots[self._variables[what]] for what in ("found", "found_at")]
        inputs = [layout.time, self.operand.slot(layout), *found]
        self.subsystem.sweep(layout, self.stage).add(extreme, inputs, [self.slot(layout), self._time_slot(layout)], structure=(self.kind,))

    def remember(self, state: State) -> None:
        """What its value is now."""
        state.set(self._variables["found"], self.value(state))
        state.set(self._variables["found_at"], self.time(state))

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The variables that results, FMUs and the command line can name."""
        text = f"when measure '{self.name}' ({type(self).__name__}) was first what it is"
        time = CatalogueVariable.output(f"{self.name}.time", self._time_slot(layout), self.stage, "s", text)
        return [*super().variables(layout), time]

    def _time_slot(self, layout: Layout) -> Slot:
        return layout.slots[self._entries["time"]]


class Maximum(Extreme):
    __doc__ = Extreme.__doc__
    kind, turns = "maximum", "falling"


class Minimum(Extreme):
    __doc__ = Extreme.__doc__
    kind, turns = "minimum", "rising"


class MaxAbs(Extreme):
    """The operand where it was largest in size, with its sign; otherwise as Maximum."""

    kind, turns = "largest size", "either"


class MinAbs(Extreme):
    """The operand where it was least in size, with its sign; otherwise as Minimum."""

    kind, turns = "least size", "either"


class Observation(Observer):
    """Remembers an extreme at the end of each step, before and after what other events change."""

    is_internal, is_in_results = True, False

    def __init__(self, measure: Extreme):
        self.measure = measure
        super().__init__(measure.system, stage=measure.stage, name=f"observation of {measure.name}")

    def handle_event(self, state: State, event: object) -> None:
        self.measure.remember(state)


class Turn(TriggeredEventHandler):
    """Ends a step where the rate of an entry of the operand crosses zero, or the operand itself."""

    is_internal, is_in_results = True, False

    def __init__(self, measure: Extreme, entry: int, direction: Direction, stage: Stage, *, of_rate: bool):
        self.measure, self.entry, self.of_rate = measure, entry, of_rate
        what = "turn" if of_rate else "zero"
        super().__init__(measure.system, direction=direction, stage=stage, name=f"{what} {entry + 1} of {measure.name}")

    def witness(self, state: State) -> Scalar:
        operand = self.measure.operand
        slot = operand.rate(state.layout) if self.of_rate else operand.slot(state.layout)
        return np.ravel(state.view(slot))[self.entry]

    def handle_event(self, state: State, event: object) -> None:
        """It is enough that the step ends there: an Observation follows."""


def extreme(
    kind: Kind, time: Scalar, value: Array | Scalar, found: Array | Scalar, found_at: Array | Scalar
) -> tuple[Array | Scalar, Array | Scalar]:
    """(value, time) of the extreme, from the value now and the one found before, if there is one."""
    one, other = (np.abs(value), np.abs(found)) if kind in ("largest size", "least size") else (value, found)
    is_better = _entrywise(np.greater if kind in ("maximum", "largest size") else np.less, one, other)
    is_new = is_better | _entrywise(np.equal, found_at, NEVER)
    return where(is_new, value, found), where(is_new, time, found_at)


def _entrywise(compare: np.ufunc, a: Array | Scalar, b: Array | Scalar) -> Array:
    return compare(a, b, dtype=object) if is_recorded(a, b) else compare(a, b)
