"""Extremes and samples during a run: closed forms, jumps, rests, and that a State contains them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import brentq

import mobod as mb
from mobod import measures
from mobod.errors import InputError
from mobod.runtime.integrators import METHODS

BACKENDS = [("interpreted", None), *(("interpreted", method) for method in METHODS)]
DAMPING, FREQUENCY = 0.2, np.sqrt(9 - 0.04)  # 1/s, rad/s
X0, V0 = 0.2, 1.0


def run(system, state, until, accuracy, backend=("interpreted", None), **options):
    name, integrator = backend
    return mb.Simulation(system, accuracy, backend=name, integrator=integrator).run(state, until=until, **options)


def oscillator():
    """x'' = -9 x - 0.4 x', from X0 with V0."""
    system = mb.MultibodySystem("oscillator")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    slider = mb.Slider(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]), name="slider")
    mb.MobilityLinearSpring(forces, slider, stiffness=9.0)
    mb.MobilityLinearDamper(forces, slider, damping=0.4)
    slider.set_default_q(X0)
    x = measures.Custom(system, lambda state: slider.q(state)[0], stage=mb.Stage.POSITION, unit="m", name="x")
    v = measures.Custom(system, lambda state: slider.u(state)[0], stage=mb.Stage.VELOCITY, unit="m/s", name="v")
    a = measures.Custom(system, lambda state: slider.u_dot(state)[0], stage=mb.Stage.ACCELERATION, unit="m/s2", name="a")
    return system, slider, {"x": x, "v": v, "a": a}


def started(system, slider):
    state = system.realize_topology()
    slider.set_u(state, V0)
    return state


def motion(t, derivative=0):
    """x, or a derivative of it: the real part of c exp(s t), s = -DAMPING + i FREQUENCY."""
    s = complex(-DAMPING, FREQUENCY)
    c = complex(X0, -(V0 + DAMPING * X0) / FREQUENCY)
    return (c * s**derivative * np.exp(s * np.asarray(t))).real


def extremes_until(t, derivative):
    """(times, values) of all local extremes until t, including both ends."""
    grid = np.linspace(0, t, 2000)
    slope = motion(grid, derivative + 1)
    roots = [
        brentq(lambda time: motion(time, derivative + 1), grid[i], grid[i + 1], xtol=1e-15)
        for i in np.flatnonzero(slope[:-1] * slope[1:] < 0)
    ]
    times = np.array([0.0, *roots, t])
    return times, motion(times, derivative)


def zero_of(derivative):
    """s, the first."""
    grid = np.linspace(0, 2, 500)
    values = motion(grid, derivative)
    i = np.flatnonzero(values[:-1] * values[1:] < 0)[0]
    return brentq(lambda time: motion(time, derivative), grid[i], grid[i + 1], xtol=1e-15)


@pytest.mark.fast(2)
@pytest.mark.parametrize("backend", BACKENDS, ids=str)
def test_extremes_of_a_damped_oscillation_match_the_closed_form(backend):
    system, slider, operands = oscillator()
    found = {
        (kind, name): kind(system, operand, name=f"{kind.__name__} of {name}")
        for kind in (measures.Maximum, measures.Minimum, measures.MaxAbs, measures.MinAbs)
        for name, operand in operands.items()
    }
    assert all(measure.units == operands[name].units for (_, name), measure in found.items())
    for until in (0.15, 3.0):  # before the first extreme, and after several
        end = run(system, started(system, slider), until, 1e-10, backend).final_state
        system.realize(end)
        for (kind, name), measure in found.items():
            times, values = extremes_until(until, "xva".index(name))
            place = {
                measures.Maximum: values.argmax(),
                measures.Minimum: values.argmin(),
                measures.MaxAbs: np.abs(values).argmax(),
                measures.MinAbs: np.abs(values).argmin(),
            }[kind]
            expected, at = values[place], times[place]
            if kind is measures.MinAbs and values.min() < 0 < values.max():
                expected, at = 0.0, zero_of("xva".index(name))
            # accuracy 1e-10 over some tens of steps, values up to 9; an extreme is where the rate is 0 to that accuracy
            assert_allclose(measure.value(end), expected, atol=1e-8, err_msg=f"{measure.name} until {until}")
            assert_allclose(measure.time(end), at, atol=1e-8, err_msg=f"{measure.name} until {until}")


def test_at_each_report_the_measure_is_the_extreme_until_then():
    system, slider, operands = oscillator()
    measures.Maximum(system, operands["x"], name="highest")
    measures.Minimum(system, operands["x"], name="lowest")
    results = run(system, started(system, slider), 3.0, 1e-10, report_every=0.013)
    for name, choose in (("highest", np.max), ("lowest", np.min)):
        expected = [choose(extremes_until(t, 0)[1]) if t else X0 for t in results.time]
        assert_allclose(results[f"{name}.value"], expected, atol=1e-8)
    assert (np.diff(results["highest.time"]) >= 0).all()
    assert len(results.events) == 0  # events of measures are not reported


