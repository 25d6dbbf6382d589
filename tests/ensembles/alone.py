"""Comparison of the runs of an ensemble with the same runs alone."""

import numpy as np

import mobod as mb
from mobod.errors import MobodError


def by_report_time(results, time, name):
    """(k, ...) the values of a variable of a run alone, at the first of its points at each time; NaN for times that it has not reached."""
    values = results[name]
    rows = np.full((len(time), *values.shape[1:]), np.nan)
    for k, each in enumerate(time):
        found = np.flatnonzero(results.time == each)
        if len(found):
            rows[k] = values[found[0]]
    return rows


def assert_same_as_alone(system, states, until, report_every, outputs, *, threads=1, **options):
    """Each run of an ensemble has the bits, the end and the steps of the run alone, or fails with the same message. Returns the results."""
    results = mb.Ensemble(system, states, outputs=outputs, threads=threads, **options).run(until, report_every)
    messages, alone = dict(results.failed), mb.Simulation(system, **options)
    for number, state in enumerate(states):
        try:
            expected = alone.run(state, until, report_every)
        except MobodError as error:
            assert messages.pop(number) == f"run {number}: {error}"
            continue
        assert number not in messages, messages[number]
        assert results.terminated_by[number] == expected.terminated_by
        for name in outputs:
            wanted = by_report_time(expected, results.time, name)
            found = np.ascontiguousarray(results[name][number]).reshape(wanted.shape)
            assert found.tobytes() == wanted.tobytes(), (
                number,
                name,
                np.flatnonzero((found != wanted).reshape(len(wanted), -1).any(axis=1)),
            )
        assert (results.steps[number], results.evaluations[number]) == (expected.steps, expected.evaluations)
        final = results.final_states[number]
        assert final.values[final.layout.y.slice].tobytes() == np.array(expected.final_state.y).tobytes()
        assert final == expected.final_state
    assert not messages
    return results
