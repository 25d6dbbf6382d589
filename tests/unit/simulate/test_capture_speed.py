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
