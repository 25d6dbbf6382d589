"""Fixed steps side by side in vectors have the bits of runs one after another. At velocity level: contacts that bounce, slide and stick,
joint friction, limits, rims, known motion, and a run that fails; and semi-implicit Euler.
"""

from dataclasses import replace

import numpy as np
import pytest

import mobod as mb
from mobod.runtime.simd import VARIABLE, available_simd
from tests.ensembles.mechanisms_in_fixed_steps import MECHANISMS_IN_FIXED_STEPS, STEP, sledge, walker
from tests.ensembles.mechanisms_with_events import FAILING, MECHANISMS, Runs
from tests.ensembles.models import four_bar
from tests.ensembles.test_widths import assert_same_bits, problems_of_lanes, results_of

COUNT = 12  # runs, more than there are lanes
WIDTHS = [each.name for each in available_simd()]  # the widest first
pytestmark = [
    pytest.mark.skipif(not WIDTHS, reason="the processor has no vectors that mobod knows"),
    pytest.mark.filterwarnings("ignore::mobod.MobodWarning"),  # of starts that are projected
]


def check_runs(expected):
    assert FAILING in [number for number, _ in expected.failed]  # a plate that comes to lie flat fails too
    assert len({state.y.tobytes() for state in expected.final_states}) == COUNT


@pytest.mark.fast(1)
@pytest.mark.parametrize("make", MECHANISMS_IN_FIXED_STEPS, ids=lambda make: make.__name__)
def test_the_widest_vectors_give_the_bits_of_runs_one_after_another(make):
    runs = make(COUNT)
    expected, steps = results_of(runs, 0.3, "none", "interpreted")
    assert steps == (0, 0)
    check_runs(expected)
    results, (in_lanes, alone) = results_of(runs, 0.3, WIDTHS[0], "interpreted")
    assert_same_bits(results, expected)
    assert in_lanes > alone > 0


@pytest.mark.slow
@pytest.mark.parametrize("make", MECHANISMS_IN_FIXED_STEPS, ids=lambda make: make.__name__)
def test_vectors_of_all_widths_compiled_and_interpreted_give_the_same_bits_over_10_s(make):
    runs = make(COUNT)
    expected, _ = results_of(runs, 10.0, "none", "interpreted")
    check_runs(expected)
    assert_same_bits(results_of(runs, 10.0, "none", "compiled")[0], expected)
    for simd in WIDTHS:
        for backend in ("interpreted", "compiled"):
            results, (in_lanes, alone) = results_of(runs, 10.0, simd, backend)
            assert_same_bits(results, expected)
            assert in_lanes > alone


def test_contacts_that_slide_are_solved_for_several_runs_at_once(monkeypatch):
    """They need Newton's method, with joint friction beside them. In some steps, runs touch with different feet."""
    runs = sledge(COUNT)
    monkeypatch.setenv(VARIABLE, WIDTHS[0])
    ensemble = mb.Ensemble(runs.system, runs.states, threads=1, backend="interpreted", **runs.options)
    results = ensemble.run(0.1)
    moving = [each for number, each in enumerate(results.final_states) if number != FAILING]
    assert min(np.hypot(*np.array(each.u)[3:5]) for each in moving) > 0.05  # m/s, of the trunk
    at_once, alone = problems_of_lanes(ensemble)
    assert at_once > 5 * alone
    assert at_once > 30 * COUNT  # most of 50 steps


def test_runs_that_diverge_end_at_the_same_step():
    """A damper is too strong for the step: numbers grow until rows vanish beside others, and then until nothing is finite."""
    made = walker(COUNT)
    forces = next(each for each in made.system.subsystems if isinstance(each, mb.ForceSubsystem))
    damper = next(each for each in forces.elements if each.name == "damper")
    for number, state in enumerate(made.states):
        damper.set_damping(state, 100.0 + 5 * number)
    expected, _ = results_of(made, 0.2, "none", "interpreted")
    assert len(expected.failed) == COUNT
    results, (in_lanes, _) = results_of(made, 0.2, WIDTHS[0], "interpreted")
    assert_same_bits(results, expected)
    assert in_lanes > COUNT


@pytest.mark.fast(1)
@pytest.mark.parametrize("make", MECHANISMS, ids=lambda make: make.__name__)
def test_semi_implicit_euler_has_the_bits_of_runs_one_after_another(make):
    """With impacts, handlers, loops and known motion; crossings of witnesses are found within steps."""
    runs = replace(make(COUNT), options={"integrator": "SemiImplicitEuler", "step": 0.005})
    expected, steps = results_of(runs, 1.0, "none", "interpreted")
    assert steps == (0, 0)
    results, (in_lanes, _) = results_of(runs, 1.0, WIDTHS[0], "interpreted")
    assert_same_bits(results, expected)
    assert in_lanes > 50 * COUNT  # a quarter of all


def test_steps_with_resets_have_the_bits_of_a_stepped_run(monkeypatch):
    """Calls of one step, and of three; two runs are reset between them."""
    runs = walker(COUNT)
    states = [state for number, state in enumerate(runs.states) if number != FAILING]
    monkeypatch.setenv(VARIABLE, WIDTHS[0])
    ensemble = mb.Ensemble(runs.system, states, threads=1, backend="interpreted", **runs.options)
    ensemble.observe(["trunk.q", "trunk.u"])
    trunk = runs.system.matter.body("trunk")
    simulation = mb.Simulation(runs.system, backend="interpreted", **runs.options)
    alone = [simulation.start(state) for state in states]
    for call in range(12):
        duration = STEP * (1 if call % 2 else 3)
        ensemble.step(duration)
        for run in alone:
            run.step(duration)
        if call == 5:
            ensemble.reset([0, 8])
            for number in (0, 8):
                alone[number] = simulation.start(states[number])
        found = np.array([[*trunk.q(run.state), *trunk.u(run.state)] for run in alone])
        assert ensemble.observations.tobytes() == found.tobytes()


def test_closed_loops_go_one_after_another():
    """Each of their steps corrects coordinates, which lanes do not do."""
    system, state = four_bar()
    states = [state.copy() for _ in range(COUNT)]
    for number, each in enumerate(states):
        each.u = np.array(state.u) + 0.1 * number
    runs = Runs(system, states, {"integrator": "velocity_level", "step": STEP})
    expected, _ = results_of(runs, 0.02, "none", "interpreted")
    results, (in_lanes, alone) = results_of(runs, 0.02, WIDTHS[0], "interpreted")
    assert_same_bits(results, expected)
    assert in_lanes == 0
    assert alone == 10 * COUNT
