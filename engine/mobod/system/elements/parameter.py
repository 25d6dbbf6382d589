"""Parameter: a real number, or an array of them, that an element has and that can be tuned."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from sys import float_info
from types import MethodType
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.real_numbers import real_numbers
from mobod.scalar import clip, is_recorded, normalized
from mobod.spatial.checked import checked_array, unit_vector
from mobod.system.elements.field import REQUIRED, Field, fields_of
from mobod.system.state import State

NO_BOUND = float_info.max  # what stands for infinity where a parameter may have none: a State and an FMU hold finite numbers

T = TypeVar("T")
V = TypeVar("V", contravariant=True)
R = TypeVar("R", covariant=True)
E = TypeVar("E")


class TunedElement(ABC):
    """An element that has parameters: how they are read and set by name.

    parameters  of the class: those that are no fields; of an element: all that it has
    """

    parameters: "tuple[Parameter[Any], ...]" = ()

    @abstractmethod
    def parameter(self, state: State, name: str) -> Any:
        """The value of a parameter in a State; a copy."""

    @abstractmethod
    def set_parameter(self, state: State, name: str, value: Any) -> None:
        """Set a parameter in a State, which goes back before the stage that depends on it."""

    @abstractmethod
    def default_parameter(self, name: str) -> Any:
        """The value of a parameter in new States."""

    @abstractmethod
    def set_default_parameter(self, name: str, value: Any) -> None:
        """Set a parameter in new States. Topological: States made before raise when used."""


class Setter(Protocol[V]):
    """The method `set_NAME(state, value)`. It returns the element."""

    def __get__(self, element: E, owner: type) -> Callable[[State, V], E]: ...


class DefaultSetter(Protocol[V]):
    """The method `set_default_NAME(value)`. It returns the element."""

    def __get__(self, element: E, owner: type) -> Callable[[V], E]: ...


class Default(Protocol[R]):
    """The property `default_NAME`."""

    def __get__(self, element: object, owner: type) -> R: ...


@dataclass(frozen=True, kw_only=True)
class Parameter(Field, Generic[T]):
    """A real number, or an array of them. It is a variable of the State, so it can be tuned, in an FMU too.

    An element declares it as a field, by `parameter(unit, description, ...)`. The constructor then takes it as an argument. With

        pitch: Parameter[float] = parameter("m/rad", "travel along the axis for each radian")
        set_pitch, default_pitch, set_default_pitch = pitch.accessors

    an element `screw` has four methods:

        screw.pitch(state)               the value in a State
        screw.set_pitch(state, value)    sets it there, and returns the element
        screw.default_pitch              the value in new States
        screw.set_default_pitch(value)   sets it, and returns the element; topological: States made before raise when used

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
    equations: type | None = field(default=None, compare=False, repr=False)

    @property
    def units(self) -> tuple[str, ...]:
        """The unit of each entry, or one for all of them."""
        return (self.unit,) if isinstance(self.unit, str) else self.unit

    @property
    def size(self) -> int:
        """The number of its entries."""
        return int(np.prod(self.shape))

    @property
    def text(self) -> str:
        """Shape, unit and description, for help()."""
        units = ", ".join(dict.fromkeys(self.units))
        return f"{self.shape} {'-' if units == '1' else units.replace('.', ' ')}: {self.description}".replace("{element.", "{")

    def checked(self, value: Any, what: str) -> np.ndarray:
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
        if not self.is_direction:
            return array
        if not array.any():
            raise InputError(f"{what} cannot be the zero vector: it has no direction. Give any other; its length does not matter.")
        return unit_vector(array)

    def of(self, element: object) -> Self:
        """The same with the unit and the description of one element."""
        if "{element." not in self.description and not any("{element." in unit for unit in self.units):
            return self
        units = tuple(unit.format(element=element) for unit in self.units)
        unit = units[0] if isinstance(self.unit, str) else units
        return replace(self, unit=unit, description=self.description.format(element=element))

    @property
    def accessors(self) -> "tuple[Setter[T], Default[T], DefaultSetter[T]]":
        """(set_NAME, default_NAME, set_default_NAME), for the class of the element that declares the parameter."""
        return self._methods[1:]

    if TYPE_CHECKING:  # the constructor takes a value; nothing else is ever assigned

        def __set__(self, element: object, value: T) -> None: ...

    @overload
    def __get__(self, element: None, owner: type) -> Any: ...
    @overload
    def __get__(self, element: object, owner: type) -> Callable[[State], T]: ...
    def __get__(self, element: Any, owner: type) -> Any:
        """Of an element the method that reads it. Of equations, which are dataclasses, the default of the field."""
        if issubclass(owner, TunedElement):
            read = self._methods[0]
            return read if element is None else MethodType(read, element)
        if self.default is REQUIRED:
            raise AttributeError(f"{owner.__name__}.{self.name} has no default.")
        return self.default

    def __set_name__(self, owner: type, name: str) -> None:
        super().__set_name__(owner, name)
        if self.equations is not None:
            declared = fields_of(self.equations)[name]
            own = {"name", "default", "kw_only", "equations"}
            self.__dict__.update({each.name: vars(declared)[each.name] for each in fields(self) if each.name not in own})
        if not issubclass(owner, TunedElement):
            return
        read, put, default, put_default = self._methods
        for method, full_name, text in (
            (read, name, self.text),
            (put, f"set_{name}", f"{self.text}. The State goes back before the stage that depends on it. Returns the element."),
            (default.fget, f"default_{name}", f"{self.text}; in new States."),
            (put_default, f"set_default_{name}", f"{self.text}; in new States: those made before raise when used. Returns the element."),
        ):
            method.__name__, method.__qualname__, method.__doc__ = full_name, f"{owner.__qualname__}.{full_name}", text

    @cached_property
    def _methods(self) -> Any:
        """Of an element: NAME, set_NAME, default_NAME, set_default_NAME."""

        def read(element: TunedElement, state: State) -> T:
            return element.parameter(state, self.name)

        def put(element: TunedElement, state: State, value: Any) -> TunedElement:
            element.set_parameter(state, self.name, value)
            return element

        def default(element: TunedElement) -> T:
            return element.default_parameter(self.name)

        def put_default(element: TunedElement, value: Any) -> TunedElement:
            element.set_default_parameter(self.name, value)
            return element

        return read, put, property(default), put_default

    def _check_range(self, array: np.ndarray, value: Any, what: str) -> None:
        unit = f" {self.units[0]}" if len(set(self.units)) == 1 else ""
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
