"""SubtreeQuantity: the mass center of a body with all that it carries, its velocity, or the angular momentum about it."""

from collections.abc import Callable
from typing import Literal, final

import numpy as np

from mobod.errors import InputError
from mobod.matter import MobilizedBody
from mobod.matter.dynamics.body_sums import momentum, term
from mobod.scalar import Array, Scalar, clip, where
from mobod.sensors.sensor import Sensor, SensorPart
from mobod.spatial import cross
from mobod.system import Layout, Stage, State
from mobod.system.elements import Parameter, argument, parameter

Quantity = Literal["mass_center", "velocity", "angular_momentum"]
_UNITS = {"mass_center": "m", "velocity": "m/s", "angular_momentum": "N.m.s"}


@final
class SubtreeQuantity(Sensor):
    """Of a body and all bodies outward of it, in Ground.

    body      the innermost one
    quantity  'mass_center', m; 'velocity' of the mass center, m/s; 'angular_momentum' about the mass center, N m s
    cutoff    greatest size of each entry that is shown; 0: no bound

    Rotor inertias are no part of it. Variable: '<name>.value'.
    """

    body: MobilizedBody = argument("the innermost body", kw_only=False)
    quantity: Quantity = argument("what it shows")
    cutoff: Parameter[float] = parameter("{element.unit}", "greatest size that is shown", default=0.0, least=0.0)
    set_cutoff, default_cutoff, set_default_cutoff = cutoff.accessors

    def __post_init__(self) -> None:
        if not isinstance(self.body, MobilizedBody):
            raise InputError(
                "SubtreeQuantity: it measures a mobilized body with all that it carries. The System has the sums of all bodies."
            )
        self.unit = _UNITS[self.quantity]
        self._complete(Stage.POSITION if self.quantity == "mass_center" else Stage.VELOCITY)

    @property
    def parts(self) -> tuple[SensorPart, ...]:
        """Its value."""
        return (SensorPart("value", 3, _UNITS[self.quantity], self.quantity.replace("_", " ")),)

    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        for name, shape in (("mass", ()), ("moment", (3,)), ("momentum", (6,))):
            if name != "momentum" or self.quantity != "mass_center":
                self._entries[name] = state.allocate_cache_entry(
                    self.subsystem, f"{self.name}.{name}", self.stage, shape=shape, computed_by=self.stage
                )

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values, when the layout is known."""
        sweep, tree = self.subsystem.sweep(layout, self.stage), self.body.matter.tree(layout)
        sums, s = {name: layout.slots[entry] for name, entry in self._entries.items() if name != "value"}, tree.slots
        for total in sums.values():
            sweep.clears.append(total)
        for body in self._carried():
            b = body.index
            sweep.add(term, [s.mass[b]], [sums["mass"]], adds=(0,))
            sweep.add(moment, [s.mass[b], s.mc_G[b], s.p_GM[b]], [sums["moment"]], adds=(0,))
            if "momentum" in sums:
                inputs = [s.mass[b], s.mc_G[b], s.inertia_G[b], s.p_GM[b], s.V_GM[b]]
                sweep.add(momentum, inputs, [sums["momentum"]], constants=tree.constants, adds=(0,))
        inputs = [*self._parameter_slots(layout), *sums.values()]
        sweep.add(_FUNCTIONS[self.quantity], inputs, [self.slot(layout)])

    def _carried(self) -> list[MobilizedBody]:
        found = {self.body}
        for body in self.body.matter.bodies:
            if body.parent in found:
                found.add(body)
        return [body for body in self.body.matter.bodies if body in found]


def moment(mass: Scalar, mc: Array, p_GM: Array) -> Array:
    return mc + mass * p_GM


def _cut(value: Array, cutoff: Scalar) -> Array:
    return np.array([where(cutoff > 0, clip(each, -cutoff, cutoff), each) for each in value])


def _over(a: Array, mass: Scalar) -> Array:
    return where(mass > 0, a / where(mass > 0, mass, 1.0), 0.0)


def mass_center(cutoff: Scalar, mass: Scalar, of_mass: Array) -> Array:
    return _cut(_over(of_mass, mass), cutoff)


def velocity(cutoff: Scalar, mass: Scalar, of_mass: Array, of_motion: Array) -> Array:
    return _cut(_over(of_motion[3:], mass), cutoff)


def angular_momentum(cutoff: Scalar, mass: Scalar, of_mass: Array, of_motion: Array) -> Array:
    return _cut(of_motion[:3] - cross(_over(of_mass, mass), of_motion[3:]), cutoff)


_FUNCTIONS: dict[str, Callable[..., Array]] = {"mass_center": mass_center, "velocity": velocity, "angular_momentum": angular_momentum}
