"""A run that is advanced step by step: the runtime's steps, with values set, read, saved and restored between them."""

import gc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.errors import ElementError, InputError, IntegrationError, StateError, UnknownNameError
from mobod.runtime.integrators import FIXED_STEP_METHODS
from tests.unit.simulate.event_systems import bounce_times, bouncing_mass
from tests.unit.simulate.test_called_back import arm, with_handlers

ACCURACY = 1e-9


def start(system, state, **options):
    options = {"backend": "interpreted", **options}
    return mb.Simulation(system, **({} if options.get("step") else {"accuracy": ACCURACY}), **options).start(state)


def motorised_arm():
    """Two pins with a spring, motors and a closed loop that can be enabled."""
    system, state, upper, lower, stop = arm()
    mb.MobilityForce(mb.ForceSubsystem(system, "motors"), upper, name="motor")
    state = system.realize_topology()
    upper.set_q(state, 0.7)
    return system, state, upper, lower, stop


def hinge(start=0.8, **options):
    """A pendulum between two stops, which it hits; (system, state, pin)."""
    system = mb.MultibodySystem("hinge")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], name="gravity")
    mass = mb.MassProperties(0.7, [0, -1, 0], mb.Inertia.point(mass=0.7, p=[0, -1, 0]))
    pin = mb.Pin(matter.ground, mass, name="pin")
    pin.set_limits(-0.4, 0.9, **options)
    state = system.realize_topology()
    pin.set_q(state, start)
    pin.set_u(state, -1.0)
    return system, state, pin


def test_one_step_is_a_run_to_the_bit():
    system, state, *_ = motorised_arm()
    run = start(system, state)
    run.step(0.8)
    whole = mb.Simulation(system, ACCURACY, backend="interpreted").run(state, 0.8)
    assert_array_equal(run.state.y, whole.final_state.y)
    assert (run.time, run.steps, run.evaluations) == (0.8, whole.steps, whole.evaluations)


def test_steps_converge_to_the_run_and_the_start_stays():
    system, state, upper, _, _ = motorised_arm()
    before = np.array(state.y)
    run = start(system, state)
    for _ in range(50):
        run.step(0.01)
    assert run.time == 0.5  # not a sum of fifty steps
    assert_allclose(run.state.y, mb.Simulation(system, 1e-11, backend="interpreted").run(state, 0.5).final_state.y, atol=1e-7)
    assert_array_equal(state.y, before)
    assert_allclose(run["upper.q"], upper.q(run.state))


@pytest.mark.fast(1)
@pytest.mark.parametrize("backend", ["interpreted", "compiled"])
def test_variables_are_read_as_a_state_gives_them(backend):
    system, state, *_ = motorised_arm()
    run = start(system, state, backend=backend)
    run.set("motor.force", 1.5)
    run.step(0.3)
    names = ["upper.q", "lower.p_GB", "der(lower.u)", "energy", "spring.stiffness", "motor.force"]
    handle = run.variables(*names)
    expected = run.state
    values = [system.value(expected, name) for name in names]
    assert_allclose(handle.get(), np.concatenate([value.reshape(-1) for value in values]), rtol=1e-13)
    for name, value in zip(names, values, strict=True):
        assert run[name].shape == value.shape
        assert_allclose(run[name], value, rtol=1e-13)
    assert handle.names == ["upper.q", "lower.p_GB[1]", "lower.p_GB[2]", "lower.p_GB[3]", "der(lower.u)", "energy", *names[-2:]]
    assert handle.units == ["rad", "m", "m", "m", "rad/s2", "J", "N.m/rad", "N.m"]


def test_an_input_that_is_set_acts_from_then_on():
    system, state, upper, _, _ = motorised_arm()
    run = start(system, state)
    run.step(0.1)
    run.set("motor.force", 2.5)
    run.step(0.1)
    expected = mb.Simulation(system, ACCURACY, backend="interpreted").run(state, 0.1).final_state
    system.set_value(expected, "motor.force", 2.5)
    expected = mb.Simulation(system, ACCURACY, backend="interpreted").run(expected, 0.2).final_state
    assert_allclose(run.state.y, expected.y, atol=1e-9)
    assert run["motor.force"] == 2.5
    assert abs(upper.q(expected)[0] - mb.Simulation(system, ACCURACY).run(state, 0.2)["upper.q"][-1]) > 1e-3  # the input matters


def test_several_values_are_set_together_or_not_at_all():
    system, state, *_ = motorised_arm()
    run = start(system, state)
    handle = run.variables("motor.force", "spring.stiffness", "gravity.down")
    handle.set(np.array([1.0, 5.0, 0.0, 0.0, -1.0]))
    assert_array_equal(handle.get(), [1, 5, 0, 0, -1])
    for wrong in ([2.0, -5.0, 0, 0, -1], [2.0, np.nan, 0, 0, -1], [2.0, 5.0], "two", np.array([2.0, np.inf, 0, 0, 1])):
        with pytest.raises(InputError):
            handle.set(wrong)
        assert_array_equal(handle.get(), [1, 5, 0, 0, -1])
    with pytest.raises(InputError, match=r"spring.stiffness.*least value is 0"):
        handle.set(np.array([2.0, -5.0, 0, 0, -1]))
    handle.set([3, 4, 0, 0, -1])
    assert_array_equal(handle.get(), [3, 4, 0, 0, -1])


