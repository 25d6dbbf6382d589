"""Each constraint compared with results known without mobod."""

from math import cos, pi, sin, sqrt

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod import Stage, functions
from mobod.spatial import from_quaternion, rotation_x, rotation_z, to_quaternion

G = 9.81  # m/s^2, along -y
MASS = 1.7
INERTIA = np.array([[0.31, 0.02, -0.04], [0.02, 0.42, 0.05], [-0.04, 0.05, 0.27]])  # about the mass center
WITHIN = 1e-12  # some roundings of numbers of size 10


def body_of(com=(0, 0, 0)):
    com = np.array(com, dtype=float)
    return mb.MassProperties(MASS, com, INERTIA + MASS * (com @ com * np.eye(3) - np.outer(com, com)))


@pytest.fixture
def system():
    system = mb.MultibodySystem("bench")
    mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), system.matter, down=[0, -1, 0], magnitude=G, name="gravity")
    return system


@pytest.fixture
def matter(system):
    return system.matter


def realized(system, *sets):
    """A State to ACCELERATION; sets are functions of it."""
    state = system.realize_topology()
    for each in sets:
        each(state)
    system.realize(state, Stage.ACCELERATION)
    return state


def test_a_rod_pulls_as_the_string_of_a_pendulum(system, matter):
    """Tension m (g cos(theta) + L w^2), tangential acceleration -g sin(theta) of a point mass on a string of length L."""
    length, theta, w = 0.9, 0.7, 1.3
    along, across = np.array([sin(theta), -cos(theta), 0]), np.array([cos(theta), sin(theta), 0])
    bob = mb.Free(matter.ground, body_of(), name="bob")
    rod = mb.Rod(matter.ground, [0, 0, 0], bob, [0, 0, 0], length)
    state = realized(
        system,
        lambda state: bob.set_q(state, [1, 0, 0, 0, *length * along]),
        lambda state: bob.set_u(state, [0, 0, 0, *length * w * across]),
    )

    assert_allclose(rod.position_errors(state), 0, atol=WITHIN)
    assert_allclose(rod.velocity_errors(state), 0, atol=WITHIN)
    assert_allclose(rod.multipliers(state), MASS * (G * cos(theta) + length * w**2), rtol=WITHIN)
    assert_allclose(bob.A_GB(state)[3:] @ across, -G * sin(theta), rtol=WITHIN)
    assert_allclose(bob.A_GB(state)[3:] @ along, -length * w**2, rtol=WITHIN)


def test_a_free_body_with_a_ball_constraint_matches_a_ball_mobilizer(system, matter):
    point, com, e, w = np.array([0.2, -0.3, 0.5]), np.array([0.1, 0.4, -0.2]), np.array([0.5, -0.1, 0.7, 0.3]), np.array([0.4, -1.1, 0.8])
    ball = mb.Ball(matter.ground, body_of(com), X_BM=mb.Transform(p=point), name="ball")
    free = mb.Free(matter.ground, body_of(com), name="free")
    loop = mb.BallConstraint(matter.ground, [0, 0, 0], free, point)
    R = from_quaternion(e)
    state = realized(
        system,
        lambda state: ball.set_q(state, e),
        lambda state: ball.set_u(state, w),
        lambda state: free.set_q(state, [*e, *-R @ point]),
        lambda state: free.set_u(state, [*w, *np.cross(w, -R @ point)]),
    )

    assert_allclose(free.X_GB(state).p, ball.X_GB(state).p, atol=WITHIN)
    assert_allclose(free.A_GB(state), ball.A_GB(state), atol=10 * WITHIN)
    a_com = free.A_GB(state)[3:] + np.cross(free.A_GB(state)[:3], R @ com) + np.cross(w, np.cross(w, R @ com))
    assert_allclose(-loop.multipliers(state), MASS * (a_com + np.array([0, G, 0])), atol=10 * WITHIN)  # Newton's law of the body


