"""ConstantCoordinate: a coordinate keeps its value."""

from typing import final

import numpy as np

from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.bodies.constrained_bodies import checked_index, checked_mobilizer
from mobod.matter.constraint import Constraint
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.parameters import equations
from mobod.scalar import Array
from mobod.system.elements import Parameter, argument, parameter, parameter_of


@final
@equations
class ConstantCoordinateEquations(ConstraintEquations):
    """Position error: the coordinate less its value, in the unit of the coordinate."""

    coordinate: int
    unit: str
    position: float = parameter("{element.unit}", "value of the coordinate")

    @property
    def position_units(self) -> tuple[str, ...]:
        return (self.unit,)

    @property
    def coordinates(self) -> tuple[tuple[int, int], ...]:
        return ((0, self.coordinate),)

    def position_errors(self, motion: RelativeMotion) -> Array:
        return np.array([motion.q[0][self.coordinate] - self.position])


@final
class ConstantCoordinate(Constraint):
    """A coordinate that keeps its value (see ConstantCoordinateEquations).

    coordinate  its number among those of the body, from 0
    position    its value, in its unit
    """

    body: MobilizedBody = argument("the constrained body", kw_only=False)
    coordinate: int = argument("number of the coordinate among those of the body, from 0", kw_only=False)
    position: Parameter[float] = parameter_of(ConstantCoordinateEquations, kw_only=False)
    set_position, default_position, set_default_position = position.accessors

    def __post_init__(self) -> None:
        checked_index(
            self.coordinate, checked_mobilizer(self.body, "ConstantCoordinate").nq, self.body, "ConstantCoordinate", "coordinates"
        )
        unit = self.body.equations.q_units[self.coordinate]
        of_body = ConstantCoordinateEquations(self.coordinate, unit, **self.parameter_values())
        self._constrain(of_body, self.body.matter.ground, (), (self.body,))
