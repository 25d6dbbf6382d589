"""The part of a State with which subsystems allocate variables and cache entries in realize_topology and realize_model."""

from collections.abc import Callable, Sequence
from typing import Any, Self, TypeVar

import numpy as np

from mobod.arguments.real_numbers import real_numbers
from mobod.errors import DuplicateNameError, InputError, StageError, UnknownNameError, UnsupportedError
from mobod.system.boundary import checked_stage
from mobod.system.names import check_characters
from mobod.system.stage import Stage
from mobod.system.stage_hooks import StageHooks, VariableOwner
from mobod.system.state.allocations import Allocations
from mobod.system.state.encoding import encode
from mobod.system.state.handles import STAGE_OF_KIND, CacheEntry, ContinuousVariable, DiscreteVariable, Handle, Label, Prerequisite
from mobod.system.state.layout import Layout
from mobod.system.state.saved_numbers import Numbers
from mobod.system.state.values import read_only

H = TypeVar("H", bound=Handle)
_NO_LABEL = Label()


class Allocating:
    """The variables and computed values that subsystems have allocated in a State, and the subsystem that is allocating now."""

    _computations: dict[CacheEntry, Callable[[Self], object]]  # of lazy entries without a sweep, or that do more than run it

    def __init__(self) -> None:
        self._allocated = Allocations()
        self._computations = {}
        self._objects: dict[DiscreteVariable | CacheEntry, object] = {}
        self._realizing: tuple[int, Stage] | None = None

    def allocate_q(
        self, subsystem: StageHooks, initial: Sequence[float] | float, name: str = "q", *, label: Label = _NO_LABEL
    ) -> ContinuousVariable:
        """Allocate coordinates of a subsystem in its realize_model. A single number as start value makes a variable of shape ()."""
        return self._allocate_continuous("q", subsystem, initial, name, label)

    def allocate_u(
        self, subsystem: StageHooks, initial: Sequence[float] | float, name: str = "u", *, label: Label = _NO_LABEL
    ) -> ContinuousVariable:
        """Allocate speeds of a subsystem in its realize_model. A single number as start value makes a variable of shape ()."""
        return self._allocate_continuous("u", subsystem, initial, name, label)

    def allocate_z(
        self, subsystem: StageHooks, initial: Sequence[float] | float, name: str = "z", *, label: Label = _NO_LABEL
    ) -> ContinuousVariable:
        """Allocate auxiliary variables of a subsystem in its realize_model. A single number as start value makes a variable of shape ()."""
        return self._allocate_continuous("z", subsystem, initial, name, label)

    def allocate_discrete_variable(
        self,
        subsystem: StageHooks,
        name: str,
        value: object,
        invalidates: Stage | str,
        *,
        label: Label = _NO_LABEL,
        numbers: Sequence[Numbers] = (),
    ) -> DiscreteVariable:
        """Allocate a discrete variable in realize_topology or realize_model; in realize_topology if it invalidates MODEL.

        value        start value. Floats, arrays of floats and booleans are stored in State.values and can become parameters of an FMU;
                     other
                     objects are stored as they are
        invalidates  MODEL or later
        numbers      valid numbers in a saved State, if some are indices, counts or the like; default: all finite numbers
        """
        stage = checked_stage(invalidates, f"discrete variable '{name}'")
        variable = self._labelled(self._add_discrete_variable(subsystem, name, value, stage), label)
        if numbers:
            self._allocated.numbers[variable] = tuple(numbers)
        return variable

    def allocate_auto_update_discrete_variable(
        self, subsystem: StageHooks, name: str, value: object, invalidates: Stage | str, *, update_depends_on: Stage | str
    ) -> DiscreteVariable:
        """Allocate a discrete variable whose next value is computed during a step and becomes current at the start of the next step.

        invalidates        later than MODEL
        update_depends_on  the stage whose invalidation discards the next value

        A hook sets the next value by state.set_cached(variable.update, value). If the next value is not valid at the start of a step, the
        variable keeps its value. See System.auto_update_discrete_variables.
        """
        self._check_allocating(name)
        invalidates, update_depends_on = (checked_stage(each, f"discrete variable '{name}'") for each in (invalidates, update_depends_on))
        if invalidates <= Stage.MODEL:
            raise InputError(
                f"discrete variable '{name}' cannot invalidate {invalidates.name}: it changes during a run, "
                "which fixes the set of variables."
            )
        update = self._add_cache_entry(subsystem.as_subsystem, f"update of {name}", update_depends_on, shape=_form(value)[0])
        return self._add_discrete_variable(subsystem, name, value, invalidates, update)

    def allocate_cache_entry(
        self,
        subsystem: StageHooks,
        name: str,
        earliest: Stage | str,
        *,
        shape: tuple[int, ...] | None = None,
        computed_by: Stage | str | None = None,
        prerequisites: Sequence[Prerequisite] = (),
        compute: Callable[[Self], object] | None = None,
        label: Label = _NO_LABEL,
    ) -> CacheEntry:
        """Allocate a cache entry (see CacheEntry) in realize_topology or realize_model.

        prerequisites  of a lazy value: Continuous.T, Q, U, Z, discrete variables and other entries
        compute        function of a State that computes a lazy value. It returns the value or, if the entry has a sweep, runs the sweep. If
                       the subsystem's hooks are recorded, it returns numbers and is recorded too
        """
        owner = subsystem.as_subsystem
        first, computed = (None if each is None else checked_stage(each, f"cache entry '{name}'") for each in (earliest, computed_by))
        assert first is not None
        entry = self._add_cache_entry(owner, name, first, shape, computed, prerequisites)
        if compute is not None and owner.records_hooks and shape is not None:
            self._allocated.recorded[entry] = compute
        elif compute is not None:
            self._computations[entry] = compute
        return self._labelled(entry, label)

    def allocate_q_error(self, subsystem: StageHooks, n: int, name: str = "q_error", *, label: Label = _NO_LABEL) -> CacheEntry:
        """Allocate n constraint errors of a subsystem's own coordinates, in realize_topology or realize_model. realize_position sets them,
        and runs keep them at 0.
        """
        return self._allocate_error("q", subsystem, n, name, label)

    def allocate_u_error(self, subsystem: StageHooks, n: int, name: str = "u_error", *, label: Label = _NO_LABEL) -> CacheEntry:
        """Allocate n constraint errors of a subsystem's own speeds, in realize_topology or realize_model. realize_velocity sets them, and
        runs keep them at 0.
        """
        return self._allocate_error("u", subsystem, n, name, label)

    def allocate_u_dot_error(self, subsystem: StageHooks, n: int, name: str = "u_dot_error", *, label: Label = _NO_LABEL) -> CacheEntry:
        """Not supported, since nothing can enforce errors of u_dot. Raises UnsupportedError."""
        raise UnsupportedError(
            f"subsystem '{subsystem.as_subsystem.name}' allocates constraint errors '{name}' of u_dot, which the engine cannot enforce. "
            "Set "
            "the rates of the subsystem's u so that they satisfy the equation. To restrict accelerations of bodies, use a CustomConstraint "
            "with "
            "acceleration_errors, which has multipliers."
        )

    def handle(self, subsystem: StageHooks, name: str) -> Any:
        """The variable or cache entry that a subsystem allocated under this name. Needed for those of realize_model. Raises
        UnknownNameError.
        """
        return found_handle(self._allocated.handles, subsystem, name)

    @property
    def discrete_variables(self) -> list[DiscreteVariable]:
        """All discrete variables, in the order of allocation."""
        return list(self._allocated.discrete)

    @property
    def auto_update_variables(self) -> list[DiscreteVariable]:
        """All auto-update variables, in the order of allocation."""
        return [variable for variable in self._allocated.discrete if variable.update is not None]

    def has_computation(self, entry: CacheEntry) -> bool:
        """Whether a function, not a sweep, computes this lazy value."""
        return entry in self._computations

    # for System
    def allocate_jacobians(self, subsystem: VariableOwner) -> None:
        """Allocate the Jacobians of a subsystem's constraint errors, after all its variables are allocated."""
        for entry, kind in self._allocated.errors.items():
            if entry.subsystem == subsystem.index:
                n = len(self._allocated.continuous[kind].get(subsystem.index, []))
                assert entry.shape is not None
                self._add_cache_entry(subsystem, jacobian_name(entry), entry.earliest, (*entry.shape, n), entry.earliest)

    def begin_model(self) -> None:
        """Remove everything that was allocated at MODEL."""
        self._allocated = self._allocated.of_topology()
        kept = {*self._allocated.discrete, *self._allocated.entries}
        self._objects = {handle: value for handle, value in self._objects.items() if handle in kept}
        self._computations = {entry: compute for entry, compute in self._computations.items() if entry in kept}

    def structure(self) -> tuple[object, ...]:
        """Key of the layout: everything that was allocated, and the values of the MODEL-stage variables."""
        return (*self._allocated.structure(), tuple(_key(value) for value in self._options().values()))

    def new_layout(self) -> Layout:
        """Make a layout of everything that was allocated."""
        layout = self._allocated.layout()
        layout.options = self._options()
        return layout

    # internal
    def _computation(self, entry: CacheEntry) -> Callable[[Self], object]:
        """The function that computes a lazy value."""
        return self._computations[entry]

    def _options(self) -> dict[DiscreteVariable, Any]:
        """The values of the MODEL-stage variables."""
        return {
            each: self._objects[each] if each.shape is None else self._allocated.starts[each]
            for each in self._allocated.discrete
            if each.invalidates == Stage.MODEL
        }

    def _add_discrete_variable(
        self, subsystem: StageHooks, name: str, value: Any, invalidates: Stage, update: CacheEntry | None = None
    ) -> DiscreteVariable:
        self._check_allocating(name)
        owner = subsystem.as_subsystem
        if invalidates < Stage.MODEL:
            raise InputError(f"discrete variable '{name}': it cannot invalidate {invalidates.name}, since variables exist from MODEL on.")
        if invalidates == Stage.MODEL and self._realizing == (owner.index, Stage.MODEL):
            raise StageError(
                f"discrete variable '{name}' invalidates MODEL, and so would delete itself. "
                "Allocate it in realize_topology, not realize_model."
            )
        shape, is_boolean = _form(value)
        variable = DiscreteVariable(owner.index, len(self._allocated.discrete), name, invalidates, shape, is_boolean, update)
        self._allocated.discrete.append(variable)
        if shape is None:
            self._objects[variable] = value
        else:
            self._allocated.starts[variable] = read_only(value)
        return variable

    def _add_cache_entry(
        self,
        subsystem: VariableOwner,
        name: str,
        earliest: Stage,
        shape: tuple[int, ...] | None,
        computed_by: Stage | None = None,
        prerequisites: Sequence[Prerequisite] = (),
    ) -> CacheEntry:
        self._check_allocating(name)
        if computed_by is not None and computed_by < earliest:
            raise InputError(
                f"cache entry '{name}': it is computed at {computed_by.name}, but depends on {earliest.name}, which is a later stage."
            )
        entry = CacheEntry(subsystem.index, len(self._allocated.entries), name, earliest, computed_by, shape, tuple(prerequisites))
        self._allocated.entries.append(entry)
        return entry

    def _allocate_error(self, kind: str, subsystem: StageHooks, n: int, name: str, label: Label) -> CacheEntry:
        owner, stage = subsystem.as_subsystem, STAGE_OF_KIND[kind]
        if not owner.records_hooks:
            raise UnsupportedError(
                f"subsystem '{owner.name}' allocates constraint errors '{name}', but its hooks run as plain Python, so that the errors "
                "have no "
                "derivatives and cannot be enforced. Let its hooks be recorded."
            )
        entry = self.allocate_cache_entry(subsystem, name, stage, shape=(n,), computed_by=stage, label=label)
        self._allocated.errors[entry] = kind
        return entry

    def _labelled(self, handle: H, label: Label) -> H:
        if label is not _NO_LABEL:
            self._allocated.labels[handle] = label
        return handle

    def _allocate_continuous(
        self, kind: str, subsystem: StageHooks, initial: Sequence[float] | float, name: str, label: Label
    ) -> ContinuousVariable:
        self._check_allocating(name)
        owner = subsystem.as_subsystem
        if self._realizing != (owner.index, Stage.MODEL):
            raise StageError(
                f"subsystem '{owner.name}' allocates {kind} outside realize_model. Allocate continuous variables in realize_model."
            )
        starts = real_numbers(initial, f"{kind} '{name}' of subsystem '{owner.name}'")
        if starts.ndim > 1:
            raise InputError(f"{kind} '{name}' of subsystem '{owner.name}' starts with a number or a list of numbers, not {initial!r}.")
        of_subsystem = self._allocated.continuous[kind].setdefault(owner.index, [])
        block = ContinuousVariable(owner.index, kind, len(of_subsystem), name, starts.shape)
        of_subsystem.extend(starts.ravel().tolist())
        self._allocated.blocks.append(block)
        return self._labelled(block, label)

    def _check_allocating(self, name: str) -> None:
        if self._realizing is None or self._realizing[1] > Stage.MODEL:
            raise StageError(f"'{name}' is allocated too late. Allocate variables in realize_topology or realize_model.")
        check_characters(name, "a variable or computed value")


