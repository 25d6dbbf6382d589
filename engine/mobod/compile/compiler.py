"""Find a C compiler, and build shared libraries. They and the objects that they are linked from are cached by content."""

import hashlib
import importlib.util
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mobod.errors import CompileError, NoCompilerError

# no fused multiply-add: the same bits on every processor (elementary.h); square roots are one instruction;
# -g0: no path of the building machine in the library
_COMPILE_FLAGS = ("-O2", "-g0", "-std=c99", "-ffp-contract=off", "-fno-math-errno", "-fvisibility=hidden")
_JOBS = 2
_ERROR_LINES = 12
_INCLUDED = re.compile(r"""^\s*#\s*include\s*["<]([^">]+)[">]""", re.MULTILINE)


@dataclass(frozen=True)
class Compiler:
    """A C compiler that takes gcc's options.

    command  its path and the arguments that always come first
    version  what it answers to --version: part of what a cached library depends on
    """

    command: tuple[str, ...]
    version: str

    def __str__(self) -> str:
        return shlex.join(self.command)


def find_compiler() -> Compiler:
    """$CC if it is set, else the first of cc, gcc and clang that works, else the package ziglang.

    Raises NoCompilerError where there is none.
    """
    chosen = os.environ.get("CC", "").strip()
    if chosen:
        compiler = _answers(tuple(shlex.split(chosen)))
        if compiler is None:
            raise NoCompilerError(
                f"CC is set to '{chosen}', which does not run as a C compiler. Correct it, or unset it to take cc, gcc or clang."
            )
        return compiler
    candidates: list[tuple[str, ...]] = [("cc",), ("gcc",), ("clang",)]
    if importlib.util.find_spec("ziglang") is not None:
        # without -target zig compiles for the very processor it runs on
        candidates.append((sys.executable, "-m", "ziglang", "cc", "-target", _zig_target()))
    for command in candidates:
        compiler = _answers(command)
        if compiler is not None:
            return compiler
    raise NoCompilerError(
        "no C compiler was found: neither cc, gcc nor clang is on PATH, and the Python package ziglang is not installed. "
        'Install one: python -m pip install "mobod[compiler]", or gcc by your package manager, or set CC.'
    )


