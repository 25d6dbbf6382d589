"""Every operation, its derivatives and every kind of literal: C gives the same numbers as bytecode and NumPy."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod.runtime.c_literal import c_literal
from mobod.scalar import StaticTable, Tape, angle, clip, cosc, maximum, minimum, norm, normalized, sinc, where
from mobod.scalar.derivative import tangent_twin
from mobod.scalar.evaluation import evaluate
from mobod.scalar.operations import OPERATIONS
from mobod.scalar.recording import Recording, record
from tests.equivalence.interpreted import Interpreted
from tests.equivalence.same_in_c import EXACT, compiled, operations, same_in_c, ulps_within

SPECIAL = (0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 5e-324, -2.2e-308, 1.7976931348623157e308, 0.3, -7.5)
LITERALS = (*SPECIAL, 0.1, -1 / 3, 1e22, 1e-7, 123456789.125, 2.0**53, math.pi)


TABLE = StaticTable([-1.5, -1.0, -0.2, 0.0, 0.3, 0.9, 1.4])
OF_TABLES = ("interval", "lookup")


def n_operands(name):
    return OPERATIONS[name].arity - (name in OF_TABLES)


def operation_recording(name):
    tape = Tape(name)
    operands = tape.symbols("x", (n_operands(name),))
    tables = [tape.table(TABLE)] if name in OF_TABLES else []
    return Recording(tape, (operands,), (np.array([tape.apply(name, *tables, *operands)]),))


def operand_samples(name):
    """Ordinary numbers, and all pairs of special ones; for tables each of their numbers and indices."""
    arity = n_operands(name)
    rng = np.random.default_rng(arity)
    ordinary = [rng.uniform(-2, 2, arity) for _ in range(50)] + [rng.uniform(0, 1, arity) for _ in range(50)]
    special = np.stack(np.meshgrid(*[SPECIAL] * arity), axis=-1).reshape(-1, arity)
    near_tables = [*(TABLE.numbers[:, None]), *np.arange(-1.0, len(TABLE) + 1)[:, None]] if name in OF_TABLES else []
    return [[x] for x in (*ordinary, *special, *near_tables)]


def test_every_operation_is_the_same_in_c():
    assert same_in_c({name: (operation_recording(name), operand_samples(name)) for name in OPERATIONS})


def test_every_operation_has_the_value_of_numpy():
    for name in OPERATIONS:
        recording = operation_recording(name)
        function = Interpreted(recording)
        for (x,) in operand_samples(name):
            by_numpy, by_bytecode = evaluate(recording, [x])[0], function([x])[0]
            # NumPy's vector code replaces libm: up to 4 units in the last place, by its documentation
            assert ulps_within(by_numpy, by_bytecode, 0 if name in EXACT else 4), (name, x, by_numpy, by_bytecode)


def test_derivatives_of_every_operation_are_the_same_in_c():
    samples = {}
    for name in OPERATIONS:
        rng = np.random.default_rng(7)
        directions = [rng.normal(size=n_operands(name)) for _ in range(100)]
        arguments = [[x, direction] for (x,), direction in zip(operand_samples(name), directions, strict=False)]
        twin = tangent_twin(operation_recording(name))
        samples[name] = (twin, arguments)
        second = tangent_twin(Recording(twin.tape, twin.inputs, twin.outputs[1:]))
        samples[name + "_twice"] = (second, [[x, d, d[::-1], x] for x, d in arguments])

    assert same_in_c(samples, terms=4.0)  # as in 1 - tanh(x)^2, times two entries of directions


def test_every_literal_is_the_same_in_c():
    tape = Tape()
    x = tape.symbols("x", (len(LITERALS),))
    results = [np.array([tape.constant(value) for value in LITERALS])]
    results += [np.array([entry * value for entry, value in zip(x, LITERALS, strict=True)])]
    results += [np.array([value - entry for entry, value in zip(x, LITERALS, strict=True)])]
    recording = Recording(tape, (x,), tuple(results))
    arguments = np.random.default_rng(3).normal(size=len(LITERALS))

    assert same_in_c({"literals": (recording, [[arguments]])})
    constants = compiled({"literals": recording}).call("literals", recording, [arguments])[0]
    assert [value.hex() for value in constants] == [value.hex() for value in LITERALS]  # including the sign of zero


def test_a_literal_has_the_exact_value_of_the_number():
    assert [c_literal(value) for value in (math.nan, math.inf, -math.inf, -0.0, 0.1)] == ["NAN", "INFINITY", "-INFINITY", "-0.0", "0.1"]
    for value in LITERALS[7:]:
        assert float(c_literal(value)) == value


SHAPES = {
    "nothing_in": (lambda: np.array([1.5, -2.0]), []),
    "nothing_out": (lambda x: np.zeros((6, 0)), [np.array([0.3, 0.4])]),
    "unused_argument": (lambda x, y, z: (y * 2, np.zeros(0)), [np.array([0.3]), np.array([[0.4, -0.5]]), np.zeros(0)]),
    "argument_passed_on": (lambda x: (x[::-1], x), [np.array([0.3, 0.4, 0.5])]),
    "sines_and_cosines": (lambda x: (np.cos(x) * x, np.sin(x), np.sin(2 * x), np.cos(3 * x)), [np.array([0.3, -4.0])]),
    "same_result_twice": (lambda x: (np.sin(x), np.sin(x)), [np.array([0.3, 0.4])]),
}
FUNCTIONS = {
    "where_safe": (lambda x: where(x > 0, np.sqrt(x), where(x == 0, 1.0, 1 / x)), [[np.array(x)] for x in (-2.0, 0.0, 3.0)]),
    "minimum_maximum": (lambda x: minimum(x, maximum(-x, 0.25)), [[np.array([-0.5, 0.0, math.nan, 0.2])]]),
    "clip": (lambda x: clip(x, -0.5, 0.5), [[np.array([-1.0, 0.1, 1.0, math.nan])]]),
    "norm": (norm, [[np.zeros(3)], [np.array([0.3, -0.4, 1.2])]]),
    "normalized": (normalized, [[np.zeros(3)], [np.array([0.3, -0.4, 1.2])]]),
    "sinc": (sinc, [[np.array([0.0, 1e-9, 0.2499, 0.2501, 3.0])]]),
    "cosc": (cosc, [[np.array([0.0, 1e-9, 0.499, 0.501, 3.0])]]),
    "angle": (angle, [[np.array([0.3, -0.4, 1.2]), np.array([k, -0.4 * k, 0.1])] for k in (0.0, 0.3, -2.0)] + [[np.ones(3), -np.ones(3)]]),
    "in_half": (lambda x: (x - x[0] * 3) + x[0] * 3, [[np.array([0.1, 1e16])]]),  # no algebra: (a - b) + b is not a
    "root_squared": (lambda x: np.sqrt(x) ** 2, [[np.array([2.0, -1.0])]]),
}


@pytest.mark.slow
def test_functions_and_shapes_of_all_kinds_and_their_derivatives_are_the_same_in_c():
    samples = {}
    everything = FUNCTIONS | {name: (function, [arguments]) for name, (function, arguments) in SHAPES.items()}
    rng = np.random.default_rng(11)
    for name, (function, each) in everything.items():
        recording = record(function, [np.full(argument.shape, np.nan) for argument in each[0]], about=name)
        samples[name] = (recording, each)
        directions = [[rng.normal(size=argument.shape) for argument in arguments] for arguments in each]
        along = [[*arguments, *direction] for arguments, direction in zip(each, directions, strict=True)]
        twin = record(function, [np.full(argument.shape, np.nan) for argument in each[0]], about=name)
        samples[name + "_tangent"] = (tangent_twin(twin), along)

    assert same_in_c(samples)


def test_bytecode_does_not_rearrange_operations():
    x = np.array([0.1, 1e16])
    recording = record(lambda x: (x[0] - x[1]) + x[1], [np.full(2, np.nan)], about="sum")

    (result,) = Interpreted(recording)([x])

    assert result == 0.0 == (x[0] - x[1]) + x[1]


def test_where_is_safe_in_c_for_values_and_two_derivatives():
    recording = record(lambda x: where(x > 0, np.sqrt(x), 3 * x**2), [np.full((), np.nan)], about="root or square")
    first = tangent_twin(recording)
    second = tangent_twin(Recording(first.tape, first.inputs, first.outputs[1:]))

    for x in (0.0, -1.5):
        along = np.array(1.0)
        results = compiled({"second": second}).call("second", second, [np.array(x), along, along, np.array(0.0)])
        assert_allclose(results, [6 * x, 6.0], rtol=1e-15)
    assert "sqrt" in operations(second)  # the branch not taken is computed, and is infinite or NaN
