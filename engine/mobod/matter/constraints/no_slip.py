"""NoSlip1D: points of two bodies at one place have the same velocity along a direction."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.errors import InputError
from mobod.matter.accessors import accessors
from mobod.matter.constraint import Body, Constraint
from mobod.matter.constraints.directions import unit
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.parameters import Parameter
from mobod.spatial import cross


@final
@dataclass(frozen=True)
class NoSlip1DEquations(ConstraintEquations):
    """Velocity error: along the direction, the velocity of the second body's point less that of the first's, m/s.

    They are the points that are at the contact point, which is fixed in the case. They change as the bodies move; so the acceleration
    error is the derivative of the velocity error, and not the difference of the accelerations of two points (as Simbody's is).

    moving  for the first and the second body its number among the followers, None if it is the case
    """

    direction: tuple[float, ...]
    contact_point: tuple[float, ...]
    moving: tuple[int | None, int | None]

    velocity_units = ("m/s",)
    parameters = (
        Parameter(name="direction", unit="1", description="direction without slip, in the case", shape=(3,), is_direction=True),
        Parameter(name="contact_point", unit="m", description="where the bodies touch, in the case", shape=(3,)),
    )

    def velocity_errors(self, motion: RelativeMotion) -> Any:
        first, second = (self._velocity(motion, number) for number in self.moving)
        return np.array([unit(self.direction) @ (second - first)])

    def _velocity(self, motion: RelativeMotion, number: int | None) -> Any:
        if number is None:
            return np.zeros(3)
        w, v = motion.V[number][:3], motion.V[number][3:]
        return v + cross(w, np.array(self.contact_point) - motion.X[number].p)


@final
class NoSlip1D(Constraint):
    """Two bodies that roll on each other without slip along a direction that is fixed in a case, as gears do (see NoSlip1DEquations).

    case           body in which the place of contact is fixed; it may be one of the two
    contact_point  (3,) m, in the frame of the case
    direction      (3,) of any length but 0, in the frame of the case
    """

    direction, set_direction, default_direction, set_default_direction = accessors(
        "direction", "(3,) unit vector, in the frame of the case"
    )
    contact_point, set_contact_point, default_contact_point, set_default_contact_point = accessors(
        "contact_point", "(3,) m, in the frame of the case"
    )

    def __init__(
        self,
        case: Body,
        contact_point: Any,
        direction: Any,
        body0: Body,
        body1: Body,
        *,
        name: str | None = None,
        disabled: bool = False,
    ):
        if body0 is body1:
            raise InputError(f"NoSlip1D: it is between '{body0.name}' and itself, which cannot slip on each other.")
        followers = tuple(body for body in (body0, body1) if body is not case)
        first, second = (followers.index(body) if body in followers else None for body in (body0, body1))
        equations = NoSlip1DEquations(direction, contact_point, (first, second)).checked("NoSlip1D")
        super().__init__(equations, case, followers, name=name, disabled=disabled)
