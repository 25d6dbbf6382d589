"""The source files of the C runtime, and the other files that go into an FMU."""

# Decision: docs/decisions/118-sources-for-any-compiler.md

import re
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mobod.errors import MobodError

if TYPE_CHECKING:
    from lxml import etree


def native_sources() -> Path:
    """The folder of the C files that are built into a shared library or an FMU; they lie in folders in it, with a name each.

    An installed wheel has it inside the package. A checkout, and so an editable install, has it in fmu_src/native.
    Raises MobodError if it is in neither place.
    """
    package = Path(__file__).resolve().parent
    in_wheel = package / "_fmu_src" / "native"
    in_checkout = package.parent.parent / "fmu_src" / "native"
    for folder in (in_wheel, in_checkout):
        if (folder / "tables" / "model.h").is_file():
            return folder
    raise MobodError(
        f"the C runtime of mobod (tables/model.h) is missing: it is neither in '{in_wheel}' nor in '{in_checkout}'. "
        "Install mobod again, from a wheel or from a whole checkout."
    )


@cache
def _files_in(folder: Path) -> dict[str, Path]:
    return {path.name: path for path in sorted(folder.glob("*/*.[ch]"), key=lambda path: path.name)}


def native_files() -> dict[str, Path]:
    """Name -> path of every C file, sorted by names, which FMUs have side by side in one folder."""
    return _files_in(native_sources())


def native_file(name: str) -> Path:
    """The path of the C file with this name."""
    return native_files()[name]


def native_folders() -> list[Path]:
    """The folders of C files, for a compiler that reads these files where they lie."""
    return sorted({path.parent for path in native_files().values()})


