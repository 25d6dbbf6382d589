"""Ensembles: values for each run, failures, threads, order, arguments."""

import signal
import threading
import time

import numpy as np
import pytest

import mobod as mb
from mobod.ensembles import whole_runs as module
from mobod.errors import InputError, StateError, UnknownNameError
from tests.ensembles.alone import varied
from tests.ensembles.models import Nervous, Root, double_pendulum, four_bar, random_starts, swing
from tests.unit.simulate.event_systems import bouncing_mass
from tests.unit.simulate.test_max_steps import stiff_oscillator


def run(system, states, until=1.0, report_every=0.1, outputs=("lower.q", "lower.u"), **options):
    return mb.Ensemble(system, states, outputs=list(outputs), **options).run(until, report_every)


def test_parameters_inputs_and_starts_of_each_run():
    system, rng = double_pendulum(), np.random.default_rng(3)
    stiffness, force, q, u = rng.uniform(1, 30, 5), rng.normal(size=5), rng.normal(size=(5, 1)), rng.normal(size=5)
    down = rng.normal(size=(5, 3))
    down /= np.linalg.norm(down, axis=1, keepdims=True)
    ensemble = mb.Ensemble(
        system,
        system.realize_topology(),
        parameters={"spring.stiffness": stiffness, "upper.q": q, "lower.u": u, "gravity.down": down},
        inputs={"motor.force": force},
        outputs=["lower.q", "lower.p_GB", "motor.force", "spring.stiffness"],
        accuracy=1e-7,
    )
    results = ensemble.run(1.0, 0.1)
    assert len(ensemble) == len(results) == 5
    for number in range(5):
        state = system.realize_topology()
        values = {"spring.stiffness": stiffness, "upper.q": q, "lower.u": u, "gravity.down": down, "motor.force": force}
        for name, numbers in values.items():
            system.set_value(state, name, numbers[number])
        alone = mb.Simulation(system, 1e-7).run(state, 1.0, 0.1)
        assert alone["lower.q"].tobytes() == results["lower.q"][number].tobytes()
        assert alone["lower.p_GB"].tobytes() == results["lower.p_GB"][number].tobytes()
        assert results["motor.force"][number].tolist() == [force[number]] * 11
    assert results["lower.p_GB[2]"].tobytes() == np.ascontiguousarray(results["lower.p_GB"][:, :, 1]).tobytes()
    assert ensemble.run(1.0, 0.1).values.tobytes() == results.values.tobytes()  # again from the given States


def test_one_entry_of_a_vector_for_each_run():
    system = double_pendulum()
    ensemble = mb.Ensemble(system, system.realize_topology(), parameters={"gravity.down[1]": [0.1, 0.2]}, outputs=["gravity.down"])
    assert ensemble.run(0.1)["gravity.down"][:, 1].tolist() == [[0.1, -1, 0], [0.2, -1, 0]]


def test_results_do_not_depend_on_threads_chunks_order_or_company(monkeypatch):
    system = double_pendulum(stops=True)
    states = random_starts(system, 30)
    expected = run(system, states, threads=1)
    order = np.random.default_rng(0).permutation(30)
    shuffled = run(system, [states[k] for k in order], threads=2)
    assert shuffled.values.tobytes() == expected.values[order].tobytes()
    assert run(system, [states[7]]).values[0].tobytes() == expected.values[7].tobytes()
    for size in (1, 4):
        monkeypatch.setattr(module, "MOST_SLOTS", size)  # each simulation makes several runs
        for threads in (1, 2):
            again = run(system, states, threads=threads)
            assert again.values.tobytes() == expected.values.tobytes()
            assert [again.final_states[k] == expected.final_states[k] for k in range(30)] == [True] * 30


def test_without_report_every_there_are_the_start_and_the_end():
    system = double_pendulum()
    states = random_starts(system, 2)
    results = run(system, states, 0.7, None)
    assert results.time.tolist() == [0.0, 0.7]
    assert run(system, states, 0.0).time.tolist() == [0.0]
    assert run(system, states, 0.0)["lower.q"][:, 0].tolist() == [state.q[1] for state in states]
    assert mb.Ensemble(system, states).run(0.1).names == ["upper.q", "upper.u", "lower.q", "lower.u"]


