"""A subsystem's hook as a call of the sweep of its stage. The slots that it reads are the inputs, the slots that it sets the outputs."""

# Decision: docs/decisions/024-recorded-hooks.md

from collections.abc import Callable, Mapping
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import RecordingError
from mobod.scalar import Array, Scalar, Slot, Sweep, Tape
from mobod.system.stage import Stage
from mobod.system.stage_hooks import StageHooks, VariableOwner
from mobod.system.state.handles import CacheEntry, ContinuousVariable
from mobod.system.state.layout import Layout
from mobod.system.state.reading import Reader
from mobod.system.state.recorded_state import RecordedState, SlotsRead, plain_numbers, probe
from mobod.system.state.running_hook import attributes, check_accumulates, check_has_rate, check_is_own, check_unchanged, checked_shape
from mobod.system.state.state_owner import AnySystem
from mobod.system.subsystem import Subsystem


class HookState(RecordedState):
    """Stand-in for a State in a recorded hook. The hook can also set computed values of its subsystem, and rates.

    results       slot -> value that is set
    sums          slot -> value that is added
    marks         lazy entries among the results
    accumulators  by purpose: arrays to which the hook adds
    """

    def __init__(
        self,
        system: AnySystem,
        layout: Layout,
        reader: Reader,
        arrays: Mapping[Slot, Array | Scalar],
        needs: dict[CacheEntry, None] | None,
        subsystem: VariableOwner,
    ):
        super().__init__(system, layout, reader, arrays, needs)
        self.results: dict[Slot, Array | Scalar] = {}
        self.sums: dict[Slot, Array | Scalar] = {}
        self.marks: list[CacheEntry] = []
        self._subsystem = subsystem
        self.accumulators: dict[str, np.ndarray] = {}

    def set_cached(self, entry: CacheEntry, value: ArrayLike) -> None:
        """Set a computed value of this subsystem. Raises StageError for a value of another stage, InputError for a wrong shape."""
        check_is_own(entry, self._subsystem, self.reader)
        if entry.shape is None:
            raise RecordingError(f"{self.reader.about}: '{entry.name}' is not numeric, so recorded code cannot set it.")
        if entry.computed_by is None:
            self.marks.append(entry)
        self.results[self.layout.slot(entry)] = checked_shape(value, entry.shape, entry.name, self.reader.about)

    def set_rate(self, variable: ContinuousVariable, value: ArrayLike) -> None:
        """Set the time derivative of the subsystem's own q, u or z."""
        check_has_rate(variable, self._subsystem, self.reader)
        slot = self.layout.rate(self.layout.slot(variable))
        self.results[slot] = checked_shape(value, variable.shape, f"rate of {variable.name}", self.reader.about)

    def accumulator(self, what: str, shape: tuple[int, ...], stage: Stage) -> np.ndarray:
        """An array to which the hook of this stage adds values. It starts at zero, and each call returns the same array."""
        check_accumulates(what, stage, self.reader)
        if what not in self.accumulators:
            self.accumulators[what] = np.full(shape, 0.0, dtype=object)
        return self.accumulators[what]

    def add(self, slot: Slot, value: Array | Scalar) -> None:
        """Add to a sum of several subsystems. For the engine's own subsystems."""
        self.sums[slot] = self.sums[slot] + value if slot in self.sums else value

    def cached(self, entry: CacheEntry) -> Any:
        slot = self.layout.slots.get(entry)
        return self.results[slot] if slot is not None and slot in self.results else super().cached(entry)


@final
class RecordedHook:
    """The function that a call evaluates, and the slots of its arguments and results.

    owner     object whose attributes must not change
    function  called with a HookState, in which it sets the results
    """

    def __init__(self, subsystem: Subsystem, owner: StageHooks, function: Callable[[HookState], None], layout: Layout, reader: Reader):
        self.subsystem, self.owner, self.function, self.layout, self.reader = subsystem, owner, function, layout, reader
        self.inputs: list[Slot] = []
        self.results: list[Slot] = []
        self.sums: list[Slot] = []
        self.needs: dict[CacheEntry, None] | None = {}

    def probe(self) -> HookState:
        """Call it once with symbols to find its inputs and results. Raises ElementError for an exception in the user's code."""
        slots = SlotsRead(Tape(self.reader.about))
        state = HookState(self.subsystem.system, self.layout, self.reader, slots, self.needs, self.subsystem)
        before = attributes(self.owner)
        probe(lambda: self.function(state), self.reader.about)
        check_unchanged(self.owner, before, self.reader.about)
        self.inputs, self.results, self.sums = list(slots), list(state.results), list(state.sums)
        return state

    def __call__(self, *arrays: Array) -> tuple[Array | Scalar, ...]:
        read = dict(zip(self.inputs, arrays, strict=True))
        state = HookState(self.subsystem.system, self.layout, self.reader, read, self.needs, self.subsystem)
        self.function(state)
        # with plain numbers, a sum of 0 cannot be distinguished from a missing sum
        sums = [state.sums.get(slot, np.zeros(slot.shape)) for slot in self.sums]
        return tuple(plain_numbers(np.asarray(value)) for value in (*(state.results[slot] for slot in self.results), *sums))

    def write(self, sweep: Sweep) -> None:
        """Append the call to a sweep."""
        outputs = [*self.results, *self.sums]
        adds = range(len(self.results), len(outputs))
        sweep.add(run_hook, self.inputs, outputs, structure=(type(self.owner).__name__, self), adds=adds)


def run_hook(name: str, hook: RecordedHook, *arrays: Array) -> tuple[Array | Scalar, ...]:
    """Call a user's hook with arrays of what it reads, and return what it sets."""
    return hook(*arrays)
