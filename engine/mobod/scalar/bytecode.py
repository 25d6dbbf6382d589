"""Compiles recordings to bytecode for the interpreter in C (fmu_src/native/kernels/interpreter.c), with the same bits as compiled C.

A program loads its inputs, computes in registers and stores its outputs, without branches. Everything is loaded before the first store,
so outputs may overlap inputs. The first registers hold the constants. Registers are reused after their last read.
"""

# Decision: docs/decisions/002-bytecode.md

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mobod.scalar.instructions import LOAD_SIZES, NUMBERS, STORE_SIZES
from mobod.scalar.operations import LEAVES
from mobod.scalar.recording import Recording
from mobod.scalar.shapes import SHAPES
from mobod.scalar.tiles import SIGNS, ShapeTable, Tiling

_SHAPES = ShapeTable(SHAPES)
_SHAPE_NUMBERS = [NUMBERS.get(text, -1) for text in _SHAPES.texts]
_TILING = Tiling(_SHAPES)

_SINE_AND_COSINE = ("sin", "cos")  # in the order of the results of sincos

# longest gap of unused entries that one load bridges: loading these costs less than another instruction
_LARGEST_GAP = 4


@dataclass(frozen=True, eq=False)
class Program:
    """A program in read-only arrays.

    code         (n,) uint32   instructions (instructions.py)
    constants    (n,) float64  values of the first registers
    tables       (n,) float64  the numbers of all tables, one after the other
    sizes        (n,) uint32   numbers of entries of the inputs, then of the outputs, in the order of `at`
    n_registers                number of registers (doubles), including the constants
    is_tangent                 whether it reads w and dw and writes dw, instead of w only
    is_adjoint                 whether it reads w and the adjoints of its outputs in dw, and adds to the adjoints of its inputs there
    """

    code: np.ndarray
    constants: np.ndarray
    tables: np.ndarray
    sizes: np.ndarray
    n_registers: int
    n_inputs: int
    n_outputs: int
    is_tangent: bool
    is_adjoint: bool = False


class _Instruction(NamedTuple):
    """Its words are the number of the instruction, the registers of the results, plain words, the registers of the operands.

    results, operands  tape numbers
    """

    number: int
    results: tuple[int, ...]
    words: tuple[int, ...]
    operands: tuple[int, ...]


def program_of(recording: Recording, *, adds: frozenset[int], is_tangent: bool) -> Program:
    """The program of a kernel or of a tangent: the counterpart of c_kernel and c_tangent in C.

    adds        indices of the outputs that are added to existing values
    is_tangent  the first half of the inputs is read from w, the other half from the same offsets in dw; outputs go to dw
    """
    n_inputs = len(recording.inputs) // 2 if is_tangent else len(recording.inputs)
    sizes = [array.size for array in (*recording.inputs[:n_inputs], *recording.outputs)]
    changes_at = 0 if is_tangent else n_inputs
    return _program(recording, _Places(n_inputs, changes_at, n_inputs, sizes), adds=adds, clears=(), is_tangent=is_tangent)


def adjoint_program_of(adjoint: Recording, *, adds: frozenset[int]) -> Program:
    """The program of a kernel's adjoint, from the recording that adjoint_twin makes: the counterpart of c_adjoint in C.

    adds  indices of the kernel's outputs that are added to existing values. The adjoints of the others are set to 0
    """
    n_inputs, n_all = len(adjoint.outputs), len(adjoint.inputs)
    sizes = [array.size for array in adjoint.inputs]
    clears = tuple(place for place in range(n_inputs, n_all) if place - n_inputs not in adds and sizes[place])
    places = _Places(n_inputs, n_inputs, 0, sizes)
    return _program(adjoint, places, adds=frozenset(range(n_inputs)), clears=clears, is_adjoint=True)


class _Places(NamedTuple):
    """Where the inputs and outputs of a recording lie in `at`.

    n_inputs    the kernel's; its recording's inputs from this one on are read from dw
    changes_at  place of the first of these
    outputs_at  place of the first output
    sizes       numbers of entries at all places
    """

    n_inputs: int
    changes_at: int
    outputs_at: int
    sizes: list[int]


