"""Files that are not FMUs, damaged or malicious files, and FMUs of unsupported kinds."""

import io
import random
import re
import stat
import zipfile

import fmpy
import pytest

from mobod.cosim import FmuFile, FmuLimits, Instance, Network
from mobod.errors import FmuError, FmuFileError, UnsupportedError
from mobod.fmi import fmu_limits
from mobod.fmi.fmu_archive import FmuArchive

DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Tiny" guid="{7d5a}">
  <CoSimulation modelIdentifier="Tiny"/>
  <ModelVariables><ScalarVariable name="y" valueReference="3" causality="output"><Real/></ScalarVariable></ModelVariables>
  <ModelStructure><Outputs><Unknown index="1"/></Outputs></ModelStructure>
</fmiModelDescription>
"""


@pytest.fixture
def archive(tmp_path):
    """Writes a ZIP archive of the given files and returns its path."""

    def write(files: dict[str, str | bytes]):
        path = tmp_path / "tiny.fmu"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
            for name, content in files.items():
                target.writestr(name, content)
        return path

    return write


def test_missing_file_is_named(tmp_path):
    with pytest.raises(FmuFileError, match=r"nowhere\.fmu: the file does not exist"):
        FmuFile(tmp_path / "nowhere.fmu")


def test_only_what_an_fmu_may_read_is_unpacked(archive, tmp_path):
    read = {"modelDescription.xml", "binaries/x86_64-linux/Tiny.so", "resources/tables/a.bin", "resources/sources/b.c"}
    for_people = {"sources/model.c", "sources/deep/model.h", "documentation/index.html"}
    path = archive(dict.fromkeys(sorted(read | for_people), DESCRIPTION))
    folder = tmp_path / "there"

    FmuArchive(path).unpack(folder)

    assert {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()} == read


@pytest.mark.parametrize("content", [b"", b"no archive at all", b"PK\x03\x04 and then nothing"])
def test_a_file_that_is_not_an_archive_is_refused(tmp_path, content):
    path = tmp_path / "letter.fmu"
    path.write_bytes(content)
    with pytest.raises(FmuFileError, match=r"letter\.fmu: not an FMU"):
        FmuFile(path)


def test_folder_is_refused(tmp_path):
    with pytest.raises(FmuFileError, match="not an FMU"):
        FmuFile(tmp_path)


def test_truncated_fmu_is_refused(fmus, tmp_path):
    path = tmp_path / "cut.fmu"
    path.write_bytes(fmus["gain"].read_bytes()[:-5000])
    with pytest.raises(FmuFileError, match=r"cut\.fmu"):
        FmuFile(path)


def test_damaged_content_is_found_when_unpacked(fmus, tmp_path):
    content = bytearray(fmus["gain"].read_bytes())
    content[content.index(b"class Gain") + 7] ^= 0x20  # pythonfmu stores files uncompressed
    path = tmp_path / "damaged.fmu"
    path.write_bytes(content)
    with pytest.raises(FmuFileError, match=r"damaged\.fmu: cannot be unpacked"):
        FmuFile(path).archive.unpack(tmp_path / "there")


@pytest.mark.slow
def test_any_damaged_byte_raises_an_error_of_mobod_or_is_harmless(archive):
    path = archive({"modelDescription.xml": DESCRIPTION, "größe.txt": "é" * 40})
    content = path.read_bytes()
    rng = random.Random(4)
    for _ in range(1000):
        damaged = bytearray(content)
        damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        path.write_bytes(damaged)
        with pytest.raises((FmuFileError, UnsupportedError)):  # UnsupportedError if the change is harmless
            FmuFile(path)


def test_archive_without_description_is_refused(archive):
    with pytest.raises(FmuFileError, match="contains no modelDescription"):
        FmuFile(archive({"readme.txt": "hello"}))


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        ("<fmiModelDescription fmiVersion=", "not well-formed"),
        ("", "not well-formed"),
        ("<html/>", "is not a model description"),
        (DESCRIPTION.replace('guid="{7d5a}"', ""), "breaks the rules"),
        (DESCRIPTION.replace('name="y"', ""), "variable 1 has no name"),
        (DESCRIPTION.replace('modelIdentifier="Tiny"', 'modelIdentifier="../../Tiny"'), "is not an identifier of C"),
    ],
    ids=["cut off", "empty", "another document", "required attribute missing", "variable without a name", "identifier that is a path"],
)
def test_malformed_description_is_refused(archive, xml, message):
    with pytest.raises(FmuFileError, match=message):
        FmuFile(archive({"modelDescription.xml": xml}))


def test_description_with_entities_is_refused_without_reading_them(archive, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("very secret")
    doctype = f'<!DOCTYPE fmiModelDescription [<!ENTITY stolen SYSTEM "{secret.as_uri()}">]>'
    xml = DESCRIPTION.replace("<fmiModelDescription", doctype + "<fmiModelDescription", 1).replace('"Tiny"', '"&stolen;"', 1)
    with pytest.raises(FmuFileError) as caught:
        FmuFile(archive({"modelDescription.xml": xml}))
    assert "very secret" not in str(caught.value)


def test_description_whose_entities_explode_is_refused(archive):
    entities = '<!ENTITY e0 "ha">' + "".join(f'<!ENTITY e{k + 1} "{f"&e{k};" * 10}">' for k in range(12))
    xml = DESCRIPTION.replace("<fmiModelDescription", f"<!DOCTYPE x [{entities}]><fmiModelDescription", 1).replace('"Tiny"', '"&e12;"', 1)
    with pytest.raises(FmuFileError):
        FmuFile(archive({"modelDescription.xml": xml}))


@pytest.mark.parametrize("name", ["../escaped.txt", "/escaped.txt", "resources/../../escaped.txt", "C:/escaped.txt", "..\\escaped.txt"])
def test_path_that_leaves_the_archive_is_refused(archive, name):
    with pytest.raises(FmuFileError, match="could leave the folder"):
        FmuFile(archive({"modelDescription.xml": DESCRIPTION, name: "x"}))


def test_symbolic_link_is_refused(archive):
    path = archive({"modelDescription.xml": DESCRIPTION})
    link = zipfile.ZipInfo("resources/link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "a") as target:
        target.writestr(link, "/etc")
    with pytest.raises(FmuFileError, match="symbolic link"):
        FmuFile(path)


@pytest.mark.parametrize(
    ("files", "limit", "allowed", "found", "message"),
    [
        ({"resources/bomb": b"\0" * 10**6}, "unpacked", 10**6, None, "bytes, unpacked, and the limit is 1000000"),
        ({f"resources/{k}": "x" for k in range(99)}, "files", 99, 100, "it has 100 files, and the limit is 99"),
        ({"resources/bomb": b"\0" * 10**6}, "ratio", 50, None, "unpacked bytes for each byte of the archive, and the limit is 50"),
        ({}, "description", 100, len(DESCRIPTION), "bytes of modelDescription.xml, and the limit is 100"),
        ({}, "variables", 0, 1, "it has 1 variables, and the limit is 0"),
    ],
)
def test_an_archive_beyond_a_limit_is_refused_until_the_limit_is_raised(archive, monkeypatch, files, limit, allowed, found, message):
    monkeypatch.setattr(fmu_limits, "FREE", 10**4)
    path = archive({"modelDescription.xml": DESCRIPTION, **files})
    with pytest.raises(FmuFileError, match=message) as error:
        FmuFile(path, FmuLimits(**{limit: allowed}))
    wanted = re.search(rf"raise the limit: mobod\.FmuLimits\({limit}=(\d+)\), or --limit {limit}=\1\.", str(error.value))
    assert wanted is not None
    assert found in (None, int(wanted[1]))
    with pytest.raises(UnsupportedError, match="no library for this platform"):  # the limits are passed
        FmuFile(path, FmuLimits(**{"ratio": 10**6, limit: int(wanted[1])}))


@pytest.mark.parametrize(
    ("binaries", "message"),
    [
        ({}, r"The archive has no folder binaries with libraries"),
        ({"binaries/{here}/": ""}, r"The folder binaries/\S+ is empty\."),
        ({"binaries/{here}/Small.so": "", "binaries/win64/Tiny.dll": ""}, r"The folder binaries/\S+ has no Tiny\.\w+, only: Small\.so\."),
        ({"binaries/riscv64-plan9/Tiny.so": "", "binaries/z80-cpm/": ""}, r"It is only for: riscv64-plan9; empty: binaries/z80-cpm\."),
    ],
    ids=["no folder", "empty folder", "another library", "other platforms"],
)
def test_an_fmu_without_a_library_for_this_platform_says_what_it_has(archive, binaries, message):
    files = {name.format(here=fmpy.platform_tuple): content for name, content in binaries.items()}
    with pytest.raises(UnsupportedError, match=rf"no library for this platform \(.*\)\. {message}"):
        FmuFile(archive({"modelDescription.xml": DESCRIPTION, **files}))


def test_an_error_that_fmpy_did_not_foresee_is_a_sentence(archive):
    """FMPy raises bare exceptions of its own, here of a declared type that does not exist."""
    strange = DESCRIPTION.replace("<CoSimulation", '<CoSimulation needsExecutionTool="maybe"').replace(
        "<Real/>", '<Real declaredType="T"/>'
    )
    for xml in (strange, DESCRIPTION.replace('valueReference="3"', 'valueReference="3.5"')):
        with pytest.raises((FmuFileError, UnsupportedError)) as caught:
            FmuFile(archive({"modelDescription.xml": xml}), strict=True)
        assert "Exception(" not in str(caught.value)
    with pytest.raises(FmuFileError, match=r"cannot be read: Variable \"y\" .* has not been defined\."):
        FmuArchive(archive({"modelDescription.xml": strange})).description(validate=False)


def test_the_limits_hold_where_fmus_are_connected(fmus):
    with pytest.raises(FmuFileError, match=r"gain\.fmu: it has \d+ files, and the limit is 1"):
        Network().add(fmus["gain"], limits=FmuLimits(files=1))


def test_an_archive_that_declares_a_smaller_size_is_refused_while_unpacking(fmus, tmp_path, monkeypatch):
    file = FmuFile(fmus["failing"], FmuLimits(unpacked=10**6))
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: io.BytesIO(bytes(10**6)))
    with pytest.raises(
        FmuFileError, match=r"failing\.fmu: the archive unpacks to more than 0\.001 GB, although it declares a smaller size"
    ):
        file.archive.unpack(tmp_path / "there")
    written = sum(path.stat().st_size for path in (tmp_path / "there").rglob("*") if path.is_file())
    assert written <= 10**6


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('fmiVersion="2.0"', 'fmiVersion="4.0"', "FMI version 4.0"),
        ("CoSimulation", "ModelExchange", "only for model exchange"),
        ("Tiny", "Tiny", "no library for this platform"),
    ],
)
def test_an_fmu_of_another_kind_is_unsupported_and_the_message_names_the_kind(archive, old, new, message):
    with pytest.raises(UnsupportedError, match=message):
        FmuFile(archive({"modelDescription.xml": DESCRIPTION.replace(old, new)}))


@pytest.fixture
def without(fmus, tmp_path):
    """A copy of the gain FMU in which files with this ending hold other content."""

    def write(ending: str, content: bytes):
        path = tmp_path / "broken.fmu"
        with zipfile.ZipFile(fmus["gain"]) as source, zipfile.ZipFile(path, "w") as target:
            for entry in source.infolist():
                target.writestr(entry, content if entry.filename.endswith(ending) else source.read(entry))
        return path

    return write


def test_a_library_that_cannot_be_loaded_is_an_error_and_the_working_folder_is_restored(without, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    file = FmuFile(without((".so", ".dll", ".dylib"), b"no library"))
    with pytest.raises(FmuFileError, match="library cannot be loaded"):
        Instance(file, "broken")
    assert tmp_path.samefile(".")
    assert not list(tmp_path.glob("mobod_*"))


def test_an_fmu_that_cannot_be_instantiated_is_an_error_with_its_log(without, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    file = FmuFile(without("mobod_test_slave_gain.py", b"# no class is left"))
    with pytest.raises(FmuError, match=r"(?s)FMU 'broken'.*fmi2Instantiate returned no instance.*has no attribute"):
        Instance(file, "broken")
    assert not list(tmp_path.glob("mobod_*"))


def test_a_python_fmu_is_not_loaded_from_a_folder_where_it_would_crash(fmus, tmp_path, monkeypatch):
    folder = tmp_path / "größe"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    with pytest.raises(UnsupportedError, match="TMPDIR"):
        Instance(FmuFile(fmus["gain"]), "gain")
