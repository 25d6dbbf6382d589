"""ForceParameter: a real parameter of a force, and the methods that read and set it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobod.errors import InputError
from mobod.matter.parameters import NO_BOUND
from mobod.real_numbers import real_numbers
from mobod.scalar import clip, is_recorded, normalized
from mobod.spatial.checked import checked_array, unit_vector
from mobod.system import State


@dataclass(frozen=True, kw_only=True)
class ForceParameter:
    """A real parameter of a force: a DYNAMICS-stage variable, its start the element's default.

    unit          of its entries, or one for each
    shape         of its value
    is_direction  a vector of any length but zero, kept at unit length
    is_bound      may be infinite, kept as the largest number of that sign
    minimum       the least value that is allowed, if there is one
    is_input      meant to be driven from outside while time goes on
    """

    name: str
    unit: str | tuple[str, ...]
    description: str
    shape: tuple[int, ...] = ()
    is_direction: bool = False
    is_bound: bool = False
    minimum: float | None = None
    is_input: bool = False

    @property
    def units(self) -> tuple[str, ...]:
        """The unit of each entry, or one for all of them."""
        return (self.unit,) if isinstance(self.unit, str) else self.unit

    def checked(self, value: Any, owner: str) -> np.ndarray:
        """The value as an array, if the parameter of the element `owner` can have it.

        Of a recorded value the bounds are checked where it has numbers.
        """
        what = f"{owner}.{self.name}"
        if is_recorded(value):
            recorded = checked_array(value, self.shape, what)
            if self.is_bound:
                recorded = clip(recorded, -NO_BOUND, NO_BOUND)
            return np.asarray(normalized(recorded) if self.is_direction else recorded)
        unit = f" {self.units[0]}" if len(set(self.units)) == 1 else ""
        array = real_numbers(value, f"'{what}'").copy()
        if array.shape != self.shape:
            raise InputError(f"'{what}' has shape {self.shape}, but a value of shape {array.shape} was given.")
        if self.is_bound:
            array = np.clip(array, -NO_BOUND, NO_BOUND)
        if not np.isfinite(array).all():
            raise InputError(f"'{what}' cannot be {value}{unit}: not a finite number.")
        if self.minimum is not None and (array < self.minimum).any():
            raise InputError(f"'{what}' cannot be {value}{unit}: the least value is {self.minimum:g}.")
        if self.is_direction:
            if not array.any():
                raise InputError(f"'{what}' cannot be the zero vector: it has no direction. Give any other; its length does not matter.")
            return unit_vector(array)
        return array


def accessors(
    name: str, what: str
) -> tuple[Callable[[Any, State], Any], Callable[[Any, State, Any], Any], property, Callable[[Any, Any], Any]]:
    """The four methods of a parameter, for the body of a Force's class:

        damping, set_damping, default_damping, set_default_damping = accessors("damping", "N s/m")

    damping(state)              its value in a State
    set_damping(state, value)   takes the State back before DYNAMICS; a value that it has already changes nothing
    default_damping             its value in a new State
    set_default_damping(value)  topological: States made before raise when used

    what   shape and unit, for their docstrings

    Setters return the force, so that calls can be chained. They raise InputError for a value that the parameter cannot have.
    """

    def get(self: Any, state: State) -> Any:
        return _own(self._get(state, name))

    def put(self: Any, state: State, value: Any) -> Any:
        self._set(state, name, value)
        return self

    def default(self: Any) -> Any:
        return self._default(name)

    def put_default(self: Any, value: Any) -> Any:
        self._set_default(name, value)
        return self

    for function, full_name, text in (
        (get, name, what),
        (put, f"set_{name}", f"{what}; takes the State back before DYNAMICS. Returns the force."),
        (put_default, f"set_default_{name}", f"{what}, in new States; those made before raise when used. Returns the force."),
    ):
        function.__name__ = function.__qualname__ = full_name
        function.__doc__ = text
    return get, put, property(default, doc=f"{what}, in new States"), put_default


def _own(value: Any) -> Any:
    """A copy of an array, which does not change with the State."""
    return value.copy() if isinstance(value, np.ndarray) else value
