"""Drawings of mobilizers and couplings: a body at rest, and moved."""

from collections.abc import Callable
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np

import mobod as mb
from mobod.matter import MobilizedBody
from mobod.matter.bodies.decorations import Frame
from mobod.scene import Scene, make_scene
from mobod.scene.drawing import draw
from mobod.scene.scene import Shape
from mobod.scene.svg import svg

WIDTH, HEIGHT = 300, 220
AXIS = 0.22  # m, of the frames
SPEEDS = np.array([0.5, 0.3, 0.4, 0.2, 0.15, 0.1])
"""How a body is moved: by what it does in a second at these speeds, or as many of them as it has."""
GIVEN: dict[str, Any] = {"pitch": 0.1, "radii": [0.25, 0.2, 0.15]}
"""Arguments of those that need some."""

CENTER, SIZE = [0.35, 0.04, 0.02], [0.25, 0.12, 0.08]
MASS = mb.MassProperties(1.0, CENTER, mb.Inertia.box(mass=1.0, size=SIZE).shifted(CENTER))


def mobilizer_drawings(cls: type) -> list[bytes]:
    """Two SVG files, at rest and moved; none for a class that is no mobilizer, or is one of a user's functions or equations."""
    if not issubclass(cls, MobilizedBody) or cls is MobilizedBody or not (given := _arguments(cls, {"parent", "body"})):
        return []

    def add(matter: mb.MatterSubsystem) -> None:
        cls(matter.ground, MASS, name="body", **given[0])

    return _at_rest_and_moved(add, cls.__name__)


def coupling_drawings(cls: type) -> list[bytes]:
    """Two SVG files, at rest and moved; none for a class that is no coupling."""
    if not issubclass(cls, mb.Coupling) or cls is mb.Coupling or not (given := _arguments(cls, set())):
        return []

    def add(matter: mb.MatterSubsystem) -> None:
        coupling = cls(**given[0])
        if cls in (mb.SphericalCoupling, mb.PlaneConnectorCoupling):  # no coordinates: they are constraints
            body = mb.Free(matter.ground, MASS, name="body")
            mb.CouplingJoint(coupling, body, matter.ground, name="joint")
        else:
            mb.CouplingJoint(coupling, MASS, matter.ground, name="body")

    return _at_rest_and_moved(add, cls.__name__)


def _arguments(cls: type, known: set[str]) -> list[dict[str, Any]]:
    """The arguments that the class needs beside the known ones; an empty list if GIVEN lacks one."""
    needed = {each.name for each in signature(cls).parameters.values() if each.default is each.empty} - known
    return [{name: GIVEN[name] for name in needed}] if needed <= set(GIVEN) else []


def _at_rest_and_moved(add: Callable[[mb.MatterSubsystem], None], name: str) -> list[bytes]:
    system = mb.MultibodySystem("picture")
    add(mb.MatterSubsystem(system))
    state = system.realize_topology()
    rest = make_scene(system, state)
    speeds = SPEEDS[: len(state.u)].copy()
    if name == "PlaneConnectorCoupling":
        speeds[-1] = 0.0  # normal to the plane
    if name == "SphericalCoupling":
        speeds[3:] = 0.0
    state.u = speeds
    system.realize(state, mb.Stage.VELOCITY)
    state.q = np.array(state.q) + np.array(state.q_dot)
    moved = make_scene(system, state)
    return [svg(draw(_with_frames(each), WIDTH, HEIGHT), f"{name}, {how}") for each, how in ((rest, "at rest"), (moved, "moved"))]


def _with_frames(scene: Scene) -> Scene:
    """The scene with the joint's frames F on Ground and M on the body."""
    ground, body = scene.bodies
    frame = Frame(axis_length=AXIS)
    ground = replace(ground, shapes=(*ground.shapes, Shape(frame, body.X_PF)))
    body = replace(body, shapes=(*body.shapes, Shape(frame, body.X_BM)))
    return replace(scene, bodies=(ground, body))
