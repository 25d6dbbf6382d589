"""The instructions of bytecode, for the encoder (bytecode.py) and the interpreter in C (fmu_src/native/kernels/interpreter.c).

A program is a sequence of 32-bit words. An instruction is its number, then its operands. Registers are indices of doubles, places are
indices of the inputs and outputs in `at` (kernel.h). build_scripts/generate_interpreter.py writes the C code of all instructions.
"""

from dataclasses import dataclass
from typing import Literal

from mobod.scalar.operations import OPERATIONS
from mobod.scalar.shapes import SHAPES
from mobod.scalar.tiles import SIGNS, split

# the words after the number of the instruction:
#   END           none
#   LOAD          first register, place, first entry; the number of entries if the instruction does not fix it
#   LOAD_CHANGES  the same, for the direction of a tangent
#   STORE         place, first entry, a register for each entry
#   TABLE         register of the result, first number of the table, its size, register of the operand
#   REGISTERS     registers of results, registers of operands
Layout = Literal["END", "LOAD", "LOAD_CHANGES", "STORE", "TABLE", "REGISTERS"]

# entries that one load or store moves; others are several, or a load of any number
LOAD_SIZES = (1, 2, 3, 4, 5, 6, 9)
STORE_SIZES = (1, 2, 3, 4, 5, 6, 9)

_OF_TABLES = ("interval", "lookup")


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction.

    name       that of its operation, its shape, or what it moves
    layout     what its words are
    n_words    how many, with its own number
    n_entries  that it moves; 0 where a word says so, and where it moves none
    c          the C statement: registers R, the instruction's words p, `w`, `dw` and `at` of kernel.h, the outputs' array `out`, `tables`
    """

    name: str
    layout: Layout
    n_words: int
    n_entries: int
    c: str


def _register(word: int) -> str:
    return f"R[p[{word}]]"


def _moves() -> list[Instruction]:
    moves = []
    loads: list[tuple[str, Layout, str]] = [("load", "LOAD", "w"), ("load_changes", "LOAD_CHANGES", "dw")]
    for name, layout, source in loads:
        begin = f"const Number *x = {source} + at[p[2]] + p[3]; Number *r = R + p[1];"
        moves.append(Instruction(name, layout, 5, 0, f"{{ {begin} for (uint32_t i = 0; i < p[4]; i++) r[i] = x[i]; }}"))
        for n in LOAD_SIZES:
            moves.append(Instruction(f"{name}_{n}", layout, 4, n, f"{{ {begin} {' '.join(f'r[{i}] = x[{i}];' for i in range(n))} }}"))
    for name, sign in (("store", "="), ("add", "+=")):
        for n in STORE_SIZES:
            writes = " ".join(f"y[{i}] {sign} {_register(3 + i)};" for i in range(n))
            moves.append(Instruction(f"{name}_{n}", "STORE", 3 + n, n, f"{{ Number *y = out + at[p[1]] + p[2]; {writes} }}"))
    return moves


def _operations() -> list[Instruction]:
    """One for each operation but those of the shapes."""
    instructions = []
    for name, operation in OPERATIONS.items():
        if name in SIGNS:
            continue
        if name in _OF_TABLES:
            value = operation.c.format("tables + p[2], (int)p[3]", _register(4))
            instructions.append(Instruction(name, "TABLE", 5, 0, f"{_register(1)} = {value};"))
        else:
            value = operation.c.format(*(_register(2 + i) for i in range(operation.arity)))
            instructions.append(Instruction(name, "REGISTERS", 2 + operation.arity, 0, f"{_register(1)} = {value};"))
    return instructions


def _shape(shape: str) -> Instruction:
    n_leaves = 0

    def value(part: str) -> str:
        nonlocal n_leaves
        if part == "x":
            n_leaves += 1
            return _register(1 + n_leaves)
        operation, operands = split(part)
        return f"({OPERATIONS[operation].c.format(*[value(operand) for operand in operands])})"

    text = value(shape)[1:-1]
    return Instruction(shape, "REGISTERS", 2 + n_leaves, 0, f"{_register(1)} = {text};")


INSTRUCTIONS: tuple[Instruction, ...] = (
    Instruction("end", "END", 1, 0, "return 0;"),
    *_moves(),
    *_operations(),
    Instruction("sincos", "REGISTERS", 4, 0, f"number_sincos({_register(3)}, &{_register(1)}, &{_register(2)});"),
    *(_shape(shape) for shape in SHAPES),
)
NUMBERS = {instruction.name: number for number, instruction in enumerate(INSTRUCTIONS)}
