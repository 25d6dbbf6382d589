"""Platforms of FMUs, and the folders of binaries/ for their libraries."""

# Decision: docs/decisions/087-platforms.md

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from mobod.errors import InputError, UnknownNameError, UnsupportedError
from mobod.runtime.targets import LINUX_ARM, LINUX_X86, MACOS_ARM, MACOS_X86, WINDOWS_ARM, WINDOWS_X86, Target, host_processor


@final
@dataclass(frozen=True)
class Platform:
    """A system and a processor.

    name     its folder in binaries/ by FMI 2.0.4, and its name for users
    fmi3     its folder by FMI 3.0, also accepted as its name
    targets  targets of its library; several are joined to a universal library
    """

    name: str
    fmi3: str
    targets: tuple[Target, ...]


PLATFORMS = (
    Platform("linux64", "x86_64-linux", (LINUX_X86,)),
    Platform("win64", "x86_64-windows", (WINDOWS_X86,)),
    Platform("darwin64", "x86_64-darwin", (MACOS_X86, MACOS_ARM)),
    Platform("aarch64-linux", "aarch64-linux", (LINUX_ARM,)),
    Platform("aarch64-darwin", "aarch64-darwin", (MACOS_ARM,)),
    Platform("aarch64-windows", "aarch64-windows", (WINDOWS_ARM,)),
)

# names that mean platforms elsewhere, and what to say of them
_ELSEWHERE = tuple(
    (re.compile(pattern), reason)
    for pattern, reason in (
        ("musl|alpine", "no library is made for musl, but that of linux64, or aarch64-linux on ARM, runs on musl 1.2.3 or later as it is."),
        (
            r"(win|windows|linux|darwin|freebsd)_?-?32|^(x86|i[3-6]86)(-|$)|aarch32|^arm(v[5-7]\w*|hf|el|32)?(-|$)|linuxarm|gnueabi",
            "mobod makes libraries of 64 bits.",
        ),
        ("(free|open|net|dragonfly)bsd|solaris|sunos|aix|android|ios|qnx|vxworks|wasi|wasm", "mobod makes none for this operating system."),
        ("riscv|ppc|powerpc|s390|mips|loongarch|sparc|alpha|itanium|ia64", "mobod makes libraries for x86-64 and 64-bit ARM."),
    )
)

# made only on request: few tools run there, and zig needs half a minute to compile its C library of Windows
_NOT_IN_ALL = ("aarch64-windows",)

# FMPy, and masters older than FMI 2.0.4, also look in these folders on ARM
_OLDER_FOLDERS = {"aarch64-linux": "linux64", "aarch64-darwin": "darwin64", "aarch64-windows": "win64"}


def platform_names(platforms: str | Iterable[str]) -> list[str]:
    """The FMI 2.0 names of platforms that users give; "all" and "host" are kept.

    Raises UnsupportedError for a platform for which mobod makes no libraries; UnknownNameError with the nearest name; InputError for no
    platform, and for a single name that is not in a list.
    """
    if isinstance(platforms, str):
        if platforms not in ("all", "host"):
            raise InputError(f"platforms: a list of names is needed, not one name. Write platforms=['{platforms}'].")
        platforms = [platforms]
    names = {"all": "all", "host": "host"} | {name: platform.name for platform in PLATFORMS for name in (platform.name, platform.fmi3)}
    chosen = []
    for name in platforms:
        if name not in names:
            if reason := _why_not_supported(name):
                raise UnsupportedError(f"platform '{name}' is not supported: {reason} There are: {', '.join(names)}.")
            raise UnknownNameError("platform", name, names)
        chosen.append(names[name])
    if not chosen:
        raise InputError("platforms: the list is empty. Omit it to export for this machine.")
    return chosen


def _why_not_supported(name: object) -> str:
    """Of a name that means a platform elsewhere; empty for any other name."""
    text = name.lower() if isinstance(name, str) else ""
    return next((reason for pattern, reason in _ELSEWHERE if pattern.search(text)), "")


def platform_folders(platforms: str | Iterable[str], fmi_version: str = "2.0") -> dict[str, Platform]:
    """The folders of binaries/ by the version of FMI, and the platform of each.

    macOS on both processors, darwin64, is one folder in FMI 2.0 and two in FMI 3.0.
    Raises the errors of platform_names and host_platform.
    """
    by_name = {platform.name: platform for platform in PLATFORMS}
    folders = dict[str, Platform]()
    for name in platform_names(platforms):
        if name == "all":
            folders |= {other: platform for other, platform in by_name.items() if other not in _NOT_IN_ALL}
        elif name == "host":
            folders = dict.fromkeys(fmi2_folders(), host_platform()) | folders  # a selected platform may use an older folder
        else:
            folders[name] = by_name[name]
    return folders if fmi_version == "2.0" else {one.fmi3: one for platform in folders.values() for one in _by_processor(platform)}


def _by_processor(platform: Platform) -> list[Platform]:
    """FMI 3.0 has a folder for each processor, and so needs no universal library."""
    return [Platform(platform.name, target.platform, (target,)) for target in platform.targets]


def host_platform() -> Platform:
    """The platform of this machine. Raises UnsupportedError if FMI has no name for it."""
    system = {"win32": "windows"}.get(sys.platform, sys.platform)
    found = next((platform for platform in PLATFORMS if platform.fmi3 == f"{host_processor()}-{system}"), None)
    if found is None:
        known = ", ".join(platform.name for platform in PLATFORMS)
        raise UnsupportedError(
            f"FMI has no name for this machine, {system} on {host_processor()}. Choose other platforms: platforms=[...], from {known}."
        )
    return found


def fmi2_folders() -> tuple[str, ...]:
    """The folders for a library built for this machine. Raises UnsupportedError if FMI has no name for this machine."""
    name = host_platform().name
    return (name, _OLDER_FOLDERS[name]) if name in _OLDER_FOLDERS else (name,)


def glibc_text(version: tuple[int, ...]) -> str:
    return "glibc " + ".".join(map(str, version))