def test_a_run_with_nan_fails_and_disturbs_nobody():
    system = swing(Root)
    states = [system.realize_topology() for _ in range(4)]
    for state, speed in zip(states, (0.3, 5.0, -0.4, 0.1), strict=True):
        state.u = [speed]
    results = run(system, states, outputs=["pin.q"])
    (number, message), *others = results.failed
    assert (number, others) == (1, [])
    assert "run 1: the integration stopped at 0.2" in message
    reached = results.time <= results.end_times[1]
    assert np.isfinite(results["pin.q"][1, reached]).all()
    assert np.isnan(results["pin.q"][1, ~reached]).all()
    assert 0 < reached.sum() < 10
    fine = run(system, [states[0], states[2], states[3]], outputs=["pin.q"])
    assert fine.values.tobytes() == results.values[[0, 2, 3]].tobytes()
    assert np.isfinite(fine.values).all()
    assert 0.99 < results.final_states[1].q[0] <= 1.0  # at the last good step
    assert "1 failed" in repr(results)


def test_a_start_without_accelerations_is_the_failure_of_its_run():
    system = swing(Root)
    states = [system.realize_topology() for _ in range(3)]
    states[1].q = [1.5]
    results = run(system, states, outputs=["pin.q"])
    with pytest.raises(mb.MobodError) as caught:
        mb.Simulation(system).run(states[1], 1.0)
    assert results.failed == [(1, f"run 1: {caught.value}")]
    assert np.isnan(results.values[1]).all()
    assert np.isfinite(results.values[[0, 2]]).all()
    assert results.final_states[1].q[0] == 1.5


@pytest.mark.filterwarnings("ignore:.*the start at:mobod.MobodWarning")  # each start is projected
def test_a_loop_that_cannot_be_assembled_is_the_failure_of_its_run():
    system, state = four_bar()
    states = varied(state, 3, scale=1e-3)
    states[0].q = [0, 0, np.pi]  # all bars in line, with a gap
    results = run(system, states, outputs=["rocker.q"])
    assert [number for number, _ in results.failed] == [0]
    assert "cannot be satisfied near the start" in results.failed[0][1]


@pytest.mark.filterwarnings("ignore:Ensemble. run 0. the start at 0 s did not satisfy the constraints:mobod.MobodWarning")
def test_a_start_that_the_projection_moves_far_is_a_warning():
    system, state = four_bar()
    states = [state.copy(), state]
    states[0].q = state.q + np.array([0.05, 0, 0])
    results = run(system, states, outputs=["rocker.q"])
    assert [number for number, _ in results.warnings] == [0]
    assert "was changed" in results.warnings[0][1]


def test_an_error_in_plain_python_is_the_failure_of_its_run():
    system = swing(Nervous)
    states = [system.realize_topology() for _ in range(3)]
    states[0].u, states[2].u = [0.5], [3.0]
    results = run(system, states, outputs=["pin.q"])
    assert [number for number, _ in results.failed] == [2]
    assert "ZeroDivisionError: the angle is too large" in results.failed[0][1]
    alone = mb.Simulation(system).run(states[0], 1.0, 0.1)
    assert results["pin.q"][0].tobytes() == alone["pin.q"].tobytes()


def test_a_run_that_never_ends_reaches_the_limit_of_work():
    system = stiff_oscillator()
    states = [system.realize_topology() for _ in range(3)]
    states[1].q = [0.0]  # at rest
    results = run(system, states, 4e-3, 2e-3, outputs=["slider.q"], max_steps=200)
    assert [number for number, _ in results.failed] == [0, 2]
    assert "200 steps were tried, " in results.failed[0][1]
    assert "since the last report" in results.failed[0][1]
    assert results["slider.q"][1].tolist() == [0.0] * 3


def test_events_end_runs():
    system, state, _ = bouncing_mass(stop_at=1)
    states = varied(state, 3)
    results = run(system, states, 2.0, outputs=["ball.q", "bounce.count"])
    assert results.terminated_by == ["bounce"] * 3
    assert len(set(results.end_times)) == 3
    for number in range(3):
        assert np.isnan(results["ball.q"][number]).tolist() == (results.time > results.end_times[number]).tolist()
        assert results.final_states[number].time == results.end_times[number]
    assert [state.time for state in results.final_states[1:]] == results.end_times[1:].tolist()


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.fast("2")
@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_a_long_ensemble_soon(threads):
    system = double_pendulum()
    ensemble = mb.Ensemble(system, random_starts(system, 200), threads=threads, accuracy=1e-9)
    expected = ensemble.run(0.1).values
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    began = time.perf_counter()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        ensemble.run(10_000.0)
    assert time.perf_counter() - began < 20  # the runs take hours
    assert ensemble.run(0.1).values.tobytes() == expected.tobytes()


