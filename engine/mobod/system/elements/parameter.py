"""Parameter: a real number, or an array of them, that an element has and that can be tuned."""

# Decision: docs/decisions/037-missing-bounds.md

import re
from dataclasses import dataclass, field, fields, replace
from math import prod
from sys import float_info
from typing import TYPE_CHECKING, Any, Self, TypedDict, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import real_numbers
from mobod.errors import InputError
from mobod.scalar import clip, is_recorded, normalized
from mobod.spatial.checked import checked_array, checked_direction
from mobod.system.elements.accessed import Accessed, Default, DefaultSetter, Setter, TunedElement
from mobod.system.elements.field import fields_of
from mobod.system.state.state import State

NO_BOUND = float_info.max  # what stands for infinity where a parameter may have none: a State and an FMU hold finite numbers

T = TypeVar("T")


class Range(TypedDict):
    """Bounds of a variable; None: it has none."""

    minimum: float | None
    maximum: float | None


@dataclass(frozen=True, kw_only=True)
class Parameter(Accessed[T]):
    """A real number, or an array of them. It is a variable of the State, so it can be tuned, in an FMU too.

    An element, or its equations, declare it as a field, by `parameter(unit, description, ...)` (see Accessed).

    name             of the parameter
    unit             of its entries, or one for each
    description      what it is. In an element's class, '{element.body.name}' stands for that attribute of the element, in the unit too.
    shape            of its value: () or (n,)
    above, below     each entry must be greater than the one, and less than the other, if given
    least, greatest  the same, but these values themselves are allowed
    is_bound         it may be infinite, and is kept as the largest number of that sign
    is_direction     an array of any length but zero, kept at unit length; of four entries, a quaternion. The equations take any length: a
                     variable of a System, or of an FMU, is set as it is given.
    is_filled        one number is taken for all entries
    is_input         it is meant to be driven from outside while time goes on: an input of the FMU
    units_of_value   a number for each entry of the value of a measure: the name of the measure's attribute with the units; `unit` is for
                     messages
    equations        those that declare it, for `parameter_of`: all but name, default and kw_only are taken from there
    """

    unit: str | tuple[str, ...]
    description: str
    shape: tuple[int, ...] = ()
    above: float | None = None
    below: float | None = None
    least: float | None = None
    greatest: float | None = None
    is_bound: bool = False
    is_direction: bool = False
    is_filled: bool = False
    is_input: bool = False
    units_of_value: str | None = None
    equations: type | None = field(default=None, compare=False, repr=False)

    @property
    def units(self) -> tuple[str, ...]:
        """The unit of each entry, or one for all of them."""
        return (self.unit,) if isinstance(self.unit, str) else self.unit

    @property
    def size(self) -> int:
        """The number of its entries."""
        return prod(self.shape)

    @property
    def range(self) -> Range:
        """The bounds of its variable."""
        return {
            "minimum": self.above if self.least is None else self.least,
            "maximum": self.below if self.greatest is None else self.greatest,
        }

    @property
    def text(self) -> str:
        """Shape, unit and description, for help() and messages, without what depends on the element."""
        units = ", ".join(dict.fromkeys(self.units))
        shape = f"{self.shape} " if self.shape else ""
        unit = "" if "{element." in units else f"{'-' if units == '1' else units.replace('.', ' ')}: "
        general = re.sub(r" (of|on|in)( speed)? '?\{element\.[\w.]+\}'?", "", self.description)
        return shape + unit + re.sub(r"\{element\.(\w+)\}", r"\1", general)

    def checked(self, value: ArrayLike, what: str) -> np.ndarray:
        """The value as an array, a direction at unit length; raises InputError if `what` cannot have it.

        Of a recorded value the bounds are checked where it has numbers.
        """
        if self.is_filled and np.ndim(value) == 0:
            value = np.full(self.shape, value)
        if is_recorded(value):
            recorded = checked_array(value, self.shape, what)
            if self.is_bound:
                return np.asarray(clip(recorded, -NO_BOUND, NO_BOUND))
            return np.asarray(normalized(recorded)) if self.is_direction else recorded
        array = real_numbers(value, what).copy()
        if array.shape != self.shape:
            raise InputError(f"{what} has shape {self.shape}, but a value of shape {array.shape} was given.")
        if self.is_bound:
            array = np.clip(array, -NO_BOUND, NO_BOUND)
        self._check_range(array, value, what)
        return checked_direction(array, what) if self.is_direction else array

    def of(self, element: object) -> Self:
        """The same with the unit and the description of one element."""
        if self.units_of_value is not None:
            return replace(
                self, unit=getattr(element, self.units_of_value), shape=vars(element)["shape"], is_filled=True, units_of_value=None
            )
        if "{element." not in self.description and not any("{element." in unit for unit in self.units):
            return self
        units = tuple(unit.format(element=element) for unit in self.units)
        unit = units[0] if isinstance(self.unit, str) else units
        return replace(self, unit=unit, description=self.description.format(element=element))

    def read(self, element: TunedElement, state: State) -> T:
        """The value in a State; a copy."""
        return element.parameter(state, self.name)

    def put(self, element: TunedElement, state: State, value: Any) -> None:
        """Set it in a State."""
        element.set_parameter(state, self.name, value)

    def default_of(self, element: TunedElement) -> T:
        """The value in new States."""
        return element.default_parameter(self.name)

    def put_default(self, element: TunedElement, value: Any) -> None:
        """Set it in new States."""
        element.set_default_parameter(self.name, value)

    def __set_name__(self, owner: type, name: str) -> None:
        if self.equations is not None:
            declared = fields_of(self.equations)[name]
            own = {"name", "default", "kw_only", "equations"}
            self.__dict__.update({each.name: vars(declared)[each.name] for each in fields(self) if each.name not in own})
        super().__set_name__(owner, name)

    def _check_range(self, array: np.ndarray, value: object, what: str) -> None:
        unit = f" {self.units[0]}" if len(set(self.units)) == 1 and self.units[0] != "1" else ""
        cannot = f"{what} cannot be {value}{unit}:"
        if not np.isfinite(array).all():
            raise InputError(f"{cannot} not a finite number.")
        if self.above is not None and not (array > self.above).all():
            raise InputError(f"{cannot} it must be greater than {self.above:g}.")
        if self.below is not None and not (array < self.below).all():
            raise InputError(f"{cannot} it must be less than {self.below:g}.")
        if self.least is not None and not (array >= self.least).all():
            raise InputError(f"{cannot} the least value is {self.least:g}.")
        if self.greatest is not None and not (array <= self.greatest).all():
            raise InputError(f"{cannot} the greatest value is {self.greatest:g}.")


class VectorParameter(Parameter[np.ndarray]):
    """For annotations: a parameter with several entries. It is read as an array, and set from anything that makes one."""

    if TYPE_CHECKING:

        @property
        def accessors(self) -> "tuple[Setter[ArrayLike], Default[np.ndarray], DefaultSetter[ArrayLike]]": ...

        def __set__(self, element: object, value: ArrayLike) -> None: ...
