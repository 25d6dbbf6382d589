"""Equilibria against closed forms and an independent minimization of the potential energy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

import mobod as mb
from mobod.errors import EquilibriumError, InputError
from tests.unit.analysis.mechanisms import G, ball_pendulum, begun, body, chain, four_bar


def rates(system, state):
    system.realize(state, mb.Stage.ACCELERATION)
    return np.abs(np.concatenate([state.u_dot, state.z_dot])).max()


def test_a_sagging_closed_loop_has_the_least_potential_energy():
    """Six links hang between two bearings. The start is straight and far from closed."""
    system, links = chain(6, 1.0, mass=1.0)
    mb.BallConstraint(system.matter.ground, [3.5, 0, 0], links[-1], [0, -1, 0], name="end")
    start = system.realize_topology()
    start.q = [1.2, 0, 0, 0, 0, 0]
    state = mb.find_equilibrium(system, start)

    def height(angles):
        return -np.cumsum(np.cos(angles)).sum()

    closed = {"type": "eq", "fun": lambda angles: [np.sin(angles).sum() - 3.5, np.cos(angles).sum()]}
    guess = np.linspace(0.3, 2.8, 6)
    lowest = minimize(height, guess, constraints=[closed], method="SLSQP", options={"ftol": 1e-15, "maxiter": 500})
    assert_allclose(np.cumsum(state.q), lowest.x, atol=1e-6)  # the square root of SLSQP's accuracy
    assert_allclose(system.potential_energy(state), G * lowest.fun, rtol=1e-11)
    assert rates(system, state) < 1e-8
    assert np.abs(system.matter.constraint_position_errors(state)).max() < 1e-13
    assert start.q[0] == 1.2  # the given State does not change
    modes = system.modes(state)
    assert (len(modes), modes.frequencies.min() > 1) == (4, True)


@pytest.mark.slow
def test_links_with_many_joints_hang_as_a_catenary():
    """A chain of 40 short links: its sag is that of a catenary to the square of the link's length."""
    n, span = 40, 30.0
    system, links = chain(n, 1.0, mass=1.0)
    mb.BallConstraint(system.matter.ground, [span, 0, 0], links[-1], [0, -1, 0], name="end")
    start = system.realize_topology()
    angles = np.linspace(0.5, np.pi - 0.5, n)
    start.q = np.diff(angles, prepend=0.0)
    state = mb.find_equilibrium(system, start)
    angles = np.cumsum(state.q)
    # the horizontal force is the same in all joints, and each point mass adds its weight: slopes grow by equal steps
    slopes = 1 / np.tan(angles)
    assert_allclose(np.diff(slopes), np.diff(slopes).mean(), rtol=1e-7)
    assert_allclose(np.sin(angles).sum(), span, rtol=1e-13)


def test_the_stable_equilibrium_is_found_or_the_nearest_one():
    system, (link,) = chain(1, 1.0, mass=1.0)
    state = system.realize_topology()
    link.set_q(state, 2.9)
    assert_allclose(mb.find_equilibrium(system, state).q, [0.0], atol=1e-9)
    assert_allclose(mb.find_equilibrium(system, state, stable=False).q, [np.pi], atol=1e-9)
    link.set_q(state, np.pi)
    assert_allclose(mb.find_equilibrium(system, state).q, [np.pi], atol=1e-12)  # it is at one


def test_a_body_with_a_quaternion_hangs_below_its_pivot():
    system, (top, _) = ball_pendulum()
    start = system.realize_topology()
    top.set_q(start, np.array([0.7, -0.2, 0.5, 0.4]) / np.linalg.norm([0.7, -0.2, 0.5, 0.4]))
    top.set_u(start, [1.0, 2.0, 3.0])
    state = mb.find_equilibrium(system, start)
    assert not state.u.any()
    assert rates(system, state) < 1e-8
    assert_allclose(np.linalg.norm(top.q(state)), 1.0, rtol=1e-14)
    system.realize(state, mb.Stage.POSITION)
    center = system.matter.mass_center(state)
    assert_allclose(center, [0, -np.linalg.norm(center), 0], atol=1e-8)
    assert (system.modes(state).eigenvalues.real < 1e-9).all()


def test_limits_become_active_where_they_press_and_are_released_where_they_pull():
    system, (link,) = chain(1, 1.0, mass=2.0)
    link.set_limits(0.4, 1.0)
    for start_angle in (0.7, 1.0):  # free; at the other limit
        state = system.realize_topology()
        link.set_q(state, start_angle)
        found = mb.find_equilibrium(system, state)
        assert_allclose(found.q, [0.4], atol=1e-12)
        assert_allclose(link.engaged(found), [1])
        assert_allclose(link.limit_force(found), [2.0 * G * np.sin(0.4)], rtol=1e-9)
        assert system.linearize(found).states == ()


def test_a_body_falls_on_a_compliant_limit():
    system, matter, _ = begun("drop")
    block = mb.Slider(
        matter.ground, mb.MassProperties.point(1.5, [0, 0, 0]), X_PF=mb.Transform(mb.spatial.rotation_z(np.pi / 2)), name="block"
    )
    block.set_limits(-2, 5, compliance=1e-3, damping=2.0)
    assert_allclose(mb.find_equilibrium(system).q, [-2 - 1.5 * G * 1e-3], rtol=1e-10)


