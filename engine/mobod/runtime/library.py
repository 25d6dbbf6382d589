"""The C runtime as a library of this process, called through cffi.

Its declarations are read from the headers (fmu_src/native/api.h and those that it includes), so structures are defined only once.
"""

import re
import threading
from functools import cache
from pathlib import Path
from typing import Any

import cffi
import numpy as np

from mobod.native_sources import native_sources
from mobod.runtime.compiler import build_library
from mobod.runtime.packaged import RUNTIME, packaged_library
from mobod.runtime.targets import host_target

_INCLUDED = re.compile(r'^#include "(.*)"', re.MULTILINE)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_PREPROCESSOR = re.compile(r"^\s*#.*(?:\\\n.*)*$", re.MULTILINE)
_INLINE_FUNCTION = re.compile(r"^static inline [^\n]*(?:\}$|\n.*?^\}$)", re.DOTALL | re.MULTILINE)


def _declarations(header: str) -> str:
    """The declarations of a header of the runtime, and of those that it includes, for cffi."""
    texts: dict[str, str] = {}

    def visit(name: str) -> None:
        if name in texts:
            return
        text = (native_sources() / name).read_text(encoding="utf-8")
        for included in _INCLUDED.findall(text):
            visit(included)
        text = _PREPROCESSOR.sub("", _COMMENT.sub("", text)).replace("MOBOD_API ", "")
        texts[name] = _INLINE_FUNCTION.sub("", text)

    visit(header)
    return "\n".join(texts.values())


ffi = cffi.FFI()
ffi.cdef(_declarations("api.h"))


@cache
def _types() -> dict[str, Any]:
    # all at once: cffi parses the names of all types again for each text that it parses, which takes 10 ms
    names = ffi.list_types()[0]
    pointers = ffi.typeof(f"void(*)({', '.join(f'{name} *' for name in names)})").args
    return {name: pointer.item for name, pointer in zip(names, pointers, strict=True) if pointer.kind == "pointer"}


def type_of(name: str) -> Any:
    """A structure or an enumeration of the headers, as cffi describes it. Does not need the library."""
    return _types()[name]


@cache
def runtime() -> Any:
    """The functions of api.h.

    An installed wheel contains the library. A checkout builds it on first use and when its sources change.
    Raises NoCompilerError or CompileError if a checkout cannot build it.
    """
    return ffi.dlopen(str(_library()))


def _library() -> Path:
    return packaged_library(RUNTIME, host_target()) or build_library(RUNTIME.name, RUNTIME.sources())


def constant(name: str) -> int:
    """The value of an enumerator of the headers."""
    value: int = getattr(runtime(), name)
    return value


def enumerators(enumeration: str) -> dict[str, int]:
    """The names and values of an enumeration in the headers, such as Outcome or EventMemory. Does not need the library."""
    return {name: int(value) for name, value in type_of(enumeration).relements.items()}


def doubles(array: np.ndarray) -> Any:
    """`double *` to the numbers of a contiguous array, which must live longer."""
    return ffi.from_buffer("double[]", array)


def ints(array: np.ndarray) -> Any:
    """`int *` to the numbers of a contiguous int32 array, which must live longer."""
    return ffi.from_buffer("int[]", array)


def workspace(n_reals: int, n_integers: int) -> tuple[np.ndarray, np.ndarray]:
    """Uninitialized memory for C: doubles and int32 numbers."""
    return np.empty(n_reals), np.empty(n_integers, dtype=np.int32)


def reals_at(pointer: Any, n: int) -> np.ndarray:
    """(n,) a copy of the numbers at a `double *`."""
    return np.array(ffi.unpack(pointer, n), dtype=float)


def numbers_at(pointer: Any, shape: tuple[int, ...]) -> np.ndarray:
    """The numbers at a `double *` as an array, without a copy."""
    size = int(np.prod(shape))
    return np.frombuffer(ffi.buffer(pointer, 8 * size)).reshape(shape) if size else np.empty(shape)


class _Scratch(threading.local):
    """Scratch memory for kernels, separate for each thread."""

    def __init__(self) -> None:
        self.size = 0
        self.numbers: Any = None

    def at_least(self, size: int) -> Any:
        if self.numbers is None or size > self.size:
            self.size, self.numbers = size, ffi.new("double[]", size)
        return self.numbers


scratch = _Scratch()
