"""The compiled libraries of an FMU for each of its platforms."""

import logging
import os
from collections.abc import Mapping, Sequence

from mobod.errors import CompileError, NoCompilerError
from mobod.fmu.export_progress import CURRENT
from mobod.fmu.platforms import Platform, glibc_text
from mobod.fmu.variables import FmiVersion
from mobod.native_sources import folder_of_package
from mobod.runtime.compiler import INSTALL_ZIGLANG, Compiler, build_library, find_compiler, has_zig, zig_compiler
from mobod.runtime.elf import required_glibc
from mobod.runtime.library_cache import checked_content
from mobod.runtime.packaged import INTERPRETED, LOADER, PackagedLibrary, packaged_library
from mobod.runtime.targets import Target, host_target
from mobod.runtime.universal import universal_library

_FMI_HEADERS = folder_of_package("fmpy") / "c-code"
_OLDEST_GLIBC = (2, 17)  # oldest glibc for which zig builds: CentOS 7, 2014
_log = logging.getLogger("mobod")
_current = logging.getLogger(CURRENT)  # messages (INFO)


def libraries(identifier: str, sources: Mapping[str, str], folders: Mapping[str, Platform], *, name: str | None = None) -> dict[str, bytes]:
    """The files of binaries/: name -> content.

    folders  folders of binaries/ and the platform of each
    name     key under which compiled libraries are cached; default: the identifier

    ziglang compiles for every platform. For this machine $CC compiles if it is set, or any C compiler if ziglang is not installed. A
    warning is logged if the library then needs a newer glibc than one built by zig.

    Raises NoCompilerError, before anything is compiled, and CompileError.
    """
    compilers = {platform: _compilers(platform) for platform in folders.values()}
    contents = {}
    for number, platform in enumerate(compilers, start=1):
        if len(compilers) > 1:
            _current.info("compiling %s for %s (%d of %d)", identifier, platform.name, number, len(compilers))
        contents[platform] = _library(name or identifier, sources, compilers[platform])
    return {_file(folder, identifier, platform): contents[platform] for folder, platform in folders.items()}


def check_compilers(folders: Mapping[str, Platform]) -> None:
    """Raises NoCompilerError if a platform has no compiler."""
    for platform in folders.values():
        _compilers(platform)


def interpreter_libraries(identifier: str, folders: Mapping[str, Platform], fmi_version: FmiVersion) -> dict[str, bytes]:
    """The files of binaries/ with the library that reads tables from resources/, which is the same for all FMUs of a version of FMI.

    Those that a wheel contains need no compiler. Others are compiled and cached. Raises NoCompilerError and CompileError.
    """
    return _prebuilt_libraries(INTERPRETED[fmi_version], identifier, folders)


def loader_libraries(identifier: str, folders: Mapping[str, Platform]) -> dict[str, bytes]:
    """The files of binaries/ with the library of a Python FMU, which finds Python (fmu_src/python/loader) and is the same for all FMUs.

    Those that a wheel contains need no compiler. Others are compiled and cached. Raises NoCompilerError and CompileError.
    """
    return _prebuilt_libraries(LOADER, identifier, folders)


def _prebuilt_libraries(library: PackagedLibrary, identifier: str, folders: Mapping[str, Platform]) -> dict[str, bytes]:
    packaged = {platform: _packaged(library, platform) for platform in folders.values()}
    own = {_file(folder, identifier, each): content for folder, each in folders.items() if (content := packaged[each]) is not None}
    others = {folder: platform for folder, platform in folders.items() if packaged[platform] is None}
    if not others:
        return own
    try:
        return own | libraries(identifier, library.sources(), others, name=library.name)
    except NoCompilerError as error:
        raise NoCompilerError(
            f"{error} Or install mobod from a wheel of a release, which contains the libraries of interpreted FMUs and of Python FMUs for "
            "all platforms; an installation from sources contains those of its machine."
        ) from error


def _packaged(library: PackagedLibrary, platform: Platform) -> bytes | None:
    """The library of a platform from the installed wheel; None if the wheel does not contain it."""
    files = [packaged_library(library, target) for target in platform.targets]
    slices = [file.read_bytes() for file in files if file is not None]
    is_own = platform.targets[0] == host_target() and files[0] is not None  # an installation from sources has one slice for macOS
    return _joined(slices) if len(slices) == len(files) or is_own else None


def _joined(slices: Sequence[bytes]) -> bytes:
    return slices[0] if len(slices) == 1 else universal_library(slices)


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
    return _joined(slices)
