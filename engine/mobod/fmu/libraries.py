"""The compiled libraries of an FMU for each of its platforms."""

import logging
import os
from collections.abc import Mapping
from pathlib import Path

import fmpy

from mobod.errors import CompileError, NoCompilerError
from mobod.fmu.platforms import Platform, glibc_text
from mobod.native_sources import loader_sources, packaged_library, runtime_sources
from mobod.runtime.compiler import INSTALL_ZIGLANG, Compiler, build_library, find_compiler, has_zig, zig_compiler
from mobod.runtime.elf import required_glibc
from mobod.runtime.library_cache import checked_content
from mobod.runtime.targets import Target, host_target
from mobod.runtime.universal import universal_library

_FMI_HEADERS = Path(fmpy.__file__).parent / "c-code"
_OLDEST_GLIBC = (2, 17)  # oldest glibc for which zig builds: CentOS 7, 2014
_log = logging.getLogger("mobod")


def libraries(identifier: str, sources: Mapping[str, str], folders: Mapping[str, Platform], *, name: str | None = None) -> dict[str, bytes]:
    """The files of binaries/: name -> content.

    folders  folders of binaries/ and the platform of each
    name     key under which compiled libraries are cached; default: the identifier

    ziglang compiles for every platform. For this machine $CC compiles if it is set, or any C compiler if ziglang is not installed. A
    warning is logged if the library then needs a newer glibc than one built by zig.

    Raises NoCompilerError, before anything is compiled, and CompileError.
    """
    compilers = {platform: _compilers(platform) for platform in folders.values()}
    contents = {platform: _library(name or identifier, sources, compilers[platform]) for platform in compilers}
    return {_file(folder, identifier, platform): contents[platform] for folder, platform in folders.items()}


def interpreter_libraries(identifier: str, folders: Mapping[str, Platform]) -> dict[str, bytes]:
    """The files of binaries/ with the library that reads tables from resources/, which is the same for all FMUs.

    A wheel contains that of its platform; others are compiled and cached. Raises NoCompilerError and CompileError.
    """
    packaged = packaged_library("interpreted")
    others, own = dict(folders), dict[str, bytes]()
    for folder, platform in folders.items():
        if packaged is not None and host_target() in platform.targets:
            own[_file(folder, identifier, platform)] = packaged.read_bytes()
            del others[folder]
    return own | (libraries(identifier, runtime_sources("interpreted"), others, name="mobod_interpreted") if others else {})


def loader_libraries(identifier: str, folders: Mapping[str, Platform]) -> dict[str, bytes]:
    """The files of binaries/ with the library of a Python FMU, which finds Python (fmu_src/python/loader) and is the same for all FMUs.

    A wheel contains that of its platform; others are compiled and cached. Raises NoCompilerError and CompileError.
    """
    packaged = packaged_library("python_loader")
    own = {
        _file(folder, identifier, platform): packaged.read_bytes()
        for folder, platform in folders.items()
        if packaged is not None and host_target() in platform.targets
    }
    others = {folder: platform for folder, platform in folders.items() if _file(folder, identifier, platform) not in own}
    return own | (libraries(identifier, loader_sources(), others, name="mobod_python_loader") if others else {})


def _file(folder: str, identifier: str, platform: Platform) -> str:
    return f"binaries/{folder}/{identifier}{platform.targets[0].suffix}"


def _compilers(platform: Platform) -> dict[Target, Compiler]:
    """The compiler for each target of a platform."""
    is_own = platform.targets[0] == host_target()
    if is_own and (os.environ.get("CC", "").strip() or not has_zig()):
        return {host_target(): find_compiler()}
    if not has_zig():
        raise NoCompilerError(
            f"platform '{platform.name}': compiling for another platform than this machine needs the Python package ziglang, which is "
            f"not installed. Install it: {INSTALL_ZIGLANG}"
        )
    return {target: zig_compiler(target) for target in platform.targets}


def _library(identifier: str, sources: Mapping[str, str], compilers: Mapping[Target, Compiler]) -> bytes:
    slices = []
    for target, compiler in compilers.items():
        file = build_library(identifier, sources, include_directories=[_FMI_HEADERS], compiler=compiler, target=target)
        content = checked_content(file)
        if content is None:
            raise CompileError(f"'{file}' was changed or removed after it was compiled. Repeat the export.")
        needed = required_glibc(content)
        if needed is not None and needed > _OLDEST_GLIBC:
            _log.warning(
                "the library of '%s' needs %s or later, because it was compiled by %s. Older systems cannot load it. To support %s, %s.",
                identifier,
                glibc_text(needed),
                compiler,
                glibc_text(_OLDEST_GLIBC),
                "unset CC" if has_zig() else f"install ziglang: {INSTALL_ZIGLANG}",
            )
        slices.append(content)
    return slices[0] if len(slices) == 1 else universal_library(slices)