def _program(
    recording: Recording,
    places: _Places,
    *,
    adds: frozenset[int],
    clears: tuple[int, ...],
    is_tangent: bool = False,
    is_adjoint: bool = False,
) -> Program:
    """clears: places that are set to 0 before outputs are stored."""
    n_inputs = places.n_inputs
    outputs = _stored(recording, adds)
    zero = recording.tape.constant(0.0).number if clears else -1
    tables, table_numbers = _tables(recording)
    computed = _operations(recording, {number for entries in outputs for _, number in entries}, tables)
    instructions = [each for place in clears for each in _stores("store", place, 0, [zero] * places.sizes[place])]
    instructions += _with_stores(computed, outputs, adds, places.outputs_at)
    used = {operand for instruction in instructions for operand in instruction.operands}

    constants, values = _constants(recording, used)
    code = _Code(constants)
    for place, array in enumerate(recording.inputs):
        name, place = ("load_changes", place - n_inputs + places.changes_at) if place >= n_inputs else ("load", place)
        for first, numbers in _loads([entry.number if entry.value is None else -1 for entry in array.flat], used):
            code.load(name, place, first, numbers)
    code.add(instructions)
    return Program(
        code=_fixed(code.words, np.uint32),
        constants=_fixed(values, float),
        tables=_fixed(table_numbers, float),
        sizes=_fixed(places.sizes, np.uint32),
        n_registers=code.n_registers,
        n_inputs=n_inputs,
        n_outputs=len(places.sizes) - n_inputs,
        is_tangent=is_tangent,
        is_adjoint=is_adjoint,
    )


def _stored(recording: Recording, adds: frozenset[int]) -> list[list[tuple[int, int]]]:
    """For each output the (entry, tape number) pairs that are written. Constants 0 are not added."""
    return [
        [(k, entry.number) for k, entry in enumerate(output.flat) if not (i in adds and entry.value == 0.0)]
        for i, output in enumerate(recording.outputs)
    ]


def _tables(recording: Recording) -> tuple[dict[int, tuple[int, int]], list[float]]:
    """For the tape number of each table its first index among the numbers of all tables, and its size; and the numbers of all tables."""
    places: dict[int, tuple[int, int]] = {}
    numbers: list[float] = []
    for number in recording.needed:
        operation, table = recording.tape.entries[number]
        if operation == "table":
            places[number] = (len(numbers), len(table))
            numbers += table.numbers.tolist()
    return places, numbers


def _operations(recording: Recording, stored: set[int], tables: dict[int, tuple[int, int]]) -> list[_Instruction]:
    """The instructions that compute all stored values, in tape order. Sine and cosine of the same operand are one instruction."""
    tiles = _TILING.tiles(recording, stored)
    entries = recording.tape.entries
    angles = {entries[number]: number for number in recording.needed if entries[number][0] in _SINE_AND_COSINE}
    instructions = []
    done: set[int] = set()  # cosines and sines that another instruction computes
    for number in recording.needed:
        operation, operands = entries[number]
        if operation in LEAVES or number in done:
            continue
        if operation in SIGNS:
            if number in tiles:
                shape, leaves = tiles[number]
                instructions.append(_Instruction(_SHAPE_NUMBERS[shape], (number,), (), leaves))
        elif operation in ("interval", "lookup"):
            table, x = operands
            instructions.append(_Instruction(NUMBERS[operation], (number,), tables[table], (x,)))
        elif operation in _SINE_AND_COSINE and all((name, operands) in angles for name in _SINE_AND_COSINE):
            pair = tuple([angles[name, operands] for name in _SINE_AND_COSINE])
            done.update(pair)
            instructions.append(_Instruction(NUMBERS["sincos"], pair, (), operands))
        else:
            instructions.append(_Instruction(NUMBERS[operation], (number,), (), operands))
    return instructions


def _with_stores(
    computed: list[_Instruction], outputs: list[list[tuple[int, int]]], adds: frozenset[int], outputs_at: int
) -> list[_Instruction]:
    """The instructions with stores, each as soon as an output and those before it are complete. END is the last one."""
    known_after = {result: i for i, instruction in enumerate(computed) for result in instruction.results}
    instructions: list[_Instruction] = []
    done = 0
    for i, entries in enumerate(outputs):
        ready = max((known_after.get(number, -1) for _, number in entries), default=-1) + 1
        instructions += computed[done:ready]
        done = max(done, ready)
        for first, numbers in _runs(entries):
            instructions += _stores("add" if i in adds else "store", outputs_at + i, first, numbers)
    return [*instructions, _Instruction(NUMBERS["end"], (), (), ())]


