"""Redundant constraints, and constraints that contradict each other."""

from math import cos

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod import Stage, functions
from mobod.errors import InconsistentConstraintsError, SingularMechanismError
from mobod.spatial import from_quaternion

G = 9.81


@pytest.fixture
def system():
    system = mb.MultibodySystem("bench")
    mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), system.matter, down=[0, -1, 0], magnitude=G, name="gravity")
    return system


@pytest.fixture
def matter(system):
    return system.matter


def bar(length=1.0):
    return mb.MassProperties(1.3, [length / 2, 0, 0], np.diag([0.01, 0.2, 0.2]) + 1.3 * length**2 / 4 * np.diag([0, 1, 1]))


def test_two_rods_at_the_same_place_share_the_tension(system, matter):
    bob = mb.Free(matter.ground, mb.MassProperties(1.3, [0, 0, 0], 0.2 * np.eye(3)), name="bob")
    rods = [mb.Rod(matter.ground, [0, 0, 0], bob, [0, 0, 0], 0.8, name=name) for name in ("one", "other")]
    state = system.realize_topology()
    bob.set_q(state, [1, 0, 0, 0, 0, -0.8, 0])
    system.realize(state, Stage.ACCELERATION)

    assert_allclose([rod.multipliers(state)[0] for rod in rods], 1.3 * G / 2, rtol=1e-12)
    analysis = matter.analyze_constraints(state)
    assert (analysis.rank, analysis.redundant, analysis.degrees_of_freedom) == (1, ("other",), 5)
    assert str(analysis) == "5 degrees of freedom; 2 constraint equations, 1 of them independent, redundant: other"
    rods[0].disable(state)
    system.realize(state, Stage.ACCELERATION)
    assert_allclose(rods[1].multipliers(state), 1.3 * G, rtol=1e-12)
    assert matter.analyze_constraints(state).redundant == ()


def parallelogram(matter, angle):
    """Cranks of length 0.5 on ground at 0 and 1.2, the coupler of length 1.2 between them closed by a ball in space: one row too many."""
    left = mb.Pin(matter.ground, bar(0.5), name="left")
    coupler = mb.Pin(left, bar(1.2), X_PF=mb.Transform(p=[0.5, 0, 0]), name="coupler")
    right = mb.Pin(matter.ground, bar(0.5), X_PF=mb.Transform(p=[1.2, 0, 0]), name="right")
    loop = mb.BallConstraint(coupler, [1.2, 0, 0], right, [0.5, 0, 0], name="loop")

    def place(state, rate):
        for body, sign in ((left, 1), (coupler, -1), (right, 1)):
            body.set_q(state, sign * angle)
            body.set_u(state, sign * rate)

    return loop, place


def test_a_planar_loop_closed_in_space_has_a_redundant_row_and_no_force_along_it(system, matter):
    loop, place = parallelogram(matter, 1.1)
    state = system.realize_topology()
    place(state, 0.7)
    system.realize(state, Stage.ACCELERATION)

    assert_allclose(np.concatenate([loop.position_errors(state), loop.velocity_errors(state)]), 0, atol=1e-15)
    analysis = matter.analyze_constraints(state)
    assert (analysis.rank, analysis.redundant, analysis.degrees_of_freedom) == (2, ("loop[3]",), 1)
    assert_allclose(loop.multipliers(state)[2], 0, atol=1e-12)
    # the coupler moves without turning, so its mass is on the cranks' ends: (2 J + m l^2) angle'' = -(2 m g l/2 + m g l) cos(angle)
    J, m, l = 0.2 + 1.3 * 0.25**2, 1.3, 0.5
    expected = -(2 * m * G * l / 2 + m * G * l) * cos(1.1) / (2 * J + m * l**2)
    assert_allclose([body.u_dot(state)[0] for body in matter.bodies], np.array([1, -1, 1]) * expected, rtol=1e-10)


def test_a_redundant_loop_runs_and_keeps_its_energy(system, matter):
    loop, place = parallelogram(matter, 1.1)
    state = system.realize_topology()
    place(state, 0.0)
    system.realize(state, Stage.VELOCITY)
    before = system.energy(state)
    final = mb.Simulation(system, accuracy=1e-10, backend="interpreted").run(state, until=0.5).final_state
    system.realize(final, Stage.ACCELERATION)

    assert_allclose(system.energy(final), before, atol=1e-7)
    assert_allclose(loop.position_errors(final), 0, atol=1e-7)


