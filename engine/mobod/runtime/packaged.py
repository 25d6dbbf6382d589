"""The prebuilt libraries that wheels contain.

build_scripts/hatch_build.py builds them. A wheel of a release contains them for all platforms, a wheel that pip builds for an installation
only those of its machine without the runs side by side, and an editable install none. What is missing is built on first use.
"""

# Decision: docs/decisions/117-wheels-for-all-platforms.md

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Literal, final

from mobod.native_sources import lanes_files, loader_sources, runtime_sources, web_sources
from mobod.runtime.simd import SIMD, Simd
from mobod.runtime.targets import LINUX_X86, TARGETS, WEB, WINDOWS_X86, Target


@final
@dataclass(frozen=True)
class PackagedLibrary:
    """A library that wheels contain.

    name     its file name, without suffix
    sources  returns its C files: file name -> text
    targets  its targets in a wheel of a release; None: only the machine for which the wheel is. WEB is a target of all wheels
    processor
             the only one for which it is; None: any
    simd     vector instructions of the files that need them
    """

    name: str
    sources: Callable[[], dict[str, str]]
    targets: tuple[Target, ...] | None
    processor: str | None = None
    simd: Simd | None = None

    @property
    def flags_of(self) -> dict[str, tuple[str, ...]]:
        """Flags for the compiler, for some files. The others have the same objects in several libraries."""
        return {} if self.simd is None else dict.fromkeys(lanes_files(), self.simd.library_flags)

    def targets_in_wheel(self, own: Target, *, for_release: bool) -> tuple[Target, ...]:
        """Its targets in a wheel for the platform `own`. If it is not a wheel of a release, only that platform, and not for each kind of
        vectors, of which one machine needs a single one, if ever.
        """
        if self.simd is not None and not for_release:
            return ()
        if self.targets is None:
            return (own,) if self.processor in (None, own.processor) else ()
        return tuple(target for target in self.targets if for_release or target in (own, WEB))


RUNTIME: Final = PackagedLibrary("mobod_library", partial(runtime_sources, "library"), None)
"""What Python calls."""

INTERPRETED: Final[dict[Literal["2.0", "3.0"], PackagedLibrary]] = {
    "2.0": PackagedLibrary("mobod_interpreted_fmi2", partial(runtime_sources, "interpreted", "2.0"), TARGETS),
    "3.0": PackagedLibrary("mobod_interpreted_fmi3", partial(runtime_sources, "interpreted", "3.0"), TARGETS),
}
"""The library of interpreted FMUs, by the version of FMI."""

LOADER: Final = PackagedLibrary("mobod_python_loader", loader_sources, (LINUX_X86, WINDOWS_X86))
"""The library of Python FMUs, which finds Python."""

LANES: Final = {
    simd.name: PackagedLibrary(f"mobod_lanes_{simd.name}", partial(runtime_sources, "lanes"), None, processor, simd)
    for processor, each in SIMD.items()
    for simd in each
}
"""What Python calls for runs side by side, by the vector instructions of the processor."""

WEB_RUNTIME: Final = PackagedLibrary("mobod_web", web_sources, (WEB,))
"""What a page calls that runs a model; only zig compiles it."""

PACKAGED: Final = (RUNTIME, *INTERPRETED.values(), LOADER, *LANES.values(), WEB_RUNTIME)
"""All of them."""

WHEEL_TAGS: Final = {
    "x86_64-linux": "manylinux_2_17_x86_64.musllinux_1_2_x86_64",
    "aarch64-linux": "manylinux_2_17_aarch64.musllinux_1_2_aarch64",
    "x86_64-windows": "win_amd64",
    "x86_64-darwin": "macosx_11_0_x86_64",
    "aarch64-darwin": "macosx_11_0_arm64",
}
"""The platforms for which a release has wheels, and their tags: the oldest systems on which libraries built by zig run (targets.py).

Libraries for glibc need nothing that musl does not have, and its loader takes the names of glibc's libraries for its own.
"""


def place_in_package(library: PackagedLibrary, target: Target) -> str:
    """The path of a library inside the package mobod."""
    return f"_native/{target.platform}/{library.name}{target.suffix}"


def packaged_library(library: PackagedLibrary, target: Target) -> Path | None:
    """The file in an installed wheel; None if the wheel does not contain it, and in a checkout."""
    file = Path(__file__).resolve().parents[1] / place_in_package(library, target)
    return file if file.is_file() else None
