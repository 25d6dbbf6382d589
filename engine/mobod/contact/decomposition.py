"""Convex parts of a concave mesh, found by CoACD and kept in the cache."""

import hashlib
import io
from typing import Protocol

import numpy as np

from mobod.contact.shapes import ConvexMesh
from mobod.errors import InputError
from mobod.late_imports import needed_package
from mobod.matter.bodies.decorations import Triple
from mobod.runtime.library_cache import LibraryCache, cache_directory
from mobod.spatial.checked import checked_size

SEED = 0  # of CoACD's search, so that the same mesh has the same parts
FEWEST = 4  # vertices of a part
FINEST = 0.01  # concavity


class TrianglesOfMesh(Protocol):
    """A TriangleMesh, a TerrainMesh, or a mesh of decorations."""

    @property
    def vertices(self) -> tuple[Triple, ...]:
        """(n, 3) m"""

    @property
    def faces(self) -> tuple[tuple[int, int, int], ...]:
        """(m, 3) indices of vertices"""


def convex_parts(mesh: TrianglesOfMesh, *, concavity: float = 0.05, most: int = 16) -> tuple[ConvexMesh, ...]:
    """Convex parts that together fill a mesh, in its frame. They overlap slightly, and do not fill narrow gaps of it exactly.

    mesh       mb.contact.TriangleMesh or mb.decorations.Mesh, closed or nearly closed
    concavity  0.01 to 1: parts are divided until their hulls deviate from the surface by less, relative to a mesh of size 2
    most       the largest number of parts: the last divisions are taken back

    The parts are kept in the cache ($MOBOD_CACHE), by a hash of the mesh and the options: the first call takes seconds to minutes.

    Raises InputError, MobodError without the package coacd (the extra mobod[parts]).
    Source: Wei, Liu, Ling, Su, Approximate convex decomposition for 3D meshes with collision-aware concavity, ACM Transactions on Graphics
    41 (2022).
    """
    threshold = checked_size(concavity, "convex_parts: concavity", "1")
    if not FINEST <= threshold <= 1:
        raise InputError(f"convex_parts: concavity is {concavity!r}. It is from {FINEST} to 1.")
    given: object = most
    if not isinstance(given, int) or isinstance(given, bool) or given < 1:
        raise InputError(f"convex_parts: most is {most!r}. It is a whole number of parts, at least 1.")
    vertices, faces = np.array(mesh.vertices, dtype=float), np.array(mesh.faces, dtype=np.int32)
    package = needed_package("coacd", "convex_parts", "parts")
    found = _kept_parts(package, vertices, faces, threshold, most)
    return tuple(ConvexMesh.hull_of(points) for points in found)


def _kept_parts(package: object, vertices: np.ndarray, faces: np.ndarray, threshold: float, most: int) -> list[np.ndarray]:
    """The vertices (n, 3) of each part, from the cache if it has them. A cache that cannot be used costs time alone."""
    key = hashlib.sha256(f"coacd {_version()} {threshold!r} {most} {len(vertices)}".encode())
    key.update(vertices.tobytes())
    key.update(faces.tobytes())
    place = ("convex_parts", key.hexdigest(), "parts.npz")
    try:
        cache = LibraryCache(cache_directory())
        if (kept := cache.content(*place)) is not None:
            with np.load(io.BytesIO(kept), allow_pickle=False) as arrays:
                return [arrays[name] for name in arrays.files]
    except OSError:
        return _divided(package, vertices, faces, threshold, most)
    parts = _divided(package, vertices, faces, threshold, most)
    written = io.BytesIO()
    np.savez(written, *parts)
    try:
        with cache.build_folder() as folder:
            cache.keep(written.getvalue(), folder, *place)
    except OSError:
        pass
    return parts


def _divided(package: object, vertices: np.ndarray, faces: np.ndarray, threshold: float, most: int) -> list[np.ndarray]:
    coacd = package
    coacd.set_log_level("error")  # type: ignore[attr-defined] # a module without types
    given = coacd.Mesh(vertices, faces)  # type: ignore[attr-defined] # as above
    found = coacd.run_coacd(given, threshold=threshold, max_convex_hull=most, seed=SEED)  # type: ignore[attr-defined] # as above
    return [np.asarray(points, dtype=float) for points, _ in found if len(points) >= FEWEST]


def _version() -> str:
    from importlib.metadata import version

    return version("coacd")
