"""Assembler: loops closed from rough initial guesses, fitted observations, and errors."""

from math import acos, atan2, cos, hypot, pi, sin

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar

import mobod as mb
from mobod import Stage
from mobod.errors import AssemblyError, InputError
from mobod.spatial import from_quaternion, rotation_about

CRANK, COUPLER, ROCKER, BASE = 0.4, 1.1, 0.9, 1.2  # m
EXACT = 1e-12  # the Assembler reduces errors to round-off, for lengths of about 1 m


def bar(length):
    return mb.MassProperties(1.3, [length / 2, 0, 0], np.diag([0.01, 0.2, 0.2]) + 1.3 * length**2 / 4 * np.diag([0, 1, 1]))


def four_bar(crank=CRANK, coupler=COUPLER, rocker=ROCKER, base=BASE):
    """Pins in the plane; the loop is closed in space, which makes its third row redundant."""
    system = mb.MultibodySystem("four_bar")
    matter = mb.MatterSubsystem(system)
    left = mb.Pin(matter.ground, bar(crank), name="crank")
    middle = mb.Pin(left, bar(coupler), X_PF=mb.Transform(p=[crank, 0, 0]), name="coupler")
    right = mb.Pin(matter.ground, bar(rocker), X_PF=mb.Transform(p=[base, 0, 0]), name="rocker")
    mb.BallConstraint(middle, [coupler, 0, 0], right, [rocker, 0, 0], name="loop")
    return system


def rocker_angles(crank_angle):
    """The angles of the two assemblies, by the law of cosines in the triangle of crank's end, rocker's end and rocker's pin."""
    end = np.array([CRANK * cos(crank_angle), CRANK * sin(crank_angle)])
    to_end = end - [BASE, 0]
    distance = hypot(*to_end)
    corner = acos((distance**2 + ROCKER**2 - COUPLER**2) / (2 * distance * ROCKER))
    return np.array([atan2(to_end[1], to_end[0]) + sign * corner for sign in (-1, 1)])


def angle_between(a, b):
    return np.abs((np.asarray(a) - b + pi) % (2 * pi) - pi)


@pytest.mark.parametrize("start", [[0.7, 0.3, 1.8], [0.7, 3.0, -2.5], [0.7, -1.4, 0.1]])
def test_a_four_bar_closes_at_one_of_its_two_rocker_angles_despite_a_redundant_row(start):
    system = four_bar()
    assembler = mb.Assembler(system)
    assembler.lock_q(system.matter.body("crank"))
    state = system.realize_topology()
    state.q = start

    assembled = assembler.assemble(state)

    assert assembler.error(state) > 0.1  # m: a rough start
    assert assembler.error(assembled) < EXACT
    assert assembled.q[0] == 0.7
    assert angle_between(assembled.q[2], rocker_angles(0.7)).min() < EXACT
    assert_allclose(state.q, start, rtol=0, atol=0)


def test_a_slider_crank_closes_at_the_position_by_pythagoras():
    system = mb.MultibodySystem("slider_crank")
    matter = mb.MatterSubsystem(system)
    crank = mb.Pin(matter.ground, bar(0.3), name="crank")
    slider = mb.Slider(matter.ground, mb.MassProperties.point(0.8, [0, 0, 0]), name="slider")
    mb.Rod(crank, [0.3, 0, 0], slider, [0, 0, 0], 0.7, name="rod")
    assembler = mb.Assembler(system)
    assembler.lock_q(crank)
    assembler.restrict_q(slider, 0, low=0.0)
    state = system.realize_topology()
    crank.set_q(state, 0.9)
    slider.set_q(state, 0.2)
    crank.set_u(state, 2.1)

    state = assembler.assemble(state, keep=["crank.u"])

    y = 0.3 * sin(0.9)
    x = 0.3 * cos(0.9) + (0.7**2 - y**2) ** 0.5
    assert_allclose(slider.q(state), x, rtol=0, atol=EXACT)
    # the slider's speed follows: it is the crank's times dx/dq
    slope = -y - 0.3 * cos(0.9) * y / (0.7**2 - y**2) ** 0.5
    assert_allclose(slider.u(state), crank.u(state) * slope, rtol=1e-9)
    assert crank.u(state)[0] == 2.1


