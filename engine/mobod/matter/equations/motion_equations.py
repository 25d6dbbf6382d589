"""MotionEquations: coordinates, speeds or accelerations of a mobilizer, of which two may follow from the other as functions of time."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Literal, final

import numpy as np

from mobod.errors import InputError
from mobod.matter.parameters import Parametrised
from mobod.scalar import Array, Scalar
from mobod.scalar.derivative import jvp
from mobod.system import Stage

Level = Literal["acceleration", "velocity", "position"]

# the known part of a mobilizer's motion: nothing; u_dot; u and u_dot; or q, u and u_dot
FREE, ACCELERATION, VELOCITY, POSITION = 0.0, 1.0, 2.0, 3.0
LEVELS: dict[Level, float] = {"acceleration": ACCELERATION, "velocity": VELOCITY, "position": POSITION}


def checked_level(level: object, what: str) -> Level:
    if level not in LEVELS:
        raise InputError(f"{what}: the level is 'position', 'velocity' or 'acceleration', not {level!r}.")
    checked: Level = level
    return checked


class PrescribedEquations(Parametrised, ABC):
    """The known motion of a mobilizer: pure functions of time, which can be recorded (see Parametrised).

    level        what `value` returns: coordinates, speeds or accelerations
    invalidates  the stage that a change of a parameter invalidates, by the parameter's name; INSTANCE if it is not listed
    """

    level: Level
    invalidates: ClassVar[Mapping[str, Stage]] = {}

    @abstractmethod
    def value(self, t: Scalar) -> Array:
        """(nq,) or (nu,) at time t, s."""

    @abstractmethod
    def first_derivative(self, t: Scalar) -> Array:
        """(nu,) speeds, rad/s or m/s, if `value` returns coordinates, accelerations, rad/s^2 or m/s^2, if it returns speeds."""

    @abstractmethod
    def second_derivative(self, t: Scalar) -> Array:
        """(nu,) rad/s^2 or m/s^2: accelerations if `value` returns coordinates."""


class MotionEquations(PrescribedEquations, ABC):
    """Coordinates, speeds or accelerations as functions of time, whose derivatives are made. Subclass it with the decorator `equations`
    for a CustomMotion.

    `value` is (nu,): coordinates can be prescribed only if each has a speed of its own.
    """

    @final
    def first_derivative(self, t: Scalar) -> Array:
        """(nu,) the rate of the value, in its unit/s."""
        values = self.parameter_values()
        return jvp(lambda t, p: self.with_parameters(p).value(t), [t, values], [1.0, np.zeros(len(values))])[1]

    @final
    def second_derivative(self, t: Scalar) -> Array:
        """(nu,) the rate of the first derivative, in the unit of the value/s^2."""
        values = self.parameter_values()
        return jvp(lambda t, p: self.with_parameters(p).first_derivative(t), [t, values], [1.0, np.zeros(len(values))])[1]
