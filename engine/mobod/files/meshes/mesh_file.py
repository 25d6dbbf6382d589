"""Files with meshes of triangles, STL, OBJ and DAE, for drawings. The files may be of unknown origin."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np

from mobod.errors import ModelFileError, UnsupportedError
from mobod.files.meshes.collada import check_collada
from mobod.files.meshes.places import find_mesh_file
from mobod.files.meshes.reduction import merged, reduced
from mobod.late_imports import optional_package
from mobod.matter.bodies.decorations import MeshFile, Triple

if TYPE_CHECKING:
    from trimesh import Scene as TrimeshScene

MOST_BYTES = 64 * 2**20
MOST_BYTES_OF_MATERIALS = 2**20
MOST_TRIANGLES = 20_000
"""Of a file; meshes with more are simplified."""

_NO_COLOR = MeshFile.color
_OF_TRIMESH = (102, 102, 102)  # color of materials that have none, such as those with a texture


@final
@dataclass(frozen=True, eq=False)
class MeshPart:
    """Triangles of one color.

    vertices  (n, 3) float32, m  each once
    faces     (m, 3) int32       numbers of vertices, counterclockwise seen from outside
    color     red, green, blue, each from 0 to 1
    """

    vertices: np.ndarray
    faces: np.ndarray
    color: Triple


def read_mesh(mesh: MeshFile, folders: Sequence[str | Path], *, most_triangles: int = MOST_TRIANGLES) -> tuple[MeshPart, ...]:
    """The parts of a mesh, one for each color, scaled. If the MeshFile has no color but the default, they have those of the file.

    folders         see find_mesh_file
    most_triangles  of all parts together; larger meshes are simplified

    A DAE file has its unit, and its axes as they are: <up_axis> is ignored, as in ROS.

    Raises ModelFileError if the file does not exist, is too large, is damaged or has no triangles. Raises UnsupportedError for other
    formats, and for DAE files without pycollada.
    """
    path = find_mesh_file(mesh.path, folders)
    kind = path.suffix.lower()
    if kind not in _FORMATS:
        raise UnsupportedError(f"{path}: meshes are read from STL, OBJ and DAE files, not from {kind or 'files without an extension'}.")
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise ModelFileError(f"{path}: it has {size} bytes, and the limit is {MOST_BYTES}.")
    pieces = _pieces(path, kind)
    found: dict[Triple, list[np.ndarray]] = {}
    for triangles, color in pieces:
        chosen = color if color is not None and (mesh.color, mesh.opacity) == (_NO_COLOR, 1.0) else mesh.color
        usable = triangles[_are_usable(triangles)]
        if len(usable):
            found.setdefault(chosen, []).append(usable)
    parts = {color: merged(np.concatenate(each) * np.array(mesh.scale)) for color, each in found.items()}
    parts = {color: (vertices, faces) for color, (vertices, faces) in parts.items() if len(faces)}
    total = sum(len(faces) for _, faces in parts.values())
    if not total:
        raise ModelFileError(f"{path}: it has no triangles.")
    is_mirrored = np.prod(mesh.scale) < 0
    result = []
    for color, (vertices, faces) in parts.items():
        if total > most_triangles:
            vertices, faces = reduced(vertices, faces, max(12, most_triangles * len(faces) // total))
        result.append(MeshPart(vertices.astype(np.float32), (faces[:, ::-1] if is_mirrored else faces).astype(np.int32), color))
    return tuple(result)


def _are_usable(triangles: np.ndarray) -> np.ndarray:
    """(m,) whether all numbers of each triangle are lengths that float32 can hold; NaN is not."""
    return (np.abs(triangles) < 1e30).all(axis=(1, 2))


def _pieces(path: Path, kind: str) -> list[tuple[np.ndarray, Triple | None]]:
    """Triangles (m, 3, 3) and their color; None if the file has no color for them."""
    data, scale = _FORMATS[kind](path.read_bytes(), path)
    import trimesh  # imported here because it takes a second, and few models need it

    resolver: Any = _Materials(path.parent)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            scene = trimesh.load_scene(BytesIO(data), file_type=kind[1:], resolver=resolver, process=False)
            return [(triangles * scale, color) for triangles, color in _of_scene(scene)]
    except Exception as error:  # the readers of trimesh and pycollada raise errors of any kind for damaged files
        raise ModelFileError(f"{path}: it cannot be read as {kind[1:].upper()}: {type(error).__name__}: {error}") from error


def _whole_stl(data: bytes, path: Path) -> bytes:
    """The data of a STL file; without what follows the triangles of a binary one."""
    header, of_triangle = 84, 50  # bytes
    count = int.from_bytes(data[header - 4 : header], "little")
    size = header + of_triangle * count
    if data.lstrip().startswith(b"solid") and len(data) != size:
        if b"endsolid" not in data:
            raise ModelFileError(f"{path}: it is cut off: 'endsolid' is missing.")
        return data
    if len(data) < max(header, size):
        there = max(0, len(data) - header) // of_triangle
        raise ModelFileError(f"{path}: it is cut off: it has {there} of {count} triangles.")
    return data[:size]


def _of_scene(scene: "TrimeshScene") -> list[tuple[np.ndarray, Triple | None]]:
    found = []
    for node in scene.graph.nodes_geometry:
        X, name = scene.graph[node]
        geometry = scene.geometry[name]
        faces = getattr(geometry, "faces", None)
        if faces is not None and len(faces):
            points = np.asarray(geometry.vertices, dtype=float) @ np.asarray(X)[:3, :3].T + np.asarray(X)[:3, 3]
            found.append((points[np.asarray(faces)], _color(geometry.visual)))
    return found


def _color(visual: Any) -> Triple | None:
    of_material = getattr(visual, "material", None)
    if of_material is None and not visual.defined:
        return None
    red, green, blue, *_ = map(int, (visual if of_material is None else of_material).main_color)
    return None if (red, green, blue) == _OF_TRIMESH else (red / 255, green / 255, blue / 255)


@final
class _Materials:
    """Lets trimesh read files of materials, *.mtl beside the mesh, and nothing else."""

    def __init__(self, folder: Path):
        self._folder = folder

    def get(self, name: str) -> bytes:
        path = self._folder / Path(str(name).replace("\\", "/")).name
        if path.suffix.lower() != ".mtl" or not path.is_file() or path.stat().st_size > MOST_BYTES_OF_MATERIALS:
            raise KeyError(name)
        return path.read_bytes()

    __getitem__ = get


def _checked_dae(data: bytes, path: Path) -> tuple[bytes, float]:
    scale = check_collada(data, path)
    if optional_package("collada") is None:  # trimesh imports it when it reads a file
        raise UnsupportedError(f"{path}: DAE files need pycollada: pip install mobod[view]")
    return data, scale


# suffix -> the data that trimesh reads, and the length unit in m
_FORMATS: Mapping[str, Callable[[bytes, Path], tuple[bytes, float]]] = {
    ".stl": lambda data, path: (_whole_stl(data, path), 1.0),
    ".obj": lambda data, path: (data, 1.0),
    ".dae": _checked_dae,
}