@pytest.mark.slow
def test_a_loop_that_cannot_close_is_reported_by_name_with_its_gap():
    system = four_bar(crank=0.4, coupler=0.3, rocker=0.2, base=1.2)  # the bars are 0.3 m too short
    state = system.realize_topology()
    state.q = [0.7, 0.2, 0.4]
    before = state.to_bytes()

    with pytest.raises(AssemblyError, match=r"'four_bar' cannot be assembled at 0 s: the position error of 'loop\[1\]' is -?0\.3 m"):
        mb.Assembler(system).assemble(state)
    assert state.to_bytes() == before


def test_track_makes_a_single_search_and_the_error_says_so():
    system = four_bar(crank=0.4, coupler=0.3, rocker=0.2, base=1.2)

    with pytest.raises(AssemblyError, match=r"from 1 start; .* or use assemble, which also tries other starts\."):
        mb.Assembler(system).track(system.realize_topology())


def test_a_weight_scales_the_errors_of_a_constraint():
    system = four_bar()
    loop = system.matter.constraints[0]
    assembler = mb.Assembler(system)
    assembler.set_weight(loop, 1000.0)  # errors in mm
    state = system.realize_topology()
    state.q = [0.7, 0.3, 1.8]
    system.realize(state, Stage.POSITION)

    assert assembler.error(state) == pytest.approx(1000 * np.abs(loop.position_errors(state)).max())
    assert assembler.error(assembler.assemble(state)) < 1000 * EXACT


def test_an_error_whose_square_is_zero_in_floating_point_is_satisfied():
    system = mb.MultibodySystem("slider")
    slider = mb.Slider(mb.MatterSubsystem(system).ground, mb.MassProperties.point(1.0, [0, 0, 0]), name="slider")
    mb.ConstantCoordinate(slider, 0, 0.0)
    state = system.realize_topology()
    slider.set_q(state, 1e-200)
    assert abs(slider.q(mb.Assembler(system).assemble(state))[0]) <= 1e-200


def test_disabled_constraints_are_ignored():
    system = four_bar()
    state = system.realize_topology()
    state.q = [0.7, 0.3, 1.8]
    system.matter.constraints[0].disable(state)

    assert_allclose(mb.Assembler(system).assemble(state).q, state.q, rtol=0, atol=0)


@pytest.mark.slow
def test_bounds_select_the_branch_and_impossible_bounds_are_named():
    system = four_bar()
    crank, _, rocker = system.matter.bodies
    state = system.realize_topology()
    state.q = [0.7, -0.1, 1.6]  # near the upper branch
    assembler = mb.Assembler(system)
    assembler.lock_q(crank)
    assembler.restrict_q(rocker, 0, -pi, 0.0)

    assembled = assembler.assemble(state)

    lower = rocker_angles(0.7)[1] - 2 * pi
    assert -pi < lower < 0
    assert_allclose(rocker.q(assembled), lower, rtol=0, atol=EXACT)

    assembler.restrict_q(rocker, 0, 0.1, 0.5)
    with pytest.raises(AssemblyError, match=r"and 'rocker.q\[0\]' are at a bound"):
        assembler.assemble(state)
    assembler.unrestrict_q(rocker, 0)
    assert_allclose(rocker.q(assembler.assemble(state)), rocker_angles(0.7)[0], rtol=0, atol=EXACT)


def test_a_coordinate_is_at_its_bound_if_the_goal_is_beyond():
    """The crank is limited to 0.5 rad, its marker lies at 0.8 rad. The other coordinates close the loop."""
    system = four_bar()
    crank, _, rocker = system.matter.bodies
    assembler = mb.Assembler(system)
    assembler.add(mb.Marker(crank, [CRANK, 0, 0], [CRANK * cos(0.8), CRANK * sin(0.8), 0]))
    assembler.restrict_q(crank, 0, high=0.5)
    state = system.realize_topology()
    state.q = [0.2, 0.1, 1.5]

    state = assembler.assemble(state)

    assert_allclose(crank.q(state), 0.5, rtol=0, atol=1e-9)
    assert assembler.error(state) < EXACT
    assert angle_between(rocker.q(state), rocker_angles(0.5)).min() < 1e-8
    assert assembler.goal(state) == pytest.approx((2 * CRANK * sin(0.15)) ** 2, rel=1e-8)  # the chord of the remaining angle


