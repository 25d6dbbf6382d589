"""PointOnLine: a point of one body stays on a line of another."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.matter.accessors import accessors
from mobod.matter.constraint import Body, Constraint
from mobod.matter.constraints.directions import perpendicular, unit
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.parameters import Parameter
from mobod.spatial import cross


@final
@dataclass(frozen=True)
class PointOnLineEquations(ConstraintEquations):
    """Position errors: of the point from the line, along x and y, m, with x = `perpendicular` to the direction and y = direction x x."""

    direction: tuple[float, ...]
    point_on_line: tuple[float, ...]
    point: tuple[float, ...]

    position_units = ("m", "m")
    parameters = (
        Parameter(name="direction", unit="1", description="direction of the line, in its body's frame", shape=(3,), is_direction=True),
        Parameter(name="point_on_line", unit="m", description="a point of the line, in its body's frame", shape=(3,)),
        Parameter(name="point", unit="m", description="point that stays on the line, in the follower's frame", shape=(3,)),
    )

    def position_errors(self, motion: RelativeMotion) -> Any:
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

    direction, set_direction, default_direction, set_default_direction = accessors(
        "direction", "(3,) unit vector, in the frame of the line's body"
    )
    point_on_line, set_point_on_line, default_point_on_line, set_default_point_on_line = accessors(
        "point_on_line", "(3,) m, in the frame of the line's body"
    )
    point, set_point, default_point, set_default_point = accessors("point", "(3,) m, in the frame of the follower")

    def __init__(
        self,
        line_body: Body,
        direction: Any,
        point_on_line: Any,
        follower: Body,
        point: Any,
        *,
        name: str | None = None,
        disabled: bool = False,
    ):
        equations = PointOnLineEquations(direction, point_on_line, point).checked("PointOnLine")
        super().__init__(equations, line_body, (follower,), name=name, disabled=disabled)
