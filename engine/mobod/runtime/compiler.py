"""Finds a C compiler and builds shared libraries. Libraries and their object files are cached by content."""

import hashlib
import importlib.metadata
import importlib.util
import logging
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mobod.errors import CompileError, NoCompilerError
from mobod.native_sources import folder_of_package
from mobod.runtime.cores import usable_cores
from mobod.runtime.library_cache import LibraryCache, cache_directory, temporary_cache
from mobod.runtime.targets import WEB, Target, host_target

# no fused multiply-add: the same bits on every processor (elementary.h); square roots are one instruction;
# -g0: no paths of the building machine in the library
_COMPILE_FLAGS = ("-O2", "-g0", "-std=c99", "-ffp-contract=off", "-fno-math-errno", "-fvisibility=hidden")
# loops unrolled or made of vectors by clang make a library larger by a third and a chain of 30 pins slower by a fifth; gcc's -O2 makes few
_ZIG_FLAGS = ("-fno-unroll-loops", "-fno-vectorize", "-fno-slp-vectorize")
# clang's default thresholds, 225 and 325, make a library larger by a tenth, and a step of an arm faster by 4 % at most:
# docs/decisions/222-smaller-libraries.md
_LESS_INLINED = ("-mllvm", "-inline-threshold=40", "-mllvm", "-inlinehint-threshold=40")
_ERROR_LINES = 12
# with the name of ours whose definition it needs, if the line before is #ifdef
_INCLUDED = re.compile(r"""^(?:#ifdef (MOBOD_\w+)\n)?\s*#\s*include\s*["<]([^">]+)[">]""", re.MULTILINE)
_DEFINED = re.compile(r"^\s*#\s*define\s+(MOBOD_\w+)", re.MULTILINE)
INSTALL_ZIGLANG = 'python -m pip install "mobod[compiler]"'
_log = logging.getLogger("mobod")
_builds = logging.getLogger("mobod.builds")  # a message (INFO) for each library that is compiled, which the command line shows
_notices = logging.getLogger("mobod.compilation")  # messages (INFO) about slow operations, which the command line shows


@dataclass(frozen=True)
class Compiler:
    """A C compiler with gcc's options.

    command  its path and the arguments that always come first
    version  its answer to --version, which is part of the key of cached libraries
    is_zig   whether it is zig, which has a cache of its own for the C libraries of its target systems
    """

    command: tuple[str, ...]
    version: str
    is_zig: bool = False

    def __str__(self) -> str:
        return shlex.join(self.command)

    @property
    def identity(self) -> str:
        """What its objects depend on. The same zig may be in several environments, such as that in which pip builds."""
        return " ".join([*(["zig", *self.command[1:]] if self.is_zig else self.command), self.version])


def find_compiler() -> Compiler:
    """$CC if it is set; otherwise the first working one of cc, gcc, clang and the package ziglang.

    Raises NoCompilerError if there is none.
    """
    chosen = os.environ.get("CC", "").strip()
    if chosen:
        compiler = _answers(tuple(shlex.split(chosen)))
        if compiler is None:
            raise NoCompilerError(
                f"CC is set to '{chosen}', which does not run as a C compiler. Correct it, or unset it to use cc, gcc or clang."
            )
        return compiler
    for command in ("cc", "gcc", "clang"):
        compiler = _answers((command,))
        if compiler is not None:
            return compiler
    if has_zig():
        return zig_compiler(host_target())
    raise NoCompilerError(
        "no C compiler was found: cc, gcc and clang are not on PATH, and the Python package ziglang is not installed. "
        f"Install one ({INSTALL_ZIGLANG}, or gcc by your package manager) or set CC."
    )


def has_zig() -> bool:
    """Whether the package ziglang is installed, which compiles for every platform."""
    return importlib.util.find_spec("ziglang") is not None