def library_suffix() -> str:
    """What a shared library's file name ends with on this machine."""
    return {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


def cache_directory() -> Path:
    """$MOBOD_CACHE if it is set, else %LOCALAPPDATA%/mobod on Windows and ~/.cache/mobod elsewhere."""
    chosen = os.environ.get("MOBOD_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32" and "LOCALAPPDATA" in os.environ:
        return Path(os.environ["LOCALAPPDATA"]) / "mobod"
    return Path.home() / ".cache" / "mobod"


def build_library(
    name: str,
    sources: Mapping[str, str],
    *,
    include_directories: Sequence[Path] = (),
    flags: Sequence[str] = (),
    compiler: Compiler | None = None,
) -> Path:
    """Compile C99 files into the shared library `name`; what was built before from the same text is taken from the cache.

    The runtime is thus compiled once, and not again for each model.

    name                 file name of the library, without its suffix
    sources              file name -> text; each *.c is compiled, the others (*.h) can be included
    include_directories  searched for headers after the sources
    flags                for the compiler, after its usual ones
    compiler             find_compiler() if left out
    returns              the library, in a folder of its own below cache_directory()

    Processes that build the same library at the same time do not disturb each other.
    Raises CompileError with the compiler's first errors, NoCompilerError where there is no compiler.
    """
    compiler = compiler or find_compiler()
    compile_flags = (*_COMPILE_FLAGS, *(() if sys.platform == "win32" else ("-fPIC",)), *flags)
    link_flags = _link_flags(name)
    outside = [header for directory in include_directories for header in sorted(directory.glob("*.h"))]
    outside_names = {header.name for header in outside}
    headers = [header.read_text(encoding="utf-8") for header in outside]
    kept = _content_key(compiler, (*compile_flags, *link_flags, *headers), sources)
    library = cache_directory() / "libraries" / kept / (name + library_suffix())
    if library.is_file():
        return library

    try:
        objects = cache_directory() / "objects"
        for folder in (library.parent, objects):
            folder.mkdir(parents=True, exist_ok=True)
        build = tempfile.TemporaryDirectory(dir=library.parent, prefix="build-")
    except OSError as error:
        raise CompileError(
            f"cannot write to the cache of compiled libraries: {error}. Set MOBOD_CACHE to a folder that can be written."
        ) from error
    with build as folder_name:
        folder = Path(folder_name)
        _write(sources, folder)
        includes = [f"-I{directory.resolve()}" for directory in include_directories]
        units = sorted(file for file in sources if file.endswith(".c"))

        def compile_unit(unit: str) -> None:
            closure = _closure(unit, sources)
            also = () if outside_names.isdisjoint(Path(name).name for name in closure) else headers
            key = _content_key(compiler, (*compile_flags, *also), {file: sources[file] for file in closure if file in sources})
            compiled, built = objects / f"{key}.o", folder / f"{unit}.o"
            if not compiled.is_file():
                _run(compiler, [*compile_flags, "-I.", *includes, "-c", unit, "-o", built.name], unit, folder)
                _publish(built, compiled)
            shutil.copyfile(compiled, built)  # linked by a relative name

        with ThreadPoolExecutor(_JOBS) as pool:
            list(pool.map(compile_unit, units))
        _run(compiler, [unit + ".o" for unit in units] + ["-o", library.name, *link_flags], library.name, folder)
        _publish(folder / library.name, library)
    return library


def _closure(unit: str, sources: Mapping[str, str]) -> set[str]:
    """A file and all names that it includes, directly or by others of the sources."""
    found, ahead = set[str](), [unit]
    while ahead:
        file = ahead.pop()
        if file not in found:
            found.add(file)
            ahead += _INCLUDED.findall(sources.get(file, ""))
    return found


def _answers(command: tuple[str, ...]) -> Compiler | None:
    """The compiler at `command`, or None where nothing there answers to --version."""
    program = shutil.which(command[0])
    if program is None:
        return None
    command = (program, *command[1:])
    version = _version(command)
    return None if version is None else Compiler(command, version)


@cache
def _version(command: tuple[str, ...]) -> str | None:
    answer = subprocess.run([*command, "--version"], capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    return answer.stdout if answer.returncode == 0 else None


def _zig_target() -> str:
    """This machine as zig names it, with the oldest system that the library shall run on."""
    processor = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    system = {"win32": "windows-gnu", "darwin": "macos.11.0"}.get(sys.platform, "linux-gnu.2.17")
    return f"{processor}-{system}"


def _link_flags(name: str) -> tuple[str, ...]:
    # -s strips symbols, which Apple's linker no longer does; an install name keeps the building machine's path out of the library
    if sys.platform == "darwin":
        return ("-shared", f"-Wl,-install_name,@rpath/{name}.dylib", "-lm")
    return ("-shared", "-Wl,-s", "-lm")


def _content_key(compiler: Compiler, also: Sequence[str], sources: Mapping[str, str]) -> str:
    """A hash of all that the bytes depend on: flags and other texts, and the files by their names."""
    digest = hashlib.sha256()
    parts = [str(compiler), compiler.version, *also]
    for file, text in sorted(sources.items()):
        parts += [file, text]
    for part in parts:
        digest.update(f"{len(part)}:{part}".encode())
    return digest.hexdigest()[:32]


def _write(sources: Mapping[str, str], folder: Path) -> None:
    for file, text in sources.items():
        (folder / file).write_text(text, encoding="utf-8", newline="\n")


def _run(compiler: Compiler, arguments: list[str], what: str, folder: Path) -> None:
    # with relative paths and in the C locale: messages and libraries are the same everywhere
    result = subprocess.run(
        [*compiler.command, *arguments],
        cwd=folder,
        env={**os.environ, "LC_ALL": "C"},
        capture_output=True,
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
    )
    if result.returncode != 0:
        lines = result.stderr.splitlines()
        first = next((i for i, line in enumerate(lines) if "error" in line), 0)
        said = "\n".join(lines[first : first + _ERROR_LINES])
        raise CompileError(f"'{what}' did not compile. {compiler} says:\n{said}")


def _publish(built: Path, kept: Path) -> None:
    try:
        built.replace(kept)
    except PermissionError:
        # on Windows a file in use cannot be replaced: another process was first, with the same bytes
        if not kept.is_file():
            raise
