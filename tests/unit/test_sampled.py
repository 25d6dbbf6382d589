"""Sampled: times, bias and noise of readings in every way of running; and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.errors import InputError, UnsupportedError

BALL = mb.MassProperties(1.3, [0.1, 0, 0], mb.Inertia.sphere(mass=1.3, radius=0.2).shifted([0.1, 0, 0]))
AT_VELOCITY_LEVEL = {"integrator": "velocity_level", "step": 1e-3}
PERIOD = 0.02
WAYS = [{"accuracy": 1e-9}, {"integrator": "RK4", "step": 1e-3}, AT_VELOCITY_LEVEL]


def pendulum(**noise):
    system = mb.MultibodySystem("bench")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81)
    pin = mb.Pin(matter.ground, BALL, name="pin")
    imu = mb.Imu(system, pin, mb.Transform(p=[0.3, 0, 0.1]), name="imu")
    return system, mb.Sampled(system, imu, PERIOD, name="felt", **noise)


def started(system):
    """A State with a speed of 2 rad/s."""
    state = system.realize_topology()
    state.u = np.full(state.u.shape, 2.0)
    return state


def run(system, until=0.3, state=None, backend="interpreted", report_every=0.01, **options):
    state = started(system) if state is None else state
    return mb.Simulation(system, backend=backend, **options).run(state, until=until, report_every=report_every)


def column(results, name="felt"):
    """Times between readings, and what was shown: reports at the time of an event show what was before it."""
    numbers = np.concatenate([results[f"{name}.acceleration"], results[f"{name}.angular_velocity"]], axis=1)
    between = np.abs(results.time / PERIOD - np.round(results.time / PERIOD)) > 1e-6
    return results.time[between], numbers[between]


@pytest.mark.parametrize("options", WAYS)
def test_a_reading_is_the_sensor_at_the_last_multiple_of_the_period_with_a_bias(options):
    bias = [0.1, -0.2, 0.3, 0.01, 0.02, -0.03]
    system, _ = pendulum(bias=bias)
    results = run(system, report_every=0.005, **options)
    times, shown = column(results)
    exact = np.concatenate([results["imu.acceleration"], results["imu.angular_velocity"]], axis=1)
    at = np.searchsorted(results.time, np.floor(times / PERIOD) * PERIOD - 1e-9)
    assert_allclose(shown, exact[at] + bias, rtol=0, atol=1e-6)  # of reports within steps, which are interpolated


def test_noise_is_the_same_in_every_run_and_of_its_density():
    """Of all runs, of interpreted and compiled code, and of integrators: the sensor is still, so readings are the noise."""
    system = mb.MultibodySystem("bench")
    mb.ForceSubsystem(system)
    matter = mb.MatterSubsystem(system)
    still = mb.Weld(matter.ground, BALL)
    mb.Sampled(system, mb.Imu(system, still), PERIOD, noise_density={"acceleration": 0.02, "angular_velocity": 0.003}, seed=5, name="felt")
    mb.Pin(matter.ground, BALL)
    _, felt = column(run(system, until=8.0, accuracy=1e-3))
    for options in WAYS[1:]:
        assert column(run(system, until=8.0, **options))[1].tobytes() == felt.tobytes()
    scaled = felt * np.sqrt(PERIOD) / np.array([0.02] * 3 + [0.003] * 3)
    n = scaled.size
    assert n == 6 * 400
    assert abs(scaled.mean()) < 4 / np.sqrt(n)  # 4 standard errors; the seed is fixed
    assert abs(scaled.var() - 1) < 4 * np.sqrt(2 / n)
    assert np.abs(np.corrcoef([*scaled[:-1].T, *scaled[1:].T]) - np.eye(12)).max() < 4 / np.sqrt(len(scaled))


@pytest.mark.fast(1)
@pytest.mark.parametrize("options", WAYS)
def test_compiled_readings_have_the_bits_of_interpreted_ones(options):
    system, _ = pendulum(noise_density=0.01, seed=3)
    assert column(run(system, backend="compiled", **options))[1].tobytes() == column(run(system, **options))[1].tobytes()


def test_another_seed_another_name_and_another_entry_have_other_noise():
    system, felt = pendulum(noise_density=0.01, seed=3)
    mb.Sampled(system, felt.sensor, PERIOD, noise_density=0.01, seed=3, name="also")
    state = started(system)
    felt.set_seed(state, 4.0)
    first, second = run(system), run(system, state=state)
    exact = column(first, "imu")[1]
    noises = [column(results, name)[1] - exact for results, name in ((first, "felt"), (first, "also"), (second, "felt"))]
    every = np.concatenate([noise.T for noise in noises])
    assert len(np.unique(every.round(9))) == every.size
    assert_array_equal(column(second, "also")[1], column(first, "also")[1])


@pytest.mark.parametrize("options", WAYS)
def test_a_run_that_is_restored_between_readings_resumes_with_the_same_bits(options):
    system, _ = pendulum(noise_density=0.01, seed=3)
    with mb.Simulation(system, backend="interpreted", **options).start(started(system)) as run:
        columns = run.variables("felt.acceleration", "felt.angular_velocity", "pin.q")
        run.step_to(0.047)
        saved = run.save()
        rows = []
        for _ in range(2):
            for number in range(1, 5):
                run.step_to(0.047 + 0.03 * number)
                rows.append(columns.get().copy())
            run.restore(saved)
        assert_array_equal(rows[4:], rows[:4])
        state = run.state
    other = mb.Simulation(system, backend="interpreted", **options).start(state)
    other.step_to(0.077)
    assert_allclose(other.variables("felt.acceleration").get(), rows[0][:3], rtol=0, atol=1e-7)  # its first step starts at 0.047 s


@pytest.mark.parametrize("options", WAYS)
def test_a_force_may_read_what_depends_on_it(options):
    """A drive that takes back what the accelerometer felt: a discrete loop without an algebraic one."""
    system = mb.MultibodySystem("loop")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    cart = mb.Slider(matter.ground, mb.MassProperties.point(mass=2.0, p=[0, 0, 0]), name="cart")
    felt = mb.Sampled(system, mb.Imu(system, cart, name="imu"), 0.1, before=[0.5, 0, 0, 0, 0, 0], name="felt")

    class Push(mb.CustomForce):
        def calc_force(self, state, body_forces, mobility_forces):
            mobility_forces[0] += 3.0 - felt.value(state)[0]

    Push(forces, name="push")
    shown = run(system, until=0.35, report_every=0.05, **options)["felt.acceleration"][:, 0]
    assert_allclose(shown[-7::2], [1.25, 0.875, 1.0625, 0.96875], rtol=1e-12)  # each is (3 N - the last one) / 2 kg


def test_sensitivities_follow_readings_and_linearisation_takes_them_as_constant():
    """A sampled controller: derivatives of the end against central differences of whole runs; the noise is the same in all of them."""
    system, felt = pendulum(noise_density=0.01, seed=4, bias=0.1)
    forces = next(each for each in system.subsystems if isinstance(each, mb.ForceSubsystem))

    class Control(mb.CustomForce):
        gain: mb.Parameter[float] = mb.parameter("N.m.s2/m", "torque for an acceleration", default=0.05)

        def calc_force(self, state, body_forces, mobility_forces):
            mobility_forces[0] -= self.gain(state) * felt.value(state)[1]

    Control(forces, name="control")
    simulation, state = mb.Simulation(system, accuracy=1e-10, backend="interpreted"), started(system)
    names = ["control.gain", "felt.bias[2]"]
    found = mb.sensitivities(simulation, state, names, ["pin.q"], until=0.09)
    assert found.method.startswith("tangents")
    for name in names:
        ends = []
        for step in (1e-4, -1e-4):
            moved = state.copy()
            system.set_value(moved, name, float(system.value(state, name)) + step)
            ends.append(simulation.run(moved, until=0.09)["pin.q"][-1])
        assert_allclose(found["pin.q", name][-1], (ends[0] - ends[1]) / 2e-4, rtol=1e-6)  # round-off of the difference: 1e-10 / 1e-4
    linear = system.linearize(state, inputs=[], outputs=["felt.acceleration[2]"])
    assert_allclose(linear.C, [[0.0, 0.0]], atol=0)


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (lambda system, imu: mb.Sampled(system, imu, 0.0), InputError, "period"),
        (lambda system, imu: mb.Sampled(system, imu, 0.1, seed=1.5), InputError, "whole number"),
        (lambda system, imu: mb.Sampled(system, imu, 0.1, seed=-1), InputError, "least value is 0"),
        (lambda system, imu: mb.Sampled(system, imu, 0.1, noise_density=-1.0), InputError, "least value is 0"),
        (lambda system, imu: mb.Sampled(system, imu, 0.1, bias={"speed": 1.0}), InputError, "no part of 'imu' is named 'speed'"),
        (lambda system, imu: mb.Sampled(system, imu, 0.1, bias=[1.0, 2.0]), InputError, "shape"),
        (lambda system, imu: mb.Sampled(system, "imu", 0.1), InputError, "takes a measure"),
    ],
)
def test_what_cannot_be_is_refused(make, kind, text):
    system, felt = pendulum()
    with pytest.raises(kind, match=text):
        make(system, felt.sensor)


def test_readings_faster_than_steps_at_velocity_level_are_refused():
    system, _ = pendulum()
    with pytest.raises(UnsupportedError, match=r"'felt' takes a sample every 0\.02 s, and a step of 0\.03 s"):
        run(system, report_every=0.03, integrator="velocity_level", step=0.03)


def test_at_velocity_level_a_reading_waits_for_the_end_of_a_step():
    """Steps of 3 ms and readings every 20 ms: at 21, 42, 60, 81, 102 and 120 ms."""
    system, _ = pendulum()
    results = run(system, until=0.12, report_every=0.003, integrator="velocity_level", step=0.003)
    felt, exact = results["felt.acceleration"], results["imu.acceleration"]
    ends = [0, 7, 14, 20, 27, 34, 40]  # steps
    assert_array_equal(felt, exact[np.repeat(ends, np.diff([*ends, 41]))])


@pytest.mark.parametrize("options", [{"accuracy": 1e-9}, AT_VELOCITY_LEVEL])
@pytest.mark.parametrize("first", ["felt", "spring"])
def test_readings_of_one_time_are_of_one_state_in_any_order(options, first):
    """The force of a controller changes when one reading is taken; the other reading of that time still has the force from before."""
    system = mb.MultibodySystem("loop")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    cart = mb.Slider(matter.ground, mb.MassProperties.point(mass=2.0, p=[0, 0, 0]), name="cart")
    imu = mb.Imu(system, cart, name="imu")
    names = ["felt", "other"] if first == "felt" else ["other", "felt"]
    made = {name: mb.Sampled(system, imu, 0.1, before=[0.5, 0, 0, 0, 0, 0], name=name) for name in names}

    class Push(mb.CustomForce):
        def calc_force(self, state, body_forces, mobility_forces):
            mobility_forces[0] += 3.0 - made["felt"].value(state)[0]

    Push(forces, name="push")
    results = run(system, until=0.35, report_every=0.05, **options)
    assert_array_equal(results["other.acceleration"], results["felt.acceleration"])
    assert len(np.unique(results["felt.acceleration"][:, 0])) > 3


def test_an_event_just_before_a_reading_does_not_replace_it():
    """Handlers end steps a tiny part of the period before each reading, where times of readings are computed again."""
    system, _ = pendulum()
    mb.ScheduledEventHandler.of(
        system,
        lambda state, includes_now: np.floor(state.time / PERIOD + 1e-3) * PERIOD + PERIOD * (1 - 1e-8),
        lambda state, event: None,
        recordable=True,
    )
    results = run(system, report_every=0.005, accuracy=1e-9)
    _, shown = column(results)
    assert len(np.unique(shown[:, 0])) == 15
