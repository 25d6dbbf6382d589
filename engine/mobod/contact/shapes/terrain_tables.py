"""The triangles of terrain as tables of the C runtime (terrain.h)."""

from typing import final

import numpy as np
import scipy  # whose parts are loaded when they are used

from mobod.runtime.tables import Struct

FLAT = 1e-10  # triangles that share an edge lie in one plane if the far corner of each lies so near to that of the other, relative to it
MOST_FEATURES = 1_000_000_000  # vertices, edges and planes have numbers below this


def field_table(heights: np.ndarray, spacing: tuple[float, float]) -> Struct:
    """`Terrain` of a height field; heights (nx, ny) m."""
    nx, ny = heights.shape
    regions = _flat_regions(2 * (nx - 1) * (ny - 1), *_flat_edges_of_field(heights, spacing))
    return Struct(
        "Terrain",
        nx=nx,
        ny=ny,
        dx=spacing[0],
        dy=spacing[1],
        heights=np.ravel(heights).tolist(),
        n_vertices=nx * ny,
        n_triangles=len(regions),
        n_regions=int(regions.max()) + 1,
        regions=regions.tolist(),
    )


def mesh_table(vertices: np.ndarray, faces: np.ndarray) -> Struct:
    """`Terrain` of a mesh; vertices (n, 3) m, faces (m, 3), in which each edge has at most one direction."""
    beside = triangles_beside(faces)
    one, k = np.nonzero(beside >= 0)
    other = beside[one, k]
    is_flat = _are_flat(vertices[faces], one, vertices[faces[other]]) & _are_flat(vertices[faces], other, vertices[faces[one]])
    regions = _flat_regions(len(faces), one[is_flat], other[is_flat])
    neighbours = [set[int]() for _ in range(len(vertices))]
    on_border = np.zeros(len(vertices), dtype=int)
    for i in range(3):
        ends = faces[:, i], faces[:, (i + 1) % 3]
        for a, b in zip(ends[0].tolist(), ends[1].tolist(), strict=True):
            neighbours[a].add(b)
            neighbours[b].add(a)
        for each in ends:
            on_border[each[beside[:, i] < 0]] = 1
    tree = _Tree(vertices[faces])
    return Struct(
        "Terrain",
        n_vertices=len(vertices),
        n_triangles=len(faces),
        n_regions=int(regions.max()) + 1,
        regions=regions.tolist(),
        vertices=np.ravel(vertices).tolist(),
        on_border=on_border.tolist(),
        first_neighbour=np.cumsum([0, *map(len, neighbours)]).tolist(),
        neighbours=[each for some in neighbours for each in sorted(some)],
        corners=np.ravel(faces).tolist(),
        beside=np.ravel(beside).tolist(),
        n_nodes=len(tree.leaves),
        boxes=np.ravel(tree.boxes).tolist(),
        skips=tree.skips,
        leaves=tree.leaves,
    )


def triangles_beside(faces: np.ndarray) -> np.ndarray:
    """(m, 3) the triangle beyond the edge from corner i to the next; -1: none."""
    of_edge = {(int(face[i]), int(face[(i + 1) % 3])): number for number, face in enumerate(faces.tolist()) for i in range(3)}
    return np.array([[of_edge.get((face[(i + 1) % 3], face[i]), -1) for i in range(3)] for face in faces.tolist()], dtype=int)


def _flat_edges_of_field(heights: np.ndarray, spacing: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of triangles of a field that lie in one plane: a height is that of the plane of the triangle beside."""
    nx, ny = heights.shape
    number = 2 * np.arange((nx - 1) * (ny - 1)).reshape(nx - 1, ny - 1)
    h00, h10, h01, h11 = heights[:-1, :-1], heights[1:, :-1], heights[:-1, 1:], heights[1:, 1:]
    near = FLAT * (max(spacing) + np.ptp(heights))
    across = np.abs(h00 - h10 + h11 - h01) <= near
    # the upper triangle of a cell beside the lower one of the cell at greater y: both hold the edge along x between them; likewise along x
    up = np.abs((h01 - h00)[:, :-1] - (h11 - h10)[:, 1:]) <= near
    right = np.abs((h10 - h00)[:-1, :] - (h11 - h01)[1:, :]) <= near
    pairs = [
        (number[across], number[across] + 1),
        (number[:, :-1][up] + 1, number[:, 1:][up]),
        (number[:-1, :][right], number[1:, :][right] + 1),
    ]
    return np.concatenate([each[0] for each in pairs]), np.concatenate([each[1] for each in pairs])


def _are_flat(triangles: np.ndarray, which: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Whether the corners of `others` lie in the planes of the triangles (m, 3, 3) with these numbers."""
    a, b, c = (triangles[which][:, i] for i in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    heights = np.abs(np.einsum("ijk,ik->ij", others - a[:, None, :], normals)).max(axis=1, initial=0.0)
    sizes = np.abs(others - a[:, None, :]).max(axis=(1, 2), initial=0.0)
    return np.asarray(heights <= FLAT * sizes)


def _flat_regions(n: int, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(n,) numbers of the groups of triangles that are joined by pairs."""
    joined = scipy.sparse.coo_array((np.ones(len(one)), (one, other)), shape=(n, n))
    return np.asarray(scipy.sparse.csgraph.connected_components(joined, directed=False)[1])


@final
class _Tree:
    """A tree of boxes: each node before those inside of it, halves of equal number along the longest side."""

    def __init__(self, triangles: np.ndarray):
        self.boxes: list[np.ndarray] = []
        self.skips: list[int] = []
        self.leaves: list[int] = []
        least, most = triangles.min(axis=1), triangles.max(axis=1)
        self._add(np.arange(len(triangles)), least, most)

    def _add(self, numbers: np.ndarray, least: np.ndarray, most: np.ndarray) -> None:
        node = len(self.leaves)
        low, high = least[numbers].min(axis=0), most[numbers].max(axis=0)
        self.boxes.append(np.concatenate([low, high]))
        self.skips.append(0)
        self.leaves.append(int(numbers[0]) if len(numbers) == 1 else -1)
        if len(numbers) > 1:
            axis = int((high - low).argmax())
            order = numbers[np.argsort((least + most)[numbers, axis], kind="stable")]
            half = len(order) // 2
            self._add(order[:half], least, most)
            self._add(order[half:], least, most)
        self.skips[node] = len(self.leaves)
