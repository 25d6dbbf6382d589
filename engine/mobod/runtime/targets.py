"""Platforms for which libraries are built: a processor, an operating system and its oldest supported version."""

import platform
import sys
from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True)
class _System:
    """suffix of a shared library; flags of the compiler; flags of the linker, in which {name} is the library's name without suffix;
    that which makes a library; the libraries that it needs."""

    suffix: str
    compile_flags: tuple[str, ...]
    link_flags: tuple[str, ...]
    library_flag: str = "-shared"
    libraries: tuple[str, ...] = ("-lm",)


_INLINES_LITTLE = ("-mllvm", "-inline-threshold=25", "-mllvm", "-inlinehint-threshold=25")  # 482 kB; 512 kB by the thresholds of -Os

# -s and -x remove the names of local symbols, gc-sections functions that nothing calls, which zig removes on macOS anyway; of our libraries
# only the loader of Python FMUs needs libdl; the default install name would be a path of the building machine
_SYSTEMS = {
    "linux": _System(
        ".so", ("-fPIC", "-ffunction-sections"), ("-Wl,-s", "-Wl,--gc-sections", "-Wl,--as-needed", "-ldl", "-Wl,--no-as-needed")
    ),
    "windows": _System(".dll", (), ("-Wl,-s",)),
    "macos": _System(".dylib", ("-fPIC",), ("-Wl,-x", "-Wl,-install_name,@rpath/{name}.dylib")),
    # fmu_src/web has what it needs of a C library: zig would compile a whole one (-nostdlib); its stack cannot grow; each page contains it,
    # so its size counts (-Os)
    "wasi": _System(".wasm", ("-Os", *_INLINES_LITTLE), ("-Wl,-s", "-Wl,-z,stack-size=1048576", "-Wl,--no-entry"), "-nostdlib", ()),
}


@final
@dataclass(frozen=True)
class Target:
    """zig  zig's name of the target: processor, system and ABI, with the oldest supported version"""

    zig: str

    @property
    def platform(self) -> str:
        """Its processor and system, such as x86_64-linux: FMI 3.0 names platforms so."""
        system = self.zig.split("-")[1]
        return f"{self.processor}-{'darwin' if system.startswith('macos') else system}"

    @property
    def processor(self) -> str:
        return self.zig.split("-")[0]

    @property
    def suffix(self) -> str:
        return self._system.suffix

    @property
    def compile_flags(self) -> tuple[str, ...]:
        return self._system.compile_flags

    def link_flags(self, name: str) -> tuple[str, ...]:
        """The linker flags for a library with this name, without its suffix."""
        # zig compiles the C library of Windows with the linker's flags: without -O2 it would be a debug build
        flags = [flag.format(name=name) for flag in self._system.link_flags]
        return (self._system.library_flag, "-O2", "-g0", *flags, *self._system.libraries)

    @property
    def _system(self) -> _System:
        return next(system for name, system in _SYSTEMS.items() if f"-{name}" in self.zig)


LINUX_X86, LINUX_ARM = Target("x86_64-linux-gnu.2.17"), Target("aarch64-linux-gnu.2.17")
WINDOWS_X86, WINDOWS_ARM = Target("x86_64-windows-gnu"), Target("aarch64-windows-gnu")
MACOS_X86, MACOS_ARM = Target("x86_64-macos.11.0"), Target("aarch64-macos.11.0")

TARGETS = (LINUX_X86, LINUX_ARM, WINDOWS_X86, WINDOWS_ARM, MACOS_X86, MACOS_ARM)
"""The targets of all platforms of FMUs."""

WEB = Target("wasm32-wasi")
"""WebAssembly, for pages and every other host of it."""


def host_processor() -> str:
    """The processor of this machine, as named by zig and FMI."""
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())


def host_target() -> Target:
    system = {"win32": "windows-gnu", "darwin": "macos.11.0"}.get(sys.platform, "linux-gnu.2.17")
    return Target(f"{host_processor()}-{system}")