def test_multipliers_that_redundant_rows_share_are_differentiated(system, matter):
    """Two couplers of one coordinate, sin(q) and q: the rows cos(q) and 1 share the multiplier in proportion to their size, which depends
    on q.
    """
    pin = mb.Pin(matter.ground, bar(), name="pin")
    mb.CoordinateCoupler(matter, mb.Function.of(lambda x: np.sin(x[0])), [pin], [0], name="sine")
    mb.ConstantCoordinate(pin, 0, 0.4, name="constant")
    state = system.realize_topology()
    pin.set_q(state, 0.4)

    def multipliers(q):
        moved = state.copy()
        pin.set_q(moved, q)
        system.realize(moved, Stage.ACCELERATION)
        return matter.multipliers(moved)

    holding = 1.3 * G * 0.5 * cos(0.4)  # moment of the weight
    assert_allclose(multipliers(0.4), -holding * np.array([cos(0.4), 1]) / (1 + cos(0.4) ** 2), rtol=1e-12)
    names = ["sine.multiplier", "constant.multiplier"]
    system.realize(state, Stage.ACCELERATION)
    exact = system.directional_derivative(state, names, {"pin.q": 1.0})
    assert_allclose([exact[name][0] for name in names], (multipliers(0.4 + 1e-5) - multipliers(0.4 - 1e-5)) / 2e-5, rtol=1e-8)


def test_contradictory_accelerations_are_an_error_with_their_names(system, matter):
    pin = mb.Pin(matter.ground, bar(), name="pin")
    mb.ConstantAcceleration(pin, 0, 1.5, name="fast")
    slow = mb.ConstantAcceleration(pin, 0, 1.0, name="slow")
    mb.Pin(matter.ground, bar(), name="free one")
    state = system.realize_topology()
    with pytest.raises(
        InconsistentConstraintsError, match=r"contradict .* all of 'fast', 'slow'; the nearest accelerations violate them by 0\.25 in"
    ):
        system.realize(state, Stage.ACCELERATION)
    assert issubclass(InconsistentConstraintsError, SingularMechanismError)
    assert state.stage == Stage.DYNAMICS

    slow.set_acceleration(state, 1.5)
    system.realize(state, Stage.ACCELERATION)
    assert_allclose(pin.u_dot(state), 1.5, rtol=1e-12)


def test_a_motion_that_a_loop_prevents_is_an_error_once_it_moves(system, matter):
    """A prescribed motion of a pin that a weld fixes: at the turning point only its acceleration is wrong."""
    pin = mb.Pin(matter.ground, bar(), name="pin")
    mb.WeldConstraint(matter.ground, mb.Transform(), pin, mb.Transform(), name="weld")
    mb.PrescribedMotion(matter, functions.Polynomial([0.5, 0, 0]), pin, 0, name="swing")
    state = system.realize_topology()
    with pytest.raises(InconsistentConstraintsError, match="'weld', 'swing'"):
        system.realize(state, Stage.ACCELERATION)


@pytest.mark.parametrize("error", [1e-2, 1e-7, 0.0])
def test_states_off_the_manifold_are_no_contradiction(system, matter, error):
    """Six rows of a weld for the one mobility of a pin: off the manifold no acceleration satisfies all of them."""
    pin = mb.Pin(matter.ground, bar(), name="pin")
    weld = mb.WeldConstraint(matter.ground, mb.Transform(), pin, mb.Transform(), name="weld")
    state = system.realize_topology()
    pin.set_q(state, error)
    pin.set_u(state, 3 * error)
    system.realize(state, Stage.ACCELERATION)

    assert matter.analyze_constraints(state).rank == 1
    assert_allclose(pin.u_dot(state), 0, atol=10 * error**2 + 1e-12)
    assert_allclose(weld.multipliers(state) @ weld.velocity_errors(state), -weld.power(state), atol=1e-12)


