"""What mobod bundles and others have written is known, and has its notice where it is bundled."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

from mobod.fmu.documentation.licences import licence_text
from mobod.native_sources import folder_of_package, native_sources
from mobod.notices import FMI, MINGW, MUSL, NOTICES, OF_WEB, THREE, ZIG, notices_of_libraries
from mobod.runtime.targets import TARGETS, WEB
from mobod.viewer.page import page

MARK = re.compile(r"copyright (\(c\)|\u00a9|\d)|@license|SPDX-License", re.IGNORECASE)


def folders_in_wheels():
    of_package = Path(str(files("mobod")))
    return of_package, native_sources().parent, of_package.parents[1] / "examples"


def words(text):
    """Without line ends, and without marks of comments at the starts of lines."""
    return " ".join(re.sub(r"^[\s*]+", "", line) for line in text.splitlines()).split()


@pytest.mark.parametrize(
    ("notice", "package", "sources"),
    [
        (ZIG, "ziglang", ["LICENSE"]),
        (MUSL, "ziglang", ["lib/libc/musl/COPYRIGHT"]),
        (MINGW, "ziglang", ["lib/libc/mingw/COPYING"]),
    ],
    ids=lambda each: getattr(each, "work", None),
)
def test_a_notice_is_that_of_the_installed_package(notice, package, sources):
    ours = " ".join(words(notice.text))
    for source in sources:
        assert " ".join(words((folder_of_package(package) / source).read_text(encoding="utf-8"))) in ours


def test_the_notice_of_fmi_is_that_of_its_headers():
    header = (folder_of_package("fmpy") / "c-code" / "fmi3Functions.h").read_text(encoding="utf-8")
    begin = header.index("Copyright (C)")
    assert words(FMI.text) == words(header[begin : header.index("*/", begin)].replace("This file is", "The headers of FMI are"))


def test_a_page_has_the_notices_of_its_scripts_and_of_the_runtime_in_it(monkeypatch):
    """Its own scripts are mobod's: the only licence that a script declares is that of three.js."""
    recorded = page("a", {})
    monkeypatch.setattr("mobod.viewer.page.three_source", str)
    live = page("a", {"wasm": ""})

    assert THREE.text.strip() in recorded
    assert "Permission is hereby granted" in THREE.text
    assert re.findall(r"@license\s+\* Copyright [\d-]+ (\S+) Authors", recorded) == ["Three.js"]
    assert recorded.count("@license") == 1
    for notice in OF_WEB:
        assert notice.text.strip() in live
        assert notice.text.strip() not in recorded


def test_no_notice_can_end_the_element_that_it_is_in():
    assert not [each for each in NOTICES if re.search("</script|<!--", each.text)]


def test_the_licences_of_an_fmu_have_the_notices_of_its_libraries():
    for target in TARGETS:
        text = licence_text([f"binaries/{target.platform}/x{target.suffix}"]).decode()
        assert "Apache License" in text
        expected = {FMI, ZIG, MUSL, MINGW} if target.suffix == ".dll" else {FMI, ZIG}
        assert {each for each in NOTICES if each.text.strip() in text} == expected


def test_a_library_for_a_platform_without_known_notices_is_an_error():
    with pytest.raises(KeyError, match="wasm"):
        notices_of_libraries([f"binaries/{WEB.platform}/x{WEB.suffix}"])


def test_nothing_else_that_others_have_written_is_in_a_wheel():
    """A font, a picture, a library or a script of others would be a file of another kind, or bear a mark of its authors."""
    kinds, marked = set(), set()
    for folder in folders_in_wheels():
        for path in folder.rglob("*"):
            if path.is_dir() or "__pycache__" in path.parts or "_native" in path.parts:
                continue
            kinds.add(path.suffix or path.name)
            if MARK.search(path.read_text(encoding="utf-8")):
                marked.add(path.relative_to(folder).as_posix())
    assert kinds <= {".py", ".c", ".h", ".js", ".css", ".html", ".md", ".txt", ".urdf", ".msh", ".typed"}
    assert marked - {"viewer/three.py"} == {f"notices/{each.file}" for each in NOTICES}  # three.py looks for the mark in trimesh
