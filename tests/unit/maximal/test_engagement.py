"""The rule by which unilateral constraints engage and disengage, step by step."""

import numpy as np
import pytest

from mobod.couplings import LINEAR, CouplingConstraint
from mobod.maximal.engagement import distance_to_bounds, update_engagement


@pytest.fixture
def limit():
    return CouplingConstraint(0, LINEAR, np.eye(6)[0])


def run(limit, *updates, lower=-1.0, upper=2.0):
    """(engaged, count) after each (value, speed)."""
    seen = []
    for value, speed in updates:
        update_engagement(limit, value, lower, upper, speed)
        seen.append((limit.engaged, limit.engaged_count))
    return seen


def test_bounds_are_part_of_the_region(limit):
    assert run(limit, (-1.0, 0.0)) == [(1, 1)]
    assert run(limit, (2.0, 0.0)) == [(-1, 1)]


def test_a_constraint_is_engaged_for_at_least_two_corrections(limit):
    assert run(limit, (-1.1, 0.0), (-0.9, 5.0), (-0.9, 5.0)) == [(1, 1), (1, 2), (0, 0)]


def test_a_constraint_is_engaged_while_the_value_is_inside_or_moves_inward(limit):
    assert run(limit, (-1.1, 5.0), (-1.05, 5.0), (-1.01, 5.0), (-0.9, -1e-9), (-0.9, 0.0)) == [(1, 1), (1, 2), (1, 3), (1, 4), (0, 0)]


def test_at_the_upper_bound_moving_away_means_decreasing(limit):
    assert run(limit, (2.1, 0.0), (2.1, 0.0), (1.9, 0.1), (1.9, -0.1)) == [(-1, 1), (-1, 2), (-1, 3), (0, 0)]


def test_the_count_restarts_when_the_side_changes(limit):
    assert run(limit, (-1.1, 0.0), (-1.1, 0.0), (2.1, 0.0)) == [(1, 1), (1, 2), (-1, 1)]


def test_a_value_set_by_the_user_is_released_at_once(limit):
    run(limit, (-1.1, 0.0))
    limit.is_engagement_reset = True
    assert run(limit, (-0.9, -3.0), (-0.9, -3.0)) == [(0, 0), (0, 0)]


def test_release_sets_the_force_to_zero(limit):
    run(limit, (-1.1, 0.0), (-1.1, 0.0))
    limit.multiplier = 3.0
    run(limit, (0.0, 1.0))
    assert limit.multiplier == 0.0


def test_distance_is_to_the_nearer_bound_and_negative_beyond():
    assert distance_to_bounds(-1.25, -1.0, 2.0) == -0.25
    assert distance_to_bounds(2.5, -1.0, 2.0) == -0.5
    assert distance_to_bounds(1.75, -1.0, 2.0) == 0.25
    assert distance_to_bounds(-3.0, -np.inf, 2.0) == 5.0
