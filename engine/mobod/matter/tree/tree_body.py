"""The interfaces of bodies that the tables of a tree use."""

from typing import Protocol

from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.matter.equations.motion_equations import PrescribedEquations


class NumberedBody(Protocol):
    """Ground, with index 0, or a mobilized body."""

    name: str
    index: int


class KnownMotion(Protocol):
    """The interface of a Motion that the tables of a tree use."""

    @property
    def equations(self) -> PrescribedEquations: ...


class TreeBody(NumberedBody, Protocol):
    """The interface of a MobilizedBody that the tables of a tree use."""

    @property
    def parent(self) -> NumberedBody: ...

    @property
    def equations(self) -> MobilizerEquations: ...

    @property
    def nu(self) -> int: ...

    @property
    def motion(self) -> KnownMotion | None: ...