def test_locks_and_motions_keep_their_coordinates():
    system = four_bar()
    crank, _, rocker = system.matter.bodies
    mb.SinusoidMotion(crank, amplitude=0.6, rate=2.0, phase=0.3)
    state = system.realize_topology()
    state.time = 0.4
    state.q = [0.0, 0.3, 1.8]

    moved = mb.Assembler(system).assemble(state)

    assert_allclose(crank.q(moved), 0.6 * sin(2.0 * 0.4 + 0.3), rtol=1e-15)
    assert angle_between(rocker.q(moved), rocker_angles(float(crank.q(moved)[0]))).min() < EXACT
    assert_allclose(system.matter.constraint_velocity_errors(moved), 0, atol=1e-10)
    assert abs(rocker.u(moved)[0]) > 0.04  # it follows the motion
    rocker.lock_at(state, 1.3)
    with pytest.raises(AssemblyError, match="2 of 3 coordinates were held"):
        mb.Assembler(system).assemble(state)


def test_a_singular_start_in_line_is_assembled():
    """All bars lie on the base line at the start, so that the loop's rows across this line are singular."""
    system = four_bar()
    state = system.realize_topology()
    assert_allclose(state.q, 0)

    assembler = mb.Assembler(system)
    state = assembler.assemble(state)

    assert assembler.error(state) < EXACT
    assert angle_between(state.q[2], rocker_angles(state.q[0])).min() < 1e-9


def test_a_pendulum_turned_exactly_away_from_its_marker_finds_it():
    """The start is a maximum of the distance, where the gradient is zero."""
    system = mb.MultibodySystem("pendulum")
    pin = mb.Pin(mb.MatterSubsystem(system).ground, bar(0.7), name="pin")
    assembler = mb.Assembler(system)
    assembler.add(mb.Marker(pin, [0.7, 0, 0], [-0.9, 0, 0]))

    state = assembler.assemble(system.realize_topology())

    assert_allclose(np.abs(pin.q(state)), pi, rtol=0, atol=1e-6)
    assert assembler.goal(state) == pytest.approx(0.2**2)


@pytest.mark.fast(1)
@pytest.mark.parametrize("place", [[0.5, 0.9, 0.2], [3.0, 1.0, 0.0], [-1.5, -2.0, 0.5]])
def test_an_unreachable_marker_is_fitted_as_well_as_by_exhaustive_search(place):
    """The four-bar has one degree of freedom: its goal is a function of the crank's angle, on the branch of the start."""
    system = four_bar()
    crank, coupler, _ = system.matter.bodies
    station = np.array([0.5, 0.3, 0])
    assembler = mb.Assembler(system, accuracy=1e-9)
    assembler.add(mb.Marker(coupler, station, place, weight=0.7))
    state = system.realize_topology()
    state.q = [0.7, 0.0, 1.6]

    found = assembler.assemble(state)

    def distance(angle):
        rocker = rocker_angles(angle)[0]
        end = np.array([CRANK * cos(angle), CRANK * sin(angle)])
        x = np.array([BASE + ROCKER * cos(rocker), ROCKER * sin(rocker)]) - end
        x /= np.linalg.norm(x)
        point = end + station[0] * x + station[1] * np.array([-x[1], x[0]])
        return 0.7 * np.sum((np.array([*point, 0]) - place) ** 2)

    angle = float(crank.q(found)[0])
    assert assembler.error(found) < EXACT
    assert assembler.goal(found) == pytest.approx(distance(angle), rel=1e-12)
    nearby = minimize_scalar(distance, bounds=(angle - 0.1, angle + 0.1), method="bounded", options={"xatol": 1e-10})
    assert_allclose(angle, nearby.x, rtol=0, atol=1e-6)  # a minimum is located to the square root of round-off
    assert distance(angle) <= nearby.fun * (1 + 1e-12)
    assert distance(angle) < distance(0.7)


