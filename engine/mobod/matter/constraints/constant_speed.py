"""ConstantSpeed: a speed keeps its value."""

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
class ConstantSpeedEquations(ConstraintEquations):
    """Velocity error: the speed less its value, in the unit of the speed."""

    which: int
    unit: str
    speed: float = parameter("{element.unit}", "value of the speed")

    @property
    def velocity_units(self) -> tuple[str, ...]:
        return (self.unit,)

    def velocity_errors(self, motion: RelativeMotion) -> Array:
        return np.array([motion.u[0][self.which] - self.speed])


@final
class ConstantSpeed(Constraint):
    """A generalized speed that keeps its value (see ConstantSpeedEquations).

    which  number of the speed among those of the body, from 0
    speed  its value, in its unit
    """

    body: MobilizedBody = argument("the constrained body", kw_only=False)
    which: int = argument("number of the speed among those of the body, from 0", kw_only=False)
    speed: Parameter[float] = parameter_of(ConstantSpeedEquations, kw_only=False)
    set_speed, default_speed, set_default_speed = speed.accessors

    def __post_init__(self) -> None:
        checked_index(self.which, checked_mobilizer(self.body, "ConstantSpeed").nu, self.body, "ConstantSpeed", "speeds")
        unit = self.body.equations.u_units[self.which]
        of_body = ConstantSpeedEquations(self.which, unit, **self.parameter_values())
        self._constrain(of_body, self.body.matter.ground, (), (self.body,))
