"""Endless sequences of impacts of a row raise the speed below which the row does not rebound."""

import pytest

import mobod as mb
from tests.reference.stops import bouncing_ball

MOST_EVENTS, MOMENT = 100, 1e-7  # so many impacts within so many seconds: as in contacts.c


@pytest.mark.parametrize("backend", [pytest.param("interpreted", marks=pytest.mark.slow), "compiled"])
def test_a_ball_with_high_restitution_rests_after_the_capture_speed_increased(backend):
    """It falls with 8e12 m/s^2, meets the floor every 1e-10 s, and would bounce 13,800 times down to 1e-6 of its speed.

    At the 101st, 202nd, ... impact within MOMENT that becomes 1e-5, 1e-4, ... of the greatest speed; at the 606th all of it.
    """
    system, ball = bouncing_ball(1e-8, 8e12, 0.999)
    results = mb.Simulation(system, accuracy=1e-8, backend=backend).run(system.realize_topology(), until=0.7 * MOMENT)
    system.realize(final := results.final_state, mb.Stage.ACCELERATION)

    assert len(results.events) == 6 * (MOST_EVENTS + 1)
    assert results.events[-2].y_after[1] > 200  # m/s: half of the first
    assert ball.engaged(final) == [1]
    assert ball.u(final)[0] == pytest.approx(0, abs=1e-9)
    assert ball.limit_force(final)[0] == pytest.approx(1.3 * 8e12, rel=1e-12)
