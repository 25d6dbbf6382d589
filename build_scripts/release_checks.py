"""Checks of the wheels and the sdist that release.py builds."""

import base64
import csv
import hashlib
import io
import os
import re
import subprocess
import sys
import time
import zipfile
from functools import cache
from pathlib import Path

import fmpy
from emulated_hosts import MUSL, CannotRunError, Host, host_for
from library_structure import Structure, structures

from mobod.native_sources import folder_of_package
from mobod.runtime.declarations import IN_PACKAGE, make_module
from mobod.runtime.elf import required_glibc
from mobod.runtime.packaged import LANES, LOADER, PACKAGED, RUNTIME, WEB_RUNTIME, WHEEL_TAGS, PackagedLibrary, place_in_package
from mobod.runtime.targets import LINUX_X86, TARGETS, Target

ROOT = Path(__file__).resolve().parents[1]
OLDEST_GLIBC, OLDEST_MACOS = (2, 17), (11, 0, 0)
A_FUNCTION = "mobod_hash_of_bytes"  # of the runtime
LARGEST_FMU = 2.5e6  # bytes, with five platforms
LARGEST_WEB_RUNTIME = 5e5  # bytes: it is in each page that runs a model
N_STEPS, STEP = 1000, 0.01  # of the arm


def check_wheel(wheel: Path, platform: str) -> str:
    """Checks the names, hashes and libraries of a wheel. Raises ValueError."""
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    info = next(name.split("/")[0] for name in files if name.endswith(".dist-info/WHEEL"))
    tag = f"py3-none-{WHEEL_TAGS[platform]}"
    tags = {f"Tag: py3-none-{each}" for each in WHEEL_TAGS[platform].split(".")}
    _expect(wheel.name.endswith(f"-{tag}.whl"), f"its name has not the tag {tag}")
    described = files[f"{info}/WHEEL"].decode().splitlines()
    _expect({line for line in described if line.startswith("Tag:")} == tags, "its file WHEEL describes another platform")
    _expect("Root-Is-Purelib: false" in described, "its file WHEEL says that it is for all platforms")
    _expect({name.split("/")[0] for name in files} == {"mobod", info}, "it has files beside the package mobod")
    _expect(not [name for name in files if name.endswith((".pyc", ".md"))], "it has compiled Python, or pages of the checkout")
    for name, digest, _ in csv.reader(io.StringIO(files[f"{info}/RECORD"].decode())):
        actual = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).decode().rstrip("=")
        _expect(name.endswith("/RECORD") or digest == f"sha256={actual}", f"RECORD has another hash of '{name}'")

    own = next(target for target in TARGETS if target.platform == platform)
    expected = {
        f"mobod/{place_in_package(library, target)}": (library, target)
        for library in PACKAGED
        for target in library.targets_in_wheel(own, for_release=True)
    }
    found = {name for name in files if name.startswith("mobod/_native/")} - {f"mobod/{IN_PACKAGE}"}
    _expect(found == expected.keys(), f"its libraries are {sorted(found)}")
    _expect(files[f"mobod/{IN_PACKAGE}"] == make_module().encode(), "its declarations are not those of the headers")
    for name, (library, target) in expected.items():
        _check_library(name, files[name], library, target)
    return f"{len(found)} libraries"


