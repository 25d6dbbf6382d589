"""Build hook for wheels: compiles the C runtime into the wheel, so that neither installing mobod nor exporting FMUs needs a compiler.

The compiler is $CC if set, otherwise ziglang, which is a build requirement. An editable install compiles on first use instead.
"""

import os
import sys
from importlib.util import find_spec
from pathlib import Path
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
        return ["fmpy>=0.3.26", *([] if os.environ.get("CC") else ["ziglang>=0.16"])]  # fmpy has the headers of FMI

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the library to the wheel, and the platform to the wheel's name."""
        if version == "editable":
            return
        sys.path.insert(0, str(ROOT / "engine"))
        from mobod.native_sources import loader_sources, runtime_sources
        from mobod.runtime.compiler import build_library, find_compiler, has_zig, zig_compiler
        from mobod.runtime.targets import host_target

        uses_zig = has_zig() and not os.environ.get("CC")
        compiler = zig_compiler(host_target()) if uses_zig else find_compiler()
        headers = Path(find_spec("fmpy").submodule_search_locations[0]) / "c-code"
        uses = {use: runtime_sources(use) for use in ("library", "interpreted")}
        if host_target().zig.startswith(("x86_64-linux", "x86_64-windows")):  # Python FMUs run nowhere else
            uses["python_loader"] = loader_sources()
        for use, sources in uses.items():
            library = build_library(f"mobod_{use}", sources, include_directories=[headers], compiler=compiler)
            build_data["force_include"][str(library)] = f"mobod/_native/{library.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{_platform(uses_zig)}"


def _platform(uses_zig: bool) -> str:
    """The platform tag: with zig the oldest system on which the library runs (targets.py), otherwise this machine."""
    tags = list(platform_tags())
    oldest = [tag for tag in tags if tag.startswith(("manylinux_2_17_", "macosx_11_0_"))]
    return oldest[0] if uses_zig and oldest else tags[-1] if tags[-1].startswith("linux_") else tags[0]
