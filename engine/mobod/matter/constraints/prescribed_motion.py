"""PrescribedMotion: a coordinate follows a function of time."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from mobod.functions import Function
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.constraint import Constraint
from mobod.matter.constraints.coupling import checked_function, checked_places
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.scalar import Array
from mobod.system.elements import argument

if TYPE_CHECKING:
    from mobod.matter.subsystem import MatterSubsystem


@final
@dataclass(frozen=True)
class PrescribedMotionEquations(ConstraintEquations):
    """Position error: the coordinate less the value of the function, in the unit of the coordinate."""

    function: Function
    coordinate: int
    unit: str

    @property
    def position_units(self) -> tuple[str, ...]:
        return (self.unit,)

    @property
    def coordinates(self) -> tuple[tuple[int, int], ...]:
        return ((0, self.coordinate),)

    def position_errors(self, motion: RelativeMotion) -> Array:
        return np.array([motion.q[0][self.coordinate] - self.function.value(np.array([motion.t]))])


@final
class PrescribedMotion(Constraint):
    """A coordinate that follows a function of time, by a force along it (see PrescribedMotionEquations).

    function    of the time in s, in the unit of the coordinate, with derivatives to the second order
    coordinate  its number among those of the body, from 0
    """

    matter: "MatterSubsystem" = argument("of the System", kw_only=False, is_implied=True)
    function: Function = argument("the function", kw_only=False)
    body: MobilizedBody = argument("the body of the coordinate", kw_only=False)
    coordinate: int = argument("its number among those of the body, from 0", kw_only=False)

    def __post_init__(self) -> None:
        what = "PrescribedMotion"
        [(body, coordinate)] = checked_places(self.matter, [self.body], [self.coordinate], what, "coordinates")
        self.function = checked_function(self.function, 1, what, derivative_order=2)
        of_time = PrescribedMotionEquations(self.function, coordinate, body.equations.q_units[coordinate])
        self._constrain(of_time, self.matter.ground, (), (body,))
