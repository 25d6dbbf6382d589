"""Names of mesh files, changed so that they are found from another folder."""

import os
from dataclasses import replace
from pathlib import Path

from mobod.disk.working_folder import absolute
from mobod.errors import ModelFileError
from mobod.files.meshes.places import find_mesh_file
from mobod.matter import MultibodySystem
from mobod.matter.bodies.decorations import MeshFile


def name_meshes_from(system: MultibodySystem, folder: Path) -> list[str]:
    """Name each mesh of a drawing by its path from the folder. Returns the names of those that are not found, which stay as they are."""
    missing = []
    for body in system.matter.bodies:
        for number, decoration in enumerate(body.decorations):
            mesh = decoration.geometry
            if not isinstance(mesh, MeshFile):
                continue
            try:
                path = find_mesh_file(mesh.path, system.mesh_folders)
            except ModelFileError:
                missing.append(mesh.path)
                continue
            relative = Path(os.path.relpath(path, absolute(folder))).as_posix()
            body.decorations[number] = replace(decoration, geometry=replace(mesh, path=relative))
    system.mesh_folders = [folder]
    return list(dict.fromkeys(missing))
