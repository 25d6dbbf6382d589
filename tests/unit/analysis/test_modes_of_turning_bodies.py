"""Modes of steady motions in which quaternions turn, against closed forms and against the same bodies by angles."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError, MobodWarning
from mobod.spatial import rotation_x, rotation_y, rotation_z, to_quaternion
from tests.unit.analysis.mechanisms import G

ROUND_OFF = 1e-9  # relative: entries of A are up to a thousand times the frequencies, and lose three of sixteen digits as often
TINY = mb.MassProperties(1e-10, [0, 0, 0], 1e-10 * np.eye(3))  # changes frequencies by 1e-8


def begun(gravity=0.0):
    """Gravity along -z"""
    system = mb.MultibodySystem("turning")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    if gravity:
        mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=gravity)
    return system, matter, forces


def oscillating(modes):
    """Frequencies of the modes that are no rigid-body modes."""
    return modes.frequencies[modes.frequencies > 1e-6 * modes.frequencies.max()]


MASS, ACROSS, ABOUT, HEIGHT = 1.3, 0.021, 0.004, 0.11  # of a top: ACROSS about the tip


def top(turned=None):
    """On a Ball whose frames F and M are turned; M by the transpose."""
    turned = np.eye(3) if turned is None else turned
    system, matter, _ = begun(G)
    properties = mb.MassProperties(MASS, [0, 0, HEIGHT], np.diag([ACROSS, ACROSS, ABOUT]))
    ball = mb.Ball(matter.ground, properties, X_PF=mb.Transform(turned), X_BM=mb.Transform(turned.T), name="top")
    return system, ball


@pytest.mark.fast(1)
@pytest.mark.parametrize("fraction", [1.2, 0.9])
def test_a_sleeping_top_grows_or_has_two_frequencies(fraction):
    """I1 s^2 - i I3 w s - M g l = 0 for deviations in the plane: Goldstein, Classical Mechanics (3rd ed.), sec. 5.7."""
    turned = rotation_x(0.7) @ rotation_z(1.1)
    system, ball = top(turned)
    spin = fraction * np.sqrt(4 * MASS * G * HEIGHT * ACROSS) / ABOUT
    state = system.realize_topology()
    ball.set_q(state, to_quaternion(turned.T @ rotation_z(0.8) @ turned.T))
    ball.set_u(state, turned.T @ [0, 0, spin])

    modes = system.modes(state)

    roots = np.roots([ACROSS, -1j * ABOUT * spin, -MASS * G * HEIGHT])
    assert modes.frame == "parent"
    assert repr(modes).endswith("seen in the frame: parent")
    for root in roots:
        assert np.abs(modes.eigenvalues - complex(root.real, abs(root.imag))).min() < ROUND_OFF * np.abs(roots).max()
    assert_allclose(oscillating(modes), np.sort(np.abs(roots)), rtol=ROUND_OFF)
    assert modes.coordinates == ("top.theta_F[1]", "top.theta_F[2]", "top.theta_F[3]")


def test_a_top_that_precesses_steadily_is_seen_from_a_frame_that_precesses():
    """Nutation is the motion in the effective potential of the angle: Goldstein, sec. 5.7."""
    system, ball = top()
    tilt, precession = 0.6, 5.0
    spin = (ACROSS * precession**2 * np.cos(tilt) + MASS * G * HEIGHT) / (ABOUT * precession)  # about its axis, in space
    state = system.realize_topology()
    R = rotation_y(tilt)
    ball.set_q(state, to_quaternion(R))
    ball.set_u(state, np.array([0, 0, precession]) + (spin - precession * np.cos(tilt)) * R[:, 2])

    modes = system.modes(state)

    # with p = precession, a = I3 n / I1: nutation^2 = p^2 sin^2 + (a - 2 p cos)^2
    rate = ABOUT * spin / ACROSS
    assert modes.frame == "precession"
    assert_allclose(oscillating(modes), np.hypot(precession * np.sin(tilt), rate - 2 * precession * np.cos(tilt)), rtol=ROUND_OFF)
    steady = system.linearize(state, frame="steady")
    assert steady.states == tuple(f"top.{each}_P[{i}]" for each in ("theta", "w_FM") for i in (1, 2, 3))
    assert_allclose(np.abs(steady.poles()).max(), modes.frequencies.max(), rtol=ROUND_OFF)


@pytest.mark.fast(1)
@pytest.mark.parametrize("is_reversed", [False, True])
def test_a_free_disc_wobbles_in_space_and_in_itself_at_different_frequencies(is_reversed):
    """I3 / I1 w seen from space; (I3 - I1) / I1 w and, for a tilt that stays in space, w seen from the disc: Goldstein, sec. 5.6."""
    system, matter, _ = begun()
    properties = mb.MassProperties(1.0, [0, 0, 0], np.diag([0.01, 0.01, 0.015]))
    disc = mb.Free(matter.ground, properties, name="disc", reversed=is_reversed)
    state = system.realize_topology()
    disc.set_u(state, [0, 0, -10.0 if is_reversed else 10.0, 0, 0, 0])
    modes = system.modes(state)
    assert modes.frame == "parent"
    assert_allclose(oscillating(modes), [15], rtol=ROUND_OFF)
    assert len(modes) == 7  # 3 + 3 rigid-body modes
    from_itself = system.modes(state, frame="body")
    assert from_itself.frame == "body"
    assert np.abs(from_itself.frequencies - 5).min() < 1e-8
    assert set(from_itself.frequencies.round(6)) == {0, 5, 10}  # of positions, 10 is twofold: sqrt(round-off)
    assert_allclose(system.linearize(state, frame="parent").poles().real, 0, atol=1e-9)


@dataclass(frozen=True)
class RollingEquations(mb.ConstraintEquations):
    """A sharp rim about z of a body rolls on z = 0 of Ground."""

    radius: float
    position_units = ("m",)
    velocity_units = ("m/s", "m/s")

    def _lowest(self, R):
        up = np.array([0, 0, 1.0]) - R[2, 2] * R[:, 2]
        return -self.radius * up / np.sqrt(up @ up)

    def position_errors(self, motion):
        X = motion.X[1]
        return np.array([X.p[2] + self._lowest(X.R)[2]])

    def velocity_errors(self, motion):
        w, v, r = motion.V[1][:3], motion.V[1][3:], self._lowest(motion.X[1].R)
        return np.array([v[0] + w[1] * r[2] - w[2] * r[1], v[1] + w[2] * r[0] - w[0] * r[2]])


def test_a_disc_rolls_stably_if_it_is_fast():
    """(I1 + m r^2) f^2 = I3 (I3 + m r^2) / I1 w^2 - m g r: Neimark and Fufaev, Dynamics of Nonholonomic Systems (1972)."""
    mass, radius, speed = 2.0, 0.3, 6.0
    across, about, at_rim = 0.25 * mass * radius**2, 0.5 * mass * radius**2, mass * radius**2
    system, matter, _ = begun(G)
    disc = mb.Free(matter.ground, mb.MassProperties(mass, [0, 0, 0], np.diag([across, across, about])), name="disc")
    mb.CustomConstraint(RollingEquations(radius), [matter.ground, disc], name="rolling")
    state = system.realize_topology()
    for spin, is_stable in ((0.3 * speed, False), (speed, True)):
        disc.set_q(state, [*to_quaternion(rotation_x(np.pi / 2)), 0.4, -0.2, radius])
        disc.set_u(state, [0, -spin, 0, -spin * radius, 0, 0])
        modes = system.modes(state)
        square = (about * (about + at_rim) / across * spin**2 - mass * G * radius) / (across + at_rim)
        assert modes.frame == "parent"
        assert_allclose(oscillating(modes), np.sqrt(abs(square)), rtol=ROUND_OFF)
        assert (modes.damping_ratios.min() > -1e-9) == is_stable == (square > 0)
        assert len(modes) == (4 if is_stable else 5)  # three rigid-body modes, of which one is a chain of three zeros
    with pytest.warns(
        MobodWarning, match=r"modes: A changes along the motion in this frame; in the frame 'body', by .* one turn of 'disc'"
    ):
        system.modes(state, frame="body")


class GravityGradient(mb.CustomForce):
    """Gravity of a mass point in Ground's origin on a small body: force, and torque 3 mu / r^5 p x I p."""

    body: mb.MobilizedBody = mb.argument("the satellite")
    mu: mb.Parameter[float] = mb.parameter("m^3/s^2", "gravity parameter", above=0.0)
    mass: mb.Parameter[float] = mb.parameter("kg", "of the satellite", above=0.0)
    inertia: mb.Parameter[np.ndarray] = mb.parameter("kg.m^2", "principal moments", shape=(3,))

    def calc_force(self, state, body_forces, mobility_forces):
        X, inertia = self.body.X_GB(state), self.inertia(state)
        square = X.p @ X.p
        p = X.R.T @ X.p
        h = inertia * p
        torque = np.array([p[1] * h[2] - p[2] * h[1], p[2] * h[0] - p[0] * h[2], p[0] * h[1] - p[1] * h[0]])
        body_forces[self.body.index, :3] += 3 * self.mu(state) / square**2.5 * (X.R @ torque)
        body_forces[self.body.index, 3:] -= self.mu(state) * self.mass(state) / square**1.5 * X.p


