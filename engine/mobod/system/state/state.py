"""State: all variables of a System, and the values computed from them (seed 000, chapters 1 and 2).

The numbers are in one flat array, `values`. Stages and version numbers determine which computed values are valid.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import partial
from typing import Any, final

import numpy as np

from mobod.arguments.real_numbers import numbers_text, real_numbers
from mobod.errors import StageError
from mobod.pages import ShownInNotebooks
from mobod.scalar.slot import Slot
from mobod.system.boundary import checked_kind, checked_stage, checked_system, of_another_system
from mobod.system.readable import Readable
from mobod.system.stage import STAGES, Stage
from mobod.system.state.allocating import Allocating
from mobod.system.state.handles import STAGE_OF_KIND, CacheEntry, Continuous, ContinuousVariable, DiscreteVariable
from mobod.system.state.layout import Layout, unknown_handle
from mobod.system.state.running_hook import WithHooks, check_is_own
from mobod.system.state.serialization import from_bytes, to_bytes
from mobod.system.state.snapshot import Snapshot, values_in_block
from mobod.system.state.state_numbers import StateNumbers
from mobod.system.state.state_owner import AnySystem, StateOwner
from mobod.system.state.values import as_read, checked_numbers, read_only
from mobod.system.subsystem_turn import SubsystemTurn

_NONE: frozenset[int] = frozenset()
_REMEDY = "Allocating returns one; System.value and System.set_value take names."


@final
class State(ShownInNotebooks, Readable, Allocating, StateNumbers, WithHooks):
    """All variables of a System, and the values computed from them. Made by System.realize_topology().

    Changing a variable invalidates a stage and all later ones: time invalidates TIME, q POSITION, u VELOCITY, z DYNAMICS, a discrete
    variable the stage that it was allocated with. Setting counts as a change even if the value is the same. Values computed at an
    invalidated stage are out of date; so is a lazy value if its earliest stage is invalidated or one of its prerequisites changes.

    Variables that invalidate MODEL decide which other variables exist. They can be changed one after the other until the State is next
    realized, which sets q, u and z to their defaults. They cannot be changed during a run of a Simulation.

    States are equal if they belong to one System with the same topology and all variables are equal; computed values are not compared.
    copy() makes a State of the same System. copy.deepcopy also copies the System, unless the System is copied in the same call; pickle
    does the same. to_bytes() saves the variables, bit for bit.
    """

    __hash__ = None  # type: ignore[assignment] # a State is mutable
    is_recorded = False
    can_be_set = can_be_realized = True

    def __init__(self, system: "StateOwner[State]"):
        Allocating.__init__(self)
        StateNumbers.__init__(self)
        WithHooks.__init__(self)
        self.system = system
        self.topology_version = system.topology_version
        self._layout: Layout | None = None
        self.reached: int = Stage.EMPTY  # the number of `stage`
        self._ahead: frozenset[int] = frozenset()  # these subsystems have also reached the next stage
        self.is_running = False  # of a run: then variables that invalidate MODEL cannot be set
        self._keeps_reads = False

    def _summary(self) -> str:
        of_system = f"of System '{self.system.name}', realized to {self.stage.name}"
        if self._layout is None:
            return of_system
        t, q, u = (self.values[part.slice] for part in (self._layout.time, self._layout.q, self._layout.u))
        return f"{of_system}, time = {t.item():.6g} s, q = {numbers_text(q)}, u = {numbers_text(u)}"

    # stages
    @property
    def stage(self) -> Stage:
        """The stage that all subsystems have reached."""
        return STAGES[self.reached]

    def subsystem_stage(self, subsystem: int) -> Stage:
        """The stage that a subsystem has reached, by its index."""
        return STAGES[self.reached + (subsystem in self._ahead)]

    def invalidate(self, stage: Stage | str) -> None:
        """Mark values computed at `stage` (a Stage or its name) and later stages as out of date."""
        if type(stage) is not Stage:
            stage = checked_stage(stage, "invalidate")
        self.versions.lose(stage)
        if self.reached >= stage - 1:
            self.reached, self._ahead = stage - 1 if stage else 0, _NONE

    def version(self, stage: Stage | str) -> int:
        """A number that increases whenever a variable that the stage depends on is set."""
        return self.versions.stage(checked_stage(stage, "version"))

    def require(self, stage: Stage, what: str, subsystem: int | None = None) -> None:
        """Raise StageError unless the State, or one subsystem in it, has been realized to `stage`. `what` is the value that needs it."""
        if self.hook is not None:
            self.hook.reader.check(what, None, stage)
        reached = self.stage if subsystem is None else self.subsystem_stage(subsystem)
        if reached < stage and not (self._realizing is not None and self._realizing[0] == subsystem and self._realizing[1] >= stage):
            raise StageError(
                f"{what} needs a State realized to {stage.name}; this one is at {reached.name}. "
                f"Call system.realize(state, Stage.{stage.name}) first; setting a variable invalidates its stage and all later ones."
            )

    def run_at(self, turn: SubsystemTurn, call: Callable[["State"], None]) -> None:
        """Call a function while a subsystem is realized to a stage. Called by System."""
        self.reached, self._ahead = turn.stage - 1, turn.done
        self._realizing = (turn.subsystem, turn.stage)
        try:
            call(self)
        finally:
            self._realizing = None

    def arrive(self, stage: int) -> None:
        """Record that all subsystems have reached the stage. Called by System."""
        self.reached, self._ahead = stage, _NONE

    @contextmanager
    def keeping_reads(self) -> Iterator[None]:
        """Context in which values that were read do not change when the State is set, as in recorded code."""
        self._keeps_reads = True
        try:
            yield
        finally:
            self._keeps_reads = False

    # continuous variables
    @property
    def layout(self) -> Layout:
        """Offsets and shapes of all variables and computed values. Raises StageError before MODEL."""
        if self._layout is None:
            raise StageError(
                f"the variables of a State exist from MODEL on; this one is at {self.stage.name}. "
                "Use the State that realize_topology() returns."
            )
        return self._layout

    # discrete variables
    def get(self, variable: DiscreteVariable | ContinuousVariable) -> Any:
        """The value of a variable: a float, a bool, a read-only array, or an object. Copies of the State share the object: replace it by
        `set`, do not change it in place.
        """
        if isinstance(variable, ContinuousVariable):
            view = self.view(self.layout.slot(variable))
            return view if variable.shape else float(view)
        checked_kind(variable, DiscreteVariable, "State.get", _REMEDY)
        try:
            if variable.shape is None:
                return self._objects[variable]
            slot = None if self._layout is None else self._layout.slots[variable]
            return as_read(variable, self._allocated.starts[variable] if slot is None else self.view(slot))
        except KeyError:
            raise unknown_handle(variable.name) from None

    def set(self, variable: DiscreteVariable | ContinuousVariable, value: Any) -> None:
        """Set a variable. This invalidates its stage and all later ones.

        Setting a MODEL-stage variable returns the State to TOPOLOGY. System.realize_model then makes a new layout, with q, u and z at their
        defaults. Raises StageError for a MODEL-stage variable during a run.
        """
        if isinstance(variable, ContinuousVariable):
            self.write(self.layout.slot(variable), value, variable.name, STAGE_OF_KIND[variable.kind])
            return
        checked_kind(variable, DiscreteVariable, "State.set", _REMEDY)
        if variable not in (self._objects if variable.shape is None else self._allocated.starts):
            raise unknown_handle(variable.name)
        if variable.invalidates == Stage.MODEL and self.is_running:
            raise StageError(
                f"'{variable.name}' cannot be set during a run: it decides which variables exist. Set it before the run, then call "
                "realize_model."
            )
        if variable.shape is None:
            self._objects[variable] = value
            self.invalidate(variable.invalidates)
        elif self._layout is None:
            self._allocated.starts[variable] = read_only(checked_numbers(value, variable.shape, variable.name).reshape(variable.shape))
        else:
            self.write(self._layout.slots[variable], value, variable.name, variable.invalidates)
        self._changed(variable)
        if variable.invalidates == Stage.MODEL and self._layout is not None:
            self._allocated = self._allocated.copy()  # copies of the State share it
            self._allocated.starts.update({each: read_only(self.view(self._layout.slots[each])) for each in self._allocated.starts})
            self._layout = None

    def _changed(self, variable: DiscreteVariable) -> None:
        self.versions.change(variable)
        if variable.update is not None:
            self.mark_invalid(variable.update)

    def next_value(self, variable: DiscreteVariable) -> Any:
        """The value that an auto-update variable takes at the start of the next step. Raises StageError if it is not known yet."""
        assert variable.update is not None
        value = self.cached(variable.update)
        return value if variable.shape is None else as_read(variable, value.copy())

    # computed values
    def cached(self, entry: CacheEntry) -> Any:
        """The value of a cache entry, numbers as a read-only array. A lazy value is computed now if it is out of date."""
        if self.hook is not None:
            self.hook.reader.check_entry(entry)
            with self.running_hook(None):  # the hook's read restrictions do not apply to values that are computed on demand
                return self.cached(entry)
        if entry.computed_by is None:
            self._ensure(entry)
        else:
            self.require(entry.computed_by, f"'{entry.name}'", entry.subsystem)
        return self._objects[entry] if entry.shape is None else self.view(self.layout.slots[entry])

    def is_valid(self, entry: CacheEntry) -> bool:
        """Whether the value of a cache entry is up to date."""
        if entry.computed_by is not None:
            return self.subsystem_stage(entry.subsystem) >= entry.computed_by
        return (
            self.subsystem_stage(entry.subsystem) >= entry.earliest
            and all(self.is_valid(each) for each in entry.prerequisites if isinstance(each, CacheEntry))
            and self.versions.is_valid(entry)
        )

    def set_cached(self, entry: CacheEntry, value: object) -> None:
        """Store a computed value. Called by the hook of the stage that computes it, or for a lazy entry."""
        if self.hook is not None:
            check_is_own(entry, self.hook.subsystem, self.hook.reader)
        if entry.shape is None:
            self._objects[entry] = value
        else:
            self.values[self.layout.slots[entry].slice] = real_numbers(value, f"'{entry.name}'").ravel()
        self.mark_valid(entry)

    def mark_valid(self, entry: CacheEntry) -> None:
        """Mark a lazy value as up to date."""
        self.versions.mark_one_valid(entry.number)

    def mark_invalid(self, entry: CacheEntry) -> None:
        """Mark a lazy value as out of date, so that the next read computes it."""
        self.versions.mark_invalid(entry)

    def _ensure(self, entry: CacheEntry) -> None:
        self.require(entry.earliest, f"'{entry.name}'", entry.subsystem)
        for each in entry.prerequisites:
            if isinstance(each, CacheEntry):
                if each.computed_by is None:
                    self._ensure(each)
                else:
                    self.require(each.computed_by, f"'{each.name}'", each.subsystem)
        layout = self.layout
        sweep = layout.lazy_sweeps.get(entry)
        is_computable = sweep is not None or self.has_computation(entry)
        if self.versions.is_valid(entry) and (self.system.uses_cache or not is_computable):
            return
        if not is_computable:
            raise StageError(
                f"'{entry.name}' is a lazy value without a function or sweep that computes it. Its subsystem must call state.set_cached "
                "first."
            )
        if sweep is None:
            self.set_cached(entry, self._computation(entry)(self))
            return
        for each in layout.needs.get(sweep.name, ()):
            condition = layout.conditions.get((sweep.name, each))
            if condition is None or self.values[condition.offset]:
                self.cached(each)
        if self.has_computation(entry):
            self._computation(entry)(self)
        elif entry not in layout.begins or layout.begins[entry](self.values):
            layout.run(sweep, self.values, self.system.as_text, self)
        self.mark_valid(entry)

    def lay_out(self, layout: Layout) -> None:
        """Take a layout and set every variable to its start value. Called by System."""
        self._layout = layout
        self.hold(self._allocated.start_values(layout))
        self.versions.change_of(Continuous)

    # copies
    def copy(self) -> "State":
        """An independent State with the same variables, realized to MODEL at most."""
        numbers = self.layout.copied_variables(self.values)  # raises before MODEL
        other = State.__new__(State)
        other.__dict__.update(self.__dict__)
        other.hold(numbers)
        other._objects = dict(self._objects)
        other.reached, other._ahead = min(self.reached, Stage.MODEL), _NONE
        other.versions = self.versions.copy()
        other.is_running = other._keeps_reads = False
        other.hook = None
        other._rates_set = set(self._rates_set)
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, object]) -> "State":
        """A State of a copy of the System, or of the copy made in the same call of deepcopy. Raises StateError if the topology changed."""
        self.check_belongs_to(self.system)
        self.layout  # noqa: B018 - raises before MODEL
        snapshot, system = deepcopy((self.snapshot(), self.system), memo)
        memo[id(self)] = other = State.of_snapshot(system, snapshot)
        return other

    def __reduce__(self) -> tuple[object, ...]:
        """For pickle: the System and the variables. Raises StateError if the topology changed."""
        self.check_belongs_to(self.system)
        self.layout  # noqa: B018 - raises before MODEL
        return State.of_snapshot, (self.system, self.snapshot())

    @staticmethod
    def of_snapshot(system: "StateOwner[State]", snapshot: Snapshot) -> "State":
        """A State of the System with all variables of a snapshot, realized to MODEL."""
        state = system.new_state(snapshot)
        state.take(snapshot)
        return state

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self.system is other.system and self.topology_version == other.topology_version and self.snapshot().is_same(other.snapshot())

    def snapshot(self, without: Collection[DiscreteVariable] = ()) -> Snapshot:
        """All variables except the discrete ones in `without`."""
        layout = self._layout
        all_variables = tuple(self._allocated.discrete) if layout is None else layout.discrete_variables
        variables = tuple(each for each in all_variables if each not in without) if without else all_variables
        if layout is None:
            values = [self.get(variable) for variable in variables]
            return Snapshot(variables, tuple(value.copy() if isinstance(value, np.ndarray) else value for value in values), None)
        numbers, objects = self.values[layout.discrete.slice].copy(), {each: self._objects[each] for each in layout.objects}
        values_now = partial(values_in_block, all_variables, numbers, objects, without)
        return Snapshot(variables, values_now, self.values[: 1 + layout.n_y].copy())

    def take(self, snapshot: Snapshot) -> None:
        """Set all variables to those of a snapshot with the same variables, without checks."""
        assert snapshot.t_and_y is not None
        self.invalidate(Stage.INSTANCE)
        self.move_to(snapshot.t_and_y[0], snapshot.t_and_y[1:])
        for variable, value in zip(snapshot.variables, snapshot.values, strict=True):
            if variable.shape is None:
                self._objects[variable] = value
            else:
                self.values[self.layout.slots[variable].slice] = np.asarray(value).ravel()
            self._changed(variable)

    def to_bytes(self) -> bytes:
        """All variables as bytes for State.from_bytes, bit for bit. Raises UnsupportedError, which names it, for a variable that is not
        plain data.

        A run from them equals a run from this State. Neither is the run that led to it, with its step size: under error control a run
        begins with a step size of its own, and determines again which contacts press, stick and slip, since a State may have been changed.
        `run.save()` has all that an integration remembers.
        """
        return to_bytes(self.system, self)

    @staticmethod
    def from_bytes(system: "StateOwner[State]", data: bytes) -> "State":
        """The State that to_bytes wrote, realized to MODEL.

        Raises StateError for bytes of another System, of another structure of this System, or damaged bytes; the message says which.
        """
        checked_system(system, "State.from_bytes", StateOwner)
        return from_bytes(system, data)

    def view(self, slot: Slot) -> np.ndarray:
        """A read-only view of part of `values` in the slot's shape; a copy inside keeping_reads.

        Reads are checked only while a user's hook runs.
        """
        if self.hook is not None:
            self.hook.reader.check_slot(self.layout, slot)
        view = self.values[slot.slice].reshape(slot.shape)
        if self._keeps_reads:
            view = view.copy()
        view.flags.writeable = False
        return view

    def number(self, slot: Slot) -> float:
        """The number in a slot of shape ()."""
        if self.hook is not None:
            self.hook.reader.check_slot(self.layout, slot)
        return self.values.item(slot.offset)

    def check_belongs_to(self, system: AnySystem) -> None:
        """Raise StateError for a State of another System, or one made before the System's topology changed."""
        if self.system is not system or self.topology_version != system.topology_version:
            raise of_another_system(self.system, system)
