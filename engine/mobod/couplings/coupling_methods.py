"""The methods of a coupling that are recorded, and what they set."""

from collections.abc import Sequence
from typing import Protocol, Self

from mobod.couplings.records import CouplingConstraint, CouplingCoordinate
from mobod.scalar import Array, Scalar
from mobod.spatial import Transform


class CouplingMethods(Protocol):
    """The methods that a subclass of Coupling can write, and the variables that they set; base class of Coupling."""

    @property
    def constraints(self) -> Sequence[CouplingConstraint]: ...

    @property
    def coordinates(self) -> Sequence[CouplingCoordinate]: ...

    @property
    def regions(self) -> list[tuple[int, Scalar, Scalar, Scalar]]: ...

    @property
    def has_own_coordinates(self) -> bool: ...

    @property
    def likeness(self) -> object: ...

    def coordinates_to_TCD(self, coordinates: Array) -> Transform: ...

    def TCD_to_coordinates(self, TCD: Transform) -> Array: ...

    def project_to_constraints(self, TCD: Transform) -> Transform: ...

    def update_constraints(self, TGD: Transform, TCD: Transform, errC: Array, velGD: Array, update_engaged: bool) -> None: ...

    def in_recording(self, coordinates: Sequence[Scalar] | Array) -> Self: ...
