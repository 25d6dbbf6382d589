"""Bytecode of kernels, tangents and adjoints gives the bits of compiled C: random recordings of all operations, calls of all constraints.

All recordings are compiled once, into one library. Functions of operations and of elements are in same_in_c.py, whose tests compare
bytecode too.
"""

import ctypes
import itertools
from dataclasses import dataclass, field

import numpy as np
import pytest

from mobod.native_sources import kernel_sources
from mobod.runtime.compiler import build_library
from mobod.scalar import StaticTable, Tape
from mobod.scalar.adjoint import adjoint_twin
from mobod.scalar.bytecode import Program, adjoint_program_of, program_of
from mobod.scalar.c_code import Form, c_adjoint, c_kernel, c_tangent
from mobod.scalar.c_tables import c_tables
from mobod.scalar.derivative import tangent_twin
from mobod.scalar.operations import OPERATIONS
from mobod.scalar.recording import Recording
from mobod.scalar.sweep import SweepCall
from tests.equivalence.interpreted import CallInC, run, same_bits
from tests.equivalence.same_in_c import UNOPTIMISED
from tests.laws.loops import CONSTRAINTS, random_loops

N_RANDOM = 20
SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 5e-324, -2.2e-308, 1.7976931348623157e308])
TABLES = [StaticTable([-1.5, -1.0, -0.2, 0.0, 0.3, 0.9, 1.4]), StaticTable([0.5, 2.0])]
SUMS_AND_PRODUCTS = ("add", "subtract", "multiply", "negative")


