"""Pictures of mobilizers for the handbook: a body on each, at rest and moved, with the joint's frames F and M."""

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


def mobilizer_pictures(cls: type) -> list[bytes]:
    """Two SVG files, at rest and moved; none for a class that is no mobilizer, or is one of a user's functions or equations."""
    if not issubclass(cls, MobilizedBody) or cls is MobilizedBody:
        return []
    needed = {each.name for each in signature(cls).parameters.values() if each.default is each.empty} - {"parent", "body"}
    if not needed <= set(GIVEN):
        return []
    system = mb.MultibodySystem("picture")
    matter = mb.MatterSubsystem(system)
    center, size = [0.35, 0.04, 0.02], [0.25, 0.12, 0.08]
    mass = mb.MassProperties(1.0, center, mb.Inertia.box(mass=1.0, size=size).shifted(center))
    cls(matter.ground, mass, name="body", **{name: GIVEN[name] for name in needed})
    state = system.realize_topology()
    rest = make_scene(system, state)
    state.u = SPEEDS[: len(state.u)]
    system.realize(state, mb.Stage.VELOCITY)
    state.q = np.array(state.q) + np.array(state.q_dot)
    moved = make_scene(system, state)
    return [svg(draw(_with_frames(each), WIDTH, HEIGHT), f"{cls.__name__}, {how}") for each, how in ((rest, "at rest"), (moved, "moved"))]


def _with_frames(scene: Scene) -> Scene:
    """The scene with the joint's frames F on Ground and M on the body."""
    ground, body = scene.bodies
    frame = Frame(axis_length=AXIS)
    ground = replace(ground, shapes=(*ground.shapes, Shape(frame, body.X_PF)))
    body = replace(body, shapes=(*body.shapes, Shape(frame, body.X_BM)))
    return replace(scene, bodies=(ground, body))
