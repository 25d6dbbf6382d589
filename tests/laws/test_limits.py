"""Laws of limits, on random trees and closed loops with limits of coordinates and of a tendon, and on boxes that fall on their corners."""

from functools import partial

import numpy as np
import pytest

import mobod as mb
from tests.laws.limited_mechanisms import falling_box, limited_tree

ACCURACY = 1e-10
ENERGY = 1e-7  # J, of 10 to 100: errors from the accuracy and the constraint tolerance

# function, seed, end of the run in s; a row comes to rest with a residual rate, or is released from rest
limited_loop = partial(limited_tree, with_rods=True)
limited_tendon = partial(limited_tree, with_tendon=True)
RUNS = {
    "tree": (limited_tree, [(12, 0.75)]),
    "tendon": (limited_tendon, [(18, 0.5)]),
    "loop": (limited_loop, [(2, 0.75), (4, 0.35)]),
    "box": (falling_box, [(2, 3.0)]),
}
MORE = {
    "tree": (limited_tree, [(4, 0.35), (10, 0.2), (15, 0.3), (21, 0.5)]),
    "tendon": (limited_tendon, [(26, 0.3)]),
    "loop": (limited_loop, [(7, 0.45)]),
    "box": (falling_box, [(6, 3.0)]),
}


def runs(table, *marks):
    return [
        pytest.param((make, seed, until), id=f"{kind}{seed}", marks=marks)
        for kind, (make, of_kind) in table.items()
        for seed, until in of_kind
    ]


@pytest.fixture(scope="module", params=[*runs(RUNS), *runs(MORE, pytest.mark.slow)])
def run(request, own_library_cache):
    make, seed, until = request.param
    system, state = make(seed)
    return system, mb.Simulation(system, accuracy=ACCURACY).run(state, until=until)


@pytest.mark.fast("box2")
def test_impacts_and_resting_contacts_never_add_energy(run):
    _, results = run
    energy = results["kinetic_energy"] + results["potential_energy"]
    assert len(results.events) > 5
    assert energy[-1] < energy[0] - 1
    assert np.diff(energy).max() < ENERGY


@pytest.mark.fast(2)
def test_no_rigid_limit_is_violated(run):
    system, results = run
    distances = [each.name for each in system.variables(results.final_state) if each.name.endswith(".distance")]
    assert distances
    assert min(results[name].min() for name in distances) > -2.1 * ACCURACY / 10  # penetration of a row at rest before it is held


@pytest.mark.fast(4)
def test_the_number_of_steps_is_bounded_by_the_number_of_events(run):
    """No two consecutive steps are tiny: round-off near a crossing does not stop a run."""
    _, results = run
    assert results.steps < 10 * (len(results.events) + 20)