def zig_compiler(target: Target) -> Compiler:
    """zig of the package ziglang, which must be installed."""
    # the program itself: `python -m ziglang` starts Python for each file
    program = folder_of_package("ziglang") / ("zig.exe" if sys.platform == "win32" else "zig")
    # without -target zig would compile for exactly this processor
    return Compiler((str(program), "cc", "-target", target.zig), importlib.metadata.version("ziglang"), is_zig=True)


def library_suffix() -> str:
    """The file name suffix of shared libraries on this machine."""
    return host_target().suffix


def library_order(
    name: str,
    sources: Mapping[str, str],
    *,
    include_directories: Sequence[Path] = (),
    flags: Sequence[str] = (),
    flags_of: Mapping[str, Sequence[str]] | None = None,
    compiler: Compiler | None = None,
    target: Target | None = None,
) -> "LibraryOrder":
    """A shared library that is to be compiled from C99 files.

    name                 file name of the library, without its suffix
    sources              file name -> text; each *.c is compiled, the others (*.h) can be included
    include_directories  searched for headers after the sources
    flags                for the compiler, after its usual ones
    flags_of             more of them, for some files: name -> flags
    compiler             for `target`; default: find_compiler()
    target               default: this machine

    Raises NoCompilerError if there is no compiler.
    """
    target, compiler = target or host_target(), compiler or find_compiler()
    headers = [header for directory in include_directories for header in sorted(directory.glob("*.h"))]
    return LibraryOrder(
        name,
        sources,
        tuple(f"-I{directory.resolve()}" for directory in include_directories),
        {header.name: header.read_text(encoding="utf-8") for header in headers},
        (*_COMPILE_FLAGS, *_flags_of_zig(compiler, target), *target.compile_flags, *flags),
        {file: tuple(each) for file, each in (flags_of or {}).items()},
        compiler,
        target,
    )


def build_library(
    name: str,
    sources: Mapping[str, str],
    *,
    include_directories: Sequence[Path] = (),
    flags: Sequence[str] = (),
    flags_of: Mapping[str, Sequence[str]] | None = None,
    compiler: Compiler | None = None,
    target: Target | None = None,
) -> Path:
    """Compile C99 files into the shared library `name`; the arguments are those of `library_order`. Object files and libraries built
    earlier from the same text are taken from the cache.

    So the runtime is compiled once and not again for each model.

    returns  the library, in a folder of its own below cache_directory(). Its SHA-256 was checked

    If the cache cannot be used, the library is in a temporary folder, which is removed when this process ends, and a warning is logged.
    Where files can be locked, one of several processes builds a library, and the others wait for it.
    Raises CompileError with the compiler's first errors, and NoCompilerError if there is no compiler.
    """
    order = library_order(
        name,
        sources,
        include_directories=include_directories,
        flags=flags,
        flags_of=flags_of,
        compiler=compiler,
        target=target,
    )
    return built(order)


def _flags_of_zig(compiler: Compiler, target: Target) -> tuple[str, ...]:
    if not compiler.is_zig:
        return ()
    return _ZIG_FLAGS if target == WEB else (*_ZIG_FLAGS, *_LESS_INLINED)  # targets.py has its own


Builder = Callable[["LibraryOrder", LibraryCache], Path]
_builders: list[Builder] = []  # the last one is used, if there is one


def use_builder(builder: Builder) -> None:
    """Let this process build libraries so from now on."""
    _builders.append(builder)


def built(order: "LibraryOrder", build: Builder | None = None) -> Path:
    """The library in the user's cache or, with a warning in the log, in a temporary one. build: default: `LibraryOrder.library`

    Raises CompileError.
    """
    build = build or (_builders[-1] if _builders else LibraryOrder.library)
    try:
        return build(order, LibraryCache(cache_directory()))
    except OSError as error:
        _log_unused_cache(str(error))
    try:
        return build(order, temporary_cache())
    except OSError as error:
        raise CompileError(f"cannot write to a temporary folder: {error}. Set TMPDIR to a folder with write permission.") from error


