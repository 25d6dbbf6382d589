"""Rod: two points at a fixed distance."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.matter.accessors import accessors
from mobod.matter.constraint import Body, Constraint, seen_from_ground
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.parameters import Parameter
from mobod.scalar import norm


@final
@dataclass(frozen=True)
class RodEquations(ConstraintEquations):
    """Position error: the distance of the points less the length, m.

    It is the same seen from any body: measured from Ground, it needs no relative motion.

    moving  for the first and the second body its number among the followers, None if it is Ground
    """

    point1: tuple[float, ...]
    point2: tuple[float, ...]
    length: float
    moving: tuple[int | None, ...]

    position_units = ("m",)
    parameters = (
        Parameter(name="point1", unit="m", description="end on the first body, in its frame", shape=(3,)),
        Parameter(name="point2", unit="m", description="end on the second body, in its frame", shape=(3,)),
        Parameter(name="length", unit="m", description="distance of the ends", above=0.0),
    )

    def position_errors(self, motion: RelativeMotion) -> Any:
        points = (np.array(self.point1), np.array(self.point2))
        end1, end2 = (p if number is None else motion.X[number].apply(p) for number, p in zip(self.moving, points, strict=True))
        return np.array([norm(end2 - end1) - self.length])


@final
class Rod(Constraint):
    """A massless rod between a point of each body, whose multiplier is its tension (see RodEquations).

    point1, point2  (3,) m, in the frames of their bodies
    length          m, greater than 0
    """

    point1, set_point1, default_point1, set_default_point1 = accessors("point1", "(3,) m, in the frame of body1")
    point2, set_point2, default_point2, set_default_point2 = accessors("point2", "(3,) m, in the frame of body2")
    length, set_length, default_length, set_default_length = accessors("length", "() m")

    def __init__(
        self, body1: Body, point1: Any, body2: Body, point2: Any, length: float, *, name: str | None = None, disabled: bool = False
    ):
        ground, followers, moving = seen_from_ground("Rod", body1, body2)
        equations = RodEquations(point1, point2, length, moving).checked("Rod")
        super().__init__(equations, ground, followers, name=name, disabled=disabled)