def jacobian_name(errors: CacheEntry) -> str:
    """Of the entry with the derivatives of constraint errors."""
    return f"{errors.name}.jacobian"


def found_handle(handles: Sequence[Handle], subsystem: StageHooks, name: str) -> Handle:
    """The handle of a subsystem with this name. Raises UnknownNameError, and DuplicateNameError if several have the name."""
    owner = subsystem.as_subsystem
    own = [each for each in handles if each.subsystem == owner.index]
    found = [each for each in own if each.name == name]
    if not found:
        raise UnknownNameError(f"variable or computed value of subsystem '{owner.name}'", name, [each.name for each in own])
    if len(found) > 1:
        raise DuplicateNameError(
            f"subsystem '{owner.name}' has allocated {len(found)} variables or computed values named '{name}'. Give each its own name."
        )
    return found[0]


def _form(value: object) -> tuple[tuple[int, ...] | None, bool]:
    """The shape of a float, bool or array of floats, None for any other object; and whether it is a bool."""
    if isinstance(value, (bool, np.bool_)):
        return (), True
    if isinstance(value, float):
        return (), False
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value.shape, False
    return None, False


def _key(value: object) -> bytes | str:
    """A key that differs for different values."""
    try:
        return encode(value)
    except UnsupportedError:
        return repr(value)
