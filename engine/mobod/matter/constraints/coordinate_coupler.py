"""CoordinateCoupler: a function of coordinates is kept at zero."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from mobod.functions import Function
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.bodies.constrained_bodies import different
from mobod.matter.constraint import Constraint
from mobod.matter.constraints.coupling import checked_function, checked_places
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.scalar import Array

if TYPE_CHECKING:
    from mobod.matter.subsystem import MatterSubsystem


@final
@dataclass(frozen=True)
class CoordinateCouplerEquations(ConstraintEquations):
    """Position error: the value of the function.

    coordinates  its arguments: (number among the mobilizers, number of the coordinate)
    """

    function: Function
    coordinates: tuple[tuple[int, int], ...] = ()

    position_units = ("1",)

    def position_errors(self, motion: RelativeMotion) -> Array:
        return np.array([self.function.value(np.array([motion.q[k][i] for k, i in self.coordinates]))])


@final
class CoordinateCoupler(Constraint):
    """Coordinates whose function is kept at zero (see CoordinateCouplerEquations).

    function     of as many arguments as there are coordinates, with derivatives to the second order
    bodies       for each argument the body that has it
    coordinates  for each argument the number of the coordinate among those of the body, from 0
    """

    def __init__(
        self,
        matter: "MatterSubsystem",
        function: Function,
        bodies: Sequence[MobilizedBody],
        coordinates: Sequence[int],
        *,
        name: str | None = None,
        disabled: bool = False,
    ):
        arguments = checked_places(matter, bodies, coordinates, "CoordinateCoupler", "coordinates")
        function = checked_function(function, len(arguments), "CoordinateCoupler", derivative_order=2)
        mobilizers = different([body for body, _ in arguments])
        equations = CoordinateCouplerEquations(function, tuple((mobilizers.index(body), i) for body, i in arguments))
        self._begin(equations, matter.ground, (), mobilizers, name=name, disabled=disabled)
