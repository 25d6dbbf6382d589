"""Derivatives of motions with respect to parameters and start values."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ellipk

import mobod as mb
from mobod.analysis.difference_run import DifferenceRun
from mobod.analysis.driving_inputs import DrivingInputs
from mobod.analysis.named_numbers import distinct_numbers
from mobod.analysis.tangent_run import TangentRun
from mobod.errors import InputError, MobodWarning, UnknownNameError
from mobod.runtime.integrators import AUTO, FIXED_STEP_METHODS, INTEGRATORS, METHODS, RUNGE_KUTTA_METHODS
from mobod.scalar import where
from tests.laws.limited_mechanisms import falling_box
from tests.unit.analysis.differences import largest_error
from tests.unit.analysis.moving_systems import (
    GRAVITY,
    bouncing_ball,
    double_pendulum,
    driven_pendulum,
    four_bar,
    in_a_plane,
    pendulum,
    tumbling_body,
)

RELATIVE = 1e-6  # of differences with a shift of 1e-5: their truncation, and the accuracy 1e-13 of runs divided by the shift
TANGENTS = "tangents of the steps"


@pytest.mark.fast(1)
@pytest.mark.parametrize("integrator", [name for name in RUNGE_KUTTA_METHODS if name in METHODS])
def test_sensitivities_of_a_tree_match_differences(integrator):
    system, state = double_pendulum()
    outputs = ["upper.q", "lower.u", "lower.p_GB", "der(lower.u)", "energy"]
    accuracy = 1e-9 if integrator == "RK23" else 1e-11
    chosen = mb.Simulation(system, accuracy, integrator=integrator, backend="interpreted")
    names = ["gravity.magnitude", "elbow.damping", "upper.q", "lower.u"]
    error, found = largest_error(system, state, names, outputs, until=0.8, every=0.1)
    assert error < RELATIVE
    other = mb.sensitivities(chosen, state, names, outputs, until=0.8, report_every=0.1)
    assert other.method == TANGENTS
    assert_allclose(other.derivatives, found.derivatives, atol=1e-6 * np.abs(found.derivatives).max())


@pytest.mark.fast(1)
@pytest.mark.parametrize("integrator", [name for name in RUNGE_KUTTA_METHODS if name in FIXED_STEP_METHODS])
def test_sensitivities_with_fixed_steps_are_those_of_the_steps(integrator):
    system, state = double_pendulum()
    error, found = largest_error(
        system, state, ["gravity.magnitude", "upper.q"], ["upper.q", "lower.u"], until=0.8, every=0.1, integrator=integrator, step=0.05
    )
    assert error < 1e-8  # though the steps are so long that the motion has errors of 1e-3
    assert found.method == TANGENTS


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*the start at:mobod.MobodWarning")  # a longer bar moves the start
def test_sensitivities_of_a_closed_loop_match_differences():
    system, state = four_bar()
    names = ["gravity.magnitude", "damper.damping", "motor.force", "crank.q", "crank.u", "rocker.q"]
    error, found = largest_error(system, state, names, ["crank.q", "coupler.u", "loop.multiplier", "rocker.p_GB"], until=1.2, every=0.3)
    assert error < RELATIVE
    assert found.method == TANGENTS
    loops = mb.sensitivities(mb.Simulation(system, 1e-10), state, names, ["loop.position_error"], until=1.2, report_every=0.07)
    assert np.abs(loops.derivatives).max() < 1e-9  # within steps too, no parameter opens the loop


def test_sensitivities_stay_right_where_a_run_changes_its_method_near_a_singular_configuration():
    system, state = four_bar()  # at 0.6 s the coupler lies along the crank: 'auto' takes steps of RK45 there, of DOP853 elsewhere
    names, outputs = ["damper.damping", "crank.q"], ["crank.q", "crank.u"]
    found, of_one_method = (
        mb.sensitivities(
            mb.Simulation(system, 1e-10, integrator=integrator, backend="interpreted"), state, names, outputs, until=0.7, report_every=0.35
        ).derivatives
        for integrator in ("auto", "RK45")
    )
    assert_allclose(found, of_one_method, rtol=0, atol=1e-8 * np.abs(of_one_method).max())  # 100 times the accuracy of a step


def test_sensitivities_of_a_quaternion_body_match_differences():
    system, state = tumbling_body()
    error, found = largest_error(
        system, state, ["gravity.magnitude", "spring.stiffness", "body.u", "body.q[3]"], ["body.q", "body.u"], until=1.2, every=0.3
    )
    assert error < RELATIVE
    assert_allclose(np.einsum("mi,mip->mp", found.values[:, :4], found.derivatives[:, :4]), 0, atol=1e-9)  # quaternions keep their length


def test_sensitivities_to_parameters_of_a_prescribed_motion_match_differences():
    system, state = driven_pendulum()
    names = ["drive.motion.amplitude", "drive.motion.rate_of_phase", "drive.motion.phase", "hanging.q"]
    error, _ = largest_error(system, state, names, ["drive.q", "drive.u", "hanging.q", "hanging.p_GB"], until=1.2, every=0.3)
    assert error < RELATIVE


@pytest.mark.fast(1)
@pytest.mark.parametrize("restitution", [0.6, 0.0])
def test_sensitivities_across_impacts_and_releases_match_differences(restitution):
    system, state = double_pendulum(lower=-0.2, upper=0.4, restitution=restitution)
    names = ["gravity.magnitude", "upper.q", "lower.u", "lower.limit.upper", *(["lower.limit.restitution"] if restitution else [])]
    error, found = largest_error(system, state, names, ["upper.q", "upper.u", "lower.q", "lower.u"], until=1.4, every=0.2)
    assert error < RELATIVE
    assert found.method.startswith(TANGENTS + "; jumps at ")
    assert found.warnings == ()


def test_sensitivities_across_impacts_of_several_points_of_a_tumbling_box_match_differences():
    system, state = falling_box(3)
    error, found = largest_error(system, state, ["box.u"], ["box.q", "box.u"], until=0.9, every=0.15)
    assert error < RELATIVE
    assert np.abs(found.derivatives).max() > 100  # eight impacts amplify


def test_sensitivities_of_a_bouncing_ball_are_those_of_its_closed_form():
    restitution, height, speed = 0.8, 1.0, 0.4
    system, state = bouncing_ball(restitution, height)
    names = ["gravity.magnitude", "ball.q[2]", "ball.u[2]", "ball.limit2.restitution", "ball.limit2.lower"]
    limit = next(each.name for each in system.variables(state) if each.name.endswith(".restitution"))
    names[3:] = [limit, limit.replace("restitution", "lower")]

    def closed_form(p, time):
        """Height and speed after two bounces."""
        g, y, u, e, floor = p
        fall = np.sqrt(u**2 + 2 * g * (y - floor))
        bounce = (u + fall) / g + 2 * e * fall / g
        since = time - bounce
        return np.array([floor + e**2 * fall * since - g / 2 * since**2, e**2 * fall - g * since])

    values, until = np.array([GRAVITY, height, speed, restitution, 0.0]), 1.6
    found = mb.sensitivities(mb.Simulation(system, 1e-12, backend="interpreted"), state, names, ["ball.q[2]", "ball.u[2]"], until=until)
    step = 1e-20j  # derivatives by a complex step are exact
    exact = np.array([closed_form(values + step * np.eye(5)[k], until).imag / 1e-20 for k in range(5)]).T
    assert_allclose(found.values[-1], closed_form(values, until), rtol=1e-9)
    assert_allclose(found.derivatives[-1], exact, rtol=1e-7)  # differences of the impacts alone, by 1e-6


def test_the_period_of_a_pendulum_changes_with_gravity_as_by_the_elliptic_integral():
    amplitude = 0.9
    system, matter, _ = in_a_plane("pendulum")
    pin = mb.Pin(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, -0.7, 0]), name="pin")
    state = system.realize_topology()
    pin.set_q(state, amplitude)
    quarter = np.sqrt(0.7 / GRAVITY) * ellipk(np.sin(amplitude / 2) ** 2)
    found = mb.sensitivities(mb.Simulation(system, 1e-11, backend="interpreted"), state, ["gravity.magnitude"], until=quarter)
    # q(T/4) = 0 for each g, so dq/dg = -u dT/dg, with T proportional to 1 / sqrt(g)
    by_period = found.values[-1, 1] * quarter / (2 * GRAVITY)
    assert_allclose(found["pin.q", "gravity.magnitude"][-1], by_period, rtol=1e-8)


def test_sensitivities_of_a_sampled_controller_match_differences():
    system, pin, motor = pendulum()
    mb.PeriodicEventHandler.of(system, 0.1, lambda state, _: motor.set_force(state, -3.0 * pin.q(state)[0] - 0.4 * pin.u(state)[0]))
    state = system.realize_topology()
    pin.set_q(state, 0.9)
    names = ["gravity.magnitude", "spring.stiffness", "pin.q"]
    error, found = largest_error(system, state, names, ["pin.q", "pin.u", "motor.force", "der(pin.u)"], until=0.84, every=0.12)
    assert error < RELATIVE
    assert "jumps at 9 events" in found.method


def test_sensitivities_with_a_handler_that_schedules_by_the_state_match_differences():
    system, pin, motor = pendulum()

    def switch(state, event):
        motor.set_force(state, -3.0 * pin.u(state)[0])
        event.schedule(state.time + 0.1 + 0.02 * pin.u(state)[0])

    mb.TriggeredEventHandler.of(system, lambda state: pin.q(state)[0] - 0.2, switch, direction="either", name="switch")
    state = system.realize_topology()
    pin.set_q(state, 0.9)
    error, found = largest_error(system, state, ["gravity.magnitude", "pin.q"], ["pin.q", "pin.u", "motor.force"], until=1.4, every=0.2)
    assert error < RELATIVE
    assert found.method.startswith(TANGENTS)


def test_a_force_that_jumps_where_a_witness_crosses_has_a_saltation():
    system, matter, _ = in_a_plane("bumper")
    pin = mb.Pin(matter.ground, mb.MassProperties.point(mass=1.2, p=[0, -0.7, 0]), name="pin")
    pin.set_limits(lower=-0.2, compliance=0.01, damping=2.0)  # the damping begins at the bound
    state = system.realize_topology()
    pin.set_q(state, 0.9)
    error, found = largest_error(system, state, ["gravity.magnitude", "pin.q"], ["pin.q", "pin.u"], until=0.6, every=0.1)
    assert error < RELATIVE
    assert "jumps at 1 event" in found.method


@pytest.mark.parametrize("integrator", [name for name in (*INTEGRATORS, "velocity_level") if name not in (AUTO, *RUNGE_KUTTA_METHODS)])
def test_other_integrators_use_differences_and_say_so(integrator):
    options = {"integrator": integrator, **({} if integrator in METHODS else {"step": 1e-3})}
    reason = f"the steps of integrator '{integrator}' have no tangents"
    system, pin, _ = pendulum()
    state = system.realize_topology()
    pin.set_q(state, 0.9)
    accurate = {} if "step" in options else {"accuracy": 1e-10}
    names, outputs = ["gravity.magnitude", "spring.stiffness", "pin.q"], ["pin.q", "pin.u", "pin.p_GB"]
    found = mb.sensitivities(mb.Simulation(system, backend="interpreted", **accurate, **options), state, names, outputs, until=0.9)
    exact = mb.sensitivities(mb.Simulation(system, 1e-11, backend="interpreted"), state, names, outputs, until=0.9)
    assert found.method == f"central differences of runs, since {reason}"
    # the steps of first order have errors of 1e-3; the others those of differences
    assert_allclose(found.derivatives[-1], exact.derivatives[-1], atol=1e-5 if not options.get("step") else 0.02)


def test_a_stiff_system_uses_differences_from_the_implicit_step_on():
    system, matter, forces = in_a_plane("stiff")
    pin = mb.Pin(matter.ground, mb.MassProperties.point(mass=1.2, p=[0, -0.7, 0]), name="pin")
    mb.MobilityLinearDamper(forces, pin, damping=5000.0, name="damper")
    state = system.realize_topology()
    pin.set_q(state, 0.9)
    found = mb.sensitivities(mb.Simulation(system, 1e-9, backend="interpreted"), state, ["gravity.magnitude"], until=3.0)
    assert "the method is implicit, since the system is stiff there" in found.method
    # q' = -(m g l / d) sin q
    rate = 1.2 * 0.7 / 5000
    exact = -rate * 3.0 * np.sin(found.values[-1, 0])
    assert_allclose(found["pin.q", "gravity.magnitude"][-1], exact, rtol=1e-3)


def test_plain_python_uses_differences():
    system, pin, motor = pendulum()
    mb.PeriodicEventHandler.of(
        system, 0.1, lambda state, _: motor.set_force(state, -float(pin.q(state)[0])), recordable=False, sets=["motor.force"], name="python"
    )
    state = system.realize_topology()
    pin.set_q(state, 0.9)
    found = mb.sensitivities(mb.Simulation(system, 1e-10, backend="interpreted"), state, ["pin.q"], ["pin.q"], until=0.55)
    assert found.method.endswith("'python' (PeriodicEventHandler) runs as plain Python")


@pytest.mark.parametrize("height", [1.0, 1.2])
def test_impacts_at_the_same_time_use_differences_and_others_do_not(height):
    system, matter, _ = in_a_plane("two balls")
    balls = [mb.Translation(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]), name=name) for name in ("one", "two")]
    for ball in balls:
        ball.set_limits(coordinate=1, lower=0.0, restitution=0.8)
    state = system.realize_topology()
    for ball, start in zip(balls, (1.0, height), strict=True):
        ball.set_q(state, [0, start, 0])
    simulation = mb.Simulation(system, 1e-10, backend="interpreted")
    found = mb.sensitivities(simulation, state, ["one.q[2]"], ["one.u[2]", "two.u[2]"], until=0.7)
    assert ("several events occur at the same time" in found.method) == (height == 1.0)
    # u = e sqrt(2 g h) - g (t - sqrt(2 h / g)), by h
    assert_allclose(found.derivatives[-1, :, 0], [0.8 * np.sqrt(GRAVITY / 2) + np.sqrt(GRAVITY / 2), 0], atol=1e-5)


class GentleBump(mb.TriggeredEventHandler):
    """Where the height falls below 0, it takes away the part of the speed beyond 1 m/s."""

    def __init__(self, system, ball):
        self.ball = ball
        super().__init__(system, direction="falling", name="bump")

    def witness(self, state):
        return self.ball.q(state)[0]

    def handle_event(self, state, event):
        speed = self.ball.u(state)[0]
        self.ball.set_u(state, where(speed < -1.0, -1.0, speed))


def test_an_event_with_different_derivatives_on_both_sides_is_a_warning():
    system = mb.MultibodySystem("kink")
    matter = mb.MatterSubsystem(system)
    ball = mb.Slider(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]), name="ball")
    GentleBump(system, ball)
    state = system.realize_topology()
    ball.set_q(state, 0.5)
    ball.set_u(state, -1.0)
    with pytest.warns(MobodWarning, match=r"1 times, first at 0.5 s, an event has different derivatives"):
        found = mb.sensitivities(mb.Simulation(system, backend="interpreted"), state, ["ball.u"], until=1.0)
    assert found["ball.u", "ball.u"][-1] == pytest.approx(0.5, abs=1e-6)
    assert len(found.warnings) == 1


def test_with_inputs_over_time_both_kinds_of_runs_agree_with_each_other_and_with_differences():
    system, pin, _ = pendulum()
    pin.set_limits(lower=-0.3, upper=1.0, restitution=0.5)
    state = system.realize_topology()
    pin.set_q(state, 0.9)
    table = mb.Table(np.array([0, 0.3, 0.3, 0.6, 0.9, 1.2]), {"motor.force": np.array([0, 2, -1, 3, 0, 1.0])})
    inputs = DrivingInputs(state, distinct_numbers(system, state, ["motor.force"], "inputs"), table.time, [table["motor.force"]])
    chosen = distinct_numbers(system, state, ["spring.stiffness", "pin.q", "gravity.magnitude"], "parameters")
    outputs = distinct_numbers(system, state, ["pin.q", "pin.u", "motor.force", "der(pin.u)"], "outputs")
    simulation, times = mb.Simulation(system, 1e-11, integrator="DOP853", backend="interpreted"), np.linspace(0, 1.3, 15)
    with TangentRun(simulation, state, chosen, outputs, times, inputs) as run:
        values = np.array([2.0, 0.9, GRAVITY])
        found = run.run(values, with_derivatives=True)
        for k, shift in enumerate(1e-5 * np.eye(3)):
            ends = [run.run(values + side * shift, with_derivatives=False).values for side in (1, -1)]
            assert_allclose(found.derivatives[:, :, k], (ends[0] - ends[1]) / 2e-5, atol=RELATIVE)
    assert found.n_jumps == 1
    stepped = DifferenceRun(simulation, state, chosen, outputs, times, inputs).run(values, with_derivatives=True)
    assert_allclose(stepped.values, found.values, atol=1e-8)
    assert_allclose(stepped.derivatives, found.derivatives, atol=1e-4)  # differences of runs with a shift of 5e-4
    assert_allclose(found.values[:, 2], np.interp(times, [0, 0.3, 0.3 + 1e-9, 0.6, 0.9, 1.2], [0, 2, -1, 3, 0, 1]), atol=1e-7)


def test_at_rest_steps_are_shortened_until_the_derivatives_are_accurate():
    system, _, _ = pendulum()
    state = system.realize_topology()  # at rest: error control allows steps of any length
    found = mb.sensitivities(mb.Simulation(system, 1e-10, backend="interpreted"), state, ["motor.force"], until=30.0)
    inertia, stiffness = 1.2 * 0.7**2, 1.2 * GRAVITY * 0.7 + 2.0
    assert_allclose(found.derivatives[-1, :, 0], [1 / stiffness, 0.0], atol=5 / stiffness * np.exp(-0.3 / (2 * inertia) * 30.0) + 1e-8)


def test_at_the_kink_of_a_stop_steps_are_not_shortened_without_end():
    mass, stiffness, speed, q_high, until = 2.0, 80.0, 1.0, 0.1, 0.3
    system = mb.MultibodySystem("block")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    block = mb.Slider(matter.ground, mb.MassProperties.point(mass, [0, 0, 0]), name="block")
    mb.MobilityLinearStop(forces, block, stiffness=stiffness, q_high=q_high)
    state = system.realize_topology()
    block.set_u(state, speed)
    # of the order of the step at the kink, which error control of the motion has chosen for an accuracy of 1e-10
    with pytest.warns(MobodWarning, match="less accurate than the motion"):
        found = mb.sensitivities(mb.Simulation(system, 1e-10, backend="interpreted", max_steps=2000), state, ["block.u"], until=until)
    rate = np.sqrt(stiffness / mass)
    angle = rate * (until - q_high / speed)  # q = q_high + speed / rate sin(angle)
    expected = [np.sin(angle) / rate + q_high / speed * np.cos(angle), np.cos(angle) - rate * q_high / speed * np.sin(angle)]
    assert_allclose(found.derivatives[-1, :, 0], expected, rtol=1e-3)


def test_inputs_are_parameters_and_a_result_is_not():
    system, *_ = pendulum()
    state = system.realize_topology()
    error, _ = largest_error(system, state, ["motor.force"], ["pin.q", "pin.u"], until=0.8, every=0.2)
    assert error < RELATIVE
    simulation = mb.Simulation(system, backend="interpreted")
    with pytest.raises(InputError, match=r"'pin.p_GB\[1\]' is computed"):
        mb.sensitivities(simulation, state, ["pin.p_GB"], until=1.0)
    with pytest.raises(InputError, match=r"'gravity.enabled' is a flag"):
        mb.sensitivities(simulation, state, ["gravity.enabled"], until=1.0)
    with pytest.raises(UnknownNameError, match=r"Did you mean 'gravity.magnitude'"):
        mb.sensitivities(simulation, state, ["gravity.magnitud"], until=1.0)
    with pytest.raises(InputError, match=r"Write parameters=\['pin.q'\]"):
        mb.sensitivities(simulation, state, "pin.q", until=1.0)
    with pytest.raises(InputError, match=r"until must be finite and after the start"):
        mb.sensitivities(simulation, state, ["pin.q"], until=0.0)


def test_a_result_is_read_by_names():
    system, state = double_pendulum()
    found = mb.sensitivities(system, state, ["upper.q"], ["lower.q"], until=0.5, report_every=0.2)
    assert_allclose(found.time, [0, 0.2, 0.4, 0.5])
    assert repr(found) == "Sensitivities of 1 outputs and 1 parameters at 4 points, by tangents of the steps"
    assert found["lower.q", "upper.q"].shape == (4,)
    assert (found.output_units, found.parameter_units) == (["rad"], ["rad"])
    with pytest.raises(UnknownNameError, match=r"no parameter is named 'lower.u'"):
        found["lower.q", "lower.u"]
