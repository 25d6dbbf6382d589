"""The check of modelDescription.xml by the rules of the standard."""

from mobod.acceptance.report import Result
from mobod.acceptance.rules.second_opinion import ask_fmpy, ask_fmutool
from mobod.acceptance.subject import Monitor, Subject
from mobod.errors import MobodError
from mobod.fmi.fmu_archive import FmuArchive
from mobod.fmi.rules import header
from mobod.fmi.rules.description import FILE, Description
from mobod.fmi.rules.description_rules import check_description
from mobod.fmi.rules.rule import RuleFindings
from mobod.fmi.rules.versions import UNREADABLE, rules_version
from mobod.fmi.rules.xml_files import check_encoding


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
    check_description(description, found)
    notes = []
    if not found.any_error:
        monitor.note("validating modelDescription.xml with FMPy")
        ask_fmpy(archive, found)
        monitor.note("checking the FMU with fmutool")
        notes.append(ask_fmutool(archive, len(description.variables), found))
    return Result(found.all(), notes=notes)
