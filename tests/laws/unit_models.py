"""Models for tests of units: trees, loops, limits, contacts with friction, stiff ones, and some without gravity."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import mobod as mb
from mobod import contact


@dataclass(frozen=True)
class Model:
    """until  s, of a run from the start that `build` returns."""

    build: Callable[[], tuple[mb.MultibodySystem, mb.State]]
    until: float


def _begin(*, gravity: float = 9.81) -> tuple[mb.MultibodySystem, mb.MatterSubsystem, mb.ForceSubsystem]:
    system = mb.MultibodySystem("model")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    if gravity:
        mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=gravity, name="gravity")
    return system, matter, forces


def _rod(mass: float, length: float) -> mb.MassProperties:
    """Along -y from the body's origin."""
    center = [0, -length / 2, 0]
    return mb.MassProperties(mass, center, mb.Inertia.cylinder(mass=mass, radius=0.03, length=length, axis="y").shifted(center))


def _solid(mass: float, size: float) -> mb.MassProperties:
    return mb.MassProperties(mass, [0.1 * size, -0.2 * size, 0.05 * size], mass * size**2 * np.diag([0.5, 0.7, 0.6]))


def _at(x: float, y: float, z: float = 0.0) -> mb.Transform:
    return mb.Transform(p=[x, y, z])


def _double_pendulum() -> tuple[mb.MultibodySystem, mb.State]:
    system, matter, _ = _begin()
    upper = mb.Pin(matter.ground, _rod(1.2, 0.7), name="upper")
    lower = mb.Pin(upper, _rod(0.8, 0.5), X_PF=_at(0, -0.7), name="lower")
    state = system.realize_topology()
    upper.set_q(state, 0.9)
    lower.set_u(state, 1.3)
    return system, state


def _mixed_tree() -> tuple[mb.MultibodySystem, mb.State]:
    """A ball joint, a universal joint and a slider with springs and dampers."""
    system, matter, forces = _begin()
    trunk = mb.Ball(matter.ground, _solid(2.0, 0.3), X_BM=_at(0, 0.3), name="trunk")
    arm = mb.Universal(trunk, _solid(0.7, 0.2), X_PF=_at(0.2, -0.1, 0.1), X_BM=_at(0, 0.25), name="arm")
    tool = mb.Slider(arm, _solid(0.2, 0.05), X_PF=_at(0, -0.2), name="tool")
    mb.MobilityLinearSpring(forces, tool, stiffness=60.0, q_zero=0.02, name="spring")
    mb.MobilityLinearDamper(forces, arm, damping=0.05, speed=1, name="damper")
    mb.TwoPointLinearSpring(forces, matter.ground, [0.5, 0.2, 0], tool, [0, 0, 0], stiffness=8.0, rest_length=0.4, name="rope")
    state = system.realize_topology()
    arm.set_q(state, [0.4, -0.3])
    trunk.set_u(state, [0.5, 1.0, -0.7])
    return system, state


def _four_bar() -> tuple[mb.MultibodySystem, mb.State]:
    system, matter, _ = _begin()
    crank = mb.Pin(matter.ground, _rod(0.5, 0.2), name="crank")
    coupler = mb.Pin(crank, _rod(1.0, 0.6), X_PF=_at(0, -0.2), name="coupler")
    rocker = mb.Pin(matter.ground, _rod(0.8, 0.5), X_PF=_at(0.5, 0), name="rocker")
    mb.BallConstraint(coupler, [0, -0.6, 0], rocker, [0, -0.5, 0], name="joint")
    state = system.realize_topology()
    crank.set_q(state, 1.2)
    coupler.set_q(state, 0.2)
    rocker.set_q(state, 0.3)
    crank.set_u(state, 4.0)
    return system, mb.Assembler(system).assemble(state, keep=["crank.u"])


def _slider_crank() -> tuple[mb.MultibodySystem, mb.State]:
    """In a row with a rod that is a constraint."""
    system, matter, forces = _begin()
    crank = mb.Pin(matter.ground, _rod(0.4, 0.1), name="crank")
    piston = mb.Slider(matter.ground, mb.MassProperties.point(0.6, [0, 0, 0]), X_PF=_at(0.1, 0), name="piston")
    mb.Rod(crank, [0, -0.1, 0], piston, [0, 0, 0], 0.3, name="rod")
    mb.MobilityLinearDamper(forces, piston, damping=0.8, name="oil")
    state = system.realize_topology()
    crank.set_q(state, 0.6)
    piston.set_q(state, 0.2)
    crank.set_u(state, 10.0)
    return system, mb.Assembler(system).assemble(state, keep=["crank.u"])


def _stops() -> tuple[mb.MultibodySystem, mb.State]:
    """A pendulum that bounces between stops, and a slider on one that holds it."""
    system, matter, _ = _begin()
    bar = mb.Pin(matter.ground, _rod(1.0, 0.6), name="bar")
    bar.set_limits(-0.4, 0.5, restitution=0.6)
    carriage = mb.Slider(bar, _solid(0.3, 0.05), X_PF=mb.Transform(mb.Transform().R[:, [1, 2, 0]], p=[0, -0.3, 0]), name="carriage")
    carriage.set_limits(-0.1, 0.1)
    state = system.realize_topology()
    bar.set_u(state, 2.5)
    return system, state


def _floor_under(matter: mb.MatterSubsystem, body: mb.MobilizedBody, shape: contact.ContactShape, **options: float) -> None:
    floor = contact.HalfSpace.frame([0, 1, 0], [0, 0, 0])
    mb.RigidContact(matter.ground, contact.HalfSpace(), body, shape, X_B1S1=floor, name="floor", **options)


