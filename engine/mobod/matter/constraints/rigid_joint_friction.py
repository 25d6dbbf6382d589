"""RigidJointFriction: dry friction of a speed, which holds at rest."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self, final

import numpy as np

from mobod.errors import InputError, UnsupportedError
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.bodies.constrained_bodies import checked_index, checked_mobilizer
from mobod.matter.constraint import Constraint
from mobod.matter.constraint_rows.constraint_variables import MULTIPLIER_UNITS
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.mobilizers.pin import Pin
from mobod.matter.mobilizers.slider import Slider
from mobod.matter.parameters import equations
from mobod.matter.unilateral.bearing_loads import BearingLoad, GuideLoad, JointLoad
from mobod.matter.unilateral.friction import (
    FrictionState,
    RowFriction,
    ShownValue,
    TangentRows,
    allocate_shown,
    shown_variables,
)
from mobod.matter.unilateral.friction_under_load import FrictionUnderLoad
from mobod.scalar import Array, Scalar
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.system import CacheEntry, CatalogueVariable, DiscreteVariable, Layout, Numbers, Stage, State
from mobod.system.boundary import check_state
from mobod.system.elements import Parameter, argument, parameter, parameter_of


@final
@equations
class RigidJointFrictionEquations(ConstraintEquations):
    """Velocity error: the speed itself, which is an equation while the friction holds."""

    which: int
    unit: str
    force_unit: str
    static_limit: float = parameter("{element.force_unit}", "largest friction at rest", least=0.0)
    limit: float = parameter("{element.force_unit}", "friction while it slips", least=0.0)
    viscous: float = parameter("{element.force_unit}.s/{element.length_unit}", "viscous friction", default=0.0, least=0.0)
    stribeck_speed: float = parameter(
        "{element.unit}", "speed at which friction falls from static to slip, 0: it falls at once;", default=0.0, least=0.0
    )
    load: JointLoad | None = None

    @property
    def parameters(self) -> tuple[Parameter[Any], ...]:
        """Its own, then those of the load."""
        of_load = () if self.load is None else self.load.parameters
        return (*super().parameters, *(replace(each, name=f"load_{each.name}") for each in of_load))

    def parameter_values(self) -> np.ndarray:
        """(n_parameters,) in the order and the units of `parameters`."""
        return np.array(self._own) if self.load is None else np.concatenate([self._own, self.load.parameter_values()])

    def with_parameters(self, values: Sequence[Scalar] | Array) -> Self:
        """The same equations with other numbers; values (n_parameters,), which may be recorded."""
        static_limit, limit, viscous, stribeck_speed, *of_load = list(values)
        own = replace(self, static_limit=static_limit, limit=limit, viscous=viscous, stribeck_speed=stribeck_speed)
        return own if self.load is None else replace(own, load=self.load.with_parameters(of_load))

    def checked(self, owner: str) -> Self:
        """The same equations with parameters checked for `owner`. Raises InputError."""
        own = list(zip(super().parameters, self._own, strict=True))
        own[1][0].checked(self.limit, f"{owner}: limit")  # first: static_limit is the same if it is not given
        numbers = [float(each.checked(value, f"{owner}: {each.name}")) for each, value in own]
        load = None if self.load is None else self.load.checked(f"{owner}: {type(self.load).__name__}")
        return replace(replace(self, load=None).with_parameters(numbers), load=load)

    @property
    def _own(self) -> list[float]:
        return [self.static_limit, self.limit, self.viscous, self.stribeck_speed]

    @property
    def length_unit(self) -> str:
        return self.unit.partition("/")[0]

    @property
    def velocity_units(self) -> tuple[str, ...]:
        return (self.unit,)

    def velocity_errors(self, motion: RelativeMotion) -> Array:
        return np.array([motion.u[0][self.which]])


@final
class RigidJointFriction(Constraint):
    """Dry friction of a speed of a mobilizer: it holds at rest up to static_limit, without creep; a slip has limit + viscous |u|.

    With a Stribeck speed the friction of a slip falls from static_limit to limit,

        limit + (static_limit - limit) exp(-(u / stribeck_speed)^2) + viscous |u|

    With a load both limits grow with the reaction of the joint, by friction (or static_friction) of the load times what its class says.
    Under error control this is the reaction of the same instant. In fixed steps it is that at the end of the last step, of its mean forces,
    so that friction follows a load one step late. A reaction that redundant constraints leave undetermined is an error.

    Under error control a run finds the times at which it lets go and holds; fixed steps (integrator='velocity_level') solve each step as a
    whole. `mb.JointFriction` with a transition speed is a smooth force instead, which any integrator takes.

    body          whose mobilizer has friction
    limit           N or N m, friction while it slips, at least 0; with a load the part that does not depend on it, default 0
    static_limit    N or N m, largest friction at rest, at least limit; default: the same
    viscous         N s/m or N m s/rad, at least 0
    stribeck_speed  m/s or rad/s; default 0: friction falls from static_limit to limit at once
    load            mb.BearingLoad of a Pin, or mb.GuideLoad of a Slider; default: limits are constant
    coordinate      which of the mobilizer's speeds, from 0

    Sources: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts (1996), ch. 5; Armstrong-Helouvry, Dupont, Canudas de Wit, A
    survey of models, analysis tools and compensation methods for the control of machines with friction, Automatica 30 (1994) (Stribeck).
    """

    is_unilateral = True

    body: MobilizedBody = argument("the body whose mobilizer has friction", kw_only=False)
    static_limit: Parameter[float] = parameter_of(RigidJointFrictionEquations, default=None)
    _set_static_limit, default_static_limit, set_default_static_limit = static_limit.accessors
    limit: Parameter[float] = parameter_of(RigidJointFrictionEquations, default=None)
    _set_limit, default_limit, set_default_limit = limit.accessors
    viscous: Parameter[float] = parameter_of(RigidJointFrictionEquations, default=0.0)
    set_viscous, default_viscous, set_default_viscous = viscous.accessors
    stribeck_speed: Parameter[float] = parameter_of(RigidJointFrictionEquations, default=0.0)
    set_stribeck_speed, default_stribeck_speed, set_default_stribeck_speed = stribeck_speed.accessors
    load: JointLoad | None = argument("what the limits grow with, a BearingLoad or a GuideLoad; None: they are constant", default=None)
    coordinate: int = argument("which of the mobilizer's speeds, from 0", default=0)

    def __post_init__(self) -> None:
        what = type(self).__name__
        checked_index(self.coordinate, checked_mobilizer(self.body, what).nu, self.body, what, "speeds")
        check_load(self.load, self.body, what)
        if self.given["limit"] is None:
            if self.load is None:
                raise InputError(f"{what}: give limit, the friction while it slips, or a load.")
            self.given["limit"] = 0.0
        if self.given["static_limit"] is None:
            self.given["static_limit"] = self.given["limit"]
        unit = self.body.equations.u_units[self.coordinate]
        self.force_unit = MULTIPLIER_UNITS[unit.partition("/")[0]]
        given = RigidJointFrictionEquations(self.coordinate, unit, self.force_unit, load=self.load, **self.parameter_values())
        of_body = given.checked(what)
        _check_order(of_body.static_limit, of_body.limit, of_body.force_unit, what)
        self._constrain(of_body, self.body.matter.ground, (), (self.body,))
        self._impulse: DiscreteVariable
        self._shown: dict[str, CacheEntry] = {}
        load = None if of_body.load is None else FrictionUnderLoad(self, of_body.load)
        self.friction: RowFriction = RowFriction(self, [TangentRows(None, (0,))], [f"{self.name}.friction"], load)

    def set_limits(self, state: State, limit: float, static_limit: float | None = None) -> Self:
        """Set the friction of a slip and the largest one at rest (default: the same), N or N m, in a State. Invalidates stage INSTANCE.

        Returns the element. Raises InputError if the second is below the first.
        """
        static_limit = limit if static_limit is None else static_limit
        _check_order(static_limit, limit, self.force_unit, f"'{self.name}'")
        self._set_limit(state, limit)
        self._set_static_limit(state, static_limit)
        return self

    def set_load_friction(self, state: State, friction: float, static_friction: float | None = None) -> Self:
        """Set the coefficients of the load in a State, without unit: of a slip, and at rest (default: the same).

        Invalidates stage INSTANCE. Returns the element. Raises InputError if the second is below the first, or if there is no load.
        """
        if self.load is None:
            raise InputError(f"'{self.name}' has no load. Make it with load=mb.BearingLoad(...) or mb.GuideLoad(...).")
        static = friction if static_friction is None else static_friction
        if static < friction:
            raise InputError(f"'{self.name}': static_friction, {static:g}, is below friction, {friction:g}. At rest it is the larger one.")
        self.set_parameter(state, "load_friction", friction)
        self.set_parameter(state, "load_static_friction", static)
        return self

    def load_of_joint(self, state: State) -> float:
        """N m or N: the load of the bearing or guide; the limits grow by this times its coefficients. Needs stage ACCELERATION.

        Raises InputError if it has no load.
        """
        if self.friction.load is None:
            raise InputError(f"'{self.name}' has no load. Make it with load=mb.BearingLoad(...) or mb.GuideLoad(...).")
        return float(np.ravel(state.cached(self.friction.load.entries["load"]))[0])

    def mode(self, state: State) -> FrictionState:
        """'stick' or 'slip', as the last run left it; 'free' before the first run."""
        check_state(state, self.matter.system)
        return self.friction.modes(state)[0]

    def torque(self, state: State) -> float:
        """N or N m: the friction on the speed. Needs stage ACCELERATION."""
        return -float(self.multipliers(state)[0])

    def impulse(self, state: State) -> float:
        """N s or N m s: impulse of the last fixed step. 0 under error control."""
        check_state(state, self.matter.system)
        return float(np.ravel(state.get(self._impulse))[0])

    def enabled_rows(self, state: State) -> list[int]:
        """[0] while it holds, else []."""
        return [0] if self.mode(state) == "stick" else []

    def flags(self, layout: Layout) -> list[int]:
        """The offsets of the flags that `release` sets to 0."""
        assert self._active is not None
        return [*layout.slots[self._active].offsets, *self.friction.flags(layout)]

    def release(self, state: State) -> None:
        """Let it not hold. Called by runs."""
        assert self._active is not None
        check_state(state, self.matter.system)
        if np.any(state.get(self._active)):
            state.set(self._active, np.zeros(1))
        self.friction.release(state)

    @property
    def decided(self) -> tuple[DiscreteVariable, ...]:
        """The discrete variables that runs set."""
        assert self._active is not None
        return self._active, self._impulse, *self.friction.decided

    # called by MatterSubsystem
    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        self._impulse = state.allocate_discrete_variable(
            self.matter, f"{self.name}.impulse", np.zeros(1), Stage.ACCELERATION, numbers=[Numbers(1)]
        )
        self.friction.allocate(state)
        self._shown = allocate_shown(self, self._values(), state)
        if self.friction.load is not None:
            self._shown["load"] = self.friction.load.entries["load"]

    def friction_parameters(self, layout: Layout) -> tuple[Slot, ...]:
        """The slots of the static limit, the limit, the viscous friction and the Stribeck speed."""
        first = self.matter.constraint_sweeps(layout).part(self, "constraint_parameters").offset
        names = ("static_limit", "limit", "viscous", "stribeck_speed")
        return tuple(Slot(first + self._parameter_named(each)[1], ()) for each in names)

    def load_parameters(self, layout: Layout) -> Slot:
        """The slot of the parameters of the load."""
        assert self.load is not None
        first = self.matter.constraint_sweeps(layout).part(self, "constraint_parameters").offset
        return Slot(first + self._parameter_named("load_friction")[1], (self.load.n_parameters,))

    def tangent_impulse_slots(self, tangents: Sequence[int], layout: Layout) -> Slot:
        """The slot of its impulse."""
        return layout.slots[self._impulse]

    def tabulate_outputs(self, position: Sweep, acceleration: Sweep, layout: Layout) -> None:
        """Write the rows that compute its torque and its mode."""
        multipliers = self.matter.constraint_sweeps(layout).part(self, "multipliers")
        made = {"torque": (opposite, multipliers), "mode": (itself, self.friction.modes_slot(layout))}
        for name, (function, slot) in made.items():
            acceleration.add(function, [slot], [layout.slots[self._shown[name]]])

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The variables that results, FMUs and the command line can name."""
        load = {"load": ShownValue(Stage.ACCELERATION, (1,), (self.force_unit,), "load of the joint, per coefficient of friction,")}
        values = self._values() | (load if self.friction.load is not None else {})
        return super().variables(layout) + shown_variables(self, values, self._shown, layout)

    def _values(self) -> dict[str, ShownValue]:
        acceleration = Stage.ACCELERATION
        return {
            "torque": ShownValue(acceleration, (1,), (self.force_unit,), "friction"),
            "mode": ShownValue(acceleration, (1,), ("1",), "0 free, 1 stick, 2 slip;"),
        }


def check_load(load: Any, body: MobilizedBody, what: str) -> None:
    """Raise InputError for what is no load, UnsupportedError for a load of another mobilizer than its class is for."""
    if load is None:
        return
    if not isinstance(load, (BearingLoad, GuideLoad)):
        raise InputError(f"{what}: load is a mb.BearingLoad or a mb.GuideLoad, not {type(load).__name__}.")
    if not isinstance(body, Pin if isinstance(load, BearingLoad) else Slider):
        raise UnsupportedError(
            f"{what}: the mobilizer of '{body.name}' is a {type(body).__name__}. A BearingLoad is for a Pin, a GuideLoad for a Slider; for "
            "other mobilizers give constant limits."
        )


def _check_order(static_limit: float, limit: float, unit: str, what: str) -> None:
    if static_limit < limit:
        raise InputError(
            f"{what}: static_limit, {static_limit:g} {unit}, is below limit, {limit:g} {unit}. Friction at rest is the larger one."
        )


def opposite(x: Array) -> Array:
    return 0.0 - x


def itself(x: Array) -> Array:
    return x
