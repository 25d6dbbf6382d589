"""Thousands of runs with impacts."""

import numpy as np
import pytest

import mobod as mb
from tests.ensembles.models import double_pendulum, random_starts


@pytest.mark.slow
@pytest.mark.parametrize("count", [200, pytest.param(10_000, marks=pytest.mark.slow)])
def test_energies_of_many_double_pendulums_with_stops(count):
    """Elastic stops keep the energy, others only take it away."""
    accuracy = 1e-9
    for restitution in (1.0, 0.6):
        system = double_pendulum(stops=True, restitution=restitution)
        states = random_starts(system, count, angles=0.9, speeds=6)
        ensemble = mb.Ensemble(system, states, outputs=["kinetic_energy", "potential_energy", "lower.q"], accuracy=accuracy)
        results = ensemble.run(2.0, 0.1)
        assert results.failed == []
        energy = results["kinetic_energy"] + results["potential_energy"]
        change = np.diff(energy, axis=1)
        if restitution == 1.0:
            assert np.abs(change).max() < 1e-6  # J, of about 20: 1000 times the accuracy
        else:
            assert change.max() < 1e-6
            assert (energy[:, -1] < energy[:, 0] - 0.01).mean() > 0.3  # many have hit a stop
        assert results["lower.q"].min() > -1.0 - 1e-6
        assert results["lower.q"].max() < 1.2 + 1e-6
