"""Moments in problems with friction: their limits grow with the normals of their contacts."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod.errors import InputError
from mobod.numerics import friction_residual, solve_friction
from tests.unit.numerics.friction_problems import heap, jammed, stack

CERTIFIED = 1e-8  # the largest relative residual of a solution
KINDS = [lambda random, moments: stack(random, 1, moments), lambda random, moments: stack(random, 2, moments), heap]


@pytest.mark.parametrize(("spin", "after"), [(0.02, 0.0), (0.05, 0.02)])
def test_a_spin_ends_at_the_limit_of_the_normal(spin, after):
    """A body of mass 2 and inertia 0.5 that meets a floor with 1 m/s: the moment is at most 0.0075 m times 2 N s."""
    B = np.zeros((4, 6))
    B[:3, :3], B[3, 4] = np.eye(3) / np.sqrt(2.0), 1 / np.sqrt(0.5)

    solution = solve_friction(B, [-1.0, 0, 0, 0, spin, 0], friction=[0.5, 0.0075], moments=[False, True])

    assert_allclose(solution.multipliers, [2.0, 0, 0, 0, -(spin - after) * 0.5, 0], atol=1e-14)
    assert_allclose(solution.w[4], after, atol=1e-14)
    assert solution.modes == ("stick", "stick" if after == 0 else "slip")


@pytest.mark.parametrize("seeds", [range(60), pytest.param(range(60, 3000), marks=pytest.mark.slow)], ids=["few", "many"])
@pytest.mark.parametrize("has_start", [False, True], ids=["by rows", "by dimensions"])
def test_random_boxes_and_heaps_with_all_moments_are_solved(seeds, has_start):
    for seed in seeds:
        random = np.random.default_rng(seed)
        problem = KINDS[seed % 3](random, tuple(10 ** random.uniform(-4, -0.5, 2)))
        start = np.zeros(len(problem.a)) if has_start else None

        solution = solve_friction(problem.B, problem.a, start=start, **problem.options)

        assert problem.residual(solution.multipliers) <= CERTIFIED, seed
        assert friction_residual(problem.B, problem.a, solution.multipliers, **problem.options) <= CERTIFIED


def test_a_jammed_body_is_stopped_without_a_search():
    """Its impulses of least norm within the cones: disks of moments far below their limits do not change the normal."""
    for seed in range(60):
        problem = jammed(np.random.default_rng(seed))

        solution = solve_friction(problem.B, problem.a, start=np.zeros(len(problem.a)), **problem.options)

        assert problem.residual(solution.multipliers) < 1e-12, seed
        assert (solution.rounds, solution.newton_steps) == (1, 0), seed
        assert_allclose(solution.w, 0, atol=1e-11)  # of speeds of 1


@pytest.mark.parametrize(("contacts", "moments"), [(2, [True, False]), (4, [False, True, True, True]), (2, [False, True, False])])
def test_moments_that_follow_no_contact_are_refused(contacts, moments):
    with pytest.raises(InputError, match="moments is"):
        solve_friction(np.zeros((2, 3 * contacts)), np.zeros(3 * contacts), friction=[0.5] * contacts, moments=moments)
