"""Integration is as accurate as requested, ends at the requested time, and takes no more steps than necessary."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.native.equations import solution
from tests.native.slave import OK


def errors(slave, until):
    return np.abs(np.array(slave.states()) - solution(until))


@pytest.mark.fast(1)
@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-8, 1e-10])
def test_the_error_follows_the_tolerance(new_slave, tolerance):
    slave = new_slave().start(tolerance=tolerance).run(np.linspace(0, 4, 5))

    # each step of some 100 may be wrong by the tolerance; the motion is stable, so that their errors do not grow
    assert np.max(errors(slave, 4)) < 100 * tolerance
    # the integration is not much more accurate than requested
    assert np.max(errors(slave, 4)) > tolerance / 200


def test_without_a_tolerance_from_the_host_the_default_is_used(new_slave):
    times = np.linspace(0, 1, 11)
    assert new_slave().start().run(times).states() == new_slave().start(tolerance=1e-6).run(times).states()


@pytest.mark.parametrize(
    "times", [np.linspace(0, 2, 21), np.linspace(0, 2, 201), np.linspace(0, 2, 2001), None], ids=["0.1", "0.01", "0.001", "irregular"]
)
def test_communication_steps_do_not_change_the_result(new_slave, times):
    if times is None:
        times = np.concatenate([[0], np.sort(np.random.default_rng(7).uniform(0, 2, 150)), [2]])
    slave = new_slave().start(tolerance=1e-8).run(times)

    assert np.max(errors(slave, 2)) < 20e-8


def test_a_step_ends_at_exactly_the_communication_point(new_slave):
    random = np.random.default_rng(3)
    slave, time = new_slave().start(start=0.7, tolerance=1e-5), 0.7
    for step in random.uniform(1e-4, 0.3, 100):
        assert slave.step(time, step) == OK
        time += step
        assert slave.get("time") == [time]


def test_communication_points_may_differ_by_round_off(new_slave):
    slave, step = new_slave().start(), 0.1
    for i in range(30):
        assert slave.step(i * step, step) == OK  # differs from (i - 1) * step + step in the last digit
        assert slave.get("time") == [i * step + step]


def test_the_step_size_and_the_last_derivative_are_carried_over(new_slave):
    slave = new_slave().start(tolerance=1e-6).run(np.linspace(0, 1, 1001))

    # 1 ms is far less than a step could be: one step each, of six new stages; and two evaluations to choose the first one
    assert slave.get("evaluations") == [2 + 6 * 1000]


def test_a_shortened_step_does_not_shorten_the_next_one(new_slave):
    slave = new_slave().start(tolerance=1e-8).run([0, 0.5, 1])
    assert slave.step(1, 1e-7) == OK
    (before,) = slave.get("evaluations")
    assert slave.step(1 + 1e-7, 0.02) == OK

    # 0.02 s is one step at this accuracy; from 1e-7 s on, five times longer each, it would be nine
    assert slave.get("evaluations") == [before + 6]


def test_setting_the_same_value_costs_nothing_and_another_value_one_evaluation(new_slave):
    slave = new_slave().start({"motor.torque": 0.3}).run(np.linspace(0, 0.1, 11))
    (before,) = slave.get("evaluations")

    slave.set({"motor.torque": 0.3})
    slave.step(0.1, 0.001)
    assert slave.get("evaluations") == [before + 6]

    slave.set({"motor.torque": 0.31})
    slave.step(0.101, 0.001)
    assert slave.get("evaluations") == [before + 6 + 7]


def test_quaternions_stay_at_unit_length(new_slave):
    slave = new_slave().start(tolerance=1e-3)
    for i in range(200):
        slave.step(i * 0.05, 0.05)
        assert_allclose(np.linalg.norm(slave.states()[1:5]), 1, rtol=4e-16)  # one rounding of each entry


def test_outputs_after_a_step_are_those_at_its_end(new_slave):
    slave = new_slave().start().run(np.linspace(0, 0.5, 6))
    q, u, q_dot, height, energy = slave.get("pendulum.q", "pendulum.u", "der(pendulum.q)", "pendulum.height", "pendulum.energy")

    assert q_dot == u
    assert_allclose(height, -0.8 * np.cos(q), rtol=1e-15)
    assert_allclose(energy, 1.3 * (0.8 * u) ** 2 / 2 + 1.3 * 9.81 * height, rtol=1e-15)


def test_time_and_states_advance_together_at_large_times(new_slave):
    nothing_but_the_motor = {"gravity.magnitude": 0.0, "damper.damping": 0.0, "damper.drag": 0.0, "drive.amplitude": 0.0}
    start, step, torque = 1e9, 1 / 1024, 1e12  # two times differ by 1.2e-7 s at least; the torque requires a first step of 1e-12 s
    slave = new_slave().start({**nothing_but_the_motor, "motor.torque": torque}, start=start, tolerance=1e-8)
    assert slave.step(start, step) == OK

    assert slave.get("time") == [start + step]
    assert_allclose(slave.get("pendulum.u"), torque / (1.3 * 0.8**2) * step, rtol=1e-8)
