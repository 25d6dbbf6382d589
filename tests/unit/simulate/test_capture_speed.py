"""Impacts of a row that follow each other without end raise the speed below which it does not bounce."""

import pytest

import mobod as mb
from mobod.errors import EventError
from mobod.simulate.contacts import ENDLESS, MOMENT, MOST_RAISED, Contacts
from tests.reference.stops import bouncing_ball

TOLERANCE = 1e-9
SPEED = 6e-8  # m/s: three times the capture speed of that tolerance, 2 * 1e-9 m / 0.1 s
RESTITUTION = 0.9


def ball_at_its_floor():
    """(State, contacts of a run, the ball, number of its lower row's event)"""
    system, ball = bouncing_ball(0.0, 9.8, RESTITUTION)
    state = system.realize_topology()
    system.realize(state, mb.Stage.ACCELERATION)
    contacts = Contacts(system, state, system.events.table(state.layout), TOLERANCE)
    return state, contacts, ball, ball.limits[0].contacts[0].index


def after_impact(state, contacts, ball):
    """(speed, engaged) after an impact at SPEED."""
    contacts.release()
    ball.set_q(state, 0.0)
    ball.set_u(state, -SPEED)
    contacts.resolve()
    return ball.u(state)[0], ball.engaged(state)[0]


def test_a_hundred_impacts_at_one_time_raise_it_tenfold():
    state, contacts, ball, event = ball_at_its_floor()
    for _ in range(ENDLESS):
        contacts.count(event)
    assert after_impact(state, contacts, ball) == (pytest.approx(RESTITUTION * SPEED, rel=1e-9), 0)

    contacts.count(event)

    speed, engaged = after_impact(state, contacts, ball)
    assert abs(speed) < 1e-6 * SPEED
    assert engaged == 1


def test_it_falls_back_when_time_has_gone_on():
    state, contacts, ball, event = ball_at_its_floor()
    for _ in range(ENDLESS + 1):
        contacts.count(event)

    state.time = 2 * MOMENT
    contacts.count(event)

    assert after_impact(state, contacts, ball) == (pytest.approx(RESTITUTION * SPEED, rel=1e-9), 0)


def test_what_does_not_end_even_so_is_an_error():
    _, contacts, _, event = ball_at_its_floor()
    for _ in range((ENDLESS + 1) * (MOST_RAISED + 1) - 1):
        contacts.count(event)

    with pytest.raises(EventError, match=r"ball\.lower_limit"):
        contacts.count(event)


@pytest.mark.parametrize("backend", [pytest.param("interpreted", marks=pytest.mark.slow), "compiled"])
def test_a_ball_that_hardly_slows_down_rests_once_it_was_raised_above_its_speed(backend):
    """It falls with 8e12 m/s^2, meets the floor every 1e-10 s, and would bounce 13,800 times down to 1e-6 of its speed.

    At the 101st, 202nd, ... impact within MOMENT that becomes 1e-5, 1e-4, ... of the greatest speed; at the 606th all of it.
    """
    system, ball = bouncing_ball(1e-8, 8e12, 0.999)
    results = mb.Simulation(system, accuracy=1e-8, backend=backend).run(system.realize_topology(), until=0.7 * MOMENT)
    system.realize(final := results.final_state, mb.Stage.ACCELERATION)

    assert len(results.events) == 6 * (ENDLESS + 1)
    assert results.events[-2].y_after[1] > 200  # m/s: half of the first
    assert ball.engaged(final) == [1]
    assert ball.u(final)[0] == pytest.approx(0, abs=1e-9)
    assert ball.limit_force(final)[0] == pytest.approx(1.3 * 8e12, rel=1e-12)