@pytest.mark.fast(1)
@pytest.mark.parametrize("parts", [False, True])
def test_a_satellite_in_a_circular_orbit_librates(parts):
    """Hughes, Spacecraft Attitude Dynamics (1986), ch. 9; and the epicycles of the orbit, with its own frequency."""
    inertia, mu, radius = np.array([6.0, 8.0, 4.0]), 3.986e14, 7e6  # roll, pitch, yaw
    rate = np.sqrt(mu / radius**3)
    system, matter, forces = begun()
    properties = mb.MassProperties(20.0, [0, 0, 0], np.diag(inertia))
    place = mb.Translation(matter.ground, TINY, name="place") if parts else matter.ground
    body = (mb.Ball if parts else mb.Free)(place, properties, name="satellite")
    GravityGradient(forces, body=body, mu=mu, mass=20.0, inertia=inertia, name="gravity")
    state = system.realize_topology()
    R = np.array([[0.0, 0, -1], [1, 0, 0], [0, -1, 0]])  # roll axis along the speed, yaw axis to the earth
    p, v = [radius, 0, 0], [0, rate * radius, 0]
    if parts:
        place.set_q(state, p)
        place.set_u(state, v)
        body.set_q(state, to_quaternion(R))
        body.set_u(state, [0, 0, rate])
    else:
        body.set_q(state, [*to_quaternion(R), *p])
        body.set_u(state, [0, 0, rate, *v])

    modes = system.modes(state)

    k1, k3 = (inertia[1] - inertia[2]) / inertia[0], (inertia[1] - inertia[0]) / inertia[2]
    pitch = np.sqrt(3 * (inertia[0] - inertia[2]) / inertia[1])
    roll_and_yaw = np.sqrt(np.roots([1, -(1 + 3 * k1 + k1 * k3), 4 * k1 * k3]))
    assert modes.frame == ("precession" if parts else "body")
    assert_allclose(oscillating(modes) / rate, np.sort([1, 1, pitch, *roll_and_yaw]), rtol=1e-7)  # TINY; lengths of 7e6 m
    assert_allclose(modes.eigenvalues.real / rate, 0, atol=1e-7)


