"""The table of integration methods of the C runtime: orders, stability, damping, agreement with SciPy, and what is generated from it."""

import importlib.util
from functools import cache
from itertools import count
from pathlib import Path

import numpy as np
import pytest
import scipy.integrate
from numpy.testing import assert_allclose, assert_array_equal

from mobod.runtime.integrators import AUTO, FIXED_STEP_METHODS, INTEGRATORS, METHODS, RUNGE_KUTTA_METHODS, integrator_number, method_of
from mobod.runtime.library import constant, enumerators, ffi, reals_at

IN_SCIPY = [name for name in RUNGE_KUTTA_METHODS if hasattr(scipy.integrate, name)]


def table(pointer, *shape):
    return reals_at(pointer, int(np.prod(shape))).reshape(shape)


def pair_of(name):
    return method_of(name).pair


def stages_of(name):
    """(a, c) with the solution in the last row of a."""
    pair = pair_of(name)
    n = pair.n_stages
    return table(pair.a, n, n), table(pair.c, n)


# The table


@pytest.fixture(scope="module")
def generator():
    script = Path(__file__).parents[3] / "build_scripts" / "generate_methods.py"
    spec = importlib.util.spec_from_file_location(script.stem, script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_names_and_the_documentation_are_those_of_the_table_in_c(generator):
    assert generator.NAMES.read_text(encoding="utf-8") == generator.names_text()
    page = generator.PAGE.read_text(encoding="utf-8")
    assert generator.table_text() in page
    assert generator.page_text(page.replace(" Hairer |", " |")) == page


def test_every_method_has_a_name_and_a_number_of_its_own():
    assert sorted(INTEGRATORS) == sorted({AUTO, *METHODS, *FIXED_STEP_METHODS})
    assert enumerators("Integrator")["N_INTEGRATORS"] == len(INTEGRATORS) + 1
    for name in INTEGRATORS[1:]:
        assert bytes(ffi.string(method_of(name).name)).decode() == name


def test_numbers_that_files_have_stored_stay():
    """Saved states and FMUs have these numbers; new methods come after them."""
    stored = ["auto", "RK23", "RK45", "DOP853", "Rodas5P", "RK4", "SemiImplicitEuler"]
    assert [integrator_number(name) for name in stored] == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("name", RUNGE_KUTTA_METHODS)
def test_stages_and_interpolants_are_as_the_steps_use_them(name):
    method, (a, c) = method_of(name), stages_of(name)
    n, n_all = len(c), len(c) + method.pair.n_inner
    assert n_all <= constant("MOST_SLOPES")
    assert method.degree == 3 + method.pair.n_dense <= constant("MOST_DEGREES")
    assert method.last == n - 1
    assert (c[0], c[-1]) == (0, 1)  # a step begins with the rates of its start, and its last rates are those of its end
    assert_array_equal(a, np.tril(a, -1))
    assert_allclose(a.sum(axis=1), c, rtol=1e-14, atol=1e-14)


# Orders and coefficients


@pytest.mark.parametrize("name", IN_SCIPY)
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


@pytest.mark.parametrize("name", RUNGE_KUTTA_METHODS)
def test_explicit_methods_have_their_orders(name):
    method, (a, _) = method_of(name), stages_of(name)
    assert order_of(a[-1], a, a, 1e-14) == method.order
    assert bool(method.pair.error) == (name in METHODS)


@pytest.mark.parametrize("name", [name for name in RUNGE_KUTTA_METHODS if name in METHODS])
def test_embedded_solutions_have_the_order_of_the_error_estimate(name):
    """Of two estimates the combined one is the square of the better one divided by the other: twice the order less the lower order."""
    method, (a, c) = method_of(name), stages_of(name)
    embedded = order_of(a[-1] - table(method.pair.error, len(c)), a, a, 1e-14)
    if method.pair.error_below:
        below = order_of(a[-1] - table(method.pair.error_below, len(c)), a, a, 1e-14)
        assert below < embedded
        embedded = 2 * embedded - below
    assert method.estimate_order == embedded < method.order


def rodas():
    """alpha, beta, the weights of the solution and of the embedded one, and those of the interpolant as a function of the fraction."""
    tableau = method_of("Rodas5P").rosenbrock
    n = tableau.n_stages
    gamma = np.linalg.inv(np.eye(n) / tableau.gamma - table(tableau.C, n, n))
    a, dense = table(tableau.a, n + 1, n) @ gamma, table(tableau.dense, tableau.n_dense, n) @ gamma
    assert_allclose(a[:-1].sum(axis=1), table(tableau.c, n), atol=1e-13)
    assert_allclose(gamma.sum(axis=1), table(tableau.d, n), atol=1e-13)

    def inside(x):
        return x * (a[-1] + (1 - x) * (dense[0] + x * (dense[1] + x * dense[2])))

    return a[:-1], a[:-1] + gamma, a[-1], a[-1] - gamma[-1], inside


def test_the_implicit_method_has_its_orders():
    method = method_of("Rodas5P")
    alpha, beta, solution, embedded, inside = rodas()
    accuracy = 1e-13  # coefficients are up to 165, and have 16 digits
    assert order_of(solution, alpha, beta, accuracy) == method.order == 5
    assert order_of(embedded, alpha, beta, accuracy) == method.estimate_order == 4
    assert all(order_of(inside(x), alpha, beta, accuracy, scale=x) == 4 for x in (0.25, 0.7))


def test_the_implicit_method_damps_stiff_components():
    """R(z) = 1 + z b (1 - z beta)^-1 1: no larger than 1 left of the imaginary axis, and 0 at infinity."""
    _, beta, solution, _, _ = rodas()

    def R(z):
        return 1 + z * solution @ np.linalg.solve(np.eye(8) - z * beta, np.ones(8))

    assert np.abs([R(1j * y) for y in np.geomspace(1e-2, 1e3, 50)]).max() <= 1 + 1e-12
    assert abs(R(-1e9)) < 1e-6


# Stability


@pytest.mark.parametrize("name", RUNGE_KUTTA_METHODS)
def test_explicit_steps_damp_decays_up_to_their_limit_and_not_far_beyond(name):
    """R(z) = 1 + z b (1 - z a)^-1 1, for z = -h lambda. The limits are rounded down by less than a tenth."""
    (a, c), limit = stages_of(name), method_of(name).stability

    def R(z):
        return 1 + z * a[-1] @ np.linalg.solve(np.eye(len(c)) - z * a, np.ones(len(c)))

    assert max(abs(R(-z)) for z in np.linspace(0, limit, 50)[1:]) < 1
    assert abs(R(-1.1 * limit)) > 1
