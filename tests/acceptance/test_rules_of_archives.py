"""Each rule for the files of an FMU finds its fault, and right FMUs break none."""

import struct
import zipfile
from pathlib import Path

import pytest
import pythonfmu

from mobod.acceptance import archive_rules, description_rules
from mobod.acceptance.binary_formats import read_binary
from mobod.acceptance.rules.libraries import functions
from mobod.acceptance.subject import Monitor, Subject
from mobod.fmi.fmu_limits import FmuLimits
from tests.acceptance.right_fmus import elf_library, right_files, write_fmu

BOTH = {"ModelExchange", "CoSimulation"}
DESCRIPTION, LIBRARY = "modelDescription.xml", "binaries/linux64/Right.so"
LIBRARY_3 = "binaries/x86_64-linux/Right.so"
TERMINALS, BUILD = "terminalsAndIcons/terminalsAndIcons.xml", "sources/buildDescription.xml"
MANIFEST = "extra/com.example.standard/fmi-ls-manifest.xml"


@pytest.fixture(autouse=True)
def without_fmutool(monkeypatch):
    monkeypatch.setattr("mobod.acceptance.rules.second_opinion._PACKAGE", "no_such_package")


def files_of(version):
    return right_files(version, functions(version, BOTH))


def findings(check, path, **limits):
    monitor = Monitor(path.with_suffix(".note"))
    try:
        return list(check(Subject(path, FmuLimits(**limits), path.parent, None), monitor).findings)
    finally:
        monitor.close()


@pytest.mark.parametrize("version", ["2", "3"])
def test_a_right_fmu_breaks_no_rule(version, tmp_path):
    path = write_fmu(tmp_path / "right.fmu", files_of(version))
    assert findings(archive_rules.check, path) == []
    assert findings(description_rules.check, path) == []


def replaced(name, old, new):
    def edit(files):
        assert old.encode() in files[name]
        files[name] = files[name].replace(old.encode(), new.encode())

    return edit


def renamed(name, to):
    def edit(files):
        files[to] = files.pop(name)

    return edit


def added(name, content=b"x"):
    return lambda files: files.update({name: content})


def removed(*names):
    return lambda files: [files.pop(name) for name in names]


def without_implementation(files):
    for name in [name for name in files if name.startswith(("sources/", "binaries/"))]:
        del files[name]


