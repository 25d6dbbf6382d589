"""Shapes of all kinds that fall into a bin and share slots."""

import numpy as np
import pytest

from mobod.contact import Box
from tests.analytic.random_heaps import INERTIA, SHAPES
from tests.analytic.scenes_of_shapes import GRAVITY, Scene, rotation


@pytest.mark.slow
def test_shapes_fall_into_a_bin_without_sinking_or_gaining_energy():
    random = np.random.default_rng(5)
    scene = Scene()
    for half, p in (([0.4, 0.4, 0.05], [0, 0, -0.05]), ([0.05, 0.4, 1], [0.3, 0, 1]), ([0.05, 0.4, 1], [-0.3, 0, 1])):
        scene.fix(Box(half), p)
    for half, p in (([0.4, 0.05, 1], [0, 0.3, 1]), ([0.4, 0.05, 1], [0, -0.3, 1])):
        scene.fix(Box(half), p)
    for i in range(14):
        R = rotation("x", random.uniform(0, 3)) @ rotation("y", random.uniform(0, 3))
        p = [*random.uniform(-0.1, 0.1, 2), 0.15 + 0.2 * i]
        scene.add(SHAPES[i % len(SHAPES)], p, R, inertia=INERTIA, u=random.uniform(-2, 2, 6))
    state = scene.begin()
    results = scene.run(state, 2.0, step=0.002, report_every=0.01)
    (pool,) = scene.contacts.values()
    assert results[f"{pool.name}.distance"].min() > -1e-4
    energies = np.array([energy_of(scene, each) for each in results.states()])
    assert np.diff(energies).max() < 1e-3 * energies[0]  # steps of first order, in flight too
    assert energies[-1] < 0.2 * energies[0]


def energy_of(scene, state):
    """J"""
    scene.system.realize(state)
    height = sum(body.X_GB(state).p[2] for body in scene.bodies)
    return scene.system.kinetic_energy(state) + GRAVITY * height