def test_names_and_reprs():
    system = double_pendulum()
    ensemble = mb.Ensemble(system, random_starts(system, 2), outputs=["lower.p_GB", "energy"], threads=1)
    assert repr(ensemble) == "Ensemble of 2 runs of System 'double pendulum', threads: 1 (interpreted)"
    results = ensemble.run(0.2, 0.1)
    assert results.names == ["lower.p_GB[1]", "lower.p_GB[2]", "lower.p_GB[3]", "energy"] == ensemble.names
    assert results.units == ["m", "m", "m", "J"]
    assert repr(results).startswith("EnsembleResults of 2 runs: 4 outputs at 3 points from 0 s to 0.2 s; ")
    assert "energy" in results
    assert "upper.q" not in results
    with pytest.raises(UnknownNameError, match=r"'energi'.*'energy'"):
        results["energi"]


def wrong(**arguments):
    system = double_pendulum()
    return mb.Ensemble(system, system.realize_topology(), **arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "give the number of runs"),
        ({"n": 0}, "n must be a positive whole number, not 0"),
        ({"n": 2, "threads": 0}, "threads must be a positive"),
        ({"n": 3, "parameters": {"spring.stiffness": [1.0, 2.0]}}, r"'spring.stiffness' needs an array of shape \(3,\)"),
        ({"parameters": {"gravity.down": [1.0, 2.0]}}, r"'gravity.down' needs an array of shape \(2, 3\)"),
        ({"parameters": {"spring.stiffness": [1.0, -2.0]}}, "run 1: 'spring.stiffness' cannot be -2"),
        ({"parameters": {"spring.stiffness": [1.0, np.nan]}}, "run 1: 'spring.stiffness' cannot be nan"),
        ({"parameters": {"spring.stiffness": ["a", "b"]}}, "'spring.stiffness' needs an array of numbers"),
        ({"parameters": {"energy": [1.0]}}, "'energy' cannot be set: it is computed"),
        ({"inputs": {"spring.stiffness": [1.0]}}, "'spring.stiffness' is no input"),
        ({"inputs": {"motor.force": [1.0]}, "parameters": {"motor.force": [1.0]}}, "in parameters and in inputs"),
        ({"parameters": {"gravity.down": [[1, 0, 0]], "gravity.down[2]": [3.0]}}, "set the same number"),
        ({"n": 2, "outputs": "energy"}, r"Write outputs=\['energy'\]"),
        ({"n": 2, "accuracy": 1.0}, "the accuracy must be between"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        wrong(**arguments)


def test_wrong_states_and_times_are_refused():
    system = double_pendulum()
    states = random_starts(system, 3)
    with pytest.raises(InputError, match="one or more States"):
        mb.Ensemble(system, [])
    with pytest.raises(InputError, match="n, parameters and inputs are for one State"):
        mb.Ensemble(system, states, n=3)
    with pytest.raises(StateError):
        mb.Ensemble(double_pendulum(), states)
    states[2].values[states[2].layout.u.offset] = np.nan
    with pytest.raises(InputError, match=r"'upper\.u' of run 2 is nan"):
        mb.Ensemble(system, states)
    states[2].u, states[1].time = [0, 0], 0.5
    ensemble = mb.Ensemble(system, states)
    with pytest.raises(InputError, match=r"that of run 1 has 0\.5 s and that of run 0 0 s"):
        ensemble.run(1.0)
    states[1].time = 0.0
    ensemble = mb.Ensemble(system, states)
    with pytest.raises(InputError, match="until must be finite and not before"):
        ensemble.run(-1.0)
    with pytest.raises(InputError, match="report_every must be positive"):
        ensemble.run(1.0, 0.0)
    with pytest.raises(InputError, match=r"Ensemble\.run: the reports every .* there would be"):
        ensemble.run(1.0, 1e-12)
    with pytest.raises(UnknownNameError, match=r"lower\.q"):
        ensemble.run(1.0, outputs=["lower.qq"])
