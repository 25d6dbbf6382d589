"""Real parameters of equations: numbers that recordings take as inputs, so that one recording serves for all values."""

from dataclasses import dataclass, replace
from sys import float_info
from typing import Any, Self, final

import numpy as np

from mobod.errors import InputError, UnsupportedError
from mobod.scalar import clip, is_recorded, normalized
from mobod.spatial.checked import checked_array, checked_floats, unit_vector

NO_BOUND = float_info.max  # what stands for infinity where a parameter may have none: a State and an FMU hold finite numbers


@final
@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A real number, or an array of them, that equations have: an INSTANCE-stage variable, so it can be tuned.

    name          of the field of the equations
    shape         of its value, () or (n,)
    above, below  each number must be greater than the one, and less than the other, if there is one
    least, greatest  the same, but these themselves are allowed
    is_bound      may be infinite, kept as the largest number of that sign
    is_direction  an array of any length but zero, kept at unit length; of four entries, a quaternion. The equations take any length: a
                  variable of a System, or of an FMU, is set as it is given.
    """

    name: str
    unit: str
    description: str
    shape: tuple[int, ...] = ()
    above: float | None = None
    below: float | None = None
    least: float | None = None
    greatest: float | None = None
    is_bound: bool = False
    is_direction: bool = False

    @property
    def size(self) -> int:
        """The number of its entries."""
        return int(np.prod(self.shape))

    def checked(self, value: Any, what: str) -> np.ndarray:
        """The value as an array, a direction at unit length; raises InputError if `what` cannot have it.

        Of a recorded value the bounds are checked where it has numbers.
        """
        if is_recorded(value):
            recorded = checked_array(value, self.shape, what)
            if self.is_bound:
                return np.asarray(clip(recorded, -NO_BOUND, NO_BOUND))
            return np.asarray(normalized(recorded)) if self.is_direction else recorded
        array = checked_floats(_finite_bound(value) if self.is_bound else value, self.shape, what)
        if self.above is not None and not (array > self.above).all():
            raise InputError(f"{what} cannot be {value} {self.unit}: it must be greater than {self.above:g}.")
        if self.below is not None and not (array < self.below).all():
            raise InputError(f"{what} cannot be {value} {self.unit}: it must be less than {self.below:g}.")
        if self.least is not None and not (array >= self.least).all():
            raise InputError(f"{what} cannot be {value} {self.unit}: the least value is {self.least:g}.")
        if self.greatest is not None and not (array <= self.greatest).all():
            raise InputError(f"{what} cannot be {value} {self.unit}: the greatest value is {self.greatest:g}.")
        if not self.is_direction:
            return array
        if not array.any():
            raise InputError(f"{what} cannot be the zero vector: it has no direction. Give any other; its length does not matter.")
        return unit_vector(array)


def _finite_bound(value: Any) -> Any:
    """A State and an FMU hold finite numbers; what is no number is told elsewhere."""
    array = np.asarray(value)
    return np.where(np.isinf(array), np.copysign(NO_BOUND, array), array) if array.dtype.kind == "f" else value


class Parametrised:
    """Equations: frozen dataclasses, pure functions. Equal objects have equal equations.

    A field that `parameters` names holds a number or a tuple of them; while a recording is made it holds recorded ones. All other fields
    are structure.
    """

    recordable = True

    @final
    def check_recordable(self, owner: str) -> None:
        """Raises UnsupportedError if they say `recordable = False`."""
        if not self.recordable:
            raise UnsupportedError(
                f"{owner} needs exact derivatives, and {type(self).__name__} says recordable = False. Fit a Spline to what cannot be "
                "recorded (functions.Spline.fit); a CustomForce alone can run as plain Python."
            )

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The fields that are real numbers, which can be tuned."""
        return ()

    @final
    @property
    def n_parameters(self) -> int:
        """How many numbers the parameters are."""
        return sum(parameter.size for parameter in self.parameters)

    def parameter_values(self) -> np.ndarray:
        """(n_parameters,) in the order of `parameters`."""
        return np.concatenate([np.zeros(0), *(np.ravel(getattr(self, parameter.name)) for parameter in self.parameters)])

    def with_parameters(self, values: Any) -> Self:
        """The same equations with other numbers; values (n_parameters,), which may be recorded."""
        if not self.parameters:
            return self
        fields: dict[str, Any] = {}
        start = 0
        for parameter in self.parameters:
            part = values[start : start + parameter.size]
            fields[parameter.name] = tuple(part) if parameter.shape else part[0]
            start += parameter.size
        return replace(self, **fields)  # type: ignore[type-var] # all equations are dataclasses

    @final
    @property
    def structure(self) -> Self:
        """What is recorded once: all but the numbers."""
        return self.with_parameters(np.zeros(self.n_parameters))
