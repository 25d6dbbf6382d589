"""Endless sequences of impacts of a row raise the speed below which the row does not rebound."""

import pytest

import mobod as mb
from tests.reference.stops import bouncing_ball

MOST_EVENTS, MOMENT = 100, 1e-7  # number of impacts, and the time within which they count, in time scales; as in contacts.c


@pytest.mark.slow
@pytest.mark.parametrize("backend", [pytest.param("interpreted", marks=pytest.mark.slow), "compiled"])
def test_a_ball_with_high_restitution_rests_after_the_capture_speed_increased(backend):
    """It falls with 8e12 m/s^2, hits the floor every 1e-10 s, and would slow to 1e-6 of its speed in 13,800 bounces.

    The 101st, 202nd, ... impact within MOMENT raises the capture speed to 1e-5, 1e-4, ... of the greatest speed; the 606th to all of it.
    """
    system, ball = bouncing_ball(1e-8, 8e12, 0.999)
    results = mb.Simulation(system, accuracy=1e-8, backend=backend, time_scale=1.0).run(system.realize_topology(), until=0.7 * MOMENT)
    system.realize(final := results.final_state, mb.Stage.ACCELERATION)

    assert len(results.events) == 6 * (MOST_EVENTS + 1)
    assert results.events[-2].y_after[1] > 200  # m/s: half of the first
    assert ball.engaged(final) == [1]
    assert ball.u(final)[0] == pytest.approx(0, abs=1e-9)
    assert ball.limit_force(final)[0] == pytest.approx(1.3 * 8e12, rel=1e-12)