@pytest.mark.parametrize("rate", [0.0, 2.0])
def test_a_constraint_satisfied_by_the_joints_applies_no_force(system, matter, rate):
    """A rod from a point of the axis to the turning body: its row is only round-off."""
    frame = mb.Transform(from_quaternion([0.3, 0.5, -0.2, 0.8]), [0.3, -0.1, 0.2])
    pin = mb.Pin(matter.ground, bar(), X_PF=frame, name="pin")
    point = np.array([0.3, 0.4, 0.7])
    rod = mb.Rod(matter.ground, frame.apply([0, 0, 0.2]), pin, point, float(np.linalg.norm(point - [0, 0, 0.2])), name="rod")
    state = system.realize_topology()
    pin.set_q(state, 0.6)
    pin.set_u(state, rate)
    system.realize(state, Stage.ACCELERATION)
    with_rod = pin.u_dot(state).copy()
    rod.disable(state)
    system.realize(state, Stage.ACCELERATION)

    assert_allclose(with_rod, pin.u_dot(state), rtol=1e-9)


def rod_between_welded_bodies(system, matter):
    """A body with three angles, another that is welded to it, and a rod between the two, whose row is nothing but round-off."""
    mass = mb.MassProperties(1.9, [0, 0.2, 0.1], np.diag([0.5, 0.3, 0.4]))
    body = mb.Gimbal(matter.ground, mass, mb.Transform(p=[0.1, 0.3, -0.2]), mb.Transform(p=[0, 0.2, -0.2]), name="body")
    turned = mb.Transform(from_quaternion([0.2, 0.3, 0.9, 0.1]), [0.1, -0.3, 0.2])
    welded = mb.Weld(body, mass, turned, mb.Transform(p=[-0.2, -0.5, 0.1]), name="welded")
    state = system.realize_topology()
    body.set_q(state, [0.5, 0.4, -0.2])
    body.set_u(state, [-1.1, 1.3, -0.5])
    system.realize(state, Stage.POSITION)
    length = body.station_to_station_distance(state, [0, 0.4, -0.6], welded, [-1.1, 0.1, 0.7])
    rod = mb.Rod(body, [0, 0.4, -0.6], welded, [-1.1, 0.1, 0.7], length, name="rod")
    restarted = system.realize_topology()
    restarted.y = state.y
    return body, rod, restarted


def test_a_row_that_the_joints_satisfy_changes_no_step(system, matter):
    _, rod, state = rod_between_welded_bodies(system, matter)
    simulation = mb.Simulation(system, backend="interpreted")
    results = simulation.run(state, 0.5)
    without = state.copy()
    rod.disable(without)
    expected = simulation.run(without, 0.5)
    assert results.steps == expected.steps
    assert_allclose(results.final_state.y, expected.final_state.y, rtol=0, atol=1e-12)  # the sums of forces have other terms


def test_a_row_that_the_joints_satisfy_restricts_nothing(system, matter):
    body, _, state = rod_between_welded_bodies(system, matter)
    system.realize(state, Stage.ACCELERATION)
    assert matter.analyze_constraints(state).degrees_of_freedom == 3
    assert not matter.constraint_matrix(state).any()
    linear = system.linearize(state)
    assert len(linear.states) == 6
    moved = state.copy()
    body.set_q(moved, body.q(state) + np.array([0.3, -0.2, 0.7]))
    kept = [f"body.{each}[{i}]" for each in "qu" for i in (1, 2, 3)]
    assert_allclose(mb.Assembler(system).assemble(moved, keep=kept).y, moved.y, rtol=0, atol=0)
    assert_allclose(mb.Assembler(system).assemble(moved).y, moved.y, rtol=0, atol=0)


def test_known_mobilities_are_not_degrees_of_freedom(system, matter):
    _, place = parallelogram(matter, 1.1)
    free = mb.Free(matter.ground, bar(), name="free")
    left = matter.body("left")
    driven = mb.SteadyMotion(left, 0.7, disabled=True)
    state = system.realize_topology()
    place(state, 0.7)

    def freedom():
        system.realize(state, Stage.DYNAMICS)
        return matter.analyze_constraints(state).degrees_of_freedom

    assert freedom() == 1 + 6
    driven.enable(state)
    assert freedom() == 6  # the loop moves as it is driven
    free.lock(state)
    assert freedom() == 0
    free.lock(state, "acceleration")
    assert freedom() == 6  # its speeds may be any
    driven.disable(state)
    left.lock(state, "acceleration")
    assert freedom() == 1 + 6


def test_locks_and_motions_leave_fewer_degrees_of_freedom_without_constraints_too(system, matter):
    first = mb.Pin(matter.ground, bar(), name="first")
    mb.Ball(first, bar(), name="second")
    state = system.realize_topology()
    first.lock(state)
    system.realize(state, Stage.DYNAMICS)

    assert matter.analyze_constraints(state).degrees_of_freedom == 3
