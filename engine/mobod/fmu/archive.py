"""Writes an .fmu file: a zip archive whose bytes depend only on its content."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

from mobod.whole_file import whole_file

TERMINALS = "terminalsAndIcons/terminalsAndIcons.xml"

_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest time that zip can store
_UNIX = 3
_READABLE_FILE = 0o100644 << 16
_LEVEL = 6  # of 9, which takes three times as long for 0.5 % less


def write_archive(path: Path, entries: Mapping[str, bytes]) -> None:
    """Write the files `entries` (name with forward slashes -> content) to an archive. If writing fails, an existing file stays unchanged.

    Raises WriteError.
    """
    with whole_file(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, content in sorted(entries.items()):
            info = zipfile.ZipInfo(name, _TIME)
            info.create_system = _UNIX
            info.external_attr = _READABLE_FILE
            archive.writestr(info, content, zipfile.ZIP_DEFLATED, compresslevel=_LEVEL)
