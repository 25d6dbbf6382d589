"""TriangleMesh: a closed surface of triangles, for the elastic foundation."""

from collections import Counter
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.arguments.real_numbers import real_numbers
from mobod.contact.shapes.contact_shape import Decorations, Look
from mobod.errors import InputError
from mobod.matter.bodies import decorations
from mobod.spatial import Transform
from mobod.spatial.checked import checked_floats

Triple = tuple[float, float, float]
Corners = tuple[int, int, int]


@final
@dataclass(frozen=True)
class TriangleMesh:
    """A closed surface of triangles, also a concave one.

    vertices  (n, 3)  m
    faces     (m, 3)  indices of vertices, counter-clockwise as seen from outside

    Raises InputError unless each edge belongs to two faces, in opposite directions, faces have an area, and their normals point outward.
    """

    vertices: tuple[Triple, ...]
    faces: tuple[Corners, ...]

    def __post_init__(self) -> None:
        n = np.shape(self.vertices)[0] if np.ndim(self.vertices) else 0
        vertices = checked_floats(self.vertices, (n, 3), "TriangleMesh: vertices")
        faces = _checked_faces(self.faces, n)
        corners = vertices[faces]
        areas = _areas(corners)
        if not areas.all():
            raise InputError(f"TriangleMesh: face {int(np.argmin(areas))} has no area. Its corners coincide or lie on one line.")
        if np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) <= 0:
            raise InputError("TriangleMesh: the faces are clockwise as seen from outside. Reverse the order of their vertices.")
        object.__setattr__(self, "vertices", tuple(map(tuple, vertices.tolist())))
        object.__setattr__(self, "faces", tuple(map(tuple, faces.tolist())))

    @property
    def centroids(self) -> np.ndarray:
        """(m, 3) m, of the faces."""
        return np.array(self.vertices)[np.array(self.faces)].mean(axis=1)

    @property
    def areas(self) -> np.ndarray:
        """(m,) m^2, of the faces."""
        return _areas(np.array(self.vertices)[np.array(self.faces)])

    def decorations(self, look: Look) -> Decorations:
        """See ContactShape."""
        return [(Transform(), decorations.Mesh(self.vertices, self.faces, **look.of_geometry))]


def _areas(corners: np.ndarray) -> np.ndarray:
    return np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2


def _checked_faces(faces: object, n_vertices: int) -> np.ndarray:
    array = real_numbers(faces, "TriangleMesh: faces")
    if array.ndim != 2 or array.shape[1] != 3 or not np.array_equal(array, np.round(array)):
        raise InputError(f"TriangleMesh: faces has shape (m, 3), whole numbers, not shape {array.shape}.")
    if array.size == 0 or array.min() < 0 or array.max() >= n_vertices:
        raise InputError(f"TriangleMesh: faces hold indices of the {n_vertices} vertices, from 0.")
    whole = array.astype(int)
    edges = Counter((int(face[i]), int(face[(i + 1) % 3])) for face in whole for i in range(3))
    for (start, end), count in edges.items():
        if count != 1 or edges.get((end, start), 0) != 1:
            raise InputError(
                f"TriangleMesh: the edge from vertex {start} to {end} belongs to {count} and, in the other direction, to "
                f"{edges.get((end, start), 0)} faces. In a closed mesh it is 1 and 1."
            )
    return whole
