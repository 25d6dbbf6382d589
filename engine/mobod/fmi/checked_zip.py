"""CheckedZip: a ZIP archive from anywhere. Its paths and sizes are checked before anything in it is read or unpacked."""

import os
import struct
import zipfile
import zlib
from pathlib import Path
from typing import final

from mobod.disk.working_folder import absolute
from mobod.errors import InputError
from mobod.fmi.fmu_limits import FmuLimits
from mobod.fmi.zip_entries import path_of, refusal_of

_CHUNK = 2**20  # bytes that are unpacked at a time


@final
class CheckedZip:
    """A ZIP archive on disk.

    path
    limits   of its size
    noun     what it should be, with its article, for messages: 'an FMU'
    error    class of the errors that are raised
    names    paths of its files
    folders  paths of folders that it names, with a slash at their ends
    n_files  number of its entries, with folders
    unpacked bytes of all files, unpacked

    Raises `error` for a file that is no ZIP archive, is damaged or malicious, or exceeds the limits.
    """

    def __init__(self, path: str | os.PathLike[str], limits: FmuLimits, noun: str, error: type[InputError]) -> None:
        self.path = Path(path)
        self.limits = limits
        self.noun = noun
        self.error = error
        try:
            with zipfile.ZipFile(self.path) as archive:
                entries = self._checked_entries(archive)
        except FileNotFoundError:
            raise error(f"{self.path}: the file does not exist.") from None
        except DAMAGE as damage:
            kind = noun.partition(" ")[2]
            raise error(f"{self.path}: not {noun}, or a damaged one. An {kind} is a ZIP archive, but: {damage}.") from damage
        self.folders = {path for path in entries if path.endswith("/")}
        self.names = set(entries) - self.folders
        self.n_files, self.unpacked = len(entries), sum(entry.file_size for entry in entries.values())

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
        self.limits.check(limit, found, f"{self.path}: it has {found} {what}", self.error)

    def _unpack(self, folder: Path, leave_out: tuple[str, ...]) -> None:
        """Count the bytes, since the archive may declare a smaller size."""
        allowed, written = self.limits.bytes_from(self.path.stat().st_size), 0
        folder = absolute(folder)
        root = folder.resolve()
        with zipfile.ZipFile(self.path) as archive:
            for path, entry in self._checked_entries(archive).items():
                if path.startswith(leave_out):
                    continue
                target = folder / path
                if not target.resolve().is_relative_to(root):
                    raise self.error(f"{self.path}: the archive has the path {path!r}, which leaves the folder {folder}.")
                if path.endswith("/"):
                    target.mkdir(parents=True, exist_ok=True)
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(entry) as source, target.open("xb") as file:  # x: nothing that exists is replaced
                    while chunk := source.read(_CHUNK):
                        written += len(chunk)
                        if written > allowed:
                            raise self.error(
                                f"{self.path}: the archive unpacks to more than {allowed / 1e9:.3g} GB, although it declares a smaller "
                                "size."
                            )
                        file.write(chunk)

    def _checked_entries(self, archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
        """By their paths. The last of several entries with the same path counts."""
        entries = archive.infolist()
        self.check_limit("files", len(entries), "files")
        unpacked, size = sum(entry.file_size for entry in entries), self.path.stat().st_size
        self.check_limit("unpacked", unpacked, "bytes, unpacked")
        if unpacked > self.limits.bytes_from(size):
            self.check_limit("ratio", -(-unpacked // size), "unpacked bytes for each byte of the archive")
        for entry in entries:
            refusal = refusal_of(entry)
            if refusal is not None:
                raise self.error(f"{self.path}: the archive {refusal}. That is not allowed in {self.noun}.")
        return {path_of(entry): entry for entry in entries}


# errors of zipfile for archives that are damaged, encrypted or compressed by an unknown method, and for full disks
DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, UnicodeDecodeError, EOFError, RuntimeError, OSError)
