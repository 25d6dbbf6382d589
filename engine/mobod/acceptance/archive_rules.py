"""The check of the archive of an FMU by the rules of the standard: all its files but modelDescription.xml."""

import zipfile

from mobod.acceptance.report import Result
from mobod.acceptance.rules import documentation, extra, libraries, sources, terminals, zip_entries
from mobod.acceptance.rules.description import Description
from mobod.acceptance.rules.fmu_files import FmuFiles
from mobod.acceptance.rules.rule import Findings, Version
from mobod.acceptance.rules.versions import UNREADABLE, fmi_version, rules_version
from mobod.acceptance.subject import Monitor, Subject
from mobod.cosim.fmu_archive import DAMAGE, FmuArchive
from mobod.errors import MobodError


def check(subject: Subject, monitor: Monitor) -> Result:
    """Check the archive."""
    monitor.note("reading the archive")
    try:
        with zipfile.ZipFile(subject.path) as archive:
            entries = archive.infolist()[: subject.limits.files]
            found = Findings(_version(archive, subject))
    except DAMAGE as error:
        found = Findings("2")
        found.add(UNREADABLE, f"not a ZIP archive, or a damaged one: {error}. Pack the FMU again.")
        return Result(found.all())
    zip_entries.check(subject.path, entries, found)
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
        damaged = archive.testzip()
        if damaged is not None:
            found.add(zip_entries.CHECKSUM, "the content does not match its checksum. Pack the FMU again.", damaged)
            return Result(found.all())
        files = FmuFiles(archive, Description(checked.root, version))
        for what, module in (
            ("the sources", sources),
            ("the libraries", libraries),
            ("the documentation", documentation),
            ("the terminals and icons", terminals),
            ("the folder extra/", extra),
        ):
            monitor.note(f"checking {what}")
            try:
                module.check(files, found)
            except DAMAGE as error:
                found.add(UNREADABLE, f"a file of {what} is damaged: {error}. Pack the FMU again.")
    return Result(found.all())


def _version(archive: zipfile.ZipFile, subject: Subject) -> Version:
    """The version of FMI, for the sections in findings, before it is known whether the archive can be trusted."""
    if "modelDescription.xml" not in archive.namelist():
        return "2"
    with archive.open("modelDescription.xml") as file:
        return rules_version(fmi_version(file.read(_START))) or "2"


_START = 4096  # bytes of modelDescription.xml in which its fmiVersion is searched
