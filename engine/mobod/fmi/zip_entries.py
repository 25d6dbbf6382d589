"""The entries of a ZIP archive: which path counts, and why an entry is refused."""

import posixpath
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator

_UNICODE_PATH = 0x7075  # number of the extra field in which Info-ZIP gives a path in UTF-8
_IS_UTF8 = 0x800  # general purpose bit: the path in the header is UTF-8; otherwise it is code page 437
# as FMI and SSP require. Python decompresses others without a limit: 1 MB of LZMA becomes 7 GB in the memory before it can be counted
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
# of files and folders in Windows, with any extension
_DEVICES = {"con", "prn", "aux", "nul", "conin$", "conout$", *(f"{port}{digit}" for port in ("com", "lpt") for digit in "123456789¹²³")}


def path_of(entry: zipfile.ZipInfo) -> str:
    """The path that counts: the last valid one of its Unicode Path fields, or that of its header. A folder ends with '/'.

    `entry.filename` is the same from Python 3.12 on; before, Python ignores these fields.

    Raises zipfile.BadZipFile for a damaged field.
    """
    path = entry.filename
    checksum = zlib.crc32(entry.orig_filename.encode("utf-8" if entry.flag_bits & _IS_UTF8 else "cp437"))
    for version, of_header, field in _unicode_paths(entry):
        if version == 1 and of_header == checksum and field:
            path = field
    folder = "/" if path.endswith("/") else ""
    return posixpath.normpath(path) + folder if path else path


def refusal_of(entry: zipfile.ZipInfo) -> str | None:
    """Why an entry is refused, 'has the path ...'; None if it is not. Each path that some reader could use is checked.

    The answer is the same on all systems, so that an archive that can be read on one can be read on the others.
    """
    paths = {entry.orig_filename, entry.filename, path_of(entry), *(path for _, _, path in _unicode_paths(entry))}
    for path in sorted(paths):
        wrong = wrong_path(path)
        if wrong is not None:
            return f"has the path {path!r}, which {wrong}"
    if entry.compress_type not in _METHODS:
        return f"has {entry.orig_filename!r} compressed by method {entry.compress_type}, not stored (0) or deflated (8)"
    mode = entry.external_attr >> 16
    if stat.S_ISLNK(mode):
        return f"has the symbolic link {entry.orig_filename!r}"
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
        return f"has {entry.orig_filename!r}, which is a device, a pipe or a socket"
    return None


def wrong_path(path: str) -> str | None:
    """What is wrong with a path: 'could leave ...'; None if nothing is."""
    parts = path.removesuffix("/").split("/")
    if path.startswith("/") or "\\" in path or ":" in path or "\0" in path or ".." in parts:
        return "could leave the folder it is unpacked into"
    if _CONTROL.search(path):
        return "has a control character"
    for part in parts:
        if part.partition(".")[0].rstrip(" ").lower() in _DEVICES:
            return f"is a device in Windows: {part}"
        if part not in ("", ".") and part[-1] in ". ":
            return "ends with a dot or a blank, which Windows removes"
    return None


def _unicode_paths(entry: zipfile.ZipInfo) -> Iterator[tuple[int, int, str]]:
    """(version, checksum of the path in the header, path) of each Unicode Path field."""
    extra = entry.extra
    while len(extra) >= 4:
        kind, length = struct.unpack("<HH", extra[:4])
        data, extra = extra[4 : 4 + length], extra[4 + length :]
        if kind == _UNICODE_PATH:
            try:
                version, checksum = struct.unpack("<BL", data[:5])
                yield version, checksum, data[5:].decode("utf-8")
            except (struct.error, UnicodeDecodeError) as error:
                raise zipfile.BadZipFile(f"the Unicode Path field of {entry.orig_filename!r} is damaged: {error}") from error
