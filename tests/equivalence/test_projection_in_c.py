"""Projections in C are those of Python: the same decisions of rank, the same States."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod.simulate.step_projection import project, without_normal_part
from tests.analytic.linkage import linkage
from tests.equivalence.compiled_system import CompiledSystem

ROUND_OFF = 1e-12  # some hundred roundings in each of up to ten iterations


@pytest.fixture(scope="module")
def made(own_library_cache):
    made = linkage()
    made.compiled = CompiledSystem(made.system)
    return made


def beside(made, away, *, rod=False):
    state, rng = made.state.copy(), np.random.default_rng(5)
    state.y = state.y + away * rng.normal(size=len(state.y))
    if rod:
        made.rod.enable(state)
    return state


@pytest.mark.parametrize("tolerance", [1e-10, 1e-3])
@pytest.mark.parametrize("away", [0.0, *10.0 ** np.arange(-12.0, -1.0)])
def test_a_projection_is_the_same(made, away, tolerance):
    """Of a linkage whose rows are redundant where its errors vanish, and beside it nearly."""
    state = beside(made, away)
    w, projection = made.compiled.projected(state, tolerance)
    assert project(made.matter, state, tolerance) is None

    assert projection.is_done
    assert_allclose(w[state.layout.y.slice], state.y, rtol=0, atol=ROUND_OFF)


@pytest.mark.parametrize("locked", ["position", "velocity"])
def test_what_is_locked_stays_in_both(made, locked):
    state = beside(made, 1e-3)
    angle, rate = -1.9995, 0.7
    made.cranks[1].set_q(state, angle)
    made.cranks[1].lock_at(state, angle if locked == "position" else rate, locked)
    w, projection = made.compiled.projected(state, 1e-9)
    assert project(made.matter, state, 1e-9) is None

    assert projection.is_done
    assert_allclose(w[state.layout.y.slice], state.y, rtol=0, atol=ROUND_OFF)
    assert made.cranks[1].q(state) == angle
    assert_allclose(state.q[:3], angle, atol=1e-8)
    assert_allclose(state.u[:3], 0 if locked == "position" else rate, atol=1e-7)


def test_what_cannot_be_projected_fails_alike(made):
    state = beside(made, 1e-3, rod=True)
    made.rod.set_length(state, 9.0)
    _, projection = made.compiled.projected(state, 1e-9)
    failure = project(made.matter, state, 1e-9)

    assert failure is not None
    assert not projection.is_done
    assert made.matter.constraints[projection.constraint].name == failure.constraint
    assert bool(projection.of_velocity) == (failure.level == "velocity")
    # where Newton's method came to with no solution to converge to: the first digits
    assert_allclose(projection.error, failure.error, rtol=1e-3)


@pytest.mark.parametrize("away", [0.0, *10.0 ** np.arange(-12.0, -1.0)])
def test_of_an_error_the_same_is_left(made, away):
    state = beside(made, away)
    error = 1e-5 * np.random.default_rng(6).normal(size=len(state.y))
    assert_allclose(
        made.compiled.without_normal_part(state, error), without_normal_part(made.matter, state, error), rtol=0, atol=ROUND_OFF * 1e-3
    )