def folder_of_package(name: str) -> Path:
    """The folder of an installed package, which is not imported: that takes longer. fmpy has the headers and schemas of FMI."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise MobodError(f"the package {name}, on which mobod depends, is missing. Install it: python -m pip install {name}")
    return Path(spec.submodule_search_locations[0])


@cache
def fmpy_schema(file: str) -> "etree.XMLSchema":
    """An XML schema of FMI or SSP in the package fmpy, such as "schema/fmi3/fmi3BuildDescription.xsd"."""
    from lxml import etree

    return etree.XMLSchema(file=str(folder_of_package("fmpy") / file))


def python_slave_source() -> str:
    """The source text of the module that starts a Python FMU: fmu_src/python/slave.py."""
    return (native_sources().parent / "python" / "slave.py").read_text(encoding="utf-8")


Use = Literal["compiled", "bare", "interpreted", "library", "lanes", "web"]
"""How the runtime is used: in an FMU with compiled kernels, in C sources for targets without an operating system, in an FMU that reads its
tables from its resources, as Python's library, as Python's library of runs side by side (lanes.h), or as a library of WebAssembly
(fmu_src/web)."""

# the folders of each use; those of all uses
_SHARED = (
    "elementary",
    "random",
    "linear_algebra",
    "shapes",
    "terrain",
    "methods",
    "tables",
    "matrices",
    "shape_kernels",
    "state",
    "constraints",
    "projection",
    "friction_solver",
    "contact",
    "impacts",
    "events",
    "integration",
    "velocity_level",
    "failures",
    "instance",
)
_FOLDERS: dict[Use, tuple[str, ...]] = {
    "compiled": (*_SHARED, "derivatives", "fmi"),
    "bare": (*_SHARED, "bare"),
    "interpreted": (*_SHARED, "kernels", "reading", "derivatives", "fmi"),
    "library": (*_SHARED, "kernels", "runs", "derivatives", "python"),
    "lanes": (*_SHARED, "kernels", "runs", "derivatives", "lanes", "python"),
    "web": (*_SHARED, "kernels", "reading", "runs"),
}
# files that other uses have than their folder
_USES: dict[str, tuple[Use, ...]] = {
    # an FMU has its tables compiled in, or finds them in its resources
    "embedded_tables.c": ("compiled",),
    **dict.fromkeys(("resource_tables.c", "file_of_uri.c", "file_of_uri.h"), ("interpreted",)),
    # what a library exports: exported.h, for Python's; under the same name, exported_by_fmu.h for the others
    "exported.h": ("library", "lanes"),
    "exported_by_fmu.h": ("compiled", "bare", "interpreted", "web"),
    # the rules of calls, by which Python FMUs answer
    **dict.fromkeys(("call_rules.c", "call_rules.h", "fmi2_calls.c", "fmi2_calls.h"), ("compiled", "interpreted", "library", "lanes")),
    # what computes square roots where no instruction does
    "integer_root.c": ("bare",),
    # mobod.numerics calls them alone
    **dict.fromkeys(("quadratic_program.c", "quadratic_program.h"), ("library", "lanes")),
    # ensembles call lanes through a table of functions, which may be missing
    "lanes.h": ("library", "lanes"),
    **dict.fromkeys(("ensemble_lanes.c", "lanes_elementary.c", "lanes_number.h"), ("lanes",)),
    # only compiled kernels include it, and only the archives of FMUs contain the other
    **dict.fromkeys(("lanes_of_calls.h", "any_compiler.h"), ()),
}
# files with another name in an FMU
_NAMES = {"exported_by_fmu.h": "exported.h"}
# the C functions of one version of FMI begin so
_OF_VERSION = {"2.0": "fmi2", "3.0": "fmi3"}


def _is_used(path: Path, use: Use, fmi_version: str | None) -> bool:
    others = tuple(prefix for version, prefix in _OF_VERSION.items() if fmi_version is not None and version != fmi_version)
    if path.name in _USES:
        return use in _USES[path.name] and not (path.parent.name == "fmi" and path.name.startswith(others))
    return path.parent.name in _FOLDERS[use] and not path.name.startswith(others)


def runtime_sources(use: Use, fmi_version: str | None = None) -> dict[str, str]:
    """File name -> text of the C runtime. With compiled kernels, the generated model.c and variables.c are built with it.

    fmi_version  of an FMU: with the functions of this version alone; None: of both
    """
    used = {name: path for name, path in native_files().items() if _is_used(path, use, fmi_version)}
    return {_NAMES.get(name, name): path.read_text(encoding="utf-8") for name, path in used.items()}


def lanes_files() -> list[str]:
    """The files that use vectors, which are compiled for each kind of vectors."""
    return [name for name in native_files() if name.startswith("lanes") and name.endswith(".c")]


def web_sources() -> dict[str, str]:
    """File name -> text of the library of WebAssembly: the runtime with the functions that pages call."""
    own = sorted((native_sources().parent / "web").glob("*.[ch]"))
    return runtime_sources("web") | {file.name: file.read_text(encoding="utf-8") for file in own}


_ANY_COMPILER = "any_compiler.h"
_BARE = "bare.h"


def for_any_compiler(sources: Mapping[str, str]) -> dict[str, str]:
    """C files for the archive of an FMU. With any options they give a library with the same bits, as any_compiler.h describes."""
    header = native_file(_ANY_COMPILER).read_text(encoding="utf-8")
    included = {file: f'#include "{_ANY_COMPILER}"\n{text}' for file, text in sources.items() if file.endswith(".c")}
    return {**sources, **included, _ANY_COMPILER: header}


_OF_LIBC = re.compile(r"^#include <(?:math|stdio|stdlib|string)\.h>\n", re.MULTILINE)


def without_libc(sources: Mapping[str, str]) -> dict[str, str]:
    """C files that include bare.h in place of headers of the C library."""
    return {
        file: (f'#include "{_BARE}"\n' if file.endswith(".c") else "") + (text if file == _BARE else _OF_LIBC.sub("", text))
        for file, text in sources.items()
    }


def loader_sources() -> dict[str, str]:
    """File name -> text of the library of Python FMUs, which finds Python and opens pythonfmu's library."""
    own = sorted((native_sources().parent / "python" / "loader").glob("*.[ch]"))
    files = [*own, native_file("file_of_uri.c"), native_file("file_of_uri.h")]
    return {file.name: file.read_text(encoding="utf-8") for file in files}


def elementary_sources() -> dict[str, str]:
    """File name -> text of the elementary functions (elementary.h)."""
    files = {name: path for name, path in native_files().items() if path.parent.name == "elementary" and name not in _USES}
    return {name: path.read_text(encoding="utf-8") for name, path in files.items()}


def kernel_sources(*, with_lanes: bool = False) -> dict[str, str]:
    """File name -> text of the files that are built with compiled kernels into a library of their own.

    with_lanes  for kernels over several lanes, of States or of calls of a sweep
    """
    names = ("exported.h", "kernel.h", *(("lanes_elementary.c", "lanes_number.h", "lanes_of_calls.h") if with_lanes else ()))
    return {name: native_file(name).read_text(encoding="utf-8") for name in names} | elementary_sources()
