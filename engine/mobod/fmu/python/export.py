"""Writes a Python FMU: its library, which finds Python, pythonfmu's library, the System, and their description."""

from collections.abc import Iterable
from pathlib import Path

from mobod.errors import MobodError, UnsupportedError
from mobod.fmu.archive import write_archive
from mobod.fmu.description.model_description import Capabilities, model_description
from mobod.fmu.description.terminals import terminals_and_icons
from mobod.fmu.documentation.explanation import ICON, Explanation, explanation_files
from mobod.fmu.documentation.index_page import index_html
from mobod.fmu.documentation.licences import external_dependencies, licence_of_python_fmu
from mobod.fmu.interface import Interface
from mobod.fmu.libraries import loader_libraries
from mobod.fmu.names import model_identifier
from mobod.fmu.platforms import Platform, platform_folders, platform_names
from mobod.fmu.python.model import PythonModel
from mobod.fmu.python.resources import python_version, resource_files
from mobod.native_sources import folder_of_package
from mobod.system import State

# pythonfmu's file for each platform, and its name in an FMU (fmu_src/python/loader/pythonfmu.c)
_LIBRARIES = {"linux64": ("libpythonfmu-export.so", "pythonfmu-export.so"), "win64": ("pythonfmu-export.dll", "pythonfmu-export.dll")}


def write_python_fmu(
    model: PythonModel,
    interface: Interface,
    state: State,
    path: Path,
    *,
    platforms: str | Iterable[str] = "host",
    explanation: Explanation | None = None,
) -> None:
    """Write a System as an FMU for co-simulation by FMI 2.0 that runs in Python. Other arguments and errors are those of export_fmu."""
    identifier = model_identifier(interface.model_name)
    folders = _folders(platforms)
    capabilities = Capabilities(
        log_categories={},
        needs_execution_tool=True,
        serializes_state=_is_plain_data(state),
        has_directional_derivatives=False,
        has_model_exchange=False,
        interpolates_inputs=False,
    )
    entries = {
        "modelDescription.xml": model_description(interface, None, capabilities),
        "documentation/externalDependencies.txt": external_dependencies(
            model.pickled.packages, python_version() if model.pickled.holds_code else None
        ),
    }
    entries |= explanation_files(interface, explanation)
    entries |= terminals_and_icons(model.system, model.variables, interface, has_icon=ICON in entries)
    entries |= {f"resources/{file}": content for file, content in resource_files(model.pickled, interface).items()}
    libraries = loader_libraries(identifier, folders)
    for folder in folders:
        file, name = _LIBRARIES[folder]
        libraries[f"binaries/{folder}/{name}"] = _library(folder, file)
    entries |= libraries
    entries["documentation/licenses/license.txt"] = licence_of_python_fmu(libraries)
    entries["documentation/index.html"] = index_html(interface, code="python", explanation=explanation, libraries=libraries)
    write_archive(path, entries)


def _folders(platforms: str | Iterable[str]) -> dict[str, Platform]:
    """The folders of the chosen platforms. "all" are those for which pythonfmu has libraries."""
    names = [each for name in platform_names(platforms) for each in (_LIBRARIES if name == "all" else [name])]
    folders = platform_folders(names)
    for folder, platform in folders.items():
        if folder not in _LIBRARIES:
            raise UnsupportedError(
                f"platform '{platform.name}': Python FMUs run only on {' and '.join(_LIBRARIES)}. Choose one of these, or export with "
                "kind='native'."
            )
    return folders


def _is_plain_data(state: State) -> bool:
    try:
        state.to_bytes()
    except UnsupportedError:
        return False
    return True


def _library(folder: str, file: str) -> bytes:
    path = folder_of_package("pythonfmu") / "resources" / "binaries" / folder / file
    if not path.is_file():
        raise MobodError(f"the library of pythonfmu is missing: {path}. Reinstall pythonfmu 0.7.0 or later.")
    return path.read_bytes()
