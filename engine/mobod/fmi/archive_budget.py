"""ArchiveBudget: what an archive and all archives in it may need together."""

import os
from pathlib import Path
from typing import final

from mobod.errors import InputError
from mobod.fmi.checked_zip import CheckedZip
from mobod.fmi.fmu_limits import FmuLimits


@final
class ArchiveBudget:
    """Counts the files and bytes of an archive and of all archives in it, at any depth, and compares them with the limits.

    path    of the outermost archive, for messages
    size    bytes of it
    limits
    error   class of the errors that are raised
    """

    def __init__(self, path: str | os.PathLike[str], size: int, limits: FmuLimits, error: type[InputError]) -> None:
        self._path = Path(path)
        self._size = size
        self._limits = limits
        self._error = error
        self._seen: set[Path] = set()
        self._files = 0
        self._bytes = 0
        self._bytes_of_copies = 0
        self._xml = 0

    def add(self, archive: CheckedZip) -> None:
        """Count an archive before it is unpacked. Raises `error` beyond a limit.

        An archive that is used several times is a copy on the disk each time, but counts for the ratio only once.
        """
        self._bytes_of_copies += archive.unpacked
        self._check("unpacked", self._bytes_of_copies, "bytes, unpacked")
        if archive.path in self._seen:
            return
        self._seen.add(archive.path)
        self._files += archive.n_files
        self._bytes += archive.unpacked
        self._check("files", self._files, "files")
        if self._bytes > self._limits.bytes_from(self._size):
            self._check("ratio", -(-self._bytes // max(1, self._size)), "unpacked bytes for each byte of the outermost archive")

    def read(self, size: int) -> None:
        """Count an XML file each time it is read, so that files that name each other many times end. Raises `error` beyond the limit."""
        self._xml += size
        self._check("description", self._xml, "bytes of XML, of each file as often as it is used")

    def _check(self, limit: str, found: int, what: str) -> None:
        self._limits.check(limit, found, f"{self._path}: together with the archives in it, it has {found} {what}", self._error)
