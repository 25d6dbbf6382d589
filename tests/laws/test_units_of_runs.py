"""Runs of the same model in other units are the same: states, events and the number of steps."""

from functools import cache

import numpy as np
import pytest

import mobod as mb
from tests.laws.unit_models import MODELS
from tests.other_units import SYSTEMS_OF_UNITS, in_units, state_in_units, y_in_SI

ACCURACY = 1e-7


def run_of(system, state, until, **options):
    return mb.Simulation(system, ACCURACY, backend="interpreted", **options).run(state, until)


@cache
def in_SI(name):
    system, state = MODELS[name].build()
    return system, state, run_of(system, state, MODELS[name].until)


def scales_of_y(system, state):
    scales = mb.Simulation(system).scales
    return np.concatenate(
        [[scales.of(each.unit(i)) for i in range(each.slot.size)] for each in system.variables(state) if each.role == "state"]
    )


@pytest.mark.fast(4)
@pytest.mark.parametrize("units", SYSTEMS_OF_UNITS)
@pytest.mark.parametrize("name", MODELS)
def test_a_model_moves_alike_in_all_units(name, units):
    system, state, expected = in_SI(name)
    given, until = SYSTEMS_OF_UNITS[units], MODELS[name].until
    other = in_units(system, given)
    results = run_of(other, state_in_units(system, state, other, given), given.time_of(until))

    y, scales = np.array(expected.final_state.y), scales_of_y(system, state)
    errors = np.abs(y_in_SI(system, state, results.final_state, given) - y) / (scales + np.abs(y))
    assert errors.max() <= 10 * ACCURACY
    assert [event.name for event in results.events] == [event.name for event in expected.events]
    assert abs(results.steps / expected.steps - 1) <= 0.2
