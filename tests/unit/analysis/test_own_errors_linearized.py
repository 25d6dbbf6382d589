"""A subsystem's own constraint errors restrict linear systems and equilibria too."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from tests.unit.simulate.test_own_errors import bead


@pytest.mark.fast(1)
@pytest.mark.parametrize("with_linkage", [False, True])
def test_a_bead_on_a_circle_hangs_and_swings_as_a_pendulum(with_linkage):
    system = bead(with_linkage)
    state = mb.find_equilibrium(system)
    assert_allclose(system.value(state, "bead.q"), [0, -1], atol=1e-8)
    linear = system.linearize(state, inputs=["bead.gravity"])
    assert [name for name in linear.states if name.startswith("bead")] == ["bead.q[1]", "bead.u[1]"]
    assert_allclose(linear.B, 0.0, atol=1e-8)  # at rest the bead hangs there for any gravity
    frequencies = system.modes(state).frequencies
    assert np.abs(frequencies - np.sqrt(9.8)).min() < 1e-7
    assert len(frequencies) == (4 if with_linkage else 1)


def test_a_moving_bead_has_the_pendulums_linear_system():
    """In the coordinate x of a pendulum of length 1: x' = v, v' = -g x cos - x (v^2 / cos^2), with cos = sqrt(1 - x^2)."""
    system = bead()
    state = system.realize_topology()
    linear = system.linearize(state, inputs=["bead.gravity"], coordinates=["bead.q[1]", "bead.u[1]"])

    def rate(x, v, g):
        cos = np.sqrt(1 - x**2)
        return -g * x * cos - x * v**2 / cos**2

    x, v, g, h = 0.8, 0.3, 9.8, 1e-5
    assert_allclose(linear.rates, [v, rate(x, v, g)], rtol=1e-12)
    by_x, by_v, by_g = ((rate(x + a, v + b, g + c) - rate(x - a, v - b, g - c)) / (2 * h) for a, b, c in h * np.eye(3))
    # central differences: h^2 of the third derivative
    assert_allclose(linear.A, [[0, 1], [by_x, by_v]], atol=1e-7)
    assert_allclose(linear.B, [[0], [by_g]], atol=1e-7)
