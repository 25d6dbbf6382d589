"""Meshes of files as shapes of a scene."""

import warnings
from collections.abc import Sequence
from dataclasses import replace

from mobod.errors import ModelFileError, UnsupportedError
from mobod.files.findings import ModelFileWarning
from mobod.files.meshes.mesh_file import read_mesh
from mobod.matter.bodies.decorations import Mesh, MeshFile
from mobod.scene.scene import Shape


def with_meshes(shapes: dict[int, list[Shape]], folders: Sequence[str]) -> dict[int, list[Shape]]:
    """The shapes with meshes in place of files. Files that cannot be read stay, and one ModelFileWarning names them."""
    known: dict[MeshFile, tuple[Mesh, ...]] = {}
    wrong: list[str] = []
    found: dict[int, list[Shape]] = {}
    for index, given in shapes.items():
        found[index] = []
        for shape in given:
            file = shape.geometry
            if isinstance(file, MeshFile) and file not in known:
                known[file] = _meshes(file, folders, wrong)
            read = known[file] if isinstance(file, MeshFile) else ()
            found[index] += [replace(shape, geometry=each) for each in read] or [shape]
    if wrong:
        count = "1 file" if len(wrong) == 1 else f"{len(wrong)} files"
        warnings.warn(ModelFileWarning("\n  ".join([f"{count} of meshes cannot be drawn:", *wrong])), stacklevel=3)
    return found


def _meshes(file: MeshFile, folders: Sequence[str], wrong: list[str]) -> tuple[Mesh, ...]:
    """Nothing, and a message, if the file cannot be read."""
    try:
        parts = read_mesh(file, folders)
    except (ModelFileError, UnsupportedError) as error:
        wrong.append(str(error))
        return ()
    return tuple(Mesh(part.vertices.tolist(), part.faces.tolist(), color=part.color, opacity=file.opacity) for part in parts)
