"""The NumPy code of equations gives the same numbers as its recording."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod import Stage

# the same operations except for reordered sums and other libraries' sines, with errors of some 1e-16; accelerations and reactions
# have ten times this error, times the condition of the mass matrix
ROUND_OFF = 1e-13
EPS = np.finfo(float).eps


def values_in_python(mechanism, state):
    return {variable.name: mechanism.system.value(state, variable) for variable in mechanism.system.variables(state)}


def condition(mechanism, state):
    """The condition number of the mass matrix after its rows and columns are divided by the roots of its diagonal, so that units have no
    influence.
    """
    mechanism.system.realize(state, Stage.DYNAMICS)
    M = mechanism.matter.mass_matrix(state)
    size = np.sqrt(M.diagonal())
    return np.linalg.cond(M / np.outer(size, size))


# what is computed from accelerations, whose error grows with the condition of the mass matrix
ACCELERATIONS = (
    ".u)",
    ".alpha_GB",
    ".a_GB",
    ".alpha_GF",
    ".a_GF",
    ".reaction",
    ".motion.force",
    ".motion.load",
    "mass_center_acceleration",
)


def assert_same(actual, expected, condition):
    assert actual.keys() == expected.keys()
    for name, value in expected.items():
        is_acceleration = name.endswith(ACCELERATIONS)
        tolerance = max(ROUND_OFF, 10 * EPS * condition) if is_acceleration else ROUND_OFF
        assert_allclose(actual[name], value, rtol=0, atol=tolerance * max(1, np.abs(value).max()), err_msg=name)


@pytest.mark.fast(1)
def test_numpy_code_gives_the_numbers_of_its_recording(mechanism, state, rng):
    expected = values_in_python(mechanism, state)
    v = rng.normal(size=len(state.u))
    product, missing = mechanism.matter.multiply_by_mass_matrix(state, v), mechanism.matter.inverse_dynamics(state, v)

    mechanism.system.as_text = True
    try:
        as_text = state.copy()
        assert_same(values_in_python(mechanism, as_text), expected, condition(mechanism, state))
        assert_same(
            {"M v": mechanism.matter.multiply_by_mass_matrix(as_text, v), "forces": mechanism.matter.inverse_dynamics(as_text, v)},
            {"M v": product, "forces": missing},
            condition=1.0,
        )
    finally:
        mechanism.system.as_text = False
