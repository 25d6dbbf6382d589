"""ConstantSpeed: a speed keeps its value."""

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
class ConstantSpeedEquations(ConstraintEquations):
    """Velocity error: the speed less its value, in the unit of the speed."""

    which: int
    unit: str
    speed: float

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return (Parameter(name="speed", unit=self.unit, description="value of the speed"),)

    @property
    def velocity_units(self) -> tuple[str, ...]:
        return (self.unit,)

    def velocity_errors(self, motion: RelativeMotion) -> Any:
        return np.array([motion.u[0][self.which] - self.speed])


@final
class ConstantSpeed(Constraint):
    """A generalized speed that keeps its value (see ConstantSpeedEquations).

    which  number of the speed among those of the body, from 0
    speed  its value, in its unit
    """

    speed, set_speed, default_speed, set_default_speed = accessors("speed", "(), in the unit of the speed")

    def __init__(self, body: MobilizedBody, which: int, speed: float, *, name: str | None = None, disabled: bool = False):
        checked_index(which, checked_mobilizer(body, "ConstantSpeed").nu, body, "ConstantSpeed", "speeds")
        equations = ConstantSpeedEquations(which, body.equations.u_units[which], speed).checked("ConstantSpeed")
        super().__init__(equations, body.matter.ground, (), (body,), name=name, disabled=disabled)
