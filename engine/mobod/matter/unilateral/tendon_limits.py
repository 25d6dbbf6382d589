"""TendonLimitConstraint: the length of a fixed tendon stays between two bounds."""

# Decision: docs/decisions/187-drives.md

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.unilateral.limit_constraint import LimitConstraint, opposite_bound, parameters_of_bounds
from mobod.scalar import Array, Scalar, Slot
from mobod.system import CatalogueVariable, Layout, State
from mobod.system.elements import Parameter

COEFFICIENTS = "coefficients"


@final
@dataclass(frozen=True)
class TendonLimitsEquations(ConstraintEquations):
    """Distances of a length, the sum of coefficients times coordinates, from its lower bound, then from its upper one.

    terms              for each coefficient (number of the mobilizer, number of the coordinate)
    unit               of the length
    coefficient_units  of each coefficient
    """

    terms: tuple[tuple[int, int], ...]
    unit: str
    coefficient_units: tuple[str, ...]
    coefficients: tuple[float, ...]
    lower: float
    upper: float

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        text, shape = "coefficients of the coordinates", (len(self.terms),)
        coefficients: Parameter = Parameter(name=COEFFICIENTS, unit=self.coefficient_units, description=text, shape=shape)
        return (coefficients, *parameters_of_bounds(self.unit, "the length"))

    @property
    def position_units(self) -> tuple[str, ...]:
        return (self.unit, self.unit)

    @property
    def coordinates(self) -> tuple[tuple[int, int], ...]:
        return self.terms

    def opposite(self, row: int) -> int:
        return opposite_bound(row)

    def position_errors(self, motion: RelativeMotion) -> Array:
        length = combination(self.coefficients, *(motion.q[body][at] for body, at in self.terms))
        return np.array([length - self.lower, self.upper - length])


@final
class TendonLimitConstraint(LimitConstraint):
    """Bounds of the length of a FixedTendon, which they share the coefficients with. Made by tendon.set_limits, which describes the
    bounds.

    tendon        its name
    bodies        for each term the body that has the coordinate
    coordinates   for each term the number of the coordinate, whose rate is a speed
    coefficients  for each term
    unit          of the length: "m" or "rad"
    """

    kind_of_limit = "limit of a tendon"

    def __init__(
        self,
        tendon: str,
        bodies: Sequence[MobilizedBody],
        coordinates: Sequence[int],
        coefficients: Sequence[float],
        unit: str,
        lower: float,
        upper: float,
        restitution: float = 0.0,
        compliance: float = 0.0,
        damping: float = 0.0,
    ):
        what = f"set_limits of tendon '{tendon}'"
        self.tendon, self.unit, self.coordinates, self.terms_on = tendon, unit, tuple(coordinates), tuple(bodies)
        mobilizers = tuple(dict.fromkeys(bodies))
        terms = tuple((mobilizers.index(body), at) for body, at in zip(bodies, coordinates, strict=True))
        units = units_of_coefficients(unit, bodies, coordinates)
        equations = TendonLimitsEquations(terms, unit, units, tuple(coefficients), lower, upper).checked(what)
        self.check_order(equations.lower, equations.upper, what)
        name = f"{tendon}.limit"
        super().__init__(equations, mobilizers, restitution=restitution, compliance=compliance, damping=damping, name=name)

    @property
    def bounded(self) -> str:
        """The length, in words."""
        return f"the length of tendon '{self.tendon}'"

    def value(self, state: State) -> float:
        """() m or rad: the length. At any stage."""
        q = [body.q(state)[at] for body, at in zip(self.terms_on, self.coordinates, strict=True)]
        return float(self.parameter(state, COEFFICIENTS) @ np.array(q))

    def set_default_parameter(self, name: str, value: ArrayLike) -> None:
        """As of other constraints. Raises InputError for the coefficients, which are the tendon's."""
        if name == COEFFICIENTS:
            raise InputError(f"'{self.name}': its coefficients are those that tendon '{self.tendon}' is made with.")
        super().set_default_parameter(name, value)

    def coefficients_slot(self, layout: Layout) -> Slot:
        """(terms,) where the coefficients lie, which are the tendon's too."""
        parameter, start = self._parameter_named(COEFFICIENTS)
        first = self.matter.constraint_sweeps(layout).part(self, "constraint_parameters").offset
        return Slot(first + start, parameter.shape)

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """Those of limits; the tendon has the coefficients."""
        return [each for each in super().variables(layout) if each.name != f"{self.name}.{COEFFICIENTS}"]


def combination(coefficients: Array | Sequence[Scalar], *terms: Scalar) -> Scalar:
    """The length of a tendon by coordinates, or its rate by speeds."""
    return sum(coefficient * term for coefficient, term in zip(coefficients, terms, strict=True))


def units_of_coefficients(unit: str, bodies: Sequence[MobilizedBody], coordinates: Sequence[int]) -> tuple[str, ...]:
    """Those of a length in this unit, for each term."""
    of_coordinates = (body.equations.q_units[at] for body, at in zip(bodies, coordinates, strict=True))
    return tuple("1" if each == unit else f"{unit}/{each}" for each in of_coordinates)
