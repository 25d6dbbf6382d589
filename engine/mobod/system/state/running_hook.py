"""Access of a user's hook to a State while the hook runs as plain Python."""

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import real_numbers
from mobod.errors import InputError, StageError
from mobod.system.stage import Stage
from mobod.system.stage_hooks import VariableOwner
from mobod.system.state.handles import CacheEntry, ContinuousVariable
from mobod.system.state.layout import Layout
from mobod.system.state.reading import Reader


@final
@dataclass
class RunningHook:
    """A user's hook that is running. accumulators: by purpose, arrays to which the hook adds."""

    subsystem: VariableOwner
    reader: Reader
    accumulators: dict[str, np.ndarray] = field(default_factory=dict)


class WithHooks:
    """The part of a State that users' hooks use while they run as plain Python."""

    values: np.ndarray
    reached: int
    _ahead: frozenset[int]
    _realizing: tuple[int, Stage] | None

    def __init__(self) -> None:
        self.hook: RunningHook | None = None
        self._rates_set: set[ContinuousVariable] = set()

    @property
    @abstractmethod
    def layout(self) -> Layout:
        """The layout of the State."""

    @contextmanager
    def running_hook(self, hook: RunningHook | None) -> Iterator[None]:
        """Context in which reads and writes of the State are checked for a user's hook."""
        outer, self.hook = self.hook, hook
        try:
            yield
        finally:
            self.hook = outer

    @contextmanager
    def at_procedure(self, reached: Stage, realizing: tuple[int, Stage, Collection[int]] | None) -> Iterator[None]:
        """Context in which a Python procedure works on numbers that the C runtime has computed.

        reached    the stage of all subsystems
        realizing  the subsystem that is being realized, its stage, and the subsystems that have already reached that stage
        """
        subsystem, stage, earlier = realizing or (-1, reached, ())
        self.reached, self._ahead = reached, frozenset(earlier)
        self._realizing = None if realizing is None else (subsystem, stage)
        try:
            yield
        finally:
            self._realizing = None

    def set_rate(self, variable: ContinuousVariable, value: ArrayLike) -> None:
        """Set the time derivative of a subsystem's own q, u or z, from its hook."""
        if self.hook is None:
            raise StageError(f"the rate of '{variable.name}' can be set only by a hook of its subsystem.")
        check_has_rate(variable, self.hook.subsystem, self.hook.reader)
        slot = self.layout.rate(self.layout.slot(variable))
        rate = checked_shape(value, variable.shape, f"rate of {variable.name}", self.hook.reader.about)
        self.values[slot.slice] = real_numbers(rate, f"the rate of '{variable.name}'").ravel()
        self._rates_set.add(variable)

    def has_rate(self, variable: ContinuousVariable) -> bool:
        """Whether a hook in plain Python has set the rate of this variable."""
        return variable in self._rates_set

    def accumulator(self, what: str, shape: tuple[int, ...], stage: Stage) -> np.ndarray:
        """An array to which the running hook of this stage adds values. It starts at zero, and each call returns the same array."""
        if self.hook is None:
            raise StageError(f"{what} can be added only by the hook of stage {stage.name}, during a realization.")
        check_accumulates(what, stage, self.hook.reader)
        return self.hook.accumulators.setdefault(what, np.zeros(shape))


def check_is_own(entry: CacheEntry, subsystem: VariableOwner, reader: Reader) -> None:
    """Raise StageError for an entry that belongs to another subsystem or is computed at another stage."""
    if entry.subsystem != subsystem.index:
        raise StageError(f"{reader.about}: '{entry.name}' belongs to another subsystem, and only that may set it.")
    if entry.computed_by is not None and entry.computed_by != reader.stage:
        raise StageError(
            f"{reader.about}: '{entry.name}' is computed at {entry.computed_by.name}, and cannot be set at {reader.stage.name}."
        )
    if entry.earliest > reader.stage:
        raise StageError(f"{reader.about}: '{entry.name}' depends on {entry.earliest.name}, and cannot be set at {reader.stage.name}.")


def check_has_rate(variable: object, subsystem: VariableOwner, reader: Reader) -> None:
    """Raise InputError for a variable without a rate, StageError for a variable of another subsystem or the wrong stage."""
    if not isinstance(variable, ContinuousVariable):
        raise InputError(f"{reader.about}: only handles of allocate_q, allocate_u and allocate_z have rates, not {variable!r}.")
    if variable.subsystem != subsystem.index:
        raise StageError(f"{reader.about}: '{variable.name}' belongs to another subsystem, and only that may set its rate.")
    earliest = Stage.VELOCITY if variable.kind == "q" else Stage.DYNAMICS
    if not earliest <= reader.stage <= Stage.ACCELERATION:
        raise StageError(
            f"{reader.about}: the rate of '{variable.name}' can be set at stages {earliest.name} to ACCELERATION, not at "
            f"{reader.stage.name}."
        )


def check_accumulates(what: str, stage: Stage, reader: Reader) -> None:
    """Raise StageError if the running hook is not that of the stage at which these sums are made."""
    if reader.stage != stage:
        raise StageError(f"{reader.about}: {what} can be added only by the hook of stage {stage.name}, not at {reader.stage.name}.")


def checked_shape(value: ArrayLike, shape: tuple[int, ...], name: str, about: str) -> np.ndarray:
    """The value as an array, of numbers or of recorded scalars."""
    array = np.asarray(value)
    if array.shape != shape:
        raise InputError(f"{about}: '{name}' has shape {shape}, but a value of shape {array.shape} is set.")
    return array


def attributes(owner: object) -> dict[str, tuple[int, ...]]:
    """For each attribute the identities of the object and of its contents, to detect changes."""
    return {name: (id(value), *map(id, _contents(value))) for name, value in vars(owner).items()}


def _contents(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return (*value.keys(), *value.values())
    return value if isinstance(value, (list, set)) else ()


def check_unchanged(owner: object, before: Mapping[str, tuple[int, ...]], about: str) -> None:
    """Raise StageError if a hook changed an attribute. `before`: result of `attributes` before the call."""
    after = attributes(owner)
    changed = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    if changed:
        raise StageError(
            f"{about} changes self.{changed[0]}, but a System must not change while States are realized. It may store handles from "
            "realize_topology. Get those from realize_model by state.handle(subsystem, name), and store everything that changes in the "
            "State."
        )