# version, what is done to the files, the rule that this breaks, its section
FAULTS = [
    ("2", added("sources/fmi2Functions.h"), "sources-headers", "2.3"),
    ("3", added("sources/fmi3PlatformTypes.h"), "sources-headers", "2.5.1.3"),
    ("2", replaced(DESCRIPTION, '<File name="all.c"/>', '<File name="al.c"/>'), "sources-exist", "2.3"),
    ("3", replaced(BUILD, '<SourceFile name="all.c"/>', '<SourceFile name="al.c"/>'), "sources-exist", "2.4.10"),
    ("3", replaced(BUILD, 'name="parts"', 'name="part"'), "sources-exist", "2.4.10"),
    ("3", added("sources/lost.c"), "sources-unlisted", "2.4.10"),
    ("3", removed(BUILD), "sources-list", "2.5.1.3"),
    ("2", replaced(DESCRIPTION, '<File name="all.c"/>', '<File name="all.c"/><File name="all.c"/>'), "sources-unique", "2.3"),
    ("3", replaced(BUILD, "<SourceFileSet ", "<SourceFiles "), "xml", "2.4"),
    ("3", replaced(BUILD, 'language="C99"', 'lang="C99"'), "build-description", "2.4.10"),
    ("3", replaced(BUILD, 'fmiVersion="3.0"', 'fmiVersion="3.1"'), "build-version", "2.4.10"),
    ("3", replaced(BUILD, 'modelIdentifier="Right"', 'modelIdentifier="Left"'), "build-identifier", "2.4.10"),
    ("3", replaced(BUILD, ' platform="x86_64-linux"', ""), "build-platform", "2.4.10"),
    ("3", replaced(BUILD, 'platform="x86_64-linux"', 'platform="linux64"'), "build-tuple", "2.5.1.4.1"),
    ("3", replaced(BUILD, 'name="SPEED" value="1"', 'name="SPEED" value="3"'), "build-option", "2.4.10"),
    ("2", without_implementation, "implementation", "2.3"),
    ("3", renamed(LIBRARY_3, "binaries/linux64/Right.so"), "binary-folder", "2.5.1.4.1"),
    ("2", renamed(LIBRARY, "binaries/linux64/libRight.so"), "binary-name", "2.3"),
    ("2", renamed(LIBRARY, "binaries/win64/Right.so"), "binary-name", "2.3"),
    ("2", renamed(LIBRARY, "binaries/win64/Right.dll"), "binary-format", "2.3"),
    ("3", renamed(LIBRARY_3, "binaries/aarch64-linux/Right.so"), "binary-format", "2.5.1.4"),
    ("2", added(LIBRARY, b"\x7fELF\x02\x01"), "binary-format", "2.3"),
    ("2", added(LIBRARY, elf_library(functions("2", {"CoSimulation"}))), "binary-exports", "2.3"),
    ("3", added(LIBRARY_3, elf_library(functions("3", BOTH)[1:])), "binary-exports", "2.5"),
    ("3", added("binaries/x86_64-windows-mingw/Right.lib"), "static-linking", "2.5.1.4.1"),
    ("2", renamed("documentation/index.html", "documentation/readme.html"), "documentation-index", "2.3"),
    ("3", added("documentation/diagram.svg"), "documentation-diagram", "2.5.1"),
    ("3", renamed("documentation/licenses/license.txt", "documentation/licenses/mit.txt"), "documentation-license", "2.5.1.1.1"),
    ("2", renamed("documentation/licenses/license.txt", "documentation/licenses/mit.txt"), "documentation-license-entry", "2.3"),
    ("3", replaced(DESCRIPTION, "<ModelExchange ", '<ModelExchange needsExecutionTool="true" '),
     "external-dependencies", "2.5.1.1"),
    ("2", replaced(DESCRIPTION, "<ModelExchange ", '<ModelExchange needsExecutionTool="true" '),
     "external-dependencies-advised", "2.3"),
    ("3", added("extra/mine/x.txt"), "extra-domain", "2.5.1.6"),
    ("2", added("extra/x.txt"), "extra-loose", "2.3.1"),
    ("3", replaced(MANIFEST, 'fmi-ls:fmi-ls-version="1.0"', 'fmi-ls:fmi-ls-version=""'), "layered-standard", "2.6"),
    ("3", replaced(MANIFEST, "fmi-ls:fmi-ls-version", "fmi-ls:version"), "layered-standard-schema", "2.6"),
    ("3", replaced(TERMINALS, 'matchingRule="plug"', ""), "terminals-schema", "2.4.9"),
    ("3", replaced(TERMINALS, 'fmiVersion="3.0"', 'fmiVersion="3.1"'), "terminals-version", "2.4.9"),
    ("2", replaced(TERMINALS, "</Terminals>", '<Terminal name="flange" matchingRule="bus"/></Terminals>'), "terminal-unique", "2.3.2"),
    ("2", replaced(TERMINALS, 'variableName="y"', 'variableName="z"'), "terminal-variable", "2.3.2"),
    ("3", replaced(TERMINALS, 'memberName="position"', 'memberName="force"'), "terminal-member", "2.4.9.2"),
    ("3", replaced(TERMINALS, 'memberName="position"', ""), "terminal-member", "2.4.9.2"),
    ("3", replaced(TERMINALS, 'matchingRule="plug"', 'matchingRule="socket"'), "terminal-matching-rule", "2.4.9.2"),
    ("3", replaced(TERMINALS, 'variableName="y"', 'variableName="x"'), "terminal-kind", "2.4.9.2"),
    ("3", removed("terminalsAndIcons/flange.png"), "terminal-icon", "2.4.9.2"),
    ("3", replaced(TERMINALS, 'iconBaseName="flange"', 'iconBaseName="../flange"'), "terminal-icon", "2.4.9.2"),
    ("3", removed("terminalsAndIcons/icon.png"), "icon-missing", "2.4.9.1"),
    ("2", lambda files: (added("terminalsAndIcons/icon.svg")(files), removed("terminalsAndIcons/icon.png")(files)), "icon", "2.3.2"),
    ("3", replaced(TERMINALS, 'x2="100"', 'x2="-100"'), "coordinate-system", "2.4.9.1"),
    ("2", replaced(TERMINALS, "<fmiTerminalsAndIcons ", '<!DOCTYPE x [<!ENTITY a "b">]><fmiTerminalsAndIcons '), "xml", "2.2"),
    ("2", renamed(DESCRIPTION, "Right/modelDescription.xml"), "zip-root", "2.3"),
    ("2", added("sources\\other.txt"), "zip-backslash", "2.3"),
    ("2", added("../outside"), "zip-path", "2.3"),
    ("2", added("/etc/x"), "zip-path", "2.3"),
    ("2", added("Documentation/index.html"), "zip-case", "2.3"),
    ("2", lambda files: files.update({"documentation/Index.html": b""}), "zip-case", "2.3"),
    ("3", added("resources/größe/x"), "zip-not-ascii", "2.5"),
]  # fmt: skip


