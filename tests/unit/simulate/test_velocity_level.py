"""Fixed steps at velocity level: rest, impacts, redundant limits, loops, prescribed motions, saved States, and errors."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.errors import EventError, InputError, IntegrationError, UnsupportedError
from mobod.simulate.velocity_level.tolerances import default_penetration_tol
from mobod.system import State
from tests.analytic.test_impacts import four_bar_with_arm
from tests.reference.stops import HalfPlanes, bouncing_ball, hinge_with_stop, particle_in_wedge, read

PARAMS = read("exact_hinge_stop")["params"]
STOP, MOMENT = PARAMS["theta_max"], read("exact_hinge_stop")["rest_moment"]
RULES = ("artisynth", "predictive")
by_steps = partial(mb.Simulation, integrator="velocity_level", backend="interpreted")
each_rule = pytest.mark.parametrize("rule", RULES)


def run(system, state, until, step, rule="artisynth", **options):
    results = by_steps(system, step=step, engagement=rule).run(state, until, **options)
    system.realize(results.final_state, mb.Stage.ACCELERATION)
    return results


def hinge(restitution=0.0):
    system, pin = hinge_with_stop(PARAMS, restitution)
    return system, pin, system.realize_topology()


# rest
@pytest.mark.slow
def test_a_hinge_rests_within_its_tolerance_without_release():
    system, pin, state = hinge()
    pin.limits[0].tolerance = 3e-4
    rest = run(system, state, 0.6, 0.004).final_state

    results = run(system, rest, 0.6 + 1000 * 0.004, 0.004)

    assert_allclose(results["hinge.q"], STOP + 3e-4, rtol=0, atol=1e-12)
    assert_array_equal(results["hinge.limit.engaged"], -1)
    steps = pin.limits[0].engaged_steps(results.final_state) - pin.limits[0].engaged_steps(rest)
    assert_array_equal(steps, [0, 1000])


@each_rule
def test_the_force_at_rest_matches_the_run_with_error_control(rule):
    system, pin, state = hinge()
    pin.limits[0].tolerance = 0.0
    adaptive = mb.Simulation(system, accuracy=1e-8, backend="interpreted").run(state, 1.0).final_state
    system.realize(adaptive, mb.Stage.ACCELERATION)

    final = run(system, state, 1.0, 0.004, rule).final_state

    assert_allclose(pin.limit_force(final), pin.limit_force(adaptive), rtol=1e-9)
    assert_allclose(pin.limit_force(final), -MOMENT, rtol=1e-9)
    assert_allclose(pin.limit_impulse(final), -MOMENT * 0.004, rtol=1e-9)  # the same force times the step
    assert_allclose(pin.q(final), STOP, rtol=0, atol=1e-12)
    assert_allclose(pin.u_dot(final), 0, atol=1e-12)


def test_the_tolerance_is_set_by_the_constraint_or_the_system():
    system, pin, state = hinge()
    system.rotary_limit_tol = 5e-4

    assert_allclose(pin.q(run(system, state, 0.6, 0.004).final_state), STOP + 5e-4, rtol=0, atol=1e-12)
    pin.limits[0].tolerance = 1e-5
    assert_allclose(pin.q(run(system, state, 0.6, 0.004).final_state), STOP + 1e-5, rtol=0, atol=1e-12)
    with pytest.raises(InputError, match="rotary_limit_tol is -1 rad"):
        system.rotary_limit_tol = -1


def test_the_default_tolerance_of_lengths_is_relative_to_the_mechanism():
    """Relative to half the diagonal of the box around frames and mass centers, here from (0, -0.5, 0) to (0.4, 0, 0.5)."""
    matter = mb.MatterSubsystem(mb.MultibodySystem())
    mass = mb.MassProperties(1.0, [0.3, 0, 0.5], mb.Inertia.sphere(mass=1.0, radius=2.0).shifted([0.3, 0, 0.5]))
    mb.Slider(matter.ground, mass, X_BM=mb.Transform(p=[0, 0.5, 0])).set_default_q(0.1)  # its origin is at (0.1, -0.5, 0)
    assert default_penetration_tol(matter) == pytest.approx(1e-4 * np.linalg.norm([0.4, 0.5, 0.5]) / 2)


# impacts
@each_rule
def test_a_hinge_bounces_with_its_restitution(rule):
    system, _, state = hinge(restitution=0.5)

    results = run(system, state, 0.6, 0.002, rule)
    u = results["hinge.u"]
    bounce = int(np.argmax(np.diff(u) < -1))

    assert_allclose(u[bounce + 1], -0.5 * u[bounce], rtol=1e-12)
    assert results.time[bounce] == pytest.approx(0.38517521, abs=0.004)  # two steps
    assert u[bounce] == pytest.approx(5.0396, rel=5e-3)  # first order in the step


@each_rule
def test_a_ball_comes_to_rest_after_the_time_of_its_bounces(rule):
    exact = read("exact_bouncing_ball")
    case = next(case for case in exact["cases"] if case["e"] == 0.5)
    system, ball = bouncing_ball(exact["h0"], exact["g"], 0.5)
    system.penetration_tol = 0.0

    results = run(system, system.realize_topology(), 1.3 * case["t_zeno"], 0.005, rule)
    rests = np.abs(results["ball.u"]) > 1e-12

    assert results.time[rests].max() == pytest.approx(case["t_zeno"], abs=0.1)  # the last bounces are shorter than a step
    assert_allclose(results.final_state.y, 0, atol=1e-12)
    assert_allclose(ball.limit_force(results.final_state), 1.3 * exact["g"], rtol=1e-12)


def test_a_predicted_limit_is_never_passed():
    system, _, state = hinge(restitution=0.3)
    assert run(system, state, 2.0, 0.005, "predictive")["hinge.q"].max() <= STOP + 1e-12


# many rows, loops and couplings
def twenty_floors():
    """A brick that falls on coincident floors, whose distances have different scales; (system, brick, floors)."""
    system = mb.MultibodySystem("floors")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.8)
    brick = mb.Translation(matter.ground, mb.MassProperties(2.0, [0, 0, 0], np.eye(3)), name="brick")
    floors = mb.UnilateralConstraint(HalfPlanes(tuple((0.0, 1.0 + k) for k in range(20))), mobilizers=[brick], name="floors")
    brick.set_default_q([0.0, 0.1, 0.0])
    return system, brick, floors


def test_twenty_coincident_floors_share_a_weight():
    system, brick, floors = twenty_floors()

    final = run(system, system.realize_topology(), 1.0, 0.005).final_state

    assert_allclose(brick.u(final), 0, atol=1e-12)
    assert_allclose(np.arange(1, 21) @ floors.contact_forces(final), 2.0 * 9.8, rtol=1e-9)
    assert floors.contact_forces(final).min() >= 0
    assert floors.distances(final).min() >= -1.01 * default_penetration_tol(system.matter) - 1e-4


@pytest.mark.fast(1)
@each_rule
def test_a_stop_in_a_four_bar_matches_the_run_with_error_control(rule):
    """The loop is redundant across its plane. Errors are of first order in the step."""
    system, state, rocker = four_bar_with_arm(0.0)
    exact = mb.Simulation(system, accuracy=1e-8, backend="interpreted").run(state, 0.5)

    errors = []
    for step in (0.01, 0.0025):
        results = run(system, state, 0.5, step, rule)
        errors.append(np.abs(results.y[-1] - exact.y[-1])[: len(state.q)].max())
        assert np.abs(results["loop.position_error"]).max() < 5e-5  # one step of Newton's method is taken, also after an impact
        assert rocker.limit_distance(results.final_state) > -1.1e-4

    assert errors[0] < 0.05
    assert errors[1] < 0.6 * errors[0]  # a quarter, and an error that depends on the time of the impact within a step


def test_more_iterations_close_a_loop_to_the_constraint_tolerance():
    """A single iteration leaves an error of second order in the step."""
    system, state, _ = four_bar_with_arm(0.0)
    errors = []
    for iterations in (1, 5):
        results = by_steps(system, step=0.01, position_iterations=iterations, constraint_tolerance=1e-10).run(state, 0.5)
        errors.append(np.abs(results["loop.position_error"])[1:].max())

    assert errors[0] > 1e-7
    assert errors[1] <= 1e-10


def coupled_hinge(is_loop):
    system = mb.MultibodySystem("coupled_hinge")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 1, 0], magnitude=9.8)
    rod = mb.MassProperties(2.0, [0.5, 0, 0], np.diag([0.01, 0.7, 0.7]))
    if is_loop:
        mb.CouplingJoint(mb.HingeCoupling((-1.0, 0.3)), mb.Free(matter.ground, rod), matter.ground, mb.Transform(), name="hinge")
    else:
        mb.CouplingJoint(mb.HingeCoupling((-1.0, 0.3)), rod, matter.ground, name="hinge")
    (limits,) = (each for each in matter.constraints if isinstance(each, mb.UnilateralConstraint))
    return system, limits


@pytest.mark.slow
def test_limits_of_a_coupling_hold_in_the_tree_and_in_a_loop():
    forces = []
    for is_loop in (False, True):
        system, limits = coupled_hinge(is_loop)
        final = run(system, system.realize_topology(), 0.4, 0.01).final_state
        assert_allclose(limits.distances(final)[1], -1e-4, atol=1e-9)  # a loop needs Newton steps
        assert_array_equal(limits.engaged_steps(final) > 1, [False, True])
        forces.append(limits.contact_forces(final))

    assert_allclose(forces, np.full((2, 2), [0.0, 9.8 * np.cos(0.3 + 1e-4)]), rtol=1e-9, atol=1e-12)


class Slit(mb.Coupling):
    """Translation along x between two bounds, which are a region and not limits of a coordinate."""

    def initialize_constraints(self):
        for i in range(1, 6):
            self.add_constraint(self.BILATERAL | (self.LINEAR if i < 3 else self.ROTARY), np.eye(6)[i])
        self.add_constraint(self.LINEAR, np.eye(6)[0])
        self.add_coordinate(name="x", unit="m")

    def coordinates_to_TCD(self, coordinates):
        return mb.Transform(p=np.array([coordinates[0], 0, 0]))

    def TCD_to_coordinates(self, TCD):
        return TCD.p[:1]

    def project_to_constraints(self, TCD):
        return mb.Transform(p=np.array([TCD.p[0], 0, 0]))

    def update_constraints(self, TGD, TCD, errC, velGD, update_engaged):
        self.update_engaged(self.constraint(5), TGD.p[0], -0.01, 0.01)


@pytest.mark.fast("limits-False", "region-False", "region-True")
@pytest.mark.parametrize("is_loop", [False, True])
@pytest.mark.parametrize("coupling", [mb.SliderCoupling((-0.01, 0.01)), Slit()], ids=["limits", "region"])
def test_a_range_crossed_in_one_step_is_active_on_one_side(coupling, is_loop):
    """A limit that becomes active stays so for two corrections. Both limits together would oppose each other."""
    system = mb.MultibodySystem("slit")
    matter = mb.MatterSubsystem(system)
    axis = 2 if isinstance(coupling, mb.SliderCoupling) else 0
    ball = mb.MassProperties(1.3, [0, 0, 0], mb.Inertia.sphere(mass=1.3, radius=0.1))
    if is_loop:
        body = mb.Free(matter.ground, ball)
        mb.CouplingJoint(coupling, body, matter.ground, mb.Transform())
        q, u = np.zeros(7), np.zeros(6)
        q[0], q[4 + axis], u[3 + axis] = 1.0, -0.01 - 1e-6, 4.0
    else:
        body = mb.CouplingJoint(coupling, ball, matter.ground)
        q, u = np.array([-0.01 - 1e-6]), np.array([4.0])
    (limits,) = (each for each in matter.constraints if isinstance(each, mb.UnilateralConstraint))
    state = system.realize_topology()
    body.set_q(state, q)
    body.set_u(state, u)

    final = mb.Simulation(system, integrator="velocity_level", step=0.01).run(state, 0.01).final_state
    system.realize(final, mb.Stage.ACCELERATION)

    assert_array_equal(limits.engaged_steps(final), [0, 1])
    # corrected up to the tolerance, which is a part of the length scale, since the body is a point in its default place
    assert_allclose(limits.distances(final)[1], -1e-4 * mb.Simulation(system).scales.length, rtol=0.01)
    assert [limits.opposite(row) for row in (0, 1)] == [1, 0]


def test_rows_of_a_wedge_have_no_opposite_row():
    _, _, wedge = particle_in_wedge(40.0, [0.3, 0.2], [1.0, 0.0])
    assert [wedge.opposite(row) for row in (0, 1)] == [None, None]


def test_a_particle_that_starts_beyond_both_sides_of_a_wedge_is_moved_back():
    system, _, wedge = particle_in_wedge(40.0, [-0.3, -0.2], [1.0, 0.0])

    with pytest.warns(mb.MobodWarning, match=r"was outside of its limits, and was changed: 'particle\.q\[1\]' from -0\.3 to .* m\."):
        results = run(system, system.realize_topology(), 0.5, 0.01)

    assert len(results.warnings) == 1
    system.realize(state := results.final_state, mb.Stage.POSITION)
    assert wedge.distances(state).min() >= -1.01e-4
    assert wedge.engaged_steps(state)[1] == 0  # the force moves it away from this side


# prescribed motion
def test_a_locked_body_does_not_move_and_other_stops_hold():
    system, pin, _ = hinge()
    mass = mb.MassProperties(0.7, [0.2, 0, 0], mb.Inertia.sphere(mass=0.7, radius=0.1).shifted([0.2, 0, 0]))
    tip = mb.Pin(pin, mass, X_PF=mb.Transform(p=[1, 0, 0]), name="tip")
    state = system.realize_topology()
    tip.set_q(state, 0.4)
    tip.lock(state)

    final = run(system, state, 1.5, 0.005).final_state

    assert_array_equal(tip.q(final), [0.4])
    assert_allclose(final.u, 0, atol=1e-12)
    adaptive = mb.Simulation(system, accuracy=1e-8, backend="interpreted").run(state, 1.5).final_state
    system.realize(adaptive, mb.Stage.ACCELERATION)
    assert_allclose(pin.limit_force(final), pin.limit_force(adaptive), rtol=1e-3)  # it rests a tolerance of 1e-4 rad lower


@each_rule
def test_a_motion_that_drives_a_coordinate_through_its_limit_is_reported(rule):
    system, pin, _ = hinge()
    mb.SteadyMotion(pin, 1.0)

    with pytest.raises(EventError, match=r"'hinge.upper_limit' contradicts other constraints"):
        run(system, system.realize_topology(), 2.0, 0.005, rule)


def test_a_motion_within_its_limits_is_followed():
    system, pin, _ = hinge()
    mb.SinusoidMotion(pin, amplitude=0.3, rate=2.0, phase=0.1)
    final = run(system, system.realize_topology(), 0.7, 0.005).final_state
    assert_allclose(pin.q(final), 0.3 * np.sin(2.0 * 0.7 + 0.1), rtol=1e-12)


# States
@pytest.mark.fast(1)
@each_rule
def test_a_run_from_a_saved_state_matches_the_whole_run(rule):
    system, state, _ = four_bar_with_arm(0.6)
    whole = run(system, state, 0.45, 0.005, rule)

    for until in (0.395, 0.4, 0.405):
        half = run(system, state, until, 0.005, rule).final_state
        again = run(system, State.from_bytes(system, half.to_bytes()), 0.45, 0.005, rule)
        k = round(until / 0.005)
        assert_allclose(again.time, whole.time[k:], rtol=1e-14)
        assert_allclose(again.y, whole.y[k:], rtol=0, atol=1e-11)  # times of steps differ by round-off, which impacts enlarge


def test_the_active_set_is_decided_again_after_a_coordinate_was_set():
    """The limit was engaged. Set to the middle of its range, the coordinate moves on towards the stop."""
    system, pin, state = hinge()
    rest = run(system, state, 1.0, 0.005).final_state
    pin.set_q(rest, 0.5)
    pin.set_u(rest, 0.7)

    after = run(system, rest, 1.01, 0.005).final_state

    assert pin.u(after)[0] > 0.7
    assert_array_equal(pin.limits[0].engaged_steps(after), 0)
    assert_array_equal(pin.engaged(after), 0)


# invalid options
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"integrator": "velocity_level"}, "needs a positive and finite step"),
        ({"integrator": "velocity_level", "step": 0.0}, "needs a positive and finite step"),
        (
            {"integrator": "velocity_level", "step": 0.01, "engagement": "eager"},
            "unknown engagement 'eager'. Valid names: artisynth, predictive",
        ),
        ({"integrator": "velocity_level", "step": 0.01, "max_step": 0.1}, "max_step has no effect"),
        ({"integrator": "velocity_level", "step": 0.01, "position_iterations": 0}, "from 1 to 20, not 0"),
        ({"position_iterations": 2}, "position_iterations applies only to integrator='velocity_level'"),
        ({"integrator": "velocity"}, "unknown integrator 'velocity'"),
        ({"step": 0.01}, "step applies only to integrator='velocity_level'"),
        ({"engagement": "predictive", "integrator": "RK45"}, "engagement applies only to integrator='velocity_level'"),
        ({"constraints_at": "begin"}, "constraints_at applies only to integrator='velocity_level'"),
        (
            {"integrator": "velocity_level", "step": 0.01, "constraints_at": "end"},
            "unknown constraints_at 'end'. Valid names: begin, middle",
        ),
    ],
)
def test_incompatible_options_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        mb.Simulation(hinge()[0], **options)


def test_reports_between_steps_are_refused():
    system, _, state = hinge()
    with pytest.raises(InputError, match=r"report_every is 0.0166667 s.*steps of 0.001 s.*whole multiple of the step, such as 0.017 s"):
        run(system, state, 1.0, 1e-3, report_every=1 / 60)


def test_reports_are_at_multiples_of_the_step_and_at_the_end():
    system, _, state = hinge()
    assert_allclose(run(system, state, 0.105, 0.01, report_every=0.03).time, [0, 0.03, 0.06, 0.09, 0.105], rtol=1e-14)


def test_user_events_are_refused_by_name():
    system, _, _ = hinge()

    class Alarm(mb.ScheduledEventHandler):
        def next_event_time(self, state, includes_now):
            return 1.0

        def handle_event(self, state, event):
            pass

    Alarm(system, name="alarm")
    with pytest.raises(UnsupportedError, match="'alarm'"):
        run(system, system.realize_topology(), 1.0, 0.01)


def test_a_run_of_any_length_ends_at_its_end_time():
    system, _, state = hinge()
    for until in (1e-13, 0.005 + 1e-13):
        results = run(system, state, until, 0.005)
        assert results.time[-1] == results.final_state.time == until


def test_a_row_is_released_in_the_step_that_leaves_it():
    """The count of engaged steps returns to 0."""
    system, pin, state = hinge()
    rest = run(system, state, 1.0, 0.005).final_state
    system.set_value(rest, "gravity1.down", [0, -1, 0])

    assert pin.limits[0].engaged_steps(rest)[1] > 100
    assert_array_equal(pin.limits[0].engaged_steps(run(system, rest, 1.005, 0.005).final_state), 0)


class UntilAngle(mb.CustomForce):
    """A force that grows with the angle up to 0.2 rad and is NaN beyond."""

    def __init__(self, forces, pin):
        super().__init__(forces, name="until_angle")
        self.pin = pin

    def calc_force(self, state, body_forces, mobility_forces):
        self.pin.my_part_u(state, mobility_forces)[...] += 1.0 + np.sqrt(0.2 - self.pin.q(state)[0])


@pytest.mark.parametrize("has_limits", [False, True])
def test_a_force_that_is_not_finite_is_reported(has_limits):
    system = mb.MultibodySystem("pushed")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    pin = mb.Pin(matter.ground, mb.MassProperties(1.0, [0, 0, 0], np.eye(3)), name="pin")
    if has_limits:
        pin.set_limits(-1.0, 1.0)
    UntilAngle(forces, pin)
    with pytest.raises(IntegrationError, match=r"stopped at 0\.\d+ s.*'until_angle'.* is not finite"):
        run(system, system.realize_topology(), 2.0, 0.005)


def test_constraints_that_contradict_each_other_are_reported():
    system, pin, _ = hinge()
    mb.ConstantSpeed(pin, 0, 0.5, name="steady")
    mb.PrescribedMotion(system.matter, mb.functions.Polynomial([0.3, 0.5, 0.1]), pin, 0, name="ever_faster")
    state = system.realize_topology()
    pin.set_q(state, 0.1)
    pin.set_u(state, 0.5)
    with pytest.raises(IntegrationError, match=r"stopped at 0 s.*(steady|ever_faster)"):
        run(system, state, 1.0, 0.005)


class Counting(mb.CustomSubsystem):
    """Counts the steps."""

    def realize_topology(self, state):
        self.n = state.allocate_auto_update_discrete_variable(self, "n", 0.0, mb.Stage.TIME, update_depends_on=mb.Stage.TIME)

    def realize_time(self, state):
        state.set_cached(self.n.update, state.get(self.n) + 1)


@pytest.mark.slow
def test_auto_update_variables_are_updated_at_each_fixed_step():
    system, _, _ = hinge()
    counting = Counting(system, "counting")
    state = system.realize_topology()
    results = run(system, state, 0.1, 0.01)
    assert results.final_state.get(counting.n) == 10
