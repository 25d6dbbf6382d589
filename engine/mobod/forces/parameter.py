"""ForceParameter: the older way to declare a parameter of a CustomForce."""

from dataclasses import dataclass
from typing import Any

from mobod.system.elements import Parameter


@dataclass(frozen=True, kw_only=True)
class ForceParameter(Parameter[Any]):
    """A Parameter, for the tuple `parameters` of a CustomForce. A field of the class, by `parameter(unit, description)`, does more.

    minimum  the least value that is allowed, if there is one: `least` of a Parameter
    """

    minimum: float | None = None

    def __post_init__(self) -> None:
        if self.minimum is not None:
            object.__setattr__(self, "least", self.minimum)
