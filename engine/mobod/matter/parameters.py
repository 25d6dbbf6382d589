"""Equations with parameters: numbers that recordings take as inputs, so that one recording serves for all values."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self, TypeVar, dataclass_transform, final

import numpy as np

from mobod.arguments.overrides import check_overrides
from mobod.errors import UnsupportedError
from mobod.scalar import Array, Scalar
from mobod.system.elements import Parameter, parameter, parameters_of

C = TypeVar("C", bound="type[Parametrised]")


@dataclass_transform(frozen_default=True, field_specifiers=(parameter, field))
def equations(cls: C) -> C:
    """The decorator of a class of equations: a frozen dataclass, some fields of which are declared by `parameter`."""
    return dataclass(frozen=True)(cls)  # type: ignore[return-value] # the same class


class Parametrised:
    """Equations: frozen dataclasses, pure functions. Equal objects have equal equations.

    A field that is declared by `parameter` holds a number or a tuple of them; while a recording is made it holds recorded ones. All other
    fields are structure. (`parameters` may also list a Parameter for each such field.)
    """

    recordable = True

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        check_overrides(cls)

    @final
    def check_recordable(self, owner: str) -> None:
        """Raises UnsupportedError if they have `recordable = False`."""
        if not self.recordable:
            raise UnsupportedError(
                f"{owner} needs exact derivatives, and {type(self).__name__} has recordable = False. Fit a Spline to a function that "
                "cannot be recorded (functions.Spline.fit). Only a CustomForce can run as plain Python."
            )

    @property
    def parameters(self) -> tuple[Parameter[float | np.ndarray], ...]:
        """The fields that are real numbers, with their units: those that can be tuned."""
        return tuple(each.of(self) for each in parameters_of(type(self)).values())

    @final
    @property
    def n_parameters(self) -> int:
        """How many numbers the parameters are."""
        return sum(each.size for each in self.parameters)

    def parameter_values(self) -> np.ndarray:
        """(n_parameters,) in the order and the units of `parameters`."""
        return np.concatenate([np.zeros(0), *(np.ravel(getattr(self, each.name)) for each in self.parameters)])

    def with_parameters(self, values: Sequence[Scalar] | Array) -> Self:
        """The same equations with other numbers; values (n_parameters,), which may be recorded."""
        if not self.parameters:
            return self
        fields: dict[str, object] = {}
        start = 0
        for each in self.parameters:
            part = values[start : start + each.size]
            fields[each.name] = tuple(part) if each.shape else part[0]
            start += each.size
        return replace(self, **fields)  # type: ignore[type-var] # all equations are dataclasses

    def checked(self, owner: str) -> Self:
        """The same equations with parameters checked for `owner`. Raises InputError."""
        values = [np.ravel(each.checked(getattr(self, each.name), f"{owner}: {each.name}")) for each in self.parameters]
        return self.with_parameters(np.concatenate([np.zeros(0), *values]).tolist())

    @final
    @property
    def structure(self) -> Self:
        """What is recorded once: all but the numbers."""
        return self.with_parameters(np.zeros(self.n_parameters))
