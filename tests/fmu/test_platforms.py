"""FMUs for other platforms than this machine's: which libraries they get, and from which compiler.

The quick tests compile one small C file, since what they check depends on flags and linkers alone. test_arm_on_platforms.py exports a
model for all platforms, which compiles the runtime for each and the C library of Windows once, and runs it by Wine and QEMU.
"""

import logging
import os
import re
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner

import mobod as mb
from build_scripts.library_structure import ARM64, X86_64, structures
from mobod.cli import main
from mobod.errors import InputError, NoCompilerError, UnknownNameError, UnsupportedError
from mobod.fmu.libraries import libraries
from mobod.fmu.platforms import PLATFORMS, fmi2_folders, host_platform, platform_folders
from mobod.native_sources import runtime_sources
from mobod.runtime.compiler import has_zig, zig_compiler
from mobod.runtime.elf import required_glibc
from mobod.runtime.targets import MACOS_ARM, MACOS_X86
from tests.fmu.archive_content import content
from tests.native.slave import WARNINGS, compile_model

needs_zig = pytest.mark.skipif(not has_zig(), reason="compiles for other platforms by ziglang: the extra `compiler`")
on_linux64 = pytest.mark.skipif(
    sys.platform != "linux" or host_platform().name != "linux64", reason="about the library of this machine, where that is linux64"
)
ALL = ["linux64", "win64", "darwin64", "aarch64-linux", "aarch64-darwin"]
# one function that is exported, and one that is not; a string and a number from the C library of each system
SMALL = {
    "small.c": """
#include "fmi2Functions.h"
#include <math.h>
#include <stdio.h>
double not_exported(double x) { return sin(x) * sqrt(x); }
fmi2Status fmi2Reset(fmi2Component c) {
    char text[32];
    snprintf(text, sizeof text, "%g", not_exported(*(double *)c));
    return text[0] == '0' ? fmi2OK : fmi2Error;
}
"""
}


@pytest.fixture(autouse=True)
def no_chosen_compiler(monkeypatch):
    monkeypatch.delenv("CC", raising=False)


def pendulum():
    system = mb.MultibodySystem("pendulum")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    inertia = mb.Inertia.cylinder(mass=1.3, radius=0.04, length=0.8, axis="y").shifted([0.1, -0.4, 0])
    mb.Pin(matter.ground, mb.RigidBody(mb.MassProperties(mass=1.3, com=[0.1, -0.4, 0], inertia=inertia)), name="arm")
    return system


# --------------------------------------------------------------------------------------------------------------------- names


def test_each_platform_has_its_folder_under_both_names():
    for platform in PLATFORMS:
        assert platform_folders([platform.name]) == platform_folders([platform.fmi3]) == {platform.name: platform}
    assert {platform.name: platform.fmi3 for platform in PLATFORMS} == {
        "linux64": "x86_64-linux",
        "win64": "x86_64-windows",
        "darwin64": "x86_64-darwin",
        "aarch64-linux": "aarch64-linux",
        "aarch64-darwin": "aarch64-darwin",
        "aarch64-windows": "aarch64-windows",
    }


def test_macos_is_one_universal_library_in_fmi_2_and_one_for_each_processor_in_fmi_3():
    (universal,) = platform_folders(["x86_64-darwin"], "2.0").values()
    assert universal.targets == (MACOS_X86, MACOS_ARM)
    for names in (["darwin64"], ["darwin64", "aarch64-darwin"]):
        folders = platform_folders(names, "3.0")
        assert {folder: platform.targets for folder, platform in folders.items()} == {
            "x86_64-darwin": (MACOS_X86,),
            "aarch64-darwin": (MACOS_ARM,),
        }


def test_all_and_host_expand_to_other_platforms():
    assert sorted(platform_folders("all")) == sorted(platform_folders(["all"])) == sorted(ALL)
    assert tuple(platform_folders("host")) == fmi2_folders()
    assert set(platform_folders(["win64", "host", "win64"])) == {"win64", *fmi2_folders()}


@pytest.mark.parametrize("order", [["linux64", "host"], ["host", "linux64"]])
def test_on_arm_the_host_library_does_not_replace_a_requested_one(monkeypatch, order):
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    monkeypatch.setattr("sys.platform", "linux")
    assert {folder: platform.name for folder, platform in platform_folders(["host"]).items()} == {
        "aarch64-linux": "aarch64-linux",
        "linux64": "aarch64-linux",
    }
    assert {folder: platform.name for folder, platform in platform_folders(order).items()} == {
        "aarch64-linux": "aarch64-linux",
        "linux64": "linux64",
    }


