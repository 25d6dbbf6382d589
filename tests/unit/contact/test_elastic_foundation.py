"""A mesh on a bed of springs: values by hand, meshes that are refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod import Stage, contact
from mobod.errors import InputError, UnsupportedError

CUBE = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
FACES = [face for a, b, c, d in SIDES for face in ((a, b, c), (a, c, d))]
MATERIAL = mb.ContactMaterial(5e4, 0.2, 0.7, 0.5)


def cube(size=0.2):
    return contact.TriangleMesh(np.array(CUBE) * size / 2, FACES)


def pressed(depth, v=(0.0, 0.0, 0.0), **more):
    """A cube with an edge of 0.2 m that has sunk into a floor by this depth."""
    system = mb.MultibodySystem("pressed")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    box = mb.Free(matter.ground, mb.MassProperties(2.0, [0, 0, 0], mb.Inertia.box(mass=2.0, size=[0.2, 0.2, 0.2])), name="box")
    bed = mb.ElasticFoundationForce(forces, matter.ground, contact.HalfSpace(), box, cube(), material=MATERIAL, name="bed", **more)
    state = system.realize_topology()
    box.set_q(state, [1, 0, 0, 0, 0, 0, 0.1 - depth])
    box.set_u(state, [0, 0, 0, *v])
    system.realize(state, Stage.DYNAMICS)
    return system, bed, state


def test_a_mesh_has_areas_and_centroids():
    mesh = cube(2.0)
    assert_allclose(mesh.areas, np.full(12, 2.0))
    assert_allclose(np.abs(mesh.centroids).max(axis=1), np.ones(12))
    assert mesh == cube(2.0)


def test_the_bottom_of_a_cube_is_pressed_by_its_area():
    _, bed, state = pressed(1e-3, v=(0.3, 0.0, -0.1))
    f = 5e4 * 0.04 * 1e-3 * (1 + 0.2 * 0.1)
    assert bed.n_features == 12
    assert_allclose(bed.normal_force(state).sum(), f, rtol=1e-12)
    assert (bed.normal_force(state) > 0).sum() == 2
    assert_allclose(bed.friction_force(state).sum(axis=0)[1:], 0.0, atol=1e-15)
    assert -0.55 * f < bed.friction_force(state).sum(axis=0)[0] < -0.5 * f
    assert_allclose(bed.calc_potential_energy_contribution(state), 5e4 * 0.04 * 1e-6 / 2, rtol=1e-12)
    assert_allclose(bed.contact_point(state)[bed.normal_force(state) > 0][:, 2], 0.0, atol=1e-16)


def test_forces_act_where_both_surfaces_meet():
    _, bed, state = pressed(1e-3, share=0.25)
    assert_allclose(bed.contact_point(state)[bed.normal_force(state) > 0][:, 2], -0.25e-3, rtol=1e-12)


def test_a_face_that_is_left_faster_than_it_can_follow_loses_what_it_has_stored():
    _, bed, state = pressed(1e-3, v=(0.0, 0.0, 7.0))
    assert not bed.normal_force(state).any()
    assert_allclose(bed.power_dissipation(state).sum(), 5e4 * 0.04 * 1e-3 * 7.0, rtol=1e-12)


@pytest.mark.parametrize(
    ("vertices", "faces", "message"),
    [
        (CUBE, FACES[:-1], "the edge from vertex . to . belongs to 1 and, in the other direction, to 0 faces"),
        (CUBE, [face[::-1] for face in FACES], "clockwise as seen from outside. Reverse the order"),
        (CUBE, [[0, 1, 8]], "indices of the 8 vertices, from 0"),
        (CUBE, [[0, 1]], r"faces has shape \(m, 3\), whole numbers, not shape \(1, 2\)"),
        (CUBE, [[0.5, 1, 2]], "whole numbers"),
        ([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2], [0, 2, 1]], "face 0 has no area"),
        ([[0, 0, np.inf]], [[0, 0, 0]], "TriangleMesh: vertices"),
    ],
)
def test_meshes_that_are_not_closed_are_refused(vertices, faces, message):
    with pytest.raises(InputError, match=message):
        contact.TriangleMesh(vertices, faces)


def test_invalid_foundations_are_refused():
    system = mb.MultibodySystem("refused")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    box = mb.Slider(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]))
    for shape, mesh, error, message in (
        (contact.Box([1, 1, 1]), cube(), UnsupportedError, "presses against a HalfSpace or a Sphere of mb.contact, not against Box"),
        (contact.HalfSpace(), contact.Sphere(1.0), InputError, "mesh is a TriangleMesh of mb.contact, not Sphere"),
    ):
        with pytest.raises(error, match=message):
            mb.ElasticFoundationForce(forces, matter.ground, shape, box, mesh, material=MATERIAL)
    with pytest.raises(InputError, match="share' cannot be"):
        mb.ElasticFoundationForce(forces, matter.ground, contact.HalfSpace(), box, cube(), material=MATERIAL, share=1.5)
