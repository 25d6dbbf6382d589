"""PointOnLine: a point of one body stays on a line of another."""

from typing import final

import numpy as np

from mobod.matter.bodies.constrained_bodies import Body
from mobod.matter.constraint import Constraint
from mobod.matter.constraints.directions import perpendicular, unit
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.parameters import equations
from mobod.scalar import Array
from mobod.spatial import cross
from mobod.system.elements import VectorParameter, argument, parameter, parameter_of


@final
@equations
class PointOnLineEquations(ConstraintEquations):
    """Position errors: of the point from the line, along x and y, m, with x = `perpendicular` to the direction and y = direction x x."""

    direction: tuple[float, ...] = parameter("1", "direction of the line, in its body's frame", shape=(3,), is_direction=True)
    point_on_line: tuple[float, ...] = parameter("m", "a point of the line, in its body's frame", shape=(3,))
    point: tuple[float, ...] = parameter("m", "point that stays on the line, in the follower's frame", shape=(3,))

    position_units = ("m", "m")

    def position_errors(self, motion: RelativeMotion) -> Array:
        direction = unit(self.direction)
        x = perpendicular(direction)
        offset = motion.X[0].apply(np.array(self.point)) - np.array(self.point_on_line)
        return np.array([x @ offset, cross(direction, x) @ offset])


@final
class PointOnLine(Constraint):
    """A point of a follower, which stays on a line fixed on another body and slides along it freely (see PointOnLineEquations).

    direction      (3,) of any length but 0, in the frame of the line's body
    point_on_line  (3,) m, in the frame of the line's body
    point          (3,) m, in the frame of the follower
    """

    line_body: Body = argument("the body that carries the line", kw_only=False)
    direction: VectorParameter = parameter_of(PointOnLineEquations, kw_only=False)
    set_direction, default_direction, set_default_direction = direction.accessors
    point_on_line: VectorParameter = parameter_of(PointOnLineEquations, kw_only=False)
    set_point_on_line, default_point_on_line, set_default_point_on_line = point_on_line.accessors
    follower: Body = argument("the body of the point", kw_only=False)
    point: VectorParameter = parameter_of(PointOnLineEquations, kw_only=False)
    set_point, default_point, set_default_point = point.accessors

    def __post_init__(self) -> None:
        self._constrain(PointOnLineEquations(**self.parameter_values()), self.line_body, (self.follower,))
