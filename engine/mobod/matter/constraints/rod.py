"""Rod: two points at a fixed distance."""

from typing import final

import numpy as np

from mobod.matter.bodies.constrained_bodies import Body, seen_from_ground
from mobod.matter.constraint import Constraint
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.parameters import equations
from mobod.scalar import Array, norm
from mobod.system.elements import Parameter, VectorParameter, argument, parameter, parameter_of


@final
@equations
class RodEquations(ConstraintEquations):
    """Position error: the distance of the points less the length, m.

    It is the same seen from any body: measured from Ground, it needs no relative motion.

    moving  for the first and the second body its number among the followers, None if it is Ground
    """

    point1: tuple[float, ...] = parameter("m", "end on the first body, in its frame", shape=(3,))
    point2: tuple[float, ...] = parameter("m", "end on the second body, in its frame", shape=(3,))
    length: float = parameter("m", "distance of the ends", above=0.0)
    moving: tuple[int | None, ...]

    position_units = ("m",)

    def position_errors(self, motion: RelativeMotion) -> Array:
        points = (np.array(self.point1), np.array(self.point2))
        end1, end2 = (p if number is None else motion.X[number].apply(p) for number, p in zip(self.moving, points, strict=True))
        return np.array([norm(end2 - end1) - self.length])


@final
class Rod(Constraint):
    """A massless rod between a point of each body, whose multiplier is its tension (see RodEquations).

    point1, point2  (3,) m, in the frames of their bodies
    length          m, greater than 0
    """

    body1: Body = argument("the first body", kw_only=False)
    point1: VectorParameter = parameter_of(RodEquations, kw_only=False)
    set_point1, default_point1, set_default_point1 = point1.accessors
    body2: Body = argument("the second body", kw_only=False)
    point2: VectorParameter = parameter_of(RodEquations, kw_only=False)
    set_point2, default_point2, set_default_point2 = point2.accessors
    length: Parameter[float] = parameter_of(RodEquations, kw_only=False)
    set_length, default_length, set_default_length = length.accessors

    def __post_init__(self) -> None:
        ground, followers, moving = seen_from_ground("Rod", self.body1, self.body2)
        self._constrain(RodEquations(**self.parameter_values(), moving=moving), ground, followers)
