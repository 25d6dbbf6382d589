"""The C runtime as WebAssembly, for pages that run a model: fmu_src/web."""

# Decision: docs/decisions/145-runtime-as-webassembly.md

from functools import cache

from mobod.errors import NoCompilerError
from mobod.runtime.compiler import INSTALL_ZIGLANG, build_library, has_zig, zig_compiler
from mobod.runtime.packaged import WEB_RUNTIME, packaged_library
from mobod.runtime.targets import WEB


@cache
def web_library() -> bytes:
    """The library, one for all models. Its functions are those of live_model.h.

    An installed wheel contains it. A checkout builds it on first use and when its sources change.
    Raises NoCompilerError if a checkout cannot build it: only zig compiles for WebAssembly.
    """
    file = packaged_library(WEB_RUNTIME, WEB)
    if file is None:
        if not has_zig():
            raise NoCompilerError(
                "a page that runs the model needs the C runtime as WebAssembly, which this installation of mobod does not contain. The "
                f"Python package ziglang compiles it, once: {INSTALL_ZIGLANG}."
            )
        file = build_library(WEB_RUNTIME.name, WEB_RUNTIME.sources(), compiler=zig_compiler(WEB), target=WEB)
    return file.read_bytes()
