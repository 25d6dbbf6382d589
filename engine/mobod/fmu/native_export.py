"""Write a native FMU: C sources, the library compiled of them, and their description."""

from collections.abc import Iterable
from pathlib import Path

from mobod.compile.model_source import GeneratedModel
from mobod.errors import InputError
from mobod.fmu.archive import write_archive
from mobod.fmu.documentation import index_html, licence_text
from mobod.fmu.exported_model import ExportedSteps
from mobod.fmu.interface import Interface, make_interface
from mobod.fmu.libraries import libraries
from mobod.fmu.model_description import model_description
from mobod.fmu.names import model_identifier
from mobod.fmu.platforms import platform_folders
from mobod.fmu.variables_source import variables_c
from mobod.native_sources import runtime_sources


def write_native_fmu(
    model: GeneratedModel,
    path: Path,
    name: str,
    *,
    inputs: Iterable[str] = (),
    outputs: Iterable[str] = (),
    platforms: str | Iterable[str] = "host",
    fixed_steps: ExportedSteps | None = None,
) -> Path:
    """Write a generated model as an FMU for co-simulation by FMI 2.0; arguments and errors are those of export_fmu."""
    if not path.parent.is_dir():
        raise InputError(f"'{path}': there is no folder '{path.parent}' to write the FMU to.")
    identifier = model_identifier(name)
    folders = platform_folders(platforms)
    interface = make_interface(model, name, inputs=inputs, outputs=outputs, fixed_steps=fixed_steps)
    sources = _sources(interface)

    entries = {
        "modelDescription.xml": model_description(interface, sorted(file for file in sources if file.endswith(".c"))),
        "documentation/index.html": index_html(interface),
        "documentation/licenses/license.txt": licence_text(),
    }
    entries |= {f"sources/{file}": text.encode() for file, text in sources.items()}
    entries |= libraries(identifier, sources, folders)
    write_archive(path, entries)
    return path


def _sources(interface: Interface) -> dict[str, str]:
    """File name -> text of all C that the FMU is made of, but for FMI's own headers, which its importer has."""
    return {**runtime_sources("fmi2"), **interface.sources, "variables.c": variables_c(interface)}