def arm():
    """Six degrees of freedom with a quaternion, a loop of one rod, general frames."""
    system = mb.MultibodySystem("arm")
    matter = mb.MatterSubsystem(system)
    tilt = mb.Transform(rotation_about([0.3, -0.8, 0.5], 0.7), [0.1, 0.2, -0.3])
    shoulder = mb.Ball(matter.ground, bar(0.6), X_PF=tilt, name="shoulder")
    elbow = mb.Universal(shoulder, bar(0.5), X_PF=mb.Transform(p=[0.6, 0, 0]), X_BM=tilt, name="elbow")
    wrist = mb.Pin(elbow, bar(0.2), X_PF=mb.Transform(rotation_about([1, 0.2, 0], 1.1), [0.5, 0, 0]), name="wrist")
    return system, shoulder, elbow, wrist


def posed(system, seed):
    rng = np.random.default_rng(seed)
    state = system.realize_topology()
    state.q = rng.uniform(-0.8, 0.8, size=len(state.q))
    for body in system.matter.bodies:
        if isinstance(body, mb.Ball):
            body.set_q_to_fit_rotation(state, rotation_about([0.7, -0.4, 0.5], 0.8))
    system.realize(state, Stage.VELOCITY)
    return state


@pytest.mark.fast("True")
@pytest.mark.parametrize("in_euler_angles", [False, True])
def test_reachable_markers_and_sensors_are_fitted_exactly(in_euler_angles):
    system, shoulder, elbow, wrist = arm()
    system.matter.set_uses_euler_angles_by_default(in_euler_angles)
    wanted, assembler = posed(system, 3), mb.Assembler(system, accuracy=1e-9)
    for body, station in ((shoulder, [0.3, 0.1, 0.2]), (elbow, [0.4, -0.1, 0.1])):
        assembler.add(mb.Marker(body, station, body.station_location_in_ground(wanted, station), weight=2.5))
    R_BS = rotation_about([0.1, 0.4, -0.7], 0.9)
    assembler.add(mb.OrientationSensor(wrist, R_BS, wrist.X_GB(wanted).R @ R_BS))

    found = assembler.assemble(system.realize_topology())

    assert assembler.goal(found) < 1e-16  # lengths and angles to 1e-8
    for body in (shoulder, elbow, wrist):
        assert_allclose(body.X_GB(found).p, body.X_GB(wanted).p, rtol=0, atol=1e-8)
    assert_allclose(wrist.X_GB(found).R, wrist.X_GB(wanted).R, rtol=0, atol=1e-8)
    assert_allclose(system.matter.quaternion_errors(found), 0, atol=1e-14)


def test_a_loop_with_quaternions_closes_with_unit_lengths():
    system, _, _, wrist = arm()
    mb.BallConstraint(system.matter.ground, [0.7, 0.5, -0.2], wrist, [0.2, 0, 0], name="grip")
    mb.ConstantAngle(system.matter.ground, [0, 0, 1], wrist, [1, 0, 0], 1.1, name="approach")
    assembler = mb.Assembler(system)

    found = assembler.assemble(system.realize_topology())

    assert assembler.error(found) < EXACT
    assert_allclose(wrist.station_location_in_ground(found, [0.2, 0, 0]), [0.7, 0.5, -0.2], rtol=0, atol=EXACT)
    assert_allclose(wrist.X_GB(found).R[2, 0], cos(1.1), rtol=0, atol=EXACT)
    assert_allclose(system.matter.quaternion_errors(found), 0, atol=1e-14)


