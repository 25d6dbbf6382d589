"""JointFriction: dry friction of a coordinate, regularised by a transition speed."""

from typing import Any, final

from mobod.arguments.real_numbers import real_number
from mobod.errors import InputError
from mobod.forces.friction.dry_friction import DryFriction
from mobod.forces.friction.friction_laws import regularised_over_speed
from mobod.matter.constraints import RegularisedJointFriction, RigidJointFriction
from mobod.matter.constraints.regularised_joint_friction import STRIBECK_SPEEDS
from mobod.matter.dynamics.tree import Tree
from mobod.scalar import Scalar, Slot, Sweep, where
from mobod.system import Layout
from mobod.system.elements import Parameter, parameter

_NOT_GIVEN = 0.0  # any number: the constructors check it


@final
class JointFriction(DryFriction):
    """-(L(u) / sqrt(u^2 + transition_speed^2) + viscous) u on the rate u of a coordinate, with the law of Stribeck

        L(u) = limit + (static_limit - limit) exp(-(u / stribeck_speed)^2)

    coordinate        which of the body's coordinates, from 0; its rate must be a speed, so not one of a quaternion
    limit             N or N m, friction while it slips, at least 0
    static_limit      N or N m, at least limit; default: the same
    viscous           N s/m or N m s/rad, at least 0
    stribeck_speed    m/s or rad/s; default: 10 transition speeds
    transition_speed  m/s or rad/s, above 0: friction is about 70 % of the limit at this speed. None: the friction is rigid, and a
                      mb.RigidJointFriction is returned, a constraint, which takes the other arguments
    load              mb.BearingLoad of a Pin, or mb.GuideLoad of a Slider: the limits grow with the reaction of the joint, and may be left
                      out. A constraint is returned, since the friction and the reaction are solved for together: a
                      mb.RegularisedJointFriction, or a mb.RigidJointFriction. Default: the limits are constant

    It never holds: under a load F below the limit it creeps at the speed transition_speed F / sqrt(static_limit^2 - F^2). The smaller the
    transition speed, the stiffer it is; a system with explicit steps needs steps below about 2.5 m transition_speed / limit, m the mass or
    inertia that the coordinate moves. `LuGreFriction` holds.

    Source: Armstrong-Helouvry, Dupont, Canudas de Wit, A survey of models, analysis tools and compensation methods for the control of
    machines with friction, Automatica 30 (1994).
    """

    stribeck_speed: Parameter[float] = parameter(
        "{element.u_unit}", "speed at which friction of {element.place} falls from static to slip", default=None, above=0.0
    )
    set_stribeck_speed, default_stribeck_speed, set_default_stribeck_speed = stribeck_speed.accessors
    transition_speed: Parameter[float] = parameter("{element.u_unit}", "speed of the transition to slip of {element.place}", above=0.0)
    set_transition_speed, default_transition_speed, set_default_transition_speed = transition_speed.accessors

    def __new__(cls, *args: Any, transition_speed: float | None = _NOT_GIVEN, **kwargs: Any) -> Any:
        """A RigidJointFriction if transition_speed is None, a RegularisedJointFriction with a load."""
        if transition_speed is not None and kwargs.get("load") is None:
            return super().__new__(cls)
        if len(args) > 2:
            raise InputError("JointFriction: only forces and body are given by position.")
        given = dict(zip(("forces", "body"), args, strict=False)) | kwargs
        given.pop("forces", None)
        if transition_speed is not None:
            return RegularisedJointFriction(transition_speed=transition_speed, **given)
        if given.get("stribeck_speed", 0.0) is None:
            del given["stribeck_speed"]
        return RigidJointFriction(**given)

    def __post_init__(self) -> None:
        if self.given["stribeck_speed"] is None:
            owner = self.given["name"] or "JointFriction"
            speed = real_number(self.given["transition_speed"], f"'{owner}.transition_speed'")
            self.given["stribeck_speed"] = STRIBECK_SPEEDS * speed if speed > 0 else 1.0  # if it is not, an error names transition_speed
        super().__post_init__()

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        sweep.add(friction, self._all_inputs(tree, layout), self._own_and_sum(tree, layout), adds=(1,))

    def write_power_dissipation(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add the power that it dissipates to `total`, W."""
        sweep.add(friction_loss, self._all_inputs(tree, layout), [total], adds=(0,))

    def _all_inputs(self, tree: Tree, layout: Layout) -> list[Slot]:
        return self._inputs(tree, layout, "static_limit", "limit", "viscous", "transition_speed", "stribeck_speed")


def friction(
    enabled: Scalar,
    static_limit: Scalar,
    limit: Scalar,
    viscous: Scalar,
    transition_speed: Scalar,
    stribeck_speed: Scalar,
    u: Scalar,
) -> tuple[Scalar, Scalar]:
    """The friction, twice: kept, and added."""
    force = where(enabled, -u * regularised_over_speed(u, static_limit, limit, viscous, transition_speed, stribeck_speed), 0.0)
    return force, force


def friction_loss(
    enabled: Scalar,
    static_limit: Scalar,
    limit: Scalar,
    viscous: Scalar,
    transition_speed: Scalar,
    stribeck_speed: Scalar,
    u: Scalar,
) -> Scalar:
    return where(enabled, u * u * regularised_over_speed(u, static_limit, limit, viscous, transition_speed, stribeck_speed), 0.0)
