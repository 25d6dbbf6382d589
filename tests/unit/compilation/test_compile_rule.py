"""When interpreted runs are compiled: by the work that they have done and still have to do, against the cost of compiling."""

import pytest

import mobod as mb
from mobod.compilation.compile_rule import cost_of_compiling, pays, saved_time
from mobod.compilation.compiled_later import CompiledLater
from mobod.simulate.native_model import native_model
from tests.unit.simulate.test_native import pendulum, tumbling_body_with_an_arm


def test_compiling_pays_once_it_would_have_saved_its_cost():
    assert not pays(saved=0.9, expected=0.0, cost=1.0)
    assert pays(saved=1.0, expected=0.0, cost=1.0)


def test_compiling_pays_earlier_if_the_known_rest_of_a_run_is_long_but_not_on_the_evidence_of_a_few_steps():
    assert pays(saved=0.2, expected=1.5, cost=1.0)
    assert not pays(saved=0.2, expected=0.9, cost=1.0)
    assert not pays(saved=0.01, expected=1e6, cost=1.0)


def test_compiled_code_saves_no_more_than_a_part_of_the_time_that_plain_python_takes_too():
    fast, slow = (saved_time(1000.0, 10_000, seconds) for seconds in (None, 0.001))
    assert 0 < slow < 0.001 < fast


def test_the_cost_grows_with_files_and_with_lines():
    assert 0 < cost_of_compiling([]) < cost_of_compiling([100]) < cost_of_compiling([100, 100]) < cost_of_compiling([100, 3000])


@pytest.fixture
def begun(monkeypatch):
    """Lists the jobs in place of beginning them. Writing costs 1 s, compiling 5 s, and an evaluation would be 1 s shorter if compiled."""
    jobs = []

    def begin(later, job):
        jobs.append(job.__name__)
        later._cost = 5.0

    monkeypatch.setattr(CompiledLater, "_begin", begin)
    monkeypatch.setattr("mobod.compilation.compiled_later.cost_of_writing", lambda _: 1.0)
    monkeypatch.setattr("mobod.compilation.compiled_later.saved_time", lambda units, evaluations, seconds: float(evaluations))
    return jobs


def later_of(system_and_state):
    system, state = system_and_state
    return CompiledLater(native_model(system, state, "interpreted"), state.layout)


def test_the_code_is_written_and_then_compiled_as_the_work_of_a_run_goes_on(begun):
    later, jobs = later_of(pendulum()), []
    for _ in range(8):
        later.note_work(1, None, 0.0)
        jobs.append(begun.copy())
    assert jobs[0] == ["_write"]
    assert jobs[3] == ["_write"]  # saved 4 of 5 s
    assert jobs[4] == ["_write", "_build"]


def test_a_run_that_is_known_to_be_long_is_compiled_at_once_when_its_speed_is_known(begun):
    later = later_of(pendulum())
    later.note_work(1, None, 400.0)
    later.note_work(1, None, 399.0)
    assert begun == ["_write", "_build"]


def test_the_work_of_many_short_runs_of_a_system_adds_up(begun):
    system, state = tumbling_body_with_an_arm()
    simulation = mb.Simulation(system, 1e-4, backend="auto")
    for _ in range(3):
        simulation.run(state, 0.1)
    assert begun[:2] == ["_write", "_build"]


def test_a_short_run_starts_no_process_and_no_thread(monkeypatch):
    def started(*arguments, **_):
        raise AssertionError(f"started: {arguments}")

    for each in ("subprocess.Popen", "threading.Thread"):
        monkeypatch.setattr(each, started)
    system, state = tumbling_body_with_an_arm()
    results = mb.Simulation(system, backend="auto").run(state, 0.3)
    with mb.Simulation(system, backend="auto").start(state) as run:
        for _ in range(30):
            run.step(0.01)
    assert (results.backend, run.backend) == ("interpreted", "interpreted")
