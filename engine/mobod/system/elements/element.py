"""Element: base of the parts of a System that users make."""

from typing import Any

from mobod.system.elements.accessed import TunedElement
from mobod.system.elements.declared import Declared
from mobod.system.elements.field import fields_of
from mobod.system.elements.frames import Composed
from mobod.system.elements.parameter import Parameter


class Element(Declared, TunedElement):
    """Subclasses declare fields by `argument` and `parameter` (see Declared)."""

    def parameter_values(self) -> dict[str, Any]:
        """For `__post_init__`: the given values of the parameters, by name; frames and rotations in parts, as equations need them."""
        values: dict[str, Any] = {}
        for name, field in fields_of(type(self)).items():
            if isinstance(field, Composed):
                values |= dict(zip(field.parts, field.split(self.given[name], f"{type(self).__name__}: {name}"), strict=True))
            elif isinstance(field, Parameter):
                values[name] = self.given[name]
        return values