class Shaft(mb.CustomForce):
    """An elastic shaft: stiffness along x and y of Ground, or of the rotor."""

    rotor: mb.MobilizedBody = mb.argument("the rotor")
    turns: bool = mb.argument("whether it turns with the rotor")
    stiffness: mb.Parameter[np.ndarray] = mb.parameter("N/m", "along x, y and z", shape=(3,))

    def calc_force(self, state, body_forces, mobility_forces):
        X = self.rotor.X_GB(state)
        R = X.R if self.turns else np.eye(3)
        body_forces[self.rotor.index, 3:] -= R @ (self.stiffness(state) * (R.T @ X.p))


def rotor(turns, moments, spin):
    system, matter, forces = begun()
    body = mb.Free(matter.ground, mb.MassProperties(2.0, [0, 0, 0], np.diag(moments)), name="rotor")
    Shaft(forces, rotor=body, turns=turns, stiffness=np.array([200.0, 300.0, 50.0]), name="shaft")
    state = system.realize_topology()
    body.set_u(state, [0, 0, spin, 0, 0, 0])
    return system, state


@pytest.mark.fast(1)
@pytest.mark.parametrize("spin", [11.0, 7.0])
def test_a_shaft_of_unequal_stiffness_turns_unstably_between_its_frequencies(spin):
    """Seen from the shaft, (s^2 + k1/m - w^2)(s^2 + k2/m - w^2) + 4 w^2 s^2 = 0: Genta, Dynamics of Rotating Systems (2005)."""
    system, state = rotor(True, [0.02, 0.02, 0.03], spin)
    modes = system.modes(state)
    x, y = 100 - spin**2, 150 - spin**2
    roots = np.roots([1, 0, x + y + 4 * spin**2, 0, x * y])
    assert modes.frame == "body"
    for root in roots[roots.imag >= -1e-9]:
        assert np.abs(modes.eigenvalues - root).min() < 1e-8
    assert (modes.eigenvalues.real.max() > 1) == (100 < spin**2 < 150)