def test_a_weld_constraint_carries_weight_and_moment(system, matter):
    com, frame = np.array([0.1, 0.4, -0.2]), mb.Transform(from_quaternion([0.3, 0.5, -0.2, 0.8]), [0.3, -0.1, 0.2])
    body = mb.Free(matter.ground, body_of(com), name="body")
    weld = mb.WeldConstraint(matter.ground, frame, body, frame)
    state = realized(system)

    assert_allclose(body.A_GB(state), 0, atol=WITHIN)
    on_bodies, _ = weld.forces(state)
    assert_allclose(-on_bodies[1], [*np.cross(com, [0, MASS * G, 0]), 0, MASS * G, 0], atol=10 * WITHIN)
    assert_allclose(on_bodies[0], -on_bodies[1], atol=10 * WITHIN)  # both about the same point here
    assert matter.analyze_constraints(state).degrees_of_freedom == 0


def test_a_point_in_a_plane_slides_down_the_plane(system, matter):
    """The plane's force m g cos(slope) acts at the mass center; m g sin(slope) accelerates the body."""
    slope = 0.6
    normal = np.array([sin(slope), cos(slope), 0])
    body = mb.Free(matter.ground, body_of(), name="body")
    plane = mb.PointInPlane(matter.ground, 3 * normal, 0.4, body, [0, 0, 0])
    state = realized(system, lambda state: body.set_q(state, [1, 0, 0, 0, *(0.4 * normal + [0, 0, 0.3])]))

    assert_allclose(plane.normal(state), normal, atol=1e-15)
    assert_allclose(plane.position_errors(state), 0, atol=WITHIN)
    assert_allclose(plane.multipliers(state), -MASS * G * cos(slope), rtol=WITHIN)
    assert_allclose(body.A_GB(state)[3:], G * sin(slope) * np.array([cos(slope), -sin(slope), 0]), atol=WITHIN)


def test_a_bead_on_a_line_is_accelerated_along_the_line(system, matter):
    direction = np.array([2.0, -1.0, 0.5])
    d = direction / sqrt(5.25)
    bead = mb.Free(matter.ground, body_of(), name="bead")
    line = mb.PointOnLine(matter.ground, direction, [0.1, 0.2, 0.3], bead, [0, 0, 0])
    off = np.array([0.3, 0.1, -0.4])
    state = realized(system, lambda state: bead.set_q(state, [1, 0, 0, 0, *(np.array([0.1, 0.2, 0.3]) + 0.7 * d + off)]))

    assert_allclose(bead.A_GB(state)[3:], -G * d[1] * d, atol=WITHIN)
    assert_allclose(np.linalg.norm(line.position_errors(state)), np.linalg.norm(off - off @ d * d), rtol=WITHIN)
    assert_allclose(np.linalg.norm(line.multipliers(state)), MASS * G * sqrt(1 - d[1] ** 2), rtol=WITHIN)


@pytest.mark.parametrize("d", [[0.1, 0.5, 0.8], [0.5, 0.1, 0.8], [0.8, 0.5, 0.1], [1, 1, 1], [0, 0, -1], [0, 1, 0]])
def test_errors_of_a_point_on_a_line_use_simbodys_perpendiculars(system, matter, d):
    """x = d x e with the axis e that d has least of, the first of equal ones; y = d x x."""
    d = np.array(d) / np.linalg.norm(d)
    x = np.cross(d, np.eye(3)[np.argmin(np.abs(d))])
    x /= np.linalg.norm(x)
    bead, p = mb.Free(matter.ground, body_of(), name="bead"), np.array([0.3, -0.7, 1.1])
    line = mb.PointOnLine(matter.ground, d, [0, 0, 0], bead, [0, 0, 0])
    state = realized(system, lambda state: bead.set_q(state, [1, 0, 0, 0, *p]))

    assert_allclose(line.position_errors(state), [x @ p, np.cross(d, x) @ p], atol=WITHIN)


