"""Decorations: data with checked sizes."""

import dataclasses

import numpy as np
import pytest

from mobod.errors import InputError
from mobod.matter.bodies import decorations as shapes

SHAPES = [
    shapes.Sphere(0.2),
    shapes.Box([0.1, 0.2, 0.3]),
    shapes.Cylinder(0.1, 0.5),
    shapes.Ellipsoid(np.array([0.1, 0.2, 0.3])),
    shapes.Line([0, 0, 0], [1, 2, 3]),
    shapes.Arc(0.3, 0.1, -0.4, 1.2),
    shapes.Frame(0.4),
    shapes.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3]]),
    shapes.Text("hip", height=0.05),
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_equal_shapes_compare_equal_and_are_immutable(shape):
    assert shape == dataclasses.replace(shape)
    assert hash(shape) == hash(dataclasses.replace(shape))
    assert shape != dataclasses.replace(shape, opacity=0.5)
    with pytest.raises(dataclasses.FrozenInstanceError):
        shape.opacity = 0.1


def test_numbers_are_kept_as_plain_data():
    assert shapes.Ellipsoid(np.array([1, 2, 3])).radii == (1.0, 2.0, 3.0)
    assert shapes.Mesh(np.eye(3), np.array([[0, 1, 2]])).faces == ((0, 1, 2),)
    assert shapes.Sphere(1, color=[0, 0.5, 1]).color == (0.0, 0.5, 1.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: shapes.Sphere(0), "Sphere: radius is 0 m. It must be greater than 0"),
        (lambda: shapes.Sphere(np.inf), "Sphere: radius is inf.* must be finite"),
        (lambda: shapes.Sphere("big"), "Sphere: radius is 'big'. One number is needed"),
        (lambda: shapes.Cylinder(0.1, -2), "Cylinder: half_length is -2 m"),
        (lambda: shapes.Box([1, 2, -3]), "Box: half_lengths is -3 m"),
        (lambda: shapes.Box([1, 2]), r"Box: half_lengths has shape \(2,\)"),
        (lambda: shapes.Ellipsoid([1, 0, 1]), "Ellipsoid: radii is 0 m"),
        (lambda: shapes.Line([0, 0, np.nan], [1, 1, 1]), "Line: start is .* must be finite"),
        (lambda: shapes.Arc(0.3, 0.4, 0, 1), "Arc: width is 0.4 m. It must be at most the radius, 0.3 m"),
        (lambda: shapes.Arc(0.3, 0.1, 1, 1), "Arc: it begins at 1 rad and ends at 1 rad. The end must be greater"),
        (lambda: shapes.Arc(0.3, 0.1, -3, 4), "Arc: it begins at -3 rad and ends at 4 rad. The end must be greater, by at most a turn"),
        (lambda: shapes.Arc(0.3, 0.1, 0, np.nan), "Arc: end is .* must be finite"),
        (lambda: shapes.Frame(-1), "Frame: axis_length is -1 m"),
        (lambda: shapes.Text("hip", height=0), "Text: height is 0 m"),
        (lambda: shapes.Mesh([], [[0, 1, 2]]), "Mesh: vertices is .* At least one row of three numbers"),
        (lambda: shapes.Mesh(np.eye(3), []), "Mesh: faces is .* At least one row of three numbers"),
        (lambda: shapes.Mesh(np.eye(3), [[0, 1, 3]]), "Mesh: a face has vertex 3. The vertices are numbered from 0 to 2"),
        (lambda: shapes.Mesh(np.eye(3), [[0, 1, -1]]), "Mesh: faces: the numbers of vertices are whole numbers from 0 on"),
        (lambda: shapes.Mesh(np.eye(3), [[0, 1, 1.5]]), "Mesh: faces: the numbers of vertices are whole numbers"),
        (lambda: shapes.Sphere(1, opacity=1.5), "Sphere: opacity is 1.5. It must be from 0 to 1"),
        (lambda: shapes.Sphere(1, color=[0, -0.1, 1]), "Sphere: color is -0.1. It must be from 0 to 1"),
    ],
)
def test_invalid_sizes_and_colours_are_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()
