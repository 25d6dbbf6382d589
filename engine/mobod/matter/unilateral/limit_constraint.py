"""LimitConstraint: what limits of coordinates and of tendons share, a value that stays between two bounds."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Self

import numpy as np

from mobod.arguments.real_numbers import real_number
from mobod.errors import InputError
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.equations.compliance import check_damping, check_does_not_bounce
from mobod.matter.equations.constraint_equations import ConstraintEquations
from mobod.matter.unilateral.unilateral import UnilateralConstraint
from mobod.scalar import Array, Scalar, Slot, minimum, where
from mobod.system import Layout, State
from mobod.system.elements import NO_BOUND, Parameter

LOWER, UPPER = range(2)


def opposite_bound(row: int) -> int:
    """The row of the other bound."""
    return UPPER if row == LOWER else LOWER


def parameters_of_bounds(unit: str, what: str) -> tuple[Parameter, Parameter]:
    """Those of the equations; what: "the coordinate"."""
    return (
        Parameter(name="lower", unit=unit, description=f"least value of {what}", is_bound=True),
        Parameter(name="upper", unit=unit, description=f"greatest value of {what}", is_bound=True),
    )


class LimitConstraint(UnilateralConstraint, ABC):
    """Its equations are the distances of a value from its lower bound, then from its upper one, with parameters 'lower' and 'upper'."""

    def __init__(
        self,
        equations: ConstraintEquations,
        mobilizers: tuple[MobilizedBody, ...],
        *,
        restitution: float,
        compliance: float,
        damping: float,
        name: str,
    ):
        super().__init__(equations, (), mobilizers, restitution=restitution, compliance=compliance, damping=damping, name=name)

    @property
    @abstractmethod
    def bounded(self) -> str:
        """The value, in words."""

    @property
    @abstractmethod
    def kind_of_limit(self) -> str:
        """Such as 'limit of a joint'."""

    @abstractmethod
    def value(self, state: State) -> float:
        """() m or rad: the value. Needs stage POSITION."""

    def _row_names(self) -> list[str]:
        owner, _, suffix = self.name.rpartition(".limit")
        return [f"{owner}.{which}_limit{suffix}" for which in ("lower", "upper")]

    @staticmethod
    def check_order(lower: float, upper: float, what: str) -> None:
        lower, upper = (real_number(bound, f"{what}: a bound") for bound in (lower, upper))
        if lower > upper:
            raise InputError(f"{what}: the lower bound, {lower:g}, is above the upper one, {upper:g}. Swap them.")
        if lower >= NO_BOUND or upper <= -NO_BOUND:
            raise InputError(f"{what}: no number lies between {lower:g} and {upper:g}. The lower bound may be -inf, and the upper one inf.")

    # bounds
    def bounds(self, state: State) -> tuple[float, float]:
        """(lower, upper), infinite if there is no bound."""
        lower, upper = (float(self.parameter(state, name)) for name in ("lower", "upper"))
        return lower if lower > -NO_BOUND else -np.inf, upper if upper < NO_BOUND else np.inf

    def set_bounds(self, state: State, lower: float, upper: float) -> Self:
        """Set the bounds in a State. Invalidates stage INSTANCE. Returns the element."""
        self.check_order(lower, upper, self.name)
        self.set_parameter(state, "lower", lower)
        self.set_parameter(state, "upper", upper)
        return self

    def set_defaults(self, lower: float, upper: float, restitution: float, compliance: float = 0.0, damping: float = 0.0) -> None:
        """Set default values. Topological: existing States become unusable. Raises InputError if rigid limits would become compliant, or
        the reverse.
        """
        self.check_order(lower, upper, self.name)
        if bool(compliance) != bool(self.compliant_rows):
            what = "have a compliance" if self.compliant_rows else "are rigid"
            raise InputError(f"'{self.name}': the limits {what} already. Choose this where they are first set.")
        given = {"lower": lower, "upper": upper}
        given |= {"compliance": compliance, "damping": damping} if compliance else {"restitution": restitution}
        check_damping(compliance, damping, self.name)
        if compliance:
            check_does_not_bounce(restitution, self.name)
        for name, value in given.items():
            self._parameter_named(name)[0].checked(value, f"{self.name}.{name}")  # check all before setting any
        for name, value in given.items():
            self.set_default_parameter(name, value)

    # quantities
    def engaged(self, state: State) -> int:
        """1 if the limit is active at the lower bound, -1 at the upper one, otherwise 0."""
        engaged = self.is_engaged(state)
        return int(engaged[LOWER]) - int(engaged[UPPER])

    def force(self, state: State) -> float:
        """Force along the value: positive from the lower bound, negative from the upper one. Needs stage ACCELERATION."""
        theta = self.contact_forces(state)
        return float(theta[LOWER] - theta[UPPER])

    def impulse(self, state: State) -> float:
        """The impulse of the last impact, with the sign of the force."""
        impulses = self.impulses(state)
        return float(impulses[LOWER] - impulses[UPPER])

    def distance(self, state: State) -> float:
        """The distance from the nearer bound. Needs stage POSITION."""
        distance = float(self.distances(state).min())
        return distance if distance < NO_BOUND / 2 else np.inf

    def where(self, state: State, row: int) -> str:
        unit, bound, bounded = self.equations.position_units[0], self.bounds(state)[row], self.bounded
        return f" {bounded[0].upper()}{bounded[1:]} is {self.value(state):.9g} {unit}, and its limit is {bound:.9g} {unit}."

    # catalogued variables
    def _shape_shown(self) -> tuple[int, ...]:
        return ()

    def _descriptions(self) -> dict[str, str]:
        of_limit = f"of {self.bounded}"
        return {
            "distance": f"distance {of_limit} from the nearer limit",
            "force": f"force of the limits {of_limit}",
            "engaged": f"1 at the lower limit {of_limit}, -1 at the upper one, else 0",
            "impulse": f"impulse of the last impact on the limits {of_limit}, below 0 from the upper one",
        }

    def _made_of(self, layout: Layout) -> dict[str, tuple[Callable[..., Array | Scalar], list[Slot]]]:
        distances, multipliers, flags = self.errors_slot(layout), self._multipliers_shown(layout), self._flags_shown(layout)
        return {
            "distance": (nearer, [distances[LOWER], distances[UPPER]]),
            "force": (difference, [multipliers[UPPER], multipliers[LOWER]]),
            "engaged": (engaged_side, [whole[row] for whole in flags for row in (LOWER, UPPER)]),
            "impulse": (difference, [self.impulse_slot(LOWER, layout), self.impulse_slot(UPPER, layout)]),
        }


def nearer(lower: Scalar, upper: Scalar) -> Scalar:
    return minimum(lower, upper)


def difference(a: Scalar, b: Scalar) -> Scalar:
    return a - b


def engaged_side(lower: Scalar, upper: Scalar, *compliant_forces: Scalar) -> Scalar:
    """1 if the lower row is active, -1 if the upper one is, 0 if neither is."""
    if compliant_forces:
        lower, upper = (where(force > 0, 1.0, held) for held, force in zip((lower, upper), compliant_forces, strict=True))
    return lower - upper
