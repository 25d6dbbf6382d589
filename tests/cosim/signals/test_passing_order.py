"""The order in which values are passed, for random graphs of dependencies."""

import numpy as np
import pytest

from mobod.cosim.signals.passing_order import passing_order, still_to_pass


def reachable(feeds):
    """closure[a, b]: b depends on a, directly or by others."""
    closure = feeds.copy()
    for k in range(len(feeds)):
        closure |= np.outer(closure[:, k], closure[k])
    return closure


@pytest.mark.parametrize("seed", range(20))
def test_each_connection_comes_after_those_on_which_it_depends_in_as_few_ranks_as_possible(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 14))
    feeds = rng.random((n, n)) < rng.uniform(0.02, 0.25)
    closure = reachable(feeds)
    ranks = passing_order(feeds)
    rank_of = {}
    for rank, each in enumerate(ranks):
        for k in each.single:
            assert not closure[k, k]
            rank_of[k] = rank
        for loop in each.loops:
            assert all(closure[a, b] for a in loop for b in loop)
            rank_of.update(dict.fromkeys(loop, rank))
    assert sorted(rank_of) == list(range(n))
    for b in range(n):
        before = [rank_of[a] for a in range(n) if closure[a, b] and not closure[b, a]]
        in_loop = [a for a in range(n) if closure[a, b] and closure[b, a]]
        before += [rank_of[c] for a in in_loop for c in range(n) if closure[c, a] and not closure[a, c]]
        assert rank_of[b] == max(before, default=-1) + 1


@pytest.mark.parametrize("seed", range(20))
def test_what_has_been_passed_is_passed_again_only_after_something_on_which_it_depends(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 14))
    feeds = rng.random((n, n)) < 0.12
    passed = np.flatnonzero(rng.random(n) < 0.6).tolist()
    closure = reachable(feeds)
    open_ones = [k for k in range(n) if k not in passed]
    expected = sorted({*open_ones, *(b for b in range(n) if closure[open_ones, b].any())})
    assert still_to_pass(feeds, passed) == expected
