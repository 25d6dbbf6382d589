"""What a Comparison of runs explains by the tolerance, by convergence, by events and by growing differences."""

import numpy as np
import pytest

from mobod.acceptance.behaviour.comparison import RunComparison, largest_gap
from mobod.acceptance.behaviour.grid import _common_divisor

TIME = np.linspace(0.0, 1.0, 21)
TOLERANCE = 1e-6


def compared(*curves):
    return RunComparison(["x"], ["m"], [1.0], [curve[:, None] for curve in curves], TOLERANCE)


def test_first_order_errors_converge():
    exact = np.exp(-5 * TIME)
    (x,) = compared(exact + 0.04 * TIME, exact + 0.02 * TIME, exact + 0.01 * TIME).differences
    assert x.verdict == "converge"
    assert (x.coarse, x.fine) == (pytest.approx(0.02), pytest.approx(0.01))


def test_errors_that_do_not_shrink_differ():
    assert compared(np.sin(9 * TIME), np.cos(9 * TIME), np.sin(9 * TIME) + TIME).differing() == ["x"]


def test_a_jump_that_moves_by_a_step_is_an_event():
    jumps = [np.where(time < TIME, -1.5, 1.5) for time in (0.42, 0.48, 0.42)]
    assert compared(*jumps).differing() == []


def test_a_jump_that_moves_by_several_steps_differs():
    jumps = [np.where(time < TIME, -1.5, 1.5) for time in (0.22, 0.48, 0.71)]
    assert compared(*jumps).differing() == ["x"]


def test_growing_differences_shorten_the_comparison():
    """Runs that part by the growth of round-off are compared only until then."""
    growth = np.exp(25 * TIME)
    runs = [np.cos(TIME) + start * growth for start in (1e-8, -3e-8, 2e-8)]
    comparison = compared(*runs)
    assert comparison.differing() == ["x"]
    horizon = comparison.allow_for_growth((runs[2] + 1e-9 * growth)[:, None], 1e-9)
    assert horizon is not None
    assert 0 < horizon.point < 20
    assert comparison.differing() == []


def test_differences_that_do_not_grow_are_not_excused():
    runs = [np.sin(9 * TIME), np.cos(9 * TIME), np.sin(9 * TIME) + TIME]
    comparison = compared(*runs)
    assert comparison.allow_for_growth((runs[2] + 1e-9)[:, None], 1e-9) is None
    assert comparison.differing() == ["x"]


def test_the_gap_to_a_band_of_neighbours():
    assert largest_gap(np.array([0.0, 1.0, 4.0]), np.array([0.0, 0.5, 2.5])) == pytest.approx(1.5)
    assert largest_gap(np.array([0.3, 0.3, 0.3]), np.array([0.0, 0.5, 0.0])) == 0.0


def test_the_common_divisor_of_moves_in_time():
    assert _common_divisor(0.003, 0.002) == pytest.approx(0.001)
    assert _common_divisor(0.1, 0.1 + 1e-12) == pytest.approx(0.1)