@pytest.mark.fast(5)
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("energy", 1.0, "it is computed"),
        ("motor.force", "strong", "takes numbers"),
        ("motor.force", [1.0, 2.0], "shape"),
        ("motor.force", np.nan, "not a finite number"),
        ("spring.stiffness", -1.0, "least value"),
        ("motor.enabled", 0.5, "True"),
    ],
)
def test_a_wrong_value_is_refused_by_name(name, value, message):
    system, state, *_ = motorised_arm()
    run = start(system, state)
    with pytest.raises(InputError, match=message):
        run.set(name, value)
    with pytest.raises(UnknownNameError, match=r"motor.force"):
        run.set("motor.froce", 1.0)


def test_a_state_that_is_set_is_projected_onto_the_constraints():
    system = mb.MultibodySystem("crank")
    matter = mb.MatterSubsystem(system)
    mb.ForceSubsystem(system)
    mass = mb.MassProperties(1.0, [0.5, 0, 0], mb.Inertia.box(mass=1.0, size=[1.0, 0.1, 0.1]).shifted([0.5, 0, 0]))
    crank = mb.Pin(matter.ground, mass, name="crank")
    other = mb.Pin(matter.ground, mass, X_PF=mb.Transform(p=[2, 0, 0]), name="other")
    mb.Rod(crank, [1, 0, 0], other, [1, 0, 0], 2.0)
    state = system.realize_topology()
    crank.set_q(state, 0.5)
    other.set_q(state, 0.5)
    run = start(system, state)
    run.set("crank.q", 0.503)
    with pytest.warns(mb.MobodWarning, match=r"the state that was set at 0 s .* was changed: 'crank\.q' from 0\.503 to 0\.501\d+ rad"):
        run.step(0.01)
    now = run.state
    assert_allclose(crank.q(now), other.q(now), atol=1e-9)  # a parallelogram
    assert 0.5 < crank.q(now)[0] < 0.503


def test_a_quaternion_that_is_set_is_normalised():
    system = mb.MultibodySystem("ball")
    matter = mb.MatterSubsystem(system)
    ball = mb.Ball(matter.ground, mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.box(mass=1.0, size=[0.1, 0.2, 0.3])), name="ball")
    run = start(system, system.realize_topology())
    run.set("ball.q", [2.0, 0.0, 0.0, 2.0])
    run.step(0.01)
    assert_allclose(ball.q(run.state), [np.sqrt(0.5), 0, 0, np.sqrt(0.5)], atol=1e-14)
    with pytest.raises(InputError, match=r"'ball.q\[1\]': the quaternion is zero"):
        run.set("ball.q", np.zeros(4))
    run.step(0.01)
    for entry in range(1, 5):  # one by one: a run sees it at its next step
        run.set(f"ball.q[{entry}]", 0.0)
    with pytest.raises(IntegrationError, match="quaternion"):
        run.step(0.01)


def systems():
    system, state, *_ = motorised_arm()
    yield "arm", system, state, {}
    yield "handlers in C", *with_handlers(True)[:2], {}
    yield "handlers in Python", *with_handlers(False)[:2], {}
    yield "limits", *hinge(restitution=0.5, start=-0.35)[:2], {}
    for method in FIXED_STEP_METHODS:
        yield method, system, state, {"integrator": method, "step": 0.003}
    yield "velocity level", *hinge(start=-0.35)[:2], {"integrator": "velocity_level", "step": 0.002}


@pytest.mark.parametrize(("system", "state", "options"), [pytest.param(*case[1:], id=case[0]) for case in systems()])
def test_a_saved_state_goes_on_with_the_same_bits(system, state, options):
    run = start(system, state, **options)
    for _ in range(10):
        run.step(0.01)
    saved, at = run.save(), np.array(run.state.y)
    rows = []
    for _ in range(2):
        run.restore(saved)
        assert run.time == 0.1
        assert_array_equal(run.state.y, at)
        n_events = len(run.events)
        for _ in range(10):
            run.step(0.01)
        rows.append((run.time, run.state.to_bytes(), run.events[n_events:]))
    assert rows[0][0] == rows[1][0] == 0.2
    assert rows[0][1] == rows[1][1]
    assert [repr(event) for event in rows[0][2]] == [repr(event) for event in rows[1][2]]
    run.reset(state)
    assert (run.time, run.steps, len(run.events)) == (0.0, 0, len(start(system, state, **options).events))
    for _ in range(10):
        run.step(0.01)
    assert_array_equal(run.state.y, at)


def test_events_happen_as_in_a_run():
    system, state, _ball = bouncing_mass()
    run = start(system, state)
    while run.time < 2.0:
        run.step(0.05)
    times = [event.time for event in run.events]
    assert_allclose(times, bounce_times(2.0), atol=1e-7)
    assert run.terminated_by is None


