"""Entries of archives: none leaves the folder on any version of Python, is a link or device, or cannot be counted."""

import stat
import struct
import zipfile
import zlib
from pathlib import Path

import pytest

from mobod.acceptance.rules import zip_entries
from mobod.cosim import FmuLimits
from mobod.errors import FmuFileError
from mobod.fmi.checked_zip import CheckedZip
from mobod.fmi.rules.rule import RuleFindings

README = "resources/readme.txt"


def unicode_path(header: str, path: str | bytes, *, version: int = 1, checksum: int | None = None) -> bytes:
    """The extra field of Info-ZIP that gives an entry another path."""
    name = path if isinstance(path, bytes) else path.encode()
    data = struct.pack("<BL", version, zlib.crc32(header.encode()) if checksum is None else checksum) + name
    return struct.pack("<HH", 0x7075, len(data)) + data


def archive(path: Path, *entries: tuple[zipfile.ZipInfo | str, str]) -> CheckedZip:
    with zipfile.ZipFile(path, "w") as made:
        for entry, content in entries:
            made.writestr(entry, content)
    return CheckedZip(path, FmuLimits(), "an FMU", FmuFileError)


def with_extra(name: str, *fields: bytes) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.extra = b"".join(fields)
    return entry


@pytest.mark.parametrize("target", ["../out.txt", "/tmp/out.txt", "a/../../out.txt", "c:/out.txt", "..\\out.txt", "a/\x1b[2J", "nul"])
@pytest.mark.parametrize("options", [{}, {"checksum": 5}, {"version": 2}])
def test_a_second_path_of_an_entry_is_checked_whichever_reader_would_use_it(tmp_path, target, options):
    fields = (unicode_path(README, "harmless", **options), unicode_path(README, target, **options), unicode_path(README, "harmless"))
    with pytest.raises(FmuFileError, match=r"the archive has the path .*, which (could leave the folder|has a control|is a device)"):
        archive(tmp_path / "a.fmu", (with_extra(README, *fields), "x"))


def test_the_unicode_path_counts_on_each_version_of_python(tmp_path):
    right = with_extra(README, unicode_path(README, "resources/lies mich, groß.txt"))
    other = with_extra("resources/b.txt", unicode_path("resources/b.txt", "resources/c.txt", checksum=1))
    checked = archive(tmp_path / "a.fmu", (right, "right"), (other, "other"))
    assert checked.names == {"resources/lies mich, groß.txt", "resources/b.txt"}
    checked.unpack(tmp_path / "there")
    assert {file.name: file.read_text() for file in (tmp_path / "there/resources").iterdir()} == {
        "lies mich, groß.txt": "right",
        "b.txt": "other",
    }


def test_a_damaged_unicode_path_is_damage(tmp_path):
    for field in (unicode_path(README, b"\xff\xfe"), struct.pack("<HH", 0x7075, 2) + b"ab"):
        with pytest.raises(FmuFileError, match="not an FMU, or a damaged one"):
            archive(tmp_path / "a.fmu", (with_extra(README, field), "x"))


def test_a_file_is_not_written_where_a_link_of_the_folder_leads(tmp_path):
    checked = archive(tmp_path / "a.fmu", (README, "x"))
    (tmp_path / "there").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "there/resources").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FmuFileError, match=r"the path 'resources/readme\.txt', which leaves the folder"):
        checked.unpack(tmp_path / "there")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_an_existing_file_is_never_replaced(tmp_path):
    checked = archive(tmp_path / "a.fmu", ("readme.txt", "of the archive"))
    (tmp_path / "there").mkdir()
    (tmp_path / "there/readme.txt").write_text("there before")
    with pytest.raises(FmuFileError, match="cannot be unpacked into"):
        checked.unpack(tmp_path / "there")
    assert (tmp_path / "there/readme.txt").read_text() == "there before"


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK])
def test_links_and_devices_are_refused(tmp_path, kind):
    entry = zipfile.ZipInfo(README)
    entry.external_attr = (kind | 0o666) << 16
    with pytest.raises(FmuFileError, match=r"the archive has (the symbolic link|'resources/readme\.txt', which is a device)"):
        archive(tmp_path / "a.fmu", (entry, "/etc/passwd"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("resources/NUL", "is a device in Windows: NUL"),
        ("resources/com1.txt", r"is a device in Windows: com1\.txt"),
        ("Aux /a.txt", "is a device in Windows: Aux "),
        ("resources/lpt³", "is a device in Windows"),
        ("resources /a.txt", "ends with a dot or a blank"),
        ("resources/a.", "ends with a dot or a blank"),
        ("resources/a\nb", "has a control character"),
        ("a:stream", "could leave the folder"),
    ],
)
def test_names_that_windows_gives_another_meaning_are_refused_everywhere(tmp_path, name, message):
    with pytest.raises(FmuFileError, match=f"which {message}"):
        archive(tmp_path / "a.fmu", (name, "x"))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_method_that_python_decompresses_without_limit_is_refused(tmp_path, method):
    entry = zipfile.ZipInfo(README)
    entry.compress_type = method
    with pytest.raises(FmuFileError, match=rf"'resources/readme\.txt' compressed by method {method}, not stored"):
        archive(tmp_path / "a.fmu", (entry, "x"))


def test_names_that_only_resemble_devices_are_read(tmp_path):
    names = {"resources/console.txt", "resources/com0", "resources/a.con", "resources/.hidden", "resources/nullable.c"}
    assert archive(tmp_path / "a.fmu", *((name, "x") for name in names)).names == names


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_the_file_that_is_checked_is_the_one_that_is_unpacked(tmp_path):
    checked = archive(tmp_path / "a.fmu", ("a/b.txt", "first"), ("./a//b.txt", "second"), ("a/b.txt", "third"), ("./", ""))
    assert (checked.names, checked.read("a/b.txt")) == ({"a/b.txt"}, b"third")
    checked.unpack(tmp_path / "there")
    assert (tmp_path / "there/a/b.txt").read_text() == "third"


def test_the_acceptance_report_names_a_second_path(tmp_path):
    path = tmp_path / "a.fmu"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr(with_extra(README, unicode_path(README, "../out.txt")), "x")
    with zipfile.ZipFile(path) as opened:
        zip_entries.check(path, opened.infolist(), found := RuleFindings("2"))
    assert any(each.rule == zip_entries.PATH.name and "'../out.txt'" in each.message for each in found.all()), found.all()