def _check_library(name: str, content: bytes, library: PackagedLibrary, target: Target) -> None:
    if library == WEB_RUNTIME:
        _expect(content.startswith(b"\0asm") and len(content) < LARGEST_WEB_RUNTIME, f"'{name}' is no small module of WebAssembly")
        return
    (structure,) = structures(content)
    _expect(structure.platform == target.platform, f"'{name}' is for {structure.platform}")
    _expect(_needs_nothing_else(structure, library), f"'{name}' needs {sorted(structure.needs)}")
    _expect((required_glibc(content) or OLDEST_GLIBC) <= OLDEST_GLIBC, f"'{name}' needs glibc {required_glibc(content)}")
    missing = structure.imports - _functions_of_musl()
    _expect(not missing, f"'{name}' needs functions that musl does not have: {', '.join(sorted(missing))}")
    if structure.system == "darwin":
        _expect(structure.oldest_system == OLDEST_MACOS, f"'{name}' needs macOS {structure.oldest_system}")
        _expect(structure.signature == ("ad hoc" if structure.processor == "aarch64" else None), f"'{name}': {structure.signature}")
    version = "fmi2" if library == LOADER else library.name[-4:]  # fmi2 or fmi3
    others = sorted(each for each in structure.exports if not each.startswith(version))
    least = 33 if library == LOADER else 40  # the loader has the functions of co-simulation alone
    is_of_python = library in (RUNTIME, *LANES.values())
    _expect(len(structure.exports) > least and (is_of_python or not others), f"'{name}' exports {others}")
    _expect(not is_of_python or A_FUNCTION in structure.exports, f"'{name}' has no {A_FUNCTION}")


@cache
def _functions_of_musl() -> set[str]:
    """By the list of zig's C library, from which zig links programs for musl."""
    listed = folder_of_package("ziglang") / "lib" / "libc" / "musl" / "libc.S"
    return set(re.findall(r"^(?:\.globl|\.weak|WEAKTIME64) (\w+)$", listed.read_text(encoding="utf-8"), re.MULTILINE))


def _needs_nothing_else(structure: Structure, library: PackagedLibrary) -> bool:
    if structure.system == "windows":
        return all(name == "KERNEL32.dll" or name.startswith("api-ms-win-crt-") for name in structure.needs)
    of_loader = {"libdl.so.2"} if library == LOADER else set()  # it opens the library of Python
    return structure.needs <= {"linux": {"libc.so.6", "libm.so.6"} | of_loader, "darwin": {"/usr/lib/libSystem.B.dylib"}}[structure.system]


def try_wheel(wheel: Path, scratch: Path) -> str:
    """Installs the wheel of this machine without a compiler, and exports an FMU for all platforms, which is run on each that runs here."""
    mobod = _fresh_environment(scratch, wheel)
    remarks = []
    for version in ("2.0", "3.0"):
        fmu = scratch / f"arm_{version}.fmu"
        arguments = ["export", ROOT / "examples" / "arm.urdf", "-o", fmu, "--platform", "all", "--fmi-version", version]
        seconds, of_processor = (min(times) for times in zip(*(_seconds_of(mobod, *arguments) for _ in range(5)), strict=True))
        _expect(fmu.stat().st_size < LARGEST_FMU, f"an FMU with five platforms has {fmu.stat().st_size} bytes")
        times = f"{seconds:.2f} s ({of_processor:.2f} s of processor time)"
        remarks.append(f"FMI {version}: {times}, {fmu.stat().st_size / 1e6:.2f} MB, same bits by {_same_bits(fmu, scratch)}")
    _without_compiler(mobod, "validate", scratch / "arm_2.0.fmu")
    return "; ".join(remarks)


def try_with_python(wheel: Path, python: str, scratch: Path) -> str:
    """Installs the wheel of this machine in an environment of another Python, which exports and runs an FMU with the files of that which
    try_wheel has exported. Numbers that NumPy computes may differ in the last place from one version of it to another.
    """
    mobod = _fresh_environment(scratch, wheel, python)
    fmu = scratch / f"{mobod.parents[1].name}.fmu"
    _without_compiler(mobod, "export", ROOT / "examples" / "arm.urdf", "-o", fmu, "--platform", "all")
    ours, others = ({each.filename: each.CRC for each in zipfile.ZipFile(file).infolist()} for file in (fmu, scratch / "arm_2.0.fmu"))
    _expect(ours.keys() == others.keys(), f"its FMU has other files: {', '.join(sorted(ours.keys() ^ others.keys()))}")
    binaries = [name for name in ours if name.startswith(("binaries/", "sources/")) and ours[name] != others[name]]
    _expect(not binaries, f"files in its FMU differ: {', '.join(sorted(binaries))}")
    _without_compiler(mobod, "simulate", fmu, "--until", 0.1)
    n_different = sum(ours[name] != others[name] for name in ours)
    return f"exports and runs an FMU; {n_different} of {len(ours)} files differ by numbers"