def test_a_machine_unknown_to_fmi_can_export_for_other_platforms(monkeypatch):
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    monkeypatch.setattr("sys.platform", "linux")
    assert list(platform_folders(["linux64"])) == ["linux64"]
    with pytest.raises(UnsupportedError, match=r"linux on riscv64\. Choose other platforms: platforms=\[\.\.\.\], from linux64, win64"):
        platform_folders("host")


@pytest.mark.parametrize(
    ("platforms", "error", "message"),
    [
        (["host", "win46"], UnknownNameError, "no platform is named 'win46'. Did you mean 'win64'?"),
        (["x86_64-window"], UnknownNameError, "Did you mean 'x86_64-windows'?"),
        (["win32"], UnsupportedError, "platform 'win32' is not supported: mobod makes libraries of 64 bits. There are: all, host, linux64"),
        (["linux64", "x86-linux"], UnsupportedError, "platform 'x86-linux' is not supported: mobod makes libraries of 64 bits."),
        (["aarch32-linux"], UnsupportedError, "of 64 bits"),
        (["armv7-linux"], UnsupportedError, "of 64 bits"),
        (["freebsd64"], UnsupportedError, "platform 'freebsd64' is not supported: mobod makes none for this operating system."),
        (["x86_64-freebsd"], UnsupportedError, "none for this operating system"),
        (["x86_64-linux-musl"], UnsupportedError, "that of linux64, or aarch64-linux on ARM, runs on musl 1.2.3 or later as it is"),
        (["linux64-musl"], UnsupportedError, "musl 1.2.3"),
        (["riscv64-linux"], UnsupportedError, "for x86-64 and 64-bit ARM"),
        (["linx64"], UnknownNameError, "Did you mean 'linux64'?"),
        ([], InputError, "the list is empty"),
        ("win64", InputError, r"Write platforms=['win64']"),
    ],
)
@pytest.mark.parametrize("kind", ["native", "python"])
def test_invalid_platforms_are_errors(tmp_path, kind, platforms, error, message):
    with pytest.raises(error, match=re.escape(message)):
        mb.export_fmu(pendulum(), tmp_path / "x.fmu", kind=kind, platforms=platforms)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def compiled_at_once(monkeypatch):
    """Compilers that take no time: each library is a text."""
    monkeypatch.setattr("mobod.fmu.libraries._compilers", lambda platform: {})
    monkeypatch.setattr("mobod.fmu.libraries._library", lambda *_: b"a library")


def test_an_export_for_several_platforms_says_for_which_one_it_compiles(tmp_path, capsys, compiled_at_once):
    lines: list[str] = []
    options = {"code": "compiled", "reference": False, "outputs": []}
    mb.export_fmu(pendulum(), tmp_path / "x.fmu", platforms=["linux64", "win64"], progress=lines.append, **options)
    assert lines == ["compiling pendulum for linux64 (1 of 2)", "compiling pendulum for win64 (2 of 2)"]
    mb.export_fmu(pendulum(), tmp_path / "x.fmu", platforms=["win64"], progress=lines.append, **options)
    assert len(lines) == 2
    assert capsys.readouterr().err == ""
    mb.export_fmu(pendulum(), tmp_path / "x.fmu", platforms="all", progress=True, **options)
    assert capsys.readouterr().err.splitlines()[-1] == "compiling pendulum for aarch64-darwin (5 of 5)"


def test_the_command_says_it_where_there_is_no_terminal(tmp_path, compiled_at_once):
    model = tmp_path / "pendulum.json"
    mb.save_model(pendulum(), model)
    arguments = ["export", str(model), "-o", str(tmp_path / "x.fmu"), "--code", "compiled", "--platform", "all"]
    assert "compiling pendulum for darwin64 (3 of 5)\n" in CliRunner().invoke(main, arguments).stderr
    assert CliRunner().invoke(main, [*arguments, "--quiet"]).stderr == ""


LOADERS = {
    "linux64": {"linux64/pendulum.so", "linux64/pythonfmu-export.so"},
    "win64": {"win64/pendulum.dll", "win64/pythonfmu-export.dll"},
}


def binaries_of_python_fmu(path, platforms):
    files_of_it = content(mb.export_fmu(pendulum(), path, kind="python", outputs=[], platforms=platforms))
    return {name.removeprefix("binaries/") for name in files_of_it if name.startswith("binaries/")}


@pytest.mark.slow
@on_linux64
def test_a_python_fmu_contains_its_loader_and_the_library_of_pythonfmu(tmp_path):
    assert binaries_of_python_fmu(tmp_path / "x.fmu", "host") == LOADERS["linux64"]


@pytest.mark.slow
@needs_zig
@pytest.mark.parametrize(("platforms", "folders"), [("all", {"linux64", "win64"}), (["x86_64-windows"], {"win64"})])
def test_a_python_fmu_for_windows_contains_its_loader_and_the_library_of_pythonfmu(tmp_path, platforms, folders):
    assert binaries_of_python_fmu(tmp_path / "x.fmu", platforms) == set().union(*(LOADERS[folder] for folder in folders))


