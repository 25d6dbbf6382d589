"""Drawings of forces: a body with arrows of the force and torque on it, and of its velocity."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

import mobod as mb
from mobod.matter.bodies.decorations import Arc, Cylinder, Geometry, Mesh, Triple
from mobod.scene import make_scene
from mobod.scene.drawing import draw
from mobod.scene.placing import with_y_along, with_z_along
from mobod.scene.scene import Scene, Shape
from mobod.scene.svg import svg

WIDTH, HEIGHT = 300, 220
BOX = mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.box(mass=1.0, size=[0.2, 0.14, 0.1]))
ARM = mb.MassProperties(1.0, [0.3, 0, 0], mb.Inertia.box(mass=1.0, size=[0.2, 0.14, 0.1]).shifted([0.3, 0, 0]))
RED: Triple = (0.8, 0.2, 0.15)
GREEN: Triple = (0.25, 0.6, 0.3)
THICKNESS = 0.008  # m, of arrows


@dataclass(frozen=True)
class _Case:
    """add: adds one body, and a force on it; q, u: of the body; at: where the force acts, in the body's frame"""

    add: Callable[[mb.ForceSubsystem], mb.Force]
    q: tuple[float, ...] = ()
    u: tuple[float, ...] = ()
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)


def force_drawing(cls: type) -> bytes | None:
    """An SVG file; None for a class without a case."""
    case = _CASES.get(cls)
    if case is None:
        return None
    system = mb.MultibodySystem("picture")
    mb.MatterSubsystem(system)
    force = case.add(mb.ForceSubsystem(system))
    state = system.realize_topology()
    body = _drawn(system.matter)
    for given, set_value in ((case.q, body.set_q), (case.u, body.set_u)):
        if given:
            set_value(state, given)
    if isinstance(force, mb.DiscreteForces):
        force.set_body_force(state, body, [0, 0, 0.8, 1.0, 0.5, 0])
    system.realize(state, mb.Stage.DYNAMICS)
    return svg(draw(_with_arrows(make_scene(system, state), force, state, case.at), WIDTH, HEIGHT), cls.__name__)


def _drawn(matter: mb.MatterSubsystem) -> mb.MobilizedBody:
    """The body of the case; another one may be beside it."""
    body = matter.body("body")
    assert isinstance(body, mb.MobilizedBody)
    return body


def _with_arrows(scene: Scene, force: mb.Force, state: mb.State, at: tuple[float, float, float]) -> Scene:
    body = _drawn(force.matter)
    body_forces, mobility_forces = force.calc_force_contribution(state)
    X_GB, V_GB = body.X_GB(state), body.V_GB(state)
    point = X_GB.apply(at)
    torque, push = body_forces[body.index, :3] - np.cross(point - X_GB.p, body_forces[body.index, 3:]), body_forces[body.index, 3:].copy()
    own = body.my_part_u(state, mobility_forces)
    if np.any(own) and body.nu == 1:  # along the axis of a Pin, or a Slider
        if isinstance(body, mb.Pin):
            torque[2] += own[0]
        else:
            push[0] += own[0]
    shapes = [*_arrow(point, push, RED), *_turning_arrow(X_GB.p, torque, RED)]
    shapes += [*_arrow(X_GB.p, V_GB[3:], GREEN), *_turning_arrow(X_GB.p, V_GB[:3], GREEN)]
    ground, *others = scene.bodies
    return replace(scene, bodies=(replace(ground, shapes=(*ground.shapes, *shapes)), *others))


def _arrow(start: np.ndarray, vector: np.ndarray, color: Triple) -> Iterator[Shape]:
    """An arrow that ends outside of the body; its length says little of the size."""
    size = float(np.linalg.norm(vector))
    if size < 1e-9:
        return
    direction = vector / size
    length = 0.22 + 0.05 * min(size, 3.0)
    yield Shape(Cylinder(THICKNESS, length / 2, color=color), with_y_along(direction, start + length / 2 * direction))
    yield Shape(_tip(color), with_z_along(direction, start + length * direction))


def _turning_arrow(center: np.ndarray, vector: np.ndarray, color: Triple) -> Iterator[Shape]:
    """An arc about the axis of a torque or an angular velocity."""
    size = float(np.linalg.norm(vector))
    if size < 1e-9:
        return
    X = with_z_along(vector / size, center + 0.08 * vector / size)
    radius, end = 0.16, 4.2  # m, rad
    yield Shape(Arc(radius + THICKNESS, 2 * THICKNESS, 0.0, end, color=color), X)
    tangent = X.R @ np.array([-np.sin(end), np.cos(end), 0.0])
    yield Shape(_tip(color), with_z_along(tangent, X.apply([radius * np.cos(end), radius * np.sin(end), 0.0])))


def _tip(color: Triple) -> Geometry:
    """A pyramid of eight sides along z, which ends 7 cm from its origin."""
    angles = np.arange(8) * np.pi / 4
    rim = [(float(0.028 * np.cos(a)), float(0.028 * np.sin(a)), 0.0) for a in angles]
    faces = [(i, (i + 1) % 8, 8) for i in range(8)] + [((i + 1) % 8, i, 9) for i in range(8)]
    return Mesh((*rim, (0.0, 0.0, 0.07), (0.0, 0.0, 0.0)), tuple(faces), color=color)


def _free(forces: mb.ForceSubsystem) -> mb.MobilizedBody:
    return mb.Free(forces.system.matter.ground, BOX, name="body")


def _pin(forces: mb.ForceSubsystem) -> mb.MobilizedBody:
    return mb.Pin(forces.system.matter.ground, ARM, name="body")


