"""Element: base of the parts of a System that users make."""

# Decision: docs/decisions/102-equations-and-elements.md

from abc import ABC, abstractmethod
from typing import Any

from numpy.typing import ArrayLike

from mobod.system.elements.declared import Declared
from mobod.system.elements.field import fields_of
from mobod.system.elements.frames import Composed
from mobod.system.elements.parameter import Parameter
from mobod.system.state.state import State


class Element(Declared, ABC):
    """Subclasses declare fields by `argument` and `parameter` (see Declared).

    parameters  of the class: those that are no fields; of an element: all that it has
    """

    name: Any
    parameters: Any = ()

    @abstractmethod
    def parameter(self, state: State, name: str) -> Any:
        """The value of a parameter in a State; a copy."""

    @abstractmethod
    def set_parameter(self, state: State, name: str, value: ArrayLike) -> None:
        """Set a parameter in a State, which goes back before the stage that depends on it."""

    @abstractmethod
    def default_parameter(self, name: str) -> Any:
        """The value of a parameter in new States."""

    @abstractmethod
    def set_default_parameter(self, name: str, value: ArrayLike) -> None:
        """Set a parameter in new States. Topological: States made before raise when used."""

    def parameter_values(self) -> dict[str, Any]:
        """For `__post_init__`: the given values of the parameters, by name; frames and rotations in parts, as equations need them."""
        values: dict[str, Any] = {}
        for name, field in fields_of(type(self)).items():
            if isinstance(field, Composed):
                values |= dict(zip(field.parts, field.split(self.given[name], f"{type(self).__name__}: {name}"), strict=True))
            elif isinstance(field, Parameter):
                values[name] = self.given[name]
        return values
