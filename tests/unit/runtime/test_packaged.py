"""The libraries in wheels: where they lie, and for which platforms they are."""

import pytest

from mobod.runtime.packaged import INTERPRETED, PACKAGED, RUNTIME, WHEEL_TAGS, packaged_library, place_in_package
from mobod.runtime.targets import LINUX_X86, TARGETS, WINDOWS_X86


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A folder that seems to be the installed package mobod."""
    monkeypatch.setattr("mobod.runtime.packaged.__file__", str(tmp_path / "mobod" / "runtime" / "packaged.py"))
    return tmp_path / "mobod"


def test_a_library_is_found_by_its_name_and_target(package):
    file = package / place_in_package(INTERPRETED["2.0"], WINDOWS_X86)
    file.parent.mkdir(parents=True)
    file.touch()

    assert packaged_library(INTERPRETED["2.0"], WINDOWS_X86) == file
    assert packaged_library(INTERPRETED["3.0"], WINDOWS_X86) is None
    assert packaged_library(INTERPRETED["2.0"], LINUX_X86) is None


def test_each_library_has_a_place_of_its_own():
    places = [place_in_package(library, target) for library in PACKAGED for target in TARGETS]
    assert len(set(places)) == len(places)
    assert place_in_package(RUNTIME, WINDOWS_X86) == "_native/x86_64-windows/mobod_library.dll"


def test_each_wheel_is_for_a_target():
    assert WHEEL_TAGS.keys() < {target.platform for target in TARGETS}


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_an_interpreted_library_has_the_functions_of_one_version_of_fmi(version):
    sources = INTERPRETED[version].sources()
    assert {name for name in sources if name in ("fmi2.c", "fmi3.c")} == {f"fmi{version[0]}.c"}
    assert "any_compiler.h" not in sources
