import numpy as np
import pytest

from mobod import Stage
from tests.laws.mechanisms import random_mechanism


@pytest.fixture(scope="module", params=[11, 12, 13], ids=lambda seed: f"mechanism{seed}")
def mechanism(request):
    return random_mechanism(request.param)


@pytest.fixture
def rng():
    return np.random.default_rng(2024)


@pytest.fixture
def state(mechanism, rng):
    """A random State of the mechanism, realized to ACCELERATION."""
    state = mechanism.random_state(rng)
    mechanism.system.realize(state, Stage.ACCELERATION)
    return state
