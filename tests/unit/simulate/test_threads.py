"""Several threads may use one System at the same time, each with its own State, and get the same numbers as a single thread."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import mobod as mb
from mobod.laws.random_states import random_state
from tests.laws.mechanisms import random_mechanism

N_THREADS = 4


def realized(system, state, times):
    """y_dot and a derivative at each of the times."""
    results = []
    for time in times:
        state.time = time
        system.realize(state, mb.Stage.ACCELERATION)
        along = {system.variables(state)[0].name: np.ones_like(system.value(state, system.variables(state)[0]))}
        change = system.directional_derivative(state, ["energy"], along)["energy"]
        results.append(np.concatenate([state.y_dot, np.ravel(change)]))
    return np.array(results)


@pytest.mark.slow
def test_states_in_threads_have_the_same_numbers_as_alone():
    system = random_mechanism(5).system
    rng = np.random.default_rng(6)
    states = [random_state(system, rng) for _ in range(N_THREADS)]
    times = np.linspace(0.0, 1.0, 10)
    alone = [realized(system, state.copy(), times) for state in states]

    with ThreadPoolExecutor(N_THREADS) as pool:
        together = list(pool.map(lambda state: realized(system, state, times), states))

    for one, other in zip(together, alone, strict=True):
        assert_array_equal(one, other)


@pytest.mark.slow
def test_runs_in_threads_have_the_same_numbers_as_alone():
    system = random_mechanism(5).system
    rng = np.random.default_rng(7)
    states = [random_state(system, rng) for _ in range(N_THREADS)]
    simulation = mb.Simulation(system, accuracy=1e-5, backend="interpreted")

    def end(state):
        return simulation.run(state, state.time + 0.01).y[-1]

    alone = [end(state) for state in states]
    with ThreadPoolExecutor(N_THREADS) as pool:
        together = list(pool.map(end, states))

    assert_array_equal(together, alone)