def _rolling_ball() -> tuple[mb.MultibodySystem, mb.State]:
    """Falls, bounces, slips and rolls."""
    system, matter, _ = _begin()
    ball = mb.Free(matter.ground, mb.MassProperties(0.5, [0, 0, 0], 0.4 * 0.5 * 0.01 * np.eye(3)), name="ball")
    _floor_under(matter, ball, contact.Sphere(0.1), static_friction=0.4, dynamic_friction=0.3, restitution=0.5)
    state = system.realize_topology()
    ball.set_q(state, [1, 0, 0, 0, 0, 0.25, 0])
    ball.set_u(state, [0, 0, 3.0, 0.8, 0, 0.3])
    return system, state


def _capsule() -> tuple[mb.MultibodySystem, mb.State]:
    """On a pin and a spring; its ends meet the floor, and one slides."""
    system, matter, forces = _begin()
    arm = mb.Pin(matter.ground, _rod(0.5, 0.4), X_PF=_at(-0.3, 0.4), name="arm")
    shoe = mb.Pin(arm, _solid(0.3, 0.1), X_PF=_at(0, -0.4), name="shoe")
    mb.MobilityLinearSpring(forces, shoe, stiffness=2.0, q_zero=0.2, name="spring")
    _floor_under(matter, shoe, contact.Capsule(0.04, 0.08), static_friction=0.3, dynamic_friction=0.2)
    state = system.realize_topology()
    arm.set_q(state, 1.0)
    return system, state


def _joint_friction() -> tuple[mb.MultibodySystem, mb.State]:
    """Swings, slips and comes to rest."""
    system, matter, _ = _begin()
    bar = mb.Pin(matter.ground, _rod(1.0, 0.5), name="bar")
    mb.RigidJointFriction(bar, limit=0.6, static_limit=0.8, name="friction")
    state = system.realize_topology()
    bar.set_q(state, 1.4)
    return system, state


def _soft_contact() -> tuple[mb.MultibodySystem, mb.State]:
    """A stiff sphere by Hunt and Crossley; one bounce."""
    system, matter, forces = _begin()
    ball = mb.Slider(matter.ground, mb.MassProperties(0.5, [0, 0, 0], 0.002 * np.eye(3)), X_PF=_upward(), name="ball")
    material = mb.ContactMaterial(2e7, 0.3, 0.2)
    floor = contact.HalfSpace.frame([0, 1, 0], [0, 0, 0])
    mb.HuntCrossleyForce(
        forces, ball, contact.Sphere(0.1), matter.ground, contact.HalfSpace(), material1=material, X_B2S2=floor, name="contact"
    )
    state = system.realize_topology()
    ball.set_q(state, 0.2)
    return system, state


def _upward() -> mb.Transform:
    """x along y of the parent."""
    return mb.Transform(np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]))


def _stiff() -> tuple[mb.MultibodySystem, mb.State]:
    """A pendulum on a stiff, strongly damped slider."""
    system, matter, forces = _begin()
    support = mb.Slider(matter.ground, _solid(0.5, 0.1), X_PF=_upward(), name="support")
    mb.MobilityLinearSpring(forces, support, stiffness=1e6, name="spring")
    mb.MobilityLinearDamper(forces, support, damping=3e4, name="damper")
    bar = mb.Pin(support, _rod(0.5, 0.3), name="bar")
    state = system.realize_topology()
    bar.set_q(state, 1.0)
    return system, state


def _free_pair() -> tuple[mb.MultibodySystem, mb.State]:
    """Without gravity: two tumbling bodies on a spring, with quaternions."""
    system, matter, forces = _begin(gravity=0)
    one = mb.Free(matter.ground, _solid(1.0, 0.2), name="one")
    other = mb.Free(matter.ground, _solid(0.4, 0.1), name="other")
    mb.TwoPointLinearSpring(forces, one, [0.1, 0, 0], other, [0, 0.05, 0], stiffness=30.0, rest_length=0.5, name="spring")
    state = system.realize_topology()
    other.set_q(state, [0.8, 0.6, 0, 0, 0.7, 0.1, 0])
    one.set_u(state, [1, 2, -1, 0.2, 0, 0.1])
    return system, state


def _arm_in_space() -> tuple[mb.MultibodySystem, mb.State]:
    """Without gravity: springs in the joints, compliant stops, and a loop that holds the tip on a line."""
    system, matter, forces = _begin(gravity=0)
    upper = mb.Pin(matter.ground, _rod(1.0, 0.5), name="upper")
    lower = mb.Pin(upper, _rod(0.7, 0.4), X_PF=_at(0, -0.5), name="lower")
    lower.set_limits(-0.5, 0.9, compliance=1e-3, damping=2.0)
    mb.MobilityLinearSpring(forces, upper, stiffness=5.0, name="spring of upper")
    mb.MobilityLinearSpring(forces, lower, stiffness=3.0, q_zero=0.3, name="spring of lower")
    state = system.realize_topology()
    upper.set_u(state, 3.0)
    return system, state


MODELS = {
    "double pendulum": Model(_double_pendulum, 2.0),
    "mixed tree": Model(_mixed_tree, 1.0),
    "four-bar": Model(_four_bar, 2.0),
    "slider-crank": Model(_slider_crank, 1.0),
    "stops": Model(_stops, 1.0),
    "rolling ball": Model(_rolling_ball, 1.5),
    "capsule": Model(_capsule, 1.0),
    "joint friction": Model(_joint_friction, 3.0),
    "soft contact": Model(_soft_contact, 0.3),
    "stiff": Model(_stiff, 1.0),
    "free pair": Model(_free_pair, 2.0),
    "arm in space": Model(_arm_in_space, 2.0),
}
