"""Comparison of the runs of an ensemble with the same runs alone."""

import numpy as np

import mobod as mb
from mobod.errors import MobodError


def varied(state, count, *, scale=0.1, seed=0):
    """States with other speeds."""
    rng, states = np.random.default_rng(seed), [state.copy() for _ in range(count)]
    for each in states:
        each.u = np.array(each.u) + rng.normal(scale=scale, size=len(each.u))
    return states


def results_or_error(simulation, state, until, report_every):
    try:
        return simulation.run(state, until, report_every)
    except MobodError as error:
        return error


def by_report_time(results, time, name):
    """(k, ...) the values of a variable of a run alone, at the first of its points at each time; NaN for times that it has not reached."""
    values = results[name]
    rows = np.full((len(time), *values.shape[1:]), np.nan)
    for k, each in enumerate(time):
        found = np.flatnonzero(results.time == each)
        if len(found):
            rows[k] = values[found[0]]
    return rows


def assert_same_as_alone(system, states, until, report_every, outputs, **options):
    """Each run of an ensemble has the bits, the end and the steps of the run alone, or fails with the same message. Returns the results."""
    results = mb.Ensemble(system, states, outputs=outputs, threads=1, **options).run(until, report_every)
    messages, simulation = dict(results.failed), mb.Simulation(system, **options)
    for number, state in enumerate(states):
        alone = results_or_error(simulation, state, until, report_every)
        if isinstance(alone, MobodError):
            assert messages.pop(number) == f"run {number}: {alone}"
            continue
        for name in outputs:
            wanted = by_report_time(alone, results.time, name)
            found = np.ascontiguousarray(results[name][number]).reshape(wanted.shape)
            assert found.tobytes() == wanted.tobytes(), (number, name)
        assert results.terminated_by[number] == alone.terminated_by
        assert (results.steps[number], results.evaluations[number]) == (alone.steps, alone.evaluations)
        final = results.final_states[number]
        assert final.y.tobytes() == alone.final_state.y.tobytes()
        assert final == alone.final_state
    assert not messages
    return results
