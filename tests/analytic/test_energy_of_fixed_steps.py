"""Fixed steps at velocity level with their rows at the middle: energy and order without impacts, rest, and hits."""

import fmpy
import numpy as np
import pytest
from benchmarks.fixed_steps import boxes
from energy_of_fixed_steps import MODELS, change_of_energy
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb


def by_steps(system, step, **options):
    return mb.Simulation(system, integrator="velocity_level", step=step, backend="interpreted", **options)


def error_of_end(system, state, duration, step, **options):
    """The errors of all coordinates and speeds at the end, against error control."""
    end = state.time + duration
    exact = mb.Simulation(system, 1e-12, backend="interpreted").run(state, end).final_state.y
    return np.abs(by_steps(system, step, **options).run(state, end).final_state.y - exact)


OSCILLATION = 100.0  # rad/s, of the model "oscillator": its energy changes by the fraction (h w)^2 / 4


def changes_of_energy(name, until, steps, **options):
    system, state = MODELS[name][0]()
    options = {"integrator": "velocity_level", "backend": "interpreted", **options}
    return np.array([change_of_energy((system, state), until, step=step, **options)[0] for step in steps])


@pytest.mark.fast("rolling disc")
@pytest.mark.parametrize("name", MODELS)
def test_the_error_of_the_energy_falls_fourfold_with_half_the_step(name):
    errors = changes_of_energy(name, 0.1, (2e-3, 1e-3))
    assert errors[1] < (1e-3 if name != "oscillator" else 1.001 * (OSCILLATION * 1e-3) ** 2 / 4)
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_passive_systems_keep_their_energy_for_a_whole_run_where_rows_at_the_beginning_do_not(name):
    until = MODELS[name][1]
    errors = changes_of_energy(name, until, (1e-3, 5e-4, 2.5e-4))
    assert errors[0] < 2e-2
    assert_allclose(errors[:-1] / errors[1:], 4, rtol=0.15)
    at_begin = changes_of_energy(name, until, (1e-3,), constraints_at="begin")[0]
    assert at_begin > (100 if name != "oscillator" else 2 / (OSCILLATION * 1e-3)) * errors[0]  # of the oscillator: h w / 2


def skew_ball(friction, restitution=0.0):
    """A ball with its center of mass beside its center, on top of a fixed one."""
    system = mb.MultibodySystem("balls")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=9.81)
    com = [0.02, 0, 0.01]
    ball = mb.Free(matter.ground, mb.MassProperties(1.0, com, mb.Inertia.sphere(mass=1.0, radius=0.1).shifted(com)), name="ball")
    friction = {"static_friction": friction} if friction else {}
    shapes = matter.ground, mb.contact.Sphere(1.0), ball, mb.contact.Sphere(0.1)
    mb.RigidContact(*shapes, restitution=restitution, name="contact", **friction)
    state = system.realize_topology()
    ball.set_q(state, [1, 0, 0, 0, 0, 0, 1.1])
    w = np.array([2.0, 6.0, 1.0])
    ball.set_u(state, [*w, *np.cross(w, [0, 0, 0.1])])
    return system, state


def rubbing_pendulum():
    """A double pendulum whose upper joint slips under dry friction."""
    system = mb.MultibodySystem("pendulum")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81)
    mass = mb.MassProperties.point(mass=1.0, p=[0.3, 0, 0])
    upper = mb.Pin(matter.ground, mass, name="upper")
    lower = mb.Pin(upper, mass, X_PF=mb.Transform(p=[0.3, 0, 0]), name="lower")
    mb.RigidJointFriction(upper, limit=0.4)
    state = system.realize_topology()
    upper.set_u(state, -5.0)
    lower.set_u(state, 3.0)
    return system, state


@pytest.mark.fast(2)
@pytest.mark.parametrize(
    "make",
    [lambda: skew_ball(1.0), rubbing_pendulum, lambda: skew_ball(0.0)],
    ids=["rolling ball", "joint with friction", "contact without friction"],
)
def test_errors_without_impacts_are_of_second_order(make):
    system, state = make()
    errors = [error_of_end(system, state, 0.1, step) for step in (1e-3, 5e-4)]
    seen = errors[1] > 1e-9  # others are near the error of the exact motion
    assert seen.sum() >= 4
    assert_allclose(errors[0][seen] / errors[1][seen], 4, rtol=0.15)
    assert (error_of_end(system, state, 0.1, 1e-3, constraints_at="begin")[seen] > 10 * errors[0][seen]).all()


@pytest.mark.fast("middle")
@pytest.mark.parametrize("place", ["begin", "middle"])
def test_a_resting_stack_that_is_hit_does_not_sink_and_comes_to_rest(place):
    """The tolerance of penetration, 0.1 mm, is all that corners may be below their planes."""
    system = boxes(2)
    state = system.realize_topology()
    top = system.matter.body("box1")
    top.set_q(state, [1, 0, 0, 0, 0.01, 0, 0.33])
    top.set_u(state, [0, 0, 0, 0.2, 0, -3.0])

    results = by_steps(system, 1e-3, constraints_at=place).run(state, 0.15)

    for i in range(2):
        assert results[f"contact{i}.distance"].min() > -1e-4 - 1e-6
    assert_allclose(results.final_state.u, 0, atol=1e-8)
    lower = results["box0.q"]
    assert_allclose(lower, np.broadcast_to(lower[0], lower.shape), rtol=0, atol=2e-4)


