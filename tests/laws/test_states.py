"""States of any mechanism: realization without the cache gives the same bits; bytes and copies are complete."""

import copy

import numpy as np
import pytest

import mobod as mb
from mobod import Stage
from tests.laws.mechanisms import random_mechanism
from tests.laws.test_cache import CHANGES, all_values, assert_same_bits


@pytest.mark.parametrize(
    ("seed", "as_text"), [(41, False), pytest.param(43, True, marks=pytest.mark.slow)], ids=["all bodies", "some bodies as text"]
)
def test_with_the_cache_and_without_it_the_bits_are_the_same(seed, as_text):
    n_bodies = {"n_bodies": 3} if as_text else {}  # text mode records again for each derivative
    with_cache, without = (random_mechanism(seed, **n_bodies) for _ in range(2))
    without.system.uses_cache = False
    rngs = [np.random.default_rng(seed) for _ in range(2)]
    states = []
    for mechanism, rng in zip((with_cache, without), rngs, strict=True):
        mechanism.system.as_text = as_text
        states.append(mechanism.random_state(rng))
    for _ in range(2 if as_text else 10):
        name = rngs[0].choice(list(CHANGES))
        assert rngs[1].choice(list(CHANGES)) == name
        stage = Stage(rngs[0].integers(Stage.POSITION, Stage.REPORT + 1))
        assert rngs[1].integers(Stage.POSITION, Stage.REPORT + 1) == stage
        for mechanism, state, rng in zip((with_cache, without), states, rngs, strict=True):
            CHANGES[name](mechanism, state, rng)
            mechanism.system.realize(state, stage)
            mechanism.system.potential_energy(state)
        assert_same_bits(all_values(with_cache, states[0]), all_values(without, states[1]))
    gravity = [mechanism.forces["Gravity"].num_evaluations for mechanism in (with_cache, without)]
    assert gravity[0] < gravity[1] / 2  # one keeps values, the other computes them again


@pytest.mark.slow
def test_a_state_from_bytes_has_the_same_bits(mechanism, state):
    mechanism.forces["GlobalDamper"].disable(state)
    back = mb.State.from_bytes(mechanism.system, state.to_bytes())
    assert back == state
    assert back.to_bytes() == state.to_bytes()
    assert_same_bits(all_values(mechanism, back), all_values(mechanism, state))


def test_bytes_of_another_mechanism_are_refused(mechanism, state):
    other = random_mechanism(99, n_bodies=3)
    other.system.name = mechanism.system.name
    with pytest.raises(mb.MobodError, match="with another structure"):
        mb.State.from_bytes(other.system, state.to_bytes())


@pytest.mark.slow
def test_a_mechanism_copied_with_its_state_has_the_same_bits_and_is_independent(mechanism, state, rng):
    twin, other = copy.deepcopy((mechanism, state))
    before = all_values(mechanism, state)
    assert_same_bits(all_values(twin, other), before)

    for name in CHANGES:
        CHANGES[name](twin, other, rng)
    twin.system.realize(other, Stage.REPORT)
    twin.forces["Gravity"].set_default_magnitude(1.0)
    assert_same_bits(all_values(mechanism, state), before)


@pytest.mark.fast(1)
def test_a_copied_mechanism_moves_as_the_original(mechanism, state):
    twin, other = copy.deepcopy((mechanism, state))
    runs = [
        mb.Simulation(s, backend="interpreted").run(x, until=x.time + 0.05) for s, x in ((mechanism.system, state), (twin.system, other))
    ]
    assert runs[0].y.tobytes() == runs[1].y.tobytes()
