"""Decorations of contact shapes: their extent is that of the shape."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.contact import (
    Box,
    Capsule,
    Circle,
    Cone,
    ConvexMesh,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    RoundedBox,
    Sphere,
    Torus,
    decorations_of,
)
from mobod.errors import InputError

SHAPES = [
    Sphere(0.3),
    Capsule(0.1, 0.4),
    Cylinder(0.3, 0.2),
    Box([0.1, 0.2, 0.3]),
    Ellipsoid([0.3, 0.2, 0.1]),
    Torus(0.3, 0.1),
    Circle(0.3),
    Cone(0.3, 0.2),
    RoundedBox([0.1, 0.2, 0.3], 0.05),
    ConvexMesh([(0.3, 0.1, -0.2), (-0.4, 0.2, 0.1), (0.1, -0.3, 0.2), (0.0, 0.3, 0.4), (0.2, 0.0, 0.5)]),
]


def lowest(geometry, m):
    """The least m . p of the points of a decoration."""
    kind = mb.decorations
    match geometry:
        case kind.Sphere():
            return -geometry.radius
        case kind.Ellipsoid():
            return -np.linalg.norm(np.multiply(geometry.radii, m))
        case kind.Box():
            return -np.abs(m) @ geometry.half_lengths
        case kind.Cylinder():  # along y
            return -geometry.radius * np.hypot(m[0], m[2]) - geometry.half_length * abs(m[1])
        case kind.Arc():
            return -geometry.radius * np.hypot(m[0], m[1])
        case kind.Mesh():
            return (np.array(geometry.vertices) @ m).min()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_decorations_are_as_large_as_the_shape(shape):
    rng = np.random.default_rng(3)
    for _ in range(20):
        m = rng.normal(size=3)
        m /= np.linalg.norm(m)
        drawn = min(m @ X.p + lowest(geometry, X.R.T @ m) for X, geometry in decorations_of(shape))
        # facets of a torus and of a cone lie within it
        assert_allclose(
            drawn, min(each.height for each in shape.lowest_points(m)), atol=0.003 if isinstance(shape, (Cone, Torus)) else 1e-15
        )


@pytest.mark.parametrize("shape", [SHAPES[5], SHAPES[7], SHAPES[-1]], ids=["torus", "cone", "mesh"])
def test_facets_are_closed_and_turn_outward(shape):
    ((_, mesh),) = decorations_of(shape)
    vertices, faces = np.array(mesh.vertices), np.array(mesh.faces)
    edges = [tuple(face[[i, (i + 1) % 3]]) for face in faces for i in range(3)]
    volume = sum(np.linalg.det(vertices[face]) for face in faces) / 6

    assert len(set(edges)) == len(edges)
    assert {(b, a) for a, b in edges} == set(edges)
    if isinstance(shape, Torus):
        assert volume == pytest.approx(2 * np.pi**2 * 0.3 * 0.1**2, rel=0.04)
    else:
        assert volume > 0


def test_a_half_space_is_a_plate_below_its_plane():
    ((X, plate),) = decorations_of(HalfSpace(), size=3.0, color=[0, 0.5, 1], opacity=0.5)

    assert plate.half_lengths == (3.0, 3.0, 0.015)
    assert X.p[2] + plate.half_lengths[2] == 0
    assert (plate.color, plate.opacity) == ((0, 0.5, 1), 0.5)
    with pytest.raises(InputError, match=r"^Box: half_lengths is"):
        decorations_of(HalfSpace(), size=-1.0)


def test_bodies_are_drawn_with_their_shapes():
    system = mb.MultibodySystem()
    matter = mb.MatterSubsystem(system)
    body = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.sphere(mass=1.0, radius=0.2)), name="foot")
    X_BS = mb.Transform(p=[0.1, 0.2, 0.3])
    for X_SD, geometry in decorations_of(Capsule(0.1, 0.4)):
        body.add_body_decoration(X_BS @ X_SD, geometry)
    state = system.realize_topology()
    system.realize(state, mb.Stage.POSITION)

    placed = system.decorations(state)
    assert [type(each.geometry).__name__ for each in placed] == ["Cylinder", "Sphere", "Sphere"]
    assert_allclose(placed[2].X_GD.p, [0.1, 0.2, 0.7], rtol=1e-15)