def test_a_limit_is_passed_by_less_than_a_slow_approach_explains():
    """A slider falls from many heights on a limit without a tolerance: at most HIT h^2 / 2 times its acceleration below, see hits.h."""
    g, step = 9.81, 1e-2
    system = mb.MultibodySystem("slider")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=g)
    slider = mb.Slider(
        matter.ground, mb.MassProperties.point(mass=1.3, p=[0, 0, 0]), mb.Transform(mb.spatial.rotation_y(-np.pi / 2)), name="s"
    )
    slider.set_limits(0.0, 1.0, restitution=0.4)
    system.penetration_tol = 0.0
    state = system.realize_topology()
    for height in np.linspace(1e-4, 5e-3, 15):
        slider.set_q(state, height)
        q = by_steps(system, step, engagement="predictive").run(state, 0.2)["s.q"]
        assert q.min() >= -0.1 * step**2 / 2 * g
        assert q[-1] == 0


def test_the_place_of_rows_follows_from_the_rule_of_engagement_unless_it_is_given():
    """To the bit; the two places differ."""
    system, state = MODELS["rolling disc"][0]()
    finals = {
        (rule, place): by_steps(system, 1e-3, engagement=rule, constraints_at=place).run(state, 0.004).final_state.y
        for rule in (None, "automatic", "predictive", "artisynth")
        for place in (None, "begin", "middle")
    }
    for rule in (None, "automatic", "predictive"):
        assert_array_equal(finals[rule, None], finals[rule, "middle"])
    assert_array_equal(finals["artisynth", None], finals["artisynth", "begin"])
    for rule in (None, "artisynth"):
        assert np.abs(finals[rule, "begin"] - finals[rule, "middle"]).max() > 1e-6


def bouncing_ball_with_a_joint():
    """A skew ball with a pendulum on it that is held by a compliant limit; the ball falls, bounces, slips and rolls."""
    system, state = skew_ball(0.3, 0.4)
    ball = system.matter.body("ball")
    pendulum = mb.Pin(ball, mb.MassProperties.point(mass=0.2, p=[0.05, 0, 0]), name="pendulum")
    pendulum.set_limits(-0.2, 0.3, compliance=1e-2, damping=0.01)
    state = system.realize_topology()
    ball.set_q(state, [1, 0, 0, 0, 0, 0, 1.104])
    ball.set_u(state, [2.0, 6.0, 1.0, 0.3, 0.1, -0.4])
    pendulum.set_u(state, 3.0)
    return system, state


@pytest.mark.parametrize("place", ["begin", "middle"])
def test_stepped_runs_ensembles_and_restored_runs_have_the_bits_of_a_run(place):
    system, state = bouncing_ball_with_a_joint()
    options = {"integrator": "velocity_level", "step": 2e-3, "backend": "interpreted", "constraints_at": place}
    whole = mb.Simulation(system, **options).run(state, 0.1)
    assert set(np.ravel(whole["contact.mode"])) >= {0, 1}  # open, sticks
    assert whole["contact.impulse"].max() > 10 * whole["contact.impulse"][-1] > 0  # it was hit, and rolls

    runs = mb.Ensemble(system, [state] * 2, **options).run(0.1)
    assert_array_equal(runs.final_states[1].y, whole.final_state.y)
    run = mb.Simulation(system, **options).start(state)
    for k in range(1, 51):
        saved = run.save()
        run.step_to(k * 2e-3)
        run.restore(saved)
        run.step_to(k * 2e-3)
    assert_array_equal(run.state.y, whole.final_state.y)


@pytest.mark.slow
@pytest.mark.parametrize("place", ["begin", "middle"])
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_fmus_have_the_bits_of_a_stepped_run(place, version, tmp_path):
    system, state = bouncing_ball_with_a_joint()
    simulation = mb.Simulation(system, integrator="velocity_level", step=2e-3, backend="interpreted", constraints_at=place)
    run = simulation.start(state)
    for k in range(1, 31):
        run.step_to(k * 2e-3)
    options = {"fmi_version": version, "state": state, "outputs": ["ball.q"], "code": "interpreted", "reference": False}
    path = mb.export_fmu(system, tmp_path / "ball.fmu", **options, **simulation.export_options())

    rows = fmpy.simulate_fmu(str(path), fmi_type="CoSimulation", stop_time=0.06, output_interval=2e-3, step_size=2e-3)

    q = system.matter.body("ball").q(run.state)
    assert_array_equal([rows[f"ball.q[{i + 1}]"][-1] for i in range(7)], q)
