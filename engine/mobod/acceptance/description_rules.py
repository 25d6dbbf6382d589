"""The check of modelDescription.xml by the rules of the standard."""

from mobod.acceptance.report import Result
from mobod.acceptance.rules import (
    aliases,
    arrays,
    causality,
    clocks,
    dependencies,
    derivatives,
    header,
    interfaces,
    model_structure,
    names,
    type_definitions,
    units,
    values,
)
from mobod.acceptance.rules.description import FILE, Description
from mobod.acceptance.rules.rule import RuleFindings
from mobod.acceptance.rules.second_opinion import ask_fmpy, ask_fmutool
from mobod.acceptance.rules.versions import UNREADABLE, rules_version
from mobod.acceptance.rules.xml_files import SCHEMA, check_encoding, check_schema
from mobod.acceptance.subject import Monitor, Subject
from mobod.errors import MobodError
from mobod.fmi.fmu_archive import FmuArchive

_SCHEMAS = {"2": "fmi2/fmi2ModelDescription.xsd", "3": "fmi3/fmi3ModelDescription.xsd"}


def check(subject: Subject, monitor: Monitor) -> Result:
    """Check modelDescription.xml."""
    monitor.note("reading modelDescription.xml")
    found = RuleFindings("2")
    try:
        archive = FmuArchive(subject.path, subject.limits)
    except MobodError as error:
        found.add(UNREADABLE, str(error))
        return Result(found.all())
    version = rules_version(archive.fmi_version)
    if version is None:
        header.check_version(archive.fmi_version, found)
        return Result(found.all())
    monitor.note("checking modelDescription.xml by the rules of the standard")
    found = RuleFindings(version)
    description = Description(archive.root, version)
    check_encoding(archive.root, archive.xml, FILE, found)
    check_schema(archive.root, _SCHEMAS[version], SCHEMA, FILE, found)
    check_description(description, found)
    notes = []
    if not found.any_error:
        monitor.note("validating modelDescription.xml with FMPy")
        ask_fmpy(archive, found)
        monitor.note("checking the FMU with fmutool")
        notes.append(ask_fmutool(archive, len(description.variables), found))
    return Result(found.all(), notes=notes)


def check_description(description: Description, found: RuleFindings) -> None:
    """Check all that the schema does not express."""
    for module in (
        header,
        interfaces,
        type_definitions,
        units,
        names,
        causality,
        values,
        derivatives,
        model_structure,
        dependencies,
        aliases,
    ):
        module.check(description, found)
    if description.version == "3":
        arrays.check(description, found)
        clocks.check(description, found)
