"""Handles: what subsystems get when they allocate, and what names a prerequisite. Plain data, the same for all States of a System."""

from dataclasses import dataclass
from enum import Enum
from math import prod
from typing import Any, Self, final

from mobod.system.stage import Stage


class Continuous(Enum):
    """Time and the continuous variables, as prerequisites of lazy values."""

    T = "time"
    Q = "q"
    U = "u"
    Z = "z"

    __hash__ = object.__hash__  # that of Enum takes ten times as long; all are changed in every evaluation of an integrator


@final
@dataclass(frozen=True)
class DiscreteVariable:
    """A handle: `number` counts the discrete variables of one System's State.

    invalidates  the stage that must be realized anew when the variable changes
    shape        of a number or an array of numbers, which lies in State.values; None: any other Python object
    update       of an auto-update variable: the entry with the value that becomes current at the start of the next step
    """

    subsystem: int
    number: int
    name: str
    invalidates: Stage
    shape: tuple[int, ...] | None
    is_boolean: bool = False
    update: "CacheEntry | None" = None

    def __hash__(self) -> int:
        return self.number  # looked up in every realization

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


@final
@dataclass(frozen=True)
class CacheEntry:
    """A handle of a computed value.

    earliest       the stage that the value depends on: it is lost whenever that stage is
    computed_by    the stage whose realization computes it; None: lazy, computed when it is asked for
    shape          of a number or an array of numbers, which lies in State.values; None: any other Python object
    prerequisites  what a lazy value depends on beside its stage
    """

    subsystem: int
    number: int
    name: str
    earliest: Stage
    computed_by: Stage | None
    shape: tuple[int, ...] | None
    prerequisites: "tuple[Prerequisite, ...]" = ()

    def __hash__(self) -> int:
        return ~self.number  # looked up in every realization; no variable has it

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


@final
@dataclass(frozen=True)
class ContinuousVariable:
    """A handle of a block of q, u or z that a subsystem has allocated.

    kind   "q", "u" or "z"
    first  its place among those of its kind that the subsystem has
    shape  () or (n,)
    """

    subsystem: int
    kind: str
    first: int
    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return prod(self.shape)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


@final
@dataclass(frozen=True, kw_only=True)
class Label:
    """What the catalogue states about a variable or a computed value in addition to its name; plain data.

    unit      one unit for all entries, or one for each
    is_input  of a discrete variable: whether it is meant to be set from outside during a run
    minimum, maximum
              of a discrete variable: bounds of values set by its name
    """

    unit: str | tuple[str, ...] = "1"
    description: str = ""
    is_input: bool = False
    minimum: float | None = None
    maximum: float | None = None

    @property
    def units(self) -> tuple[str, ...]:
        """The unit of each entry, or one for all of them."""
        return (self.unit,) if isinstance(self.unit, str) else self.unit


STAGE_OF_KIND = {"q": Stage.POSITION, "u": Stage.VELOCITY, "z": Stage.DYNAMICS}  # of a ContinuousVariable
Prerequisite = Continuous | DiscreteVariable | CacheEntry
Handle = DiscreteVariable | CacheEntry | ContinuousVariable
