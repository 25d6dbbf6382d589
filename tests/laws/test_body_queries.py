"""Points, frames and vectors of bodies, relative to Ground and to other bodies: velocities are rates of positions, and all queries
agree.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod import Stage
from mobod.errors import InputError
from mobod.laws.differences import rate_in_time
from tests.laws.mechanisms import random_frame
from tests.laws.test_kinematics import close as close_to_rate
from tests.laws.test_kinematics import spin_of

ROUND_OFF = 1e-12  # some roundings of 1e-16 of sizes of some hundreds
P, Q = np.array([0.3, -0.7, 0.4]), np.array([-0.2, 0.5, 0.6])


def close(actual, expected):
    assert_allclose(actual, expected, rtol=0, atol=ROUND_OFF * max(1, np.abs(expected).max(initial=0)))


def rate(mechanism, state, quantity, *arguments):
    # smaller steps than the default: the distance of two near stations has a large curvature
    return rate_in_time(mechanism.system, state, lambda state: quantity(state, *arguments), step=2.5e-4)


def pairs(mechanism):
    """Each body with another one and with Ground, and Ground with each: (body, other)."""
    ground, bodies = mechanism.matter.ground, mechanism.bodies
    return [*zip(bodies, bodies[3:] + bodies[:3], strict=True), *((body, ground) for body in bodies), *((ground, body) for body in bodies)]


# seen from another body


@pytest.mark.slow
def test_poses_in_another_body_follow_the_chain_of_frames(mechanism, state):
    for B, A in pairs(mechanism):
        assert B.X_AB(state, A).isclose(A.X_GB(state).inverse() @ B.X_GB(state), atol=ROUND_OFF)
        assert (B.X_AB(state, A) @ A.X_AB(state, B)).isclose(mb.Transform(), atol=ROUND_OFF)


@pytest.mark.fast(1)
def test_velocities_in_another_body_are_rates_of_poses_there(mechanism, state):
    for B, A in pairs(mechanism):
        R_dot = rate(mechanism, state, lambda state, B=B, A=A: B.X_AB(state, A).R)
        v = rate(mechanism, state, lambda state, B=B, A=A: B.X_AB(state, A).p)
        close_to_rate(np.concatenate([spin_of(B.X_AB(state, A).R, R_dot), v]), B.V_AB(state, A))


@pytest.mark.fast(1)
def test_accelerations_in_another_body_are_rates_of_velocities_there(mechanism, state):
    for B, A in pairs(mechanism):
        close_to_rate(rate(mechanism, state, B.V_AB, A), B.A_AB(state, A))


def test_a_body_is_at_rest_in_itself(mechanism, state):
    for body in (mechanism.matter.ground, *mechanism.bodies):
        assert body.X_AB(state, body).isclose(mb.Transform(), atol=ROUND_OFF)
        assert_allclose(body.V_AB(state, body), np.zeros(6), atol=ROUND_OFF)
        assert_allclose(body.A_AB(state, body), np.zeros(6), atol=ROUND_OFF * max(1, np.abs(body.A_GB(state)).max()))


def test_motion_relative_to_ground_matches_motion_in_ground(mechanism, state):
    ground = mechanism.matter.ground
    for body in mechanism.bodies:
        assert body.X_AB(state, ground).isclose(body.X_GB(state), atol=ROUND_OFF)
        close(body.V_AB(state, ground), body.V_GB(state))
        close(body.A_AB(state, ground), body.A_GB(state))
        close(body.station_location_in(state, P, ground), body.station_location_in_ground(state, P))
        close(body.station_velocity_in(state, P, ground), body.station_velocity_in_ground(state, P))
        close(body.station_acceleration_in(state, P, ground), body.station_acceleration_in_ground(state, P))


def test_relative_motion_to_the_parent_matches_the_mobilizer(mechanism, state):
    """V_FM is the velocity of M as the parent sees it, in F."""
    for body in mechanism.bodies:
        v_PM = body.station_velocity_in(state, body.X_BM.p, body.parent)
        R_PF = body.X_PF.R
        close(R_PF @ body.V_FM(state)[3:], v_PM)
        close(R_PF @ body.V_FM(state)[:3], body.V_AB(state, body.parent)[:3])


# stations and frames


@pytest.mark.fast(1)
def test_station_velocities_and_accelerations_are_rates(mechanism, state):
    for B, A in pairs(mechanism):
        close_to_rate(rate(mechanism, state, B.station_location_in_ground, P), B.station_velocity_in_ground(state, P))
        close_to_rate(rate(mechanism, state, B.station_velocity_in_ground, P), B.station_acceleration_in_ground(state, P))
        close_to_rate(rate(mechanism, state, B.station_location_in, P, A), B.station_velocity_in(state, P, A))
        close_to_rate(rate(mechanism, state, B.station_velocity_in, P, A), B.station_acceleration_in(state, P, A))


def test_coincident_stations_of_two_bodies_are_at_the_same_point(mechanism, state):
    for B, A in pairs(mechanism):
        p_AS = B.station_location_in(state, P, A)
        p_GS = B.station_location_in_ground(state, P)
        close(A.station_location_in_ground(state, p_AS), p_GS)
        close(A.station_at_ground_point(state, p_GS), p_AS)


def test_the_mass_center_is_a_station(mechanism, state):
    for B, A in pairs(mechanism):
        com = B.mass_center_station(state)
        if B is not mechanism.matter.ground:
            close(com, B.body.mass_properties.com)
        close(B.mass_center_location_in_ground(state), B.station_location_in_ground(state, com))
        close(B.mass_center_location_in(state, A), B.station_location_in(state, com, A))


@pytest.mark.fast(1)
def test_a_frames_motion_follows_from_the_bodys_motion(mechanism, state, rng):
    X_BF = random_frame(rng)
    for body in (mechanism.matter.ground, *mechanism.bodies):
        R_dot = rate(mechanism, state, lambda state, body=body: body.frame_pose_in_ground(state, X_BF).R)
        v = rate(mechanism, state, lambda state, body=body: body.frame_pose_in_ground(state, X_BF).p)
        V_GF = body.frame_velocity_in_ground(state, X_BF)
        close_to_rate(np.concatenate([spin_of(body.frame_pose_in_ground(state, X_BF).R, R_dot), v]), V_GF)
        close_to_rate(rate(mechanism, state, body.frame_velocity_in_ground, X_BF), body.frame_acceleration_in_ground(state, X_BF))


# vectors


def test_a_vector_expressed_elsewhere_is_the_same_vector(mechanism, state):
    for B, A in pairs(mechanism):
        v_G = B.express_in_ground(state, P)
        close(v_G, B.station_location_in_ground(state, P) - B.X_GB(state).p)
        close(A.express_in_ground(state, B.express_in(state, P, A)), v_G)
        close(B.express_from_ground(state, v_G), P)


# distances


@pytest.mark.slow
def test_distance_rates_are_derivatives_of_distances(mechanism, state):
    for B, A in pairs(mechanism):
        between = B.station_location_in_ground(state, P) - A.station_location_in_ground(state, Q)
        assert_allclose(B.station_to_station_distance(state, P, A, Q), np.linalg.norm(between), rtol=1e-14)
        assert_allclose(B.station_to_station_distance(state, P, A, Q), A.station_to_station_distance(state, Q, B, P), rtol=1e-14)
        d_dot, d_dot_dot = B.station_to_station_distance_rate, B.station_to_station_distance_acceleration
        close_to_rate(rate(mechanism, state, B.station_to_station_distance, P, A, Q), d_dot(state, P, A, Q))
        close_to_rate(rate(mechanism, state, d_dot, P, A, Q), d_dot_dot(state, P, A, Q))


@pytest.fixture
def carriage():
    """A free body in motion, whose acceleration is only that of its rotation."""
    system = mb.MultibodySystem("carriage")
    body = mb.Free(mb.MatterSubsystem(system).ground, mb.MassProperties(2.0, [0, 0, 0], mb.Inertia.sphere(mass=2.0, radius=0.5)))
    return system, body


def test_the_distance_rate_of_coincident_stations_is_their_relative_speed(carriage):
    """Of |v t + a t^2 / 2| at t = 0+: the rate is |v|, the second rate a . v / |v|, or |a| without v."""
    system, body = carriage
    state = system.realize_topology()
    body.set_u(state, [0.3, -0.5, 0.2, 1.1, -0.4, 0.7])
    system.realize(state, Stage.ACCELERATION)
    ground = system.matter.ground
    v, a = body.station_velocity_in_ground(state, P), body.station_acceleration_in_ground(state, P)
    here = body.station_location_in_ground(state, P)
    assert body.station_to_station_distance(state, P, ground, here) == 0
    assert_allclose(body.station_to_station_distance_rate(state, P, ground, here), np.linalg.norm(v), rtol=1e-14)
    second = body.station_to_station_distance_acceleration(state, P, ground, here)
    assert_allclose(second, a @ v / np.linalg.norm(v), rtol=1e-14)

    h = 1e-4  # (d(h) - |v| h) 2 / h^2 is the second rate, wrong by some h
    v_h, a_h = v * h, a * h * h / 2
    assert_allclose((np.linalg.norm(v_h + a_h) - np.linalg.norm(v_h)) * 2 / h**2, second, rtol=1e-3)


def test_the_distance_acceleration_of_stations_coincident_at_rest_is_their_relative_acceleration(carriage):
    system, body = carriage
    mb.Gravity(mb.ForceSubsystem(system), system.matter, down=[0.2, -1, 0.4], magnitude=9.2)
    state = system.realize_topology()
    system.realize(state, Stage.ACCELERATION)
    assert body.station_to_station_distance_rate(state, P, system.matter.ground, P) == 0
    assert_allclose(body.station_to_station_distance_acceleration(state, P, system.matter.ground, P), 9.2, rtol=1e-14)


# what is refused


def test_invalid_stations_and_bodies_are_refused_by_name(mechanism, state, carriage):
    body = mechanism.bodies[0]
    with pytest.raises(InputError, match=f"a station of '{body.name}' has shape"):
        body.station_location_in_ground(state, [1, 2])
    with pytest.raises(InputError, match=f"a station of '{body.name}' is .*finite"):
        body.station_velocity_in_ground(state, [1, 2, np.nan])
    with pytest.raises(InputError, match="a vector to express in another frame has shape"):
        body.express_in_ground(state, np.eye(3))
    with pytest.raises(InputError, match=f"a quantity of '{body.name}' in another body takes a body, not str"):
        body.X_AB(state, "ground")
    with pytest.raises(InputError, match=f"in another body: body '{carriage[1].name}' belongs to System 'carriage'"):
        body.V_AB(state, carriage[1])


@pytest.mark.parametrize(
    ("query", "stage"),
    [
        (lambda B, A, state: B.X_AB(state, A), Stage.POSITION),
        (lambda B, A, state: B.station_location_in(state, P, A), Stage.POSITION),
        (lambda B, A, state: B.express_in(state, P, A), Stage.POSITION),
        (lambda B, A, state: B.station_to_station_distance(state, P, A, Q), Stage.POSITION),
        (lambda B, A, state: B.V_AB(state, A), Stage.VELOCITY),
        (lambda B, A, state: B.station_to_station_distance_rate(state, P, A, Q), Stage.VELOCITY),
        (lambda B, A, state: B.A_AB(state, A), Stage.ACCELERATION),
        (lambda B, A, state: B.station_to_station_distance_acceleration(state, P, A, Q), Stage.ACCELERATION),
    ],
)
def test_a_query_before_its_stage_is_refused(mechanism, rng, query, stage):
    state = mechanism.random_state(rng)
    for B, A in ((mechanism.bodies[1], mechanism.bodies[2]), (mechanism.matter.ground, mechanism.bodies[2])):
        mechanism.system.realize(fresh := state.copy(), stage.previous())
        with pytest.raises(mb.MobodError, match=f"needs a State realized to {stage.name}; this one is at {stage.previous().name}"):
            query(B, A, fresh)
        mechanism.system.realize(fresh, stage)
        query(B, A, fresh)