def test_jacobians_of_conditions_are_the_derivatives_of_their_errors():
    system, shoulder, elbow, wrist = arm()
    state = posed(system, 7)
    R = from_quaternion([0.3, 0.5, -0.7, 0.2])
    conditions = [
        mb.Marker(wrist, [0.1, -0.2, 0.3], [0.4, 0.5, 0.6]),
        mb.OrientationSensor(wrist, rotation_about([1, 2, 3], 0.4), R),
        mb.OrientationSensor(elbow, np.eye(3), elbow.X_GB(state).R @ rotation_about([1, 2, 3], 1e-5)),  # tests the series for small angles
        mb.QValue(shoulder, 2, 0.3),
        mb.QValue(elbow, 1, 0.3),
    ]
    q = state.q.copy()
    along = system.matter.along_coordinates(state, system.matter.system_jacobian(state))
    J = np.concatenate([each.jacobian(state, along) for each in conditions])

    def errors(q):
        state.q = q
        system.realize(state, Stage.POSITION)
        return np.concatenate([each.error(state) for each in conditions])

    h = 1e-5
    differences = np.array([(errors(q + h * e) - errors(q - h * e)) / (2 * h) for e in np.eye(len(q))]).T
    assert_allclose(J, differences, rtol=0, atol=1e-9)  # errors of differences: h^2, and round-off / h


@pytest.mark.slow
def test_tracking_a_marker_takes_few_steps():
    system = four_bar()
    crank, coupler, _ = system.matter.bodies
    assembler = mb.Assembler(system, accuracy=1e-8)
    marker = assembler.add(mb.Marker(coupler, [0.5, 0.3, 0], None))
    state = system.realize_topology()
    state.q = [0.7, 0.0, 1.6]
    state = assembler.assemble(state)  # nothing is observed yet

    path = []
    for angle in 0.7 + 0.05 * np.arange(1, 30):
        truth = state.copy()
        truth.q = [angle, *state.q[1:]]
        lock = mb.Assembler(system)
        lock.lock_q(crank)
        marker.location = coupler.station_location_in_ground(lock.assemble(truth), marker.station)
        state = assembler.track(state)
        path.append(assembler.iterations)
        assert_allclose(crank.q(state), angle, rtol=0, atol=1e-7)
    assert np.mean(path) < 15  # including the steps that close the loop


def test_a_good_start_is_kept_and_a_coordinate_reaches_its_value():
    system = four_bar()
    crank = system.matter.body("crank")
    state = system.realize_topology()
    state.q = [0.7, 0.0, 1.6]
    assembler = mb.Assembler(system)
    closed = assembler.assemble(state)
    assert_allclose(assembler.assemble(closed).q, closed.q, rtol=0, atol=1e-15)

    wish = assembler.add(mb.QValue(crank, 0, 1.9))
    moved = assembler.assemble(closed)

    assert_allclose(crank.q(moved), 1.9, rtol=0, atol=1e-8)
    assert assembler.error(moved) < EXACT
    wish.weight = 0.0
    assert_allclose(assembler.assemble(moved).q, moved.q, rtol=0, atol=1e-15)


def test_two_goals_for_one_coordinate_give_their_weighted_mean():
    system = mb.MultibodySystem("pin")
    pin = mb.Pin(mb.MatterSubsystem(system).ground, bar(1.0), name="pin")
    assembler = mb.Assembler(system)
    assembler.add(mb.QValue(pin, 0, 0.4, weight=3.0))
    assembler.add(mb.QValue(pin, 0, 1.2, weight=1.0))

    state = assembler.assemble(system.realize_topology())

    assert_allclose(pin.q(state), 0.6, rtol=0, atol=1e-9)
    assert assembler.goal(state) == pytest.approx(3 * 0.2**2 + 0.6**2)


