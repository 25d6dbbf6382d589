"""ConstraintParameter: a real parameter of a constraint, and the methods that read and set it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobod.errors import InputError
from mobod.spatial import Transform, from_quaternion, to_quaternion
from mobod.spatial.checked import checked_floats
from mobod.spatial.rotation import checked_rotation
from mobod.system import State


@dataclass(frozen=True, kw_only=True)
class ConstraintParameter:
    """A real number, or an array of them, that a constraint's equations have: an INSTANCE-stage variable, so it can be tuned.

    name          of the field of the equations
    shape         of its value, () or (n,)
    above, below  each number must be greater than the one, and less than the other, if there is one
    is_direction  an array of any length but zero, kept at unit length; of four entries, a quaternion. The equations take any length: a
                  variable of a System, or of an FMU, is set as it is given.
    """

    name: str
    unit: str
    description: str
    shape: tuple[int, ...] = ()
    above: float | None = None
    below: float | None = None
    is_direction: bool = False

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    def checked(self, value: Any, what: str) -> np.ndarray:
        """The value as an array, a direction at unit length; raises InputError if `what` cannot have it."""
        array = checked_floats(value, self.shape, what)
        if self.above is not None and not (array > self.above).all():
            raise InputError(f"{what} cannot be {value} {self.unit}: it must be greater than {self.above:g}.")
        if self.below is not None and not (array < self.below).all():
            raise InputError(f"{what} cannot be {value} {self.unit}: it must be less than {self.below:g}.")
        if not self.is_direction:
            return array
        largest = np.abs(array).max()
        if largest == 0:
            raise InputError(f"{what} cannot be the zero vector: it has no direction. Give any other; its length does not matter.")
        scaled = array / largest  # so that no square overflows or vanishes
        return np.asarray(scaled / np.linalg.norm(scaled))


Getter = Callable[[Any, State], Any]
Setter = Callable[[Any, State, Any], Any]
DefaultSetter = Callable[[Any, Any], Any]


def accessors(name: str, what: str) -> tuple[Getter, Setter, property, DefaultSetter]:
    """The four methods of a parameter, for the body of a Constraint's class:

        length, set_length, default_length, set_default_length = accessors("length", "() m")

    length(state)              its value in a State
    set_length(state, value)   takes the State back before INSTANCE
    default_length             its value in a new State
    set_default_length(value)  topological: States made before raise when used

    what   shape and unit, for their docstrings

    Setters return the constraint, so that calls can be chained. They raise InputError for a value that the parameter cannot have.
    """

    def get(self: Any, state: State) -> Any:
        return self._parameter(state, name)

    def put(self: Any, state: State, value: Any) -> Any:
        self._set_parameter(state, name, value)
        return self

    def default(self: Any) -> Any:
        return self._default_parameter(name)

    def put_default(self: Any, value: Any) -> Any:
        self._set_default_parameter(name, value)
        return self

    return _named(name, what, get, put, default, put_default)


def rotation_accessors(name: str, orientation: str, what: str) -> tuple[Getter, Setter, property, DefaultSetter]:
    """As `accessors`, of a rotation (3, 3) whose quaternion is the parameter `orientation`."""

    def checked(self: Any, value: Any) -> np.ndarray:
        return to_quaternion(checked_rotation(value, f"{self.name}.{name}"))

    def get(self: Any, state: State) -> Any:
        return from_quaternion(self._parameter(state, orientation))

    def put(self: Any, state: State, value: Any) -> Any:
        self._set_parameter(state, orientation, checked(self, value))
        return self

    def default(self: Any) -> Any:
        return from_quaternion(self._default_parameter(orientation))

    def put_default(self: Any, value: Any) -> Any:
        self._set_default_parameter(orientation, checked(self, value))
        return self

    return _named(name, what, get, put, default, put_default)


def frame_accessors(name: str, orientation: str, origin: str, what: str) -> tuple[Getter, Setter, property, DefaultSetter]:
    """As `accessors`, of a Transform whose quaternion and position are the parameters `orientation` and `origin`."""

    def get(self: Any, state: State) -> Any:
        return Transform(from_quaternion(self._parameter(state, orientation)), self._parameter(state, origin))

    def put(self: Any, state: State, value: Any) -> Any:
        X = checked_frame(value, f"{self.name}.{name}")
        self._set_parameter(state, orientation, to_quaternion(X.R))
        self._set_parameter(state, origin, X.p)
        return self

    def default(self: Any) -> Any:
        return Transform(from_quaternion(self._default_parameter(orientation)), self._default_parameter(origin))

    def put_default(self: Any, value: Any) -> Any:
        X = checked_frame(value, f"{self.name}.{name}")
        self._set_default_parameter(orientation, to_quaternion(X.R))
        self._set_default_parameter(origin, X.p)
        return self

    return _named(name, what, get, put, default, put_default)


def checked_frame(X: Any, what: str) -> Transform:
    if not isinstance(X, Transform):
        raise InputError(f"{what} is a Transform, not {type(X).__name__}. Write Transform(R, p) or Transform(p=[x, y, z]).")
    return X


def _named(
    name: str, what: str, get: Getter, put: Setter, default: Callable[[Any], Any], put_default: DefaultSetter
) -> tuple[Getter, Setter, property, DefaultSetter]:
    for function, full_name, text in (
        (get, name, what),
        (put, f"set_{name}", f"{what}; takes the State back before INSTANCE. Returns the constraint."),
        (put_default, f"set_default_{name}", f"{what}, in new States; those made before raise when used. Returns the constraint."),
    ):
        function.__name__ = function.__qualname__ = full_name
        function.__doc__ = text
    return get, put, property(default, doc=f"{what}, in new States"), put_default
