"""FMUs that mobod did not make: C sources beside this file, compiled for this machine."""

import zipfile
from pathlib import Path

import fmpy

from mobod.fmu.platforms import fmi2_folders
from mobod.runtime.compiler import build_library

HEADERS = Path(fmpy.__file__).parent / "c-code"


def build_foreign_fmu(name: str, path: Path, *replacements: tuple[str, str]) -> Path:
    """Write tests/importer/<name> as an FMU, with each `old` text of its description replaced by `new`."""
    source = Path(__file__).parent / name
    sources = {each.name: each.read_text() for each in source.glob("*.c")}
    library = build_library(name, sources, include_directories=[HEADERS], flags=["-fvisibility=default"])
    description = (source / "modelDescription.xml").read_text()
    for old, new in replacements:
        assert old in description, f"{old!r} is not in the description of {name}"
        description = description.replace(old, new)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("modelDescription.xml", description)
        for platform in {*fmi2_folders(), fmpy.platform_tuple}:
            archive.write(library, f"binaries/{platform}/{library.name}")
    return path
