"""LuGreFriction: friction of a coordinate by bristles that bend, with an auxiliary variable."""

from typing import Self, final

import numpy as np

from mobod.arguments.real_numbers import real_number
from mobod.forces.friction.dry_friction import DryFriction
from mobod.forces.friction.friction_laws import lugre, stribeck
from mobod.matter.dynamics.tree import Tree
from mobod.scalar import Array, Scalar, Slot, Sweep, where
from mobod.system import CatalogueVariable, Layout, Stage, State, check_state
from mobod.system.elements import Parameter, argument, parameter
from mobod.system.state.handles import Continuous, Prerequisite


@final
class LuGreFriction(DryFriction):
    """-(stiffness z + d z_dot + viscous u) on the rate u of a coordinate, with bristles of the deflection z:

        z_dot = u - stiffness |u| z / g(u),   g(u) = limit + (static_limit - limit) exp(-(u / stribeck_speed)^2)

    Potential energy stiffness z^2 / 2. At a constant speed the friction is g(u) + viscous u; at rest it is a stiff spring, so that it holds
    a load below static_limit, but under vibration it may creep.

    coordinate      which of the body's coordinates, from 0; its rate must be a speed, so not one of a quaternion
    limit           N or N m, friction while it slips, above 0
    static_limit    N or N m, at least limit; default: the same
    viscous         N s/m or N m s/rad, at least 0
    stiffness       N/m or N m/rad, of the bristles, above 0
    damping         N s/m or N m s/rad, of the bristles, at least 0; d = damping / (1 + damping |u| / (4 g)), so that friction is passive
                    at every speed; about 2 sqrt(stiffness m), m the mass or inertia that it holds
    stribeck_speed  m/s or rad/s, above 0
    deflection_at_start  m or rad, of the bristles in new States. The variable '<name>.deflection' is a state.

    The bristles' own frequency, sqrt(stiffness / m), is high: use a stiff integrator or short steps. `balance(state)` starts with the
    deflection that holds the load, so that nothing jumps.

    Source: Canudas de Wit, Olsson, Astrom, Lischinsky, A new model for control of systems with friction, IEEE Transactions on Automatic
    Control 40 (1995).
    """

    limit: Parameter[float] = parameter("{element.force_unit}", "friction of {element.place} while it slips", above=0.0)
    _set_limit, default_limit, _set_default_limit = limit.accessors
    stiffness: Parameter[float] = parameter(
        "{element.force_unit}/{element.q_unit}", "stiffness of the bristles of {element.place}", above=0.0
    )
    set_stiffness, default_stiffness, set_default_stiffness = stiffness.accessors
    damping: Parameter[float] = parameter("{element.damping_unit}", "damping of the bristles of {element.place}", default=0.0, least=0.0)
    set_damping, default_damping, set_default_damping = damping.accessors
    stribeck_speed: Parameter[float] = parameter(
        "{element.u_unit}", "speed at which friction of {element.place} falls from static to slip", above=0.0
    )
    set_stribeck_speed, default_stribeck_speed, set_default_stribeck_speed = stribeck_speed.accessors
    deflection_at_start: float = argument("m or rad, of the bristles in new States", default=0.0)

    def __post_init__(self) -> None:
        start = real_number(self.deflection_at_start, f"'{self.given['name'] or 'LuGreFriction'}.deflection_at_start'")
        self.deflection_at_start, self.z_starts = start, (start,)
        super().__post_init__()

    def deflection(self, state: State) -> float:
        """() m or rad, of the bristles."""
        check_state(state, self.forces.system)
        return float(state.view(self.forces.z(state.layout, self))[0])

    def set_deflection(self, state: State, deflection: float) -> Self:
        """() m or rad, of the bristles; invalidates stage DYNAMICS. Returns the force."""
        check_state(state, self.forces.system)
        state.write(self.forces.z(state.layout, self), [deflection], f"{self.name}.deflection", Stage.DYNAMICS)
        return self

    def balance(self, state: State) -> Self:
        """Set the deflection with which all speeds stay as they are, as far as this friction can do that below its limit.

        It is the load on the coordinate with all accelerations 0 over the stiffness. Realizes the State to DYNAMICS. Returns the force.
        """
        system, matter = self.forces.system, self.matter
        system.realize(state, Stage.DYNAMICS)
        u = self.body.u(state)[self.speed]
        load = self.body.my_part_u(state, matter.inverse_dynamics(state, np.zeros(len(state.u))))[self.speed] + self.friction(state)
        most = stribeck(u, self.static_limit(state), self.limit(state), self.stribeck_speed(state))
        return self.set_deflection(state, -float(np.clip(load + self.viscous(state) * u, -most, most)) / self.stiffness(state))

    # for ForceSubsystem
    @property
    def prerequisites(self) -> list[Prerequisite]:
        """What its energy and its dissipation depend on beside the motion, once allocated."""
        return [*super().prerequisites, Continuous.Z]

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        rate = tree.rate(self.forces.z(layout, self))
        sweep.add(friction, self._all_inputs(tree, layout), [*self._own_and_sum(tree, layout), rate], adds=(1,))

    def write_potential_energy(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add its potential energy to `total`, J."""
        inputs = [self._slot(layout, "enabled"), self._slot(layout, "stiffness"), self.forces.z(layout, self)]
        sweep.add(bent, inputs, [total], adds=(0,))

    def write_power_dissipation(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add the power that it dissipates to `total`, W."""
        sweep.add(friction_loss, self._all_inputs(tree, layout), [total], adds=(0,))

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The parameters, the friction, and the deflection with its rate."""
        z = self.forces.z(layout, self)
        of_place = f"of the bristles of {self.place}"
        state = CatalogueVariable.state(f"{self.name}.deflection", z, self.q_unit, f"deflection {of_place}", Stage.DYNAMICS)
        rate = state.rate(self.matter.tree(layout).rate(z), Stage.DYNAMICS, f"rate of the deflection {of_place}")
        return [*super().variables(layout), state, rate]

    def _all_inputs(self, tree: Tree, layout: Layout) -> list[Slot]:
        names = ("static_limit", "limit", "viscous", "stiffness", "damping", "stribeck_speed")
        enabled, *others, u = self._inputs(tree, layout, *names)
        return [enabled, self.forces.z(layout, self), u, *others]


def friction(enabled: Scalar, z: Array, u: Scalar, *law: Scalar) -> tuple[Scalar, Scalar, Array]:
    """The friction, twice: kept, and added; and z_dot."""
    force, z_dot = lugre(z, np.array([u]), *law)
    applied = where(enabled, force[0], 0.0)
    return applied, applied, where(enabled, z_dot, 0.0)


def bent(enabled: Scalar, stiffness: Scalar, z: Array) -> Scalar:
    return where(enabled, stiffness * (z @ z) / 2, 0.0)


def friction_loss(
    enabled: Scalar, z: Array, u: Scalar, static: Scalar, limit: Scalar, viscous: Scalar, stiffness: Scalar, *law: Scalar
) -> Scalar:
    """What the bristles take, less what they store."""
    force, z_dot = lugre(z, np.array([u]), static, limit, viscous, stiffness, *law)
    return where(enabled, -force[0] * u - stiffness * (z @ z_dot), 0.0)
