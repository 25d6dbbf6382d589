"""Limits of coordinates: arguments, events in a run, and combination with users' handlers."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import EventError, InputError, UnsupportedError
from mobod.scalar import where
from tests.reference.stops import HalfPlanes, bouncing_ball, hinge_with_stop

PARAMS = {"g": 9.8, "mass": 2.0, "com_dist": 0.5, "I_pivot": 0.7, "theta0": 0.1, "theta_max": 0.9}
simulation = partial(mb.Simulation, accuracy=1e-8, backend="interpreted")


def pin_and_state(**options):
    system, pin = hinge_with_stop(PARAMS, **options)
    return system, pin, system.realize_topology()


def run(system, state, until, **options):
    results = simulation(system, **options).run(state, until)
    system.realize(results.final_state, mb.Stage.ACCELERATION)
    return results


# arguments of limits
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"lower": 1.0, "upper": 0.5}, "lower bound, 1, is above the upper one, 0.5"),
        ({"lower": 0.0, "restitution": 1.2}, "restitution cannot be 1.2: the greatest value is 1"),
        ({"lower": 0.0, "restitution": -0.1}, "restitution cannot be -0.1: the least value is 0"),
        ({"lower": np.nan}, "lower"),
        ({"lower": np.inf}, "no number lies between"),
        ({"upper": -np.inf}, "no number lies between"),
        ({"lower": 0.0, "coordinate": 1}, "1 is not one of them"),
        ({"lower": [0.0, 0.0]}, r"not of shape \(2,\)"),
    ],
)
def test_invalid_limits_are_refused(arguments, message):
    _, pin, _ = pin_and_state()

    with pytest.raises(InputError, match=message):
        pin.set_limits(**arguments)


def test_coordinates_whose_rates_are_not_speeds_cannot_have_limits():
    matter = mb.MatterSubsystem(mb.MultibodySystem())
    mass = mb.MassProperties(1.0, [0, 0, 0], np.eye(3))

    with pytest.raises(UnsupportedError, match=r"'wrist'.*Ball is not one of its speeds"):
        mb.Ball(matter.ground, mass, name="wrist").set_limits(-1, 1, coordinate=2)


def test_several_coordinates_can_be_limited_together_or_separately():
    matter = mb.MatterSubsystem(mb.MultibodySystem())
    mass = mb.MassProperties(1.0, [0, 0, 0], np.eye(3))
    table = mb.Planar(matter.ground, mass, name="table")

    with pytest.raises(InputError, match=r"3 coordinates.*choose one by"):
        table.set_limits(-1, 1)
    table.set_limits([-np.inf, -0.3, -0.5], [np.inf, 0.4, np.inf], [0, 0.2, 0.7])
    table.set_limits(upper=0.9, coordinate=2)
    state = matter.system.realize_topology()
    table.set_q(state, [0.5, 0.1, 0.2])
    matter.system.realize(state, mb.Stage.POSITION)

    assert {i: limits.bounds(state) for i, limits in table.limits.items()} == {1: (-0.3, 0.4), 2: (-np.inf, 0.9)}
    assert [limits.restitution(state) for limits in table.limits.values()] == [0.2, 0.0]
    assert_allclose(table.limit_distance(state), [np.inf, 0.3, 0.7])
    assert_allclose(table.engaged(state), 0)


def test_a_start_outside_of_the_limits_is_an_error_that_names_the_limit():
    system, pin, state = pin_and_state()
    pin.set_q(state, 0.95)

    with pytest.raises(
        EventError,
        match=r"at 0 s 'hinge.upper_limit' .* distance is -0.05 rad.*Coordinate 0 of 'hinge' is 0.95 rad, and its limit is 0.9 rad",
    ):
        run(system, state, 1.0)


# limits in a run
def test_bounds_and_restitution_of_a_state_are_used():
    system, pin, state = pin_and_state()
    limits = pin.limits[0]
    limits.set_bounds(state, -np.inf, 0.5).set_restitution(state, 0.25)

    results = run(system, state, 0.5)

    assert_allclose(results.events[0].y_before[0], 0.5, atol=1e-9)
    assert_allclose(results.events[0].y_after[1], -0.25 * results.events[0].y_before[1], rtol=1e-12)


def test_a_disabled_limit_has_no_effect():
    system, pin, state = pin_and_state()
    pin.limits[0].disable(state)

    results = run(system, state, 1.0)

    assert not results.events
    assert pin.q(results.final_state)[0] > 2


def test_a_speed_into_the_stop_at_the_start_causes_an_impact_at_once():
    system, pin, state = pin_and_state(restitution=0.5)
    pin.set_q(state, PARAMS["theta_max"])
    pin.set_u(state, 2.0)

    assert_allclose(run(system, state, 1e-6).final_state.u, -1.0, atol=1e-5)  # gravity acts for 1e-6 s


def test_a_run_continues_at_rest_from_the_end_of_another():
    system, pin, state = pin_and_state()
    rest = run(system, state, 1.0).final_state

    results = run(system, rest, 2.0)

    assert not results.events
    assert pin.engaged(results.final_state) == [-1]
    assert_allclose(results.final_state.y, rest.y, atol=1e-12)


def test_a_held_coordinate_can_be_released_between_two_runs():
    system, pin, state = pin_and_state()
    rest = run(system, state, 1.0).final_state
    pin.set_q(rest, 0.2)

    results = run(system, rest, 1.05)

    assert pin.engaged(results.final_state) == [0]
    assert results["hinge.q"].max() < 0.5  # it is not moved back to the stop


def test_held_rows_are_part_of_a_state_as_bytes():
    system, pin, state = pin_and_state()
    rest = run(system, state, 1.0).final_state

    again = mb.State.from_bytes(system, rest.to_bytes())
    system.realize(again, mb.Stage.ACCELERATION)

    assert pin.engaged(again) == [-1]
    assert_allclose(pin.u_dot(again), 0, atol=1e-12)


def test_a_contact_resting_for_a_thousand_seconds_does_not_chatter_or_drift():
    system, pin, state = pin_and_state()

    results = run(system, state, 1000.0)

    assert len(results.events) == 1
    assert_allclose(pin.q(results.final_state), PARAMS["theta_max"], atol=1e-9)  # the constraint tolerance
    assert pin.engaged(results.final_state) == [-1]


def test_a_force_that_grows_from_zero_at_the_stop_is_supported():
    """Without a force at the start the row is free. It becomes held before it penetrates by the tolerance."""
    system, ball = bouncing_ball(0.0, 0.0, 0.0)
    force = mb.MobilityForce(mb.ForceSubsystem(system, "others"), ball, name="push")
    mb.PeriodicEventHandler.of(system, 0.1, lambda state, event: force.set_force(state, -state.time))

    results = run(system, system.realize_topology(), 1.05)

    assert ball.engaged(results.final_state) == [1]
    assert_allclose(ball.limit_force(results.final_state), 1.0, rtol=1e-9)
    assert results["ball.q"].min() > -3e-9  # 3 tolerances


def test_a_short_contact_within_one_step_is_found():
    """A ball on a spring that swings 1e-5 m beyond its limit at the bottom."""
    system, ball = bouncing_ball(0.0, 0.0, 0.0)
    mb.MobilityLinearSpring(mb.ForceSubsystem(system, "others"), ball, stiffness=1.3 * 4.0, q_zero=1.0 - 1e-5)
    state = system.realize_topology()
    ball.set_q(state, 2.0 - 2e-5 + 1e-5)

    results = run(system, state, 3.0)

    assert [event.direction for event in results.events] == [-1]
    assert_allclose(results.events[0].time, np.arccos(-(1.0 - 1e-5)) / 2.0, rtol=1e-6)


# users' events
def test_a_handler_can_throw_a_resting_coordinate_up():
    system, pin, _ = pin_and_state()
    mb.PeriodicEventHandler.of(system, 0.5, lambda state, event: pin.set_u(state, where(state.time > 0, -1.0, 0.0)), name="throw")

    results = run(system, system.realize_topology(), 0.6)

    assert [event.name for event in results.events] == ["throw", "hinge.upper_limit", "throw"]
    assert_allclose(results.events[2].y_after[1], -1.0)
    assert pin.engaged(results.final_state) == [0]


def test_a_handler_that_drives_a_coordinate_into_its_stop_causes_an_impact():
    system, pin, _ = pin_and_state(restitution=0.5)

    def push(state, event):
        pin.set_q(state, PARAMS["theta_max"])
        pin.set_u(state, 3.0)

    mb.InitializationEventHandler.of(system, push)

    assert_allclose(run(system, system.realize_topology(), 1e-6).final_state.u, -1.5, atol=1e-5)


def test_a_handler_that_leaves_a_coordinate_outside_its_limits_is_an_error():
    system, pin, _ = pin_and_state()
    mb.InitializationEventHandler.of(system, lambda state, event: pin.set_q(state, 1.5), name="break")

    with pytest.raises(EventError, match=r"'break'.* distance is -0.6 rad.*Coordinate 0 of 'hinge' is 1.5 rad, and its limit is 0.9 rad"):
        run(system, system.realize_topology(), 1.0)


def test_a_motion_that_drives_a_coordinate_through_its_limit_is_reported():
    system, pin, _ = pin_and_state()
    mb.SteadyMotion(pin, 1.0)

    with pytest.raises(EventError, match=r"'hinge.upper_limit' contradicts other constraints"):
        run(system, system.realize_topology(), 1.0)


def test_an_assembler_respects_limits():
    """Two bars reach a point with the elbow on either side. The result is the side that the elbow's limit allows."""
    system = mb.MultibodySystem("arm")
    matter = mb.MatterSubsystem(system)
    mass = mb.MassProperties(1.0, [0.5, 0, 0], mb.Inertia.point(mass=1.0, p=[0.5, 0, 0]))
    upper = mb.Pin(matter.ground, mass, name="upper")
    lower = mb.Pin(upper, mass, X_PF=mb.Transform(p=[1, 0, 0]), name="lower")
    lower.set_limits(0.2, 2.5)
    mb.BallConstraint(matter.ground, [1.2, 0.7, 0], lower, [1, 0, 0], name="hand")
    state = system.realize_topology()
    upper.set_q(state, 1.2)
    lower.set_q(state, -1.5)

    found = mb.Assembler(system, accuracy=1e-9).assemble(state)
    system.realize(found, mb.Stage.POSITION)

    assert 0.2 <= lower.q(found)[0] <= 2.5
    assert_allclose(matter.constraint_position_errors(found), 0, atol=1e-10)
    assert_allclose(lower.station_location_in_ground(found, [1, 0, 0]), [1.2, 0.7, 0], atol=1e-9)


def test_handlers_cannot_apply_impulses_along_limits():
    system, pin, _ = pin_and_state()
    mb.InitializationEventHandler.of(system, lambda state, event: event.apply_impulse(pin.limits[0]))

    with pytest.raises(InputError, match=r"'hinge\.limit' is unilateral"):
        system.realize_topology()


def test_distances_need_two_bodies_or_coordinates():
    system, _ = hinge_with_stop(PARAMS)
    pin = system.matter.body("hinge")

    with pytest.raises(InputError, match=r"'hinge' does not move relative to itself.*or Ground"):
        mb.UnilateralConstraint(HalfPlanes(((1.0, 0.0),)), [pin], name="wall")
