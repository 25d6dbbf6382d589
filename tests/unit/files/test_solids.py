"""Mass properties of solids: shapes and closed meshes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod import contact, decorations
from mobod.errors import InputError, UnsupportedError
from mobod.files.meshes.reduction import reduced_hull
from mobod.files.meshes.solids import mass_properties_of
from mobod.spatial import rotation_about

# a wedge, counterclockwise from outside: half of a box 2 a, 2 b, 2 c that a plane through an edge cuts along y
CORNERS = np.array([[x, y, z] for y in (-0.3, 0.3) for x, z in ((-0.2, -0.1), (0.2, -0.1), (-0.2, 0.1))])
FACES = np.array([[0, 1, 2], [3, 5, 4], [0, 3, 1], [1, 3, 4], [1, 4, 2], [2, 4, 5], [2, 5, 0], [0, 5, 3]])


def write_obj(path, corners=CORNERS, faces=FACES):
    lines = [f"v {' '.join(map(repr, map(float, each)))}" for each in corners] + [
        f"f {' '.join(str(i + 1) for i in each)}" for each in faces
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def close(found, mass, com, about_com):
    assert_allclose(found.mass, mass, rtol=1e-6)  # files of meshes are read as float32
    assert_allclose(found.com, com, atol=1e-7)
    inertia = mb.Inertia(about_com).shifted(com, mass=mass).matrix
    assert_allclose(found.inertia, inertia, atol=2e-6 * np.abs(inertia).max())


def test_a_mesh_has_the_inertia_of_its_solid(tmp_path):
    mass = 700 * 0.4 * 0.2 / 2 * 0.6
    com = np.array([-0.2 + 0.4 / 3, 0.0, -0.1 + 0.2 / 3])
    # a right triangle with legs a, c has the second moments a^2 / 18, c^2 / 18 and -a c / 36 about its center, for each unit of its area
    xx, zz, xz, yy = 0.4**2 / 18, 0.2**2 / 18, -0.4 * 0.2 / 36, 0.6**2 / 12
    about_com = mass * np.array([[yy + zz, 0, -xz], [0, xx + zz, 0], [-xz, 0, xx + yy]])
    path = write_obj(tmp_path / "wedge.obj")
    inertia = mb.Inertia.of_mesh(path, density=700)
    close(mb.MassProperties(inertia.mass, inertia.com, inertia), mass, com, about_com)
    small = mb.Inertia.of_mesh(write_obj(tmp_path / "mm.obj", 1000 * CORNERS), density=700, scale=[1e-3] * 3)
    assert_allclose(small.matrix, inertia.matrix, atol=1e-5 * mass)  # float32
    inside_out = mb.Inertia.of_mesh(write_obj(tmp_path / "inside_out.obj", faces=FACES[:, ::-1]), density=700)
    assert_allclose(inside_out.matrix, inertia.matrix, atol=1e-14 * mass)


def test_a_mesh_with_a_hole_has_no_mass(tmp_path):
    with pytest.raises(UnsupportedError, match=r"open.obj': the mesh has holes or triangles that face different ways"):
        mb.Inertia.of_mesh(write_obj(tmp_path / "open.obj", faces=FACES[1:]), density=700)


@pytest.mark.parametrize(
    ("shape", "of_mass"),
    [
        (contact.Box((0.1, 0.2, 0.3)), lambda m: mb.Inertia.box(mass=m, size=[0.2, 0.4, 0.6])),
        (decorations.Box((0.1, 0.2, 0.3)), lambda m: mb.Inertia.box(mass=m, size=[0.2, 0.4, 0.6])),
        (contact.Sphere(0.3), lambda m: mb.Inertia.sphere(mass=m, radius=0.3)),
        (contact.Cylinder(0.2, 0.35), lambda m: mb.Inertia.cylinder(mass=m, radius=0.2, length=0.7, axis="z")),
        (decorations.Cylinder(0.2, 0.35), lambda m: mb.Inertia.cylinder(mass=m, radius=0.2, length=0.7, axis="y")),
    ],
)
def test_shapes_have_the_inertia_of_solids(shape, of_mass):
    X = mb.Transform(rotation_about(np.array([0.6, 0.0, 0.8]), 0.7), [0.3, -0.2, 0.5])
    found = mb.MassProperties.from_shapes([(X, shape)], density=900)
    expected = of_mass(found.mass).rotated(X.R).shifted(X.p)
    assert_allclose(found.inertia, expected.matrix, atol=1e-14 * found.mass)
    assert_allclose(found.com, X.p, rtol=1e-12)


def test_a_rounded_box_is_between_a_ball_and_a_box():
    def inertia(shape):
        return mb.MassProperties.from_shapes([(mb.Transform(), shape)], density=900).inertia

    # of a tiny ball the box remains, and of a tiny box the ball; an error of the radius of what vanishes
    box, ball = contact.Box((0.2, 0.3, 0.4)), contact.Sphere(0.3)
    assert_allclose(inertia(contact.RoundedBox((0.2, 0.3, 0.4), 1e-9)), inertia(box), rtol=1e-7, atol=1e-12)
    assert_allclose(inertia(contact.RoundedBox((1e-9, 1e-9, 1e-9), 0.3)), inertia(ball), rtol=1e-7, atol=1e-12)


@pytest.mark.slow
def test_a_rounded_box_has_the_inertia_of_its_points():
    half_lengths, radius, n = np.array([0.2, 0.1, 0.3]), 0.15, 90
    axes = [np.linspace(-1, 1, 2 * n + 1)[1::2] * (half + radius) for half in half_lengths]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    inside = grid[np.linalg.norm(np.maximum(np.abs(grid) - half_lengths, 0), axis=1) < radius]
    cell = 8 * np.prod(half_lengths + radius) / n**3
    squares = (inside**2).sum(axis=0) * cell
    found = mb.MassProperties.from_shapes([(mb.Transform(), contact.RoundedBox(tuple(half_lengths), radius))], density=1.0)
    # cells at the surface
    assert_allclose(found.mass, len(inside) * cell, rtol=2e-3)
    assert_allclose(found.inertia, np.diag(squares.sum() - squares), atol=2e-3 * squares.max())


def fine_mesh(radius_at, length, n=400):
    """A body of revolution about z as a mesh of triangles; radius_at(z) at 100 heights."""
    z = np.linspace(-length / 2, length / 2, 201)
    angles = 2 * np.pi * np.arange(n) / n
    rings = [np.column_stack([r * np.cos(angles), r * np.sin(angles), np.full(n, h)]) for r, h in zip(radius_at(z), z, strict=True)]
    points = np.concatenate([*rings, [[0, 0, z[0]], [0, 0, z[-1]]]])
    faces = []
    for k in range(len(z) - 1):
        a, b = k * n + np.arange(n), k * n + (np.arange(n) + 1) % n
        faces += [*zip(a, b, a + n, strict=True), *zip(b, b + n, a + n, strict=True)]
    last = (len(z) - 1) * n
    faces += [(len(z) * n, (i + 1) % n, i) for i in range(n)] + [(len(z) * n + 1, last + i, last + (i + 1) % n) for i in range(n)]
    return points, np.array(faces)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "radius_at", "length"),
    [
        (contact.Cone(0.3, 0.4), lambda z: np.maximum(0.3 * (0.5 - z / 0.8), 1e-9), 0.8),
        (contact.Capsule(0.2, 0.3), lambda z: np.sqrt(np.maximum(0.2**2 - np.maximum(np.abs(z) - 0.3, 0) ** 2, 1e-18)), 1.0),
        (contact.Ellipsoid((0.2, 0.2, 0.5)), lambda z: 0.2 * np.sqrt(np.maximum(1 - (z / 0.5) ** 2, 1e-18)), 1.0),
    ],
)
def test_round_shapes_agree_with_fine_meshes(shape, radius_at, length):
    points, faces = fine_mesh(radius_at, length)
    mesh = decorations.Mesh(tuple(map(tuple, points)), tuple(map(tuple, faces.tolist())))
    found, expected = (mass_properties_of([(mb.Transform(), each)], 500.0) for each in (shape, mesh))
    assert_allclose(found.mass, expected.mass, rtol=2e-3)  # a polygon of 400 corners, and 200 straight pieces of a meridian
    assert_allclose(found.com, expected.com, atol=1e-3)
    assert_allclose(found.inertia, expected.inertia, atol=4e-3 * np.abs(expected.inertia).max())


def test_a_hull_has_the_inertia_of_its_mesh():
    mesh = decorations.Mesh(tuple(map(tuple, CORNERS)), tuple(map(tuple, FACES.tolist())))
    found = mb.MassProperties.from_shapes([(mb.Transform(), contact.ConvexMesh.hull_of(CORNERS))], density=3.0)
    assert_allclose(found.inertia, mb.MassProperties.from_shapes([(mb.Transform(), mesh)], density=3.0).inertia, atol=1e-16)


@pytest.mark.parametrize(
    ("shapes", "density", "error", "message"),
    [
        ([(mb.Transform(), contact.HalfSpace())], 1.0, UnsupportedError, "a HalfSpace has no volume"),
        ([(mb.Transform(), contact.Sphere(1.0))], 0.0, InputError, "the density is 0.0 kg/m"),
        ([], 1.0, UnsupportedError, "there are no shapes"),
        ([([0, 0, 1], contact.Sphere(1.0))], 1.0, InputError, r"shapes are pairs \(Transform, shape\)"),
    ],
)
def test_what_has_no_mass_is_refused(shapes, density, error, message):
    with pytest.raises(error, match=message):
        mb.MassProperties.from_shapes(shapes, density=density)


def test_a_reduced_hull_says_how_far_the_others_are_outside():
    n = 300
    i = np.arange(n) + 0.5
    z, angle = 1 - 2 * i / n, np.pi * (1 + 5**0.5) * i
    ball = np.column_stack([np.sqrt(1 - z * z) * np.cos(angle), np.sqrt(1 - z * z) * np.sin(angle), z])
    vertices, outside = reduced_hull(ball, 32)
    assert len(vertices) == 32
    assert {tuple(each) for each in vertices} <= {tuple(each) for each in ball}
    deviation = 1 - np.min([abs(_plane(vertices[each])) for each in _facets(vertices)])  # of a facet of 32 from the ball
    assert 0.5 * deviation < outside <= deviation + 1e-12
    whole, nothing = reduced_hull(ball, 400)
    assert (len(whole), nothing) == (n, 0.0)


def _facets(points):
    from scipy.spatial import ConvexHull

    return ConvexHull(points).simplices


def _plane(triangle):
    """The distance of its plane from the origin."""
    normal = np.cross(triangle[1] - triangle[0], triangle[2] - triangle[0])
    return normal @ triangle[0] / np.linalg.norm(normal)
