"""Meshes with fewer vertices and triangles."""

import numpy as np
import scipy  # whose parts are loaded when they are used

_FINEST = 1024  # cells of a grid along its longest side


def merged(triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3), each once, and faces (m, 3) of triangles (m, 3, 3). Triangles without an area are left out."""
    points = triangles.reshape(-1, 3).astype(np.float32) + np.float32(0)  # -0 becomes 0
    first, numbers = _unique_rows(np.array([np.unique(column, return_inverse=True)[1] for column in points.T]).T)
    return _compact(points[first].astype(float), numbers.reshape(-1, 3))


def reduced(vertices: np.ndarray, faces: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """A mesh of at most so many triangles, which looks alike from afar: vertices in the same cell of a grid become one.

    Source: J. Rossignac, P. Borrel, Multi-resolution 3D approximations for rendering complex scenes (1993): vertex clustering.
    """
    extent = float(np.ptp(vertices, axis=0).max())
    n = min(_FINEST, max(2, round((most / 4) ** 0.5)))  # triangles of a surface grow as n^2
    found = _clustered(vertices, faces, extent / n)
    finer = min(_FINEST, int(0.97 * n * (most / max(1, len(found[1]))) ** 0.5))
    if finer > n:
        found = _clustered(vertices, faces, extent / finer)
        n = finer
    while len(found[1]) > most and n > 1:
        n = min(n - 1, int(0.97 * n * (most / len(found[1])) ** 0.5)) or 1
        found = _clustered(vertices, faces, extent / n)
    return found if 0 < len(found[1]) <= most else (vertices, faces[:most])


def _clustered(vertices: np.ndarray, faces: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """size: of a cell, m"""
    cells = np.floor((vertices - vertices.min(axis=0)) / size).astype(np.int64)
    _, numbers = _unique_rows(cells)
    counts = np.bincount(numbers)
    means = np.array([np.bincount(numbers, weights=column) / counts for column in vertices.T]).T
    return _compact(means, numbers[faces])


def _compact(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Without triangles that have a vertex twice, repeated triangles, and vertices that no triangle has."""
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    turned = np.take_along_axis(faces, (faces.argmin(axis=1)[:, None] + np.arange(3)) % 3, axis=1)  # the lowest number first
    faces = turned[_unique_rows(turned)[0]]
    is_used = np.zeros(len(vertices), dtype=bool)
    is_used[faces.ravel()] = True
    return vertices[is_used], (np.cumsum(is_used) - 1)[faces]


def _unique_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of rows (n, 3) of whole numbers from 0: the index of the first of each different row, and for each row the number of its kind."""
    keys = rows[:, 0].astype(np.int64)
    for column in rows.T[1:]:
        factor = int(column.max(initial=0)) + 1
        if int(keys.max(initial=0)) > (2**62) // factor:
            keys = np.unique(keys, return_inverse=True)[1]
        keys = keys * factor + column
    _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
    return first, numbers


def reduced_hull(corners: np.ndarray, most: int) -> tuple[np.ndarray, float]:
    """At most so many of the corners (n, 3) of a convex hull, and how far (m) the others are at most outside of the hull of these.

    most  at least 4

    The extreme corners along the axes come first; then, one by one, the corner that is farthest outside.
    """
    chosen = _first_corners(corners, most)
    while True:
        hull = scipy.spatial.ConvexHull(corners[chosen])
        outside = (corners @ hull.equations[:, :3].T + hull.equations[:, 3]).max(axis=1)
        farthest = int(outside.argmax())
        if len(chosen) == most or outside[farthest] <= 0 or farthest in chosen:
            rest = np.delete(corners, chosen, axis=0)
            return corners[sorted(chosen)], float(_distances(rest, hull).max(initial=0.0))
        chosen.append(farthest)


def _first_corners(corners: np.ndarray, most: int) -> list[int]:
    """Four corners with a volume, then extreme ones along the axes."""
    one = int(corners[:, 0].argmin())
    from_one = corners - corners[one]
    two = int(np.linalg.norm(from_one, axis=1).argmax())
    three = int(np.linalg.norm(np.cross(from_one, from_one[two]), axis=1).argmax())
    four = int(np.abs(from_one @ np.cross(from_one[two], from_one[three])).argmax())
    extreme = [int(each) for column in corners.T for each in (column.argmin(), column.argmax())]
    return list(dict.fromkeys([one, two, three, four, *extreme]))[:most]


def _distances(points: np.ndarray, hull: "scipy.spatial.ConvexHull") -> np.ndarray:
    """(n,) m, of points that are not inside of a hull from its surface."""
    return np.min([_distances_to_triangle(points, hull.points[simplex]) for simplex in hull.simplices], axis=0)


def _distances_to_triangle(points: np.ndarray, triangle: np.ndarray) -> np.ndarray:
    """(n,) m, to the plane of a triangle (3, 3) where a point lies above it, else to the nearest of its sides."""
    sides = np.roll(triangle, -1, axis=0) - triangle
    normal = np.cross(sides[0], sides[1])
    normal = normal / np.linalg.norm(normal)
    from_corners = points[:, None, :] - triangle
    is_above = (np.cross(normal, sides) * from_corners).sum(axis=2).min(axis=1) >= 0
    along = np.clip((from_corners * sides).sum(axis=2) / (sides * sides).sum(axis=1), 0.0, 1.0)
    to_sides = np.linalg.norm(from_corners - along[..., None] * sides, axis=2).min(axis=1)
    return np.where(is_above, np.abs(from_corners[:, 0] @ normal), to_sides)