def test_each_entry_has_its_own_extreme():
    system, slider, _ = oscillator()
    pair = measures.Custom(
        system, lambda state: np.array([slider.q(state)[0], -2 * slider.u(state)[0]]), shape=(2,), stage=mb.Stage.VELOCITY
    )
    highest = measures.Maximum(system, pair, name="highest")
    end = run(system, started(system, slider), 3.0, 1e-10).final_state
    system.realize(end)
    for entry, (factor, derivative) in enumerate(((1, 0), (-2, 1))):
        times, values = extremes_until(3.0, derivative)
        place = (factor * values).argmax()
        assert_allclose(highest.value(end)[entry], factor * values[place], atol=1e-8)
        assert_allclose(highest.time(end)[entry], times[place], atol=1e-8)


def bouncing(when_added="after"):
    """A ball of 0.5 m/s upwards that is thrown back by an event handler where it has fallen 1 m; extremes of its velocity jump."""
    system = mb.MultibodySystem("ball")
    matter = mb.MatterSubsystem(system)
    mb.UniformGravity(mb.ForceSubsystem(system), matter, gravity=[-9.8, 0, 0])
    ball = mb.Slider(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]), name="ball")

    def extremes():
        v = measures.Custom(system, lambda state: ball.u(state)[0], stage=mb.Stage.VELOCITY, unit="m/s")
        return measures.Maximum(system, v, name="fastest"), measures.Minimum(system, v, name="slowest")

    def bounce(state, event):
        ball.set_u(state, -0.8 * ball.u(state))

    if when_added == "before":
        found = extremes()
    mb.TriggeredEventHandler.of(system, lambda state: ball.q(state)[0] + 1, bounce, direction="falling", name="bounce")
    if when_added == "after":
        found = extremes()
    state = system.realize_topology()
    ball.set_u(state, 0.5)
    return system, state, found


@pytest.mark.parametrize("when_added", ["before", "after"])
def test_both_values_at_a_jump_count_in_any_order_of_handlers(when_added):
    system, state, (fastest, slowest) = bouncing(when_added)
    landing = (0.5 + np.sqrt(0.25 + 2 * 9.8)) / 9.8
    end = run(system, state, landing + 0.1, 1e-10).final_state
    system.realize(end)
    falling = 0.5 - 9.8 * landing
    assert_allclose([slowest.value(end), slowest.time(end)], [falling, landing], atol=1e-9)
    assert_allclose([fastest.value(end), fastest.time(end)], [-0.8 * falling, landing], atol=1e-9)


def test_a_resting_quantity_keeps_its_initial_extreme():
    """A pendulum that hangs: its rates are 0, or round-off."""
    system = mb.MultibodySystem("pendulum")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.7)
    ball = mb.Ball(matter.ground, mb.MassProperties(0.8, [0, -0.6, 0], [[0.4, 0, 0], [0, 0.1, 0], [0, 0, 0.4]]), name="ball")
    height = measures.Custom(system, lambda state: ball.X_GB(state).apply([0.1, -0.6, 0.2])[1], stage=mb.Stage.POSITION)
    highest = measures.Maximum(system, height, name="highest")
    results = run(system, system.realize_topology(), 5.0, 1e-8)
    end = results.final_state
    system.realize(end)
    assert_allclose(highest.value(end), -0.6, rtol=1e-12)
    assert results.steps < 200


def test_a_state_contains_the_extreme_and_can_reset_it():
    system, slider, operands = oscillator()
    highest = measures.Maximum(system, operands["x"], name="highest")
    simulation = mb.Simulation(system, 1e-8)
    middle = simulation.run(started(system, slider), until=1.1).final_state
    again = mb.State.from_bytes(system, middle.to_bytes())
    ends = [simulation.run(each, until=2.9).final_state for each in (middle, again)]
    assert ends[0] == ends[1]
    system.realize(ends[1])
    assert highest.time(ends[1]) < 1.1

    highest.reset(middle)
    end = simulation.run(middle, until=2.9).final_state
    system.realize(end)
    times, values = extremes_until(2.9, 0)
    later = times > 1.1
    assert_allclose(highest.value(end), values[later].max(), atol=1e-6)


