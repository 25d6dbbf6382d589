"""Dry friction of a coordinate: its limits, which are checked together."""

from abc import ABC
from typing import Any, Self

import numpy as np

from mobod.errors import InputError
from mobod.forces.force import Force
from mobod.forces.mobility.acted_on import checked_body, checked_coordinate, damping_unit, force_unit
from mobod.matter import MobilizedBody, Tree
from mobod.scalar.slot import Slot
from mobod.system import CatalogueVariable, Layout, Stage, State
from mobod.system.elements import Parameter, argument, parameter, parameters_of


class DryFriction(Force, ABC):
    """Friction of one coordinate of a body, with a limit while it slips and one at rest; subclasses say what it is below the limit."""

    body: MobilizedBody = argument("the body that it acts on", kw_only=False)
    limit: Parameter[float] = parameter("{element.force_unit}", "friction of {element.place} while it slips", least=0.0)
    _set_limit, default_limit, _set_default_limit = limit.accessors
    static_limit: Parameter[float] = parameter(
        "{element.force_unit}", "largest friction of {element.place} at rest", default=None, least=0.0
    )
    _set_static_limit, default_static_limit, _set_default_static_limit = static_limit.accessors
    viscous: Parameter[float] = parameter("{element.damping_unit}", "viscous friction of {element.place}", default=0.0, least=0.0)
    set_viscous, default_viscous, set_default_viscous = viscous.accessors
    coordinate: int = argument("which of the coordinates of the body, from 0", default=0)

    def __post_init__(self) -> None:
        """Subclasses set `given["stribeck_speed"]` first where it is None."""
        what = type(self).__name__
        checked_body(self.forces, self.body, what)
        self.coordinate, self.speed = checked_coordinate(self.coordinate, self.body, what)
        self.force_unit, self.damping_unit = force_unit(self.body, self.speed), damping_unit(self.body, self.speed)
        self.q_unit, self.u_unit = self.body.equations.q_units[self.coordinate], self.body.equations.u_units[self.speed]
        self.place = f"coordinate {self.coordinate} of '{self.body.name}'"
        if self.given["static_limit"] is None:
            self.given["static_limit"] = self.given["limit"]
        self._check_limits(self.given["limit"], self.given["static_limit"], self.given["name"] or what)
        super().__post_init__()

    def set_limit(self, state: State, limit: float) -> Self:
        """() N or N m, at most static_limit; invalidates stage DYNAMICS. Returns the force."""
        return self.set_limits(state, limit, self.static_limit(state))

    def set_static_limit(self, state: State, static_limit: float) -> Self:
        """() N or N m, at least limit; invalidates stage DYNAMICS. Returns the force."""
        return self.set_limits(state, self.limit(state), static_limit)

    def set_limits(self, state: State, limit: float, static_limit: float) -> Self:
        """() N or N m, both; invalidates stage DYNAMICS. Returns the force."""
        self._check_limits(limit, static_limit, self.name)
        self._set_limit(state, limit)
        self._set_static_limit(state, static_limit)
        return self

    def set_default_limit(self, limit: float) -> Self:
        """() N or N m, at most static_limit, in new States; those made before raise when used. Returns the force."""
        return self.set_default_limits(limit, self.default_static_limit)

    def set_default_static_limit(self, static_limit: float) -> Self:
        """() N or N m, at least limit, in new States; those made before raise when used. Returns the force."""
        return self.set_default_limits(self.default_limit, static_limit)

    def set_default_limits(self, limit: float, static_limit: float) -> Self:
        """() N or N m, both, in new States; those made before raise when used. Returns the force."""
        self._check_limits(limit, static_limit, self.name)
        self._set_default_limit(limit)
        self._set_default_static_limit(static_limit)
        return self

    def friction(self, state: State) -> float:
        """() N or N m: the generalized force that it applies, 0 if it is disabled; from DYNAMICS on."""
        return self._kept_number(state, "force")

    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        self._allocate_kept(state, Stage.DYNAMICS, "force")

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The parameters, and the friction."""
        friction = self._kept_variable(layout, Stage.DYNAMICS, "force", self.force_unit, f"friction of {self.place}")
        return [*super().variables(layout), friction]

    # for subclasses
    def _own_and_sum(self, tree: Tree, layout: Layout) -> list[Slot]:
        """Where the friction is kept, and where it is added to the other forces on the coordinate."""
        return [self.kept(layout, "force"), tree.speeds(tree.slots.mobility_forces, self.body)[self.speed]]

    def _inputs(self, tree: Tree, layout: Layout, *names: str) -> list[Slot]:
        return [*(self._slot(layout, name) for name in ("enabled", *names)), tree.u(self.body)[self.speed]]

    def _check_limits(self, limit: Any, static_limit: Any, owner: str) -> None:
        declared, given = parameters_of(type(self)), {"limit": limit, "static_limit": static_limit}
        kinetic, static = (float(np.ravel(declared[name].of(self).checked(x, f"'{owner}.{name}'"))[0]) for name, x in given.items())
        if static < kinetic:
            unit = self.force_unit.replace(".", " ")
            raise InputError(
                f"'{owner}': its static_limit, {static_limit} {unit}, is below its limit while it slips, {limit} {unit}. Friction at rest "
                "is at least that of slip: raise static_limit too; set_limits sets both."
            )
