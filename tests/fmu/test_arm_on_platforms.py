"""The arm of the examples as an FMU for all platforms: its libraries, and 10 s of its motion on those that run here, by QEMU and Wine.

The FMU is unpacked into a folder whose name has an umlaut, a space, % and #.
"""

import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from fmpy.validation import validate_fmu

import mobod as mb
from build_scripts.emulated_hosts import CannotRunError, host_for
from mobod.fmu.platforms import PLATFORMS, host_platform
from mobod.runtime.compiler import has_zig
from mobod.runtime.targets import LINUX_ARM, LINUX_X86, WINDOWS_X86
from tests.fmu.archive_content import content
from tests.fmu.test_platforms import ALL, check_structure, needs_zig
from tests.native.test_library import functions_of_the_standard

ROOT = Path(__file__).resolve().parents[2]
N_STEPS, STEP = 1000, 0.01  # s


@dataclass
class ForAll:
    """An FMU for all platforms, and the folder into which it was unpacked."""

    path: Path
    folder: Path
    version: str

    @property
    def libraries(self) -> dict[str, bytes]:
        """Folder of binaries/ -> library."""
        return {name.split("/")[1]: library for name, library in content(self.path).items() if name.startswith("binaries/")}


def export_arm(path, version, code, platforms="all"):
    """The robot of the examples, whose joints start with angles and speeds, and whose drives are off."""
    system = mb.load_urdf(ROOT / "examples" / "arm.urdf")
    state = system.realize_topology()
    for i, name in enumerate(("waist", "shoulder_lift", "elbow", "forearm_roll", "wrist_bend", "flange_roll")):
        system.set_value(state, f"{name}.q", [0.3 - 0.1 * i])
        system.set_value(state, f"{name}.u", [0.1 * i])
    outputs = [each.name for each in system.variables(state) if each.role == "state"]
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("CC", raising=False)
        return mb.export_fmu(system, path, code=code, platforms=platforms, outputs=outputs, state=state, fmi_version=version)


KINDS = [("2.0", "compiled"), ("2.0", "interpreted"), ("3.0", "compiled"), ("3.0", "interpreted")]


@pytest.fixture(scope="module", params=KINDS, ids=" ".join)
def for_all(request, tmp_path_factory):
    if not has_zig():
        pytest.skip("ziglang, which compiles for other platforms, is not installed: the extra `compiler`")
    version, code = request.param
    path = export_arm(tmp_path_factory.mktemp("all") / "arm.fmu", version, code)
    folder = tmp_path_factory.mktemp("unpacked") / "Größe 50% a#b"
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
    return ForAll(path, folder, version)


@pytest.mark.slow
def test_an_fmu_for_all_platforms_has_a_library_for_each_that_exports_only_the_functions_of_its_version(for_all):
    assert validate_fmu(str(for_all.path)) == []
    names = ALL if for_all.version == "2.0" else [platform.fmi3 for platform in PLATFORMS if platform.name in ALL]
    assert sorted(for_all.libraries) == sorted(names)
    for platform, library in for_all.libraries.items():
        check_structure(platform, library, functions_of_the_standard(for_all.version))
    assert {path.name for path in (for_all.folder / "binaries").rglob("*.*")} == {"arm.so", "arm.dll", "arm.dylib"}


@pytest.mark.slow
def test_an_fmu_for_all_platforms_is_smaller_than_2_5_mb(for_all):
    assert for_all.path.stat().st_size < 2.5e6


@pytest.mark.slow
@needs_zig
def test_an_fmu_for_all_platforms_has_the_same_bytes_from_any_folder_and_cache(for_all, tmp_path, monkeypatch):
    monkeypatch.setenv("MOBOD_CACHE", str(tmp_path / "another" / "cache"))
    code = "interpreted" if "resources/model.mobod" in content(for_all.path) else "compiled"
    again = export_arm(tmp_path / "arm.fmu", for_all.version, code)
    assert again.read_bytes() == for_all.path.read_bytes()


def trajectory(for_all, target, folder, scratch):
    """10 s of the arm by its library for a target, in 1000 communication steps."""
    try:
        host = host_for(target, scratch)
    except CannotRunError as error:
        pytest.skip(str(error))
    rows = host.trajectory(for_all.folder, f"binaries/{folder}/arm{target.suffix}", n_steps=N_STEPS, step=STEP)
    assert [len(row) for row in rows] == [12] * N_STEPS
    return rows


@pytest.fixture(scope="module")
def expected(for_all, tmp_path_factory):
    if host_platform().name != "linux64":
        pytest.skip("compares with the library for linux64, which runs on Linux alone")
    rows = trajectory(for_all, LINUX_X86, "linux64" if for_all.version == "2.0" else "x86_64-linux", tmp_path_factory.mktemp("linux"))
    assert max(abs(last - first) for first, last in zip(rows[0], rows[-1], strict=True)) > 0.1
    return rows


@pytest.mark.slow
def test_the_library_for_arm_gives_the_same_bits_as_that_of_this_machine(for_all, expected, tmp_path):
    assert trajectory(for_all, LINUX_ARM, "aarch64-linux", tmp_path) == expected


@pytest.mark.slow
def test_the_library_for_windows_gives_the_same_bits_as_that_of_this_machine(for_all, expected, tmp_path):
    assert trajectory(for_all, WINDOWS_X86, "win64" if for_all.version == "2.0" else "x86_64-windows", tmp_path) == expected
