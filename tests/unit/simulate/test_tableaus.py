"""The coefficients of the integration methods of the C runtime: orders, damping, and agreement with SciPy."""

from functools import cache
from itertools import count

import numpy as np
import pytest
import scipy.integrate
from numpy.testing import assert_allclose

from mobod.runtime.integrators import integrator_number
from mobod.runtime.library import reals_at, runtime

EXPLICIT = ("RK23", "RK45", "DOP853")


def table(pointer, *shape):
    return reals_at(pointer, int(np.prod(shape))).reshape(shape)


def pair_of(name):
    return runtime().mobod_method(integrator_number(name)).pair


@pytest.mark.parametrize("name", EXPLICIT)
def test_explicit_methods_have_scipys_coefficients(name):
    pair, theirs = pair_of(name), getattr(scipy.integrate, name)
    n = pair.n_stages
    a, c = table(pair.a, n, n), table(pair.c, n)
    width = theirs.A.shape[1]  # some omit columns of zeros
    assert_allclose(a[: n - 1, :width], theirs.A[: n - 1], rtol=1e-15)
    assert_allclose(a[n - 1, : n - 1], theirs.B, rtol=1e-15)
    assert_allclose(c, [*theirs.C, 1], rtol=1e-15)
    if name == "DOP853":
        n_all = n + pair.n_inner
        assert_allclose(table(pair.error, n), theirs.E5, rtol=1e-15)
        assert_allclose(table(pair.error_below, n), theirs.E3, rtol=1e-15)
        assert_allclose(table(pair.inner_a, pair.n_inner, n_all), theirs.A_EXTRA, rtol=1e-15)
        assert_allclose(table(pair.inner_c, pair.n_inner), theirs.C_EXTRA, rtol=1e-15)
        assert_allclose(table(pair.dense, pair.n_dense, n_all), theirs.D, rtol=1e-15)
    else:
        assert_allclose(np.abs(table(pair.error, n)), np.abs(theirs.E), rtol=1e-14)


@cache
def trees(order):
    """Rooted trees with `order` vertices, as sorted tuples of the trees at the root."""
    if order == 1:
        return ((),)
    return tuple(sorted(set(forests(order - 1, order - 1))))


@cache
def forests(n_vertices, largest):
    if n_vertices == 0:
        return ((),)
    found = set()
    for first in range(1, min(n_vertices, largest) + 1):
        for tree in trees(first):
            for rest in forests(n_vertices - first, first):
                found.add(tuple(sorted((tree, *rest))))
    return tuple(found)


def size(tree):
    return 1 + sum(map(size, tree))


def density(tree):
    """gamma of the tree."""
    return size(tree) * np.prod([density(each) for each in tree])


def weight(tree, several, one):
    """The elementary weights of the stages. several, one: coefficients to the stages below a vertex with several branches, and with one.

    Explicit methods have the same for both. Source: Hairer & Wanner, Solving Ordinary Differential Equations II, IV.7, theorem 7.4
    """
    below = one if len(tree) == 1 else several
    return np.prod([np.ones(len(several)), *(below @ weight(each, several, one) for each in tree)], axis=0)


def order_of(b, several, one, tolerance, scale=1.0):
    """The largest order whose conditions hold for all trees, at a fraction `scale` of the step."""
    for order in count(1):
        if any(abs(b @ weight(tree, several, one) - scale**order / density(tree)) > tolerance for tree in trees(order)):
            return order - 1
    raise AssertionError


def test_the_number_of_rooted_trees_is_right():
    assert [len(trees(order)) for order in range(1, 9)] == [1, 1, 2, 4, 9, 20, 48, 115]


@pytest.mark.parametrize(("name", "order", "embedded"), [("RK23", 3, 2), ("RK45", 5, 4), ("DOP853", 8, 5)])
def test_explicit_methods_have_their_orders(name, order, embedded):
    pair = pair_of(name)
    n = pair.n_stages
    a = table(pair.a, n, n)
    assert order_of(a[-1], a, a, 1e-14) == order
    assert order_of(a[-1] - table(pair.error, n), a, a, 1e-14) == embedded
    if name == "DOP853":
        assert order_of(a[-1] - table(pair.error_below, n), a, a, 1e-14) == 3


def rodas():
    """alpha, beta, the weights of the solution and of the embedded one, and those of the interpolant as a function of the fraction."""
    tableau = runtime().mobod_method(integrator_number("Rodas5P")).rosenbrock
    n = tableau.n_stages
    gamma = np.linalg.inv(np.eye(n) / tableau.gamma - table(tableau.C, n, n))
    a, dense = table(tableau.a, n + 1, n) @ gamma, table(tableau.dense, tableau.n_dense, n) @ gamma
    assert_allclose(a[:-1].sum(axis=1), table(tableau.c, n), atol=1e-13)
    assert_allclose(gamma.sum(axis=1), table(tableau.d, n), atol=1e-13)

    def inside(x):
        return x * (a[-1] + (1 - x) * (dense[0] + x * (dense[1] + x * dense[2])))

    return a[:-1], a[:-1] + gamma, a[-1], a[-1] - gamma[-1], inside


def test_the_implicit_method_has_its_orders():
    alpha, beta, solution, embedded, inside = rodas()
    accuracy = 1e-13  # coefficients are up to 165, and have 16 digits
    assert order_of(solution, alpha, beta, accuracy) == 5
    assert order_of(embedded, alpha, beta, accuracy) == 4
    assert all(order_of(inside(x), alpha, beta, accuracy, scale=x) == 4 for x in (0.25, 0.7))


def test_the_implicit_method_damps_stiff_components():
    """R(z) = 1 + z b (1 - z beta)^-1 1: no larger than 1 left of the imaginary axis, and 0 at infinity."""
    _, beta, solution, _, _ = rodas()

    def R(z):
        return 1 + z * solution @ np.linalg.solve(np.eye(8) - z * beta, np.ones(8))

    assert np.abs([R(1j * y) for y in np.geomspace(1e-2, 1e3, 50)]).max() <= 1 + 1e-12
    assert abs(R(-1e9)) < 1e-6
