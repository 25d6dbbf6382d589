"""The methods that read and set a real parameter of a mobilizer or a constraint."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mobod.errors import InputError
from mobod.spatial import Transform, from_quaternion, to_quaternion
from mobod.spatial.rotation import checked_rotation
from mobod.system import State

Getter = Callable[[Any, State], Any]
Setter = Callable[[Any, State, Any], Any]
DefaultSetter = Callable[[Any, Any], Any]


def accessors(name: str, what: str) -> tuple[Getter, Setter, property, DefaultSetter]:
    """The four methods of a parameter, for the body of its class:

        length, set_length, default_length, set_default_length = accessors("length", "() m")

    length(state)              its value in a State
    set_length(state, value)   takes the State back before INSTANCE
    default_length             its value in a new State
    set_default_length(value)  topological: States made before raise when used

    what   shape and unit, for their docstrings

    Setters return the element, so that calls can be chained. They raise InputError for a value that the parameter cannot have.
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
        (put, f"set_{name}", f"{what}; takes the State back before INSTANCE. Returns the element."),
        (put_default, f"set_default_{name}", f"{what}, in new States; those made before raise when used. Returns the element."),
    ):
        function.__name__ = function.__qualname__ = full_name
        function.__doc__ = text
    return get, put, property(default, doc=f"{what}, in new States"), put_default
