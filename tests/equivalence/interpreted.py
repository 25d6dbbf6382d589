"""Programs of bytecode, run by the interpreter of the runtime through ctypes."""

import ctypes
from collections.abc import Sequence
from functools import cache

import numpy as np

from mobod.native_sources import elementary_sources, native_file, native_folders
from mobod.runtime.compiler import build_library
from mobod.scalar.bytecode import Program, program_of
from mobod.scalar.recording import Recording

GUARD = -12345.678  # after the registers that a program may use
_WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fvisibility=default")


class ProgramInC(ctypes.Structure):
    """The structure Program of interpreter.h."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("code", "constants", "tables", "sizes")),
        *((name, ctypes.c_uint32) for name in ("n_code", "n_constants", "n_table_numbers", "n_inputs", "n_outputs", "n_registers")),
        *((name, ctypes.c_int) for name in ("is_tangent", "is_adjoint")),
    )


class CallInC(ctypes.Structure):
    """The structure Call of kernel.h."""

    _fields_ = tuple((name, ctypes.c_void_p) for name in ("w", "dw", "scratch", "host"))


@cache
def interpreter() -> ctypes.CDLL:
    sources = {"interpreter.c": native_file("interpreter.c").read_text(encoding="utf-8"), **elementary_sources()}
    library = ctypes.CDLL(str(build_library("interpreter", sources, include_directories=native_folders(), flags=_WARNINGS)))
    library.fault_of_program.restype = ctypes.c_char_p
    return library


def in_c(program: Program) -> ProgramInC:
    """The C structure of a program. The program's arrays must live as long as the structure."""
    arrays = (program.code, program.constants, program.tables, program.sizes)
    counts = (len(program.code), len(program.constants), len(program.tables), program.n_inputs, program.n_outputs, program.n_registers)
    return ProgramInC(*(array.ctypes.data for array in arrays), *counts, program.is_tangent, program.is_adjoint)


def fault_of_program(program: Program) -> str | None:
    reason = interpreter().fault_of_program(ctypes.byref(in_c(program)))
    return reason.decode() if reason else None


def run(program: Program, at: Sequence[int], w: np.ndarray, dw: np.ndarray | None = None) -> None:
    """Runs a valid program on w, or on w and dw."""
    assert fault_of_program(program) is None
    assert all(0 <= offset <= len(w) - size for offset, size in zip(at, program.sizes, strict=True))
    assert dw is None or len(dw) == len(w)
    scratch = np.full(program.n_registers + 1, GUARD)
    call = CallInC(w.ctypes.data, None if dw is None else dw.ctypes.data, scratch.ctypes.data, None)
    offsets = (ctypes.c_int * len(at))(*at)
    assert interpreter().run_program(ctypes.byref(in_c(program)), ctypes.byref(call), offsets) == 0
    assert scratch[-1] == GUARD


class Interpreted:
    """A recorded function as bytecode. A call returns its results in arrays that are first filled with NaN."""

    def __init__(self, recording: Recording):
        self._program = program_of(recording, adds=frozenset(), is_tangent=False)
        self._at = np.concatenate([[0], np.cumsum(self._program.sizes)]).astype(int).tolist()
        self._shapes = [output.shape for output in recording.outputs]

    def __call__(self, arguments: Sequence[np.ndarray]) -> list[np.ndarray]:
        *at, size = self._at
        w = np.full(size, np.nan)
        given = np.concatenate([np.ravel(argument) for argument in arguments]) if arguments else np.zeros(0)
        w[: len(given)] = given
        run(self._program, at, w)
        n = self._program.n_inputs
        sizes = self._program.sizes[n:].tolist()
        return [w[offset : offset + k].reshape(shape) for offset, k, shape in zip(at[n:], sizes, self._shapes, strict=True)]


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether arrays have the same bits. All NaN are equal, because their sign and payload are undefined."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return a.shape == b.shape and bool(np.all((a.view(np.uint64) == b.view(np.uint64)) | (np.isnan(a) & np.isnan(b))))
