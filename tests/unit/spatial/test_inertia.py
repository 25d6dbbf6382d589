import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod.errors import InputError, MassPropertiesError
from mobod.spatial import Inertia, from_body_xyz

ROUND_OFF = 1e-13  # hundreds of rounding errors of numbers of size 1
R_AB = from_body_xyz([0.4, -1.1, 2.3])
p = np.array([0.3, -0.7, 1.9])


def integral(density_of_mass, points):
    """Inertia about the origin of point masses, by the definition."""
    return sum(m * (np.dot(s, s) * np.eye(3) - np.outer(s, s)) for m, s in zip(density_of_mass, points, strict=True))


def box_of_points(mass, size):
    """Eight points with the second moments of the box: Gauss quadrature with two points per edge is exact for squares."""
    corners = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
    return np.full(8, mass / 8), corners * np.array(size) / (2 * np.sqrt(3))


def midpoints(lower, upper, count):
    return lower + (upper - lower) * (np.arange(count) + 0.5) / count


# ---- shapes


def test_box_matches_the_integral_over_it():
    assert_allclose(Inertia.box(mass=2.3, size=[0.4, 1.1, 0.7]).matrix, integral(*box_of_points(2.3, [0.4, 1.1, 0.7])), rtol=ROUND_OFF)


@pytest.mark.fast(1)
@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_cylinder_matches_the_integral_over_it(axis):
    mass, radius, length = 2.3, 0.4, 1.7
    r, angle, along = np.meshgrid(midpoints(0, radius, 400), midpoints(0, 2 * np.pi, 4), midpoints(-length / 2, length / 2, 400))
    k = "xyz".index(axis)
    points = np.roll(np.stack([along, r * np.cos(angle), r * np.sin(angle)], axis=-1).reshape(-1, 3), k, axis=1)
    weights = r.ravel() / r.sum() * mass
    second_moments = np.einsum("i,ij,ik->jk", weights, points, points)

    inertia = Inertia.cylinder(mass=mass, radius=radius, length=length, axis=axis).matrix

    assert_allclose(inertia, np.trace(second_moments) * np.eye(3) - second_moments, atol=1e-5)  # midpoint rule: error 1/400^2


def test_sphere_matches_the_integral_over_its_disks():
    mass, radius = 2.3, 0.4
    z = midpoints(-radius, radius, 2000)
    disk = radius**2 - z**2
    about_z = np.sum(disk / disk.sum() * mass * disk / 2)

    assert_allclose(Inertia.sphere(mass=mass, radius=radius).matrix, about_z * np.eye(3), rtol=1e-6)  # midpoint rule: error 1/2000^2


def test_the_inertia_of_a_point_matches_its_definition():
    assert_allclose(Inertia.point(mass=2.3, p=p).matrix, integral([2.3], [p]), rtol=ROUND_OFF)


def test_the_axis_of_a_cylinder_is_y_by_default():
    along_y = Inertia.cylinder(mass=2.3, radius=0.4, length=1.7, axis="y").matrix

    assert_allclose(Inertia.cylinder(mass=2.3, radius=0.4, length=1.7).matrix, along_y, atol=0)


# ---- shift and rotate


def test_shifted_box_matches_the_integral_over_the_moved_box():
    masses, points = box_of_points(2.3, [0.4, 1.1, 0.7])

    shifted = Inertia.box(mass=2.3, size=[0.4, 1.1, 0.7]).shifted(p)

    assert_allclose(shifted.matrix, integral(masses, points + p), rtol=ROUND_OFF)
    assert_allclose(shifted.com, p, atol=0)


def test_rotated_and_shifted_box_matches_the_integral_over_it():
    masses, points = box_of_points(2.3, [0.4, 1.1, 0.7])

    there = Inertia.box(mass=2.3, size=[0.4, 1.1, 0.7]).rotated(R_AB).shifted(p)

    assert_allclose(there.matrix, integral(masses, points @ R_AB.T + p), rtol=ROUND_OFF)


def test_rotating_after_shifting_turns_the_mass_center_too():
    masses, points = box_of_points(2.3, [0.4, 1.1, 0.7])

    there = Inertia.box(mass=2.3, size=[0.4, 1.1, 0.7]).shifted(p).rotated(R_AB)

    assert_allclose(there.matrix, integral(masses, (points + p) @ R_AB.T), rtol=ROUND_OFF)
    assert_allclose(there.com, R_AB @ p, atol=ROUND_OFF)


def test_shifts_are_additive():
    d = np.array([-1.2, 0.5, 0.1])
    box = Inertia.box(mass=2.3, size=[0.4, 1.1, 0.7])

    assert_allclose(box.shifted(p).shifted(d).matrix, box.shifted(p + d).matrix, rtol=ROUND_OFF)
    assert_allclose(box.shifted(p).shifted(-p).matrix, box.matrix, atol=ROUND_OFF)


def test_a_matrix_is_shifted_as_one_about_the_mass_center_with_the_given_mass():
    box = Inertia.box(mass=2.3, size=[0.4, 1.1, 0.7]).rotated(R_AB)

    shifted = Inertia(box.matrix.tolist()).shifted(p, mass=2.3)

    assert_allclose(shifted.matrix, box.shifted(p).matrix, rtol=ROUND_OFF)
    assert_allclose(shifted.shifted(-p).matrix, box.matrix, atol=ROUND_OFF)


