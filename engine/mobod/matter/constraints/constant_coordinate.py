"""ConstantCoordinate: a coordinate keeps its value."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.matter.accessors import accessors
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.constraint import Constraint, checked_index, checked_mobilizer
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.parameters import Parameter


@final
@dataclass(frozen=True)
class ConstantCoordinateEquations(ConstraintEquations):
    """Position error: the coordinate less its value, in the unit of the coordinate."""

    coordinate: int
    unit: str
    position: float

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return (Parameter(name="position", unit=self.unit, description="value of the coordinate"),)

    @property
    def position_units(self) -> tuple[str, ...]:
        return (self.unit,)

    @property
    def coordinates(self) -> tuple[tuple[int, int], ...]:
        return ((0, self.coordinate),)

    def position_errors(self, motion: RelativeMotion) -> Any:
        return np.array([motion.q[0][self.coordinate] - self.position])


@final
class ConstantCoordinate(Constraint):
    """A coordinate that keeps its value (see ConstantCoordinateEquations).

    coordinate  its number among those of the body, from 0
    position    its value, in its unit
    """

    position, set_position, default_position, set_default_position = accessors("position", "(), in the unit of the coordinate")

    def __init__(self, body: MobilizedBody, coordinate: int, position: float, *, name: str | None = None, disabled: bool = False):
        kind = "ConstantCoordinate"
        checked_index(coordinate, checked_mobilizer(body, kind).nq, body, kind, "coordinates")
        equations = ConstantCoordinateEquations(coordinate, body.equations.q_units[coordinate], position).checked(kind)
        super().__init__(equations, body.matter.ground, (), (body,), name=name, disabled=disabled)
