"""Meshes with fewer vertices and triangles."""

import numpy as np

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
