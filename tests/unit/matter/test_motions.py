"""Motions and locks: prescribed values are exact, the rest moves accordingly, and the needed forces are reported."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import AssemblyError, InconsistentConstraintsError, InputError, StageError
from mobod.matter.equations.motion_equations import LEVELS
from tests.laws.mechanisms import random_frame, random_mass


class Arm:
    """Pin, Ball, Gimbal and Pin in a chain, under gravity."""

    def __init__(self, seed=5):
        self.rng = np.random.default_rng(seed)
        self.system = mb.MultibodySystem("arm")
        self.matter = mb.MatterSubsystem(self.system)
        mb.Gravity(mb.ForceSubsystem(self.system), self.matter, down=[0.2, -1, 0.1], magnitude=9.8)
        self.a = self.add(mb.Pin, self.matter.ground, "a")
        self.b = self.add(mb.Ball, self.a, "b")
        self.c = self.add(mb.Gimbal, self.b, "c")
        self.d = self.add(mb.Pin, self.c, "d")

    def add(self, kind, parent, name):
        return kind(parent, random_mass(self.rng), random_frame(self.rng), random_frame(self.rng), name=name)

    def state(self):
        state = self.system.realize_topology()
        rng = np.random.default_rng(8)
        state.time = 0.3
        state.q = 0.5 * rng.normal(size=len(state.q))
        state.u = rng.normal(size=len(state.u))
        q = np.array(self.b.q(state))
        self.b.set_q(state, q / np.linalg.norm(q))
        return state


def swing(t, order):
    """0.5 sin(2 t + 0.4) and its derivatives."""
    return 0.5 * 2**order * np.sin(2 * t + 0.4 + order * np.pi / 2)


@pytest.mark.parametrize("level", ["position", "velocity", "acceleration"])
def test_a_sinusoid_prescribes_its_level_and_all_derivatives(level):
    arm = Arm()
    mb.SinusoidMotion(arm.c, amplitude=0.5, rate=2.0, phase=0.4, level=level)
    state = arm.state()
    before = [np.array(arm.c.q(state)), np.array(arm.c.u(state))]
    arm.system.realize(state, mb.Stage.ACCELERATION)

    values = [arm.c.q(state), arm.c.u(state), arm.c.u_dot(state)]
    first = {"position": 0, "velocity": 1, "acceleration": 2}[level]
    for k in range(3):
        expected = np.full(3, swing(0.3, k - first)) if k >= first else before[k]
        assert_allclose(values[k], expected, atol=1e-15)


@pytest.mark.parametrize("make", [lambda c: mb.SteadyMotion(c, [0.3, -0.2, 0.4]), lambda c: mb.SinusoidMotion(c, amplitude=0.5, rate=2)])
def test_the_free_mobilities_move_as_under_the_motions_forces(make):
    """A System without the motion but with its forces applied has the same accelerations."""
    arm, twin = Arm(), Arm()
    make(arm.c)
    motors = [mb.MobilityForce(arm_forces(twin), twin.c, speed=i, name=f"motor {i}") for i in range(3)]
    state, other = arm.state(), twin.state()
    arm.system.realize(state, mb.Stage.ACCELERATION)
    other.q, other.u = state.q, state.u
    for motor, force in zip(motors, arm.c.my_part_u(state, arm.matter.motion_forces(state)), strict=True):
        motor.set_force(other, force)
    twin.system.realize(other, mb.Stage.ACCELERATION)

    # round-off times the condition of the mass matrix
    assert_allclose(other.u_dot, state.u_dot, atol=1e-11 * np.abs(state.u_dot).max())
    variable = arm.system.variable(state, f"{arm.c.name}.motion.force")
    assert_allclose(arm.system.value(state, variable), arm.c.my_part_u(state, arm.matter.motion_forces(state)), atol=1e-11)
    assert set(variable.units) <= {"N.m", "N"}
    others = [body for body in arm.matter.bodies if body is not arm.c]
    assert all((body.my_part_u(state, arm.matter.motion_forces(state)) == 0).all() for body in others)


def arm_forces(arm):
    return next(each for each in arm.system.subsystems if isinstance(each, mb.ForceSubsystem))


def test_a_motion_by_a_function_has_its_derivatives():
    arm = Arm()
    mb.FunctionMotion(arm.d, mb.functions.Polynomial([0.7, -0.4, 1.1, 0.2]))
    state = arm.state()
    arm.system.realize(state, mb.Stage.ACCELERATION)

    t = 0.3
    assert_allclose(arm.d.q(state), 0.7 * t**3 - 0.4 * t**2 + 1.1 * t + 0.2, atol=1e-15)
    assert_allclose(arm.d.u(state), 2.1 * t**2 - 0.8 * t + 1.1, atol=1e-15)
    assert_allclose(arm.d.u_dot(state), 4.2 * t - 0.8, atol=1e-15)


def test_a_disabled_motion_has_no_effect_and_parameters_can_be_tuned():
    arm, free = Arm(), Arm()
    motion = mb.SinusoidMotion(arm.c, amplitude=0.5, rate=2.0, disabled=True)
    state, other = arm.state(), free.state()
    for each, of in ((arm, state), (free, other)):
        each.system.realize(of, mb.Stage.ACCELERATION)
    assert motion.is_disabled(state)
    assert_allclose(state.u_dot, other.u_dot, rtol=1e-12)

    motion.enable(state)
    motion.set_parameter(state, "amplitude", 0.9)
    arm.system.realize(state, mb.Stage.ACCELERATION)
    assert_allclose(arm.c.q(state), 0.9 * np.sin(0.6), atol=1e-15)
    assert motion.parameter(state, "amplitude") == 0.9


@pytest.mark.fast("c-position")
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", ["b", "c"])
def test_a_lock_holds_its_level_and_the_levels_below_are_free(name, level):
    arm = Arm()
    body, state = getattr(arm, name), arm.state()
    arm.system.realize(state, mb.Stage.ACCELERATION)
    y = np.array(state.y)
    held = {"position": body.q(state).copy(), "velocity": body.u(state).copy(), "acceleration": np.zeros(3)}[level]
    body.lock(state, level)
    assert (state.time, body.lock_level(state)) == (0.3, level)
    assert_allclose(state.y, y)  # the first lock of a body lays the State out anew
    assert_allclose(body.lock_value(state), held, atol=1e-15)

    results = mb.Simulation(arm.system, 1e-8, backend="interpreted").run(state, until=0.8)
    final = results.final_state
    arm.system.realize(final, mb.Stage.ACCELERATION)
    now = {"position": body.q, "velocity": body.u, "acceleration": body.u_dot}
    assert_allclose(now[level](final), held, atol=1e-15)
    if level == "position":
        assert_allclose(body.u(final), 0)
    if level in ("position", "velocity"):
        assert_allclose(body.u_dot(final), 0)
    assert not np.allclose(arm.d.q(final), arm.d.q(state))

    body.unlock(final)
    arm.system.realize(final, mb.Stage.ACCELERATION)
    assert body.lock_level(final) is None
    assert not arm.matter.motion_forces(final).any()


def test_a_lock_at_a_value_uses_it_and_precedes_a_motion():
    arm = Arm()
    mb.SteadyMotion(arm.c, 0.7)
    state = arm.state()
    arm.c.lock_at(state, [0.1, 0.2, 0.3])
    arm.system.realize(state, mb.Stage.ACCELERATION)
    assert_allclose(arm.c.q(state), [0.1, 0.2, 0.3])
    assert_allclose(arm.c.u(state), 0)
    arm.c.unlock(state)
    arm.system.realize(state, mb.Stage.ACCELERATION)
    assert_allclose(arm.c.u(state), 0.7)


def test_a_run_follows_a_motion_exactly():
    arm = Arm()
    mb.SinusoidMotion(arm.c, amplitude=0.5, rate=2.0, phase=0.4)
    arm.b.set_lockable_by_default(True)
    state = arm.state()
    arm.b.lock(state)
    results = mb.Simulation(arm.system, 1e-9).run(state, until=1.3)
    final = results.final_state
    assert_allclose(arm.c.q(final), swing(1.3, 0), atol=1e-14)
    assert_allclose(arm.b.q(final), arm.b.q(state), atol=1e-15)
    # the pins, against a more accurate run: the local error is 1e-9, the global one after a second some hundred times that
    other = mb.Simulation(arm.system, 1e-11).run(state, until=1.3).final_state
    assert_allclose(final.y, other.y, atol=1e-6)


@pytest.mark.fast(1)
@pytest.mark.parametrize("backend", ["interpreted", "compiled"])
def test_a_run_follows_a_motion_on_which_nothing_depends(backend):
    system = mb.MultibodySystem("carriage")
    carriage = mb.Slider(mb.MatterSubsystem(system).ground, mb.MassProperties.point(2.0, [0, 0, 0]), name="carriage")
    mb.SinusoidMotion(carriage, amplitude=0.5, rate=2.0, phase=0.4)
    final = mb.Simulation(system, 1e-3, backend=backend).run(system.realize_topology(), until=1.3).final_state
    assert_allclose(final.y, [swing(1.3, 0), swing(1.3, 1)], rtol=1e-14)


def test_only_the_mass_matrix_of_free_mobilities_is_inverted():
    arm = Arm()
    mb.SteadyMotion(arm.b, 0.2)
    state = arm.state()
    arm.system.realize(state, mb.Stage.ACCELERATION)
    free = np.array([0, 4, 5, 6, 7])
    M_rr = arm.matter.mass_matrix(state)[np.ix_(free, free)]
    inverse = arm.matter.mass_matrix_inverse(state)
    assert_allclose(inverse[np.ix_(free, free)] @ M_rr, np.eye(5), atol=1e-11)
    assert not inverse[1:4].any()


def test_invalid_motions_are_refused_by_name():
    arm = Arm()
    with pytest.raises(InputError, match=r"SinusoidMotion: the coordinates of 'b' \(Ball\) are not integrals of single speeds"):
        mb.SinusoidMotion(arm.b, amplitude=1.0, rate=1.0)
    with pytest.raises(InputError, match=r"SinusoidMotion: level is 'speed'\. It can be 'acceleration', 'velocity', 'position'"):
        mb.SinusoidMotion(arm.c, amplitude=1.0, rate=1.0, level="speed")
    with pytest.raises(InputError, match="FunctionMotion of 'c': 1 functions for 3 degrees of freedom"):
        mb.FunctionMotion(arm.c, mb.functions.Constant(1.0))
    with pytest.raises(InputError, match="SteadyMotion of 'c': the rate is one number or 3 of them"):
        mb.SteadyMotion(arm.c, [1.0, 2.0])
    weld = mb.Weld(arm.d, mb.MassProperties.point(1.0, [0, 0, 0]), name="tip")
    with pytest.raises(InputError, match=r"'tip' \(Weld\) has no speeds to prescribe"):
        mb.SteadyMotion(weld, 1.0)
    mb.SteadyMotion(arm.c, 1.0)
    with pytest.raises(InputError, match="'c' has a SteadyMotion already"):
        mb.SteadyMotion(arm.c, 2.0)
    state = arm.state()
    with pytest.raises(InputError, match="the lock of 'c' at velocity level takes 3 finite numbers"):
        arm.c.lock_at(state, [1.0, 2.0], "velocity")
    state.is_running = True
    with pytest.raises(StageError, match="cannot be set during a run"):
        arm.d.lock(state)


def test_a_loop_with_a_motion_balances_with_multipliers_and_the_forces_of_the_motion():
    arm = Arm()
    mb.SinusoidMotion(arm.c, amplitude=0.5, rate=2.0, phase=0.4)
    mb.Rod(arm.matter.ground, [0.3, 0.2, 0.1], arm.d, [0.1, -0.4, 0.2], 1.3, name="rod")
    state = arm.state()
    arm.system.realize(state, mb.Stage.ACCELERATION)
    matter = arm.matter

    missing = matter.inverse_dynamics_with_constraints(state, state.u_dot, matter.multipliers(state))
    # round-off of forces of some hundred N m
    assert_allclose(missing, matter.motion_forces(state), atol=1e-11)
    assert np.abs(arm.c.my_part_u(state, missing)).min() > 0.1
    G, bias = matter.constraint_matrix(state), matter.constraint_bias(state)
    assert_allclose(G @ state.u_dot + bias, 0, atol=1e-11)
    assert_allclose(matter.constraint_acceleration_errors(state), 0, atol=1e-11)


@pytest.mark.parametrize(("make", "error"), [(mb.ConstantCoordinate, "position"), (mb.ConstantSpeed, "velocity")])
def test_a_lock_that_contradicts_a_constraint_stops_a_run_with_both_names(make, error):
    arm = Arm()
    mb.SteadyMotion(arm.c, 0.7)
    make(arm.d, 0, 1.0, name="fixed")
    state = arm.state()
    arm.d.lock(state)
    with pytest.raises(AssemblyError, match=f"the {error} error of 'fixed' is .* 'd' is locked, 'c' has a motion\\."):
        mb.Simulation(arm.system).run(state, until=1.0)


def test_a_lock_that_contradicts_a_prescribed_acceleration_is_an_error():
    arm = Arm()
    mb.ConstantAcceleration(arm.d, 0, 1.0, name="fixed")
    state = arm.state()
    arm.d.lock(state)
    with pytest.raises(InconsistentConstraintsError, match="no accelerations satisfy all of 'fixed'"):
        arm.system.realize(state, mb.Stage.ACCELERATION)


@pytest.mark.parametrize("away", [0.0, 0.3])
def test_a_constraint_violated_by_a_motion_is_a_contradiction_even_if_other_loops_are_open(away):
    """No projection changes prescribed values. The accelerations that a rod requires off its manifold are no contradiction."""
    arm = Arm()
    mb.SinusoidMotion(arm.d, amplitude=0.5, rate=2.0, phase=0.4)
    mb.ConstantCoordinate(arm.d, 0, 0.5 * np.sin(0.4), name="fixed")  # where it is, but not as it moves
    rod = mb.Rod(arm.matter.ground, [0.3, 0.2, 0.1], arm.c, [0.1, -0.4, 0.2], 1.3, name="rod")
    state = arm.state()
    arm.system.realize(state, mb.Stage.POSITION)
    rod.set_length(state, 1.3 + float(rod.position_errors(state)[0]) + away)
    arm.system.realize(state, mb.Stage.POSITION)
    assert_allclose(rod.position_errors(state), -away, atol=1e-14)
    with pytest.raises(InconsistentConstraintsError, match="no accelerations satisfy all of 'fixed';"):
        arm.system.realize(state, mb.Stage.ACCELERATION)


@pytest.mark.fast(2)
@pytest.mark.parametrize("level", ["position", "velocity", "acceleration"])
def test_a_coordinate_that_is_coupled_to_a_known_one_follows_its_acceleration(level):
    """Rows of mobilities have the known u_dot in their bias, as rows of bodies do."""
    arm = Arm()
    mb.SinusoidMotion(arm.d, amplitude=0.5, rate=2.0, phase=0.4, level=level)
    coupler = mb.CoordinateCoupler(arm.matter, mb.functions.Linear([1.0, 3.0, 0.2]), [arm.a, arm.d], [0, 0])
    mb.SpeedCoupler(arm.matter, mb.functions.Linear([2.0, 1.0, 0.0]), [arm.c, arm.d], [1, 0])
    state = arm.state()
    arm.system.realize(state, mb.Stage.ACCELERATION)

    assert np.abs(arm.d.u_dot(state)).min() > 0.1
    assert_allclose(arm.a.u_dot(state), -3 * arm.d.u_dot(state), rtol=1e-11)
    assert_allclose(arm.c.u_dot(state)[1], -0.5 * arm.d.u_dot(state)[0], rtol=1e-11)
    assert_allclose(arm.matter.constraint_acceleration_errors(state), 0, atol=1e-11)
    assert coupler.multipliers(state)[0] != 0
