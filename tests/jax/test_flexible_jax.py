"""Functions of JAX for Systems with flexible bodies."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from tests.flexible.flexible_tree import Tree

jax = pytest.importorskip("jax", reason="needs the extra 'jax'")
pytestmark = pytest.mark.slow  # XLA takes seconds to compile a tree


@pytest.mark.parametrize("points", [None, "straight", "curved"])
def test_rates_of_flexible_bodies_are_those_of_the_system(points):
    tree = Tree(4, points=points)
    tree.system.realize(tree.state, mb.Stage.ACCELERATION)
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        model = mb.to_jax(tree.system, tree.state)
        rates = np.asarray(model.rates(0.0, model.y0, model.parameters))
    finally:
        jax.config.update("jax_enable_x64", before)
    assert_allclose(rates, tree.state.y_dot, rtol=0, atol=1e-12 * np.abs(tree.state.y_dot).max())
