"""Compiles kernels into a library and loads it."""

import ctypes
from pathlib import Path

from mobod.compilation.source.model_kernels import CompiledKernels
from mobod.native_sources import kernel_sources
from mobod.runtime.c_objects import CObject
from mobod.runtime.compiler import LibraryOrder, built, library_order
from mobod.runtime.library import ffi
from mobod.runtime.simd import Simd


def built_functions(kernels: CompiledKernels, simd: Simd | None = None, *, over_lanes: bool = False) -> dict[str, CObject]:
    """name -> compiled function.

    simd        instructions that the functions may use; kernels of rows side by side need them
    over_lanes  over Numbers with several lanes, one for each run

    Raises NoCompilerError or CompileError.
    """
    return loaded_functions(kernels, built(functions_order(kernels, simd, over_lanes=over_lanes)))


LARGE, LESS_OPTIMIZED = 200_000, ("-O1",)
"""Characters of a C file from which on it is compiled in half the time, for the same speed: large kernels have no loops. The rows of a box
and a capsule took 10.5 s and 6.9 s, and take 4.8 s and 3.6 s; a call takes 2.3 us in both cases."""


def functions_order(kernels: CompiledKernels, simd: Simd | None = None, *, over_lanes: bool = False) -> LibraryOrder:
    """The library of these functions, which is to be built. Raises NoCompilerError."""
    names = kernels.functions
    exports = "\n".join(
        [
            "/* Made by mobod: what this library shows. */",
            '#include "exported.h"\n#include "kernel.h"\n',
            *(f"KernelFunction {name};" for name in names),
            f"MOBOD_API KernelFunction *const mobod_kernels[] = {{{', '.join(names) or '0'}}};\n",
        ]
    )
    sources = {**kernel_sources(with_lanes=simd is not None), **kernels.files, "exports.c": exports}
    flags = () if simd is None else simd.kernel_flags if over_lanes else simd.flags_for_calls
    flags_of = {} if over_lanes else {file: LESS_OPTIMIZED for file, text in kernels.files.items() if len(text) > LARGE}
    return library_order("mobod_kernels" if simd is None else f"mobod_kernels_{simd.name}", sources, flags=flags, flags_of=flags_of)


def loaded_functions(kernels: CompiledKernels, file: Path) -> dict[str, CObject]:
    """name -> compiled function of their library."""
    names, library = kernels.functions, ctypes.CDLL(str(file))
    table = (ctypes.c_void_p * max(1, len(names))).in_dll(library, "mobod_kernels")
    return {name: ffi.cast("KernelFunction *", table[i]) for i, name in enumerate(names)}