def test_a_simulation_accepts_the_assembled_state_unchanged():
    system = four_bar()
    mb.Gravity(mb.ForceSubsystem(system), system.matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    start = system.realize_topology()
    start.q = [0.7, 0.3, 1.8]
    start = mb.Assembler(system, accuracy=1e-8).assemble(start)

    results = mb.Simulation(system, accuracy=1e-8, backend="interpreted").run(start, until=0.5, report_every=0.1)

    assert_allclose(results["rocker.q"][0], start.q[2], rtol=0, atol=0)
    for crank, rocker in zip(results["crank.q"], results["rocker.q"], strict=True):
        assert angle_between(rocker, rocker_angles(crank)).min() < 1e-8
    assert abs(results["crank.q"][-1] - start.q[0]) > 0.1


def test_a_run_warns_if_the_start_moves():
    system = four_bar()
    start = system.realize_topology()
    start.q = [0.7, 0.0, 1.6]

    with pytest.warns(mb.MobodWarning, match=r"and was changed: 'coupler\.q' from 0 to -0\.0.* rad"):
        mb.Simulation(system, backend="interpreted").run(start, until=0.01)

    results = mb.Simulation(system, backend="interpreted").run(mb.Assembler(system).assemble(start), until=0.01)
    assert results.warnings == ()


def test_an_error_at_the_start_suggests_the_assembler():
    system = four_bar(crank=0.4, coupler=0.3, rocker=0.2, base=1.2)

    with pytest.raises(AssemblyError, match=r"Assembler\(system\)\.assemble\(state\)"):
        mb.Simulation(system, backend="interpreted").run(system.realize_topology(), until=1.0)


def test_constraints_that_no_speeds_satisfy_are_reported():
    system = four_bar()
    crank, _, rocker = system.matter.bodies
    mb.SteadyMotion(crank, 1.0)
    mb.SteadyMotion(rocker, -5.0)
    start = system.realize_topology()
    start.q = [0.7, 0.0, 1.6]

    with pytest.raises(AssemblyError, match="is assembled at 0 s, but no speeds satisfy its constraints: the velocity error of 'loop' is"):
        mb.Assembler(system).assemble(start)


def test_invalid_arguments_are_refused_by_name():
    system, shoulder, elbow, _ = arm()
    other = four_bar()
    assembler = mb.Assembler(system)
    state = system.realize_topology()
    with pytest.raises(InputError, match=r"the bounds of 'elbow.q\[1\]' are 2 and 1\. The first must be smaller"):
        assembler.restrict_q(elbow, 1, 2, 1)
    with pytest.raises(InputError, match=r"'elbow' .* has 2 coordinates, numbered from 0; 2 is not one of them"):
        assembler.lock_q(elbow, 2)
    with pytest.raises(InputError, match="belongs to System 'four_bar'"):
        assembler.lock_q(other.matter.body("crank"))
    with pytest.raises(InputError, match="belongs to System 'four_bar'"):
        assembler.add(mb.QValue(other.matter.body("crank"), 0, 1.0))
    with pytest.raises(InputError, match="the Marker of 'elbow': the weight is -1"):
        mb.Marker(elbow, [0, 0, 0], [0, 0, 0], weight=-1)
    with pytest.raises(InputError, match="accuracy must be between"):
        mb.Assembler(system, accuracy=0.0)
    assembler.restrict_q(shoulder, 1, 0, 1)
    with pytest.raises(InputError, match=r"'shoulder.q\[1\]' is an entry of a quaternion"):
        assembler.assemble(state)
    assembler.unrestrict_q(shoulder, 1)
    assembler.restrict_q(elbow, 0, 0.5, 1)
    assembler.lock_q(elbow)
    with pytest.raises(InputError, match=r"'elbow.q\[0\]' is locked or prescribed at 0 rad, outside its bounds 0.5 and 1"):
        assembler.assemble(state)


@pytest.mark.filterwarnings("ignore:the start at:mobod.MobodWarning")  # the projection is what is tested
def test_a_projection_may_move_coordinates_with_known_speeds():
    """A steady motion prescribes the crank's rate, not its angle."""
    system = four_bar()
    crank = system.matter.body("crank")
    mb.SteadyMotion(crank, 3.0)
    start = system.realize_topology()
    start.q = [0.7, 0.0, 1.571]

    results = mb.Simulation(system, accuracy=1e-8, backend="interpreted").run(start, until=0.2)

    assert_allclose(results["crank.q"][-1] - results["crank.q"][0], 0.6, rtol=0, atol=1e-8)
    assert_allclose(results["crank.q"][0], 0.7, rtol=0, atol=0.1)  # the smallest possible change is about 0.08
    assert angle_between(results["rocker.q"][-1], rocker_angles(results["crank.q"][-1])).min() < 1e-8
    system.realize(start, Stage.POSITION)
    assert_allclose(system.matter.multiply_by_N(start, [0.4, 0.5, 0.6]), [0.4, 0.5, 0.6], rtol=0, atol=0)