@pytest.mark.parametrize(("version", "edit", "rule", "section"), FAULTS, ids=[f"{fault[2]}-{i}" for i, fault in enumerate(FAULTS)])
def test_each_rule_finds_its_fault_with_its_section(version, edit, rule, section, tmp_path):
    files = files_of(version)
    edit(files)

    found = findings(archive_rules.check, write_fmu(tmp_path / "edited.fmu", files))

    matching = [each for each in found if each.rule == rule]
    assert matching, found
    assert matching[0].clause.startswith(f"FMI {'2.0.5' if version == '2' else '3.0.2'}, {section} ")
    assert matching[0].message.endswith(".")


# the entry, what is done to it, the rule that this breaks
ENTRIES = [
    (lambda entry: setattr(entry, "compress_type", zipfile.ZIP_BZIP2), "zip-compression"),
    (lambda entry: setattr(entry, "compress_type", zipfile.ZIP_LZMA), "zip-version"),
    (lambda entry: setattr(entry, "external_attr", 0o120777 << 16), "zip-link"),
]


@pytest.mark.parametrize(("change", "rule"), ENTRIES)
def test_faults_of_entries_are_found(change, rule, tmp_path):
    path = write_fmu(tmp_path / "edited.fmu", files_of("2"))
    entry = zipfile.ZipInfo("resources/x")
    change(entry)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(entry, b"content")
    assert rule in {each.rule for each in findings(archive_rules.check, path)}


def patched(path, name, field, value):
    """Write a 16-bit field of an entry in the central directory."""
    content = bytearray(path.read_bytes())
    at = content.index(b"PK\x01\x02")
    while content[at + 46 : at + 46 + len(name)] != name.encode():
        at = content.index(b"PK\x01\x02", at + 4)
    struct.pack_into("<H", content, at + field, value)
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("field", "value", "rule"),
    [(6, 45, "zip-version"), (8, 1, "zip-encryption"), (8, 8, "zip-data-descriptor"), (10, 99, "zip-compression")],
)
def test_faults_of_the_central_directory_are_found(field, value, rule, tmp_path):
    path = write_fmu(tmp_path / "edited.fmu", files_of("2"))
    with zipfile.ZipFile(path, "a", zipfile.ZIP_STORED) as archive:
        archive.writestr("resources/x", b"content")
    patched(path, "resources/x", field, value)
    assert rule in {each.rule for each in findings(archive_rules.check, path)}


def test_a_file_with_a_wrong_checksum_is_found(tmp_path):
    path = write_fmu(tmp_path / "edited.fmu", files_of("2"))
    with zipfile.ZipFile(path, "a", zipfile.ZIP_STORED) as archive:
        archive.writestr("resources/x", b"the content")
    path.write_bytes(path.read_bytes().replace(b"the content", b"the contest"))
    (found,) = findings(archive_rules.check, path)
    assert (found.rule, found.place) == ("zip-checksum", "resources/x")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(("content", "rule"), [(b"<html></html>", "zip-same-twice"), (b"other", "zip-duplicate")])
def test_paths_that_exist_twice_are_found(content, rule, tmp_path):
    path = write_fmu(tmp_path / "edited.fmu", files_of("2"))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("documentation/index.html", content)
    assert [each.rule for each in findings(archive_rules.check, path)] == [rule]


def test_the_file_name_ends_in_fmu(tmp_path):
    path = write_fmu(tmp_path / "right.zip", files_of("2"))
    assert [each.rule for each in findings(archive_rules.check, path)] == ["zip-extension"]


@pytest.mark.parametrize("check", [archive_rules.check, description_rules.check])
@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 but nothing else", b"<?xml"])
def test_a_file_that_is_no_archive_is_a_finding(check, content, tmp_path):
    path = tmp_path / "broken.fmu"
    path.write_bytes(content)
    assert [each.rule for each in findings(check, path)] == ["unreadable"]


