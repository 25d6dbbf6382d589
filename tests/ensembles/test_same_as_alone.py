"""A run of an ensemble has the bits of the same run alone: reports, ends, steps and messages."""

import numpy as np
import pytest

import mobod as mb
from mobod import functions, measures
from mobod.runtime.integrators import FIXED_STEP_METHODS, METHODS
from mobod.spatial import Transform, from_quaternion
from tests.ensembles.alone import assert_same_as_alone, varied
from tests.ensembles.models import double_pendulum, four_bar, random_starts
from tests.laws.limited_mechanisms import falling_box, limited_tree
from tests.laws.mechanisms import random_mechanism
from tests.unit.simulate.event_systems import bouncing_mass, pendulum
from tests.unit.simulate.test_called_back import arm, swinging, with_handlers
from tests.unit.simulate.test_extremes import oscillator, started

FIXED = [{"integrator": method, "step": 0.005} for method in FIXED_STEP_METHODS]
VELOCITY_LEVEL = {"integrator": "velocity_level", "step": 0.005}


MAKERS = {"tree": lambda: limited_tree(12), "loop": lambda: limited_tree(2, with_rods=True), "box": lambda: falling_box(2)}


def results_of(system, state):
    """Names of states, energies, and what limits do."""
    ends = ("energy", ".distance", ".is_held", ".impulse", ".multipliers")
    return [each.name for each in system.variables(state) if each.role == "state" or each.name.endswith(ends)]


@pytest.mark.fast(7)
@pytest.mark.parametrize(
    "options",
    [{}, {"accuracy": 1e-9}, VELOCITY_LEVEL, *FIXED, *({"integrator": method} for method in reversed(METHODS)), {"backend": "compiled"}],
    ids=str,
)
def test_double_pendulums(options):
    system = double_pendulum()
    states = random_starts(system, 3)
    results = assert_same_as_alone(system, states, 1.5, 0.1, ["lower.q", "upper.u", "lower.p_GB", "energy", "spring.stiffness"], **options)
    assert results["lower.p_GB"].shape == (3, 16, 3)
    assert len(results.names) == results.values.shape[2] == 7


@pytest.mark.fast("True-None", "True-2", "False-2")
@pytest.mark.parametrize("stop_at", [None, 2])
@pytest.mark.parametrize("recordable", [True, False])
def test_a_handler_that_resets_and_ends_runs_or_chatters(recordable, stop_at):
    system, state, _ = bouncing_mass(recordable=recordable, stop_at=stop_at)
    results = assert_same_as_alone(system, varied(state, 3), 4.5, 0.1, ["ball.q", "ball.u", "energy", "bounce.count"])
    assert len(results.failed) == (3 if stop_at is None else 0)
    assert results.terminated_by == [None if stop_at is None else "bounce"] * 3
    assert (np.isnan(results["ball.q"]).any(axis=1)).all()  # the rows after the end
    assert not np.isnan(results["ball.q"][:, :10]).any()  # and none before it


@pytest.mark.fast(3)
@pytest.mark.parametrize("until", [1.0, 0.9, 0.6, 0.41])
@pytest.mark.parametrize("recordable", [True, False])
def test_handlers_at_the_times_of_reports_and_of_the_end(recordable, until):
    system, state = with_handlers(recordable)
    outputs = ["upper.q", "lower.u", "energy", "count.n", "count.largest"]
    assert_same_as_alone(system, varied(state, 2), until, 0.1, outputs, accuracy=1e-9)


def test_witnesses_and_reporters_in_python():
    system, state = swinging(False, [])
    assert_same_as_alone(system, varied(state, 2), 1.0, 0.1, ["upper.q", "energy"])
    system, state, _ = pendulum()
    assert_same_as_alone(system, varied(state, 2), 2.0, 0.1, ["pin.q", "energy"])


@pytest.mark.fast(1)
@pytest.mark.parametrize("options", [{}, {"ambiguous_impacts": "error"}, FIXED[0], VELOCITY_LEVEL], ids=str)
@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.filterwarnings("ignore::mobod.MobodWarning")  # of ambiguous impacts
def test_limits_with_impacts_and_rest(make, options):
    system, state = {"tree": lambda: limited_tree(12), "loop": lambda: limited_tree(2, with_rods=True), "box": lambda: falling_box(2)}[
        make
    ]()
    assert_same_as_alone(system, varied(state, 2), 2.0 if make == "box" else 0.5, 0.05, results_of(system, state), **options)


@pytest.mark.fast(1)
@pytest.mark.parametrize("options", [{}, {"accuracy": 1e-9}, *FIXED, VELOCITY_LEVEL], ids=str)
@pytest.mark.filterwarnings("ignore:.*the start at:mobod.MobodWarning")  # each start is projected
def test_a_four_bar_whose_start_is_projected(options):
    system, state = four_bar()
    states = varied(state, 3, scale=1e-3)
    assert_same_as_alone(system, states, 1.0, 0.1, [*results_of(system, state), "rocker.p_GB"], **options)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"integrator": "RK4", "step": 0.01}], ids=str)
