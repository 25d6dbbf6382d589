"""Calls of kernels by the C runtime, in order, on arrays of Python: programs, compiled functions, and procedures of the runtime."""

from collections.abc import Sequence
from typing import NamedTuple, final

import numpy as np

from mobod.errors import MobodError
from mobod.runtime.c_objects import CObject
from mobod.runtime.library import doubles, ffi, ints, runtime, scratch
from mobod.runtime.tables import CFunction, Memory, Struct
from mobod.scalar.bytecode import Program
from mobod.scalar.c_code import Form
from mobod.scalar.procedure import Procedure, PythonProcedure

REPEAT = 4  # of fmu_src/native/tables/kernel.h


@final
class LoadedProgram:
    """A program in memory for the C runtime (`Program` of interpreter.h)."""

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
                program.is_adjoint,
            ],
        )
        reason = runtime().mobod_fault_of_program(self._in_c)
        if reason != ffi.NULL:
            raise MobodError(f"a program of recorded code is invalid: {ffi.string(reason).decode()}. This is an error of mobod.")
        self.kernel = runtime().mobod_program_kernel(self._in_c)


@final
class LoadedFunction:
    """A compiled function.

    function  `KernelFunction *`, in a library that stays loaded
    sizes     (n,) numbers of entries of each input, then of each output
    """

    n_registers = 0

    def __init__(self, function: object, sizes: np.ndarray):
        self.sizes = sizes
        self._in_c = ffi.new("Kernel *", [function, ffi.NULL])
        self.kernel = self._in_c[0]


@final
class LoadedProcedure:
    """A procedure of the runtime, its tangent or its adjoint."""

    sizes = np.zeros(0, dtype=np.uint32)
    n_registers = 0

    def __init__(self, procedure: Procedure, form: Form = "kernel"):
        in_c = procedure.in_c()
        self._memory = Memory(kernel_function)
        self.kernel = self._memory.struct(Struct("Kernel", run=CFunction(getattr(in_c, form)), context=in_c.context))[0]


def kernel_function(name: str) -> CObject:
    """A function of the runtime for use in tables."""
    return runtime().mobod_kernel_function(name.encode())


class KernelCall(NamedTuple):
    """A kernel and the offsets of its inputs, then of its outputs. A procedure has these in its table."""

    kernel: LoadedProgram | LoadedFunction | LoadedProcedure
    at: tuple[int, ...] = ()


@final
class KernelCalls:
    """Calls in order, after ranges were set to zero. Threads may use it at the same time on different arrays."""

    def __init__(self, calls: Sequence[KernelCall], clears: Sequence[tuple[int, int]] = ()):
        """clears: (offset, count) of the ranges in w, or in dw if the kernels are tangents."""
        kernels = list(dict.fromkeys(call.kernel for call in calls))
        number = {kernel: i for i, kernel in enumerate(kernels)}
        counts = [len(call.at) for call in calls]
        at = np.array([offset for call in calls for offset in call.at], dtype=np.intc)
        sizes = np.concatenate([np.zeros(0, dtype=int), *(call.kernel.sizes for call in calls)])
        ends = [*(at[sizes > 0] + sizes[sizes > 0]), *(offset + count for offset, count in clears)]
        self._end = max(ends, default=0)
        self.n_registers = max((kernel.n_registers for kernel in kernels), default=0) + 1
        self.needs_scratch = self.n_registers > 1  # only programs do
        self._loaded = kernels  # keeps alive what the kernels refer to
        self._kernels = ffi.new("Kernel[]", [each.kernel for each in kernels])
        arrays = [
            np.array(clears, dtype=np.intc).ravel(),
            np.array([number[call.kernel] for call in calls], dtype=np.intc),
            np.concatenate([[0], np.cumsum(counts)])[:-1].astype(np.intc),
            at,
        ]
        clear, kernel, first, at_ = (ints(array) for array in arrays)
        self._arrays = (arrays, clear, kernel, first, at_)
        self._sweep = ffi.new("Sweep *", [len(clears), clear, len(calls), kernel, first, at_])
        self.in_c = (self._sweep, self._kernels)  # `KernelCalls` of api.h
        self._call: CObject = runtime().mobod_call_kernels

    def __call__(self, w: np.ndarray, dw: np.ndarray | None = None) -> int:
        """Read and write w; tangents read w and dw and write dw. Both must be contiguous float64 arrays. Returns the result in C.

        Raises MobodError for arrays that are too short.
        """
        self.check_size(len(w))
        if dw is not None:
            self.check_size(len(dw))
        changes = ffi.NULL if dw is None else doubles(dw)
        return int(self._call(self._sweep, self._kernels, doubles(w), changes, scratch.at_least(self.n_registers)))

    def check_size(self, n: int) -> None:
        """Raise MobodError for arrays of n numbers that are too short."""
        if n < self._end:
            raise MobodError(f"an array of {n} numbers is too short: offset {self._end - 1} is used. This is a bug in mobod.")

    @classmethod
    def sample(
        cls, calls: "Sequence[KernelCalls]", w: np.ndarray, time_at: int, times: np.ndarray, y_at: int, ys: np.ndarray, at: Sequence[int]
    ) -> np.ndarray:
        """The numbers at some offsets after calls at several times, each with its time and y in w; NaN after a call that failed.

        w        (n,)     changed
        times    (m,)
        ys       (m, ny)
        returns  (m, len(at))
        """
        for each in calls:
            each.check_size(len(w))
        out = np.full((len(times), len(at)), np.nan)
        runtime().mobod_sample(
            len(calls),
            ffi.new("KernelCalls[]", [each.in_c for each in calls]),
            doubles(w),
            scratch.at_least(max((each.n_registers for each in calls), default=0)),
            *(len(times), time_at, doubles(np.ascontiguousarray(times)), y_at, ys.shape[1], doubles(np.ascontiguousarray(ys).reshape(-1))),
            *(len(at), ints(np.array(at, dtype=np.intc)), doubles(out.reshape(-1))),
        )
        return out


def run_procedure(procedure: Procedure, w: np.ndarray, state: object) -> int:
    """Run a procedure in C or in Python. state: the State whose numbers are in w; None if there is none. Returns the result in C."""
    if not isinstance(procedure, PythonProcedure):
        made = procedure.in_c().context.made
        if procedure.name not in made:
            made[procedure.name] = KernelCalls([KernelCall(LoadedProcedure(procedure))])
        result = made[procedure.name](w)
        if (problem := procedure.problem(w)) is not None:
            raise problem
        return result
    if state is None:
        procedure.refuse("done without a State")
    procedure.run_on(state, w)
    return 0
