"""Bodies as the tables of a tree see them."""

from typing import Protocol

from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.matter.equations.motion_equations import MotionEquations


class NumberedBody(Protocol):
    """Ground, which is 0, or a mobilized body."""

    name: str
    index: int


class KnownMotion(Protocol):
    """How a mobilizer moves; see Motion."""

    @property
    def equations(self) -> MotionEquations: ...


class TreeBody(NumberedBody, Protocol):
    """A body with the mobilizer that connects it to its parent; see MobilizedBody."""

    @property
    def parent(self) -> NumberedBody: ...

    @property
    def equations(self) -> MobilizerEquations: ...

    @property
    def nu(self) -> int: ...

    @property
    def motion(self) -> KnownMotion | None: ...