@pytest.mark.fast(1)
@pytest.mark.parametrize(("depth", "expected"), [(0.0, [0.02, 0.1, -0.03]), (0.1, [0, 0.1, 0])])
def test_a_ball_comes_to_rest_on_the_ground_or_at_the_bottom_of_a_bowl(depth, expected):
    system, matter, _ = begun("bowl")
    x = 0.1 * np.arange(-5, 6)
    bowl = mb.contact.HeightField(depth * (x[:, None] ** 2 + x[None, :] ** 2), spacing=0.1, smooth=True)
    ball = mb.Free(matter.ground, mb.MassProperties(1.5, [0, 0, 0], np.diag([0.01] * 3)), name="ball")
    upward = mb.Transform(mb.spatial.rotation_x(-np.pi / 2))  # gravity is along -y
    ground = bowl if depth else mb.contact.HalfSpace()
    contact = mb.RigidContact(matter.ground, ground, ball, mb.contact.Sphere(0.1), X_B1S1=upward, static_friction=0.3, name="contact")
    start = system.realize_topology()
    ball.set_q(start, [1, 0, 0, 0, 0.02, 0.102, -0.03])
    found = mb.find_equilibrium(system, start)
    assert_allclose(ball.X_GB(found).p, expected, atol=1e-8)
    assert_allclose(contact.normal_force(found), [1.5 * G], rtol=1e-9)


def test_a_governor_opens_at_its_speed():
    system, matter, _ = begun("governor")
    shaft = mb.Pin(matter.ground, body(), X_PF=mb.Transform(mb.spatial.rotation_x(-np.pi / 2)), name="shaft")
    mb.Pin(shaft, mb.MassProperties.point(1.0, [0, -1, 0]), X_PF=mb.Transform(mb.spatial.rotation_x(np.pi / 2)), name="arm")
    start = system.realize_topology()
    start.q, start.u = [0.3, 0.1], [5.0, 0.7]
    state = mb.find_equilibrium(system, start, speeds=["shaft.u"])
    assert_allclose(state.q, [0.3, np.arccos(G / 25)], atol=1e-9)
    assert_allclose(state.u, [5, 0], rtol=0)
    assert_allclose(mb.find_equilibrium(system, start, speeds=["shaft.u"], stable=False).q, [0.3, 0.0], atol=1e-9)
    assert not mb.find_equilibrium(system, start).u.any()
    with pytest.raises(InputError, match=r"speeds: 'shaft\.q' is not a speed"):
        mb.find_equilibrium(system, start, speeds=["shaft.q"])


def test_speeds_that_a_gear_determines_follow_the_given_one():
    system, matter, forces = begun("gear")
    motor, wheel = (mb.Pin(matter.ground, mb.MassProperties(1.0, [0, 0, 0], np.eye(3)), name=name) for name in ("motor", "wheel"))
    mb.CoordinateCoupler(matter, mb.functions.Linear([3.0, 1.0, 0.2]), [motor, wheel], [0, 0], name="gear")
    mb.MobilityLinearDamper(forces, wheel, damping=0.5, name="brake")
    mb.MobilityForce(forces, motor, name="torque")
    start = system.realize_topology()
    motor.set_u(start, 4.0)
    state = mb.find_equilibrium(system, start, speeds=["motor.u"], inputs=["torque.force"])
    assert_allclose(state.u, [4.0, -12.0], rtol=1e-12)
    assert_allclose(wheel.q(state), [-0.2], atol=1e-12)
    assert_allclose(system.value(state, "torque.force"), 0.5 * 12 * 3, rtol=1e-9)


def test_inputs_are_trimmed_for_given_coordinates():
    system, (crank, _) = four_bar()
    start = system.realize_topology()
    start.q = [0.3, -1.2]
    start = mb.Assembler(system).assemble(start)
    state = mb.find_equilibrium(system, start, free=["coupler.q"], inputs=["motor.force"])
    assert_allclose(crank.q(state), crank.q(start), rtol=0)
    # virtual work: the torque is the derivative of the potential energy by the crank's angle
    energies = []
    for step in (1e-4, -1e-4):
        turned = start.copy()
        crank.set_q(turned, crank.q(start) + step)
        assembler = mb.Assembler(system, accuracy=1e-12)
        assembler.lock_q(crank)
        energies.append(system.potential_energy(assembler.assemble(turned)))
    assert_allclose(system.value(state, "motor.force"), (energies[0] - energies[1]) / 2e-4, rtol=1e-6)
    with pytest.raises(InputError, match=r"free: 'crank\.u' is not a coordinate that may change"):
        mb.find_equilibrium(system, start, free=["crank.u"])


@pytest.mark.slow
def test_without_an_equilibrium_the_error_names_what_accelerates():
    system, matter, _ = begun("free")
    mb.Free(matter.ground, body(), name="stone")
    with pytest.raises(EquilibriumError, match=r"the rate of 'stone\.u\[5\]' is still 9\.81 m/s per s\. Start closer"):
        mb.find_equilibrium(system)
    system, (link,) = chain(1, 1.0, mass=1.0)
    state = system.realize_topology()
    link.set_q(state, 0.7)
    with pytest.raises(EquilibriumError, match=r"the rate of 'link1\.u' is still 6\.32 rad/s per s"):
        mb.find_equilibrium(system, state, free=[])