@cache  # logs each reason once
def _log_unused_cache(reason: str) -> None:
    _log.warning(
        "the cache of compiled libraries is not used: %s. This process compiles in a temporary folder. "
        "Correct this, or set MOBOD_CACHE to a folder of your own.",
        reason,
    )


@dataclass(frozen=True)
class LibraryOrder:
    """A library that is to be built. Made by `library_order`."""

    name: str
    sources: Mapping[str, str]
    includes: tuple[str, ...]
    outside_headers: Mapping[str, str]  # name -> text
    compile_flags: tuple[str, ...]
    flags_of: Mapping[str, tuple[str, ...]]
    compiler: Compiler
    target: Target

    def library(self, cache: LibraryCache) -> Path:
        """The library in this cache; builds it if it is missing. Raises OSError if the cache cannot be used."""
        place = self._place()
        if (kept := self.kept(cache)) is not None:
            return kept
        file, link_flags = place[-1], self.target.link_flags(self.name)
        with cache.one_at_a_time(*place[:-1]), cache.build_folder() as folder:
            if cache.content(*place) is not None:  # built while this process waited
                return cache.root.joinpath(*place)
            _builds.info("compiling %s ...", self.name)
            environment = self._environment(cache, folder)
            _write(self.sources, folder)
            units = self._units()
            with ThreadPoolExecutor(usable_cores()) as pool:
                list(pool.map(lambda unit: self._compile(unit, cache, folder, environment), units))
            arguments = [*(unit + ".o" for unit in units), "-o", file, *link_flags]
            with self._first_link(environment) as is_first:
                _run(self.compiler, arguments, file, folder, environment)
            if is_first:
                # the linker of macOS leaves other bytes in unused places, if zig compiled C libraries meanwhile
                shutil.rmtree(environment["ZIG_LOCAL_CACHE_DIR"], ignore_errors=True)
                _run(self.compiler, arguments, file, folder, environment)
            return cache.keep((folder / file).read_bytes(), folder, *place)

    def kept(self, cache: LibraryCache) -> Path | None:
        """The library in this cache, if it is there."""
        place = self._place()
        return None if cache.content(*place) is None else cache.root.joinpath(*place)

    def lines_to_compile(self, cache: LibraryCache) -> list[int]:
        """The numbers of lines of the C files whose objects are not in this cache, without what they include."""
        missing = [unit for unit in self._units() if not cache.has(*self._object(unit))]
        return [self.sources[unit].count("\n") for unit in missing]

    def _units(self) -> list[str]:
        return sorted(source for source in self.sources if source.endswith(".c"))

    def _place(self) -> tuple[str, ...]:
        """The place of the library in a cache."""
        link_flags = self.target.link_flags(self.name)
        of_files = [text for file, flags in sorted(self.flags_of.items()) for text in (file, *flags)]
        key = _content_key(self.compiler, (*self.compile_flags, *of_files, *link_flags, *self.outside_headers.values()), self.sources)
        return ("libraries", key, self.name + self.target.suffix)

    def _object(self, unit: str) -> tuple[str, ...]:
        """The place of the object of a C file in a cache."""
        flags = self._flags(unit)
        closure = _closure(unit, self.sources, flags)
        includes_outside = not self.outside_headers.keys().isdisjoint(Path(name).name for name in closure)
        also = self.outside_headers.values() if includes_outside else ()
        own = {file: self.sources[file] for file in closure if file in self.sources}
        return ("objects", _content_key(self.compiler, (*flags, *also), own) + ".o")

    def _flags(self, unit: str) -> tuple[str, ...]:
        return (*self.compile_flags, *self.flags_of.get(unit, ()))

    def _compile(self, unit: str, cache: LibraryCache, folder: Path, environment: Mapping[str, str]) -> None:
        """Put the object of a C file into the folder, from the cache if possible."""
        place = self._object(unit)
        built = folder / f"{unit}.o"  # linked by a relative name
        kept = cache.content(*place)
        if kept is not None:
            built.write_bytes(kept)
            return
        arguments = [*self._flags(unit), "-I.", *self.includes, "-c", unit, "-o", built.name]
        _run(self.compiler, arguments, unit, folder, environment)
        cache.keep(built.read_bytes(), folder, *place)

    @contextmanager
    def _first_link(self, environment: Mapping[str, str]) -> Iterator[bool]:
        """Whether zig has to compile C libraries of the target, which is logged."""
        if not self.compiler.is_zig:
            yield False
            return
        # zig's keys of C libraries contain its folder: a zig of another environment compiles them again
        place = hashlib.sha256(self.compiler.command[0].encode()).hexdigest()[:12]
        done = Path(environment["ZIG_GLOBAL_CACHE_DIR"]) / f"mobod-linked-{self.compiler.version}-{place}-{self.target.zig}"
        is_first = not done.exists()
        if is_first:
            duration = ", which takes about a minute" if "-windows" in self.target.zig else ""
            _notices.info("compiling the C library for %s once%s", self.target.zig, duration)
        yield is_first
        done.touch()

    def _environment(self, cache: LibraryCache, folder: Path) -> dict[str, str]:
        """Environment variables of the compiler's process. The C locale gives the same messages everywhere."""
        environment = {**os.environ, "LC_ALL": "C"}
        if self.compiler.is_zig:
            # keep zig's cache of C libraries, but not its cache of what was compiled for one of our libraries
            chosen = os.environ.get("ZIG_GLOBAL_CACHE_DIR")
            environment["ZIG_GLOBAL_CACHE_DIR"] = str(Path(chosen).absolute() if chosen else cache.folder("zig"))
            environment["ZIG_LOCAL_CACHE_DIR"] = str(folder / "zig")
        return environment


