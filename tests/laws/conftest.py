import numpy as np
import pytest

from mobod import Stage
from tests.laws.mechanisms import random_mechanism


@pytest.fixture(
    scope="module", params=[(11, False), (12, False), (13, True)], ids=["mechanism11", "mechanism12", "mechanism13 in Euler angles"]
)
def mechanism(request):
    seed, in_euler_angles = request.param
    return random_mechanism(seed, in_euler_angles=in_euler_angles)


@pytest.fixture
def rng():
    return np.random.default_rng(2024)


@pytest.fixture(params=[False, True], ids=["free", "moved"])
def state(request, mechanism, rng):
    """A random State of the mechanism, realized to ACCELERATION; with motions and locks, or without."""
    state = mechanism.random_state(rng, moved=request.param)
    mechanism.system.realize(state, Stage.ACCELERATION)
    return state
