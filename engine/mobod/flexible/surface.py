"""The surface of a flexible body, for drawings: triangles whose corners move by the modal coordinates."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.flexible.interfaces import ModalInterface
from mobod.flexible.sections import Section
from mobod.spatial import cross_matrix

MOST_VERTICES = 2000  # of a drawn surface
_SIDES, _STATIONS, _SLENDER = 8, 9, 30.0  # of the tubes that stand for a body of which interfaces alone are known
_CIRCULAR = 1e-6  # relative: moments of a section that are as close to those of a circle are those


@final
@dataclass(frozen=True, eq=False)
class ModalSurface:
    """A surface in the body's frame; a vertex is at vertices + shapes @ eta.

    vertices  (N, 3) m
    faces     (F, 3) numbers of vertices, counterclockwise seen from outside
    shapes    (N, 3, n) displacement for each modal coordinate
    """

    vertices: np.ndarray
    faces: np.ndarray
    shapes: np.ndarray


def surface_of_nodes(nodes: np.ndarray, shapes: np.ndarray, triangles: np.ndarray) -> ModalSurface:
    """The surface with these triangles of nodes, with fewer vertices where there are more than MOST_VERTICES.

    nodes   (N, 3) m; shapes: (N, 3, n) displacements of the nodes
    """
    used, faces = np.unique(triangles, return_inverse=True)
    faces = faces.reshape(-1, 3)
    points = nodes[used]
    if len(used) > MOST_VERTICES:
        kept, number = _clusters(points)
        faces = number[faces]
        is_whole = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
        faces, used = np.unique(faces[is_whole], axis=0), used[kept]
    return ModalSurface(nodes[used], faces, shapes[used])


def checked_triangles(given: ArrayLike, n_nodes: int) -> np.ndarray:
    """(F, 3) numbers of nodes. Raises InputError."""
    triangles = np.asarray(given)
    if triangles.ndim != 2 or triangles.shape[1] != 3 or triangles.dtype.kind not in "iu" or not len(triangles):
        raise InputError(f"ModalData: surface has shape {triangles.shape}. Whole numbers of nodes of shape (F, 3), triangles, are needed.")
    if triangles.min() < 0 or triangles.max() >= n_nodes:
        wrong = triangles.max() if triangles.min() >= 0 else triangles.min()
        raise InputError(f"ModalData: surface has the node {wrong}; nodes run from 0 to {n_nodes - 1}.")
    return triangles


def _clusters(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(the point that is kept of each cell of a lattice, the number of the cell of each point); at most MOST_VERTICES cells."""
    low, extent = points.min(axis=0), np.ptp(points, axis=0)
    spacing = float(extent.max()) / 200
    while True:
        cells = np.floor((points - low) / spacing).astype(int)
        _, first, number = np.unique(cells, axis=0, return_index=True, return_inverse=True)
        if len(first) <= MOST_VERTICES:
            return first, number.reshape(-1)
        spacing *= 1.1


def swept_surface(centers: np.ndarray, shapes: np.ndarray, outline: np.ndarray) -> ModalSurface:
    """The surface of an outline that is carried along a line, closed at both ends.

    centers  (m, 3) m: of the sections
    shapes   (m, 6, n): rotation and displacement of each section for each modal coordinate
    outline  (k, 3) m: corners of the section about its center, counterclockwise seen against the line; or (m, k, 3), of each section
    """
    m, k = len(centers), outline.shape[-2]
    outlines = np.broadcast_to(outline, (m, k, 3))
    vertices = (centers[:, None] + outlines).reshape(-1, 3)
    arms = -np.array([cross_matrix(each) for each in outlines.reshape(-1, 3)]).reshape(m, k, 3, 3)
    turned = np.einsum("mkij,mjn->mkin", arms, shapes[:, :3])
    moved = (shapes[:, None, 3:] + turned).reshape(m * k, 3, -1)
    at, following = np.arange(k), (np.arange(k) + 1) % k
    sides = [np.stack([s * k + at, s * k + following, (s + 1) * k + following], axis=1) for s in range(m - 1)]
    sides += [np.stack([s * k + at, (s + 1) * k + following, (s + 1) * k + at], axis=1) for s in range(m - 1)]
    fan = np.stack([np.zeros(k - 2, dtype=int), np.arange(1, k - 1), np.arange(2, k)], axis=1)
    return ModalSurface(vertices, np.concatenate([*sides, fan[:, ::-1], (m - 1) * k + fan]), moved)


