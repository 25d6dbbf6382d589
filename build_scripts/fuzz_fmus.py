"""Readers of archives of FMUs and their XML (fuzz.py). mobod is imported within functions: see fuzz_reader.py."""

import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fuzz_changes import changed_xml
from fuzz_reader import FMI_MODULES, Read, of_example, reader, written


def descriptions() -> tuple[bytes, bytes]:
    made = import_module("tests.acceptance.right_fmus")
    return made.FMI2.encode(), made.FMI3.encode()


_TERMINALS = b"""<?xml version="1.0" encoding="UTF-8"?>
<fmiTerminalsAndIcons fmiVersion="3.0"><Terminals><Terminal name="port" matchingRule="plug" terminalKind="k">
<TerminalMemberVariable variableName="x" memberName="p" variableKind="signal"/>
<TerminalMemberVariable variableName="u" variableKind="signal"/>
</Terminal></Terminals></fmiTerminalsAndIcons>"""


def fmu_of(description: bytes, terminals: bytes = _TERMINALS) -> bytes:
    """An FMU whose libraries are empty: they are not loaded."""
    import fmpy

    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("modelDescription.xml", description)
        archive.writestr("terminalsAndIcons/terminalsAndIcons.xml", terminals)
        archive.writestr("resources/data.txt", "1 2 3\n" * 20)
        for platform in (fmpy.platform, fmpy.platform_tuple):
            archive.writestr(f"binaries/{platform}/Right{fmpy.sharedLibraryExtension}", "")
    return made.getvalue()


def _archive_examples() -> Iterator[bytes]:
    yield from map(fmu_of, descriptions())


@reader("fmu", reads="archives of FMUs", suffix=".fmu", modules=(*FMI_MODULES, "zipfile"), examples=_archive_examples)
def _archive(folder: Path) -> Read:
    import mobod as mb
    from mobod.fmi.fmu_archive import FmuArchive

    limits = mb.FmuLimits(unpacked=10**7, files=100)

    def read(path: Path) -> object:
        archive = FmuArchive(path, limits)
        archive.content("resources/data.txt")
        with TemporaryDirectory(dir=folder) as unpacked:
            archive.unpack(Path(unpacked))
            here = Path(unpacked).resolve()
            assert all(each.resolve().is_relative_to(here) for each in here.rglob("*")), "a file lies outside of the folder"
        return archive.description(validate=False)

    return read


def _description_examples() -> Iterator[bytes]:
    import mobod as mb

    yield from descriptions()
    system = of_example("09_events.py", "bouncing_ball")
    options: dict[str, Any] = {"outputs": ["ball.q"], "code": "interpreted", "reference": False}
    for version in ("2.0", "3.0"):
        fmu = written(partial(mb.export_fmu, system, fmi_version=version, **options), ".fmu")
        with zipfile.ZipFile(BytesIO(fmu)) as archive:
            yield archive.read("modelDescription.xml")


@reader(
    "description",
    reads="modelDescription.xml of FMUs",
    suffix=".xml",
    modules=(*FMI_MODULES, "mobod.acceptance"),
    examples=_description_examples,
    change=changed_xml,
)
def _description(folder: Path) -> Read:
    from mobod.acceptance.validate import experiment_of
    from mobod.cosim.models import component_model
    from mobod.errors import MobodError
    from mobod.fmi.fmu_archive import FmuArchive
    from mobod.fmi.rules.description import Description
    from mobod.fmi.rules.description_rules import check_description
    from mobod.fmi.rules.rule import RuleFindings
    from mobod.fmi.rules.versions import rules_version
    from mobod.fmi.rules.xml_files import check_encoding
    from mobod.importer.fmu_model import FmuModel

    made = folder / "made.fmu"

    def attempt(action: Callable[..., object], *arguments: object) -> None:
        """All parts are tried, also after one that refuses the file."""
        with suppress(MobodError):
            action(*arguments)

    def rules(archive: FmuArchive) -> None:
        version = rules_version(archive.fmi_version)
        if version is not None:
            found = RuleFindings(version)
            check_encoding(archive.root, archive.xml, "modelDescription.xml", found)
            check_description(Description(archive.root, version), found)

    def use(model: FmuModel) -> None:
        attempt(model.default_experiment)
        attempt(lambda: experiment_of(model, None, None))
        attempt(lambda: model.states)
        for interface in model.interfaces:
            attempt(model.capabilities, interface)
            attempt(model.runs_here, interface)
        for variable in model.variables.values():
            attempt(model.shape, variable)
            attempt(getattr, variable, "start_values")

    def read(path: Path) -> object:
        made.write_bytes(fmu_of(path.read_bytes()))
        rules(FmuArchive(made))
        attempt(lambda: use(FmuModel(made)))
        for interface in ("co-simulation", "model-exchange"):
            attempt(partial(component_model, made, interface=interface))
        return None

    return read


def _terminals_examples() -> Iterator[bytes]:
    yield _TERMINALS


@reader(
    "terminals",
    reads="terminalsAndIcons.xml of FMUs",
    suffix=".xml",
    modules=FMI_MODULES,
    examples=_terminals_examples,
    change=changed_xml,
)
def _terminals(folder: Path) -> Read:
    from mobod.cosim.connections.terminals import terminals_of_fmu
    from mobod.fmi.fmu_archive import FmuArchive

    made, description = folder / "made.fmu", descriptions()[1]

    def read(path: Path) -> object:
        made.write_bytes(fmu_of(description, path.read_bytes()))
        return terminals_of_fmu(FmuArchive(made))

    return read
