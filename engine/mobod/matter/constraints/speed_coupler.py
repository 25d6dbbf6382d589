"""SpeedCoupler: a function of speeds and coordinates is kept at zero."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from mobod.errors import InputError
from mobod.functions import Function
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.constraint import Constraint, different
from mobod.matter.constraints.coupling import checked_function, checked_places
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion

if TYPE_CHECKING:
    from mobod.matter.subsystem import MatterSubsystem


@final
@dataclass(frozen=True)
class SpeedCouplerEquations(ConstraintEquations):
    """Velocity error: the value of the function.

    speeds, coordinates  its arguments, speeds first: (number among the mobilizers, number of the speed or coordinate)
    """

    function: Function
    speeds: tuple[tuple[int, int], ...]
    coordinates: tuple[tuple[int, int], ...] = ()

    velocity_units = ("1/s",)

    def velocity_errors(self, motion: RelativeMotion) -> Any:
        arguments = [motion.u[k][i] for k, i in self.speeds] + [motion.q[k][i] for k, i in self.coordinates]
        return np.array([self.function.value(np.array(arguments))])


@final
class SpeedCoupler(Constraint):
    """Generalized speeds, and coordinates if wanted, whose function is kept at zero (see SpeedCouplerEquations).

    function                        of as many arguments as there are speeds and coordinates, with first derivatives
    speed_bodies, speeds            for each of its first arguments the body, and the number of the speed among those of the body, from 0
    coordinate_bodies, coordinates  for each of its other arguments the body, and the number of the coordinate, from 0
    """

    def __init__(
        self,
        matter: "MatterSubsystem",
        function: Function,
        speed_bodies: Sequence[MobilizedBody],
        speeds: Sequence[int],
        coordinate_bodies: Sequence[MobilizedBody] = (),
        coordinates: Sequence[int] = (),
        *,
        name: str | None = None,
        disabled: bool = False,
    ):
        of_speeds = checked_places(matter, speed_bodies, speeds, "SpeedCoupler", "speeds")
        of_coordinates = checked_places(matter, coordinate_bodies, coordinates, "SpeedCoupler", "coordinates")
        if not of_speeds:
            raise InputError("SpeedCoupler: it couples no speed. Name one at least; coordinates alone are coupled by CoordinateCoupler.")
        function = checked_function(function, len(of_speeds) + len(of_coordinates), "SpeedCoupler", derivative_order=1)
        mobilizers = different([body for body, _ in (*of_speeds, *of_coordinates)])
        equations = SpeedCouplerEquations(
            function,
            tuple((mobilizers.index(body), i) for body, i in of_speeds),
            tuple((mobilizers.index(body), i) for body, i in of_coordinates),
        )
        super().__init__(equations, matter.ground, (), mobilizers, name=name, disabled=disabled)
