"""MODEL_KINDS: what a MODEL can be, how each kind is found and read, and what it may do, as `mobod info` and docs/concepts/trust.md say."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, final

from mobod.cli.models.python_model import run_function
from mobod.cli.models.robot_files import MJCF, SDF, URDF, load_robot_file
from mobod.cli.models.settings import KindName, ModelSettings
from mobod.errors import InputError

if TYPE_CHECKING:
    from mobod.system import System

Reader = Callable[[str, ModelSettings, "list[dict[str, object]] | None"], "System"]
"""Makes a System of a MODEL. The list receives changes and omissions as JSON; without it, a summary goes to the error stream."""


@final
@dataclass(frozen=True)
class ModelKind:
    """A kind of MODEL.

    name, plural  for messages
    suffixes      of its files
    root          of XML files whose suffix says nothing: the root element
    read          makes a System of it; None: an FMU
    is_data       whether it is a file that is read as data, without code that runs
    may_do        what such a file may do while it is read, for docs/concepts/trust.md
    allowed_by    what the user writes to allow the code that it can contain
    trust         both in a sentence, for `mobod info`
    """

    name: KindName
    plural: str
    suffixes: tuple[str, ...]
    read: Reader | None
    is_data: bool
    may_do: str
    allowed_by: str
    trust: str
    root: str | None = None


def _read_python(model: str, settings: ModelSettings, found: "list[dict[str, object]] | None") -> "System":
    return run_function(model)


def _read_model_file(model: str, settings: ModelSettings, found: "list[dict[str, object]] | None") -> "System":
    from mobod.files import load_model

    return load_model(_existing(model), allow_imports=settings.allow_imports)


def _read_urdf(model: str, settings: ModelSettings, found: "list[dict[str, object]] | None") -> "System":
    flags = {"strict": settings.strict, "allow_macros": settings.allow_macros}
    return load_robot_file(URDF, _existing(model), (*settings.urdf_settings, *_set(flags)), found)


def _read_sdf(model: str, settings: ModelSettings, found: "list[dict[str, object]] | None") -> "System":
    return load_robot_file(SDF, _existing(model), (*settings.sdf_settings, *_set({"strict": settings.strict})), found)


def _read_mjcf(model: str, settings: ModelSettings, found: "list[dict[str, object]] | None") -> "System":
    return load_robot_file(MJCF, _existing(model), (*settings.mjcf_settings, *_set({"strict": settings.strict})), found)


def _set(flags: Mapping[str, bool]) -> Iterator[str]:
    return (f"{name}=true" for name, is_set in flags.items() if is_set)


def _existing(model: str) -> Path:
    if not Path(model).is_file():
        raise InputError(f"MODEL '{model}': the file does not exist.")
    return Path(model)


PYTHON = ModelKind(
    "python", "Python functions", (), _read_python, False, "everything", "naming it so", "a Python program: the file was run"
)
MODEL_KINDS = (
    ModelKind(
        "urdf",
        "URDF files",
        (".urdf", ".xacro"),
        _read_urdf,
        True,
        "name meshes (next row). Entities and document types are refused; includes of XML are not followed",
        "--allow-macros",
        "data: Python expressions of macros run only with --allow-macros",
        root="robot",
    ),
    ModelKind(
        "sdf",
        "SDF files",
        (".sdf", ".world"),
        _read_sdf,
        True,
        "name meshes (next row), and include SDF files of its folder and of `paths`, not by URL. Entities and document types are refused",
        "",
        "data: no code; files are included from its folder and from those of --sdf paths=...",
        root="sdf",
    ),
    ModelKind(
        "mjcf",
        "MJCF files",
        (".mjcf",),
        _read_mjcf,
        True,
        "name meshes, and include files, of its folder and of `folders`, not elsewhere. Entities are refused; then MuJoCo, in C++, reads "
        "and compiles the texts and meshes, without textures, skins and plugins",
        "",
        "data: compiled by MuJoCo; files are read from its folder and from those of --mjcf folders=...",
        root="mujoco",
    ),
    ModelKind(
        "model file",
        "model files (.json)",
        (".json",),
        _read_model_file,
        True,
        "name meshes; code only if allowed (below)",
        "--allow-imports",
        "data: modules that it names are imported only with --allow-imports",
    ),
    ModelKind(
        "fmu",
        "FMUs",
        (".fmu",),
        None,
        True,
        "nothing: libraries and pickles in it are not loaded",
        "running it",
        "data: its library runs only in commands that run it, such as simulate",
    ),
    PYTHON,
)
_BY_ROOT = ".xml"  # the suffix of files of several kinds


def kind_of(model: str) -> ModelKind:
    """The kind of a MODEL, by its suffix or its root element. Raises InputError for XML of no kind, ModelFileError for broken XML."""
    suffix = Path(model).suffix.lower()
    if suffix == _BY_ROOT:
        from mobod.files.findings import Findings
        from mobod.files.xml_source import XmlSource

        path = _existing(model)
        root = str(XmlSource(path, Findings(path, strict=False)).root.tag)
        found = next((kind for kind in MODEL_KINDS if kind.root == root), None)
        if found is None:
            known = ", ".join(f"<{kind.root}> ({kind.plural})" for kind in MODEL_KINDS if kind.root is not None)
            raise InputError(f"MODEL '{model}': its root element is <{root}>, and the root elements that can be read are: {known}.")
        return found
    return next((kind for kind in MODEL_KINDS if suffix in kind.suffixes), PYTHON)


def plural_of(names: tuple[KindName, ...]) -> str:
    """'URDF files and FMUs'"""
    return " and ".join(kind.plural for kind in MODEL_KINDS if kind.name in names)