def test_a_constant_angle_has_the_expected_torque(system, matter):
    """A turning body whose axis may only sweep a cone keeps the cosine; its torque is perpendicular to both axes."""
    body = mb.Ball(matter.ground, body_of([0.3, 0, 0]), name="body")
    angle = mb.ConstantAngle(matter.ground, [0, 0, 2], body, [0, 3, 0], pi / 2)
    about_z = [0.9, 0, 0, 0.4]  # leaves y perpendicular to z
    state = realized(system, lambda state: body.set_q(state, about_z), lambda state: body.set_u(state, [0.0, 0.0, 1.4]))

    assert_allclose(angle.position_errors(state), 0, atol=WITHIN)
    assert_allclose(angle.acceleration_errors(state), 0, atol=10 * WITHIN)
    y = body.X_GB(state).R[:, 1]
    on_bodies, _ = angle.forces(state)
    assert_allclose(on_bodies[1][:3], angle.multipliers(state)[0] * np.cross(y, [0, 0, 1]), atol=WITHIN)
    # the second derivative of y . z is 0 along the motion
    alpha, w = body.A_GB(state)[:3], np.array([0, 0, 1.4])
    assert_allclose((np.cross(alpha, y) + np.cross(w, np.cross(w, y)))[2], 0, atol=10 * WITHIN)


def test_a_constant_orientation_stops_all_turning(system, matter):
    R1, R2 = from_quaternion([0.4, 0.2, -0.5, 0.7]), from_quaternion([0.1, 0.9, 0.3, -0.2])
    body = mb.Free(matter.ground, body_of([0.3, -0.2, 0.1]), name="body")
    constant = mb.ConstantOrientation(matter.ground, R1, body, R2)
    state = realized(system, lambda state: body.set_q(state, [*to_quaternion(R1 @ R2.T), 0, 0, 0]))

    assert_allclose(constant.position_errors(state), 0, atol=WITHIN)
    assert_allclose(body.A_GB(state), [0, 0, 0, 0, -G, 0], atol=10 * WITHIN)  # it falls and does not turn
    assert_allclose(constant.base_rotation(state), R1, atol=1e-15)
    assert_allclose(constant.default_follower_rotation, R2, atol=1e-15)


def two_wheels(system, matter, driver=2.3):
    """Wheels on parallel axes z, a torque on the first; inertias about the axes INERTIA[2, 2] each."""
    first = mb.Pin(matter.ground, body_of(), name="first")
    second = mb.Pin(matter.ground, body_of(), X_PF=mb.Transform(p=[1.1, 0, 0]), name="second")
    mb.MobilityForce(system.subsystems[-1], first, force=driver, name="motor")
    return first, second


def test_rolling_wheels_turn_by_the_ratio_of_their_radii(system, matter):
    radii = (0.4, 0.7)  # the contact point is at 0.4 on the line between the axes
    first, second = two_wheels(system, matter)
    no_slip = mb.NoSlip1D(matter.ground, [radii[0], 0, 0], [0, 2, 0], first, second)
    state = realized(system, lambda state: first.set_u(state, 1.4), lambda state: second.set_u(state, -0.5))

    assert_allclose(no_slip.velocity_errors(state), 0.5 * radii[1] - 1.4 * radii[0], rtol=WITHIN)  # the second's point less the first's
    J = INERTIA[2, 2]
    u_dot = 2.3 / (J + J * (radii[0] / radii[1]) ** 2)
    assert_allclose(first.u_dot(state), u_dot, rtol=WITHIN)
    assert_allclose(second.u_dot(state), -u_dot * radii[0] / radii[1], rtol=WITHIN)
    assert_allclose(no_slip.power(state), -no_slip.multipliers(state) @ no_slip.velocity_errors(state), rtol=WITHIN)


def test_the_case_of_a_rolling_body_may_be_a_follower(system, matter):
    first, second = two_wheels(system, matter)
    on_ground = mb.NoSlip1D(matter.ground, [0, 0.3, 0], [1, 0, 0], matter.ground, first)
    on_case = mb.NoSlip1D(first, [0, 0.3, 0], [1, 0, 0], second, first)
    state = realized(system, lambda state: first.set_u(state, 1.4), lambda state: second.set_u(state, -0.8))

    assert_allclose(on_ground.velocity_errors(state), -0.3 * 1.4, rtol=WITHIN)
    # seen from the first wheel its own point stands still; the second's, at (-1.1, 0.3) from its axis, moves with -0.8 - 1.4 about that
    moving = -1.4 * np.array([0, 1.1]) + (-0.8 - 1.4) * np.array([-0.3, -1.1])
    assert_allclose(on_case.velocity_errors(state), -moving[0], rtol=WITHIN)