def test_a_rotor_in_unequal_bearings_is_seen_from_space_and_its_rotation_from_itself_if_it_is_unequal_too():
    system, state = rotor(False, [0.02, 0.02, 0.03], 11.0)
    modes = system.modes(state)
    assert modes.frame == "parent"
    assert_allclose(oscillating(modes), np.sort([5, 10, np.sqrt(150), 1.5 * 11]), rtol=ROUND_OFF)
    system, state = rotor(False, [0.02, 0.025, 0.03], 11.0)
    modes = system.modes(state)
    assert modes.frame == "rotor: body, position of rotor: parent"
    wobble = 11 * np.sqrt(0.01 * 0.005 / (0.02 * 0.025))  # Euler's equations
    assert_allclose(oscillating(modes), np.sort([wobble, 5, 10, 11, np.sqrt(150)]), rtol=ROUND_OFF)


def test_a_ball_on_a_spinning_base_has_the_modes_of_the_same_bodies_by_angles():
    """Both spin about one axis at different rates, so that only Ground sees no change. By angles, a shaft turns back between them."""
    heavy, light = (mb.MassProperties(m, [0, 0, 0], np.diag(moments)) for m, moments in ((5.0, [2, 2, 3.0]), (1.0, [0.4, 0.4, 0.6])))
    above = mb.Transform(p=[0, 0, 0.5])
    system, matter, _ = begun()
    base = mb.Ball(matter.ground, heavy, name="base")
    wheel = mb.Ball(base, light, X_PF=above, name="wheel")
    state = system.realize_topology()
    base.set_u(state, [0, 0, 6.0])
    wheel.set_u(state, [0, 0, 40.0])
    modes = system.modes(state)

    other, matter, _ = begun()
    base = mb.Pin(mb.Universal(matter.ground, TINY), heavy, name="base")
    back = mb.Pin(base, TINY, name="back")
    wheel = mb.Pin(mb.Universal(back, TINY, X_PF=above), light, name="wheel")
    state = other.realize_topology()
    base.set_u(state, 6.0)
    back.lock_at(state, -6.0, "velocity")
    wheel.set_u(state, 46.0)
    by_angles = other.modes(state)

    assert modes.frame == "ground"
    assert by_angles.frame is None
    assert_allclose(oscillating(modes), oscillating(by_angles), rtol=1e-7)  # TINY


def test_a_fast_wheel_does_not_hide_the_frame_or_the_modes_of_a_slow_satellite():
    system, matter, _ = begun()
    satellite = mb.Free(matter.ground, mb.MassProperties(10.0, [0, 0, 0], np.diag([2.0, 2.5, 3.0])), name="satellite")
    wheel = mb.Ball(matter.ground, mb.MassProperties(1.0, [0, 0, 0], np.diag([0.01, 0.01, 0.015])), name="wheel")
    state = system.realize_topology()
    satellite.set_u(state, [0, 0, 1e-3, 0, 0, 0])
    wheel.set_u(state, [0, 0, 1e3])
    modes = system.modes(state)
    assert modes.frame == "body"
    assert np.abs(modes.frequencies - 1e-3 * np.sqrt(0.5 / 5)).min() < 1e-12  # Euler's equations; 1e-9 of them
    assert_allclose(modes.eigenvalues.real, 0, atol=1e-6)  # 1e-9 of the fastest


