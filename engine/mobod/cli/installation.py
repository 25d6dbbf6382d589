"""What `mobod doctor` finds: parts of the installation, and whether each works."""

import ctypes
import importlib.metadata
import importlib.util
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from mobod.disk.json_values import JsonObject
from mobod.errors import CompileError, MobodError, NoCompilerError
from mobod.version import mobod_version

# for what each extra is
EXTRAS = {
    "compiler": "FMUs for other platforms, and a C compiler where there is none",
    "view": "pictures and films of pages, pages that follow a program, DAE meshes",
    "data": "results as data frames, datasets and HDF5",
    "control": "LinearSystem.to_control",
    "sweep": "sweeps on a Dask cluster, Parquet files",
    "rl": "environments of Gymnasium",
}
Condition = Literal["works", "missing", "broken"]


@dataclass(frozen=True)
class InstalledPart:
    """A part of the installation.

    details    versions, folders, or the cause
    mend       the command or the change that mends it
    is_needed  whether mobod is of no use without it
    facts      more, as data
    """

    name: str
    state: Condition
    details: str
    mend: str = ""
    is_needed: bool = False
    facts: JsonObject = field(default_factory=dict)

    def as_json(self) -> JsonObject:
        return asdict(self)


def parts() -> list[InstalledPart]:
    """All of them. A check that fails in a way that it does not foresee is a broken part."""
    found = []
    for name, check in _CHECKS.items():
        try:
            found += list(check())
        except Exception as error:  # packages that are installed but broken raise anything
            what = str(error) if isinstance(error, MobodError) else f"{type(error).__name__}: {error}"
            found.append(InstalledPart(name, "broken", what, is_needed=name in _NEEDED))
    return found


def _python() -> Iterator[InstalledPart]:
    yield InstalledPart(
        "mobod", "works", f"{mobod_version()} in {Path(__file__).parents[1]}", is_needed=True, facts={"version": mobod_version()}
    )
    yield InstalledPart("Python", "works", f"{platform.python_version()}, {sys.executable}", is_needed=True)


def _platform() -> Iterator[InstalledPart]:
    from mobod.runtime.simd import chosen_simd
    from mobod.runtime.targets import TARGETS, host_target

    host, simd = host_target().platform, chosen_simd()
    vectors = "no vector instructions" if simd is None else f"vector instructions {simd.name}"
    known = host in [target.platform for target in TARGETS]
    details = f"{host}, {vectors}" if known else f"{host}, which mobod is not tested on"
    yield InstalledPart("platform", "works", details, facts={"platform": host, "simd": None if simd is None else simd.name})


def _packages() -> Iterator[InstalledPart]:
    missing = _unmet(None)
    if missing is None:
        yield InstalledPart("packages", "works", "not checked: mobod is on the path, but not installed", is_needed=True)
        return
    details = ", ".join(f"{name} {version or 'missing'} (needs {wanted})" for name, wanted, version in missing) or "all are installed"
    mend = f"python -m pip install {' '.join(repr(name + wanted) for name, wanted, _ in missing)}" if missing else ""
    yield InstalledPart("packages", "broken" if missing else "works", details, mend, is_needed=True)


def _compiler() -> Iterator[InstalledPart]:
    from mobod.runtime.compiler import INSTALL_ZIGLANG, build_library, find_compiler, has_zig

    try:
        compiler = find_compiler()
        function = ctypes.CDLL(str(build_library("mobod_doctor", {"doctor.c": _C_FILE}, compiler=compiler))).doctor
        function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double]
        works = function(3.0) == 9.0
        version = compiler.version.partition("\n")[0]
        details = f"{compiler}: {version}" if works else f"{compiler}: a library that it made gives wrong numbers"
        yield InstalledPart(
            "C compiler", "works" if works else "broken", details, facts={"command": list(compiler.command), "version": version}
        )
    except NoCompilerError as error:
        yield InstalledPart("C compiler", "missing", f"models are interpreted, 4 to 5 times as slow. {error}", INSTALL_ZIGLANG)
    except (CompileError, OSError) as error:
        yield InstalledPart("C compiler", "broken", f"models are interpreted, 4 to 5 times as slow. {error}", INSTALL_ZIGLANG)
    if has_zig():
        yield InstalledPart("zig", "works", importlib.metadata.version("ziglang"), facts={"version": importlib.metadata.version("ziglang")})
    else:
        yield InstalledPart("zig", "missing", "FMUs are compiled for this platform alone", INSTALL_ZIGLANG)


def _runtime() -> Iterator[InstalledPart]:
    from mobod.runtime.compiler import INSTALL_ZIGLANG
    from mobod.runtime.library import library_path, runtime

    try:
        runtime()
        yield InstalledPart("C runtime", "works", str(library_path()), is_needed=True)
    except (NoCompilerError, CompileError) as error:
        yield InstalledPart("C runtime", "broken", str(error), INSTALL_ZIGLANG, is_needed=True)


