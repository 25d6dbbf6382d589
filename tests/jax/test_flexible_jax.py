"""Functions of JAX for Systems with flexible bodies."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from tests.flexible.flexible_tree import Tree
from tests.flexible.test_many_modes import ManyModesTree

jax = pytest.importorskip("jax", reason="needs the extra 'jax'")
pytestmark = pytest.mark.slow  # XLA takes seconds to compile a tree


@pytest.mark.parametrize("points", [None, "straight", "curved"])
def test_rates_of_flexible_bodies_are_those_of_the_system(points):
    tree = Tree(4, points=points)
    tree.system.realize(tree.state, mb.Stage.ACCELERATION)
    model = mb.to_jax(tree.system, tree.state)
    rates = np.asarray(model.rates(0.0, model.y0, model.parameters))
    assert_allclose(rates, tree.state.y_dot, rtol=0, atol=1e-12 * np.abs(tree.state.y_dot).max())


@pytest.mark.parametrize("inertia", ["core", "full"])
def test_matrices_of_many_modes_are_products_in_jax_too(inertia):
    """Rates, and their derivatives by the coordinates."""
    tree = ManyModesTree(14, inertia)
    tree.system.realize(tree.state, mb.Stage.ACCELERATION)
    model = mb.to_jax(tree.system, tree.state)
    expected, nq = tree.state.y_dot, tree.state.q.size
    with jax.disable_jit():
        direction = np.random.default_rng(3).normal(size=nq)
        along = np.concatenate([direction, np.zeros(nq)])
        rates, change = jax.jvp(lambda y: model.rates(0.0, y), (model.y0,), (along,))
    assert_allclose(rates, expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    by_q = mb.forward_dynamics_derivatives(tree.system, tree.state).by_q
    assert_allclose(change[nq:], by_q @ direction, rtol=0, atol=1e-10 * np.abs(by_q).max())


def held_tree():
    """A tree whose interfaces and tip are held by rods, from its first pose."""

    def add_rods(tree):
        ground = tree.matter.ground
        mb.Rod(tree.base.interface("one"), [0.1, 0.2, -0.1], ground, [0.4, -1.0, 0.3], 1.3, name="strut")
        mb.Rod(tree.tip, [0.05, 0.1, 0.2], ground, [-0.6, 0.9, 1.0], 1.7, name="stay")

    tree = Tree(4, between=add_rods)
    tree.system.realize(tree.state, mb.Stage.ACCELERATION)
    return tree


def test_accelerations_and_multipliers_of_loops_through_flexible_bodies_are_those_of_the_system():
    tree = held_tree()
    names = ["strut.multiplier", "stay.multiplier"]
    model = mb.to_jax(tree.system, tree.state, outputs=names)
    with jax.disable_jit():
        rates, outputs = model.rates(0.0, model.y0), model.outputs(0.0, model.y0)
    table = tree.matter.constraint_sweeps(tree.state.layout).table
    condition = np.linalg.cond(table.products(tree.state.values, table.active(tree.state.values)))
    assert_allclose(rates, tree.state.y_dot, rtol=0, atol=1e-12 * condition * np.abs(tree.state.y_dot).max())
    for name in names:
        assert_allclose(outputs[name], tree.system.value(tree.state, name), rtol=1e-12 * condition, err_msg=name)


def test_projections_of_loops_through_flexible_bodies_are_least_changes_that_close_them():
    tree = held_tree()
    tree.state.u = np.zeros(tree.state.u.size)
    at = mb.Assembler(tree.system).assemble(tree.state)
    away = at.y + 1e-4 * np.random.default_rng(2).normal(size=at.y.size)
    with jax.disable_jit():
        closed = np.array(mb.to_jax(tree.system, at).step(0.0, away, step=0.0, integrator="SemiImplicitEuler", project=True))
    after = at.copy()
    after.y = closed
    tree.system.realize(after, mb.Stage.VELOCITY)
    for rod in tree.matter.constraints:
        errors = [*rod.position_errors(after), *rod.velocity_errors(after)]
        assert_allclose(errors, 0, atol=1e-12)  # some roundings of a metre, after errors of 1e-4
    of_base = slice(1, 4)  # the modes of the flexible body that both rods hold
    assert np.abs(closed - away)[of_base].max() > 1e-9
