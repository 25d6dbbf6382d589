"""CoordinateLimitConstraint: a coordinate stays between two bounds."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self, final

import numpy as np

from mobod.arguments.real_numbers import real_number
from mobod.errors import InputError, UnsupportedError
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.bodies.constrained_bodies import checked_index
from mobod.matter.equations.compliance import check_damping, check_does_not_bounce
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.unilateral.unilateral import UnilateralConstraint
from mobod.scalar import Array, Scalar, Slot, minimum, where
from mobod.system import Layout, State
from mobod.system.elements import NO_BOUND, Parameter

LOWER, UPPER = range(2)


@final
@dataclass(frozen=True)
class CoordinateLimitsEquations(ConstraintEquations):
    """Distances of a coordinate from its lower bound, then from its upper bound, in the unit of the coordinate."""

    coordinate: int
    unit: str
    lower: float
    upper: float

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return (
            Parameter(name="lower", unit=self.unit, description="least value of the coordinate", is_bound=True),
            Parameter(name="upper", unit=self.unit, description="greatest value of the coordinate", is_bound=True),
        )

    @property
    def position_units(self) -> tuple[str, ...]:
        return (self.unit, self.unit)

    @property
    def coordinates(self) -> tuple[tuple[int, int], ...]:
        return ((0, self.coordinate),)

    def opposite(self, row: int) -> int:
        return UPPER if row == LOWER else LOWER

    def position_errors(self, motion: RelativeMotion) -> Array:
        q = motion.q[0][self.coordinate]
        return np.array([q - self.lower, self.upper - q])


@final
class CoordinateLimitConstraint(UnilateralConstraint):
    """Bounds of a coordinate whose rate is a speed. Made by body.set_limits, which describes the arguments."""

    def __init__(
        self,
        body: MobilizedBody,
        coordinate: int,
        lower: float,
        upper: float,
        restitution: float,
        compliance: float = 0.0,
        damping: float = 0.0,
    ):
        what = f"set_limits of '{body.name}'"
        checked_index(coordinate, body.equations.nq, body, what, "coordinates")
        if body.equations.quaternion_at is not None or body.equations.speed_of[coordinate] is None:
            raise UnsupportedError(
                f"{what}: the rate of coordinate {coordinate} of a {type(body).__name__} is not one of its speeds. Limit "
                "a mobilizer whose q_dot is u (Pin, Slider, Universal, Planar, Translation, Bushing, ...), or write the distance as "
                "a UnilateralConstraint."
            )
        equations = CoordinateLimitsEquations(coordinate, body.equations.q_units[coordinate], lower, upper).checked(what)
        self._check_order(equations.lower, equations.upper, what)
        self.body, self.coordinate = body, coordinate
        name = f"{body.name}.limit" if body.nq == 1 else f"{body.name}.limit_{coordinate}"
        super().__init__(equations, (), (body,), restitution=restitution, compliance=compliance, damping=damping, name=name)

    def _row_names(self) -> list[str]:
        suffix = self.name.removeprefix(f"{self.body.name}.limit")
        return [f"{self.body.name}.{which}_limit{suffix}" for which in ("lower", "upper")]

    @staticmethod
    def _check_order(lower: float, upper: float, what: str) -> None:
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
        self._check_order(lower, upper, self.name)
        self.set_parameter(state, "lower", lower)
        self.set_parameter(state, "upper", upper)
        return self

    def set_defaults(self, lower: float, upper: float, restitution: float, compliance: float = 0.0, damping: float = 0.0) -> None:
        """Set default values. Topological: existing States become unusable. Raises InputError if rigid limits would become compliant, or
        the reverse.
        """
        self._check_order(lower, upper, self.name)
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
        """Generalized force on the coordinate: positive from the lower bound, negative from the upper one. Needs stage ACCELERATION."""
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
        unit, q, bound = self.equations.position_units[0], self.body.q(state)[self.coordinate], self.bounds(state)[row]
        return f" Coordinate {self.coordinate} of '{self.body.name}' is {q:.9g} {unit}, and its limit is {bound:.9g} {unit}."

    # catalogued variables
    def _shape_shown(self) -> tuple[int, ...]:
        return ()

    def _descriptions(self) -> dict[str, str]:
        of_limit = f"of coordinate {self.coordinate} of '{self.body.name}' ({type(self.body).__name__})"
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
