"""Runs that are compiled in the background: what ran is said, failures are a warning, and the switch of the environment."""

import shutil
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
from numpy.testing import assert_array_equal

import mobod as mb
from mobod.compilation.compiled_later import CompiledLater
from mobod.errors import InputError, MobodWarning
from mobod.scalar.kernel_calls import LoadedFunction
from tests.equivalence.test_compiled_realization import all_values, kernels
from tests.unit.simulate.test_native import pendulum, tumbling_body_with_an_arm

posix = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins for compilers are shell scripts")


@pytest.fixture
def costs_nothing(monkeypatch):
    """Writing and compiling pay at once."""
    for each in ("cost_of_writing", "cost_of_compiling"):
        monkeypatch.setattr(f"mobod.compilation.compiled_later.{each}", lambda *_: 0.0)


def steps_until_over(run):
    """Steps of a run until no job of the background is left: y after each step."""
    found, deadline = [], time.monotonic() + 120
    while run._driver.changes_over:
        run.step(0.001)
        found.append(run.state.y)
        for thread in threading.enumerate():
            if thread.name == "mobod compiles":
                thread.join(max(0.0, deadline - time.monotonic()))
    return found


def test_a_run_goes_on_compiled_and_says_so_and_later_runs_and_realizations_are_compiled(costs_nothing):
    system, state = tumbling_body_with_an_arm()
    with mb.Simulation(system, backend="interpreted").start(state) as run:
        for _ in range(12):
            run.step(0.001)
        expected, values = run.state.y, all_values(system, run.state)
    with mb.Simulation(system, backend="auto").start(state) as run:
        n = len(steps_until_over(run))
        changed_at = run.time
        for _ in range(12 - n):
            run.step(0.001)
        assert run.backend == f"interpreted, then compiled at {changed_at:g} s"
        assert run.history().backend == run.backend
        assert f"({run.backend})" in repr(run)
        assert_array_equal(run.state.y, expected)
        assert_array_equal(all_values(system, run.state), values)

    assert kernels(state) == {LoadedFunction}
    assert mb.Simulation(system, backend="auto").run(state, 0.01).backend == "compiled"
    assert mb.Simulation(system, backend="interpreted").run(state, 0.01).backend == "interpreted"


def test_threads_that_run_one_system_while_it_is_compiled_have_the_same_bits(costs_nothing):
    system, state = tumbling_body_with_an_arm()
    expected = mb.Simulation(system, backend="interpreted").run(state, 3.0).final_state.y
    simulation = mb.Simulation(system, backend="auto")
    with ThreadPoolExecutor(3) as pool:
        for results in pool.map(lambda _: simulation.run(state, 3.0), range(6)):
            assert_array_equal(results.final_state.y, expected)


def test_never_keeps_runs_interpreted_and_explicit_backends_as_they_are(monkeypatch, costs_nothing):
    monkeypatch.setenv("MOBOD_COMPILE", "never")
    monkeypatch.setattr(CompiledLater, "note_work", None)
    system, state = pendulum()
    simulation = mb.Simulation(system, backend="auto")
    assert simulation.run(state, 0.1).backend == "interpreted"
    assert simulation.chosen_backend(state) == "interpreted"
    assert mb.Simulation(system, backend="compiled").run(state, 0.1).backend == "compiled"


def test_an_unknown_word_of_the_switch_is_refused(monkeypatch):
    monkeypatch.setenv("MOBOD_COMPILE", "no")
    system, state = pendulum()
    with pytest.raises(InputError, match=r"MOBOD_COMPILE is set to 'no'\. Set it to 'never'"):
        mb.Simulation(system, backend="auto").run(state, 0.1)


@posix
def test_a_failure_in_the_background_is_one_warning_and_the_runs_stay_interpreted(tmp_path, monkeypatch, costs_nothing):
    broken = tmp_path / "cc"
    broken.write_text('#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "error: no space for objects" >&2\nexit 1\n')
    broken.chmod(0o700)
    monkeypatch.setenv("CC", str(broken))
    monkeypatch.setenv("MOBOD_CACHE", str(tmp_path / "cache"))
    system, state = pendulum()
    simulation = mb.Simulation(system, backend="auto")
    expected = "(?s)System 'pendulum' cannot be compiled, and its runs stay interpreted.*no space for objects"
    with simulation.start(state) as run, pytest.warns(MobodWarning, match=expected) as all_of:
        steps_until_over(run)
    assert len(all_of) == 1
    assert run.backend == "interpreted"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert simulation.run(state, 0.1).backend == "interpreted"


def test_without_a_compiler_runs_stay_interpreted_without_a_warning(monkeypatch, costs_nothing):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr("mobod.runtime.compiler.has_zig", lambda: False)
    system, state = pendulum()
    with warnings.catch_warnings(), mb.Simulation(system, backend="auto").start(state) as run:
        warnings.simplefilter("error")
        assert steps_until_over(run)
    assert run.backend == "interpreted"


def test_a_program_that_contains_python_is_not_started_to_compile(monkeypatch, costs_nothing):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    system, state = pendulum()
    with mb.Simulation(system, backend="auto").start(state) as run:
        steps_until_over(run)
    assert run.backend == "interpreted"
    assert shutil.which("cc") is None or mb.Simulation(system, backend="compiled").run(state, 0.1).backend == "compiled"