def _stores(name: str, place: int, first: int, numbers: list[int]) -> list[_Instruction]:
    """The instructions that store the values of these tape numbers from an entry on."""
    stores = []
    for part in _blocks(numbers, STORE_SIZES):
        stores.append(_Instruction(NUMBERS[f"{name}_{len(part)}"], (), (place, first), part))
        first += len(part)
    return stores


def _runs(entries: list[tuple[int, int]]) -> list[tuple[int, list[int]]]:
    """(first entry, tape numbers) of each run of consecutive entries."""
    runs: list[tuple[int, list[int]]] = []
    for k, number in entries:
        if runs and runs[-1][0] + len(runs[-1][1]) == k:
            runs[-1][1].append(number)
        else:
            runs.append((k, [number]))
    return runs


def _blocks(numbers: list[int], sizes: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The numbers in groups, each of the largest size that fits the rest."""
    blocks = []
    begin = 0
    while begin < len(numbers):
        end = begin + max(size for size in sizes if size <= len(numbers) - begin)
        blocks.append(tuple(numbers[begin:end]))
        begin = end
    return blocks


def _constants(recording: Recording, used: set[int]) -> tuple[list[int], list[float]]:
    """Tape numbers and values of the used constants."""
    entries = recording.tape.entries
    numbers = [number for number in sorted(used) if entries[number][0] == "constant"]
    return numbers, [entries[number][1] for number in numbers]


def _loads(numbers: list[int], used: set[int]) -> list[tuple[int, list[int]]]:
    """(first entry, tape numbers) of the ranges of an input that are loaded. numbers: of all entries, -1 for constants."""
    loads: list[tuple[int, list[int]]] = []
    for k, number in enumerate(numbers):
        if number not in used:
            continue
        if loads and k - (loads[-1][0] + len(loads[-1][1])) <= _LARGEST_GAP:
            first = loads[-1][0]
            loads[-1] = (first, numbers[first : k + 1])
        else:
            loads.append((k, [number]))
    return loads


class _Code:
    """The words of a program, with registers assigned by a linear scan."""

    def __init__(self, constants: list[int]):
        self.words: list[int] = []
        self.n_registers = len(constants)
        self._registers = {number: register for register, number in enumerate(constants)}
        self._constants = frozenset(constants)
        self._free: list[int] = []

    def load(self, name: str, place: int, first: int, numbers: list[int]) -> None:
        """Load entries into new registers. Registers for constants (-1) are free at once."""
        n = len(numbers)
        words = [self.n_registers, place, first]
        self.words += [NUMBERS[f"{name}_{n}"], *words] if n in LOAD_SIZES else [NUMBERS[name], *words, n]
        for number in numbers:
            if number < 0:
                self._free.append(self.n_registers)
            else:
                self._registers[number] = self.n_registers
            self.n_registers += 1

    def add(self, instructions: list[_Instruction]) -> None:
        """Append all instructions after the loads."""
        registers, free = self._registers, self._free
        last_use = {operand: i for i, instruction in enumerate(instructions) for operand in instruction.operands}
        free += [register for number, register in registers.items() if number not in last_use]
        for i, (number, results, words, operands) in enumerate(instructions):
            read = [registers[operand] for operand in operands]
            for operand in operands:
                if last_use[operand] == i and operand not in self._constants:
                    last_use[operand] = -1  # the same operand may occur twice
                    free.append(registers[operand])
            self.words.append(number)
            for result in results:
                if free:
                    register = free.pop()
                else:
                    register = self.n_registers
                    self.n_registers += 1
                registers[result] = register
                self.words.append(register)
            self.words += words
            self.words += read


def _fixed(values: list[float] | list[int], dtype: type) -> np.ndarray:
    array: np.ndarray = np.array(values, dtype=dtype)
    array.flags.writeable = False
    return array