@dataclass(frozen=True)
class Case:
    """A recording whose compiled C is `name`."""

    name: str
    recording: Recording
    adds: frozenset[int]
    form: Form

    @property
    def source(self) -> str:
        write = {"kernel": c_kernel, "tangent": c_tangent, "adjoint": c_adjoint}[self.form]
        return write(self.recording, self.name, adds=self.adds, writes_early=False)

    @property
    def program(self) -> Program:
        if self.form == "adjoint":
            return adjoint_program_of(self.recording, adds=self.adds)
        return program_of(self.recording, adds=self.adds, is_tangent=self.form == "tangent")

    @property
    def sizes(self) -> list[int]:
        """The sizes of the inputs and the outputs, in the order of their places."""
        inputs = self.recording.inputs
        if self.form == "adjoint":
            return [array.size for array in inputs]
        return [array.size for array in (*inputs[: len(inputs) // 2 if self.form == "tangent" else None], *self.recording.outputs)]


def tangent_of(recording: Recording) -> Recording:
    twin = tangent_twin(recording)
    return Recording(twin.tape, twin.inputs, twin.outputs[len(twin.outputs) // 2 :])


def random_recording(rng: np.random.Generator) -> Recording:
    """A random recording with operations of all kinds, mostly sums and products, on mostly new operands; outputs may repeat or be
    constant.
    """
    tape = Tape("random")
    shapes = [(int(rng.integers(0, 12)),) for _ in range(rng.integers(1, 5))]
    inputs = tuple(tape.symbols(f"x{i}", shape) for i, shape in enumerate(shapes))
    values = [entry for array in inputs for entry in array] + [tape.constant(value) for value in (*rng.normal(size=2), 0.0, 1.0)]
    operations = sorted(OPERATIONS)
    for _ in range(rng.integers(5, 120)):
        name = str(rng.choice(SUMS_AND_PRODUCTS if rng.random() < 0.8 else operations))
        operands = [values[-int(rng.integers(1, min(4, len(values)) + 1)) if rng.random() < 0.6 else int(rng.integers(len(values)))]
                    for _ in range(OPERATIONS[name].arity)]  # fmt: skip
        if name in ("interval", "lookup"):
            operands[0] = tape.table(TABLES[rng.integers(len(TABLES))])
        values.append(tape.apply(name, *operands))
        if name == "sin" and rng.random() < 0.7:
            values.append(tape.apply("cos", *operands))
    outputs = []
    for size in rng.integers(0, 15, size=rng.integers(1, 5)):
        output = np.empty(size, dtype=object)
        output[:] = [values[int(rng.integers(len(values) * 2 // 3, len(values)))] for _ in range(size)]
        outputs.append(output)
    return Recording(tape, inputs, tuple(outputs))


def random_cases() -> list[Case]:
    cases = []
    for number in range(N_RANDOM):
        rng = np.random.default_rng([7, number])
        recording = random_recording(rng)
        adds = frozenset(i for i in range(len(recording.outputs)) if rng.random() < 0.4)
        cases.append(Case(f"kernel_{number}", recording, adds, "kernel"))
        cases.append(Case(f"tangent_{number}", tangent_of(recording), adds, "tangent"))
        cases.append(Case(f"adjoint_{number}", adjoint_twin(recording), adds, "adjoint"))
    return cases


@dataclass
class Library:
    cases: list[Case]
    library: ctypes.CDLL = field(init=False)

    def __post_init__(self) -> None:
        source = [
            '#include "kernel.h"\n#include "number.h"\n',
            *c_tables(case.recording for case in self.cases),
            *(case.source for case in self.cases),
        ]
        sources = {"cases.c": "\n".join(source), **kernel_sources()}
        self.library = ctypes.CDLL(str(build_library("cases", sources, flags=UNOPTIMISED)))

    def run(self, case: Case, at: list[int], w: np.ndarray, dw: np.ndarray) -> None:
        call = CallInC(w.ctypes.data, None if case.form == "kernel" else dw.ctypes.data, None, None)
        assert self.library[case.name](None, ctypes.byref(call), (ctypes.c_int * len(at))(*at)) == 0


def constraint_cases() -> list[Case]:
    """Kinds of calls that occur only with constraints."""
    loops = random_loops(83)
    layout = loops.state_with(np.random.default_rng(4), *CONSTRAINTS).layout
    tree = layout.tables[loops.matter.index]
    sweeps = [*layout.sweeps.values(), *layout.lazy_sweeps.values(), *tree.operators.all()]
    kinds = dict.fromkeys(call.kind for sweep in sweeps for call in sweep.calls if isinstance(call, SweepCall))
    cases = []
    for number, kind in enumerate(kinds):
        if "constraint" in kind.function.__module__:
            cases.append(Case(f"constraint_{number}", kind.recording(), kind.adds, "kernel"))
            cases.append(Case(f"constraint_{number}_tangent", kind.tangent(), kind.adds, "tangent"))
            cases.append(Case(f"constraint_{number}_adjoint", adjoint_twin(kind.recording()), kind.adds, "adjoint"))
    return cases


@pytest.fixture(scope="module")
def library(own_library_cache):
    return Library([*random_cases(), *constraint_cases()])


def differences(library: Library, samples: int, *, special: bool = False, overlapping: bool = False) -> list[str]:
    """The names of the cases whose bytecode changes w and dw in another way than their C does.

    special      with some of the numbers zeros, infinite, not a number, or at the ends of their range
    overlapping  with inputs and outputs at random offsets in a short w; else with each apart from the others
    """
    rng = np.random.default_rng([3, special, overlapping])
    different = []
    for case in library.cases:
        program = case.program
        sizes = case.sizes
        assert program.sizes.tolist() == sizes
        for _ in range(samples):
            if overlapping:
                n_w = max(sizes) + 3
                at = [int(rng.integers(n_w - size + 1)) for size in sizes]
            else:
                n_w = sum(sizes)
                at = [0, *itertools.accumulate(sizes)][:-1]
            by_c = rng.uniform(-1.5, 1.5, size=(2, n_w))  # w and dw
            if special:
                by_c = np.where(rng.random(by_c.shape) < 0.3, rng.choice(SPECIAL, size=by_c.shape), by_c)
            by_bytecode = by_c.copy()
            library.run(case, at, *by_c)
            run(program, at, *by_bytecode)
            if not same_bits(by_bytecode, by_c):
                different.append(f"{case.name}: {by_bytecode} by bytecode, {by_c} in C")
    return different


@pytest.mark.slow
def test_bytecode_gives_the_same_bits_as_the_compiled_code(library):
    assert differences(library, 3) == []


@pytest.mark.slow
def test_bytecode_gives_the_same_bits_as_the_compiled_code_for_special_numbers(library):
    assert differences(library, 3, special=True) == []


@pytest.mark.slow
def test_bytecode_reads_all_inputs_before_it_writes_outputs(library):
    assert differences(library, 3, overlapping=True) == []


@pytest.mark.slow
def test_random_recordings_use_every_operation():
    used = {case.recording.tape.entries[number][0] for case in random_cases() for number in case.recording.needed}

    assert used >= set(OPERATIONS)
