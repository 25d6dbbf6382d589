"""Delays during a run: closed forms, jumps, starts, the length of the history, and that a State contains the history."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod import measures
from mobod.errors import InputError, IntegrationError
from mobod.runtime.integrators import METHODS
from mobod.simulate.delays import delay_rows

BACKENDS = [("interpreted", None), *(("interpreted", method) for method in METHODS)]


def clockwork():
    system = mb.MultibodySystem("clockwork")
    mb.MatterSubsystem(system)
    return system


def run(system, state, until, accuracy, backend=("interpreted", None), **options):
    name, integrator = backend
    return mb.Simulation(system, accuracy, backend=name, integrator=integrator).run(state, until=until, **options)


@pytest.mark.parametrize("backend", BACKENDS, ids=str)
@pytest.mark.parametrize("accuracy", [1e-5, 1e-8])
def test_a_delayed_sinusoid_is_as_accurate_as_the_run(backend, accuracy):
    system = clockwork()
    wave = measures.Sinusoid(system, 2.0, 3.0, 0.1)
    late = measures.Delay(system, wave, 0.3, name="late")
    area = measures.Integrate(system, late, name="area")
    slope = measures.Differentiate(system, late, name="slope")
    state = system.realize_topology()
    state.time = start = 0.2
    results = run(system, state, 2.2, accuracy, backend, report_every=0.031)

    t = results.time - 0.3
    was_there = t > start
    assert_allclose(results["late.value"], 2 * np.sin(3 * np.maximum(t, start) + 0.1), atol=3 * accuracy)  # |wave| + 1 is up to 3
    # before that, the value is that of the start
    first = 2 * np.sin(3 * start + 0.1)
    exact = np.where(was_there, 0.3 * first - 2 / 3 * (np.cos(3 * t + 0.1) - np.cos(3 * start + 0.1)), first * (results.time - start))
    assert_allclose(results["area.value"], exact, atol=20 * accuracy)  # accumulated over some ten steps
    # the slope of the cubic interpolant is less accurate than its value, by the length of its interval
    assert_allclose(results["slope.value"], np.where(was_there, 6 * np.cos(3 * t + 0.1), 0), atol=100 * accuracy**0.75)
    assert (late.stage, slope.stage, area.stage) == (mb.Stage.TIME, mb.Stage.TIME, mb.Stage.DYNAMICS)


@pytest.mark.parametrize("backend", BACKENDS, ids=str)
def test_a_delay_differential_equation_has_its_closed_form(backend):
    """x' = -x(t - 1), x = 1 until 0: by the method of steps x = sum of (-1)^k (t - k + 1)^k / k! over k <= t + 1."""
    system = clockwork()
    rate = measures.Custom(system, lambda state: -late.value(state), stage=mb.Stage.POSITION)
    x = measures.Integrate(system, rate, initial=1.0, name="x")
    late = measures.Delay(system, x, 1.0, before=1.0)
    results = run(system, system.realize_topology(), 4.5, 1e-9, backend, report_every=0.1)
    exact = 1 - results.time
    factorial = 1
    for k in range(2, 6):
        factorial *= k
        exact += np.where(results.time > k - 1, (-1) ** k * (results.time - k + 1) ** k / factorial, 0)
    assert_allclose(results["x.value"], exact, atol=1e-7)  # 100 times the accuracy of a step, of which there are some tens


def test_a_delay_shorter_than_the_steps_shortens_them():
    system = clockwork()
    line = measures.Custom(system, lambda state: 3 * state.time - 1, stage=mb.Stage.TIME)
    measures.Integrate(system, measures.Delay(system, line, 0.01), name="area")
    results = run(system, system.realize_topology(), 1.0, 1e-6)
    assert results.steps >= 100
    assert np.diff(results.time).max() < 0.01
    assert_allclose(results["area.value"][-1], -0.01 + 1.5 * 0.99**2 - 0.99, atol=1e-12)  # a straight line is interpolated exactly