def test_quaternions_motions_and_all_forces(options):
    mechanism = random_mechanism(3, n_bodies=8)
    states = [mechanism.random_state(np.random.default_rng(seed)) for seed in range(2)]
    for state in states:
        state.time, state.q = 1.0, 1.7 * state.q  # quaternions are normalized
    names = [each.name for each in mechanism.system.variables(states[0]) if each.role != "parameter"]
    assert states[0].layout.quaternions
    assert_same_as_alone(mechanism.system, states, 1.2, 0.04, names[:60], **options)


@pytest.mark.parametrize("options", [{}, {"integrator": "Rodas5P"}, {"integrator": "RK4", "step": 0.01}], ids=str)
def test_delays_and_what_depends_on_them(options):
    system = mb.MultibodySystem("clockwork")
    mb.MatterSubsystem(system)
    wave = measures.Sinusoid(system, 2.0, 3.0, 0.1)
    late = measures.Delay(system, wave, 0.3, name="late")
    measures.Integrate(system, late, name="area")
    measures.Differentiate(system, late, name="slope")
    first = system.realize_topology()
    first.time = 0.2
    then = mb.Simulation(system).run(first, 0.9).final_state
    other = then.copy()
    for states in ([first, first], [then, other]):  # a run that goes on knows what was before
        assert_same_as_alone(system, states, 2.2, 0.031, ["late.value", "area.value", "slope.value"], **options)


def test_extremes_and_samples():
    system, slider = oscillator()[:2]
    measures.SampleAndHold(system, measures.Sinusoid(system, 2.0, 3.0, 0.1), interval=0.2, name="held")
    state = started(system, slider)
    names = [each.name for each in system.variables(state) if each.role != "parameter"]
    assert_same_as_alone(system, varied(state, 2), 2.0, 0.1, names)


def test_a_stiff_system_changes_to_implicit_steps():
    system = mb.MultibodySystem("stiff")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    slider = mb.Slider(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]), name="slider")
    mb.MobilityLinearSpring(forces, slider, stiffness=1e4, name="spring")
    mb.MobilityLinearDamper(forces, slider, damping=1e5, name="damper")
    slider.set_default_q(0.3)
    results = assert_same_as_alone(system, varied(system.realize_topology(), 3), 5.0, 0.5, ["slider.q", "slider.u"])
    assert "Rodas5P" in results.integrator


@pytest.mark.slow
def test_elements_as_text():
    system, state, *_ = arm()
    system.as_text = True
    assert_same_as_alone(system, varied(state, 2), 0.1, 0.05, ["upper.q", "energy"])


def test_a_start_whose_loads_are_undetermined_is_explained_as_alone():
    """Accelerations exist, since the joint does not move, and the load of its friction does not."""
    system = mb.MultibodySystem("loop")
    matter = mb.MatterSubsystem(system)
    half = np.sqrt(0.5)
    first = mb.MassProperties(2.0, [0, 0, -0.5], np.diag([0.5333, 0.5667, 0.0867]))
    second = mb.MassProperties(1.0, [0.5, 0, 0.5], [[0.2667, 0, -0.25], [0, 0.5333, 0], [-0.25, 0, 0.2933]])
    third = mb.MassProperties(1.0, [0, 0, 0], np.diag([0.0167, 0.0333, 0.0433]))
    about_x, about_y = (Transform(from_quaternion([half, *axis])) for axis in ([half, 0, 0], [0, half, 0]))
    base = mb.LineOrientation(matter.ground, first, Transform(p=[0, -0.4, 0]), about_y, name="base", reversed=True)
    pin = mb.Pin(base, second, about_x, Transform(about_x.R, [0, -0.4, 0]), name="pin", reversed=True)
    curves = [functions.Linear([1.0, 0.1]), functions.Sinusoid(0.4, 1.1, 0.2), functions.Polynomial([0.2, -0.3, 0.1])]
    curves += [functions.Linear([0.4, 0.2]), functions.Linear([-0.2, 0.1]), functions.Sinusoid(0.1, 2.0, 0.5)]
    frames = Transform(p=[-0.4, 0, 0]), Transform(about_x.R, [0, 0.4, 0.4])
    other = mb.FunctionBased(base, third, *frames, functions=curves, coordinate_indices=[[0]] * 6, name="other", reversed=True)
    given = system.realize_topology()
    base.set_q(given, [half, half, 0, 0])
    base.set_u(given, [-1.0, 0.0])
    for each in (pin, other):
        each.set_q(given, 0.5)
    system.realize(given, mb.Stage.POSITION)
    place = pin.station_location_in(given, [0.5, 0, 0.5], other)
    mb.BallConstraint(pin, [0.5, 0, 0.5], other, place, name="ball")
    mb.RigidJointFriction(pin, load=mb.BearingLoad(friction=0.2, radius=0.01), name="friction")
    state = system.realize_topology()
    state.y = given.y
    results = assert_same_as_alone(system, [state, state], 0.1, 0.1, ["pin.q"])
    assert [number for number, _ in results.failed] == [0, 1]
