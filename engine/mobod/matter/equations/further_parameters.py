"""Equations that add parameters to other equations."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self, final

import numpy as np

from mobod.matter.equations.compliance import Compliance
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion, Repeated
from mobod.scalar import Array, Scalar
from mobod.system.elements import Parameter


@dataclass(frozen=True)
class FurtherParameters(ConstraintEquations, ABC):
    """The position errors of other equations, `of`, with further parameters after theirs."""

    of: ConstraintEquations

    @property
    @abstractmethod
    def further(self) -> tuple[Parameter, ...]:
        """The further parameters."""

    @property
    @abstractmethod
    def further_values(self) -> Sequence[float]:
        """The values of the further parameters, one number each."""

    @abstractmethod
    def replaced(self, of: ConstraintEquations, values: Sequence[Scalar] | Array) -> Self:
        """The same with other equations, and other values of the further parameters."""

    @final
    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        return (*self.of.parameters, *self.further)

    @final
    def parameter_values(self) -> np.ndarray:
        return np.append(self.of.parameter_values(), self.further_values)

    @final
    def with_parameters(self, values: Sequence[Scalar] | Array) -> Self:
        n = self.of.n_parameters
        return self.replaced(self.of.with_parameters(values[:n]), values[n:])

    @final
    @property
    def repeated(self) -> Repeated | None:
        of = self.of.repeated
        return None if of is None else replace(of, one=replace(self, of=of.one))

    @final
    @property
    def n_decided(self) -> int:
        return self.of.n_decided

    @final
    def with_decided(self, values: Array) -> Self:
        return replace(self, of=self.of.with_decided(values))

    @property
    def position_units(self) -> tuple[str, ...]:
        return self.of.position_units

    @property
    def coordinates(self) -> tuple[tuple[int, int], ...]:
        return self.of.coordinates

    @property
    def compliance(self) -> Compliance | None:
        return self.of.compliance

    def position_errors(self, motion: RelativeMotion) -> Array:
        return self.of.position_errors(motion)

    def opposite(self, row: int) -> int | None:
        return self.of.opposite(row)


@final
@dataclass(frozen=True)
class CompliantEquations(FurtherParameters):
    """Equations of which some rows are compliant."""

    given: Compliance

    @property
    def compliance(self) -> Compliance:
        return self.given

    @property
    def further(self) -> tuple[Parameter, ...]:
        return self.given.parameters

    @property
    def further_values(self) -> Sequence[float]:
        return self.given.values

    def replaced(self, of: ConstraintEquations, values: Sequence[Scalar] | Array) -> Self:
        return type(self)(of, self.given.with_values(values))
