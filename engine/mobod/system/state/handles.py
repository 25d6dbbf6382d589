"""Handles of allocated variables and cache entries. Plain data, the same for all States of a System."""

from dataclasses import dataclass
from enum import Enum
from math import prod
from typing import Self, final

from mobod.system.stage import Stage


class Continuous(Enum):
    """Time and the continuous variables, as prerequisites of lazy values."""

    T = "time"
    Q = "q"
    U = "u"
    Z = "z"

    __hash__ = object.__hash__  # Enum's hash is ten times slower, and all are changed in every evaluation of an integrator


@final
@dataclass(frozen=True)
class DiscreteVariable:
    """Handle of a discrete variable. `number` counts the discrete variables of a System's State.

    invalidates  the stage that a change of the variable invalidates
    shape        of a number or an array of numbers, stored in State.values; None: any other Python object
    update       of an auto-update variable: the cache entry of its next value
    """

    subsystem: int
    number: int
    name: str
    invalidates: Stage
    shape: tuple[int, ...] | None
    is_boolean: bool = False
    update: "CacheEntry | None" = None

    def __hash__(self) -> int:
        return self.number  # fast: looked up in every realization

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self


@final
@dataclass(frozen=True)
class CacheEntry:
    """Handle of a computed value.

    earliest       the stage that the value depends on: invalidating this stage invalidates the value
    computed_by    the stage whose realization computes it; None: lazy, computed when it is read
    shape          of a number or an array of numbers, stored in State.values; None: any other Python object
    prerequisites  further dependencies of a lazy value
    """

    subsystem: int
    number: int
    name: str
    earliest: Stage
    computed_by: Stage | None
    shape: tuple[int, ...] | None
    prerequisites: "tuple[Prerequisite, ...]" = ()

    def __hash__(self) -> int:
        return ~self.number  # fast: looked up in every realization; no variable has this hash

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self


@final
@dataclass(frozen=True)
class ContinuousVariable:
    """Handle of a subsystem's q, u or z, or of a part of it.

    kind   "q", "u" or "z"
    first  index of its first entry in the subsystem's q, u or z
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

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self


@final
@dataclass(frozen=True, kw_only=True)
class Label:
    """What the catalogue states about a variable or a computed value in addition to its name; plain data.

    unit      one unit for all entries, or one for each
    is_input  of a discrete variable: whether it is meant to be set from outside during a run
    minimum, maximum
              of a discrete variable: bounds of values set by its name
    scale     of coordinates, speeds and auxiliary variables: the size beside which errors are small or large, for all entries or one for
              each; default: that of the unit (docs/numerics/integrators.md)
    """

    unit: str | tuple[str, ...] = "1"
    description: str = ""
    is_input: bool = False
    minimum: float | None = None
    maximum: float | None = None
    scale: float | tuple[float, ...] | None = None

    @property
    def scales(self) -> tuple[float, ...]:
        """The scale of each entry, or one for all of them; empty: those of the units."""
        return () if self.scale is None else self.scale if isinstance(self.scale, tuple) else (self.scale,)

    @property
    def units(self) -> tuple[str, ...]:
        """The unit of each entry, or one for all of them."""
        return (self.unit,) if isinstance(self.unit, str) else self.unit


STAGE_OF_KIND = {"q": Stage.POSITION, "u": Stage.VELOCITY, "z": Stage.DYNAMICS}  # stage that a change of a ContinuousVariable invalidates
Prerequisite = Continuous | DiscreteVariable | CacheEntry
Handle = DiscreteVariable | CacheEntry | ContinuousVariable
