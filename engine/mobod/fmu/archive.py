"""Writes an .fmu file: a zip archive whose bytes depend only on its content."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

from mobod.disk.whole_file import whole_file
from mobod.fmu.source_date import source_date

TERMINALS = "terminalsAndIcons/terminalsAndIcons.xml"

_NO_TIME = (1980, 1, 1, 0, 0, 0)  # zip has no entry without a time: its first one, by which tools mean none
_UNIX = 3
_READABLE_FILE = 0o100644 << 16
_LEVEL = 6  # of 9, which takes three times as long for 0.5 % less


def write_archive(path: Path, entries: Mapping[str, bytes]) -> None:
    """Write the files `entries` (name with forward slashes -> content) to an archive. If writing fails, an existing file stays unchanged.

    Their time is SOURCE_DATE_EPOCH, if that is set and zip can store it.

    Raises WriteError.
    """
    date = source_date()
    time = _NO_TIME if date is None or not 1980 <= date.year < 2108 else date.timetuple()[:6]
    with whole_file(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, content in sorted(entries.items()):
            info = zipfile.ZipInfo(name, time)
            info.create_system = _UNIX
            info.external_attr = _READABLE_FILE
            archive.writestr(info, content, zipfile.ZIP_DEFLATED, compresslevel=_LEVEL)
