"""Ensembles step by step: the bits of `SteppedRun`, resets, observations, failures."""

import threading
import time

import numpy as np
import pytest

import mobod as mb
from mobod.ensembles.threads import WORTH, Threads
from mobod.errors import InputError, MobodError
from tests.ensembles.alone import varied
from tests.ensembles.models import Nervous, Root, double_pendulum, four_bar, random_starts, swing
from tests.laws.limited_mechanisms import falling_box, limited_tree
from tests.unit.simulate.event_systems import bouncing_mass
from tests.unit.simulate.test_called_back import with_handlers


def error_of_step(run, duration):
    try:
        run.step(duration)
    except MobodError as error:
        return str(error)
    return None


def assert_same_steps(system, states, outputs, duration, count, *, force=None, threads=1, **options):
    """The steps of an ensemble have the bits of stepped runs. Returns the ensemble."""
    ensemble = mb.Ensemble(system, states, outputs=outputs, threads=threads, **options)
    runs = [mb.Simulation(system, **options).start(state) for state in states]
    handles, failed = [run.variables(*outputs) for run in runs], {}
    for k in range(count):
        values = np.sin(np.arange(len(runs)) + k)
        ensemble.step(duration, {} if force is None else {force: values})
        for number, run in enumerate(runs):
            if number in failed or run.terminated_by is not None:
                continue
            if force is not None:
                run.set(force, values[number])
            message = error_of_step(run, duration)
            if message is not None:
                failed[number] = f"run {number}: {message}"
        assert ensemble.time.tolist() == [run.time for run in runs]
        assert ensemble.observations.tobytes() == np.array([handle.get() for handle in handles]).tobytes()
    assert dict(ensemble.failed) == failed
    assert ensemble.terminated_by == [run.terminated_by for run in runs]
    assert ensemble.steps.tolist() == [run.steps for run in runs]
    return ensemble


@pytest.mark.fast(1)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("options", [{}, {"integrator": "RK4", "step": 0.01}, {"integrator": "velocity_level", "step": 0.01}], ids=str)
def test_steps_with_inputs_have_the_bits_of_stepped_runs(options, threads, monkeypatch):
    monkeypatch.setattr("mobod.ensembles.threads.WORTH", 1e-12)  # s: all threads are used
    system = double_pendulum(stops=True)
    outputs = ["lower.q", "upper.u", "energy"]
    assert_same_steps(system, random_starts(system, 5), outputs, 0.02, 30, force="motor.force", threads=threads, **options)


@pytest.mark.fast(1)
@pytest.mark.parametrize("recordable", [True, False])
def test_handlers_in_steps(recordable):
    system, state = with_handlers(recordable)
    assert_same_steps(system, varied(state, 2), ["upper.q", "count.n"], 0.1, 10)
    system, state, _ = bouncing_mass(recordable=recordable)
    ensemble = assert_same_steps(system, varied(state, 2), ["ball.q", "bounce.count"], 0.1, 45)
    assert len(ensemble.failed) == 2  # they chatter
    system, state, _ = bouncing_mass(recordable=recordable, stop_at=2)
    ensemble = assert_same_steps(system, varied(state, 2), ["ball.q", "bounce.count"], 0.1, 15)
    assert ensemble.terminated_by == ["bounce"] * 2


@pytest.mark.fast("four_bar")
@pytest.mark.parametrize("make", [lambda: limited_tree(2, with_rods=True), lambda: falling_box(2), four_bar])
@pytest.mark.filterwarnings("ignore:.*the start at:mobod.MobodWarning")  # each start is projected
def test_limits_and_loops_in_steps(make):
    system, state = make()
    names = [each.name for each in system.variables(state) if each.role == "state" or each.name.endswith((".distance", "energy"))]
    assert_same_steps(system, varied(state, 2, scale=1e-3), names, 0.02, 30)


@pytest.mark.filterwarnings("ignore:.*the (start|state that was set) at:mobod.MobodWarning")  # each start is projected
def test_setting_states_in_a_step_projects_them():
    system, state = four_bar()
    assert_same_steps(system, varied(state, 2, scale=1e-3), ["rocker.q", "energy"], 0.02, 5, force="crank.u")