def test_rotating_back_restores_the_inertia():
    box = Inertia.box(mass=2.3, size=[0.4, 1.1, 0.7])

    assert_allclose(box.rotated(R_AB).rotated(R_AB.T).matrix, box.matrix, atol=ROUND_OFF)


# ---- valid and invalid inertias


@pytest.mark.parametrize(
    "limit",
    [
        Inertia.box(mass=2.3, size=[0.4, 1.1, 0]),  # a plate
        Inertia.box(mass=2.3, size=[0, 1.1, 0]),  # a rod
        Inertia.cylinder(mass=2.3, radius=0, length=0.7, axis="x"),
        Inertia.sphere(mass=2.3, radius=0),
        Inertia.point(mass=2.3, p=p),
        Inertia.sphere(mass=0, radius=0.1),
    ],
)
@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_limiting_cases_of_bodies_are_accepted_in_any_orientation_and_scale(limit, scale):
    turned = scale * limit.rotated(R_AB).matrix

    assert_allclose(Inertia(turned).matrix, turned, rtol=ROUND_OFF)


def test_an_inertia_that_breaks_the_triangle_inequality_is_refused_with_its_principal_moments():
    impossible = R_AB @ np.diag([0.2, 0.9, 0.3]) @ R_AB.T

    with pytest.raises(
        MassPropertiesError,
        match=r"inertia: not the inertia of a rigid body. Its largest principal moment, 0.9 kg m\^2, exceeds the sum of the others,"
        r" 0.5 kg m\^2, by 0.4 kg m\^2. Check units",
    ):
        Inertia(impossible)


def test_the_triangle_inequality_is_checked_to_a_billionth():
    assert Inertia(np.diag([0.2, 0.3, 0.5 * (1 + 1e-10)])).matrix[2, 2] > 0.5
    with pytest.raises(MassPropertiesError, match="not the inertia of a rigid body"):
        Inertia(np.diag([0.2, 0.3, 0.5 * (1 + 1e-8)]))


def test_a_negative_principal_moment_is_refused():
    with pytest.raises(MassPropertiesError, match=r"Its smallest principal moment, -0.1 kg m\^2, is negative"):
        Inertia(R_AB @ np.diag([0.2, -0.1, 0.3]) @ R_AB.T)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([1, 2, 3], r"inertia has shape \(3,\). Numbers of shape \(3, 3\) are needed"),
        ([[1, 0, 0], [0, 1, 0], [0, 0, np.nan]], "inertia is .* must be finite"),
        ([[1, 0, 0], [0, 1, 0.2], [0, 0.3, 1]], r"not symmetric: its entries \[1, 2\] and \[2, 1\] are 0.2 and 0.3 kg m\^2"),
        (np.eye(3) * 1j, "inertia is complex"),
    ],
)
def test_an_invalid_inertia_matrix_is_refused(matrix, message):
    with pytest.raises(MassPropertiesError, match=message):
        Inertia(matrix)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Inertia.box(mass=-1, size=[1, 1, 1]), r"Inertia.box: mass is -1 kg. It cannot be negative"),
        (lambda: Inertia.box(mass=1, size=[1, -0.5, 1]), r"Inertia.box: size\[1\] is -0.5 m"),
        (lambda: Inertia.box(mass=1, size=[1, 1]), r"Inertia.box: size has shape \(2,\)"),
        (lambda: Inertia.sphere(mass=np.inf, radius=1), "Inertia.sphere: mass is inf. All its entries must be finite"),
        (lambda: Inertia.sphere(mass=1, radius=-0.1), "Inertia.sphere: radius is -0.1 m"),
        (lambda: Inertia.sphere(mass=1, radius=[1, 2]), r"Inertia.sphere: radius has shape \(2,\). One number is needed"),
        (lambda: Inertia.cylinder(mass=1, radius=-0.1, length=1), "Inertia.cylinder: radius is -0.1 m"),
        (lambda: Inertia.cylinder(mass=1, radius=0.1, length=-1), "Inertia.cylinder: length is -1 m"),
        (lambda: Inertia.cylinder(mass=1, radius=0.1, length=1, axis="Y"), "axis is 'Y'. It can be 'x', 'y' or 'z'"),
        (lambda: Inertia.point(mass=1, p=[1, np.nan, 2]), "Inertia.point: p is .* must be finite"),
        (lambda: Inertia(np.eye(3)).shifted([1, 2, 3]), r"Inertia.shifted: the mass is not known.*Write .shifted\(p, mass=...\)"),
        (lambda: Inertia.sphere(mass=2, radius=1).shifted([1, 2, 3], mass=3), "mass of this inertia is already known, 2 kg. Remove mass=3"),
        (lambda: Inertia.sphere(mass=2, radius=1).shifted([1, 2]), r"Inertia.shifted: p has shape \(2,\)"),
    ],
)
def test_invalid_dimensions_of_shapes_are_refused(make, message):
    with pytest.raises(MassPropertiesError, match=message):
        make()


def test_rotating_by_an_invalid_rotation_is_refused():
    with pytest.raises(InputError, match=r"Inertia.rotated: R_AB is not a rotation"):
        Inertia.sphere(mass=2, radius=1).rotated(2 * np.eye(3))


def test_an_inertia_cannot_be_changed():
    inertia = Inertia.sphere(mass=2, radius=1).shifted(p)

    for array in (inertia.matrix, inertia.com):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError):
        inertia.mass = 3
