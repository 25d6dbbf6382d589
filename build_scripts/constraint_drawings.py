"""Drawings of constraints: bodies at the start, and after a motion that the constraint allows."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

import mobod as mb
from mobod.matter.bodies.decorations import Frame
from mobod.scene import Scene, make_scene
from mobod.scene.drawing import draw
from mobod.scene.scene import Shape
from mobod.scene.svg import svg

WIDTH, HEIGHT = 300, 220
BOX = mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.box(mass=1.0, size=[0.28, 0.14, 0.1]))
BLUE, RED = (0.2, 0.4, 0.65), (0.8, 0.2, 0.15)
AXIS = 0.2  # m, of frames


@dataclass(frozen=True)
class _Case:
    """add: adds bodies and a constraint; q: start values; u: speeds, as far as the constraint allows them; seconds of the motion"""

    add: Callable[[mb.MatterSubsystem], object]
    u: tuple[float, ...]
    q: tuple[float, ...] | None = None
    seconds: float = 1.0


def constraint_drawings(cls: type) -> list[bytes]:
    """Two SVG files, before and after a motion that the constraint allows; none for a class without a case."""
    case = _CASES.get(cls)
    if case is None:
        return []
    system = mb.MultibodySystem("picture")
    case.add(mb.MatterSubsystem(system))
    state = system.realize_topology()
    if case.q is not None:
        state.q = np.array(case.q)
    state.u = np.array(case.u)
    end = mb.Simulation(system, backend="interpreted").run(state, until=case.seconds).final_state
    scenes = [_with_frames(make_scene(system, each)) for each in (state, end)]
    names = "at the start", "moved"
    return [svg(draw(scene, WIDTH, HEIGHT), f"{cls.__name__}, {how}") for scene, how in zip(scenes, names, strict=True)]


def _with_frames(scene: Scene) -> Scene:
    """The scene with a frame on Ground, and one on a body that moves freely."""
    frame = Shape(Frame(axis_length=AXIS), mb.Transform())
    shown = [body.parent is None or body.name == "body" for body in scene.bodies]
    bodies = (replace(body, shapes=(*body.shapes, frame)) if has else body for body, has in zip(scene.bodies, shown, strict=True))
    return replace(scene, bodies=tuple(bodies))


def _free(matter: mb.MatterSubsystem) -> mb.Free:
    return mb.Free(matter.ground, BOX, name="body")


def _wheels(matter: mb.MatterSubsystem) -> list[mb.MobilizedBody]:
    """Two wheels side by side, with a mark near the rim."""
    wheels: list[mb.MobilizedBody] = []
    for i, name in enumerate(("first", "second")):
        body = mb.Pin(matter.ground, BOX, X_PF=mb.Transform(p=[0.32 * i, 0, 0]), name=name)
        flat = mb.Transform(mb.spatial.rotation_x(np.pi / 2))
        body.add_body_decoration(flat, mb.decorations.Cylinder(0.15, 0.03, color=BLUE))
        body.add_body_decoration(mb.Transform(p=[0.11, 0, 0.1]), mb.decorations.Sphere(0.02, color=RED))
        wheels.append(body)
    return wheels


_FLOOR = mb.Transform(mb.spatial.rotation_x(-np.pi / 2))  # z of it is y of Ground


def _coupled(matter: mb.MatterSubsystem) -> None:
    mb.CoordinateCoupler(matter, mb.functions.Linear([1.0, 1.0, 0.0]), _wheels(matter), [0, 0])


def _speeds_coupled(matter: mb.MatterSubsystem) -> None:
    mb.SpeedCoupler(matter, mb.functions.Linear([1.0, 1.0, 0.0]), _wheels(matter), [0, 0])


def _rolling(matter: mb.MatterSubsystem) -> None:
    first, second = _wheels(matter)
    mb.NoSlip1D(matter.ground, [0.16, 0, 0], [0, 1, 0], first, second)


def _ball_on_plane(matter: mb.MatterSubsystem) -> None:
    body = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.sphere(mass=1.0, radius=0.12)), name="body")
    mb.SphereOnPlaneContact(matter.ground, _FLOOR, body, [0, 0, 0], 0.12, True)


def _welded(matter: mb.MatterSubsystem) -> None:
    body, other = _free(matter), mb.Pin(matter.ground, BOX, X_BM=mb.Transform(p=[-0.3, 0, 0]), name="other")
    mb.WeldConstraint(other, mb.Transform(p=[0.14, 0, 0]), body, mb.Transform(p=[-0.14, 0, 0]))


_CASES: dict[type, _Case] = {
    mb.Rod: _Case(
        lambda matter: mb.Rod(matter.ground, [0, 0.5, 0], _free(matter), [0, 0.07, 0], 0.43), (0, 0, 0.5, 0.6, 0, 0), seconds=0.7
    ),
    mb.BallConstraint: _Case(
        lambda matter: mb.BallConstraint(matter.ground, [-0.2, 0.1, 0], _free(matter), [-0.2, 0.1, 0]), (0.3, 0.2, 0.6, 0.06, 0.12, -0.07)
    ),
    mb.WeldConstraint: _Case(_welded, (0, 0, 0.6, 0, 0.348, 0, 0.6), (1, 0, 0, 0, 0.58, 0, 0, 0)),
    mb.PointInPlane: _Case(
        lambda matter: mb.PointInPlane(matter.ground, [0, 1, 0], 0.0, _free(matter), [0, -0.07, 0]),
        (0, 0, 0.4, 0.2, 0, 0.15),
        (1, 0, 0, 0, 0, 0.07, 0),
    ),
    mb.PointOnLine: _Case(
        lambda matter: mb.PointOnLine(matter.ground, [1, 0.3, 0], [0, 0, 0], _free(matter), [0, 0, 0.05]),
        (0, 0, 0.4, 0.3, 0.09, 0),
        (1, 0, 0, 0, 0, 0, -0.05),
    ),
    mb.PointOnPlaneContact: _Case(
        lambda matter: mb.PointOnPlaneContact(matter.ground, _FLOOR, _free(matter), [0.14, -0.07, 0]),
        (0, 0, -0.4, 0.028, 0.056, 0),
        (1, 0, 0, 0, 0, 0.07, 0),
    ),
    mb.SphereOnPlaneContact: _Case(_ball_on_plane, (0, 0, -3.0, 0.36, 0, 0), (1, 0, 0, 0, 0, 0.12, 0)),
    mb.ConstantAngle: _Case(lambda matter: mb.ConstantAngle(matter.ground, [0, 1, 0], _free(matter), [1, 0, 0]), (0, 0.7, 0, 0.2, 0.1, 0)),
    mb.ConstantOrientation: _Case(
        lambda matter: mb.ConstantOrientation(matter.ground, np.eye(3), _free(matter), np.eye(3)), (0, 0, 0, 0.3, 0.2, 0)
    ),
    mb.CoordinateCoupler: _Case(_coupled, (0.8, -0.8)),
    mb.SpeedCoupler: _Case(_speeds_coupled, (0.8, -0.8)),
    mb.NoSlip1D: _Case(_rolling, (0.8, -0.8)),
}
