"""ConstantAcceleration: the rate of a speed keeps its value."""

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
class ConstantAccelerationEquations(ConstraintEquations):
    """Acceleration error: the rate of the speed less its value, in the unit of the rate."""

    which: int
    unit: str
    acceleration: float

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return (Parameter(name="acceleration", unit=self.unit, description="value of the rate of the speed"),)

    @property
    def acceleration_units(self) -> tuple[str, ...]:
        return (self.unit,)

    def acceleration_errors(self, motion: RelativeMotion) -> Any:
        return np.array([motion.u_dot[0][self.which] - self.acceleration])


@final
class ConstantAcceleration(Constraint):
    """A generalized speed whose rate keeps its value (see ConstantAccelerationEquations).

    which         number of the speed among those of the body, from 0
    acceleration  the value of its rate, in its unit
    """

    acceleration, set_acceleration, default_acceleration, set_default_acceleration = accessors(
        "acceleration", "(), in the unit of the rate of the speed"
    )

    def __init__(self, body: MobilizedBody, which: int, acceleration: float, *, name: str | None = None, disabled: bool = False):
        checked_index(which, checked_mobilizer(body, "ConstantAcceleration").nu, body, "ConstantAcceleration", "speeds")
        unit = f"{body.equations.u_units[which]}2"  # m/s2 of m/s
        equations = ConstantAccelerationEquations(which, unit, acceleration).checked("ConstantAcceleration")
        super().__init__(equations, body.matter.ground, (), (body,), name=name, disabled=disabled)
