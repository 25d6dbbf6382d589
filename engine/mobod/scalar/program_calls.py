"""Programs that the C runtime calls in order on arrays of Python."""

from collections.abc import Sequence
from typing import Any, NamedTuple, final

import numpy as np

from mobod.errors import MobodError
from mobod.runtime.library import doubles, ffi, ints, runtime, scratch
from mobod.scalar.bytecode import Program


@final
class LoadedProgram:
    """A program as the C runtime has it (`Program` of interpreter.h)."""

    def __init__(self, program: Program):
        self.sizes = program.sizes
        self.n_registers = program.n_registers
        self._arrays = [
            ffi.from_buffer("uint32_t[]", program.code),
            doubles(program.constants),
            doubles(program.tables),
            ffi.from_buffer("uint32_t[]", program.sizes),
        ]
        self._in_c = ffi.new(
            "Program *",
            [
                *self._arrays,
                *(len(array) for array in (program.code, program.constants, program.tables)),
                program.n_inputs,
                program.n_outputs,
                program.n_registers,
                program.is_tangent,
            ],
        )
        reason = runtime().mobod_why_not_a_program(self._in_c)
        if reason != ffi.NULL:
            raise MobodError(f"a program of recorded code is not sound: {ffi.string(reason).decode()}. This is an error of mobod.")
        self.kernel = runtime().mobod_program_kernel(self._in_c)


class ProgramCall(NamedTuple):
    """A program, and where its inputs and then its outputs lie."""

    program: LoadedProgram
    at: tuple[int, ...]


@final
class ProgramCalls:
    """Calls in order, after ranges are set to zero; for threads that work on different arrays."""

    def __init__(self, calls: Sequence[ProgramCall], clears: Sequence[tuple[int, int]] = ()):
        """clears: (offset, count) of the ranges, of w, or of dw where the programs are tangents."""
        programs = list(dict.fromkeys(call.program for call in calls))
        number = {program: i for i, program in enumerate(programs)}
        counts = [len(call.at) for call in calls]
        at = np.array([offset for call in calls for offset in call.at], dtype=np.intc)
        sizes = np.concatenate([np.zeros(0, dtype=int), *(call.program.sizes for call in calls)])
        ends = [*(at[sizes > 0] + sizes[sizes > 0]), *(offset + count for offset, count in clears)]
        self._end = max(ends, default=0)
        self._n_registers = max((program.n_registers for program in programs), default=0) + 1
        self._programs = programs  # they must outlive the kernels
        self._kernels = ffi.new("Kernel[]", [program.kernel for program in programs])
        arrays = [
            np.array(clears, dtype=np.intc).ravel(),
            np.array([number[call.program] for call in calls], dtype=np.intc),
            np.concatenate([[0], np.cumsum(counts)])[:-1].astype(np.intc),
            at,
        ]
        clear, kernel, first, at_ = (ints(array) for array in arrays)
        self._arrays = (arrays, clear, kernel, first, at_)
        self._sweep = ffi.new("Sweep *", [len(clears), clear, len(calls), kernel, first, at_])
        self._call: Any = runtime().mobod_call_kernels

    def __call__(self, w: np.ndarray, dw: np.ndarray | None = None) -> None:
        """Read and write w, or, for tangents, read w and dw and write dw. Both contiguous float64.

        Raises MobodError for arrays that are too short for what is read and written.
        """
        if len(w) < self._end or (dw is not None and len(dw) < self._end):
            raise MobodError(f"an array of {len(w)} numbers is too short: offset {self._end - 1} is used. This is an error of mobod.")
        changes = ffi.NULL if dw is None else doubles(dw)
        self._call(self._sweep, self._kernels, doubles(w), changes, scratch.at_least(self._n_registers))
