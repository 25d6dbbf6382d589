"""The check of the archive of an FMU by the rules of the standard: all its files but modelDescription.xml."""

import zipfile

from mobod.acceptance.report import Result
from mobod.acceptance.rules import documentation, extra, libraries, sources, terminals, zip_entries
from mobod.acceptance.rules.fmu_files import FmuFiles
from mobod.acceptance.subject import Monitor, Subject
from mobod.errors import MobodError
from mobod.fmi.checked_zip import DAMAGE
from mobod.fmi.fmu_archive import FmuArchive
from mobod.fmi.rules.description import Description
from mobod.fmi.rules.rule import RuleFindings, Version
from mobod.fmi.rules.versions import UNREADABLE, fmi_version, rules_version


def check(subject: Subject, monitor: Monitor) -> Result:
    """Check the archive."""
    monitor.note("reading the archive")
    try:
        with zipfile.ZipFile(subject.path) as archive:
            entries = archive.infolist()[: subject.limits.files]
            found = RuleFindings(_version(archive, subject))
        zip_entries.check(subject.path, entries, found)
    except DAMAGE as error:
        found = RuleFindings("2")
        found.add(UNREADABLE, f"not a ZIP archive, or a damaged one: {error}. Pack the FMU again.")
        return Result(found.all())
    try:
        checked = FmuArchive(subject.path, subject.limits)
    except MobodError as error:
        if not found.any_error:
            found.add(UNREADABLE, str(error))
        return Result(found.all())
    version = rules_version(checked.fmi_version)
    if version is None:
        return Result(found.all())  # a finding of the description
    with zipfile.ZipFile(subject.path) as archive:
        if not _is_intact(archive, found):
            return Result(found.all())
        files = FmuFiles(archive, Description(checked.root, version))
        for module in (sources, libraries, documentation, terminals, extra):
            monitor.note(f"checking the archive by the rules of {module.__name__}")
            module.check(files, found)
    return Result(found.all())


def _is_intact(archive: zipfile.ZipFile, found: RuleFindings) -> bool:
    """Whether all files can be read."""
    try:
        damaged = archive.testzip()
    except DAMAGE as error:
        if not found.any_error:
            found.add(UNREADABLE, f"a file cannot be read: {error}. Pack the FMU again.")
        return False
    if damaged is not None:
        found.add(zip_entries.CHECKSUM, "the content does not match its checksum. Pack the FMU again.", damaged)
    return damaged is None


def _version(archive: zipfile.ZipFile, subject: Subject) -> Version:
    """The version of FMI, for the sections in findings, before it is known whether the archive can be trusted."""
    if "modelDescription.xml" not in archive.namelist():
        return "2"
    with archive.open("modelDescription.xml") as file:
        return rules_version(fmi_version(file.read(_START))) or "2"


_START = 4096  # bytes of modelDescription.xml in which its fmiVersion is searched