def test_a_failed_run_stays_until_it_is_reset():
    system = swing(Root)
    states = [system.realize_topology() for _ in range(3)]
    states[1].u = [5.0]
    ensemble = assert_same_steps(system, states, ["pin.q"], 0.1, 5)
    assert [number for number, _ in ensemble.failed] == [1]
    assert ensemble.time.tolist() == [0.5, 0.2, 0.5]
    observed = ensemble.observations
    ensemble.step(0.1)
    assert ensemble.observations[1] == observed[1]

    ensemble.reset([False, True, False])
    assert ensemble.failed == []
    assert ensemble.time.tolist() == [6 * 0.1, 0.0, 6 * 0.1]
    calm = system.realize_topology()
    calm.u = [0.3]
    ensemble.reset([1, 2], [calm, states[1]])
    for _ in range(5):
        ensemble.step(0.1)
    assert [number for number, _ in ensemble.failed] == [2]
    run = mb.Simulation(system).start(calm)
    for _ in range(5):
        run.step(0.1)
    assert ensemble.observations[1].tolist() == run["pin.q"].tolist()
    ensemble.reset()  # all, from the States that were given first
    assert ensemble.time.tolist() == [0.0] * 3
    assert ensemble.observations.ravel().tolist() == [0.0] * 3


def test_a_reset_run_has_no_memory_of_the_one_before():
    system, state, _ = bouncing_mass()
    ensemble = mb.Ensemble(system, varied(state, 2), outputs=["ball.q", "ball.u"])
    for _ in range(7):
        ensemble.step(0.1)
    expected, steps = ensemble.observations, ensemble.steps
    ensemble.step(3.0)
    ensemble.reset()
    for _ in range(7):
        ensemble.step(0.1)
    assert ensemble.observations.tobytes() == expected.tobytes()
    assert ensemble.steps.tolist() == steps.tolist()


def test_a_start_that_fails_waits_for_a_reset():
    system = swing(Root)
    states = [system.realize_topology() for _ in range(2)]
    states[0].q = [1.5]
    ensemble = mb.Ensemble(system, states, outputs=["pin.q"])
    assert [number for number, _ in ensemble.failed] == [0]
    ensemble.step(0.1)
    assert ensemble.time.tolist() == [0.0, 0.1]
    assert ensemble.observations[0] == 1.5
    ensemble.reset(states=states[1])
    ensemble.step(0.1)
    assert ensemble.failed == []
    assert ensemble.observations[0] == ensemble.observations[1]


def test_an_error_in_plain_python_leaves_the_others():
    system = swing(Nervous)
    states = [system.realize_topology() for _ in range(2)]
    states[0].u = [3.0]
    ensemble = mb.Ensemble(system, states, outputs=["pin.q", "energy"])
    for _ in range(3):
        ensemble.step(0.1)
    (number, message), *others = ensemble.failed
    assert (number, others) == (0, [])
    assert "run 0: calc_force of force 'force' (Nervous) failed at 0.1" in message
    assert "ZeroDivisionError: the angle is too large" in message
    assert ensemble.time.tolist() == pytest.approx([0.1, 0.3])


def test_other_variables_are_observed_and_wrong_arguments_refused():
    system = double_pendulum()
    ensemble = mb.Ensemble(system, random_starts(system, 2))
    assert ensemble.observations.shape == (2, 4)
    ensemble.observe(["lower.p_GB", "lower.p_GB[2]"])
    assert ensemble.observations.shape == (2, 4)
    assert (ensemble.observations[:, 1] == ensemble.observations[:, 3]).all()
    assert ensemble.run(0.1).names == ["lower.p_GB[1]", "lower.p_GB[2]", "lower.p_GB[3]", "lower.p_GB[2]"]
    for duration in (0.0, -1.0, np.inf):
        with pytest.raises(InputError, match="duration must be positive"):
            ensemble.step(duration)
    with pytest.raises(InputError, match=r"'motor.force' needs an array of shape \(2,\)"):
        ensemble.step(0.1, {"motor.force": [1.0]})
    with pytest.raises(InputError, match="'energy' cannot be set"):
        ensemble.step(0.1, {"energy": 1.0})
    with pytest.raises(InputError, match="2 runs begin again, but 1 States"):
        ensemble.reset(states=[system.realize_topology()])
    for runs in ([2], [0, 0], [True], ["a"]):
        with pytest.raises(InputError, match="runs are 2 booleans, or different numbers from 0 to 1"):
            ensemble.reset(runs)
    assert ensemble.time.tolist() == [0.0, 0.0]


