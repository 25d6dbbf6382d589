"""Runs the libraries of an FMU for other platforms than this machine's, by QEMU and Wine."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

import fmpy

from mobod.runtime.compiler import zig_compiler
from mobod.runtime.library_cache import cache_directory
from mobod.runtime.targets import LINUX_ARM, LINUX_X86, WINDOWS_X86, Target, host_target

_SOURCE = Path(__file__).resolve().parents[1] / "tests" / "fmu" / "host_program.c"
_ARM_LIBRARIES = Path("/usr/aarch64-linux-gnu")
_LONGEST = 600  # s

MUSL = Target("x86_64-linux-musl")
"""Linux with another C library than glibc."""
_MUSL_LOADER = Path("/lib/ld-musl-x86_64.so.1")


class CannotRunError(Exception):
    """Nothing here runs programs for a target. The message says what to install."""


@dataclass(frozen=True)
class Host:
    """The program tests/fmu/host_program.c for one target.

    command      runs it
    environment  variables that it needs
    """

    command: list[str]
    is_windows: bool = False
    environment: dict[str, str] = field(default_factory=dict)

    def trajectory(self, fmu: Path, library: str, *, n_steps: int, step: float) -> list[list[float]]:
        """The values of the outputs after each step. fmu: the folder of an unpacked FMU; library: a file below it.

        Raises subprocess.CalledProcessError with what the FMU and the program say.
        """
        description = fmpy.read_model_description(str(fmu))
        references = [variable.valueReference for variable in description.modelVariables if variable.causality == "output"]
        resources = fmu / "resources"
        if description.fmiVersion == "2.0":
            uri = resources.as_uri()
            place, token = uri.replace("file:///", "file:///Z:/") if self.is_windows else uri, description.guid
        else:
            place, token = self._path(resources) + ("\\" if self.is_windows else "/"), description.instantiationToken
        written = self._run(fmu / library, token, place, str(n_steps), str(step), *map(str, references))
        return [[float.fromhex(number) for number in line.split()] for line in written.splitlines()]

    def load(self, library: Path, function: str) -> None:
        """Loads a library that has a function. Raises subprocess.CalledProcessError."""
        self._run(library, function)

    def _run(self, library: Path, *arguments: str) -> str:
        environment = {**os.environ, **self.environment}
        command = [*self.command, self._path(library), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, env=environment, timeout=_LONGEST).stdout

    def _path(self, path: Path) -> str:
        return f"Z:{path}".replace("/", "\\") if self.is_windows else str(path)  # Z: is the root folder of this machine


def host_for(target: Target, folder: Path) -> Host:
    """Compiles the program by ziglang into a folder. Raises CannotRunError."""
    emulator, environment = _emulator(target, folder)
    program = folder / f"host-{target.zig}.exe"
    # linked as libraries are: other flags would make zig compile the C library of Windows again
    command = [*zig_compiler(target).command, "-O2", "-g0", "-Wl,-s", "-std=c99", "-I", str(files("fmpy") / "c-code")]
    libraries = {WINDOWS_X86: ["-lshell32"], MUSL: ["-dynamic"]}.get(target, ["-ldl"])
    cache = {"ZIG_GLOBAL_CACHE_DIR": str(cache_directory() / "zig"), **os.environ}
    subprocess.run([*command, str(_SOURCE), "-o", str(program), *libraries], check=True, cwd=folder, env=cache)
    return Host([*emulator, str(program)], target == WINDOWS_X86, environment)


def _emulator(target: Target, folder: Path) -> tuple[list[str], dict[str, str]]:
    if target == host_target() and sys.platform == "linux":
        return [], {}
    if target == MUSL and host_target() == LINUX_X86:
        if not _MUSL_LOADER.exists():
            raise CannotRunError("runs programs of musl by its loader: apt-get install musl")
        return [], {}
    if target == LINUX_ARM:
        emulator = shutil.which("qemu-aarch64")
        if emulator is None or not (_ARM_LIBRARIES / "lib" / "ld-linux-aarch64.so.1").exists():
            raise CannotRunError("runs programs for ARM by QEMU: apt-get install qemu-user libc6-arm64-cross")
        return [emulator, "-L", str(_ARM_LIBRARIES)], {}
    if target == WINDOWS_X86:
        emulator = next((found for name in ("wine64", "/usr/lib/wine/wine64") if (found := shutil.which(name))), None)
        if emulator is None:
            raise CannotRunError("runs programs for Windows by Wine: apt-get install wine64")
        own = {"WINEPREFIX": str(folder / "wine"), "WINEDEBUG": "-all", "HOME": str(folder), "LC_ALL": "C.UTF-8"}
        return [emulator], own
    raise CannotRunError(f"nothing here runs programs for {target.platform}")
