"""Mechanisms that move although they have as many constraint rows as speeds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from tests.analytic.bricard import bricard


def test_lower_accuracy_needs_fewer_evaluations_despite_redundant_rows():
    """Between the ends of long steps redundant rows differ slightly. They must not count as independent: no motion would remain, and such
    steps would be rejected.
    """
    made = bricard()
    made.system.realize(made.state, mb.Stage.ACCELERATION)
    analysis = made.matter.analyze_constraints(made.state)
    assert (len(analysis.rows), analysis.rank, analysis.degrees_of_freedom) == (5, 4, 1)

    accuracies = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4]
    simulations = [mb.Simulation(made.system, accuracy, integrator="RK45", backend="interpreted") for accuracy in accuracies]
    runs = [simulation.run(made.state, until=3.0) for simulation in simulations]

    evaluations = [results.evaluations for results in runs]  # six for each accepted or rejected step
    assert evaluations == sorted(evaluations, reverse=True)
    assert evaluations[-1] < evaluations[0] / 2
    # methods of order 5 take 10^(3/5) = 4 times the steps for 1000 times the accuracy; fewer than a fifth of all steps are rejected
    assert all(results.evaluations < 1.2 * 6 * results.steps + 12 for results in runs)
    for accuracy, results in zip(accuracies, runs, strict=True):  # some hundred steps of errors of that size
        assert_allclose(results.final_state.q, runs[0].final_state.q, atol=300 * accuracy)


@pytest.mark.parametrize("aside", [1e-3, 1e-5])
def test_accelerations_near_the_manifold_match_those_on_it(aside):
    """As within a step, coordinates are off the manifold by `aside`. Rows and accelerations differ by the same order."""
    made = bricard()
    state = mb.Simulation(made.system, 1e-9, backend="interpreted").run(made.state, until=0.4).final_state
    beside = state.copy()
    beside.q = state.q + aside * np.array([0.3, -0.5, 0.7, 0.2, -0.4])
    for each in (state, beside):
        made.system.realize(each, mb.Stage.ACCELERATION)
    largest = np.abs(state.u_dot).max()
    assert_allclose(beside.u_dot, state.u_dot, atol=20 * aside * largest)  # 20: derivatives of rows and gravity, squared speeds


def test_the_constraint_tolerance_does_not_change_the_remaining_errors():
    """Steps are the same for all tolerances, and errors are round-off, for lengths of 1 m and speeds of 0.5 rad/s."""
    made = bricard()
    ends = []
    for tolerance in (1e-5, 1e-12):
        final = (
            mb.Simulation(made.system, 1e-6, backend="interpreted", constraint_tolerance=tolerance).run(made.state, until=1.0).final_state
        )
        made.system.realize(final, mb.Stage.VELOCITY)
        assert np.abs(made.matter.constraint_position_errors(final)).max() <= 1e-14
        assert np.abs(made.matter.constraint_velocity_errors(final)).max() <= 1e-14
        ends.append(np.array(final.y))
    assert ends[0].tobytes() == ends[1].tobytes()
