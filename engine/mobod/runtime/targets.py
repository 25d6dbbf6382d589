"""Platforms for which libraries are built: a processor, an operating system and its oldest supported version."""

import platform
import sys
from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True)
class _System:
    """suffix of a shared library; flags of the compiler; flags of the linker, in which {name} is the library's name without suffix."""

    suffix: str
    compile_flags: tuple[str, ...]
    link_flags: tuple[str, ...]


# -s and -x remove the names of local symbols; of our libraries only the loader of Python FMUs needs libdl; the default
# install name would be a path of the building machine
_SYSTEMS = {
    "linux": _System(".so", ("-fPIC",), ("-Wl,-s", "-Wl,--as-needed", "-ldl", "-Wl,--no-as-needed")),
    "windows": _System(".dll", (), ("-Wl,-s",)),
    "macos": _System(".dylib", ("-fPIC",), ("-Wl,-x", "-Wl,-install_name,@rpath/{name}.dylib")),
}


@final
@dataclass(frozen=True)
class Target:
    """zig  zig's name of the target: processor, system and ABI, with the oldest supported version"""

    zig: str

    @property
    def suffix(self) -> str:
        return self._system.suffix

    @property
    def compile_flags(self) -> tuple[str, ...]:
        return self._system.compile_flags

    def link_flags(self, name: str) -> tuple[str, ...]:
        """The linker flags for a library with this name, without its suffix."""
        # zig compiles the C library of Windows with the linker's flags: without -O2 it would be a debug build
        return ("-shared", "-O2", "-g0", *(flag.format(name=name) for flag in self._system.link_flags), "-lm")

    @property
    def _system(self) -> _System:
        return next(system for name, system in _SYSTEMS.items() if f"-{name}" in self.zig)


def host_processor() -> str:
    """The processor of this machine, as named by zig and FMI."""
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())


def host_target() -> Target:
    system = {"win32": "windows-gnu", "darwin": "macos.11.0"}.get(sys.platform, "linux-gnu.2.17")
    return Target(f"{host_processor()}-{system}")