@pytest.mark.parametrize("backend", BACKENDS, ids=str)
def test_a_jump_is_delayed_without_smoothing(backend):
    system = clockwork()
    level = measures.Variable(system, [1.0, -2.0], name="level")
    measures.Integrate(system, measures.Delay(system, level, 0.7, name="late"), name="area")
    state = run(system, system.realize_topology(), 0.3, 1e-8, backend).final_state
    for value, until in (([4.0, 5.0], 0.4), ([0.5, 0.25], 1.8)):
        system.set_value(state, "level.value", value)
        results = run(system, state, until, 1e-8, backend, report_every=0.047)
        state = results.final_state
    t = results.time[:, None]
    assert_array_equal(results["late.value"], np.where(t > 1.1, [0.5, 0.25], np.where(t > 1.0, [4.0, 5.0], [1.0, -2.0])))
    # exact, since steps end at the jumps: their values are constant
    assert_allclose(results["area.value"][-1], [1.0 + 0.1 * 4.0 + 0.7 * 0.5, -2.0 + 0.1 * 5.0 + 0.7 * 0.25], rtol=1e-13)


@pytest.mark.parametrize("speed", [0.0, -0.1])
@pytest.mark.parametrize("backend", BACKENDS, ids=str)
def test_the_effect_of_an_event_is_delayed(backend, speed):
    """A ball bounces after a fall of 1 m. An event detects the jump of its delayed speed."""
    system = mb.MultibodySystem("ball")
    matter = mb.MatterSubsystem(system)
    mb.UniformGravity(mb.ForceSubsystem(system), matter, gravity=[-9.8, 0, 0])
    ball = mb.Slider(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]), name="ball")
    v = measures.Custom(system, lambda state: ball.u(state)[0], stage=mb.Stage.VELOCITY, unit="m/s")
    late = measures.Delay(system, v, 0.2, name="late")

    def bounce(state, event):
        ball.set_u(state, -0.8 * ball.u(state))

    mb.TriggeredEventHandler.of(system, lambda state: ball.q(state)[0] + 1, bounce, direction="falling", name="bounce")
    mb.TriggeredEventReporter.of(system, lambda state: late.value(state), lambda state: None, name="seen", direction="rising")
    state = system.realize_topology()
    ball.set_u(state, speed)
    results = run(system, state, 1.0, 1e-10, backend, report_every=0.0173)

    landing = (speed + np.sqrt(speed**2 + 2 * 9.8)) / 9.8
    assert_allclose(results.event_times("bounce"), [landing], atol=1e-9)
    assert_allclose(results.event_times("seen"), [landing + 0.2], atol=1e-9)
    t = results.time - 0.2
    fallen = speed - 9.8 * np.maximum(t, 0)
    exact = np.where(t < landing, fallen, 0.8 * (9.8 * landing - speed) - 9.8 * (t - landing))
    assert_allclose(results["late.value"], exact, atol=1e-8)


def feedback(**keywords):
    """A pendulum with forces that depend on its delayed acceleration and its delayed position."""
    system = mb.MultibodySystem("feedback")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.7, name="gravity")
    pin = mb.Pin(matter.ground, mb.MassProperties.point(0.8, [0, -0.6, 0]), name="pin")
    ball = mb.Ball(pin, mb.MassProperties(0.5, [0.1, -0.3, 0], 0.2 * np.eye(3)), X_PF=mb.Transform(p=[0, -0.6, 0]), name="ball")
    acceleration = measures.Custom(system, lambda state: ball.A_GB(state), stage=mb.Stage.ACCELERATION, shape=(6,), name="felt")
    felt = measures.Delay(system, acceleration, 0.11, before=0.0, name="felt late", **keywords)
    seen = measures.Delay(system, measures.Custom(system, lambda state: pin.q(state)[0], stage=mb.Stage.POSITION), 0.07, name="seen late")

    class Push(mb.CustomForce):
        def calc_force(self, state, body_forces, mobility_forces):
            mobility_forces[0] -= 0.2 * felt.value(state)[2] + 1.5 * seen.value(state)
            mobility_forces[1] += 0.05 * felt.value(state)[0]

    Push(forces, name="push")
    state = system.realize_topology()
    pin.set_q(state, 0.9)
    ball.set_u(state, [0.4, -1.1, 0.8])
    return system, state