def test_an_event_that_ends_the_run_ends_the_step():
    system, state, _ = bouncing_mass(stop_at=2)
    run = start(system, state)
    while run.terminated_by is None:
        run.step(0.25)
    assert run.terminated_by == "bounce"
    assert run.time == pytest.approx(bounce_times(2.0)[1], abs=1e-7)
    with pytest.raises(InputError, match=r"event 'bounce' has ended it"):
        run.step(0.25)
    run.reset(state)
    run.step(0.25)
    assert run.time == 0.25


def test_limits_hold_in_steps():
    system, state, _pin = hinge(restitution=0.0)
    run = start(system, state)
    lowest = 1.0
    for _ in range(100):
        run.step(0.01)
        lowest = min(lowest, run["pin.q"][0])
    assert -0.4 - 1e-7 <= lowest < -0.39  # it would swing to -0.8


def test_a_failed_step_changes_nothing():
    system, state, _upper, _, _ = arm()
    calls = []

    def fail_once(s, event):
        calls.append(s.time)
        if len(calls) == 2:
            raise ValueError("not now")

    mb.PeriodicEventHandler.of(system, 0.1, fail_once, name="fragile", recordable=False)
    state = system.realize_topology()
    run = start(system, state)
    run.step(0.05)
    before, events = run.save(), run.events
    with pytest.raises(ElementError, match="not now"):
        run.step(0.1)
    assert run.time == 0.05
    assert run.save().data == before.data
    assert run.events == events
    run.step(0.1)  # the handler does not fail again
    assert run.time == pytest.approx(0.15)


def test_a_diverging_motion_is_said_and_undone():
    system = mb.MultibodySystem("unstable")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    slider = mb.Slider(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, 0, 0]), name="slider")

    class Repulsion(mb.CustomForce):
        def calc_force(self, state, body_forces, mobility_forces):
            mobility_forces[0] += slider.q(state)[0] ** 3

    Repulsion(forces, name="repulsion")
    state = system.realize_topology()
    slider.set_q(state, 2.0)
    run = start(system, state)
    run.step(0.1)
    q = run["slider.q"]
    with pytest.raises(IntegrationError):
        run.step(10.0)
    assert run.time == 0.1
    assert_array_equal(run["slider.q"], q)


def test_equal_steps_are_counted_and_others_begin_anew():
    system, state, *_ = motorised_arm()
    run = start(system, state)
    for _ in range(7):
        run.step(0.1)
    assert run.time == 7 * 0.1
    run.step(0.05)
    assert run.time == 7 * 0.1 + 0.05
    run.step_to(1.0)
    assert run.time == 1.0
    for wrong in (0.0, -0.1, np.nan, np.inf, 1e-20):
        with pytest.raises(InputError, match="duration"):
            run.step(wrong)
    with pytest.raises(InputError, match="cannot go to"):
        run.step_to(0.5)


def test_elements_in_plain_python_and_delays_are_read_by_realizing():
    system, state, _upper, _, _ = arm()

    class Wind(mb.CustomForce):
        recordable = False

        def calc_force(self, state, body_forces, mobility_forces):
            mobility_forces[0] += float(np.sin(state.time))

    Wind(mb.ForceSubsystem(system, "weather"), name="wind")
    state = system.realize_topology()
    run = start(system, state)
    run.step(0.2)
    assert_allclose(run["lower.p_GB"], system.value(run.state, "lower.p_GB"))
    whole = mb.Simulation(system, ACCURACY, backend="interpreted").run(state, 0.2)
    assert_array_equal(run.state.y, whole.final_state.y)


def test_the_end_calls_its_handlers_once():
    system, _state, *_ = arm()
    ended = []
    mb.TerminationEventHandler.of(system, lambda s, event: ended.append(s.time), name="end", recordable=False)
    run = start(system, system.realize_topology())
    run.step(0.1)
    run.end()
    run.end()
    assert ended == [0.1]
    with pytest.raises(InputError, match=r"run.end\(\)"):
        run.step(0.1)


def test_a_closed_run_says_so():
    system, state, *_ = motorised_arm()
    with start(system, state) as run:
        handle = run.variables("upper.q", "lower.p_GB")
        run.step(0.1)
    for use in (lambda: run.step(0.1), lambda: run.time, handle.get, lambda: run["upper.q"], run.save):
        with pytest.raises(InputError, match="closed"):
            use()


def test_a_handle_outlives_what_made_it():
    system, state, *_ = motorised_arm()
    run = start(system, state)
    handle = run.variables("lower.p_GB")
    expected = handle.get()
    gc.collect()
    rubbish = [np.full(1000, 7.0) for _ in range(100)]
    assert_array_equal(handle.get(), expected)
    assert len(rubbish) == 100


def test_states_of_other_runs_and_systems_are_refused():
    system, state, *_ = motorised_arm()
    run, other = start(system, state), start(system, state)
    with pytest.raises(InputError, match=r"run.save\(\)"):
        run.restore(other.save())
    with pytest.raises(InputError, match="SavedRun"):
        run.restore(b"bytes")
    with pytest.raises(StateError):
        run.reset(hinge()[1])
