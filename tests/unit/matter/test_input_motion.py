"""Input motions: a body follows coordinates, speeds and accelerations that are set, as it follows a motion by functions of time."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod import Stage
from mobod.errors import InputError, UnknownNameError, UnsupportedError
from mobod.functions import Polynomial
from mobod.spatial import from_quaternion
from tests.laws.mechanisms import random_frame, random_mass

PATHS = [[0.2, -0.4, 1.1, 0.7], [-0.3, 0.5, 0.6, -0.2], [0.1, 0.9, -0.7, 0.4]]  # cubic polynomials of time
TIME = 0.3


class Arm:
    """Pin, Gimbal, Ball and Pin in a chain with general frames, under gravity."""

    def __init__(self):
        rng = np.random.default_rng(5)
        self.system = mb.MultibodySystem("arm")
        self.matter = mb.MatterSubsystem(self.system)
        mb.Gravity(mb.ForceSubsystem(self.system), self.matter, down=[0.2, -1, 0.1], magnitude=9.8)
        body = self.matter.ground
        for kind, name in ((mb.Pin, "a"), (mb.Gimbal, "b"), (mb.Ball, "c"), (mb.Pin, "d")):
            body = kind(body, random_mass(rng), random_frame(rng), random_frame(rng), name=name)

    def body(self, name):
        return self.matter.body(name)

    def state(self):
        rng = np.random.default_rng(8)
        state = self.system.realize_topology()
        state.time, state.u = TIME, rng.normal(size=len(state.u))
        state.q = 0.5 * rng.normal(size=len(state.q))
        self.body("c").set_q(state, [0.5, 0.5, -0.1, 0.7])
        return state


def at(order):
    """The polynomials' derivatives of this order."""
    return [np.polyval(np.polyder(path, order), TIME) for path in PATHS]


LEVELS = {"position": 0, "velocity": 1, "acceleration": 2}


@pytest.mark.parametrize("level", LEVELS)
def test_inputs_move_a_body_as_functions_of_time_do(level):
    """With the values that the functions and their derivatives have at this time."""
    arm, twin = Arm(), Arm()
    motion = mb.InputMotion(arm.body("b"), level=level)
    mb.FunctionMotion(twin.body("b"), [Polynomial(path) for path in PATHS], level=level)
    state, other = arm.state(), twin.state()
    for order, name in enumerate(("q", "u", "u_dot")[LEVELS[level] :]):
        assert getattr(motion, f"set_{name}")(state, at(order)) is motion
        assert_allclose(getattr(motion, name)(state), at(order), rtol=0)
    for each, of in ((arm, state), (twin, other)):
        each.system.realize(of, Stage.ACCELERATION)

    assert_allclose(state.q, other.q, rtol=1e-12)
    assert_allclose(state.u, other.u, rtol=1e-12)
    assert_allclose(state.u_dot, other.u_dot, atol=1e-12 * np.abs(other.u_dot).max())
    forces, expected = arm.matter.motion_forces(state), twin.matter.motion_forces(other)
    assert_allclose(forces, expected, atol=1e-12 * np.abs(expected).max())
    assert np.abs(motion.load(state)).min() > 1e-3
    assert_allclose(motion.load(state), -arm.body("b").my_part_u(state, forces), atol=1e-12 * np.abs(expected).max())
    assert_array_equal(arm.system.value(state, "b.motion.load"), -arm.system.value(state, "b.motion.force"))


def test_inputs_give_the_accelerations_and_loads_of_a_constraint_that_prescribes_the_same():
    arm, twin = Arm(), Arm()
    motion = mb.InputMotion(arm.body("b"), q=at(0), u=at(1), u_dot=at(2))
    prescribed = [mb.PrescribedMotion(twin.matter, Polynomial(path), twin.body("b"), i) for i, path in enumerate(PATHS)]
    state, other = arm.state(), twin.state()
    twin.body("b").set_q(other, at(0))
    twin.body("b").set_u(other, at(1))
    for each, of in ((arm, state), (twin, other)):
        each.system.realize(of, Stage.ACCELERATION)
    assert_allclose(state.u_dot, other.u_dot, atol=1e-12 * np.abs(other.u_dot).max())
    multipliers = np.concatenate([each.multipliers(other) for each in prescribed])  # the forces are -G^T multipliers
    assert_allclose(motion.load(state), multipliers, atol=1e-12 * np.abs(multipliers).max())


def test_each_input_invalidates_what_it_prescribes():
    arm = Arm()
    motion = mb.InputMotion(arm.body("b"))
    state = arm.state()
    for put, value, stage in (
        (motion.set_q, at(0), Stage.TIME),
        (motion.set_u, at(1), Stage.POSITION),
        (motion.set_u_dot, at(2), Stage.POSITION),
    ):
        arm.system.realize(state)
        put(state, value)
        assert state.stage == stage
    fresh = arm.state()
    motion.set_q(fresh, at(0)).set_u(fresh, at(1)).set_u_dot(fresh, at(2))
    for each in (state, fresh):
        arm.system.realize(each)
    for variable in arm.system.variables(state):
        assert_array_equal(arm.system.value(state, variable), arm.system.value(fresh, variable), err_msg=variable.name)


