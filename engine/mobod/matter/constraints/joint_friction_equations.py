"""The equations of dry friction of a joint's speed, with the parameters of its load."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self, final

import numpy as np

from mobod.errors import InputError, UnsupportedError
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.mobilizers.pin import Pin
from mobod.matter.mobilizers.slider import Slider
from mobod.matter.parameters import equations
from mobod.matter.unilateral.bearing_loads import BearingLoad, GuideLoad, JointLoad
from mobod.scalar import Array, Scalar
from mobod.system.elements import Parameter, parameter

_MOBILIZERS: dict[type, type[MobilizedBody]] = {BearingLoad: Pin, GuideLoad: Slider}
"""By the type of a load."""


@final
@equations
class JointFrictionEquations(ConstraintEquations):
    """Velocity error: the speed itself, which is an equation while rigid friction holds.

    transition_speed  None: the friction is rigid
    """

    which: int
    unit: str
    force_unit: str
    static_limit: float = parameter("{element.force_unit}", "largest friction at rest", least=0.0)
    limit: float = parameter("{element.force_unit}", "friction while it slips", least=0.0)
    viscous: float = parameter("{element.force_unit}.s/{element.length_unit}", "viscous friction", default=0.0, least=0.0)
    stribeck_speed: float = parameter(
        "{element.unit}", "speed at which friction falls from static to slip (0: at once)", default=0.0, least=0.0
    )
    transition_speed: float | None = parameter("{element.unit}", "speed of the transition to slip", default=None, above=0.0)
    load: JointLoad | None = None

    @property
    def parameters(self) -> tuple[Parameter[float | np.ndarray], ...]:
        """Its own, then those of the load."""
        of_load = () if self.load is None else self.load.parameters
        return (*self._own_parameters(), *(replace(each, name=f"load_{each.name}") for each in of_load))

    def parameter_values(self) -> np.ndarray:
        """(n_parameters,) in the order and the units of `parameters`."""
        own = np.array([getattr(self, each.name) for each in self._own_parameters()])
        return own if self.load is None else np.concatenate([own, self.load.parameter_values()])

    def with_parameters(self, values: Sequence[Scalar] | Array) -> Self:
        """The same equations with other numbers; values (n_parameters,), which may be recorded."""
        numbers, names = list(values), [each.name for each in self._own_parameters()]
        given: dict[str, Any] = dict(zip(names, numbers, strict=False))
        load = None if self.load is None else self.load.with_parameters(numbers[len(names) :])
        return replace(self, **given, load=load)

    def checked(self, owner: str) -> Self:
        """The same equations with parameters checked for `owner`. Raises InputError."""
        own = self._own_parameters()
        of_slip = next(each for each in own if each.name == "limit")
        of_slip.checked(self.limit, f"{owner}: limit")  # first: static_limit is the same if it is not given
        numbers = [float(each.checked(getattr(self, each.name), f"{owner}: {each.name}")) for each in own]
        load = None if self.load is None else self.load.checked(f"{owner}: {type(self.load).__name__}")
        return replace(replace(self, load=None).with_parameters(numbers), load=load)

    def _own_parameters(self) -> list[Parameter[float | np.ndarray]]:
        return [each for each in super().parameters if getattr(self, each.name) is not None]

    @property
    def length_unit(self) -> str:
        return self.unit.partition("/")[0]

    @property
    def velocity_units(self) -> tuple[str, ...]:
        return (self.unit,)

    def velocity_errors(self, motion: RelativeMotion) -> Array:
        return np.array([motion.u[0][self.which]])


def check_load(load: object, body: MobilizedBody, what: str) -> None:
    """Raise InputError for what is no load, UnsupportedError for a load of another mobilizer than its class is for."""
    if load is None:
        return
    if type(load) not in _MOBILIZERS:
        raise InputError(f"{what}: load is a mb.BearingLoad or a mb.GuideLoad, not {type(load).__name__}.")
    if not isinstance(body, _MOBILIZERS[type(load)]):
        raise UnsupportedError(
            f"{what}: the mobilizer of '{body.name}' is a {type(body).__name__}. A BearingLoad is for a Pin, a GuideLoad for a Slider; for "
            "other mobilizers give constant limits."
        )


def check_limits(static_limit: float, limit: float, unit: str, what: str) -> None:
    """Raise InputError if the friction at rest is below that of a slip."""
    if static_limit < limit:
        raise InputError(
            f"{what}: static_limit, {static_limit:g} {unit}, is below limit, {limit:g} {unit}. Friction at rest is the larger one."
        )
