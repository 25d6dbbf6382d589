"""Shapes of contacts: checked numbers, frames, parameters."""

import dataclasses
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.contact import Box, Capsule, Circle, Cone, ConvexMesh, Cylinder, Ellipsoid, HalfSpace, RoundedBox, Sphere, TerrainMesh, Torus
from mobod.errors import InputError
from mobod.spatial import rotation_x, rotation_z

TETRAHEDRON = ((0.1, 0.0, -0.1), (0.7, 0.1, 0.0), (0.2, 0.6, 0.1), (0.3, 0.2, 0.9))
SHAPES = [
    HalfSpace(),
    Sphere(0.2),
    Capsule(0.1, 0.3),
    Cylinder(0.2, 0.4),
    Cylinder(0.2, 0.4, points=4),
    Box([0.1, 0.2, 0.3]),
    Ellipsoid(np.array([0.3, 0.2, 0.1])),
    Circle(0.25),
    Circle(0.25, points=3),
    Torus(0.3, 0.05),
    Cone(0.2, 0.4),
    Cone(0.2, 0.4, points=4),
    RoundedBox([0.1, 0.2, 0.3], 0.05),
    ConvexMesh(TETRAHEDRON),
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_equal_shapes_compare_equal_and_are_immutable(shape):
    same = pickle.loads(pickle.dumps(shape))

    assert same == shape
    assert hash(same) == hash(shape)
    with pytest.raises(dataclasses.FrozenInstanceError):
        shape.radius = 0.1


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_shapes_of_one_structure_differ_in_their_parameters_only(shape):
    other = shape.with_parameters(2 * shape.parameter_values())

    assert_array_equal(other.parameter_values(), 2 * shape.parameter_values())
    assert other.structure == shape.structure
    assert other.with_parameters(shape.parameter_values()) == shape
    assert shape.checked("contact 'foot'") == shape
    assert shape.n_parameters == shape.parameter_values().size


def test_counts_are_structure():
    more = ConvexMesh([*TETRAHEDRON, (0.8, 0.8, 0.8)])

    assert Cylinder(0.2, 0.4).structure != Cylinder(0.2, 0.4, points=4).structure
    assert more.structure != ConvexMesh(TETRAHEDRON).structure
    assert more.n_parameters == 15


def test_numbers_are_kept_as_plain_data():
    assert Box(np.array([1, 2, 3])).half_lengths == (1.0, 2.0, 3.0)
    assert ConvexMesh(np.array(TETRAHEDRON)).vertices == TETRAHEDRON
    assert type(Sphere(np.float64(0.5)).radius) is float
    assert type(Cylinder(0.2, 0.4, points=np.int64(3)).points) is int


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Sphere(0), "^Sphere: radius cannot be 0 m: it must be greater than 0.$"),
        (lambda: Capsule(0.1, -1.0), "^Capsule: half_length cannot be -1.0 m: it must be greater than 0.$"),
        (lambda: Circle(np.nan), "^Circle: radius cannot be nan m: not a finite number.$"),
        (lambda: Torus(0.3, np.inf), "^Torus: tube_radius cannot be inf m: not a finite number.$"),
        (lambda: Box([0.1, 0.0, 0.3]), r"^Box: half_lengths cannot be \[0.1, 0.0, 0.3\] m: it must be greater than 0.$"),
        (lambda: Ellipsoid([0.1, 0.2]), r"^Ellipsoid: radii has shape \(3,\), but a value of shape \(2,\) was given.$"),
        (lambda: Cylinder(0.1, 0.2, points=2), "^Cylinder: points is 2. It must be 0, or a whole number from 3 to 100.$"),
        (lambda: Cylinder(0.1, 0.2, points=4.0), "^Cylinder: points is 4.0. It must be 0, or a whole number from 3 to 100.$"),
        (lambda: Cone(0.1, 0.2, points=1), "^Cone: points is 1. It must be 0, or a whole number from 3 to 100.$"),
        (lambda: Circle(0.1, points=2), "^Circle: points is 2. It must be 0, or a whole number from 3 to 100.$"),
        (lambda: Cylinder(0.1, 0.2, points=True), "^Cylinder: points is True. It must be 0,"),
        (lambda: ConvexMesh(TETRAHEDRON[:3]), "^ConvexMesh: there are 3 vertices. At least 4 are needed.$"),
        (lambda: ConvexMesh([]), "^ConvexMesh: there are 0 vertices. At least 4 are needed.$"),
        (lambda: ConvexMesh(0.5), "^ConvexMesh: there are 0 vertices. At least 4 are needed.$"),
        (lambda: ConvexMesh([[0, 0], [1, 0], [0, 1], [1, 1]]), r"^ConvexMesh: vertices has shape \(4, 2\)."),
        (lambda: ConvexMesh([*TETRAHEDRON, (0, np.nan, 0)]), r"^ConvexMesh: vertices is \[.*nan.*\]. All its entries must be finite.$"),
        (lambda: ConvexMesh([(1, 2, 0), (3, 1, 0), (0, 0, 0), (5, 2, 1e-12)]), "^ConvexMesh: the 4 vertices lie in one plane."),
        (lambda: ConvexMesh([(1, 2, 0)] * 5), "^ConvexMesh: the 5 vertices lie in one plane."),
        (
            lambda: ConvexMesh([TETRAHEDRON[0], (0.3, 0.2, 0.2), *TETRAHEDRON[1:], (0.31, 0.2, 0.2)]),
            r"^ConvexMesh: vertex 1 at \[0.3, 0.2, 0.2\] m is not a corner of the convex hull of all vertices, nor is another one. ",
        ),
        (lambda: TerrainMesh.of(TETRAHEDRON[:3], [[0, 1, 3]]), "^TerrainMesh: faces hold indices of the 3 vertices, from 0.$"),
        (lambda: TerrainMesh.of(TETRAHEDRON[:3], [[0, 1, -1]]), "^TerrainMesh: faces hold indices of the 3 vertices, from 0.$"),
        (lambda: TerrainMesh.of(TETRAHEDRON[:3], [[0, 1, 1.5]]), "^TerrainMesh: faces .* whole numbers"),
        (lambda: TerrainMesh.of([], []), r"^TerrainMesh: vertices has shape \(0,\). It is \(n, 3\).$"),
        (lambda: TerrainMesh.of([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [[0, 1, 2]]), "^TerrainMesh: no face has an area."),
        (lambda: HalfSpace.frame([0, 0, 0]), "^HalfSpace: normal cannot be the zero vector."),
        (lambda: HalfSpace.frame([0, 1, 0], [np.inf, 0, 0]), r"^HalfSpace: point is \[inf, 0.0, 0.0\]. All its entries must be finite.$"),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_the_hull_of_points_leaves_out_those_that_are_no_corners():
    face_center = np.mean(TETRAHEDRON[:3], axis=0)
    points = [TETRAHEDRON[0], (0.3, 0.2, 0.2), *TETRAHEDRON[1:], face_center, TETRAHEDRON[2]]

    assert ConvexMesh.hull_of(points) == ConvexMesh(TETRAHEDRON)


def test_a_half_space_is_placed_by_its_normal_and_a_point():
    X = HalfSpace.frame([0.0, -3.0, 4.0], [0.1, 0.2, 0.3])

    assert_allclose(X.R[:, 2], [0, -0.6, 0.8], rtol=1e-15)
    assert_allclose(X.R.T @ X.R, np.eye(3), atol=1e-15)
    assert np.linalg.det(X.R) > 0
    assert_array_equal(X.p, [0.1, 0.2, 0.3])
    assert_array_equal(HalfSpace.frame([0, 0, 2]).R, np.eye(3))


def test_a_half_space_of_simbody_fills_x_above_zero_of_its_frame():
    X_BS = mb.Transform(rotation_z(0.7) @ rotation_x(-0.4), [0.1, 0.2, 0.3])
    X_BH = HalfSpace.frame_of_simbody(X_BS)

    assert_allclose(X_BH.R[:, 2], -X_BS.R[:, 0], rtol=1e-15)
    assert np.linalg.det(X_BH.R) == pytest.approx(1, rel=1e-15)
    assert_array_equal(X_BH.p, X_BS.p)
    assert_array_equal(HalfSpace.frame_of_simbody().R[:, 2], [-1, 0, 0])


@pytest.mark.parametrize("name", ["HalfSpace", "Capsule", "Circle", "Torus", "ConvexMesh"])
def test_a_shape_without_its_module_is_an_error_that_names_the_module(name):
    with pytest.raises(AttributeError, match=rf"no attribute '{name}'. Write mb.contact.{name} for a shape that touches others.$"):
        getattr(mb, name)


@pytest.mark.parametrize("name", ["Box", "Sphere"])
def test_a_shape_that_touches_or_is_drawn_is_an_error_that_names_both_modules(name):
    message = rf"Write mb.contact.{name} for a shape that touches others, mb.decorations.{name} for one that is only drawn.$"
    with pytest.raises(AttributeError, match=message):
        getattr(mb, name)
