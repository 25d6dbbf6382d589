"""An MJCF file, compiled by MuJoCo without what is only drawn and cannot be found."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mobod.errors import ModelFileError, described
from mobod.files.findings import Findings
from mobod.files.mjcf.mujoco_package import mujoco
from mobod.files.mjcf.mujoco_warnings import warnings_as_findings
from mobod.files.mjcf.texts import MjcfTexts

Compiled = Any  # mujoco.MjModel: the package has no types, and may be missing


def compiled(source: object, folders: Sequence[str | Path], findings: Findings) -> Compiled:
    """The compiled model of a file, or of a mujoco.MjSpec; a mujoco.MjModel as it is.

    Raises ModelFileError with MuJoCo's own message and its version for what it refuses.
    """
    module = mujoco()
    if isinstance(source, module.MjModel):
        return source
    if isinstance(source, module.MjSpec):
        with warnings_as_findings(findings):
            return _compiled(module, source.copy(), findings)
    if not isinstance(source, (str, Path)):
        raise ModelFileError(f"load_mjcf takes a path, a mujoco.MjSpec or a mujoco.MjModel, not {described(source)}.")
    path = Path(source)
    MjcfTexts(path, folders)
    with warnings_as_findings(findings):
        try:
            spec = module.MjSpec.from_file(str(path))
        except (ValueError, RuntimeError, module.FatalError) as error:
            raise _refused(module, path, error) from error
        return _compiled(module, spec, findings)


def _compiled(module: Any, spec: Any, findings: Findings) -> Compiled:
    for material in spec.materials:
        material.textures = [""] * len(material.textures)
    for texture in list(spec.textures):
        spec.delete(texture)
    for skin in list(spec.skins):
        spec.delete(skin)
    _leave_out_missing_meshes(spec, findings)
    try:
        return spec.compile()
    except (ValueError, RuntimeError, module.FatalError) as error:
        raise _refused(module, findings.path, error) from error


def _refused(module: Any, path: Path, error: Exception) -> ModelFileError:
    return ModelFileError(f"{path}: MuJoCo {module.__version__} refuses it: {str(error).strip().removeprefix('Error: ')}")


def _leave_out_missing_meshes(spec: Any, findings: Findings) -> None:
    """Deletes meshes whose file is missing, with the geoms of it that are only drawn. MuJoCo refuses a missing mesh that touches."""
    folder = Path(spec.modelfiledir) / spec.meshdir
    missing = {mesh.name or Path(mesh.file).stem: mesh for mesh in spec.meshes if mesh.file and not _exists(spec, mesh, folder)}
    users = {name: [geom for geom in spec.geoms if geom.meshname == name] for name in missing}
    for name, mesh in missing.items():
        if any(geom.contype or geom.conaffinity for geom in users[name]):
            continue
        for geom in users[name]:
            spec.delete(geom)
        spec.delete(mesh)
        findings.note("mesh", f"the file '{mesh_file(mesh)}' of mesh '{name}' is missing. The mesh is only drawn, and left out.")


def mesh_file(mesh: Any) -> str:
    return str(mesh.file)


def _exists(spec: Any, mesh: Any, folder: Path) -> bool:
    name = Path(mesh.file).name if spec.strippath else mesh.file
    return name in spec.assets or (folder / name).is_file()
