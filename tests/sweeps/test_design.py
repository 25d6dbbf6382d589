"""The values of the runs: grids, distributions and their combinations."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from mobod.errors import InputError, UnknownNameError
from mobod.sweeps.design import axes_of, design


def points(values, runs=None, method="random", seed=0):
    return design(axes_of(values), runs, method, seed)


def test_a_grid_has_every_combination_in_order():
    assert_array_equal(points({"a": "1:3:3", "b": [10, 20]}), [[1, 10], [1, 20], [2, 10], [2, 20], [3, 10], [3, 20]])
    assert_array_equal(points({"a": "1,5"}), [[1], [5]])
    assert_array_equal(points({"a": 2.5}), [[2.5]])


def test_samples_are_combined_with_each_point_of_the_grid():
    table = points({"a": "normal(0, 2)", "b": [1, 2], "c": stats.uniform(3, 1)}, runs=4)
    assert table.shape == (8, 3)
    assert_array_equal(table[:, 1], [1] * 4 + [2] * 4)
    assert_array_equal(table[:4, [0, 2]], table[4:, [0, 2]])


@pytest.mark.parametrize("method", ["random", "latin", "sobol", "halton"])
def test_samples_follow_their_distribution_and_the_seed(method):
    table = points({"a": "normal(3, 2)", "b": "uniform(-1, 4)"}, 1000, method, seed=5)
    assert stats.kstest(table[:, 0], stats.norm(3, 2).cdf).pvalue > 1e-3
    assert stats.kstest(table[:, 1], stats.uniform(-1, 5).cdf).pvalue > 1e-3
    assert_array_equal(table, points({"a": "normal(3, 2)", "b": "uniform(-1, 4)"}, 1000, method, seed=5))
    assert (table != points({"a": "normal(3, 2)", "b": "uniform(-1, 4)"}, 1000, method, seed=6)).any()


def test_a_latin_hypercube_has_one_sample_in_each_interval():
    table = points({"a": "uniform(0, 10)"}, 10, "latin")
    assert sorted(np.floor(table[:, 0])) == list(range(10))


def test_named_distributions_have_their_parameters():
    samples = points(
        {"n": "normal(1, 2)", "l": "lognormal(0.5, 0.2)", "t": "triangular(1, 2, 5)", "e": "exponential(3)", "u": "uniform(2, 3)"},
        20000,
        "sobol",
    )
    assert_allclose(samples.mean(axis=0), [1, np.exp(0.5 + 0.02), 8 / 3, 3, 2.5], rtol=5e-3)
    assert_allclose(np.log(samples[:, 1]).std(), 0.2, rtol=1e-2)


@pytest.mark.parametrize(
    ("values", "runs", "message"),
    [
        ({"a": "1:2"}, None, "FIRST:LAST:COUNT"),
        ({"a": "1:2:0"}, None, "FIRST:LAST:COUNT"),
        ({"a": "normal(0)"}, 5, r"normal\(mean, standard deviation\)"),
        ({"a": "normal(0, -1)"}, 5, "not valid"),
        ({"a": "gauss(0, 1)"}, 5, "gauss"),
        ({"a": "normal(0, 1)"}, None, "number of runs is needed"),
        ({"a": "1:2:3"}, 5, "applies to distributions"),
        ({"a": [1.0, np.nan]}, None, "finite"),
        ({"a": "1:2:100000", "b": "1:2:100000"}, None, r"there would be 1e\+10"),
    ],
)
def test_wrong_values_are_refused(values, runs, message):
    with pytest.raises((InputError, UnknownNameError), match=message):
        points(values, runs)
