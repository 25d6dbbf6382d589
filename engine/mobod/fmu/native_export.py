"""Writes a native FMU: its library, compiled or with tables beside it, and its description."""

import logging
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mobod.compilation.source.blob import blob
from mobod.compilation.source.model_source import GeneratedModel
from mobod.errors import NoCompilerError
from mobod.fmu.archive import write_archive
from mobod.fmu.bounded_work import work_of
from mobod.fmu.description.model_description import model_description
from mobod.fmu.description.model_description_3 import build_description, model_description_3
from mobod.fmu.description.terminals import terminals_and_icons
from mobod.fmu.documentation.explanation import ICON, Explanation, explanation_files
from mobod.fmu.documentation.index_page import index_html
from mobod.fmu.documentation.licences import licence_text
from mobod.fmu.interface import Interface
from mobod.fmu.libraries import check_compilers, interpreter_libraries, libraries
from mobod.fmu.names import model_identifier
from mobod.fmu.platforms import Platform, platform_folders
from mobod.fmu.variables import has_adjoints
from mobod.fmu.variables_source import interface_table, variables_c
from mobod.native_sources import for_any_compiler, runtime_sources

_log = logging.getLogger("mobod")

Code = Literal["compiled", "interpreted", "auto"]

AUTO_COMPILES = True
"""Whether code="auto" looks for a compiler."""

TABLES = "resources/model.mobod"
"""File with the tables of an interpreted FMU; resource_tables.c reads it."""


@dataclass(frozen=True)
class _Parts:
    """The parts of the FMU besides its description: C files, libraries, and other files."""

    code: Literal["compiled", "interpreted"]
    sources: Mapping[str, str]
    libraries: Mapping[str, bytes]
    resources: Mapping[str, bytes]


def write_native_fmu(
    model: GeneratedModel,
    interface: Interface,
    path: Path,
    *,
    platforms: str | Iterable[str] = "host",
    code: Code = "compiled",
    explanation: Explanation | None = None,
) -> None:
    """Write a generated model as an FMU. Other arguments and errors are those of export_fmu."""
    identifier = model_identifier(interface.model_name)
    folders = platform_folders(platforms, interface.fmi_version)
    parts = _parts(model, interface, identifier, folders, code)

    sources = sorted(file for file in parts.sources if file.endswith(".c"))
    entries = {
        "modelDescription.xml": _description(interface, sources),
        "documentation/index.html": index_html(
            interface,
            code=parts.code,
            operations=model.step_operations(interface.offsets),
            explanation=explanation,
            libraries=parts.libraries,
            work=work_of(model, interface),
        ),
        "documentation/licenses/license.txt": licence_text(parts.libraries),
        "sources/buildDescription.xml": build_description(identifier, sources),
    }
    entries |= explanation_files(interface, explanation)
    entries |= terminals_and_icons(model.system, model.variables, interface, has_icon=ICON in entries)
    entries |= {f"sources/{file}": text.encode() for file, text in for_any_compiler(parts.sources).items()}
    entries |= {**parts.resources, **parts.libraries}
    write_archive(path, entries)


def _description(interface: Interface, source_files: list[str]) -> bytes:
    if interface.fmi_version == "3.0":
        return model_description_3(interface)
    return model_description(interface, source_files)


def _parts(model: GeneratedModel, interface: Interface, identifier: str, folders: Mapping[str, Platform], code: Code) -> _Parts:
    if code == "interpreted" or (code == "auto" and not AUTO_COMPILES):
        return _interpreted(model, interface, identifier, folders)
    try:
        return _compiled(model, interface, identifier, folders)
    except NoCompilerError as error:
        if code == "compiled" or os.environ.get("CC", "").strip():  # if the user chose a compiler, its absence is an error
            raise
        parts = _interpreted(model, interface, identifier, folders)
        _log.warning("'%s' is interpreted, which is 4 to 5 times slower than compiled code: %s", identifier, error)
        return parts


def _compiled(model: GeneratedModel, interface: Interface, identifier: str, folders: Mapping[str, Platform]) -> _Parts:
    check_compilers(folders)  # before the C code is written, which takes time
    # all C files of the FMU, except the headers of FMI, which importers have
    sources = {
        **runtime_sources("compiled", interface.fmi_version),
        **model.source(interface.offsets, len(interface.real_inputs), with_adjoints=has_adjoints(interface.fmi_version)),
        "variables.c": variables_c(interface),
    }
    return _Parts("compiled", sources, libraries(identifier, sources, folders), {})


def _interpreted(model: GeneratedModel, interface: Interface, identifier: str, folders: Mapping[str, Platform]) -> _Parts:
    model_table = model.table(interface.offsets, len(interface.real_inputs), with_adjoints=has_adjoints(interface.fmi_version))
    tables = blob(model_table, interface_table(interface))
    version = interface.fmi_version
    return _Parts(
        "interpreted", runtime_sources("interpreted", version), interpreter_libraries(identifier, folders, version), {TABLES: tables}
    )
