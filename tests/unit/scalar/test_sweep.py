"""Sweeps: calls run in order over one flat array, as NumPy code and as programs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mobod import scalar
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.scalar.sweep_function import SweepFunction, TangentFunction

# w: a (3,), b (3,), A (2, 3), total (), pair (2,)
a, b, A, total, pair = Slot(0, (3,)), Slot(3, (3,)), Slot(6, (2, 3)), Slot(12, ()), Slot(13, (2,))
SIZE = 15


def scaled(factor, x):
    return factor * x


def product(A, x):
    return A @ np.sin(x)


def swapped(x, y):
    return y, x


def shares(x):
    return x[0] * x[1], x[2]


def doubled(x):
    return 2 * x


def values():
    return np.random.default_rng(8).normal(size=SIZE)


def by_text(sweep):
    w = values()
    sweep.run_text(w)
    return w


def by_programs(sweep):
    w = values()
    SweepFunction(sweep)(w)
    return w


@pytest.fixture(params=[by_text, by_programs], ids=["text", "programs"])
def run(request):
    return request.param


def test_calls_are_run_in_order(run):
    sweep = Sweep("order")
    sweep.add(scaled, [a], [b], structure=(-1.5,))
    sweep.add(product, [A, b], [pair])

    before, after = values(), run(sweep)

    assert_allclose(after[b.slice], -1.5 * before[a.slice], rtol=1e-15)
    assert_allclose(after[pair.slice], before[A.slice].reshape(2, 3) @ np.sin(-1.5 * before[a.slice]), rtol=1e-14)
    untouched = [*range(3), *range(6, 13)]
    assert after[untouched].tolist() == before[untouched].tolist()


def test_all_inputs_of_a_call_are_read_before_its_first_result_is_written(run):
    sweep = Sweep("swap")
    sweep.add(swapped, [a, b], [a, b])

    before, after = values(), run(sweep)

    assert after[a.slice].tolist() == before[b.slice].tolist()
    assert after[b.slice].tolist() == before[a.slice].tolist()


def test_an_input_may_overlap_a_result_in_part(run):
    sweep = Sweep("shift")
    sweep.add(scaled, [Slot(0, (4,))], [Slot(1, (4,))], structure=(3.0,))

    before, after = values(), run(sweep)

    assert_allclose(after[1:5], 3 * before[0:4], rtol=1e-15)


def test_results_are_added_also_twice_in_one_call(run):
    sweep = Sweep("sum")
    sweep.add(shares, [a], [total, total], adds=(0, 1))

    before, after = values(), run(sweep)

    assert_allclose(after[12], before[12] + before[0] * before[1] + before[2], rtol=1e-15)


def test_clears_come_before_the_first_call(run):
    sweep = Sweep("cleared", clears=[total, pair])
    sweep.add(scaled, [total], [b[0]], structure=(5.0,))
    sweep.add(shares, [a], [total, pair[1]], adds=(0, 1))

    before, after = values(), run(sweep)

    assert after[3] == 0.0
    assert after[12] == before[0] * before[1]
    assert after[pair.slice].tolist() == [0.0, before[2]]


def test_a_call_that_adds_to_its_input_reads_the_old_value(run):
    sweep = Sweep("doubling")
    sweep.add(doubled, [a], [a], adds=(0,))
    sweep.add(doubled, [a], [a], adds=(0,))

    before, after = values(), run(sweep)

    assert_allclose(after[a.slice], 9 * before[a.slice], rtol=1e-15)


def test_a_sweep_can_be_empty(run):
    assert run(Sweep("empty")).tolist() == values().tolist()


def test_slots_are_all_that_are_cleared_read_and_written():
    sweep = Sweep("slots", clears=[total])
    sweep.add(scaled, [a], [b], structure=(2.0,))
    sweep.add(shares, [b], [total, pair[0]], adds=(0, 1))

    assert list(sweep.slots()) == [total, a, b, b, total, pair[0]]


def test_structural_constants_are_folded_and_propagated():
    constants = {0: 0.0, 1: 1.0, 2: 0.5}
    sweep = Sweep("constants")
    sweep.add(scaled, [a], [b], structure=(2.0,), constants=constants)
    sweep.add(shares, [b], [total, pair[0]], constants=constants)

    assert constants == {0: 0.0, 1: 1.0, 2: 0.5, 3: 0.0, 4: 2.0, 5: 1.0, 12: 0.0, 13: 1.0}
    assert [call.kind.fixed for call in sweep.calls] == [
        ((0, 0, 0.0), (0, 1, 1.0), (0, 2, 0.5)),
        ((0, 0, 0.0), (0, 1, 2.0), (0, 2, 1.0)),
    ]


def test_open_inputs_are_not_folded_so_that_calls_share_a_kind():
    constants = {0: 1.0, 3: 2.0}
    sweep = Sweep("kinds")
    for slot in (a, b):
        sweep.add(doubled, [slot], [slot], constants=constants, open_inputs=(0,))

    first, second = sweep.calls
    assert first.kind == second.kind
    assert first.kind.recording() is second.kind.recording()
    assert first.kind.fixed == ()


def test_an_overwritten_constant_is_no_longer_constant(run):
    constants = {0: 0.0, 1: 0.0, 2: 0.0, 12: 0.0}
    sweep = Sweep("overwritten")
    sweep.add(doubled, [b], [a], constants=constants)
    sweep.add(shares, [b], [total, pair[0]], constants=constants, adds=(0,))
    sweep.add(scaled, [total], [pair[1]], structure=(3.0,), constants=constants)

    before, after = values(), run(sweep)

    assert constants == {}
    assert_allclose(after[14], 3 * (before[12] + before[3] * before[4]), rtol=1e-15)


def test_kinds_differ_by_function_structure_shapes_constants_and_adds():
    sweep = Sweep("kinds")
    sweep.add(scaled, [a], [b], structure=(2.0,))
    sweep.add(scaled, [a], [b], structure=(3.0,))
    sweep.add(doubled, [a], [b])
    sweep.add(doubled, [A], [A])
    sweep.add(doubled, [a], [b], constants={1: 4.0})
    sweep.add(doubled, [a], [b], adds=(0,))

    assert len({call.kind for call in sweep.calls}) == 6
    assert [call.kind.name for call in sweep.calls[:3]] == ["scaled_float", "scaled_float", "doubled"]


def test_entries_of_a_slot_are_slots():
    assert A[1] == Slot(9, (3,))
    assert A[1][2] == Slot(11, ())
    assert (A.size, A.slice, total.size) == (6, slice(6, 12), 1)


def mixed(x, y):
    return [x * y, x / y, x - y, y - x, -x + y, -(x * y), scalar.where(y > 0, x, 2 * x), scalar.where(y > 0, 3.0, x), x / x * y]


@pytest.mark.parametrize("changing", [0, 1])
def test_unchanged_entries_do_not_contribute_to_derivatives_even_if_infinite(changing):
    x, y, results = Slot(0, ()), Slot(1, ()), Slot(2, (9,))
    sweep = Sweep("mixed")
    sweep.add(lambda x, y: np.array(mixed(x, y)), [x, y], [results])
    along = TangentFunction([sweep], [changing], list(results.offsets))
    both = TangentFunction([sweep], [0, 1], list(results.offsets))

    w = np.array([-0.7, 1.3, *np.zeros(9)])
    assert_array_equal(along(w, np.array([0.6])), both(w, 0.6 * np.eye(2)[changing]))
    w[changing] = np.inf
    products = along(w, np.array([0.6]))[[0, 5]]  # of the infinite number with the change of the other, which is none
    assert_allclose(products, 0.6 * w[1 - changing] * np.array([1, -1]), rtol=1e-15)
    assert np.isnan(both(w, 0.6 * np.eye(2)[changing])[[0, 5]]).all()
