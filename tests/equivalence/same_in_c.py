"""Recorded functions through their compiled C, compared with their evaluation by NumPy and with their bytecode.

    assert same_in_c({"spring_force": (recording, [arguments, other arguments])})

All recordings go into one file that is compiled once, with warnings as errors, so that the suite stays quick.
"""

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mobod.native_sources import elementary_sources
from mobod.runtime.compiler import build_library
from mobod.scalar.c_code import c_function
from mobod.scalar.c_tables import c_tables
from mobod.scalar.evaluation import evaluate
from mobod.scalar.recording import Recording
from tests.equivalence.interpreted import Interpreted, same_bits

# -O1: the same numbers as -O2, which takes twice as long to compile functions of a thousand statements
STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fvisibility=default", "-O1")
# the same numbers in a third of the time, for many functions; test_operations_in_c.py compares their operations with -O1
UNOPTIMISED = (*STRICT, "-O0")

# IEEE 754 defines each bit of their results; the others are NumPy's functions, and those of elementary.h in C
EXACT = frozenset(
    [
        *("symbol", "constant", "add", "subtract", "multiply", "divide", "negative", "absolute", "sqrt", "floor", "sign", "where"),
        *("less", "less_equal", "equal", "not_equal", "logical_and", "logical_or", "logical_not"),
        *("table", "interval", "lookup"),
    ]
)
_PREFIX = "recorded_"  # avoids names of functions of libm
NUMPY_ULPS = 4096  # 1e-12: derivatives of tanh, for example, lose digits where their terms cancel

Arguments = Sequence[np.ndarray]


@dataclass(frozen=True)
class Comparison:
    """The result of a comparison: true if there are no differences. pytest prints the differences."""

    differences: list[str]

    def __bool__(self) -> bool:
        return not self.differences


def same_in_c(
    samples: Mapping[str, tuple[Recording, Sequence[Arguments]]], flags: Sequence[str] = STRICT, terms: float = 0.0
) -> Comparison:
    """Whether the C of each recording gives NumPy's numbers for each of the arguments, and bytecode the same bits as the C.

    NumPy's numbers are equal except for signs of zeros. With functions such as sin they may differ by NUMPY_ULPS of the largest entry
    of the result, or of `terms`, if terms of that size may cancel.
    """
    library = compiled({name: recording for name, (recording, _) in samples.items()}, flags)
    differences = []
    for name, (recording, each) in samples.items():
        tolerance = 0 if operations(recording) <= EXACT else NUMPY_ULPS
        bytecode = Interpreted(recording)
        for arguments in each:
            by_numpy = evaluate(recording, [np.asarray(argument, dtype=float) for argument in arguments])
            by_c = library.call(name, recording, arguments)
            by_bytecode = bytecode(arguments)
            for i, (a, b, c) in enumerate(zip(by_c, by_numpy, by_bytecode, strict=True)):
                if not ulps_within(a, b, tolerance, terms) or not same_bits(a, c):
                    at = [argument.tolist() for argument in arguments]
                    differences.append(f"{name}, result {i} at {at}: {a} in C, {b} by NumPy, {c} by bytecode")
    return Comparison(differences)


def operations(recording: Recording) -> set[str]:
    return {recording.tape.entries[number][0] for number in recording.needed}


def ulps_within(a: np.ndarray, b: np.ndarray, ulps: int, terms: float = 0.0) -> bool:
    """Whether entries are equal, both NaN, or within `ulps` units in the last place of the largest finite entry of b, or of terms."""
    finite = np.abs(b[np.isfinite(b)])
    tolerance = ulps * np.finfo(float).eps * finite.max(initial=terms)
    with np.errstate(invalid="ignore", over="ignore"):
        return bool(np.all((a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= tolerance)))


@dataclass(frozen=True)
class CompiledFunctions:
    library: ctypes.CDLL

    def call(self, name: str, recording: Recording, arguments: Arguments) -> list[np.ndarray]:
        """The results, in arrays that are first filled with NaN."""
        given = [np.array(argument, dtype=float).ravel() for argument in arguments]
        results = [np.full(output.shape, np.nan) for output in recording.outputs]
        function = self.library[_PREFIX + name]
        function.restype = None
        function(*(array.ctypes.data_as(ctypes.c_void_p) for array in (*given, *results)))
        return results


def compiled(recordings: Mapping[str, Recording], flags: Sequence[str] = STRICT) -> CompiledFunctions:
    """One library with a function for each recording, by name."""
    functions = [c_function(recording, _PREFIX + name) for name, recording in recordings.items()]
    source = "\n".join(['#include "number.h"\n', *c_tables(recordings.values()), *functions])
    return CompiledFunctions(ctypes.CDLL(str(build_library("recorded", elementary_sources() | {"recorded.c": source}, flags=flags))))
