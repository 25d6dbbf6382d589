"""Runs side by side have the bits of runs one after another, with vectors of each width, compiled and interpreted."""

from typing import Literal

import numpy as np
import pytest

import mobod as mb
from mobod.ensembles import EnsembleResults
from mobod.errors import NoCompilerError
from mobod.runtime.library import ffi
from mobod.runtime.simd import VARIABLE, available_simd
from tests.ensembles.mechanisms_with_events import FAILING, MECHANISMS, Runs

COUNT = 12  # runs, more than there are lanes
WIDTHS = [each.name for each in available_simd()]  # the widest first
pytestmark = [
    pytest.mark.skipif(not WIDTHS, reason="the processor has no vectors that mobod knows"),
    pytest.mark.filterwarnings("ignore::mobod.MobodWarning"),  # of ambiguous impacts, and of starts that are projected
]


def steps_of_lanes(ensemble: mb.Ensemble) -> tuple[int, int]:
    """The numbers of steps that were tried in lanes, and alone, by the one thread of an ensemble."""
    counts = ffi.new("int64_t[2]")
    (group,) = ensemble._whole_runs._groups
    for each in group._lanes.values():
        each._library.count_of_lane_steps(each._lanes, counts, counts + 1)
    return counts[0], counts[1]


def problems_of_lanes(ensemble: mb.Ensemble) -> tuple[int, int]:
    """The numbers of problems with friction that were solved for several runs at once, and one by one, by the one thread of an ensemble."""
    counts = ffi.new("int64_t[2]")
    (group,) = ensemble._whole_runs._groups
    for each in group._lanes.values():
        each._library.count_of_lane_problems(each._lanes, counts, counts + 1)
    return counts[0], counts[1]


def results_of(runs: Runs, until: float, simd: str, backend: Literal["compiled", "interpreted"]) -> tuple[EnsembleResults, tuple[int, int]]:
    """The results, and the numbers of steps in lanes and alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, simd)
        ensemble = mb.Ensemble(runs.system, runs.states, threads=1, backend=backend, **runs.options)
        results = ensemble.run(until, 0.1)
    assert ensemble.backend == backend
    return results, steps_of_lanes(ensemble)


def assert_same_bits(results: EnsembleResults, expected: EnsembleResults) -> None:
    assert results.failed == expected.failed
    assert results.warnings == expected.warnings
    for found, wanted in ((results.values, expected.values), (results.steps, expected.steps), (results.evaluations, expected.evaluations)):
        assert found.tobytes() == wanted.tobytes()
    for final, wanted in zip(results.final_states, expected.final_states, strict=True):
        assert final.y.tobytes() == wanted.y.tobytes()
        assert final == wanted


def check_runs(runs: Runs, expected: EnsembleResults, until: float) -> None:
    """The runs are those that the mechanism promises: they differ, have events, and one of them fails."""
    assert [number for number, _ in expected.failed] == [FAILING]
    assert len({state.y.tobytes() for state in expected.final_states}) > COUNT / 2
    simulation = mb.Simulation(runs.system, **runs.options)
    assert any(simulation.run(state, until).events for number, state in enumerate(runs.states) if number != FAILING)


@pytest.mark.fast(1)
@pytest.mark.parametrize("make", MECHANISMS, ids=lambda make: make.__name__)
def test_the_widest_vectors_give_the_bits_of_runs_one_after_another(make):
    runs = make(COUNT)
    expected, steps = results_of(runs, 2.0, "none", "interpreted")
    assert steps == (0, 0)
    check_runs(runs, expected, 2.0)
    results, (in_lanes, _) = results_of(runs, 2.0, WIDTHS[0], "interpreted")
    assert_same_bits(results, expected)
    assert in_lanes > COUNT


@pytest.mark.slow
@pytest.mark.parametrize("make", MECHANISMS, ids=lambda make: make.__name__)
def test_vectors_of_all_widths_compiled_and_interpreted_give_the_same_bits(make, caplog):
    caplog.set_level("INFO", "mobod")
    runs = make(COUNT)
    expected, _ = results_of(runs, 10.0, "none", "interpreted")
    check_runs(runs, expected, 10.0)
    assert not np.isnan(np.delete(expected.values, FAILING, axis=0)).any()  # all others reach the end
    assert_same_bits(results_of(runs, 10.0, "none", "compiled")[0], expected)
    for simd in WIDTHS:
        for backend in ("interpreted", "compiled"):
            results, (in_lanes, alone) = results_of(runs, 10.0, simd, backend)
            assert_same_bits(results, expected)
            assert in_lanes > (COUNT if runs.mostly_alone else alone)
    assert "are interpreted" not in caplog.text  # the compiled ones have compiled kernels over lanes too


def test_without_a_compiler_for_vectors_runs_go_one_after_another_with_a_warning(monkeypatch):
    def none(simd):
        raise NoCompilerError("no C compiler was found: install one.")

    monkeypatch.setattr("mobod.compilation.native.native_model.lanes_runtime", none)
    runs = MECHANISMS[0](COUNT)
    expected, _ = results_of(runs, 0.3, "none", "interpreted")
    warning = rf"one after another .* the C runtime for {WIDTHS[0]} is not in this installation .* no C compiler was found: install one\."
    with pytest.warns(mb.MobodWarning, match=warning):
        results, steps = results_of(runs, 0.3, WIDTHS[0], "interpreted")
    assert steps == (0, 0)
    assert_same_bits(results, expected)
