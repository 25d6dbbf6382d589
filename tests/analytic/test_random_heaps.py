"""Random heaps end without failures, gain no energy, and keep the laws of friction: tests/analytic/random_heaps.py."""

import numpy as np
import pytest

from mobod.matter.unilateral.moments import SIZES
from tests.analytic.random_heaps import random_heap

pytestmark = pytest.mark.filterwarnings("ignore:bodies jam")
FIRST_ORDER = 2e-2  # of the energy at the start, by which free motion and loops of arms may gain in a step of 10 ms; of motors beside it


def worst_of_laws(pool, state):
    """How far friction forces and moments are outside of their sets, relative to the largest normal force, and what they supply, W."""
    n, normal = pool.slots, pool.normal_force(state)
    forces, rates = pool.friction_forces(state), pool.slips(state)
    size, outside, first = max(normal.max(), 1e-9), 0.0, 0
    widths = {"static_friction": 2, **{name: SIZES[name] for name in pool.moments}}
    if len(forces) < n * sum(widths.values()):
        del widths["static_friction"]  # contacts without friction have no tangents
    for name, width in widths.items():
        limit = np.array([state.view(parameter_of(pool, name, state, row)) for row in range(n)]).ravel() * normal
        outside = max(outside, (np.linalg.norm(forces[first : first + width * n].reshape(n, width), axis=1) - limit).max() / size)
        first += width * n
    return outside, forces @ rates


def parameter_of(pool, name, state, row):
    if name == "static_friction":
        return pool.friction_parameters(state.layout, row)[0]
    return pool.moment_parameter(name, state.layout, row)


def run(seed, n=7, **options):
    """Run a heap, and check its laws at each report. Returns (Heap, final State, energies)."""
    heap = random_heap(seed, n, **options)
    (pool,) = heap.scene.contacts.values()
    every = max(0.05, heap.step)
    energies, state = [heap.energy(heap.state)], heap.state
    turning = 1e-6 if options else 1e-2  # slips turn with the bodies after the step's problem, most in impacts
    results = heap.scene.run(state, 1.5, step=heap.step, report_every=every, impacts=heap.impacts, backend="compiled")
    for each in results.states():
        energies.append(heap.energy(each))
        outside, supplied = worst_of_laws(pool, each)
        assert outside < 1e-6, (seed, outside)
        assert supplied < turning * energies[0] / heap.step, (seed, supplied, energies[0])
    allowed = FIRST_ORDER * energies[0] * heap.step / 0.01 + every * heap.power
    assert np.diff(energies).max() < max(allowed, 1e-9 * energies[0]), (seed, np.diff(energies).max(), energies[0])
    assert results[f"{pool.name}.distance"].min() > -1e-3, seed
    return heap, results.final_state, energies


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(k, k + 15) for k in range(0, 60, 15)], ids=str)
def test_heaps_with_all_moments_of_friction_settle(seeds):
    """Seven shapes in a bin. Where they jam, some steps have a solution with frozen rows alone (listed_rows.h)."""
    for seed in seeds:
        _, _, energies = run(seed, is_plain=True)
        assert energies[-1] < 0.2 * energies[0], seed


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(k, k + 15) for k in range(100, 160, 15)], ids=str)
def test_heaps_of_all_kinds_end(seeds):
    """In bins and on terrain, with bounces, arms and motors, simultaneous impacts and impacts in turn, in steps from 0.5 to 10 ms."""
    for seed in seeds:
        run(seed)
