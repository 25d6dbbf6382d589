"""State: everything that changes, with what was computed from it (seed 000, chapters 1 and 2).

The numbers lie in one flat array, `values`. Stages and version numbers say which of the computed ones are valid.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mobod.errors import InputError, StageError, StateError
from mobod.scalar.slot import Slot
from mobod.system.layout import Allocations, CacheEntry, DiscreteVariable, Layout
from mobod.system.stage import Stage

if TYPE_CHECKING:
    from mobod.system.subsystem import Subsystem
    from mobod.system.system import System


class State:
    """Made by System.realize_topology(). Changing a variable invalidates its stage and all after it.

    t  invalidates TIME, q POSITION, u VELOCITY, z DYNAMICS, a discrete variable the stage that it was allocated with.
    """

    def __init__(self, system: "System"):
        self.system = system
        self.topology_version = system.topology_version
        self.values = np.zeros(0)
        self._layout: Layout | None = None
        self._allocated = Allocations()
        self._objects: dict[DiscreteVariable | CacheEntry, Any] = {}
        self._subsystem_stages = [Stage.EMPTY] * len(system.subsystems)
        self._realizing: tuple[int, Stage] | None = None
        self._versions = dict.fromkeys(Stage, 0)
        self._variable_versions: dict[DiscreteVariable | CacheEntry, int] = {}
        self._marks: dict[CacheEntry, tuple[int, ...]] = {}

    # stages
    @property
    def stage(self) -> Stage:
        """The stage that all subsystems have reached."""
        return min(self._subsystem_stages, default=Stage.EMPTY)

    def subsystem_stage(self, subsystem: int) -> Stage:
        return self._subsystem_stages[subsystem]

    def invalidate(self, stage: Stage) -> None:
        """Forget what was computed at `stage` and after it."""
        for later in range(stage, Stage.REPORT + 1):
            self._versions[Stage(later)] += 1
        before = stage.previous()
        self._subsystem_stages = [min(reached, before) for reached in self._subsystem_stages]

    def require(self, stage: Stage, what: str, subsystem: int | None = None) -> None:
        """Raise StageError unless the State (or one subsystem's part of it) has been realized to `stage`."""
        reached = self.stage if subsystem is None else self._subsystem_stages[subsystem]
        if reached < stage and not (self._realizing is not None and self._realizing[0] == subsystem and self._realizing[1] >= stage):
            raise StageError(
                f"{what} needs a State realized to {stage.name}; this one is at {reached.name}. "
                f"Call system.realize(state, Stage.{stage.name}) first; changing a variable of an earlier stage takes the State back."
            )

    def realize_stage(self, stage: Stage, steps: Iterable[tuple[int, Sequence[Callable[["State"], None]]]]) -> None:
        """Take each subsystem in turn to `stage` by its steps. Called by System."""
        try:
            for subsystem, calls in steps:
                self._realizing = (subsystem, stage)
                for call in calls:
                    call(self)
                self._subsystem_stages[subsystem] = stage
        finally:
            self._realizing = None

    # continuous variables
    @property
    def layout(self) -> Layout:
        if self._layout is None:
            raise StageError(
                f"the variables of a State exist from MODEL on; this one is at {self.stage.name}. "
                "Use the State that realize_topology() returns."
            )
        return self._layout

    @property
    def time(self) -> float:
        return float(self.values[self.layout.time.offset])

    @time.setter
    def time(self, value: float) -> None:
        self._write(self.layout.time, value, "time", Stage.TIME)

    @property
    def q(self) -> np.ndarray:
        """(nq,) generalized coordinates; a read-only view: assign to state.q to change them."""
        return self.view(self.layout.q)

    @q.setter
    def q(self, value: Any) -> None:
        self._write(self.layout.q, value, "q", Stage.POSITION)

    @property
    def u(self) -> np.ndarray:
        """(nu,) generalized speeds; a read-only view."""
        return self.view(self.layout.u)

    @u.setter
    def u(self, value: Any) -> None:
        self._write(self.layout.u, value, "u", Stage.VELOCITY)

    @property
    def z(self) -> np.ndarray:
        """(nz,) auxiliary variables; a read-only view."""
        return self.view(self.layout.z)

    @z.setter
    def z(self, value: Any) -> None:
        self._write(self.layout.z, value, "z", Stage.DYNAMICS)

    @property
    def y(self) -> np.ndarray:
        """(nq + nu + nz,) all continuous variables, [q, u, z]; a read-only view."""
        return self.view(self.layout.y)

    @y.setter
    def y(self, value: Any) -> None:
        self._write(self.layout.y, value, "y", Stage.POSITION)

    @property
    def q_dot(self) -> np.ndarray:
        """(nq,) from VELOCITY on."""
        self.require(Stage.VELOCITY, "q_dot")
        return self.view(self.layout.q_dot)

    @property
    def u_dot(self) -> np.ndarray:
        """(nu,) from ACCELERATION on."""
        self.require(Stage.ACCELERATION, "u_dot")
        return self.view(self.layout.u_dot)

    @property
    def z_dot(self) -> np.ndarray:
        """(nz,) from ACCELERATION on."""
        self.require(Stage.ACCELERATION, "z_dot")
        return self.view(self.layout.z_dot)

    @property
    def y_dot(self) -> np.ndarray:
        """(nq + nu + nz,) from ACCELERATION on."""
        self.require(Stage.ACCELERATION, "y_dot")
        return self.view(self.layout.y_dot)

    def write(self, slot: Slot, value: Any, name: str, invalidates: Stage) -> None:
        """Set part of q, u or z."""
        self._write(slot, value, name, invalidates)

    # discrete variables
    def get(self, variable: DiscreteVariable) -> Any:
        """The value: a float, a bool, a read-only array, or the object."""
        if variable.shape is None:
            return self._objects[variable]
        if self._layout is None:
            return self._allocated.starts[variable]
        slot = self._layout.slots[variable]
        if variable.shape == ():
            return bool(self.values[slot.offset]) if variable.is_boolean else float(self.values[slot.offset])
        return self.view(slot)

    def set(self, variable: DiscreteVariable, value: Any) -> None:
        """Change a discrete variable: what depends on its stage must be realized anew.

        A MODEL-stage variable takes the State back to TOPOLOGY: System.realize_model then lays it out anew, with q, u and z at their
        defaults.
        """
        if variable.shape is None:
            self._objects[variable] = value
            self.invalidate(variable.invalidates)
        else:
            self._write(self.layout.slots[variable], value, variable.name, variable.invalidates)
        self._variable_versions[variable] = self._variable_versions.get(variable, 0) + 1
        if variable.invalidates == Stage.MODEL:
            numbers = [each for each in self._allocated.discrete if each.shape is not None]
            self._allocated.starts.update({each: self.get(each) for each in numbers})
            self._layout = None

    # computed values
    def cached(self, entry: CacheEntry) -> Any:
        """The value of a cache entry: a read-only array for numbers. A lazy one is computed now if it has to be."""
        if entry.computed_by is None:
            self._ensure(entry)
        else:
            self.require(entry.computed_by, f"'{entry.name}'", entry.subsystem)
        return self._objects[entry] if entry.shape is None else self.view(self.layout.slots[entry])

    def is_valid(self, entry: CacheEntry) -> bool:
        """Whether the value is there without further computation."""
        if entry.computed_by is not None:
            return self._subsystem_stages[entry.subsystem] >= entry.computed_by
        return (
            self._subsystem_stages[entry.subsystem] >= entry.earliest
            and all(self.is_valid(each) for each in entry.prerequisites if isinstance(each, CacheEntry))
            and self._marks.get(entry) == self._mark(entry)
        )

    def set_cached(self, entry: CacheEntry, value: Any) -> None:
        """Store a computed value, from the hook of the stage that computes it or for a lazy entry."""
        if entry.shape is None:
            self._objects[entry] = value
        else:
            self.values[self.layout.slots[entry].slice] = np.asarray(value, dtype=float).ravel()
        self.mark_valid(entry)

    def mark_valid(self, entry: CacheEntry) -> None:
        self._marks[entry] = self._mark(entry)
        self._variable_versions[entry] = self._variable_versions.get(entry, 0) + 1

    def mark_invalid(self, entry: CacheEntry) -> None:
        """Have a lazy value computed anew when it is next asked for."""
        self._marks.pop(entry, None)
        self._variable_versions[entry] = self._variable_versions.get(entry, 0) + 1

    def _mark(self, entry: CacheEntry) -> tuple[int, ...]:
        return (self._versions[entry.earliest], *(self._version(each) for each in entry.prerequisites))

    def _version(self, prerequisite: DiscreteVariable | CacheEntry) -> int:
        if isinstance(prerequisite, CacheEntry) and prerequisite.computed_by is not None:
            return self._versions[prerequisite.computed_by]  # computed anew whenever that stage is
        return self._variable_versions.get(prerequisite, 0)

    def _ensure(self, entry: CacheEntry) -> None:
        self.require(entry.earliest, f"'{entry.name}'", entry.subsystem)
        for each in entry.prerequisites:
            if isinstance(each, CacheEntry):
                if each.computed_by is None:
                    self._ensure(each)
                else:
                    self.require(each.computed_by, f"'{each.name}'", each.subsystem)
        if self._marks.get(entry) == self._mark(entry):
            return
        sweep = self.layout.lazy_sweeps.get(entry)
        if sweep is not None:
            if entry.compute is not None:
                entry.compute(self)
            else:
                self.layout.run(sweep, self.values, self.system.as_text)
            self.mark_valid(entry)
        elif entry.compute is not None:
            self.set_cached(entry, entry.compute(self))
        else:
            raise StageError(
                f"'{entry.name}' is lazy and nothing is known that computes it; its subsystem must call state.set_cached first."
            )

    # allocation: by subsystems, in realize_topology and realize_model
    def allocate_q(self, subsystem: "Subsystem", initial: Sequence[float]) -> None:
        """Add coordinates of a subsystem; at MODEL."""
        self._allocate_continuous("q", subsystem, initial)

    def allocate_u(self, subsystem: "Subsystem", initial: Sequence[float]) -> None:
        """Add speeds of a subsystem; at MODEL."""
        self._allocate_continuous("u", subsystem, initial)

    def allocate_z(self, subsystem: "Subsystem", initial: Sequence[float]) -> None:
        """Add auxiliary variables of a subsystem; at MODEL."""
        self._allocate_continuous("z", subsystem, initial)

    def allocate_discrete_variable(self, subsystem: "Subsystem", name: str, value: Any, invalidates: Stage) -> DiscreteVariable:
        """A new discrete variable; at TOPOLOGY or MODEL.

        value        its start: floats, arrays of floats and booleans lie in State.values and can become parameters of an FMU; anything
                     else is kept as it is
        invalidates  MODEL or later
        """
        self._check_allocating(name)
        if invalidates < Stage.MODEL:
            raise InputError(
                f"discrete variable '{name}': it cannot invalidate {invalidates.name}; MODEL is the earliest stage with variables."
            )
        shape: tuple[int, ...] | None = None
        is_boolean = isinstance(value, (bool, np.bool_))
        if is_boolean or isinstance(value, float):
            shape = ()
        elif isinstance(value, np.ndarray) and value.dtype.kind == "f":
            shape = value.shape
        variable = DiscreteVariable(subsystem.index, len(self._allocated.discrete), name, invalidates, shape, is_boolean)
        self._allocated.discrete.append(variable)
        if shape is None:
            self._objects[variable] = value
        else:
            self._allocated.starts.setdefault(variable, value)
        return variable

    def allocate_cache_entry(
        self,
        subsystem: "Subsystem",
        name: str,
        earliest: Stage,
        *,
        shape: tuple[int, ...] | None = None,
        computed_by: Stage | None = None,
        prerequisites: Sequence[DiscreteVariable | CacheEntry] = (),
        compute: Callable[["State"], Any] | None = None,
    ) -> CacheEntry:
        """A new cache entry (see CacheEntry); at TOPOLOGY or MODEL."""
        self._check_allocating(name)
        if computed_by is not None and computed_by < earliest:
            raise InputError(f"cache entry '{name}': computed by {computed_by.name}, but it depends on {earliest.name}, which is later.")
        entry = CacheEntry(subsystem.index, len(self._allocated.entries), name, earliest, computed_by, shape, tuple(prerequisites), compute)
        self._allocated.entries.append(entry)
        return entry

    def _allocate_continuous(self, kind: str, subsystem: "Subsystem", initial: Sequence[float]) -> None:
        self._check_allocating(kind)
        if self._realizing != (subsystem.index, Stage.MODEL):
            raise StageError(
                f"subsystem '{subsystem.name}' allocates {kind} outside its realize_model: continuous variables are allocated there."
            )
        self._allocated.continuous[kind].setdefault(subsystem.index, []).extend(float(value) for value in initial)

    def _check_allocating(self, name: str) -> None:
        if self._realizing is None or self._realizing[1] > Stage.MODEL:
            raise StageError(f"'{name}' is allocated too late: a State takes new variables in realize_topology and realize_model only.")

    def begin_model(self) -> None:
        """Forget what was allocated at MODEL before. Called by System."""
        self._allocated = self._allocated.of_topology()

    def structure(self) -> tuple[Any, ...]:
        """What the layout depends on: all that was allocated, and the values of the MODEL-stage variables."""
        options = tuple(repr(self.get(each)) for each in self._allocated.discrete if each.invalidates == Stage.MODEL)
        return (*self._allocated.structure(), options)

    def new_layout(self) -> Layout:
        """A layout of what was allocated. Called by System when it has none of this structure."""
        return self._allocated.layout()

    def lay_out(self, layout: Layout) -> None:
        """Take the layout, with every variable at its start. Called by System."""
        self._layout = layout
        self.values = np.zeros(layout.size)
        for kind, slot in (("q", layout.q), ("u", layout.u), ("z", layout.z)):
            self.values[slot.slice] = [value for _, values in sorted(self._allocated.continuous[kind].items()) for value in values]
        for variable, value in self._allocated.starts.items():
            self.values[layout.slots[variable].slice] = np.asarray(value, dtype=float).ravel()
        for offset, value in layout.constants.items():
            self.values[offset] = value

    # copies
    def copy(self) -> "State":
        """An independent State with the same variables; what was computed must be realized anew."""
        self.layout  # noqa: B018 - raises before MODEL
        other = State.__new__(State)
        other.__dict__.update(self.__dict__)
        other.values = self.values.copy()
        other._allocated = self._allocated.copy()
        other._objects = dict(self._objects)
        other._subsystem_stages = [min(reached, Stage.MODEL) for reached in self._subsystem_stages]
        other._versions = dict(self._versions)
        other._variable_versions = dict(self._variable_versions)
        other._marks = {}
        return other

    __copy__ = copy

    def view(self, slot: Slot) -> np.ndarray:
        """A read-only view of part of `values`, in the slot's shape; nothing is checked."""
        view = self.values[slot.slice].reshape(slot.shape)
        view.flags.writeable = False
        return view

    def _write(self, slot: Slot, value: Any, name: str, invalidates: Stage) -> None:
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError) as error:
            raise InputError(f"'{name}' takes numbers, not {value!r}.") from error
        if array.shape != slot.shape and not (array.size == 1 and slot.size == 1):
            raise InputError(f"'{name}' has shape {slot.shape}, but a value of shape {array.shape} was given.")
        if not np.isfinite(array).all():
            raise InputError(f"'{name}' cannot be {value}: not a finite number.")
        self.values[slot.slice] = array.ravel()
        self.invalidate(invalidates)

    def check_belongs_to(self, system: "System") -> None:
        """Raise StateError for a State of another System, or of this one before its topology changed."""
        if self.system is not system:
            raise StateError(
                f"a State of System '{self.system.name}' was given to System '{system.name}'. Make one with its realize_topology()."
            )
        if self.topology_version != system.topology_version:
            raise StateError(
                f"the topology of System '{system.name}' changed after this State was made (a default_ value was set or an element added). "
                "Make a new one with realize_topology()."
            )