def test_a_line_that_swings_in_a_cone_has_the_frequency_of_a_spherical_pendulum():
    """w^2 = 3 g / (2 l cos), and nutation w sqrt(1 + 3 cos^2)."""
    length, angle = 0.9, 0.7
    system, matter, _ = begun(G)
    moment = 1.4 * length**2 / 3
    line = mb.LineOrientation(matter.ground, mb.MassProperties(1.4, [0, 0, -length / 2], np.diag([moment, moment, 0])), name="line")
    state = system.realize_topology()
    R, rate = rotation_y(-angle), np.sqrt(1.5 * G / (length * np.cos(angle)))
    line.set_q(state, to_quaternion(R))
    line.set_u(state, (R.T @ [0, 0, rate])[:2])
    modes = system.modes(state)
    assert modes.frame == "precession"
    assert_allclose(oscillating(modes), rate * np.sqrt(1 + 3 * np.cos(angle) ** 2), rtol=ROUND_OFF)


def test_a_tumbling_body_has_no_frame_and_one_about_its_middle_axis_falls_and_grows():
    system, matter, _ = begun(G)
    box = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], np.diag([0.01, 0.02, 0.025])), name="box")
    state = system.realize_topology()
    box.set_u(state, [0, 2.0, 0, 0.3, 0, 0])
    modes = system.modes(state)  # gravity accelerates it, and A stays constant all the same
    assert modes.frame == "body"
    assert_allclose(modes.eigenvalues.real.max(), 2 * np.sqrt(0.005 * 0.01 / (0.01 * 0.025)), rtol=ROUND_OFF)
    box.set_u(state, [1.0, 2.0, 3.0, 0, 0, 0])
    message = r"modes: A changes along the motion in each frame; least in the frame '\w+', by [\d.]+ % within 1\.68 s, one turn of 'box'"
    with pytest.warns(MobodWarning, match=message):
        system.modes(state)
    with pytest.warns(MobodWarning, match="linearize: A changes along the motion in each frame"):
        system.linearize(state, frame="steady")


def test_angles_in_place_of_a_quaternion_give_the_same_modes():
    """About x of a body, body-fixed angles change the Jacobian as they turn; about z, the last of them, they do not."""
    for moments, w, turning in (([0.015, 0.01, 0.01], [10.0, 0, 0], ("disc",)), ([0.01, 0.01, 0.015], [0, 0, 10.0], ())):
        system, matter, _ = begun()
        disc = mb.Ball(matter.ground, mb.MassProperties(1.0, [0, 0, 0], np.diag(moments)), name="disc")
        state = system.realize_topology()
        matter.set_uses_euler_angles(state, True)
        system.realize_model(state)
        disc.set_u(state, w)
        assert_allclose(oscillating(system.modes(state)), [15], rtol=ROUND_OFF)
        assert system.linearize(state).turning == turning


def test_names_of_frames_are_checked_and_at_rest_there_are_none():
    system, matter, _ = begun()
    mb.Ball(matter.ground, mb.MassProperties(1.0, [0, 0, 0], np.diag([0.01, 0.01, 0.015])), name="disc")
    state = system.realize_topology()
    with pytest.raises(InputError, match=r"'disc\.theta_F\[1\]' belongs to a frame"):
        system.modes(state, coordinates=["disc.theta_F[1]"])
    with pytest.raises(InputError, match="modes: the frame is one of 'parent', 'body', 'steady' or None, not 'space'"):
        system.modes(state, frame="space")
    with pytest.raises(InputError, match="undamped modes belong to a State at rest"):
        system.modes(state, frame="body", damped=False)
    assert system.modes(state).coordinates == ("disc.q[1]", "disc.q[2]", "disc.q[3]", "disc.q[4]")  # at rest nothing changes


def test_a_motion_that_ends_too_early_to_be_looked_at_warns():
    system, matter, _ = begun()
    disc = mb.Ball(matter.ground, mb.MassProperties(1.0, [0, 0, 0], np.diag([0.01, 0.01, 0.015])), name="disc")
    mb.TriggeredEventHandler.of(matter, lambda state: state.time - 0.05, lambda state, event: event.terminate_when(True), name="stop")
    state = system.realize_topology()
    disc.set_u(state, [0, 0, 10.0])
    with pytest.warns(
        MobodWarning, match=r"the motion of the next 0\.628 s, one turn of 'disc', .* cannot be followed: event 'stop' ends it"
    ):
        modes = system.modes(state)
    assert modes.frame == "parent"
