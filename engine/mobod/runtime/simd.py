"""The vector instructions of processors, for runs side by side (fmu_src/native/lanes/lanes.h), and for calls of a sweep side by side
(fmu_src/native/elementary/lanes_of_calls.h).
"""

# Decision: docs/decisions/133-lanes.md

import ctypes
import os
import platform
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, final

from mobod.errors import InputError

VARIABLE: Final = "MOBOD_SIMD"


@final
@dataclass(frozen=True)
class Simd:
    """Vector instructions.

    name   as in MOBOD_SIMD
    lanes  doubles in a vector
    flags  for the compiler
    """

    name: str
    lanes: int
    flags: tuple[str, ...]

    @property
    def library_flags(self) -> tuple[str, ...]:
        """The compiler's flags for the runtime with lanes."""
        return (f"-DMOBOD_WIDTH={self.lanes}", *self.flags)

    @property
    def kernel_flags(self) -> tuple[str, ...]:
        """The compiler's flags for kernels over lanes."""
        return (f"-DMOBOD_LANES={self.lanes}", *self.flags)

    @property
    def n_calls(self) -> int:
        """How many calls of a sweep are done side by side. More than four are seldom ready at the same time."""
        return min(self.lanes, 4)

    @property
    def flags_for_calls(self) -> tuple[str, ...]:
        """The compiler's flags for kernels of one State, some of them over calls side by side."""
        return (f"-DMOBOD_WIDTH={self.n_calls}", *self.flags)


# by processor, the widest first; -Wno-psabi: vectors are passed between functions of one library alone;
# -fno-tree-vectorize: the vectorizer of gcc 12 makes fused multiply-adds of AVX-512, in spite of -ffp-contract=off
SIMD: Final = {
    "x86_64": (
        Simd("avx512", 8, ("-mavx512f", "-mavx512vl", "-fno-tree-vectorize", "-Wno-psabi")),
        Simd("avx2", 4, ("-mavx2", "-Wno-psabi")),
        Simd("sse2", 2, ("-Wno-psabi",)),
    ),
    "aarch64": (Simd("neon", 2, ()),),
}


@cache
def available_simd() -> tuple[Simd, ...]:
    """Those of this processor, the widest first. Empty for a processor that is neither x86_64 nor aarch64."""
    machine = platform.machine().lower()
    found = SIMD.get({"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine), ())
    return tuple(each for each in found if each.name in ("sse2", "neon") or _has(each.name))


def chosen_simd() -> Simd | None:
    """The widest, or that which MOBOD_SIMD names; None if there is none, or if it names `none`. Raises InputError for a name that this
    processor does not have.
    """
    available, name = available_simd(), os.environ.get(VARIABLE, "").strip()
    if name == "none":
        return None
    if not name:
        return available[0] if available else None
    for each in available:
        if each.name == name:
            return each
    there_are = ", ".join([*(each.name for each in available), "none"])
    raise InputError(f"{VARIABLE} is set to '{name}', which this processor does not have. Valid: {there_are}. Correct it, or unset it.")


def _has(name: str) -> bool:
    """Whether this x86_64 processor and its system have avx2 or avx512."""
    system = platform.system()
    if system == "Linux":
        found = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        flags = set(next((line for line in found.splitlines() if line.startswith("flags")), "").split())
        return flags.issuperset({"avx2": ["avx2"], "avx512": ["avx512f", "avx512vl"]}[name])
    if system == "Windows":  # PF_AVX2_INSTRUCTIONS_AVAILABLE, PF_AVX512F_INSTRUCTIONS_AVAILABLE
        return bool(ctypes.CDLL("kernel32").IsProcessorFeaturePresent({"avx2": 40, "avx512": 41}[name]))
    value, size = ctypes.c_int(0), ctypes.c_size_t(4)
    feature = {"avx2": b"hw.optional.avx2_0", "avx512": b"hw.optional.avx512vl"}[name]
    known = ctypes.CDLL(None).sysctlbyname(feature, ctypes.byref(value), ctypes.byref(size), None, ctypes.c_size_t(0)) == 0
    return known and value.value != 0
