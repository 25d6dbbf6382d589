"""TerrainMesh: ground of triangles."""

from collections import Counter
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import real_numbers
from mobod.contact.shapes.contact_shape import ContactShape, Decorations, Look, nested
from mobod.contact.shapes.terrain_tables import MOST_FEATURES, mesh_table
from mobod.errors import InputError
from mobod.matter.bodies import decorations
from mobod.matter.bodies.decorations import Triple
from mobod.matter.parameters import equations
from mobod.runtime.tables import Struct
from mobod.spatial import Transform
from mobod.spatial.checked import checked_floats
from mobod.system.named_arguments import named_arguments

Corners = tuple[int, int, int]
LEAST_AREA = 1e-12  # of a triangle, relative to the square of its longest edge


@final
@named_arguments
@equations
class TerrainMesh(ContactShape):
    """Ground of triangles, open or closed: what lies behind a triangle is solid. Convex shapes touch it in fixed steps.

    Shapes slide over edges within a plane as if there were none; what edges between planes dissipate is said at HeightField. A shape whose
    middle lies behind a triangle does not touch it.

    vertices  (n, 3)  m
    faces     (m, 3)  indices of vertices, counterclockwise as seen from outside

    Raises InputError for a triangle without an area, and for an edge that several triangles have in the same direction.
    """

    vertices: tuple[Triple, ...]
    faces: tuple[Corners, ...]
    kernel_kind = "SHAPE_TERRAIN"
    has_table = True

    def __post_init__(self) -> None:
        vertices = _checked_vertices(self.vertices)
        faces = _checked_faces(self.faces, len(vertices))
        sides = np.roll(corners := vertices[faces], -1, axis=1) - corners
        areas = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
        if (thin := areas <= LEAST_AREA * (sides**2).sum(axis=2).max(axis=1)).any():
            raise InputError(
                f"TerrainMesh: face {int(np.argmax(thin))} has no area. Its corners coincide or lie on one line. Leave it out."
            )
        object.__setattr__(self, "vertices", nested(vertices))
        object.__setattr__(self, "faces", nested(faces))

    @property
    def has_distance(self) -> bool:
        """See ContactShape."""
        return False

    @classmethod
    def of(cls, vertices: ArrayLike, faces: ArrayLike) -> "TerrainMesh":
        """A mesh of triangles (m, 3) as files have them: vertices (n, 3) in the same place become one; triangles without an area, and those
        that repeat another one, are left out.
        """
        points = _checked_vertices(vertices)
        _, first, number = np.unique(points, axis=0, return_index=True, return_inverse=True)
        corners = number.reshape(-1)[_whole_faces(faces, len(points))]
        sides = np.roll(p := points[first][corners], -1, axis=1) - p
        areas = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
        corners = corners[areas > LEAST_AREA * (sides**2).sum(axis=2).max(axis=1)]
        if not len(corners):
            raise InputError("TerrainMesh: no face has an area. The corners of each coincide or lie on one line.")
        turned = np.take_along_axis(corners, (corners.argmin(axis=1)[:, None] + np.arange(3)) % 3, axis=1)
        _, kept = np.unique(turned, axis=0, return_index=True)
        corners = corners[np.sort(kept)]
        used = np.unique(corners)
        return cls(nested(points[first][used]), nested(np.searchsorted(used, corners)))

    def terrain_table(self) -> Struct:
        """See ContactShape."""
        return self._table

    @cached_property
    def _table(self) -> Struct:
        return mesh_table(np.array(self.vertices), np.array(self.faces))

    def decorations(self, look: Look) -> Decorations:
        """See ContactShape."""
        return [(Transform(), decorations.Mesh(self.vertices, self.faces, **look.of_geometry))]

    def __getstate__(self) -> dict[str, object]:
        """Without what is made on demand."""
        return {name: vars(self)[name] for name in ("vertices", "faces")}


def _checked_vertices(vertices: object) -> np.ndarray:
    shape = real_numbers(vertices, "TerrainMesh: vertices").shape
    if len(shape) != 2 or shape[1] != 3:
        raise InputError(f"TerrainMesh: vertices has shape {shape}. It is (n, 3).")
    return checked_floats(vertices, shape, "TerrainMesh: vertices")


def _whole_faces(faces: object, n_vertices: int) -> np.ndarray:
    array = real_numbers(faces, "TerrainMesh: faces")
    if array.ndim != 2 or array.shape[1] != 3 or not len(array) or not np.array_equal(array, np.round(array)):
        raise InputError(f"TerrainMesh: faces has shape (m, 3), whole numbers, not shape {array.shape}.")
    if array.min() < 0 or array.max() >= n_vertices:
        raise InputError(f"TerrainMesh: faces hold indices of the {n_vertices} vertices, from 0.")
    return array.astype(int)


def _checked_faces(faces: object, n_vertices: int) -> np.ndarray:
    whole = _whole_faces(faces, n_vertices)
    if n_vertices + 4 * len(whole) > MOST_FEATURES:
        raise InputError(f"TerrainMesh: there are {len(whole)} faces. {MOST_FEATURES // 5} are possible.")
    edges = Counter((face[i], face[(i + 1) % 3]) for face in whole.tolist() for i in range(3))
    (start, end), count = edges.most_common(1)[0]
    if count > 1:
        raise InputError(
            f"TerrainMesh: {count} faces have the edge from vertex {start} to {end} in this direction. One can: faces are counterclockwise "
            "as seen from outside. Turn those around that are not, and leave out repeated ones."
        )
    return whole
