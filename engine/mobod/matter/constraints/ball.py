"""BallConstraint: two points coincide."""

from typing import final

import numpy as np

from mobod.matter.bodies.constrained_bodies import Body
from mobod.matter.constraint import Constraint
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.parameters import equations
from mobod.scalar import Array
from mobod.system.elements import VectorParameter, argument, parameter, parameter_of


@final
@equations
class BallConstraintEquations(ConstraintEquations):
    """Position errors: from the point of the first body to that of the second, m, in the ancestor's frame."""

    point1: tuple[float, ...] = parameter("m", "point of the first body, in its frame", shape=(3,))
    point2: tuple[float, ...] = parameter("m", "point of the second body, in its frame", shape=(3,))

    position_units = ("m",) * 3
    vectors_at = (0,)

    def position_errors(self, motion: RelativeMotion) -> Array:
        return motion.X[0].apply(np.array(self.point2)) - np.array(self.point1)


@final
class BallConstraint(Constraint):
    """A point of each body, which coincide; the bodies turn about it as they like (see BallConstraintEquations).

    point1, point2  (3,) m, in the frames of their bodies
    """

    body1: Body = argument("the first body", kw_only=False)
    point1: VectorParameter = parameter_of(BallConstraintEquations, kw_only=False)
    set_point1, default_point1, set_default_point1 = point1.accessors
    body2: Body = argument("the second body", kw_only=False)
    point2: VectorParameter = parameter_of(BallConstraintEquations, kw_only=False)
    set_point2, default_point2, set_default_point2 = point2.accessors

    def __post_init__(self) -> None:
        self._constrain(BallConstraintEquations(**self.parameter_values()), self.body1, (self.body2,))
