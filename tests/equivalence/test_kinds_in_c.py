"""Kinds of calls of mechanisms with every element: NumPy on floats, bytecode and C give the same numbers and derivatives."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod import Stage
from mobod.matter.tree.prescription import known_q, known_u
from mobod.scalar.derivative import tangent_twin
from mobod.scalar.sweep import SweepCall
from tests.equivalence.interpreted import Interpreted
from tests.equivalence.same_in_c import UNOPTIMISED, same_in_c
from tests.laws.mechanisms import random_mechanism


def kinds_of(mechanism, rng, *, moved=False):
    """kind -> the inputs of its first call, in a State in motion."""
    state = mechanism.random_state(rng, moved=moved)
    mechanism.system.realize(state, Stage.ACCELERATION)
    layout = state.layout
    tree = layout.tables[mechanism.matter.index]
    sweeps = [*layout.sweeps.values(), *layout.lazy_sweeps.values(), *tree.operators.all()]
    kinds = {}
    for sweep in sweeps:
        for call in (each for each in sweep.calls if isinstance(each, SweepCall)):
            values = [state.values[slot.slice].reshape(slot.shape).copy() for slot in call.inputs]
            kinds.setdefault(call.kind, [with_numbers_for_zeros(value, rng) for value in values])
    return kinds


def with_numbers_for_zeros(value, rng):
    """Values that no realization computes (operands, lazy entries) are replaced by random numbers; flags that are off are on."""
    if value.any():
        return value
    if value.shape == (21,):  # an articulated inertia, which is positive definite: by its diagonal
        return rng.uniform(0.1, 0.3, size=21) + np.repeat([3.0, 0.0, 3.0, 0.0], [3, 12, 3, 3])
    return rng.uniform(0.5, 1.5, size=value.shape)


@pytest.fixture(scope="module")
def kinds():
    rng = np.random.default_rng(5)
    both = kinds_of(random_mechanism(21), rng) | kinds_of(random_mechanism(22), rng, moved=True)
    # entries that the structure fixes are not arguments: they keep the structure's numbers
    for kind, values in both.items():
        for i, k, value in kind.fixed:
            values[i].flat[k] = value
    return both


@pytest.fixture(scope="module")
def directions(kinds):
    """A direction for each kind; zero along fixed entries and along levels of locks, which are integers."""
    rng = np.random.default_rng(6)
    along = {kind: [rng.normal(size=shape) for shape in kind.shapes] for kind in kinds}
    for kind, arrays in along.items():
        for i, k, _ in kind.fixed:
            arrays[i].flat[k] = 0.0
        if kind.function in (known_q, known_u):
            arrays[2] = np.zeros(kind.shapes[2])
    return along


def text(kind, values):
    results = kind.function(*kind.structure, *(value[()] for value in values))
    return results if isinstance(results, tuple) else (results,)


def derivatives_of_text(kind, values, along):
    """By the complex step, or by differences of order 6 (see rate_along_motion) for code without complex numbers, such as arctan2.

    Returns the derivatives and their error, relative to the largest number.
    """
    try:
        stepped = text(kind, [value + 1e-30j * change for value, change in zip(values, along, strict=True)])
        return [np.imag(result) / 1e-30 for result in stepped], 1e-14
    except TypeError:
        total, h = [0.0 for _ in text(kind, values)], 2e-3
        for steps, weight in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60)):
            for sign in (1, -1):
                moved = text(kind, [value + sign * steps * h * change for value, change in zip(values, along, strict=True)])
                total = [each + sign * weight / h * result for each, result in zip(total, moved, strict=True)]
        return total, 1e-10


def condition(kind, results):
    """The condition number of D of a joint, from its inverse, which is the first result of kinds that invert it; 0 where u_dot is known."""
    if "articulated_inertia" in kind.name and results[0].any():
        return np.linalg.cond(results[0])
    return 1.0


@pytest.mark.slow
def test_kinds_and_their_derivatives_are_the_same_in_c(kinds, directions):
    samples = {  # a twin has the values and their derivatives
        f"{kind.name}_{number}": (tangent_twin(kind.recording()), [[*values, *directions[kind]]])
        for number, (kind, values) in enumerate(kinds.items())
    }

    assert same_in_c(samples, UNOPTIMISED)


@pytest.mark.slow
def test_kinds_and_their_derivatives_match_their_numpy_code(kinds, directions):
    for kind, values in kinds.items():
        twin = tangent_twin(kind.recording())
        recorded = Interpreted(twin)([*values, *directions[kind]])

        derivatives, known_to = derivatives_of_text(kind, values, directions[kind])
        expected = [*text(kind, values), *derivatives]
        # sums and products in another order: some rounding errors of the terms, which cancel in a joint with six degrees of freedom,
        # times the condition of the joint's inertia D, which is inverted
        rounding = known_to * condition(kind, expected) * max(np.abs(array).max(initial=1.0) for array in (*values, *expected))
        for a, b in zip(recorded, expected, strict=True):
            assert_allclose(a, b, rtol=1e-12, atol=rounding, err_msg=kind.name)
