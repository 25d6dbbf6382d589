"""Adjoints of recorded code are products with the transposed Jacobian, also where a branch that is not chosen is infinite."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod.scalar import StaticTable, interval, lookup, norm, where
from mobod.scalar.adjoint import adjoint_twin
from mobod.scalar.bytecode import adjoint_program_of
from mobod.scalar.derivative import PIECEWISE_CONSTANT, RULES, tangent_twin
from mobod.scalar.evaluation import evaluate
from mobod.scalar.recording import Recording, record
from tests.equivalence.interpreted import run, same_bits
from tests.unit.scalar.test_derivative import recording_of, samples


def recorded(function, *shapes):
    return record(function, [np.full(shape, np.nan) for shape in shapes], about="test")


def jacobians(recording, arguments):
    """Of a function of vectors with one result, a vector: for each argument its Jacobian, by directions."""
    twin, found = tangent_twin(recording), []
    for i, argument in enumerate(arguments):
        columns = []
        for k in range(argument.size):
            along = [np.zeros(each.shape) for each in arguments]
            along[i][k] = 1.0
            columns.append(evaluate(twin, [*arguments, *along])[1])
        found.append(np.array(columns).T)
    return found


def check(function, *arguments):
    """Check that the adjoints equal the transposed Jacobians times a seed, and return these."""
    arguments = [np.array(argument, dtype=float) for argument in arguments]
    recording = recorded(function, *(argument.shape for argument in arguments))
    seed = np.random.default_rng(1).normal(size=recording.outputs[0].shape)
    adjoints = evaluate(adjoint_twin(recording), [*arguments, seed])
    for adjoint, jacobian in zip(adjoints, jacobians(recording, arguments), strict=True):
        assert np.isfinite(jacobian).all()
        # the same terms, added in another order
        assert_allclose(adjoint, seed @ jacobian, rtol=1e-14, atol=1e-15)
    return adjoints


@pytest.mark.parametrize("operation", sorted(RULES))
def test_each_operation_has_the_transposed_derivative(operation):
    recording = recording_of(operation)
    adjoint = adjoint_twin(recording)
    for operands, _ in samples(operation):
        (jacobian,) = jacobians(recording, [operands])
        assert_allclose(evaluate(adjoint, [operands, np.array([1.7])])[0], 1.7 * jacobian[0], rtol=1e-14)


@pytest.mark.parametrize("operation", sorted(PIECEWISE_CONSTANT - {"interval", "lookup"}))
def test_operations_with_steps_have_the_adjoint_zero(operation):
    recording = recording_of(operation)
    for operands, _ in samples(operation):
        assert not evaluate(adjoint_twin(recording), [operands, np.array([1.7])])[0].any()


def test_shared_terms_add_up():
    check(lambda x, y: np.array([x[0] * x[1] * y[0], np.sin(x[0] * x[1]) / y[1], x[0] * x[1] + x[0]]), [0.3, 0.7], [1.1, 1.3])


def test_tables_are_constant_between_their_breakpoints():
    breakpoints, slopes = StaticTable([0.0, 1.0, 2.0]), StaticTable([3.0, 5.0])
    check(lambda x: np.array([lookup(slopes, interval(breakpoints, x[0])) * x[0] ** 2]), [1.5])


def test_a_branch_that_is_not_chosen_does_not_count_even_if_it_is_infinite():
    for x in (0.0, 1.0):
        check(lambda x: np.array([where(x[0] > 0, np.sqrt(x[0]), 2.0 * x[0])]), [x])
        # the factor of the other one is infinite: so is what multiplies it
        check(lambda x: np.array([where(x[0] > 0, x[1] * (1 / x[0]), x[1])]), [x, 0.5])
        check(lambda x: np.array([where(x[0] > 0, np.log(x[0]) * x[1], x[1] ** 3)]), [x, 0.5])


def test_a_term_of_several_branches_counts_where_one_is_chosen():
    def function(x):
        root = np.sqrt(x[0])
        return np.array(
            [
                where(x[0] > 0, root, x[0]),
                where(x[0] > 1, root * x[1], x[1]),
                where(x[1] > 0, where(x[0] > 0.5, root, x[1]), where(x[0] > 0.5, 2 * root, x[0])),
            ]
        )

    for x in (0.0, 0.4, 0.7, 1.5):
        for y in (-0.5, 0.5):
            check(function, [x, y])


def test_a_term_of_both_branches_counts_once_for_the_chosen_one():
    for x in (-0.5, 0.5):
        check(lambda x: np.array([where(x[0] > 0, np.exp(x[0] * x[1]), np.sin(x[0] * x[1]))]), [x, 0.7])
        check(lambda x: np.array([where(x[0] > 0, x[0] * x[1], x[1]) + x[0] * x[1]]), [x, 0.7])


def test_the_norm_of_the_zero_vector_has_the_adjoint_zero():
    (adjoint,) = check(lambda v: np.array([norm(v)]), [0.0, 0.0, 0.0])
    assert not adjoint.any()


def test_fixed_inputs_and_results_have_no_adjoints():
    recording = record(lambda x: np.array([x[0] * x[1], 3.0]), [np.array([np.nan, 2.0])], about="test")
    adjoint = adjoint_twin(recording)
    assert evaluate(adjoint, [np.array([0.5, 2.0]), np.array([1.0, 7.0])])[0].tolist() == [2.0, 0.0]
    assert adjoint.outputs[0][1].value == 0.0


def test_adjoints_do_not_depend_on_what_else_is_recorded():
    recording, other = (recorded(lambda x: np.array([np.sin(x[0]) * x[1] / x[0]]), 2) for _ in range(2))
    tangent_twin(other)
    first, second = adjoint_twin(recording), adjoint_twin(other)
    assert first.tape.entries == second.tape.entries
    assert [entry.number for entry in first.outputs[0]] == [entry.number for entry in second.outputs[0]]


def test_an_adjoint_adds_to_its_inputs_and_consumes_outputs_that_were_set():
    adjoint = adjoint_twin(recorded(lambda x: (2 * x, x * x), 2))
    w, dw = np.array([2.0, 3.0, 0, 0, 0, 0]), np.array([10.0, 20.0, 1.0, 2.0, 3.0, 4.0])
    before = w.copy()

    run(adjoint_program_of(adjoint, adds=frozenset([1])), [0, 2, 4], w, dw)

    assert same_bits(w, before)
    assert dw.tolist() == [10 + 2 * 1 + 4 * 3, 20 + 2 * 2 + 6 * 4, 0, 0, 3, 4]


def test_an_input_may_lie_where_an_output_does():
    adjoint = adjoint_twin(recorded(lambda x: x * x, 1))
    w, dw = np.array([9.0]), np.array([0.5])  # w after the kernel has run

    run(adjoint_program_of(adjoint, adds=frozenset()), [0, 0], w, dw)

    assert dw.tolist() == [2 * 9.0 * 0.5]


def test_the_adjoint_of_a_tangent_is_exact():
    recording = recorded(lambda x: np.array([np.sin(x[0]) * x[1]]), 2)
    twin = tangent_twin(recording)
    tangent = Recording(twin.tape, twin.inputs, twin.outputs[1:])
    x, v = np.array([0.3, 0.7]), np.array([1.1, -0.4])
    of_x, of_v = evaluate(adjoint_twin(tangent), [x, v, np.array([2.0])])
    assert_allclose(of_v, 2 * np.array([np.cos(0.3) * 0.7, np.sin(0.3)]), rtol=1e-15)
    assert_allclose(of_x, 2 * np.array([-np.sin(0.3) * 0.7 * 1.1 + np.cos(0.3) * -0.4, np.cos(0.3) * 1.1]), rtol=1e-14)
