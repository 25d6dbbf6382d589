"""The rules for the archive of an FMU."""

from mobod.acceptance.report import Finding, Result
from mobod.acceptance.subject import Monitor, Subject
from mobod.cosim.fmu_archive import FmuArchive
from mobod.errors import MobodError


def check(subject: Subject, monitor: Monitor) -> Result:
    """Check the archive."""
    monitor.note("reading the archive")
    try:
        FmuArchive(subject.path, subject.limits)
    except MobodError as error:
        return Result([Finding("archive", str(error), "FMI 2.0.5, 2.3; FMI 3.0.2, 2.5")])
    return Result()
