"""Central differences of whole runs, to compare sensitivities with."""

import numpy as np

import mobod as mb


def moved(system, state, name, change):
    """A copy of the State in which one number, such as 'body.q[2]', is changed."""
    whole, _, index = name.partition("[")
    copy = state.copy()
    value = system.value(copy, whole)
    value.reshape(-1)[int(index.rstrip("]")) - 1 if index else 0] += change
    system.set_value(copy, whole, value)
    return copy


def central_difference(simulation, state, name, outputs, until, every, shift=1e-5):
    """(m, n) derivative of all numbers of the outputs with respect to one number."""
    ends = []
    for change in (shift, -shift):
        results = simulation.run(moved(simulation.system, state, name, change), until, every)
        first = [int(np.argmin(np.abs(results.time - time))) for time in every * np.arange(round(until / every) + 1)]
        ends.append(np.column_stack([results[output].reshape(len(results.time), -1)[first] for output in outputs]))
    return (ends[0] - ends[1]) / (2 * shift)


def largest_error(system, state, parameters, outputs, *, until, every, accuracy=1e-11, shift=1e-5, **options):
    """The largest difference between sensitivities and differences, relative to the size of each derivative or 1; and the sensitivities."""
    options = {"integrator": "DOP853", "backend": "interpreted", **options}
    found = mb.sensitivities(mb.Simulation(system, accuracy, **options), state, parameters, outputs, until=until, report_every=every)
    errors = []
    for k, name in enumerate(found.parameters):
        expected = central_difference(mb.Simulation(system, 1e-13, **options), state, name, outputs, until, every, shift)
        errors.append(np.abs(found.derivatives[:, :, k] - expected).max() / max(1.0, np.abs(expected).max()))
    return max(errors), found
