import numpy as np
import pytest

from mobod import Stage
from tests.laws.mechanisms import random_mechanism


# two mechanisms: one with quaternions, motions and locks, one with Euler angles only
@pytest.fixture(scope="module", params=[(11, False), (13, True)], ids=["mechanism11 moved", "mechanism13 in Euler angles"])
def mechanism(request):
    seed, in_euler_angles = request.param
    return random_mechanism(seed, in_euler_angles=in_euler_angles)


@pytest.fixture
def rng():
    return np.random.default_rng(2024)


@pytest.fixture
def state(mechanism, rng):
    """A random State of the mechanism, realized to ACCELERATION."""
    state = mechanism.random_state(rng, moved=not mechanism.matter.uses_euler_angles_by_default)
    mechanism.system.realize(state, Stage.ACCELERATION)
    return state
