"""Programs: their content and results, and which programs the interpreter refuses."""

import ctypes
import importlib.util
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from mobod.native_sources import native_file
from mobod.scalar import StaticTable, Tape, interval, lookup, where
from mobod.scalar.adjoint import adjoint_twin
from mobod.scalar.bytecode import Program, adjoint_program_of, program_of
from mobod.scalar.derivative import tangent_twin
from mobod.scalar.instructions import INSTRUCTIONS, NUMBERS
from mobod.scalar.recording import Recording, record
from mobod.scalar.shapes import SHAPES
from mobod.scalar.tiles import split
from tests.equivalence.interpreted import Interpreted, fault_of_program, in_c, interpreter, run, same_bits

ROOT = Path(__file__).resolve().parents[3]


def recorded(function, *shapes):
    return record(function, [np.full(shape, np.nan) for shape in shapes], about="test")


def program(function, *shapes, adds=()):
    return program_of(recorded(function, *shapes), adds=frozenset(adds), is_tangent=False)


def listing(program: Program) -> list[tuple[str, list[int]]]:
    """Names and words of the instructions."""
    code, found = program.code.tolist(), []
    while code:
        instruction = INSTRUCTIONS[code[0]]
        found.append((instruction.name, code[1 : instruction.n_words]))
        code = code[instruction.n_words :]
    return found


def names(program: Program) -> list[str]:
    return [name for name, _ in listing(program)]


def test_the_committed_instructions_match_the_generated_ones():
    spec = importlib.util.spec_from_file_location("generate_interpreter", ROOT / "build_scripts" / "generate_interpreter.py")
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)

    assert native_file("instructions.h").read_text(encoding="utf-8") == generator.interpreter_text()


@pytest.mark.parametrize("shape", SHAPES)
def test_a_tree_with_a_shape_is_one_instruction(shape):
    tape, values = Tape(), np.random.default_rng(2).normal(size=9)
    symbols = tape.symbols("x", (shape.count("x"),))
    leaves = iter(symbols)

    def tree(part):
        if part == "x":
            return next(leaves)
        operation, operands = split(part)
        return tape.apply(operation, *[tree(operand) for operand in operands])

    recording = Recording(tape, (symbols,), (np.array([tree(shape)]),))

    made = program_of(recording, adds=frozenset(), is_tangent=False)
    (result,) = Interpreted(recording)([values[: len(symbols)]])

    assert names(made)[1:] == [shape, "store_1", "end"]
    expected = eval(shape.replace("x", "{}").format(*(f"values[{i}]" for i in range(len(symbols)))))
    assert same_bits(result, [expected])


def test_a_value_used_twice_or_stored_has_its_own_instruction():
    def function(x):
        product = x[0] * x[1]
        return np.array([product + x[2], product - x[3]]), np.array([x[0] + x[3], (x[0] + x[3]) * x[2]])

    assert names(program(function, 4)) == ["load_4", "(x*x)", "(x+x)", "(x-x)", "store_2", "(x+x)", "(x*x)", "store_2", "end"]


def test_a_tree_without_a_shape_is_cut_keeping_the_association():
    def function(x):
        return ((x[0] - x[1]) - (x[2] - x[3])) - ((x[4] - x[5]) - (x[6] - x[7]))

    values = np.array([1e16, 1.0, 3.0, -1e16, 0.7, 1e-16, -0.3, 1e8])
    (result,) = Interpreted(recorded(function, 8))([values])

    assert len(names(program(function, 8))) < 3 + 7
    assert same_bits(result, function(values))


def test_operands_of_sums_and_products_may_be_exchanged_but_not_of_differences():
    def function(x):
        return np.array([x[0] + x[1] * x[2], x[0] - x[1] * x[2], x[1] * x[2] - x[0]])

    # the product of each result is recorded once
    values = np.array([0.3, -0.7, 1.1])
    (result,) = Interpreted(recorded(function, 3))([values])

    assert same_bits(result, function(values))
    assert names(program(lambda x: x[0] + x[1] * x[2], 3))[1] == "((x*x)+x)"
    assert names(program(lambda x: x[0] - x[1] * x[2], 3))[1] == "(x-(x*x))"


def test_a_long_sum_is_cut_into_instructions():
    values = np.random.default_rng(1).normal(size=3000)
    recording = recorded(lambda x: sum((entry * entry for entry in x[1:]), x[0]), 3000)

    (result,) = Interpreted(recording)([values])

    assert same_bits(result, sum((value * value for value in values[1:]), values[0]))


def test_sine_and_cosine_of_one_angle_are_one_instruction():
    made = program(lambda x: np.array([np.sin(x[0]), np.cos(x[0]), np.sin(x[1]), np.cos(x[2])]), 3)

    assert names(made) == ["load_3", "sincos", "sin", "cos", "store_4", "end"]


