"""Hulls of many vertices on half-spaces, in fixed steps: with slots instead of a row for each vertex."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.contact import Box, ConvexMesh, HalfSpace, Torus
from mobod.errors import UnsupportedError

N = 60
ANGLES = 2 * np.pi * (np.arange(N) + 0.3) / N
DRUM = ConvexMesh(tuple((0.2 * np.cos(a), 0.2 * np.sin(a), z) for z in (-0.1, 0.1) for a in ANGLES))


def drum_on_floor():
    """A drum of 120 vertices that stands on a floor, and its contact."""
    system = mb.MultibodySystem("drum")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=9.81)
    body = mb.Free(matter.ground, mb.MassProperties(2.0, [0, 0, 0], 0.02 * np.eye(3)), name="drum")
    body.set_default_q([1, 0, 0, 0, 0.3, 0.2, 0.1])
    contact = mb.RigidContact(matter.ground, HalfSpace(), body, DRUM, static_friction=0.5, in_fixed_steps=True, name="floor")
    return system, body, contact


def test_a_drum_stands_on_the_corners_of_its_face():
    system, body, contact = drum_on_floor()
    simulation = mb.Simulation(system, integrator="velocity_level", step=0.005, backend="interpreted")
    final = simulation.run(system.realize_topology(), until=1.0, report_every=1.0).final_state
    system.realize(final, mb.Stage.ACCELERATION)

    assert contact.n_features == 8
    # round-off of 200 steps, which chooses no other ones of its many corners
    assert_allclose(body.X_GB(final).p, [0.3, 0.2, 0.1], atol=1e-12)
    assert_allclose(contact.normal_force(final).sum(), 2 * 9.81, rtol=1e-9)
    on_drum = contact.contact_point(final) - [0.3, 0.2, 0.0]
    assert_allclose(np.hypot(on_drum[:, 0], on_drum[:, 1]), 0.2, atol=1e-12)


def test_a_model_file_keeps_whether_a_hull_has_slots(tmp_path):
    system, _, _ = drum_on_floor()
    mb.save_model(system, tmp_path / "drum.json")
    (read,) = mb.load_model(tmp_path / "drum.json").matter.constraints
    assert read.in_fixed_steps
    assert read.shape2 == DRUM


def test_a_set_gives_slots_to_hulls_with_more_vertices_than_slots():
    system = mb.MultibodySystem("set")
    matter = mb.MatterSubsystem(system)
    shapes = mb.ContactSet(matter)
    shapes.add(matter.ground, HalfSpace(), name="floor")
    for name, shape in (("drum", DRUM), ("box", Box([0.1, 0.1, 0.1]))):
        body = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], np.eye(3)), name=name)
        shapes.add(body, shape, name=name)
    made = {each.name: each for each in shapes.rigid(static_friction=0.5, in_fixed_steps=True)}

    assert {name: each.n_features for name, each in made.items()} == {"floor_drum": 8, "floor_box": 8, "drum_box": 8}
    assert {name: each.slots is not None for name, each in made.items()} == {"floor_drum": True, "floor_box": False, "drum_box": True}


def test_shapes_that_are_not_convex_have_no_points_of_the_runtime():
    system = mb.MultibodySystem("ring")
    matter = mb.MatterSubsystem(system)
    body = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], np.eye(3)), name="ring")
    with pytest.raises(UnsupportedError, match="in_fixed_steps=True is for convex shapes, not for HalfSpace and Torus"):
        mb.RigidContact(matter.ground, HalfSpace(), body, Torus(0.1, 0.02), in_fixed_steps=True)
