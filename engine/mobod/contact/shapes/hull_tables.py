"""The corners, edges and faces of a convex hull, as tables of the C runtime (convex_shape.h)."""

from collections import defaultdict
from dataclasses import dataclass
from typing import final

import numpy as np
import scipy  # whose parts are loaded when they are used
from numpy.typing import ArrayLike

FLAT = 1e-10  # distance of a vertex from the plane of a face of which it is a corner, relative to the size of the hull


@final
@dataclass(frozen=True)
class HullTables:
    """A convex hull: its corners, and its faces with their corners in order, counterclockwise as seen from outside.

    vertices         (n, 3)    m  its corners
    first_neighbour  (n + 1,)     what lies at corner i begins here in the next two lists
    neighbours       (e,)         the corners that share an edge with it
    faces            (e,)         the faces that meet at it
    first_corner     (f + 1,)     the corners of face i begin here in the next list
    corners          (e,)         numbers of vertices
    normals          (f, 3)       outward, length 1
    size             ()        m  distance of the farthest corner from the origin
    """

    vertices: np.ndarray
    first_neighbour: np.ndarray
    neighbours: np.ndarray
    faces: np.ndarray
    first_corner: np.ndarray
    corners: np.ndarray
    normals: np.ndarray
    size: float

    @property
    def n_faces(self) -> int:
        """Number of its faces."""
        return len(self.normals)


def hull_tables(points: ArrayLike) -> HullTables:
    """The tables of the convex hull of points (n, 3), m, that do not lie in one plane. Triangles in one plane become one face.

    Points that are no corners are left out. The others keep their order.
    """
    vertices = np.asarray(points, dtype=float)
    hull = scipy.spatial.ConvexHull(vertices)
    outward = hull.equations[:, :3]
    triangles = _counterclockwise(vertices, hull.simplices, outward)
    loops = [_boundary([triangles[i] for i in group]) for group in _flat_groups(vertices, triangles, hull.neighbors)]
    kept = sorted({vertex for loop in loops for vertex in loop})
    number = {vertex: i for i, vertex in enumerate(kept)}
    polygons = [[number[vertex] for vertex in loop] for loop in loops]
    corners = np.ascontiguousarray(vertices[kept])
    neighbours, faces = defaultdict(list), defaultdict(list)
    for face, polygon in enumerate(polygons):
        for a, b in zip(polygon, polygon[1:] + polygon[:1], strict=True):
            neighbours[a].append(b)  # each edge is in the other direction in the face beside it
            faces[a].append(face)
    return HullTables(
        vertices=corners,
        first_neighbour=_starts([len(neighbours[i]) for i in range(len(kept))]),
        neighbours=_joined([sorted(neighbours[i]) for i in range(len(kept))]),
        faces=_joined([faces[i] for i in range(len(kept))]),
        first_corner=_starts([len(polygon) for polygon in polygons]),
        corners=_joined(polygons),
        normals=np.array([_area_vector(corners[polygon]) for polygon in polygons]),
        size=float(np.linalg.norm(corners, axis=1).max()),
    )


def _counterclockwise(vertices: np.ndarray, simplices: np.ndarray, outward: np.ndarray) -> list[tuple[int, int, int]]:
    """The triangles, counterclockwise as seen from outside."""
    a, b, c = (vertices[simplices[:, i]] for i in range(3))
    seen = np.einsum("ij,ij->i", np.cross(b - a, c - a), outward) > 0
    return [(i, j, k) if is_seen else (i, k, j) for (i, j, k), is_seen in zip(simplices.tolist(), seen.tolist(), strict=True)]


def _flat_groups(vertices: np.ndarray, triangles: list[tuple[int, int, int]], neighbours: np.ndarray) -> list[list[int]]:
    """Triangles that lie in one plane and hang together, in groups. The plane of a group is that of its largest triangle."""
    corners = vertices[np.array(triangles)]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(areas, axis=1)
    near = FLAT * np.ptp(vertices, axis=0).max()
    free, groups = [True] * len(triangles), []
    for seed in np.argsort(-sizes, kind="stable").tolist():
        if not free[seed]:
            continue
        group, normal = [seed], areas[seed] / sizes[seed]
        free[seed] = False
        for triangle in group:  # which grows meanwhile
            for other in neighbours[triangle].tolist():
                if free[other] and np.abs((corners[other] - corners[seed, 0]) @ normal).max() <= near and areas[other] @ normal >= 0:
                    free[other] = False
                    group.append(other)
        groups.append(sorted(group))
    return sorted(groups)


def _boundary(triangles: list[tuple[int, int, int]]) -> list[int]:
    """The vertices around triangles that hang together, in order: the edges that only one of them has."""
    edges = {edge for a, b, c in triangles for edge in ((a, b), (b, c), (c, a))}
    following = {a: b for a, b in edges if (b, a) not in edges}
    start = min(following)
    loop = [start]
    while following[loop[-1]] != start:
        loop.append(following[loop[-1]])
    return loop


def _area_vector(polygon: np.ndarray) -> np.ndarray:
    """The outward normal of a polygon (n, 3), from its area: of no three corners alone."""
    from_middle = polygon - polygon.mean(axis=0)
    area = np.cross(from_middle, np.roll(from_middle, -1, axis=0)).sum(axis=0)
    return area / np.linalg.norm(area)


def _starts(lengths: list[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)


def _joined(lists: list[list[int]]) -> np.ndarray:
    return np.array([each for part in lists for each in part], dtype=np.int32)
