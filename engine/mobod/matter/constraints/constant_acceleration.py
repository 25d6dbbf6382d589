"""ConstantAcceleration: the rate of a speed keeps its value."""

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
class ConstantAccelerationEquations(ConstraintEquations):
    """Acceleration error: the rate of the speed less its value, in the unit of the rate."""

    which: int
    unit: str
    acceleration: float = parameter("{element.unit}", "value of the rate of the speed")

    @property
    def acceleration_units(self) -> tuple[str, ...]:
        return (self.unit,)

    def acceleration_errors(self, motion: RelativeMotion) -> Array:
        return np.array([motion.u_dot[0][self.which] - self.acceleration])


@final
class ConstantAcceleration(Constraint):
    """A generalized speed whose rate keeps its value (see ConstantAccelerationEquations).

    which         number of the speed among those of the body, from 0
    acceleration  the value of its rate, in its unit
    """

    body: MobilizedBody = argument("the constrained body", kw_only=False)
    which: int = argument("number of the speed among those of the body, from 0", kw_only=False)
    acceleration: Parameter[float] = parameter_of(ConstantAccelerationEquations, kw_only=False)
    set_acceleration, default_acceleration, set_default_acceleration = acceleration.accessors

    def __post_init__(self) -> None:
        checked_index(self.which, checked_mobilizer(self.body, "ConstantAcceleration").nu, self.body, "ConstantAcceleration", "speeds")
        unit = f"{self.body.equations.u_units[self.which]}2"  # m/s2 of m/s
        of_body = ConstantAccelerationEquations(self.which, unit, **self.parameter_values())
        self._constrain(of_body, self.body.matter.ground, (), (self.body,))