@pytest.mark.parametrize("backend", BACKENDS, ids=str)
def test_a_state_contains_the_history_and_continues_with_the_same_bits(backend):
    system, state = feedback()
    middle = run(system, state, 0.4, 1e-7, backend).final_state
    again = mb.State.from_bytes(system, middle.to_bytes())
    ends = [run(system, each, 0.9, 1e-7, backend).final_state for each in (middle, again, middle.copy())]
    for end in ends[1:]:
        assert end == ends[0]
    # without its history it moves differently
    fresh = system.realize_topology()
    fresh.time, fresh.y = middle.time, np.array(middle.y)
    assert np.abs(run(system, fresh, 0.9, 1e-7, backend).final_state.y - ends[0].y).max() > 1e-3


def test_a_run_from_another_start_has_no_history():
    system = clockwork()
    wave = measures.Sinusoid(system, 2.0, 3.0)
    late = measures.Delay(system, wave, 0.5)
    (row,) = delay_rows(system, state := system.realize_topology())
    results = run(system, state, 2.0, 1e-6)
    end = results.final_state

    earlier = end.copy()
    earlier.time = results.time[results.time < 1.999][-1]  # later history is discarded, earlier history is kept
    after = run(system, earlier, 2.2, 1e-6).final_state
    system.realize(after)
    assert_allclose(late.value(after), 2 * np.sin(5.1), atol=1e-5)

    long_ago = end.copy()
    long_ago.time = 1.1  # the history of half a second before is gone; a run starts a new one
    system.realize(long_ago)
    assert np.isnan(late.value(long_ago))
    after = run(system, long_ago, long_ago.time + 0.1, 1e-6).final_state
    system.realize(after)
    assert_allclose(late.value(after), 2 * np.sin(3 * long_ago.time), rtol=1e-12)

    later = end.copy()
    later.time = 2.3  # values between the end and this time are unknown
    after = run(system, later, 2.4, 1e-6).final_state
    system.realize(after)
    assert_allclose(late.value(after), 2 * np.sin(6.9), rtol=1e-12)
    assert row.history(after.values).entries[0, 0] == 2.3


def test_a_too_small_capacity_stops_a_run_with_a_remedy():
    system, state = feedback(capacity=10)
    message = r"the integration stopped at 0\.\d+ s: the record of delay 'felt late' is full: it has 10 entries for 0.11 s. .*capacity=20"
    with pytest.raises(IntegrationError, match=message):
        run(system, state, 1.0, 1e-10)


def test_delayed_values_change_with_time():
    system, state = feedback()
    end = run(system, state, 0.5, 1e-9).final_state
    system.realize(end)
    change = system.directional_derivative(end, of=["seen late.value"], along={"time": 1.0})["seen late.value"]
    later = end.copy()
    later.time = end.time + 1e-6
    system.realize(later)
    difference = (
        system.value(later, system.variable(later, "seen late.value")) - system.value(end, system.variable(end, "seen late.value"))
    ) / 1e-6
    assert_allclose(change, difference, rtol=1e-4)


def test_operands_that_cannot_be_delayed_are_refused():
    system = clockwork()
    wave = measures.Sinusoid(system, 2.0, 3.0, name="wave")
    with pytest.raises(InputError, match=r"Delay: the delay must be positive, not -1.0 s"):
        measures.Delay(system, wave, -1.0)
    with pytest.raises(InputError, match=r"Delay: capacity is 3. It must be at least 10"):
        measures.Delay(system, wave, 1.0, capacity=3)
    with pytest.raises(InputError, match=r"'Delay: before' has shape \(\)"):
        measures.Delay(system, wave, 1.0, before=[1.0, 2.0])
    last = measures.Custom(system, lambda state: state.time, stage=mb.Stage.REPORT, name="last")
    with pytest.raises(InputError, match="measure 'last': its value is known at REPORT, so nothing tells its rate"):
        measures.Delay(system, last, 1.0)
