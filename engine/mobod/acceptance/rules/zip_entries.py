"""The rules for the ZIP archive and the names of its files."""

import stat
import zipfile
from pathlib import Path, PurePosixPath

from mobod.fmi.rules.rule import Rule, RuleFindings
from mobod.fmi.zip_entries import path_of

EXTENSION = Rule("zip-extension", "The file name ends in .fmu.", "2.3", "2.5")
COMPRESSION = Rule("zip-compression", "Files are stored or deflated.", "2.3", "2.5")
BIT_3 = Rule("zip-data-descriptor", "Only deflated files have their size after their data (general purpose bit 3).", "2.3", "2.5")
VERSION = Rule("zip-version", "The version needed to extract is at most 2.0.", "2.3", "2.5")
ENCRYPTION = Rule("zip-encryption", "No file is encrypted.", "2.3", "2.5")
LINK = Rule("zip-link", "There are no links.", "2.3", "2.5")
BACKSLASH = Rule("zip-backslash", "Paths have forward slashes.", "2.3", "2.5")
PATH = Rule("zip-path", "Paths are relative, and do not leave the folder that the FMU is unpacked to.", "2.3", "2.5")
DUPLICATE = Rule("zip-duplicate", "No path exists twice.", "2.3", "2.5")
SAME_TWICE = Rule("zip-same-twice", "No file is stored twice with the same content.", "2.3", "2.5", "warning")
CASE = Rule(
    "zip-case", "No two paths differ only in upper and lower case: they are one file in Windows and macOS.", "2.3", "2.5", "warning"
)
NOT_ASCII = Rule("zip-not-ascii", "Names of folders have ASCII characters only.", "2.3", "2.5", "warning")
CHECKSUM = Rule("zip-checksum", "The content of each file matches its checksum.", "2.3", "2.5")
ROOT = Rule("zip-root", "modelDescription.xml is at the root of the archive.", "2.3", "2.5.1")

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED, _DESCRIPTOR, _STRONG = 0x1, 0x8, 0x40  # general purpose bits
_NEWEST = 20  # version 2.0


def check(path: Path, entries: list[zipfile.ZipInfo], found: RuleFindings) -> None:
    """Check the entries of the archive. Raises zipfile.BadZipFile for a damaged extra field."""
    if path.suffix != ".fmu":
        found.add(EXTENSION, f"the name of the file is '{path.name}'. Rename it so that it ends in .fmu.")
    for entry in entries:
        _check_format(entry, found)
        for name in sorted({entry.orig_filename, path_of(entry)}):
            _check_path(name, found)
    _check_duplicates(entries, found)
    names = [entry.filename for entry in entries]
    if "modelDescription.xml" not in names:
        inside = next((name for name in names if PurePosixPath(name).name == "modelDescription.xml"), None)
        where = "" if inside is None else f", but {inside}: pack the content of that folder, not the folder"
        found.add(ROOT, f"there is no modelDescription.xml at the root{where}.")


def _check_format(entry: zipfile.ZipInfo, found: RuleFindings) -> None:
    name = entry.orig_filename
    if entry.flag_bits & (_ENCRYPTED | _STRONG):
        found.add(ENCRYPTION, "the file is encrypted. Pack it without a password.", name)
    if entry.compress_type not in _METHODS:
        message = f"the file is compressed by method {entry.compress_type}. Use method 0 (store) or 8 (deflate)."
        found.add(COMPRESSION, message, name)
    elif entry.flag_bits & _DESCRIPTOR and entry.compress_type == zipfile.ZIP_STORED and not entry.is_dir():
        found.add(BIT_3, "the file is stored with general purpose bit 3. Deflate it, or write its size before its data.", name)
    if entry.extract_version > _NEWEST:
        message = (
            f"extracting the file needs version {entry.extract_version / 10:.1f} of the format. Pack it without ZIP64 or newer features."
        )
        found.add(VERSION, message, name)
    if stat.S_ISLNK(entry.external_attr >> 16):
        found.add(LINK, "the entry is a symbolic link. Store the file that it points to.", name)


def _check_path(name: str, found: RuleFindings) -> None:
    if "\\" in name:
        found.add(BACKSLASH, f"the path {name!r} has backslashes. Use forward slashes.", name)
    elif name.startswith("/") or ":" in name or "\0" in name or ".." in PurePosixPath(name).parts:
        message = f"the path {name!r} is absolute, or could leave the folder that the FMU is unpacked to. Use a relative path."
        found.add(PATH, message, name)
    if not PurePosixPath(name).parent.as_posix().isascii():
        found.add(NOT_ASCII, f"the path {name!r} has a folder with characters beyond ASCII. Rename the folder.", name)


def _check_duplicates(entries: list[zipfile.ZipInfo], found: RuleFindings) -> None:
    seen: dict[str, zipfile.ZipInfo] = {}
    folded: dict[str, str] = {}
    for entry in entries:
        name = entry.filename
        if name in seen:
            same = (entry.CRC, entry.file_size) == (seen[name].CRC, seen[name].file_size)
            if not same:
                found.add(DUPLICATE, "the archive has two files with this path and different content. Remove one.", name)
            elif not entry.is_dir():
                found.add(SAME_TWICE, "the archive has this file twice. Remove one.", name)
        seen.setdefault(name, entry)
        other = folded.setdefault(name.lower(), name)
        if other != name:
            found.add(CASE, f"the paths '{other}' and '{name}' differ only in upper and lower case. Rename one.", name)
