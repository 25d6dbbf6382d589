"""PrescribedMotion: a coordinate follows a function of time."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from mobod.functions import Function
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.constraint import Constraint
from mobod.matter.constraints.coupling import checked_function, checked_places
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion

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

    def position_errors(self, motion: RelativeMotion) -> Any:
        return np.array([motion.q[0][self.coordinate] - self.function.value(np.array([motion.t]))])


@final
class PrescribedMotion(Constraint):
    """A coordinate that follows a function of time, by a force along it (see PrescribedMotionEquations).

    function    of the time in s, in the unit of the coordinate, with derivatives to the second order
    coordinate  its number among those of the body, from 0
    """

    def __init__(
        self,
        matter: "MatterSubsystem",
        function: Function,
        body: MobilizedBody,
        coordinate: int,
        *,
        name: str | None = None,
        disabled: bool = False,
    ):
        [(body, coordinate)] = checked_places(matter, [body], [coordinate], "PrescribedMotion", "coordinates")
        function = checked_function(function, 1, "PrescribedMotion", derivative_order=2)
        equations = PrescribedMotionEquations(function, coordinate, body.equations.q_units[coordinate])
        super().__init__(equations, matter.ground, (), (body,), name=name, disabled=disabled)