def test_a_force_may_read_an_extreme():
    """A spring pulls towards the farthest point so far."""
    system = mb.MultibodySystem("ratchet")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    slider = mb.Slider(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]), name="slider")
    x = measures.Custom(system, lambda state: slider.q(state)[0], stage=mb.Stage.POSITION, unit="m")
    farthest = measures.Maximum(system, x, name="farthest")

    class Pull(mb.CustomForce):
        def calc_force(self, state, body_forces, mobility_forces):
            mobility_forces[0] -= 4.0 * (slider.q(state)[0] - farthest.value(state)) + 1.0

    Pull(forces, name="pull")
    state = system.realize_topology()
    slider.set_u(state, 1.0)
    end = run(system, state, 1.9, 1e-10).final_state
    # 1 N stops it after 1 s at 0.5 m; then it oscillates about an equilibrium 0.25 m away
    assert_allclose(slider.q(end), 0.5 - 0.25 * (1 - np.cos(2 * 0.9)), atol=1e-8)


@pytest.mark.parametrize("backend", BACKENDS, ids=str)
def test_samples_are_taken_and_held_at_multiples_of_the_interval(backend):
    system, slider, operands = oscillator()
    measures.SampleAndHold(system, operands["x"], 0.3, name="held")
    measures.SampleAndHold(system, operands["a"], 0.07, before=-1.5, name="felt")
    state = started(system, slider)
    results = run(system, state, 2.0, 1e-10, backend, report_every=0.0113)
    t = results.time[1:-1]  # samples at both ends are taken after the report
    assert_allclose(results["held.value"][1:-1], motion(0.3 * np.floor(t / 0.3)), atol=1e-8)
    assert_allclose(results["felt.value"][1:-1], motion(0.07 * np.floor(t / 0.07), 2), atol=1e-7)


def test_a_run_that_starts_between_multiples_samples_at_its_start_unless_a_value_is_given():
    system, slider, operands = oscillator()
    measures.SampleAndHold(system, operands["x"], 0.3, name="held")
    measures.SampleAndHold(system, operands["x"], 0.3, before=7.0, name="given")
    state = started(system, slider)
    state.time = 0.1
    results = run(system, state, 0.5, 1e-10, report_every=0.07)
    sampled = motion(0.2)  # at 0.3 s
    assert_allclose(results["held.value"], np.where(results.time < 0.3, X0, sampled), atol=1e-8)
    assert_allclose(results["given.value"], np.where(results.time < 0.3, 7.0, sampled), atol=1e-8)


def test_a_handler_can_sample():
    system, slider, operands = oscillator()
    held = measures.SampleAndHold(system, operands["v"], name="held")
    mb.TriggeredEventHandler.of(system, lambda state: slider.q(state)[0], lambda state, event: held.sample(state), name="at zero")
    results = run(system, started(system, slider), 3.0, 1e-10)
    end = results.final_state
    system.realize(end)
    crossings = results.event_times("at zero")
    assert len(crossings) == 3
    assert_allclose(held.value(end), motion(crossings[-1], 1), atol=1e-8)
    held.sample(end)
    system.realize(end)
    assert_allclose(held.value(end), motion(3.0, 1), atol=1e-8)


def test_a_sampled_controller_matches_the_discrete_one():
    """Force held between samples: x'' = f_k, f_k = -2 x_k - 1.5 v_k, which leads exactly from one sample to the next."""
    system = mb.MultibodySystem("sampled")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    slider = mb.Slider(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]), name="slider")
    seen = measures.Custom(system, lambda state: -2 * slider.q(state)[0] - 1.5 * slider.u(state)[0], stage=mb.Stage.VELOCITY, unit="N")
    held = measures.SampleAndHold(system, seen, 0.25)

    class Hold(mb.CustomForce):
        def calc_force(self, state, body_forces, mobility_forces):
            mobility_forces[0] += held.value(state)

    Hold(forces, name="hold")
    state = system.realize_topology()
    slider.set_q(state, 1.0)
    end = run(system, state, 2.4, 1e-10).final_state
    x, v = 1.0, 0.0
    for k in range(10):
        h, f = (0.25 if k < 9 else 0.15), -2 * x - 1.5 * v
        x, v = x + h * v + h * h * f / 2, v + h * f
    assert_allclose([slider.q(end)[0], slider.u(end)[0]], [x, v], atol=1e-9)


def test_invalid_arguments_are_refused():
    system, _, operands = oscillator()
    with pytest.raises(InputError, match="Maximum takes a measure, not float"):
        measures.Maximum(system, 1.0)
    with pytest.raises(InputError, match=r"the interval must be a positive time, not -1\.0 s"):
        measures.SampleAndHold(system, operands["x"], -1.0)
    last = measures.Custom(system, lambda state: state.time, stage=mb.Stage.REPORT, name="last")
    with pytest.raises(InputError, match="measure 'last': its value is known at REPORT, so nothing tells its rate"):
        measures.Minimum(system, last)
    measures.Maximum(system, operands["x"], name="highest")
    state = system.realize_topology()
    assert not any("observation" in variable.name or "turn" in variable.name for variable in system.variables(state))
    assert_array_equal(
        [variable.name for variable in system.variables(state) if "highest" in variable.name], ["highest.value", "highest.time"]
    )
