"""Functions that set and read numbers of a run in C, again and again."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from mobod.compilation.native.native_run import NativeRun
from mobod.runtime.library import doubles, ffi, ints, runtime, scratch
from mobod.scalar.kernel_calls import KernelCalls


def number_setter(run: NativeRun, at: np.ndarray, stage: int) -> Callable[[ArrayLike], None]:
    """A function that sets numbers of w to given values (n,), or to one number.

    at     (n,) int32  offsets
    stage              the first stage that depends on them
    """
    set_numbers, values, n, at_in_c = runtime().simulation_set, np.zeros(len(at)), len(at), ints(at)
    values_in_c = doubles(values)

    def write(given: ArrayLike) -> None:
        values[:] = given
        run.n_sets += 1
        set_numbers(run.handle, n, at_in_c, values_in_c, stage)

    return write


def number_reader(run: NativeRun, at: np.ndarray, calls: Sequence[KernelCalls], n_copied: int) -> Callable[[], np.ndarray]:
    """A function that returns numbers of w (n,), after calls that compute them on a copy. They are NaN where a call cannot do that.

    at        (n,) int32  offsets
    n_copied              size of the copy
    """
    output, n, n_calls, numbers = runtime().simulation_output, len(at), len(calls), np.zeros(len(at))
    calls_in_c, copy, at_in_c = ffi.new("KernelCalls[]", [each.in_c for each in calls]), np.zeros(n_copied), ints(at)
    copy_in_c, numbers_in_c = doubles(copy), doubles(numbers)
    n_registers = max((each.n_registers for each in calls), default=1)

    def read(_: object = (calls, at)) -> np.ndarray:  # which C uses
        memory = scratch.at_least(n_registers)
        if output(run.handle, n_calls, calls_in_c, memory, copy_in_c, n_copied, n, at_in_c, numbers_in_c):
            numbers[:] = np.nan
        return numbers.copy()

    return read