def try_other_wheel(wheel: Path, platform: str, scratch: Path) -> str:
    """Loads the runtime in a wheel for another platform, if QEMU or Wine can."""
    target = next(target for target in TARGETS if target.platform == platform)
    try:
        host = host_for(target, scratch)
    except CannotRunError as error:
        return f"not loaded: {error}"
    with zipfile.ZipFile(wheel) as archive:
        library = Path(archive.extract(f"mobod/{place_in_package(RUNTIME, target)}", scratch / platform))
    host.load(library, A_FUNCTION)
    return "loaded"


def try_sdist(sdist: Path, scratch: Path) -> str:
    """pip installs the sdist, and the package exports an FMU for this machine."""
    mobod = _fresh_environment(scratch, sdist)
    _without_compiler(mobod, "export", ROOT / "examples" / "arm.urdf", "-o", scratch / "of_sdist.fmu")
    return "exports for this machine"


def _fresh_environment(scratch: Path, package: Path, python: str = sys.executable) -> Path:
    """The program mobod of a new virtual environment."""
    folder = scratch / f"venv_{package.suffix[1:]}{'' if python == sys.executable else '_' + re.sub(r'[^0-9a-z.]+', '_', python.lower())}"
    subprocess.run([python, "-m", "venv", str(folder)], check=True)
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "MOBOD_WHEEL_FOR")}
    command = [str(programs / "python"), "-m", "pip", "install", "--quiet", str(package)]
    subprocess.run(command, check=True, env=environment)
    return programs / "mobod"


def _without_compiler(mobod: Path, *arguments: object) -> str:
    """Runs a command of mobod where no other program is found."""
    environment = {"PATH": str(mobod.parent), "HOME": str(mobod.parents[1]), "SYSTEMROOT": os.environ.get("SYSTEMROOT", "")}
    command = [str(mobod), *map(str, arguments)]
    return subprocess.run(command, check=True, env=environment, capture_output=True, text=True).stdout


def _seconds_of(mobod: Path, *arguments: object) -> tuple[float, float]:
    """Of the clock, and of the processor."""
    start, before = time.perf_counter(), os.times()
    _without_compiler(mobod, *arguments)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - start, used


def _same_bits(fmu: Path, scratch: Path) -> str:
    """The platforms whose libraries give the same trajectory of the arm over 10 s. Raises ValueError if one differs."""
    folder = Path(fmpy.extract(str(fmu), unzipdir=str(scratch / fmu.stem)))
    found = {}
    for file in sorted((folder / "binaries").rglob("arm.*")):
        for structure in structures(file.read_bytes()):
            target = next(target for target in TARGETS if target.platform == structure.platform)
            try:
                host = host_for(target, scratch)
            except CannotRunError:
                continue
            name = str(file.relative_to(folder))
            found[structure.platform] = host.trajectory(folder, name, n_steps=N_STEPS, step=STEP)
            if target == LINUX_X86 and (musl := _host_of_musl(scratch)):
                found[f"{structure.platform} with musl"] = musl.trajectory(folder, name, n_steps=N_STEPS, step=STEP)
    _expect(len({str(rows) for rows in found.values()}) == 1, f"platforms differ: {', '.join(found)}")
    return ", ".join(found)


def _host_of_musl(scratch: Path) -> Host | None:
    try:
        return host_for(MUSL, scratch)
    except CannotRunError:
        return None


def _expect(is_right: bool, message: str) -> None:
    if not is_right:
        raise ValueError(message)
