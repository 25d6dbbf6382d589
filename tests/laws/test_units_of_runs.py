"""The same model in other units has the same runs, assembled States, equilibria and modes."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.compilation.source.scales import y_scales
from tests.laws.unit_models import MODELS
from tests.other_units import SYSTEMS_OF_UNITS, in_units, state_in_units, y_in_SI

ACCURACY = 1e-7


def run_of(system, state, until):
    return mb.Simulation(system, ACCURACY, backend="interpreted").run(state, until)


@cache
def in_SI(name):
    system, state = MODELS[name].build()
    return system, state, run_of(system, state, MODELS[name].until)


def largest_error(system, expected, actual, units):
    """Of the y of a State in other units, relative to the scales and to |y|."""
    y = np.array(expected.y)
    return (np.abs(y_in_SI(system, expected, actual, units) - y) / (y_scales(system, expected) + np.abs(y))).max()


@pytest.mark.fast(4)
@pytest.mark.parametrize("units", SYSTEMS_OF_UNITS)
@pytest.mark.parametrize("name", MODELS)
def test_a_model_moves_alike_in_all_units(name, units):
    system, state, expected = in_SI(name)
    given, until = SYSTEMS_OF_UNITS[units], MODELS[name].until
    other = in_units(system, given)
    results = run_of(other, state_in_units(system, state, other, given), given.time_of(until))

    assert largest_error(system, expected.final_state, results.final_state, given) <= 10 * ACCURACY
    assert [event.name for event in results.events] == [event.name for event in expected.events]
    assert abs(results.steps / expected.steps - 1) <= 0.2


@pytest.mark.fast("rolling ball-mm t s")
@pytest.mark.parametrize("units", SYSTEMS_OF_UNITS)
@pytest.mark.parametrize("name", ["rolling ball", "capsule", "stops", "four-bar"])
def test_fixed_steps_at_velocity_level_are_alike_in_all_units(name, units):
    given, (system, state) = SYSTEMS_OF_UNITS[units], MODELS[name].build()
    other = in_units(system, given)
    options = {"integrator": "velocity_level", "backend": "interpreted"}
    expected = mb.Simulation(system, step=1e-3, **options).run(state, 0.3)
    start = state_in_units(system, state, other, given)
    results = mb.Simulation(other, step=given.time_of(1e-3), **options).run(start, given.time_of(0.3))
    assert largest_error(system, expected.final_state, results.final_state, given) < 1e-12  # round-off of 300 steps


@pytest.mark.fast("mm t s")
@pytest.mark.parametrize("units", SYSTEMS_OF_UNITS)
def test_a_rough_start_is_assembled_alike_in_all_units(units):
    given, (system, _) = SYSTEMS_OF_UNITS[units], MODELS["slider-crank"].build()
    other, rough = in_units(system, given), system.realize_topology()
    rough.q = [0.6, 0.6]
    expected, found = mb.Assembler(system).assemble(rough), mb.Assembler(other).assemble(state_in_units(system, rough, other, given))
    assert abs(expected.q[1] - 0.6) > 0.1  # m: it has moved
    assert largest_error(system, expected, found, given) < 1e-12  # both to round-off


@pytest.mark.fast("mm g s")
@pytest.mark.parametrize("units", SYSTEMS_OF_UNITS)
def test_equilibria_and_modes_are_alike_in_all_units(units):
    given, (system, _) = SYSTEMS_OF_UNITS[units], MODELS["mixed tree"].build()
    other, start = in_units(system, given), system.realize_topology()
    expected, found = mb.find_equilibrium(system, start), mb.find_equilibrium(other, state_in_units(system, start, other, given))
    assert largest_error(system, expected, found, given) < 1e-10  # the tolerance is 1e-8
    assert_allclose(np.array(other.modes(found).frequencies) / given.time, system.modes(expected).frequencies, rtol=1e-9)
