"""Meshes with fewer vertices and triangles."""

import numpy as np


def merged(triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3), each once, and faces (m, 3) of triangles (m, 3, 3). Triangles without an area are left out."""
    points = np.ascontiguousarray(triangles.reshape(-1, 3), dtype=np.float32) + np.float32(0)  # -0 becomes 0
    _, first, numbers = np.unique(points.view(np.dtype((np.void, 12))).ravel(), return_index=True, return_inverse=True)
    return _without_degenerate(points[first].astype(float), numbers.reshape(-1, 3))


def reduced(vertices: np.ndarray, faces: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """A mesh of at most so many triangles, that looks alike from afar: vertices in the same cell of a grid become one.

    Source: J. Rossignac, P. Borrel, Multi-resolution 3D approximations for rendering complex scenes (1993): vertex clustering.
    """
    low, extent = vertices.min(axis=0), float(np.ptp(vertices, axis=0).max())
    fewest, finest = 1, 1024  # cells along the longest side
    best = None
    while finest - fewest > 1:
        n = (fewest + finest) // 2
        found = _clustered(vertices, faces, low, extent / n)
        if len(found[1]) <= most:
            fewest, best = n, found
        else:
            finest = n
    return best if best is not None and len(best[1]) else (vertices, faces[:most])


def _clustered(vertices: np.ndarray, faces: np.ndarray, low: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    cells = np.floor((vertices - low) / size).astype(np.int64)
    _, numbers = np.unique(cells @ np.array([1, 4096, 4096**2]), return_inverse=True)
    counts = np.bincount(numbers)
    means = np.array([np.bincount(numbers, weights=vertices[:, i]) / counts for i in range(3)]).T
    return _without_degenerate(means, numbers[faces])


def _without_degenerate(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Without triangles that have a vertex twice, repeated triangles, and vertices that no triangle has."""
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    turned = np.take_along_axis(faces, (faces.argmin(axis=1)[:, None] + np.arange(3)) % 3, axis=1)  # the lowest number first
    faces = np.unique(turned, axis=0)
    used, numbers = np.unique(faces, return_inverse=True)
    return vertices[used], numbers.reshape(-1, 3)
