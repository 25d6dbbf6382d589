"""SpeedCoupler: a function of speeds and coordinates is kept at zero."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from mobod.errors import InputError
from mobod.functions import Function
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.bodies.constrained_bodies import different
from mobod.matter.constraint import Constraint
from mobod.matter.constraints.coupling import checked_function, checked_places
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.scalar import Array
from mobod.system.elements import argument

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

    def velocity_errors(self, motion: RelativeMotion) -> Array:
        arguments = [motion.u[k][i] for k, i in self.speeds] + [motion.q[k][i] for k, i in self.coordinates]
        return np.array([self.function.value(np.array(arguments))])


@final
class SpeedCoupler(Constraint):
    """Generalized speeds, and coordinates if wanted, whose function is kept at zero (see SpeedCouplerEquations).

    function                        of as many arguments as there are speeds and coordinates, with first derivatives
    speed_bodies, speeds            for each of its first arguments the body, and the number of the speed among those of the body, from 0
    coordinate_bodies, coordinates  for each of its other arguments the body, and the number of the coordinate, from 0
    """

    matter: "MatterSubsystem" = argument("of the System", kw_only=False, is_implied=True)
    function: Function = argument("the function", kw_only=False)
    speed_bodies: Sequence[MobilizedBody] = argument("for each speed the body", kw_only=False)
    speeds: Sequence[int] = argument("for each speed its number among those of the body", kw_only=False)
    coordinate_bodies: Sequence[MobilizedBody] = argument("for each coordinate the body", default=(), kw_only=False)
    coordinates: Sequence[int] = argument("for each coordinate its number among those of the body", default=(), kw_only=False)

    def __post_init__(self) -> None:
        what = "SpeedCoupler"
        of_speeds = checked_places(self.matter, self.speed_bodies, self.speeds, what, "speeds")
        of_coordinates = checked_places(self.matter, self.coordinate_bodies, self.coordinates, what, "coordinates")
        if not of_speeds:
            raise InputError("SpeedCoupler: it couples no speed. Give at least one, or use CoordinateCoupler for coordinates alone.")
        self.function = checked_function(self.function, len(of_speeds) + len(of_coordinates), what, derivative_order=1)
        mobilizers = different([body for body, _ in (*of_speeds, *of_coordinates)])
        of_both = SpeedCouplerEquations(
            self.function,
            tuple((mobilizers.index(body), i) for body, i in of_speeds),
            tuple((mobilizers.index(body), i) for body, i in of_coordinates),
        )
        self._constrain(of_both, self.matter.ground, (), mobilizers)