def test_derivatives_along_inputs_are_those_of_what_they_prescribe():
    arm = Arm()
    motion = mb.InputMotion(arm.body("b"))
    state, step = arm.state(), 1e-6
    motion.set_q(state, at(0)).set_u(state, at(1)).set_u_dot(state, at(2))
    names = ["d.p_GB", "d.v_GB", "d.a_GB", "b.motion.load"]
    for name in ("q", "u", "u_dot"):
        change = np.array([0.3, -0.7, 0.5])
        exact = arm.system.directional_derivative(state, names, {f"b.motion.{name}": change})
        sides = []
        for sign in (-1, 1):
            moved = state.copy()
            getattr(motion, f"set_{name}")(moved, getattr(motion, name)(state) + sign * step * change)
            sides.append({of: arm.system.value(moved, of) for of in names})
        for of in names:
            # central differences: step^2 and round-off over step
            assert_allclose(exact[of], (sides[1][of] - sides[0][of]) / (2 * step), rtol=1e-6, atol=1e-6, err_msg=f"{of} along {name}")


def test_a_quaternion_is_an_input_of_any_length():
    arm = Arm()
    c, e = arm.body("c"), np.array([0.3, -0.9, 0.2, 0.6])
    motion = mb.InputMotion(c, q=e, u=[0.1, 0.2, 0.3], u_dot=[-0.4, 0.5, 0.6])
    state = arm.state()
    arm.system.realize(state, Stage.ACCELERATION)
    assert_allclose(c.q(state), e / np.linalg.norm(e), atol=1e-15)
    assert_allclose(c.X_FM(state).R, from_quaternion(e), atol=1e-14)
    assert_array_equal(c.u(state), [0.1, 0.2, 0.3])
    assert_array_equal(c.u_dot(state), [-0.4, 0.5, 0.6])
    assert_array_equal(motion.q(state), e)
    for give in (lambda: motion.set_q(state, np.zeros(4)), lambda: mb.InputMotion(Arm().body("c"), q=np.zeros(4))):
        with pytest.raises(InputError, match="the quaternion is zero"):
            give()
    with pytest.raises(InputError, match="too long to compute with"):
        motion.set_q(state, [1e200, 0, 0, 0])
    with pytest.raises(UnsupportedError, match="the motion of 'c' prescribes a quaternion, but rotations have Euler angles here"):
        arm.matter.convert_to_euler_angles(state)


def test_a_motion_starts_where_the_body_is_at_rest():
    arm = Arm()
    arm.body("b").set_default_q([0.4, -0.5, 0.6])
    motion = mb.InputMotion(arm.body("b"))
    state = arm.system.realize_topology()
    assert_array_equal(motion.q(state), [0.4, -0.5, 0.6])
    assert not motion.u(state).any()
    assert not motion.u_dot(state).any()


def test_a_handler_moves_a_body():
    """By 0.1 m, with 1 m/s^2 more, at 0 s and at 0.5 s."""
    system = mb.MultibodySystem("carrier")
    carrier = mb.Slider(mb.MatterSubsystem(system).ground, mb.MassProperties.point(2.0, [0, 0, 0]), name="carrier")
    motion = mb.InputMotion(carrier)
    mb.PeriodicEventHandler.of(
        system, 0.5, lambda state, event: motion.set_q(state, motion.q(state) + 0.1).set_u_dot(state, motion.u_dot(state) + 1.0)
    )
    results = mb.Simulation(system, accuracy=1e-8).run(system.realize_topology(), until=0.7, report_every=0.35)
    assert_allclose(results["carrier.motion.load"].ravel(), [0, -2, -4], rtol=1e-15)
    assert_allclose(results["carrier.q"].ravel()[-1], 0.2, rtol=1e-15)  # though nothing else depends on q
    assert_allclose(carrier.q(results.final_state), motion.q(results.final_state), rtol=1e-15)


def test_a_saved_input_motion_has_its_level_and_its_start_values(tmp_path):
    arm = Arm()
    mb.InputMotion(arm.body("b"), q=at(0), u=at(1), u_dot=at(2), disabled=True)
    mb.InputMotion(arm.body("d"), level="velocity", u=[0.7])
    mb.save_model(arm.system, tmp_path / "arm.json")
    loaded = mb.load_model(tmp_path / "arm.json")
    for name in ("b", "d"):
        before, after = (each.matter.body(name).motion for each in (arm.system, loaded))
        assert type(after) is mb.InputMotion
        assert after.equations == before.equations
        assert after.is_disabled_by_default == before.is_disabled_by_default
    assert "q" not in (tmp_path / "arm.json").read_text().partition('"name": "d"')[2].partition("motion")[2].partition("}")[0]


def test_invalid_inputs_are_refused_by_name():
    arm = Arm()
    for arguments, message in (
        ({"level": "speed"}, "InputMotion of 'b': the level is 'position', 'velocity' or 'acceleration', not 'speed'"),
        ({"level": "velocity", "q": [0, 0, 0]}, "InputMotion of 'b': at level 'velocity' it has no q. Its inputs are u, u_dot"),
        ({"q": [0.1, 0.2]}, r"InputMotion of 'b': q has shape \(3,\), but a value of shape \(2,\) was given"),
        ({"u": [0.1, np.nan, 0.2]}, "InputMotion of 'b': u cannot be .*: not a finite number"),
    ):
        with pytest.raises(InputError, match=message):
            mb.InputMotion(arm.body("b"), **arguments)
    motion = mb.InputMotion(arm.body("b"), level="velocity")
    state = arm.state()
    with pytest.raises(UnknownNameError, match="number of the InputMotion of 'b'"):
        motion.set_q(state, [0, 0, 0])
    with pytest.raises(InputError, match=r"b\.motion\.u has shape \(3,\)"):
        motion.set_u(state, [1.0])
