"""CheckedZip: a ZIP archive from anywhere. Its paths and sizes are checked before anything in it is read or unpacked."""

import os
import stat
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import final

from mobod.errors import InputError
from mobod.fmi.fmu_limits import FmuLimits

_CHUNK = 2**20  # bytes that are unpacked at a time


@final
class CheckedZip:
    """A ZIP archive on disk.

    path
    limits   of its size
    noun     what it should be, with its article, for messages: 'an FMU'
    error    class of the errors that are raised
    names    of its files

    Raises `error` for a file that is no ZIP archive, is damaged or malicious, or exceeds the limits.
    """

    def __init__(self, path: str | os.PathLike[str], limits: FmuLimits, noun: str, error: type[InputError]) -> None:
        self.path = Path(path)
        self.limits = limits
        self.noun = noun
        self.error = error
        try:
            with zipfile.ZipFile(self.path) as archive:
                self.names = set(self._checked_entries(archive))
        except FileNotFoundError:
            raise error(f"{self.path}: the file does not exist.") from None
        except DAMAGE as damage:
            kind = noun.partition(" ")[2]
            raise error(f"{self.path}: not {noun}, or a damaged one. An {kind} is a ZIP archive, but: {damage}.") from damage

    def read(self, name: str) -> bytes:
        """The bytes of a small file in it."""
        try:
            with zipfile.ZipFile(self.path) as archive:
                entry = self._checked_entries(archive)[name]
                self.check_limit("description", entry.file_size, f"bytes of {name}")
                return archive.read(entry)
        except DAMAGE as damage:
            raise self.error(f"{self.path}: {name} cannot be read: {damage}.") from damage

    def unpack(self, folder: Path, *, leave_out: tuple[str, ...] = ()) -> None:
        """Write the files into a folder, but those whose paths begin with one of these texts."""
        try:
            self._unpack(folder, leave_out)
        except DAMAGE as damage:
            raise self.error(f"{self.path}: cannot be unpacked into {folder}: {damage}.") from damage

    def check_limit(self, limit: str, found: int, what: str) -> None:
        """Raise an error if more is found than FmuLimits allow."""
        allowed = getattr(self.limits, limit)
        if found > allowed:
            raise self.error(
                f"{self.path}: it has {found} {what}, and the limit is {allowed}. If you trust the file, raise the limit: "
                f"mobod.FmuLimits({limit}={found}), or --limit {limit}={found}."
            )

    def _unpack(self, folder: Path, leave_out: tuple[str, ...]) -> None:
        """Count the bytes, since the archive may declare a smaller size."""
        allowed, written = self.limits.bytes_from(self.path.stat().st_size), 0
        with zipfile.ZipFile(self.path) as archive:
            self._checked_entries(archive)
            for entry in archive.infolist():
                if leave_out and entry.filename.startswith(leave_out):
                    continue
                target = folder / entry.filename
                if entry.is_dir():
                    target.mkdir(parents=True, exist_ok=True)
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(entry) as source, target.open("wb") as file:
                    while chunk := source.read(_CHUNK):
                        written += len(chunk)
                        if written > allowed:
                            raise self.error(
                                f"{self.path}: the archive unpacks to more than {allowed / 1e9:.3g} GB, although it declares a smaller "
                                "size."
                            )
                        file.write(chunk)

    def _checked_entries(self, archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
        entries = archive.infolist()
        self.check_limit("files", len(entries), "files")
        unpacked, size = sum(entry.file_size for entry in entries), self.path.stat().st_size
        self.check_limit("unpacked", unpacked, "bytes, unpacked")
        if unpacked > self.limits.bytes_from(size):
            self.check_limit("ratio", -(-unpacked // size), "unpacked bytes for each byte of the archive")
        for entry in entries:
            name = entry.orig_filename
            if name.startswith("/") or "\\" in name or ":" in name or "\0" in name or ".." in PurePosixPath(name).parts:
                raise self.error(f"{self.path}: the archive has the path {name!r}, which could leave the folder it is unpacked into.")
            if stat.S_ISLNK(entry.external_attr >> 16):
                raise self.error(f"{self.path}: the archive has the symbolic link {name!r}, which is not allowed in {self.noun}.")
        return {entry.filename: entry for entry in entries}


# errors of zipfile for archives that are damaged, encrypted or compressed by an unknown method, and for full disks
DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, UnicodeDecodeError, EOFError, RuntimeError, OSError)