def test_loads_are_first_and_skip_what_is_unused():
    def function(x, unused, y, z):
        return np.array([y[2] + y[4], x[0] * x[35], z[1]])

    made = listing(program(function, 36, 4, (7,), 2))

    loads = [(name, words[1:]) for name, words in made if name.startswith("load")]  # place, first entry
    assert loads == [("load_1", [0, 0]), ("load_1", [0, 35]), ("load_3", [2, 2]), ("load_1", [3, 1])]
    assert all(name.startswith("load") for name, _ in made[: len(loads)])


def test_structural_values_are_constants_and_not_loaded():
    recording = record(lambda x: x * np.array([2.0, 3.0, 4.0]), [np.array([np.nan, 5.0, np.nan])], about="test")
    made = program_of(recording, adds=frozenset(), is_tangent=False)
    w = np.array([0.5, 99.0, -0.25, 0, 0, 0])

    run(made, [0, 3], w)

    assert w.tolist() == [0.5, 99.0, -0.25, 1.0, 15.0, -1.0]
    assert sorted(made.constants) == [2.0, 4.0, 15.0]


def test_results_are_stored_in_blocks_as_soon_as_they_are_known():
    made = program(lambda x: (x + x, np.zeros((0,)), np.sqrt(x)), 11)

    assert names(made) == ["load", *["(x+x)"] * 11, "store_9", "store_2", *["sqrt"] * 11, "store_9", "store_2", "end"]
    assert made.sizes.tolist() == [11, 11, 0, 11]


def test_results_are_added_except_constant_zeros():
    made = program(lambda x: (np.array([x[0], 0.0, 2.0, -0.0]), np.array([0.0, x[1]])), 2, adds=[0])
    w = np.array([0.5, 0.25, 10.0, -0.0, 30.0, -0.0, 7.0, 8.0])

    run(made, [0, 2, 6], w)

    assert same_bits(w[2:], [10.5, -0.0, 32.0, -0.0, 0.0, 0.25])
    assert names(made) == ["load_2", "add_1", "add_1", "store_2", "end"]


def test_a_tangent_reads_w_and_dw_and_writes_dw():
    twin = tangent_twin(recorded(lambda x, y: x * y, 2, 2))
    tangent = Recording(twin.tape, twin.inputs, twin.outputs[1:])
    w, dw = np.array([2.0, 3.0, 5.0, 7.0, 9.0, 9.0]), np.array([0.1, 0.2, 0.3, 0.4, 1.0, 1.0])
    before = w.copy()

    run(program_of(tangent, adds=frozenset([0]), is_tangent=True), [0, 2, 4], w, dw)

    assert same_bits(w, before)
    assert same_bits(dw[4:], 1.0 + (dw[:2] * w[2:4] + w[:2] * dw[2:4]))


def test_registers_are_reused():
    def function(x):
        total = x[0]
        for _ in range(200):
            total = where(total < x[1], total / x[2], np.exp(total))
        return total

    assert program(function, 3).n_registers <= 8


def test_registers_of_unused_entries_are_reused():
    made = program(lambda x: np.sqrt(x[0]) + np.sqrt(x[4]), 5)

    assert names(made)[0] == "load_5"
    assert made.n_registers == 5


def test_a_tree_is_cut_into_as_few_instructions_as_possible():
    def function(x):
        return (x[0] * x[1] + x[2] * x[3] + x[4] * x[5]) * x[6] + x[7] / x[8]

    assert len(names(program(function, 9))) == len(["load_9", "divide", "tree", "store_1", "end"])


def test_constants_stay_in_their_registers():
    made = program(lambda x: np.sqrt(x[0] * 3.0) * np.exp(x[1] / 5.0), 2)
    written = {words[0] for name, words in listing(made) if not name.startswith(("store", "end"))}

    assert sorted(made.constants) == [3.0, 5.0]
    assert min(written) == len(made.constants)


def test_a_table_is_kept_once():
    table, other = StaticTable([0.0, 0.5, 2.0]), StaticTable([3.0, 4.0])
    recording = recorded(lambda x: lookup(table, interval(table, x)) + lookup(StaticTable([0.0, 0.5, 2.0]), x) + lookup(other, x), 3)
    values = np.array([0.0, 1.0, 1.9])

    (result,) = Interpreted(recording)([values])

    assert program_of(recording, adds=frozenset(), is_tangent=False).tables.tolist() == [0.0, 0.5, 2.0, 3.0, 4.0]
    assert result.tolist() == [0.0 + 0.0 + 3.0, 0.5 + 0.5 + 4.0, 0.5 + 0.5 + 4.0]


def test_a_program_cannot_be_changed():
    made = program(lambda x: x + 1.0, 2)

    for array in (made.code, made.constants, made.tables, made.sizes):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


# refused programs


