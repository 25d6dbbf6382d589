"""The C runtime as a library of this process, called through cffi.

Its declarations are read from the headers (declarations.py), so structures are defined only once.
"""

import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np

from mobod.runtime.c_objects import CMember, CObject, CType
from mobod.runtime.compiler import build_library
from mobod.runtime.declarations import read_declarations
from mobod.runtime.packaged import RUNTIME, packaged_library
from mobod.runtime.targets import host_target

ffi = read_declarations()


def type_of(name: str) -> CType:
    """A structure or an enumeration of the headers, as cffi describes it. Does not need the library."""
    return ffi.typeof(name)


@cache
def members_of(structure: str) -> Mapping[str, CMember]:
    """The members of a structure by their names."""
    return dict(type_of(structure).fields)


def member_type(structure: str, member: str) -> CType:
    """The type of a member, such as a function pointer for ffi.callback. (cffi aborts the process if it reads a function type that takes
    the structure which contains it before it has read the structure.)
    """
    return members_of(structure)[member].type


@cache
def runtime() -> CObject:
    """The functions of api.h.

    An installed wheel contains the library. A checkout builds it on first use and when its sources change.
    Raises NoCompilerError or CompileError if a checkout cannot build it.
    """
    return ffi.dlopen(str(library_path()))


@cache
def library_path() -> Path:
    """The file of the runtime's library."""
    return packaged_library(RUNTIME, host_target()) or build_library(RUNTIME.name, RUNTIME.sources())


def constant(name: str) -> int:
    """The value of an enumerator of the headers."""
    value: int = getattr(runtime(), name)
    return value


def enumerators(enumeration: str) -> dict[str, int]:
    """The names and values of an enumeration in the headers, such as Outcome or EventMemory. Does not need the library."""
    return {name: int(value) for name, value in type_of(enumeration).relements.items()}


def doubles(array: np.ndarray) -> CObject:
    """`double *` to the numbers of a contiguous array, which must live longer."""
    return ffi.from_buffer("double[]", array)


def ints(array: np.ndarray) -> CObject:
    """`int *` to the numbers of a contiguous int32 array, which must live longer."""
    return ffi.from_buffer("int[]", array)


def workspace(n_reals: int, n_integers: int) -> tuple[np.ndarray, np.ndarray]:
    """Uninitialized memory for C: doubles and int32 numbers."""
    return np.empty(n_reals), np.empty(n_integers, dtype=np.int32)


def reals_at(pointer: object, n: int) -> np.ndarray:
    """(n,) a copy of the numbers at a `double *`."""
    return np.array(ffi.unpack(pointer, n), dtype=float)


def numbers_at(pointer: object, shape: tuple[int, ...]) -> np.ndarray:
    """The numbers at a `double *` as an array, without a copy."""
    size = int(np.prod(shape))
    return np.frombuffer(ffi.buffer(pointer, 8 * size)).reshape(shape) if size else np.empty(shape)


class _Scratch(threading.local):
    """Scratch memory for kernels, separate for each thread."""

    def __init__(self) -> None:
        self.size = 0
        self.numbers: CObject | None = None

    def at_least(self, size: int) -> CObject:
        if self.numbers is None or size > self.size:
            self.size, self.numbers = size, ffi.new("double[]", size)
        return self.numbers


scratch = _Scratch()
