"""ModalMesh: the drawn surface of a flexible body."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from mobod.matter import MatterSubsystem
from mobod.matter.bodies.decorations import Geometry, Mesh, Triple
from mobod.matter.bodies.flexible_parts import InterfaceFrame, ModalNode
from mobod.scene.default_shapes import colour_of
from mobod.scene.scene import Quantity, Scene, SceneBody, Shape
from mobod.scene.scene_json import QuantityData, SceneData
from mobod.spatial import Transform

_DIGITS = 6  # of the numbers of vertices and shapes, after the largest one's first


@final
@dataclass(frozen=True)
class ModalMesh(Geometry):
    """A mesh of triangles that the coordinates q of its body deform: vertex i is at vertices[i] + sum over k of shapes[k][i] q[k].

    vertices  (n, 3)     points, m
    faces     (m, 3)     for each triangle the numbers of its vertices, counterclockwise seen from outside
    shapes    (k, n, 3)  displacements of the vertices for each coordinate
    """

    vertices: tuple[Triple, ...]
    faces: tuple[tuple[int, int, int], ...]
    shapes: Sequence[Sequence[Sequence[float]]]

    def deformed(self, q: Sequence[float]) -> Mesh:
        """As it is for these coordinates."""
        moved = np.array(self.vertices)
        for coordinate, shape in zip(q, self.shapes, strict=True):
            moved = moved + coordinate * np.array(shape)
        return Mesh(tuple(map(tuple, moved.tolist())), self.faces, color=self.color, opacity=self.opacity)


def parts_of_flexible_bodies(matter: MatterSubsystem) -> set[int]:
    """The numbers of flexible bodies and of all bodies of the tables that belong to them."""
    return {body.index for body in matter.bodies if body.flexible is not None or isinstance(body, (ModalNode, InterfaceFrame))}


def modal_shapes(matter: MatterSubsystem) -> Mapping[int, Shape]:
    """The surfaces of flexible bodies, by the numbers of their modal nodes, whose coordinates deform them."""
    found = {}
    for body in matter.bodies:
        parts = body.flexible
        surface = None if parts is None else parts.data.modal.drawn_surface
        if parts is not None and surface is not None:
            shapes = _rounded(np.moveaxis(surface.shapes, 2, 0))
            mesh = ModalMesh(_rounded(surface.vertices).tolist(), surface.faces.tolist(), shapes.tolist(), color=colour_of(body.index))
            found[parts.node.index] = Shape(mesh, Transform(p=-parts.node.X_PF.p))
    return found


def deformed_scene(scene: Scene, value: Callable[[Quantity], float] = lambda quantity: quantity.start) -> Scene:
    """The scene with rigid meshes in place of those that deform. value: of a coordinate; default: its start value"""
    return replace(scene, bodies=tuple(_deformed(body, value) for body in scene.bodies))


def _deformed(body: SceneBody, value: Callable[[Quantity], float]) -> SceneBody:
    if not any(isinstance(each.geometry, ModalMesh) for each in body.shapes):
        return body
    q = [value(each) for each in body.q]
    shapes = [replace(each, geometry=each.geometry.deformed(q)) if isinstance(each.geometry, ModalMesh) else each for each in body.shapes]
    return replace(body, shapes=tuple(shapes))


def _rounded(numbers: np.ndarray) -> np.ndarray:
    largest = float(np.abs(numbers).max(initial=0.0))
    return numbers if largest == 0 else np.round(numbers, int(_DIGITS - np.floor(np.log10(largest)))) + 0.0


def modal_coordinates(scene: SceneData) -> list[QuantityData]:
    """The coordinates that deform the bodies of a scene, in the order of the bodies."""
    deforming = [body for body in scene["bodies"] if any(each["type"] == "ModalMesh" for each in body.get("shapes", ()))]
    return [each for body in deforming for each in body["q"]]
