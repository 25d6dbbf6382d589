"""Masses and frames set in a State have the same effect as at construction."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError
from tests.laws.mechanisms import random_frame, random_mass


def chain(masses, inboard, outboard):
    system = mb.MultibodySystem("chain")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.8)
    parent = matter.ground
    for number, (mass, X_PF, X_BM) in enumerate(zip(masses, inboard, outboard, strict=True)):
        parent = mb.Pin(parent, mass, X_PF, X_BM, name=f"link {number}")
    return system, matter.bodies


def accelerations(system, state):
    state.q, state.u = [0.4, -0.7], [0.3, 1.1]
    system.realize(state, mb.Stage.ACCELERATION)
    return np.array(state.u_dot)


def test_changed_masses_and_frames_match_bodies_made_with_them():
    rng = np.random.default_rng(3)
    made, wanted = ([[make(rng) for _ in range(2)] for make in (random_mass, random_frame, random_frame)] for _ in range(2))
    system, bodies = chain(*made)
    twin, _ = chain(*wanted)
    state = system.realize_topology()
    before = accelerations(system, state)
    for k, body in enumerate(bodies):
        body.set_mass_properties(state, wanted[0][k])
        body.set_inboard_frame(state, wanted[1][k])
        body.set_outboard_frame(state, wanted[2][k])
    assert state.stage < mb.Stage.INSTANCE

    expected = accelerations(twin, twin.realize_topology())
    assert_allclose(accelerations(system, state), expected, rtol=1e-12)  # round-off
    assert not np.allclose(before, expected)
    assert bodies[1].inboard_frame(state).isclose(wanted[1][1])
    assert bodies[1].outboard_frame(state).isclose(wanted[2][1])
    assert_allclose(bodies[1].mass_properties(state).inertia, wanted[0][1].inertia, rtol=1e-15)


def test_a_structural_zero_cannot_be_changed():
    rng = np.random.default_rng(4)
    system, bodies = chain([random_mass(rng), mb.MassProperties.point(1.0, [0, -1, 0])], [mb.Transform()] * 2, [mb.Transform()] * 2)
    state = system.realize_topology()
    with pytest.raises(InputError, match="the origin of its inboard frame of 'link 1' has an entry that is fixed at 0"):
        bodies[1].set_inboard_frame(state, mb.Transform(p=[0.5, 0, 0]))
    with pytest.raises(InputError, match="the mass center of 'link 1' has an entry that is fixed at 0"):
        bodies[1].set_mass_properties(state, mb.MassProperties.point(2.0, [0.1, -1, 0]))
    assert bodies[1].mass_properties(state).mass == 1.0
    bodies[1].set_mass_properties(state, mb.MassProperties.point(2.0, [0, -0.5, 0]))
    assert bodies[1].mass_properties(state).mass == 2.0


def test_invalid_frames_and_masses_are_refused():
    rng = np.random.default_rng(5)
    system, bodies = chain([random_mass(rng)], [random_frame(rng)], [random_frame(rng)])
    state = system.realize_topology()
    with pytest.raises(InputError, match="the inboard frame of 'link 0' is a Transform, not list"):
        bodies[0].set_inboard_frame(state, [0, 0, 0])
    with pytest.raises(InputError, match="the mass properties of 'link 0' are MassProperties, not float"):
        bodies[0].set_mass_properties(state, 1.0)
