"""Linear systems of deviations from a motion, in the parent's and the body's frame, agree with the nonlinear System."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError, MobodWarning, UnknownNameError
from mobod.spatial import from_quaternion, rotation_x, to_axis_angle
from tests.unit.analysis.mechanisms import ball_pendulum, begun, body


def swinging_ball_pendulum():
    """A quaternion, a slider on its body with a spring, and a motor. No steady motion."""
    system, (top, slider) = ball_pendulum()
    state = system.realize_topology()
    top.set_q(state, np.array([0.7, -0.2, 0.5, 0.4]) / np.linalg.norm([0.7, -0.2, 0.5, 0.4]))
    top.set_u(state, [1.2, -2.0, 0.7])
    slider.set_q(state, 0.1)
    slider.set_u(state, -0.6)
    return system, state, ["motor.force", "gravity.magnitude"]


def rolling_ball_with_a_pendulum():
    """A Free whose position and speeds are restricted, with a Ball on it: a quaternion whose parent turns."""
    system, matter, _ = begun("rolling")
    ball = mb.Free(matter.ground, mb.MassProperties(1.1, [0.02, -0.03, 0.01], np.diag([0.03, 0.04, 0.05])), name="ball")
    mb.Ball(ball, body(0.3), X_PF=mb.Transform(rotation_x(0.4), [0.05, 0.1, 0.0]), name="inner")
    plane = mb.Transform(rotation_x(-np.pi / 2))
    mb.SphereOnPlaneContact(matter.ground, plane, ball, [0, 0, 0], 0.2, True, name="contact")
    start = system.realize_topology()
    start.q = np.array([0.9, 0.2, -0.3, 0.1, 0.4, 0.2, -0.5, 0.8, 0.1, 0.5, -0.3])
    start.u = [1.0, 0.4, -2.0, 0.3, 0.0, 0.2, 2.0, -1.1, 0.6]
    return system, mb.Assembler(system).assemble(start, keep=[f"ball.u[{i}]" for i in (1, 2, 3)]), ["gravity.magnitude"]


@dataclass(frozen=True)
class TelescopeEquations(mb.CustomEquations):
    """Any rotation, and a travel along z of M."""

    has_quaternion = True
    q_units = ("1", "1", "1", "1", "m")

    def X_FM(self, q):
        R = from_quaternion(q[:4])
        return mb.Transform.of(R, R[:, 2] * q[4])


def telescope():
    """A mobilizer of a user."""
    system, matter, _ = begun("telescope")
    mb.CustomMobilizer(matter.ground, body(0.6), TelescopeEquations(), name="telescope")
    state = system.realize_topology()
    state.q, state.u = [0.3, 0.6, -0.2, 0.7, 0.4], [0.8, -0.5, 1.1, 0.3]
    return system, state, ["gravity.magnitude"]


def line_and_reversed_body():
    """Mobilizers whose speeds are no velocities in their F."""
    system, matter, _ = begun("reversed")
    line = mb.LineOrientation(matter.ground, mb.MassProperties(1.0, [0, 0, -0.5], np.diag([0.3, 0.3, 0.0])), name="line")
    mb.Free(line, body(0.3), reversed=True, name="reversed")
    state = system.realize_topology()
    state.q = np.array([0.9, 0.2, -0.3, 0.1, 0.8, 0.1, 0.5, -0.3, 0.2, 0.1, -0.4])
    state.u = [1.0, 0.4, -0.7, 0.3, 0.5, 0.2, 2.0, -1.1]
    return system, state, ["gravity.magnitude"]


def vectors(state, motion, names):
    """The deviations of a State from that of the motion, by names of states. Their frame is after the last '_'."""
    found, changes = [], {}
    for mobilizer in state.system.matter.bodies:
        name = mobilizer.name
        X, X0 = (mobilizer.X_FM(each) for each in (state, motion))
        V, V0 = (mobilizer.V_FM(each) for each in (state, motion))
        axis, angle = to_axis_angle(X.R @ X0.R.T)
        in_F = {"theta_F": np.array(axis) * angle, "p_FM": X.p - X0.p, "w_FM": V[:3] - V0[:3], "v_FM": V[3:] - V0[3:]}
        in_M = {f"{quantity.removesuffix('_F')}_M": X0.R.T @ change for quantity, change in in_F.items()}
        own = {each: np.ravel(getattr(mobilizer, each)(state)) - np.ravel(getattr(mobilizer, each)(motion)) for each in "qu"}
        changes |= {f"{name}.{quantity}": change for quantity, change in (in_F | in_M | own).items()}
    for name in names:
        quantity, _, entry = name.rstrip("]").partition("[")
        found.append(changes[quantity][int(entry or 1) - 1])
    return np.array(found)


def moved(system, state, change, inputs=()):
    """A State with other y, and inputs."""
    other = state.copy()
    for name, value in inputs:
        system.set_value(other, name, value)
    other.y = np.array(state.y) + change
    system.realize(other, mb.Stage.ACCELERATION)
    return other


@pytest.mark.fast(2)
@pytest.mark.parametrize("frame", ["parent", "body"])
@pytest.mark.parametrize(
    "made", [swinging_ball_pendulum, rolling_ball_with_a_pendulum, line_and_reversed_body, telescope], ids=lambda made: made.__name__
)
def test_deviations_of_the_nonlinear_motion_change_as_the_matrices_say(made, frame):
    system, state, inputs = made()
    states = [each for each in system.variables(state) if each.role == "state"]
    whole = [each.name for each in sorted(states, key=lambda each: each.slot.offset)]
    linear = system.linearize(state, inputs=inputs, outputs=whole, frame=frame)
    motion = linear.state
    system.realize(motion, mb.Stage.ACCELERATION)
    step, later = 1e-4, 1e-4  # of a deviation, and s

    def x_and_rate(change, given):
        """Deviations, and their rates along both motions."""
        deviated = moved(system, motion, change, given)
        ends = [vectors(moved(system, deviated, t * np.array(deviated.y_dot)), at, linear.states) for t, at in along_motion]
        return vectors(deviated, motion, linear.states), (ends[1] - ends[0]) / (2 * later)

    along_motion = [(t, moved(system, motion, t * np.array(motion.y_dot))) for t in (-later, later)]
    values = [float(system.value(motion, name)) for name in inputs]
    n_x, n_u = linear.B.shape
    for column in range(n_x + n_u):
        along = np.hstack([linear.C, linear.D])[:, column]  # of all of y
        both = []
        for sign in (-1, 1):
            shift = sign * step * np.eye(n_x + n_u)[column, n_x:]
            both.append(x_and_rate(sign * step * along, list(zip(inputs, np.add(values, shift), strict=True))))
        x, rate = ((after - before) / (2 * step) for before, after in zip(*both, strict=True))
        assert_allclose(x, np.eye(n_x, n_x + n_u)[:, column], atol=1e-6)  # steps squared
        expected = np.hstack([linear.A, linear.B])[:, column]
        assert_allclose(rate, expected, atol=1e-6 * max(1.0, np.abs(linear.A).max()))
    assert not linear.rates.any()


def test_states_are_rotation_vectors_that_can_be_chosen_and_asked_for():
    system, state, _ = rolling_ball_with_a_pendulum()
    linear = system.linearize(state, frame="parent", coordinates=["ball.u[2]"])
    assert linear.states[:3] == ("ball.theta_F[1]", "ball.theta_F[2]", "ball.theta_F[3]")
    assert {"inner.theta_F[3]", "inner.u[1]", "ball.u[2]"} < set(linear.states)
    assert linear.outputs[:4] == ("ball.theta_F[1]", "ball.theta_F[2]", "ball.theta_F[3]", "ball.q[5]")  # default: all coordinates
    assert (linear.frame, linear.state_units[0]) == ("parent", "rad")
    in_body = system.linearize(state, frame="body", coordinates=["ball.w_FM_M"], outputs=["inner.theta_M[2]", "energy"])
    assert {f"ball.w_FM_M[{i}]" for i in (1, 2, 3)} < set(in_body.states)
    assert in_body.outputs == ("inner.theta_M[2]", "energy")
    assert_allclose(in_body.C[0], np.array(in_body.states) == "inner.theta_M[2]", atol=1e-14)
    assert repr(in_body).endswith("deviations from the motion, in the frame: body")

    with pytest.raises(InputError, match=r"coordinates: there is no 'ball\.q\[2\]' in this frame.*ball\.theta_F\[1\], "):
        system.linearize(state, frame="parent", coordinates=["ball.q[2]"])
    with pytest.raises(InputError, match=r"outputs: there is no 'ball\.theta_M\[1\]' in this frame"):
        system.linearize(state, frame="parent", outputs=["ball.theta_M[1]"])
    with pytest.raises(InputError, match=r"'ball\.v_FM_M\[3\]' cannot be independent together"):
        system.linearize(state, frame="body", coordinates=["ball.w_FM_M", "ball.v_FM_M"])
    with pytest.raises(InputError, match=r"the frame is one of 'parent', 'body', 'steady' or None, not 'world'"):
        system.linearize(state, frame="world")
    with pytest.raises(UnknownNameError):
        system.linearize(state, frame="body", outputs=["ball.thta_M"])


def test_poles_of_quaternions_that_turn_are_those_of_the_modes():
    """The nutation of a body that spins: sqrt((C - A)(C - B) / (A B)) of its speed, in its own frame; of a disc in Ground."""
    for A, B, C, speed, expected in ((2.0, 3.0, 4.0, 10.0, 10 / np.sqrt(3)), (0.01, 0.01, 0.015, 10.0, 15.0)):
        system = mb.MultibodySystem("spinning")
        ground = mb.MatterSubsystem(system).ground
        body = mb.Ball(ground, mb.MassProperties(1.0, [0, 0, 0], np.diag([A, B, C])), name="body")
        state = system.realize_topology()
        body.set_u(state, [0, 0, speed])
        poles = system.linearize(state).poles()
        assert np.abs(np.abs(poles.imag) - expected).min() < 1e-9
        assert_allclose(np.abs(poles.real), 0, atol=1e-9)
        assert_allclose(np.abs(poles.imag).max(), system.modes(state).frequencies.max(), rtol=1e-12)


def test_zeros_and_responses_of_quaternions_that_turn_warn_and_those_at_rest_do_not():
    system, state, _ = swinging_ball_pendulum()
    linear = system.linearize(state, inputs=["motor.force"], outputs=["slider.q"])
    assert linear.turning == ("top",)
    for ask in (linear.zeros, lambda: linear.frequency_response([1.0])):
        with pytest.warns(MobodWarning, match="the orientation of 'top' turns, so A changes along the motion"):
            ask()
    state.u = [0.0, 0.0, 0.0, -0.6]
    at_rest = system.linearize(state)
    assert at_rest.turning == ()
    at_rest.poles()
    system.linearize(state, frame="body").poles()