def test_a_python_fmu_for_another_platform_is_an_error(tmp_path):
    with pytest.raises(UnsupportedError, match="platform 'darwin64': Python FMUs run only on linux64 and win64"):
        mb.export_fmu(pendulum(), tmp_path / "x.fmu", kind="python", platforms=["darwin64"])


# ------------------------------------------------------------------------------------------------------------------ compilers


@pytest.fixture
def no_zig(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)


@pytest.mark.fast(1)
@on_linux64
@pytest.mark.parametrize("kind", ["native", "python"])
def test_without_ziglang_another_platform_is_an_error_that_names_the_extra(no_zig, tmp_path, kind):
    with pytest.raises(NoCompilerError, match=r"platform 'win64': (.|\n)*python -m pip install \"mobod\[compiler\]\""):
        mb.export_fmu(pendulum(), tmp_path / "x.fmu", kind=kind, outputs=[], platforms=["host", "win64"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.fast(1)
@on_linux64
@pytest.mark.parametrize("chosen", [True, False], ids=["CC", "no ziglang"])
def test_a_library_built_by_the_system_compiler_reports_the_glibc_it_needs(request, monkeypatch, caplog, chosen):
    if chosen:
        monkeypatch.setenv("CC", "cc")
    else:
        request.getfixturevalue("no_zig")
    monkeypatch.setattr("mobod.fmu.libraries._OLDEST_GLIBC", (2, 2, 4))  # older than any library of 64 bits needs
    (library,) = libraries("small", SMALL, platform_folders("host")).values()
    (record,) = caplog.records
    needed = ".".join(map(str, required_glibc(library)))
    assert f"the library of 'small' needs glibc {needed} or later, because it was compiled by {shutil.which('cc')}" in record.getMessage()
    assert ("unset CC" if chosen else 'install ziglang: python -m pip install "mobod[compiler]"') in record.getMessage()


@on_linux64
def test_the_required_glibc_matches_readelf():
    if shutil.which("readelf") is None:
        pytest.skip("readelf is not installed: apt-get install binutils")
    needed = set()
    for file in sorted(Path(str(files("scipy.linalg"))).glob("*.so*"))[:6]:
        listing = subprocess.run(["readelf", "-VW", file], capture_output=True, text=True, check=True).stdout
        versions = [tuple(map(int, each.split("."))) for each in re.findall(r"Name: GLIBC_(\d[\d.]*)\b", listing)]
        assert required_glibc(file.read_bytes()) == max(versions, default=None)
        needed |= set(versions)
    assert needed
    assert required_glibc(b"MZ no ELF") is None


# --------------------------------------------------------------------------------------------------------------- the libraries


def check_structure(folder, library, exports):
    """Checks the properties that a library needs on each platform."""
    assert str(Path.home()).encode() not in library
    assert os.fsencode(os.environ["MOBOD_CACHE"]) not in library
    binaries = structures(library)
    for binary in binaries:
        if "linux" in folder:
            assert binary.needs <= {"libc.so.6", "libm.so.6"}
            assert required_glibc(library) <= (2, 17)
        elif "win" in folder and "darwin" not in folder:
            assert {name for name in binary.needs if not name.startswith("api-ms-win-crt-")} == {"KERNEL32.dll"}
        else:
            assert binary.needs == {"/usr/lib/libSystem.B.dylib"}
            assert binary.install_name.startswith("@rpath/")
            assert binary.oldest_system == (11, 0, 0)
            # macOS on ARM loads nothing unsigned, on Intel it does
            assert binary.signature == ("ad hoc" if binary.processor == ARM64 else None)
    arm = [ARM64] if folder.startswith("aarch64") else [X86_64]
    assert [binary.processor for binary in binaries] == ([X86_64, ARM64] if folder == "darwin64" else arm)
    for binary in binaries:
        assert binary.exports == exports


@pytest.mark.slow
@needs_zig
def test_a_library_has_the_right_processor_needs_and_exports():
    made = libraries("small", SMALL, platform_folders(["linux64"]))
    check_structure("linux64", made["binaries/linux64/small.so"], {"fmi2Reset"})


@pytest.mark.slow
@needs_zig
def test_libraries_for_other_platforms_have_the_right_processor_needs_and_exports(tmp_path, monkeypatch):
    folders = platform_folders([name for name in ALL if name != "win64"])
    made = libraries("small", SMALL, folders)
    assert sorted(made) == [
        "binaries/aarch64-darwin/small.dylib",
        "binaries/aarch64-linux/small.so",
        "binaries/darwin64/small.dylib",
        "binaries/linux64/small.so",
    ]
    for name, library in made.items():
        check_structure(name.split("/")[1], library, {"fmi2Reset"})
    arm_slice = made["binaries/darwin64/small.dylib"]
    assert arm_slice.endswith(made["binaries/aarch64-darwin/small.dylib"])

    monkeypatch.setenv("MOBOD_CACHE", str(tmp_path / "another" / "cache"))
    assert libraries("small", SMALL, folders) == made  # compiled again, elsewhere


@pytest.mark.slow
@needs_zig
def test_ziglang_needs_no_home_folder_and_uses_mobods_cache(tmp_path):
    cache = Path(os.environ["MOBOD_CACHE"])
    script = (
        "from mobod.runtime.compiler import *; from mobod.runtime.targets import *\n"
        "build_library('homeless', {'a.c': '__attribute__((visibility(\"default\"))) int a = 1;'}, compiler=zig_compiler(host_target()))"
    )
    kept = ("PATH", "PYTHONPATH", "SYSTEMROOT", "ZIG_GLOBAL_CACHE_DIR")
    environment = {name: os.environ[name] for name in kept if name in os.environ} | {"MOBOD_CACHE": str(cache)}
    if environment.get("ZIG_GLOBAL_CACHE_DIR") == str(cache / "zig"):
        del environment["ZIG_GLOBAL_CACHE_DIR"]  # the same, by default
    subprocess.run([sys.executable, "-c", script], env=environment, cwd=tmp_path, check=True)
    assert list(tmp_path.iterdir()) == []
    if "ZIG_GLOBAL_CACHE_DIR" not in environment:
        assert list((cache / "zig").glob("mobod-linked-*"))
        assert (cache / "zig").stat().st_mode & 0o077 == 0 or sys.platform == "win32"


@pytest.mark.slow
@needs_zig
@pytest.mark.skipif(sys.platform == "win32", reason="makes symbolic links, which need a privilege on Windows")
def test_the_first_library_for_a_platform_logs_a_notice(tmp_path, monkeypatch, caplog):
    for folder in Path(os.environ["ZIG_GLOBAL_CACHE_DIR"]).iterdir():
        if folder.is_dir():
            (tmp_path / folder.name).symlink_to(folder)  # C libraries that are there already, without the note that they are
    monkeypatch.setenv("ZIG_GLOBAL_CACHE_DIR", str(tmp_path))
    with caplog.at_level(logging.INFO, "mobod.compilation"):
        for name in ("first", "second"):
            libraries(name, SMALL, platform_folders("host"))
    notices = [record.getMessage() for record in caplog.records if record.name == "mobod.compilation"]
    assert notices == [f"compiling the C library for {host_platform().targets[0].zig} once"]


def test_each_platform_is_logged_when_its_library_is_compiled(monkeypatch, caplog):
    monkeypatch.setattr("mobod.fmu.libraries._library", lambda *_: b"")
    monkeypatch.setattr("mobod.fmu.libraries._compilers", lambda _: {})
    with caplog.at_level(logging.INFO, "mobod.compilation"):
        libraries("small", SMALL, platform_folders(["linux64", "win64"]))
    assert [record.getMessage() for record in caplog.records] == [
        "compiling small for linux64 (1 of 2)",
        "compiling small for win64 (2 of 2)",
    ]


@pytest.mark.slow
@needs_zig
def test_a_library_for_windows_has_the_same_bytes_on_any_machine(tmp_path, monkeypatch):
    made = libraries("small", SMALL, platform_folders(["win64"]))
    check_structure("win64", made["binaries/win64/small.dll"], {"fmi2Reset"})
    monkeypatch.setenv("MOBOD_CACHE", str(tmp_path / "another" / "cache"))
    assert libraries("small", SMALL, platform_folders(["win64"])) == made


@pytest.mark.slow
@needs_zig
def test_a_library_for_macos_has_the_same_bytes_whether_zig_has_its_c_library_or_not(tmp_path, monkeypatch):
    folders = platform_folders(["aarch64-darwin"])
    sources = runtime_sources("interpreted", "2.0")
    made = libraries("interpreted", sources, folders)
    monkeypatch.setenv("ZIG_GLOBAL_CACHE_DIR", str(tmp_path / "zig"))
    monkeypatch.setenv("MOBOD_CACHE", str(tmp_path / "cache"))
    assert libraries("interpreted", sources, folders) == made


@pytest.mark.slow
@needs_zig
@pytest.mark.parametrize(
    "target", dict.fromkeys(target for platform in PLATFORMS for target in platform.targets), ids=lambda each: each.zig
)
def test_the_runtime_compiles_without_a_warning_for_each_platform(target):
    compile_model(WARNINGS, zig_compiler(target), target)
