"""CoordinateLimitConstraint: a coordinate stays between two bounds."""

from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.errors import UnsupportedError
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.bodies.constrained_bodies import checked_index
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.unilateral.limit_constraint import LimitConstraint, opposite_bound, parameters_of_bounds
from mobod.scalar import Array
from mobod.system import State
from mobod.system.elements import Parameter


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
        return parameters_of_bounds(self.unit, "the coordinate")

    @property
    def position_units(self) -> tuple[str, ...]:
        return (self.unit, self.unit)

    @property
    def coordinates(self) -> tuple[tuple[int, int], ...]:
        return ((0, self.coordinate),)

    def opposite(self, row: int) -> int:
        return opposite_bound(row)

    def position_errors(self, motion: RelativeMotion) -> Array:
        q = motion.q[0][self.coordinate]
        return np.array([q - self.lower, self.upper - q])


@final
class CoordinateLimitConstraint(LimitConstraint):
    """Bounds of a coordinate whose rate is a speed. Made by body.set_limits, which describes the arguments."""

    kind_of_limit = "limit of a joint"

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
        self.check_order(equations.lower, equations.upper, what)
        self.body, self.coordinate = body, coordinate
        name = f"{body.name}.limit" if body.nq == 1 else f"{body.name}.limit_{coordinate}"
        super().__init__(equations, (body,), restitution=restitution, compliance=compliance, damping=damping, name=name)

    @property
    def bounded(self) -> str:
        """The coordinate, in words."""
        return f"coordinate {self.coordinate} of '{self.body.name}'"

    def value(self, state: State) -> float:
        """() m or rad: the coordinate. At any stage."""
        return float(self.body.q(state)[self.coordinate])