def _cache() -> Iterator[InstalledPart]:
    from mobod.runtime.library_cache import LibraryCache, cache_directory

    try:
        folder = cache_directory()
        with LibraryCache(folder).build_folder() as build:
            (build / "doctor").write_bytes(b"")
    except OSError as error:
        mend = "set MOBOD_CACHE to a folder of your own that can be written"
        yield InstalledPart("cache", "broken", f"each process compiles again: {error}", mend)
        return
    sizes = [file.stat().st_size for file in folder.rglob("*") if file.is_file()]
    details = f"{folder}: {sum(sizes) / 1e6:.0f} MB in {len(sizes)} files, can be written"
    yield InstalledPart("cache", "works", details, facts={"folder": str(folder), "bytes": sum(sizes), "files": len(sizes)})


def _pages() -> Iterator[InstalledPart]:
    from mobod.runtime.compiler import INSTALL_ZIGLANG, has_zig
    from mobod.runtime.packaged import WEB_RUNTIME, packaged_library
    from mobod.runtime.targets import WEB
    from mobod.viewer.browser import chromium

    yield InstalledPart("pages of runs", "works", "results.animate, mobod view")
    if packaged_library(WEB_RUNTIME, WEB) is not None or has_zig():
        yield InstalledPart("live pages", "works", "system.to_html, mobod view --live")
    else:
        yield InstalledPart(
            "live pages", "missing", "system.to_html, mobod view --live: ziglang compiles the runtime for them", INSTALL_ZIGLANG
        )
    what, mend = "pictures of pages", "apt install chromium, or set MOBOD_CHROMIUM to the program of Chromium or Chrome"
    try:
        program = chromium()
    except MobodError:
        yield InstalledPart(what, "missing", "no Chromium or Chrome is on the path", mend)
        return
    if importlib.util.find_spec("playwright") is None:
        yield InstalledPart(what, "missing", f"{program}, but not the package playwright", _install("view"), facts={"chromium": program})
    else:
        yield InstalledPart(what, "works", program, facts={"chromium": program})


def _fmus() -> Iterator[InstalledPart]:
    import fmpy

    yield InstalledPart("FMUs", "works", f"export, co-simulation, validation; fmpy {fmpy.__version__}", is_needed=True)
    try:
        import mobod.importer.cvode  # noqa: F401 # it loads the library of the solver
    except (ImportError, OSError) as error:
        yield InstalledPart("model exchange", "missing", f"SUNDIALS, which fmpy does not bring for this platform: {error}")
    else:
        yield InstalledPart("model exchange", "works", "CVODE of SUNDIALS")


def _extras() -> Iterator[InstalledPart]:
    for extra, what in EXTRAS.items():
        unmet, required = _unmet(extra), _required(extra)
        name = f"extra {extra}"
        if not required:  # mobod is not installed, or an older one is, which does not have it
            continue
        if unmet:
            texts = [f"{each} {version or 'missing'} (needs {wanted})" for each, wanted, version in unmet]
            yield InstalledPart(name, "missing", f"{what}: {', '.join(texts)}", _install(extra))
        else:
            versions = {each: importlib.metadata.version(each) for each, _ in required}
            details = ", ".join(f"{each} {version}" for each, version in versions.items())
            yield InstalledPart(name, "works", f"{what}: {details}", facts={"packages": versions})


def _install(extra: str) -> str:
    return f'python -m pip install "mobod[{extra}]"'


def _required(extra: str | None) -> list[tuple[str, str]] | None:
    """The packages, and their versions, of an extra, or those that are always needed; None if mobod is not installed."""
    from packaging.requirements import Requirement  # Matplotlib needs it

    try:
        texts = importlib.metadata.requires("mobod") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    found = []
    for requirement in map(Requirement, texts):
        of_extra = requirement.marker is not None and "extra" in str(requirement.marker)
        if of_extra == (extra is not None) and (requirement.marker is None or requirement.marker.evaluate({"extra": extra or ""})):
            found.append((requirement.name, str(requirement.specifier)))
    return found


def _unmet(extra: str | None) -> list[tuple[str, str, str | None]] | None:
    """Those that are not installed, or too old: name, what is needed, what is there."""
    from packaging.specifiers import SpecifierSet

    required = _required(extra)
    if required is None:
        return None
    unmet = []
    for name, wanted in required:
        try:
            version: str | None = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            version = None
        if version is None or not SpecifierSet(wanted).contains(version, prereleases=True):
            unmet.append((name, wanted, version))
    return unmet


_C_FILE = """
#if defined(_WIN32)
__declspec(dllexport)
#else
__attribute__((visibility("default")))
#endif
double doctor(double x) { return x * x; }
"""
_CHECKS: dict[str, Callable[[], Iterator[InstalledPart]]] = {
    "Python": _python,
    "platform": _platform,
    "packages": _packages,
    "C compiler": _compiler,
    "C runtime": _runtime,
    "cache": _cache,
    "FMUs": _fmus,
    "pages": _pages,
    "extras": _extras,
}
_NEEDED = ("Python", "packages", "C runtime", "FMUs")
