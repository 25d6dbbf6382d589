"""Every kind of row of mechanisms with every element: NumPy on floats, CasADi and C give the same numbers, derivatives too."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod import Stage
from mobod.scalar.derivative import tangent_twin
from mobod.scalar.lowering import BufferedFunction, to_casadi
from mobod.scalar.sweep import Row
from tests.equivalence.same_in_c import called, same_in_c
from tests.laws.mechanisms import random_mechanism


def kinds_of(mechanism, rng):
    """kind -> the inputs of its first row, in a State in motion."""
    state = mechanism.random_state(rng)
    mechanism.system.realize(state, Stage.ACCELERATION)
    layout = state.layout
    tree = layout.tables[mechanism.matter.index]
    sweeps = [*layout.sweeps.values(), *layout.lazy_sweeps.values(), tree.mass_matrix_product, tree.generalized_bias]
    kinds = {}
    for sweep in sweeps:
        for row in (each for each in sweep.rows if isinstance(each, Row)):
            values = [state.values[slot.slice].reshape(slot.shape).copy() for slot in row.inputs]
            kinds.setdefault(row.kind, [with_numbers_for_zeros(value, rng) for value in values])
    return kinds


def with_numbers_for_zeros(value, rng):
    """What no realization has filled (operands, lazy entries) gets random numbers; a flag that is off is on."""
    if value.any():
        return value
    if value.shape == (21,):  # an articulated inertia, which is positive definite: by its diagonal
        return rng.uniform(0.1, 0.3, size=21) + np.repeat([3.0, 0.0, 3.0, 0.0], [3, 12, 3, 3])
    return rng.uniform(0.5, 1.5, size=value.shape)


@pytest.fixture(scope="module")
def kinds():
    rng = np.random.default_rng(5)
    both = kinds_of(random_mechanism(21), rng) | kinds_of(random_mechanism(22), rng)
    # what the structure fixes is no argument: there the number of the structure
    for kind, values in both.items():
        for i, k, value in kind.fixed:
            values[i].flat[k] = value
    return both


@pytest.fixture(scope="module")
def directions(kinds):
    """A direction for each kind; none along what is fixed."""
    rng = np.random.default_rng(6)
    along = {kind: [rng.normal(size=shape) for shape in kind.shapes] for kind in kinds}
    for kind, arrays in along.items():
        for i, k, _ in kind.fixed:
            arrays[i].flat[k] = 0.0
    return along


def text(kind, values):
    results = kind.function(*kind.structure, *(value[()] for value in values))
    return results if isinstance(results, tuple) else (results,)


def test_kinds_and_their_derivatives_are_the_same_in_c(kinds, directions):
    samples = {}
    for number, (kind, values) in enumerate(kinds.items()):
        samples[f"{kind.name}_{number}"] = (kind.recording(), [values])
        samples[f"{kind.name}_{number}_tangent"] = (tangent_twin(kind.recording()), [[*values, *directions[kind]]])

    assert same_in_c(samples)


def test_kinds_have_the_values_of_their_text_and_the_derivatives_of_its_complex_step(kinds, directions):
    for kind, values in kinds.items():
        twin = tangent_twin(kind.recording())
        recorded = called(BufferedFunction(to_casadi(twin)), twin, [*values, *directions[kind]])

        plain = text(kind, values)
        stepped = text(kind, [value + 1e-30j * along for value, along in zip(values, directions[kind], strict=True)])

        expected = [*plain, *(np.imag(result) / 1e-30 for result in stepped)]
        # other orders of sums and products: some rounding errors of the terms, which cancel in a joint that leaves all free, times
        # the condition of its speeds (angle rates: see random_q)
        rounding = 1e-13 * max(np.abs(array).max(initial=1.0) for array in (*values, *expected))
        for a, b in zip(recorded, expected, strict=True):
            assert_allclose(a, b, rtol=1e-12, atol=rounding, err_msg=kind.name)
