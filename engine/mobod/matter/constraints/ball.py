"""BallConstraint: two points coincide."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.matter.accessors import accessors
from mobod.matter.constraint import Body, Constraint
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.parameters import Parameter


@final
@dataclass(frozen=True)
class BallConstraintEquations(ConstraintEquations):
    """Position errors: from the point of the first body to that of the second, m, in the ancestor's frame."""

    point1: tuple[float, ...]
    point2: tuple[float, ...]

    position_units = ("m",) * 3
    vectors_at = (0,)
    parameters = (
        Parameter(name="point1", unit="m", description="point of the first body, in its frame", shape=(3,)),
        Parameter(name="point2", unit="m", description="point of the second body, in its frame", shape=(3,)),
    )

    def position_errors(self, motion: RelativeMotion) -> Any:
        return motion.X[0].apply(np.array(self.point2)) - np.array(self.point1)


@final
class BallConstraint(Constraint):
    """A point of each body, which coincide; the bodies turn about it as they like (see BallConstraintEquations).

    point1, point2  (3,) m, in the frames of their bodies
    """

    point1, set_point1, default_point1, set_default_point1 = accessors("point1", "(3,) m, in the frame of body1")
    point2, set_point2, default_point2, set_default_point2 = accessors("point2", "(3,) m, in the frame of body2")

    def __init__(self, body1: Body, point1: Any, body2: Body, point2: Any, *, name: str | None = None, disabled: bool = False):
        super().__init__(BallConstraintEquations(point1, point2).checked("BallConstraint"), body1, (body2,), name=name, disabled=disabled)