SOUND = program(lambda x, y: (np.sin(x) * y + 0.5, lookup(StaticTable([1.0, 2.0]), y)), 3, 3)
N_REGISTERS = SOUND.n_registers


ADJOINT = adjoint_program_of(adjoint_twin(recorded(lambda x, y: (np.sin(x) * y, x + y), 3, 3)), adds=frozenset([1]))


def with_word(name, place, value, program=SOUND):
    """The program with one word of the first instruction of that name replaced."""
    code, starts = program.code.copy(), [0]
    for each, words in listing(program):
        if each == name:
            break
        starts.append(starts[-1] + 1 + len(words))
    code[starts[-1] + place] = value
    return replace(program, code=code)


REFUSED = {
    "an instruction that does not exist": with_word("sin", 0, len(INSTRUCTIONS)),
    "an instruction that is 0 in its last byte": with_word("sin", 0, 256),
    "result register": with_word("sin", 1, N_REGISTERS),
    "operand register": with_word("sin", 2, N_REGISTERS),
    "last register of a load": with_word("load_3", 1, N_REGISTERS - 2),
    "register beyond all": with_word("load_3", 1, 2**32 - 1),
    "load of an output": with_word("load_3", 2, 2),
    "load of entries that are not there": with_word("load_3", 3, 1),
    "entry beyond all": with_word("load_3", 3, 2**32 - 2),
    "a direction without a tangent": with_word("load_3", 0, NUMBERS["load_changes_3"]),
    "store to an input": with_word("store_3", 1, 1),
    "store to a place behind the last": with_word("store_3", 1, 4),
    "store to an entry that is not there": with_word("store_3", 2, 1),
    "register of a store": with_word("store_3", 5, N_REGISTERS),
    "table behind the last number": with_word("lookup", 2, 1),
    "table of more numbers than there are": with_word("lookup", 3, 3),
    "empty table": with_word("lookup", 3, 0),
    "register of a table's result": with_word("lookup", 1, N_REGISTERS),
    "register of a table's operand": with_word("lookup", 4, N_REGISTERS),
    "early end": with_word("sin", 0, NUMBERS["end"]),
    "no end": replace(SOUND, code=SOUND.code[:-1].copy()),
    "nothing": replace(SOUND, code=SOUND.code[:0].copy()),
    "cut off": replace(SOUND, code=SOUND.code[:3].copy()),
    "code behind the end": replace(SOUND, code=np.append(SOUND.code, SOUND.code[-1])),
    "fewer registers": replace(SOUND, n_registers=N_REGISTERS - 1),
    "fewer registers than constants": replace(SOUND, n_registers=0, code=SOUND.code[-1:].copy()),
    "fewer inputs": replace(SOUND, n_inputs=1, n_outputs=1, sizes=SOUND.sizes[:2].copy()),
    "smaller input": replace(SOUND, sizes=np.array([3, 2, 3, 3], dtype=np.uint32)),
    "smaller output": replace(SOUND, sizes=np.array([3, 3, 3, 2], dtype=np.uint32)),
    "no tables": replace(SOUND, tables=np.zeros(0)),
    "adjoint that is a tangent": replace(ADJOINT, is_tangent=True),
    "adjoint that is none": replace(ADJOINT, is_adjoint=False),
    "load of an output's values": with_word("load_3", 2, 2, ADJOINT),
    "load of an adjoint behind the last": with_word("load_changes_3", 2, 4, ADJOINT),
    "adjoint stored behind the last": with_word("store_3", 1, 4, ADJOINT),
}


def test_programs_from_recordings_are_valid():
    assert fault_of_program(SOUND) is None
    assert fault_of_program(replace(SOUND, is_tangent=True)) is None  # one that reads no direction
    assert fault_of_program(ADJOINT) is None


@pytest.mark.parametrize("program", REFUSED.values(), ids=REFUSED)
def test_an_invalid_program_is_refused(program):
    assert fault_of_program(program)


@pytest.mark.parametrize("count", ["n_table_numbers", "n_inputs", "n_outputs"])
def test_counts_that_do_not_fit_into_an_int_are_refused(count):
    made = in_c(SOUND)
    setattr(made, count, 2**31)

    assert interpreter().fault_of_program(ctypes.byref(made)).startswith(b"more numbers")


def test_refusals_give_the_reason():
    assert fault_of_program(REFUSED["store to an input"]) == "a store to a place that is no output"
    assert fault_of_program(REFUSED["no end"]) == "no end"
    assert len({fault_of_program(program) for program in REFUSED.values()}) >= 10


def test_numbers_of_instructions_fit_into_a_byte():
    assert len(INSTRUCTIONS) <= 256
    assert all(a < b for a, b in pairwise(NUMBERS.values()))
    assert len(NUMBERS) == len(INSTRUCTIONS)