def surface_of_interfaces(first: ModalInterface, others: list[ModalInterface]) -> ModalSurface | None:
    """Tubes from the first interface to each other one, which bend as beams do: by cubics between the motions of their ends."""
    tubes = [found for other in others if (found := _tube(first, other)) is not None]
    if not tubes:
        return None
    starts = np.cumsum([0, *(len(each.vertices) for each in tubes[:-1])])
    return ModalSurface(
        np.concatenate([each.vertices for each in tubes]),
        np.concatenate([each.faces + start for each, start in zip(tubes, starts, strict=True)]),
        np.concatenate([each.shapes for each in tubes]),
    )


def _tube(first: ModalInterface, end: ModalInterface) -> ModalSurface | None:
    start = first.X
    line = end.X.p - start.p
    length = float(np.linalg.norm(line))
    if not length > 0:
        return None
    x = line / length
    y = np.cross(np.eye(3)[int(np.argmin(np.abs(x)))], x)
    y /= np.linalg.norm(y)
    z = np.cross(x, y)
    angles = 2 * np.pi * np.arange(_SIDES) / _SIDES
    outline = length / _SLENDER * (np.outer(np.cos(angles), y) + np.outer(np.sin(angles), z))
    s = np.linspace(0, 1, _STATIONS)
    # relative to the rigid motion of the start
    turn = end.shapes[:3] - first.shapes[:3]
    moved = end.shapes[3:] - first.shapes[3:] + cross_matrix(line) @ first.shapes[:3]
    along = np.outer(x, x)
    across = np.eye(3) - along
    slope = np.array([np.cross(column, x) for column in turn.T]).reshape(-1, 3).T  # of the line at its end, for each coordinate
    shapes = np.zeros((_STATIONS, 6, turn.shape[1]))
    for k, part in enumerate(s):
        cubic, tangent = 3 * part**2 - 2 * part**3, length * (part**3 - part**2)
        deflection = across @ (cubic * moved + tangent * slope)
        rate = across @ ((6 * part - 6 * part**2) / length * moved + (3 * part**2 - 2 * part) * slope)
        shapes[k, 3:] = deflection + part * along @ moved
        shapes[k, :3] = np.array([np.cross(x, column) for column in rate.T]).reshape(-1, 3).T + part * along @ turn + first.shapes[:3]
        shapes[k, 3:] += first.shapes[3:] - part * cross_matrix(line) @ first.shapes[:3]
    return swept_surface(start.p + np.outer(s, line), shapes, outline)


def outline_of_section(section: Section) -> np.ndarray:
    """(k, 3) m: a circle for a circular section or tube, by its moments, else the rectangle with the section's radii of gyration."""
    return _circle(section) if _is_circular(section) else _rectangle(section)


def outlines_of_sections(sections: Sequence[Section]) -> np.ndarray:
    """(m, k, 3) m: outlines of a beam's sections; circles if all of them are circular."""
    outline = _circle if all(_is_circular(each) for each in sections) else _rectangle
    return np.array([outline(each) for each in sections])


def _is_circular(section: Section) -> bool:
    mean = (section.Iy + section.Iz) / 2
    return abs(section.Iy - section.Iz) < _CIRCULAR * mean and abs(section.J - 2 * mean) < _CIRCULAR * mean


def _circle(section: Section) -> np.ndarray:
    radius = np.sqrt((2 * (section.Iy + section.Iz) / section.A + section.A / np.pi) / 2)
    angles = 2 * np.pi * np.arange(2 * _SIDES) / (2 * _SIDES)
    return np.asarray(radius * np.array([np.zeros(2 * _SIDES), np.cos(angles), np.sin(angles)]).T)


def _rectangle(section: Section) -> np.ndarray:
    y, z = np.sqrt(3 * section.Iz / section.A), np.sqrt(3 * section.Iy / section.A)
    return np.array([[0, y, z], [0, -y, z], [0, -y, -z], [0, y, -z]])
