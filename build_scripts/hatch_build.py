"""Build hook for wheels: compiles the C runtime into the wheel, so that neither installing mobod nor exporting FMUs needs a compiler, and
adds what cffi makes of its headers.

A wheel that pip builds for an installation contains what this machine needs: the runtime that Python calls and, on Linux, the library of
interpreted FMUs by the compiler that also compiles models ($CC, cc, gcc, clang, or ziglang where there is none), with most objects in
common; and the other libraries by ziglang, a build requirement. A library of FMUs that would need a newer glibc than one by ziglang is
compiled by ziglang. If $CC is set, it compiles all but WebAssembly, which is left out if there is no ziglang. If MOBOD_WHEEL_FOR is set
to a platform, such as x86_64-windows, the wheel is for that platform and contains all libraries, those of interpreted FMUs for all
platforms, all by ziglang: release.py makes wheels so. An editable install compiles on first use instead.
"""

import logging
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags

ROOT = Path(__file__).resolve().parents[1]


class RuntimeBuildHook(BuildHookInterface):
    def dependencies(self) -> list[str]:
        # a build frontend passes the name of the hook in its arguments: get_requires_for_build_editable
        is_editable = any("editable" in argument for argument in sys.argv)
        if is_editable:
            return []
        return ["cffi", "fmpy>=0.3.26", *([] if os.environ.get("CC") else ["ziglang>=0.16"])]  # fmpy has the headers of FMI

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the libraries to the wheel, and the platform to the wheel's name."""
        if version == "editable":
            return
        sys.path.insert(0, str(ROOT / "engine"))
        logging.basicConfig(level=logging.INFO, format="%(message)s")  # such as that a C library is compiled once
        from mobod.runtime.compiler import Compiler, build_library, find_compiler, has_zig, zig_compiler
        from mobod.runtime.declarations import IN_PACKAGE, make_module
        from mobod.runtime.elf import required_glibc
        from mobod.runtime.packaged import INTERPRETED, PACKAGED, RUNTIME, WEB_RUNTIME, WHEEL_TAGS, PackagedLibrary, place_in_package
        from mobod.runtime.targets import TARGETS, Target, host_target

        chosen = os.environ.get("MOBOD_WHEEL_FOR")
        own = host_target() if chosen is None else next(target for target in TARGETS if target.platform == chosen)

        def compiler_of(library: PackagedLibrary, target: Target) -> Compiler:
            as_models = library == RUNTIME or (sys.platform == "linux" and library in INTERPRETED.values())
            by_own = as_models or os.environ.get("CC") or not has_zig()
            return find_compiler() if by_own and chosen is None and library != WEB_RUNTIME else zig_compiler(target)

        def built(library: PackagedLibrary, target: Target, compiler: Compiler) -> Path:
            return build_library(
                library.name,
                library.sources(),
                include_directories=[headers],
                compiler=compiler,
                target=target,
                flags_of=library.flags_of,
            )

        def runs_on_older_systems(file: Path, target: Target) -> bool:
            oldest = target.zig.rpartition("gnu.")[2]
            return (required_glibc(file.read_bytes()) or (0,)) <= tuple(map(int, oldest.split(".")))

        headers = Path(find_spec("fmpy").submodule_search_locations[0]) / "c-code"
        for library in PACKAGED:
            if library == WEB_RUNTIME and not has_zig():
                continue  # it is built on first use, if ziglang is installed then
            for target in library.targets_in_wheel(own, for_release=chosen is not None):
                self.app.display_info(f"compiling {library.name} for {target.platform}")
                compiler = compiler_of(library, target)
                file = built(library, target, compiler)
                may_choose = not compiler.is_zig and has_zig() and not os.environ.get("CC")
                if may_choose and library in INTERPRETED.values() and not runs_on_older_systems(file, target):
                    file = built(library, target, zig_compiler(target))
                build_data["force_include"][str(file)] = f"mobod/{place_in_package(library, target)}"
        self._scratch = TemporaryDirectory()  # until the wheel is written
        declarations = Path(self._scratch.name, "declarations.py")
        declarations.write_text(make_module(), encoding="utf-8")
        build_data["force_include"][str(declarations)] = f"mobod/{IN_PACKAGE}"
        build_data["pure_python"] = False
        oldest = WHEEL_TAGS.get(own.platform) if compiler_of(RUNTIME, own).is_zig else None
        build_data["tag"] = f"py3-none-{oldest if chosen else _platform_of_this_machine(oldest)}"


def _platform_of_this_machine(oldest: str | None) -> str:
    """The tags of the oldest systems on which the library runs, if this machine accepts one; otherwise that of this machine."""
    tags = list(platform_tags())
    return oldest if oldest and set(oldest.split(".")) & set(tags) else tags[-1] if tags[-1].startswith("linux_") else tags[0]