def test_parameters_of_a_reset_change_the_first_states_of_the_runs():
    system = double_pendulum()
    states = random_starts(system, 3)
    ensemble = mb.Ensemble(system, states, outputs=["upper.q", "lower.q", "lower.u"])
    first = ensemble.observations
    ensemble.step(0.1)
    before = ensemble.observations
    ensemble.reset([0, 2], parameters={"lower.q": np.array([0.1, 0.2])})
    assert ensemble.observations[:, 1].tolist() == [0.1, before[1, 1], 0.2]
    assert ensemble.observations[[0, 2]][:, [0, 2]].tolist() == first[[0, 2]][:, [0, 2]].tolist()
    ensemble.reset([0])
    assert ensemble.observations[0].tolist() == first[0].tolist()  # the first State itself has not changed
    for values, message in ((np.array([np.nan]), "finite"), (np.zeros(2), "shape")):
        with pytest.raises(InputError, match=message):
            ensemble.reset([0], parameters={"lower.q": values})


def test_threads_stay_and_small_work_takes_one():
    threads = Threads(3)
    assert [threads.number_for(work) for work in (0.0, 0.5 * WORTH, 1.5 * WORTH, 100 * WORTH, np.inf)] == [1, 1, 2, 3, 3]
    meeting, found = threading.Barrier(3, timeout=10), []

    def task():
        found.append(threading.get_ident())
        meeting.wait()

    for _ in range(2):
        threads.do([task] * 3, [])
    assert set(found[:3]) == set(found[3:])
    assert threading.get_ident() in found[:3]
    assert len(set(found)) == 3


def test_an_error_of_a_task_is_raised_after_the_others_have_ended():
    ended = []

    def slow():
        time.sleep(0.05)
        ended.append(True)

    def wrong():
        raise ValueError("of a task")

    for tasks in ([wrong, slow], [slow, wrong]):
        with pytest.raises(ValueError, match="of a task"):
            Threads(2).do(tasks, [])
    assert ended == [True, True]


def agree(one, other):
    assert one.observations.tobytes() == other.observations.tobytes()
    assert one.time.tolist() == other.time.tolist()
    assert one.steps.tolist() == other.steps.tolist()
    assert one.failed == other.failed


@pytest.mark.fast("within")
@pytest.mark.parametrize(
    "options", [{}, {"integrator": "RK4", "step": 0.01}, {"integrator": "velocity_level", "step": 0.01}], ids=["within", "rk4", "velocity"]
)
def test_runs_that_begin_again_within_a_step_have_the_bits_of_a_reset(options):
    system = double_pendulum(stops=True)
    made = [mb.Ensemble(system, random_starts(system, 5), outputs=["lower.q", "upper.u", "energy"], **options) for _ in range(2)]
    one, other = made
    values = {"lower.q": np.array([0.1, -0.2])}
    for number in range(12):
        torque = {"motor.force": np.sin(np.arange(5) + number)}
        if number % 3 == 1:
            one.step(0.02, torque, resets=[1, 3], parameters=values)
            other.step(0.02, torque, runs=[0, 2, 4])
            other.reset([1, 3], parameters=values)
        else:
            for each in made:
                each.step(0.02, torque)
        agree(one, other)
    one.step(0.02, resets=np.array([True, False, True, False, False]))  # to the first States
    other.step(0.02, runs=[1, 3, 4])
    other.reset([0, 2])
    agree(one, other)
    with pytest.raises(InputError, match="finite"):
        one.step(0.02, resets=[1], parameters={"lower.q": np.array([np.nan])})
    agree(one, other)


@pytest.mark.parametrize("force", [Root, Nervous])
def test_failed_runs_begin_again_within_a_step(force):
    system = swing(force)
    states = [system.realize_topology() for _ in range(3)]
    states[1].u = [5.0]
    made = [mb.Ensemble(system, states, outputs=["pin.q"]) for _ in range(2)]
    for each in made:
        for _ in range(4):
            each.step(0.1)
        assert [number for number, _ in each.failed] == [1]
    one, other = made
    for angle, failed in ((0.2, []), (1.5, [1])):  # of 1.5 rad the start fails too
        one.step(0.1, resets=[1], parameters={"pin.q": np.array([angle])})
        other.step(0.1, runs=[0, 2])
        other.reset([1], parameters={"pin.q": np.array([angle])})
        assert [number for number, _ in one.failed] == failed
        agree(one, other)