def _slider(forces: mb.ForceSubsystem) -> mb.MobilizedBody:
    return mb.Slider(forces.system.matter.ground, BOX, name="body")


def _ends(forces: mb.ForceSubsystem) -> tuple[mb.Ground, list[float], mb.MobilizedBody, list[float]]:
    return forces.system.matter.ground, [-0.6, 0, 0], _free(forces), [-0.1, 0, 0]


def _meshed(forces: mb.ForceSubsystem) -> mb.Force:
    wheel = mb.Pin(forces.system.matter.ground, ARM, X_PF=mb.Transform(p=[1, 0, 0]))
    return mb.GearPair(forces, _pin(forces), wheel, ratio=-1.0, stiffness=5.0)


def _limited(forces: mb.ForceSubsystem) -> mb.Force:
    body = _pin(forces)
    mb.MobilityForce(forces, body, force=3.0)
    return mb.DriveLimit(forces, body, low=-1.0, high=1.0)


_CASES: dict[type, _Case] = {
    mb.Gravity: _Case(lambda forces: mb.Gravity(_with(forces, _pin), forces.system.matter, down=[0, -1, 0], magnitude=1.0), at=(0.3, 0, 0)),
    mb.UniformGravity: _Case(
        lambda forces: mb.UniformGravity(_with(forces, _pin), forces.system.matter, gravity=[0, -1, 0]), at=(0.3, 0, 0)
    ),
    mb.ConstantForce: _Case(lambda forces: mb.ConstantForce(forces, _free(forces), [0.1, 0.07, 0.05], [1, 1, 0]), at=(0.1, 0.07, 0.05)),
    mb.ConstantTorque: _Case(lambda forces: mb.ConstantTorque(forces, _pin(forces), [0, 0, 1])),
    mb.MobilityForce: _Case(lambda forces: mb.MobilityForce(forces, _pin(forces), force=1.0)),
    mb.Servo: _Case(lambda forces: mb.Servo(forces, _pin(forces), kp=2.0), q=(-0.5,)),
    mb.SiteServo: _Case(
        lambda forces: mb.SiteServo(
            forces, _free(forces), mb.Transform(p=[0.1, 0, 0]), wrench=[0, 0, 0, 1, 1, 0], control="force", command=1.0
        ),
        at=(0.1, 0, 0),
    ),
    mb.FixedTendon: _Case(lambda forces: mb.FixedTendon(forces, [_pin(forces)], [0], [0.2], stiffness=20.0), q=(0.5,)),
    mb.MotorDC: _Case(lambda forces: mb.MotorDC(forces, _pin(forces), torque_constant=0.1, resistance=1.0, voltage=5.0)),
    mb.GearPair: _Case(_meshed, q=(0.3,)),
    mb.DriveLimit: _Case(_limited),
    mb.MobilityConstantForce: _Case(lambda forces: mb.MobilityConstantForce(forces, _slider(forces), force=1.0)),
    mb.MobilityLinearSpring: _Case(lambda forces: mb.MobilityLinearSpring(forces, _pin(forces), stiffness=2.0), q=(0.5,)),
    mb.MobilityTableSpring: _Case(
        lambda forces: mb.MobilityTableSpring(forces, _pin(forces), mb.functions.Polynomial([2.0, 0.0, 1.0, 0.0])), q=(0.7,)
    ),
    mb.MobilityLinearDamper: _Case(lambda forces: mb.MobilityLinearDamper(forces, _slider(forces), damping=1.0), u=(1.0,)),
    mb.MobilityLinearStop: _Case(lambda forces: mb.MobilityLinearStop(forces, _slider(forces), stiffness=20.0, q_high=0.4), q=(0.45,)),
    mb.BodyDamping: _Case(lambda forces: mb.BodyDamping(forces, _free(forces), linear_damping=1.0), u=(0, 0, 0, 1, 0.4, 0)),
    mb.GlobalDamper: _Case(lambda forces: mb.GlobalDamper(_with(forces, _slider), forces.system.matter, damping=1.0), u=(1.0,)),
    mb.DiscreteForces: _Case(lambda forces: mb.DiscreteForces(_with(forces, _free), forces.system.matter)),
    mb.Port: _Case(lambda forces: mb.Port(_free(forces), mb.Transform(p=[0.1, 0, 0]), forces=forces, force=[1, 0.5, 0]), at=(0.1, 0, 0)),
    mb.LinearBushing: _Case(
        lambda forces: mb.LinearBushing(forces, forces.system.matter.ground, _free(forces), stiffness=[0, 0, 0, 5, 5, 5], damping=0.0),
        q=(1, 0, 0, 0, 0.3, 0.12, 0),
    ),
    mb.TwoPointLinearSpring: _Case(
        lambda forces: mb.TwoPointLinearSpring(forces, *_ends(forces), stiffness=5.0, rest_length=0.3), at=(-0.1, 0, 0)
    ),
    mb.TwoPointLinearDamper: _Case(
        lambda forces: mb.TwoPointLinearDamper(forces, *_ends(forces), damping=1.0), u=(0, 0, 0, 1, 0, 0), at=(-0.1, 0, 0)
    ),
    mb.TwoPointConstantForce: _Case(lambda forces: mb.TwoPointConstantForce(forces, *_ends(forces), force=1.0), at=(-0.1, 0, 0)),
}


def _with(forces: mb.ForceSubsystem, add_body: Callable[[mb.ForceSubsystem], mb.MobilizedBody]) -> mb.ForceSubsystem:
    """The subsystem, after a body was added: for forces on all bodies."""
    add_body(forces)
    return forces
