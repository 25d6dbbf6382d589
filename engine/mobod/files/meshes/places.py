"""Where the file of a mesh is: names in URDF files, as paths and as addresses package://NAME/path."""

import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote

from mobod.disk.working_folder import absolute
from mobod.errors import ModelFileError

_N_PARENTS = 4
_OF_PACKAGES = ("package://", "model://")


def find_mesh_file(name: str, folders: Sequence[str | Path], what: str = "mesh file") -> Path:
    """The file. It is looked for in each folder, and in four parents of each, except for the root of the file system.

    name     a path; package://NAME/path or model://NAME/path, where NAME is a folder, or the path begins in one of the folders; or
             file://path
    folders  such as that of the model's file
    what     the kind of file, for messages

    Raises ModelFileError if there is no such file, or if it is outside of all these folders, as an absolute path may be.
    """
    searched = [each for folder in folders for each in _with_parents(absolute(folder))]
    if not searched:
        raise ModelFileError(f"{what} {name!r}: the folder of the model is not known. Set system.mesh_folders.")
    where = f"the folders of meshes, {', '.join(map(str, folders))}, and their parents"
    inside = [path for path in _candidates(name, searched) if _is_within(path, searched)]
    if not inside:
        raise ModelFileError(f"{what} {name!r} is outside of {where}. Add its folder to system.mesh_folders.")
    for path in inside:
        if _is_file(path):
            return path
    raise ModelFileError(f"{what} {name!r} is not in {where}.")


def _candidates(name: str, folders: list[Path]) -> Iterator[Path]:
    for scheme in _OF_PACKAGES:
        if name.startswith(scheme):
            package, _, rest = unquote(name.removeprefix(scheme)).partition("/")
            yield from (each / rest for each in folders if each.name == package)
            yield from (each / package / rest for each in folders)
            yield from (each / rest for each in folders)
            return
    path = Path(unquote(name.removeprefix("file://")) if name.startswith("file://") else name.replace("\\", "/"))
    yield from (each / path for each in folders)  # an absolute path stays as it is


def _with_parents(folder: Path) -> list[Path]:
    return [folder, *(each for each in list(folder.parents)[:_N_PARENTS] if each != each.parent)]


def _is_within(path: Path, folders: list[Path]) -> bool:
    """Whether a path is in one of the folders, by its name. Links that users made may lead elsewhere."""
    parts: list[str] = []
    for part in path.parts:
        if part == "..":
            parts = parts[:-1]
        else:
            parts.append(part)
    return "\0" not in str(path) and any(Path(*parts).is_relative_to(folder) for folder in folders if parts)


def _is_file(path: Path) -> bool:
    """Whether it is an ordinary file; devices and pipes are not read."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False