def _closure(unit: str, sources: Mapping[str, str], flags: Sequence[str]) -> set[str]:
    """A file and all names that it includes, directly or through other sources.

    What is included if a name of ours is defined, such as the vectors of lanes, counts if a flag or one of the files defines the name.
    """
    defined = {flag[2:].partition("=")[0] for flag in flags if flag.startswith("-D")}
    found, ahead, waiting = set[str](), [unit], list[tuple[str, str]]()
    while ahead:
        file = ahead.pop()
        if file not in found:
            found.add(file)
            text = sources.get(file, "")
            defined.update(_DEFINED.findall(text))
            waiting += _INCLUDED.findall(text)
            ahead += [name for guard, name in waiting if not guard or guard in defined]
            waiting = [(guard, name) for guard, name in waiting if guard and guard not in defined]
    return found


def _answers(command: tuple[str, ...]) -> Compiler | None:
    """The compiler at `command`; None if it does not answer to --version."""
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


def _content_key(compiler: Compiler, also: Sequence[str], sources: Mapping[str, str]) -> str:
    """A hash of everything that the bytes depend on: flags and other texts, and the files by their names."""
    digest = hashlib.sha256()
    parts = [compiler.identity, *also]
    for file, text in sorted(sources.items()):
        parts += [file, text]
    for part in parts:
        digest.update(f"{len(part)}:{part}".encode())
    return digest.hexdigest()[:32]


def _write(sources: Mapping[str, str], folder: Path) -> None:
    for file, text in sources.items():
        (folder / file).write_text(text, encoding="utf-8", newline="\n")


def _run(compiler: Compiler, arguments: list[str], what: str, folder: Path, environment: Mapping[str, str]) -> None:
    # with relative paths, so that messages and libraries are the same everywhere
    try:
        result = subprocess.run(
            [*compiler.command, *arguments],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
        )
    except OSError as error:
        raise CompileError(f"the C compiler {compiler} cannot be started: {error}") from error
    if result.returncode != 0:
        lines = result.stderr.splitlines()
        first = next((i for i, line in enumerate(lines) if "error" in line), 0)
        said = "\n".join(lines[first : first + _ERROR_LINES])
        raise CompileError(f"'{what}' did not compile. {compiler} says:\n{said}")