def test_couplers_connect_wheels_like_gears(system, matter):
    ratio = -1.6
    J, motor = INERTIA[2, 2], 2.3
    u_dot = motor / (J + J * ratio**2)
    first, second = two_wheels(system, matter, motor)
    of_q = mb.CoordinateCoupler(matter, functions.Linear([ratio, -1.0, 0.3]), [first, second], [0, 0])
    of_u = mb.SpeedCoupler(matter, functions.Linear([ratio, -1.0, 0.0]), [first, second], [0, 0])
    of_u.set_disabled_by_default(True)
    state = realized(system, lambda state: first.set_q(state, 0.4), lambda state: second.set_q(state, -0.1))

    assert_allclose(of_q.position_errors(state), ratio * 0.4 + 0.1 + 0.3, rtol=WITHIN)
    for _ in range(2):
        assert_allclose([first.u_dot(state)[0], second.u_dot(state)[0]], [u_dot, ratio * u_dot], rtol=WITHIN)
        of_q.disable(state)
        of_u.enable(state)
        system.realize(state, Stage.ACCELERATION)
    assert not of_q.multipliers(state).any()


def test_a_nonlinear_coupler_has_an_acceleration_by_curvature(system, matter):
    """q2 = q1^2 / 2: the second's acceleration is q1 u1_dot + u1^2."""
    first, second = two_wheels(system, matter)
    mb.CoordinateCoupler(matter, mb.Function.of(lambda x: x[1] - x[0] ** 2 / 2, 2), [first, second], [0, 0])
    state = realized(
        system,
        *(lambda state, body=body, q=q: body.set_q(state, q) for body, q in ((first, 0.8), (second, 0.32))),
        *(lambda state, body=body, u=u: body.set_u(state, u) for body, u in ((first, 1.5), (second, 1.2))),
    )
    assert_allclose(second.u_dot(state), 0.8 * first.u_dot(state) + 1.5**2, rtol=WITHIN)


def test_a_speed_coupler_takes_coordinates_too(system, matter):
    """A continuously variable gear: u2 = q3 u1, with the ratio on a third wheel."""
    first, second = two_wheels(system, matter)
    third = mb.Pin(matter.ground, body_of(), name="ratio")
    coupler = mb.SpeedCoupler(matter, mb.Function.of(lambda x: x[1] - x[0] * x[2], 3), [first, second], [0, 0], [third], [0])
    state = realized(
        system,
        lambda state: third.set_q(state, 0.6),
        *(lambda state, body=body, u=u: body.set_u(state, u) for body, u in ((first, 1.5), (second, 0.7), (third, 0.4))),
    )

    assert_allclose(coupler.velocity_errors(state), 0.7 - 0.9, rtol=WITHIN)
    assert_allclose(second.u_dot(state), 0.6 * first.u_dot(state) + 0.4 * 1.5, rtol=WITHIN)
    assert third.u_dot(state) == 0  # no force along what is no speed of the coupler


def test_constant_mobilities_are_kept_and_can_be_set(system, matter):
    first, second = two_wheels(system, matter)
    third = mb.Ball(matter.ground, body_of([0.2, 0, 0]), name="third")
    q = mb.ConstantCoordinate(first, 0, 0.3, name="q")
    u = mb.ConstantSpeed(third, 2, -0.4, name="u")
    u_dot = mb.ConstantAcceleration(second, 0, 1.9, name="u_dot")
    state = realized(system, lambda state: first.set_q(state, 0.5), lambda state: third.set_u(state, [0.1, 0.2, 0.7]))

    assert_allclose([q.position_errors(state)[0], u.velocity_errors(state)[0]], [0.2, 1.1], rtol=WITHIN)
    assert_allclose([first.u_dot(state)[0], third.u_dot(state)[2], second.u_dot(state)[0]], [0, 0, 1.9], atol=WITHIN)
    assert_allclose(-q.multipliers(state), [-2.3], rtol=WITHIN)  # what holds against the motor
    assert_allclose(-u_dot.multipliers(state), INERTIA[2, 2] * 1.9, rtol=WITHIN)

    u_dot.set_acceleration(state, -0.6)
    q.set_position(state, 0.1)
    assert state.stage < Stage.INSTANCE
    system.realize(state, Stage.ACCELERATION)
    assert_allclose(second.u_dot(state), -0.6, rtol=WITHIN)
    assert_allclose(q.position_errors(state), 0.4, rtol=WITHIN)
    assert u.set_default_speed(0.9).default_speed == 0.9
    assert u.speed(system.realize_topology()) == 0.9