def test_an_archive_beyond_the_limits_is_not_read(tmp_path):
    path = write_fmu(tmp_path / "right.fmu", files_of("2"))
    (found,) = findings(description_rules.check, path, variables=3)
    assert found.rule == "unreadable"
    assert "--limit variables=" in found.message


def test_an_fmu_of_another_version_is_a_finding(tmp_path):
    files = files_of("2")
    replaced(DESCRIPTION, 'fmiVersion="2.0"', 'fmiVersion="1.0"')(files)
    path = write_fmu(tmp_path / "old.fmu", files)
    assert [each.rule for each in findings(description_rules.check, path)] == ["fmi-version"]


def test_a_description_in_another_encoding_is_a_finding(tmp_path):
    files = files_of("2")
    replaced(DESCRIPTION, 'encoding="UTF-8"', 'encoding="ISO-8859-1"')(files)
    path = write_fmu(tmp_path / "latin.fmu", files)
    assert [each.rule for each in findings(description_rules.check, path)] == ["xml-encoding"]


def test_what_only_fmpy_refuses_is_a_warning(tmp_path):
    files = files_of("3")
    replaced(DESCRIPTION, ' <InitialUnknown valueReference="11"/>\n', "")(files)  # an output clock
    (found,) = findings(description_rules.check, write_fmu(tmp_path / "clock.fmu", files))
    assert (found.rule, found.severity) == ("fmpy", "warning")


def test_libraries_of_other_systems_are_read(tmp_path):
    binaries = Path(pythonfmu.__file__).parent / "resources" / "binaries"
    (linux,) = read_binary(next(binaries.glob("linux64/*.so")).read_bytes())
    (windows,) = read_binary(next(binaries.glob("win64/*.dll")).read_bytes())
    assert (linux.system, linux.architecture, linux.is_library) == ("linux", "x86_64", True)
    assert (windows.system, windows.architecture, windows.is_library) == ("windows", "x86_64", True)
    assert linux.exports >= set(functions("2", {"CoSimulation"}))
    assert windows.exports >= set(functions("2", {"CoSimulation"}))


def test_a_library_for_the_platform_of_a_vendor_is_an_implementation(tmp_path):
    files = {name: content for name, content in files_of("3").items() if not name.startswith("sources/")}
    renamed(LIBRARY_3, "binaries/mips-plan9/Right.a")(files)
    assert [each.rule for each in findings(archive_rules.check, write_fmu(tmp_path / "vendor.fmu", files))] == ["binary-folder"]


def mach_o(cpu, names):
    """A library of macOS with nothing but these exported functions."""
    text = b"\0" + b"".join(b"_" + name.encode() + b"\0" for name in names)
    symbols, at = b"", 1
    for name in names:
        symbols += struct.pack("<IBBHQ", at, 0x0F, 1, 0, 0x1000)
        at += len(name) + 2
    commands = struct.pack("<IIIIII", 2, 24, 56, len(names), 56 + len(symbols), len(text))
    return struct.pack("<IIIIIIII", 0xFEEDFACF, cpu, 0, 6, 1, 24, 0, 0) + commands + symbols + text


def test_a_universal_library_of_macos_has_several_parts():
    parts = [mach_o(0x01000007, ["fmi2DoStep"]), mach_o(0x0100000C, ["fmi2DoStep", "fmi2Reset"])]
    header, content = struct.pack(">II", 0xCAFEBABE, 2), b""
    for part in parts:
        header += struct.pack(">IIIII", 0, 0, 48 + len(content), len(part), 0)
        content += part
    intel, arm = read_binary(header + content)
    assert (intel.system, intel.architecture, intel.exports) == ("darwin", "x86_64", {"fmi2DoStep"})
    assert (arm.system, arm.architecture, arm.exports) == ("darwin", "aarch64", {"fmi2DoStep", "fmi2Reset"})


@pytest.mark.parametrize("whole", [elf_library(["fmi2DoStep"]), mach_o(7, ["fmi2DoStep"])])
def test_truncated_libraries_are_refused_or_read_in_part(whole):
    for length in range(0, len(whole), 7):
        found = read_binary(whole[:length])
        assert found is None or all(each.exports is None or each.exports <= {"fmi2DoStep"} for each in found)
