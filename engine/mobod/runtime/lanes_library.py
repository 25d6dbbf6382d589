"""The C runtime compiled for the vector instructions of this processor: runs side by side (fmu_src/native/lanes/lanes.h)."""

from functools import cache

from mobod.runtime.c_objects import CObject
from mobod.runtime.compiler import build_library
from mobod.runtime.library import ffi
from mobod.runtime.packaged import LANES, packaged_library
from mobod.runtime.simd import Simd
from mobod.runtime.targets import host_target


@cache
def lanes_runtime(simd: Simd) -> CObject:
    """The functions of api.h with those of lanes.h, for these instructions.

    A wheel of a release contains the library. Other installations build it on first use, a checkout also when its sources change.
    Raises NoCompilerError or CompileError if it cannot be built.
    """
    library = LANES[simd.name]
    file = packaged_library(library, host_target()) or build_library(library.name, library.sources(), flags_of=library.flags_of)
    return ffi.dlopen(str(file))