def test_a_prescribed_motion_accelerates_as_its_function(system, matter):
    _, second = two_wheels(system, matter)
    motion = mb.PrescribedMotion(matter, functions.Sinusoid(0.7, 2.0, 0.4), second, 0)
    t = 1.3
    state = realized(
        system,
        lambda state: setattr(state, "time", t),
        lambda state: second.set_q(state, 0.7 * sin(2 * t + 0.4)),
        lambda state: second.set_u(state, 1.4 * cos(2 * t + 0.4)),
    )

    assert_allclose(np.concatenate([motion.position_errors(state), motion.velocity_errors(state)]), 0, atol=WITHIN)
    assert_allclose(second.u_dot(state), -2.8 * sin(2 * t + 0.4), rtol=WITHIN)
    assert_allclose(motion.power(state), second.u(state)[0] * INERTIA[2, 2] * second.u_dot(state)[0], rtol=WITHIN)


@pytest.mark.parametrize(("rolling", "share"), [(True, 5 / 7), (False, 1)])
def test_a_rolling_sphere_has_five_sevenths_of_the_sliding_acceleration(system, matter, rolling, share):
    slope, radius = 0.5, 0.3
    plane = mb.Transform(rotation_x(-pi / 2))  # its z is y
    tilt = mb.Transform(rotation_z(slope))
    ball = mb.Free(matter.ground, mb.MassProperties(MASS, [0, 0, 0], 0.4 * MASS * radius**2 * np.eye(3)), name="ball")
    contact = mb.SphereOnPlaneContact(matter.ground, tilt @ plane, ball, [0, 0, 0], radius, rolling)
    normal = (tilt @ plane).R[:, 2]
    state = realized(system, lambda state: ball.set_q(state, [1, 0, 0, 0, *radius * normal]))

    assert_allclose(contact.position_errors(state), 0, atol=WITHIN)
    down = np.array([-cos(slope), -sin(slope), 0])
    assert_allclose(ball.A_GB(state)[3:], share * G * sin(slope) * down, atol=WITHIN)
    assert_allclose(contact.multipliers(state)[0], -MASS * G * cos(slope), rtol=WITHIN)
    if rolling:
        assert_allclose(np.linalg.norm(contact.multipliers(state)[1:]), 2 / 7 * MASS * G * sin(slope), rtol=WITHIN)


def test_a_point_sticking_to_a_plane_acts_as_a_ball_joint(system, matter):
    """Its accelerations from rest are those of a ball joint."""
    point = np.array([0.2, -0.3, 0.1])
    X = mb.Transform(from_quaternion([0.3, 0.5, -0.2, 0.8]), [0.3, -0.1, 0.2])
    free = mb.Free(matter.ground, body_of(), name="free")
    contact = mb.PointOnPlaneContact(matter.ground, X, free, point)
    ball = mb.BallConstraint(matter.ground, X.p, free, point, disabled=True)
    state = realized(system, lambda state: free.set_q(state, [1, 0, 0, 0, *(X.p - point)]))
    sticking, of_contact = free.A_GB(state).copy(), contact.forces(state)[0]
    contact.disable(state)
    ball.enable(state)
    system.realize(state, Stage.ACCELERATION)

    assert_allclose(free.A_GB(state), sticking, atol=WITHIN)
    assert_allclose(ball.forces(state)[0], of_contact, atol=10 * WITHIN)
