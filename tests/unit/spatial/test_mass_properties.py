import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod.errors import MassPropertiesError
from mobod.spatial import Inertia, MassProperties, from_body_xyz, spatial_inertia

ROUND_OFF = 1e-13  # hundreds of rounding errors of numbers of size 1
COM = np.array([0.3, -0.7, 1.9])
BOX = Inertia.box(mass=2.3, size=[0.4, 1.1, 0.7]).rotated(from_body_xyz([0.4, -1.1, 2.3]))


def test_the_inertia_about_the_mass_center_is_the_one_before_the_shift():
    properties = MassProperties(mass=2.3, com=COM, inertia=BOX.shifted(COM))

    assert_allclose(properties.inertia_about_com, BOX.matrix, atol=ROUND_OFF)
    assert_allclose(properties.inertia, BOX.shifted(COM).matrix, atol=0)
    assert properties.mass == 2.3


def test_the_spatial_inertia_follows_from_mass_center_and_inertia():
    properties = MassProperties(mass=2.3, com=COM, inertia=BOX.shifted(COM))

    M = properties.spatial_inertia()

    assert_allclose(M, spatial_inertia(2.3, COM, BOX.shifted(COM).matrix), atol=0)
    assert_allclose(M, M.T, atol=0)
    assert np.linalg.eigvalsh(M).min() > 0


def test_a_net_force_through_the_mass_center_does_not_turn_a_body_at_rest():
    properties = MassProperties(mass=2.3, com=COM, inertia=BOX.shifted(COM))
    force = np.array([1.2, -0.4, 0.9])

    acceleration = np.linalg.solve(properties.spatial_inertia(), [*np.cross(COM, force), *force])

    assert_allclose(acceleration, [0, 0, 0, *(force / 2.3)], atol=ROUND_OFF)


def test_a_point_mass_has_only_the_inertia_of_its_position():
    point = MassProperties.point(2.3, COM)

    assert_allclose(point.inertia, Inertia.point(mass=2.3, p=COM).matrix, atol=0)
    assert_allclose(point.inertia_about_com, np.zeros((3, 3)), atol=ROUND_OFF)


def test_a_massless_body_has_zero_mass_properties():
    assert_allclose(MassProperties.massless().spatial_inertia(), np.zeros((6, 6)), atol=0)
    assert MassProperties.massless() == MassProperties(0, [0, 0, 0], np.zeros((3, 3)))


def test_the_mass_center_of_a_massless_body_may_be_anywhere():
    assert_allclose(MassProperties(0, COM, Inertia.sphere(mass=0, radius=0.1)).spatial_inertia(), np.zeros((6, 6)), atol=0)


def test_properties_with_the_same_numbers_are_equal_and_hash_alike():
    one = MassProperties(2.3, COM, BOX.shifted(COM))
    same = MassProperties(mass=2.3, com=COM.tolist(), inertia=BOX.shifted(COM).matrix.tolist())

    assert one == same
    assert hash(one) == hash(same)


@pytest.mark.parametrize(
    "other",
    [
        MassProperties(2.2, COM, BOX.shifted(COM).matrix),
        MassProperties(2.3, COM + np.array([0, 0, 1e-3]), BOX.shifted(COM).matrix),
        MassProperties.point(2.3, COM),
        2.3,
    ],
)
def test_properties_with_other_numbers_are_not_equal(other):
    assert MassProperties(2.3, COM, BOX.shifted(COM)) != other


def test_mass_properties_cannot_be_changed():
    properties = MassProperties(2.3, COM, BOX.shifted(COM))

    for array in (properties.com, properties.inertia):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError):
        properties.mass = 1


# ---- valid and invalid mass properties


@pytest.mark.parametrize("distance", [0, 1e-6, 1, 1e6])
@pytest.mark.parametrize("size", [[0.4, 1.1, 0], [0, 1.1, 0], [0, 0, 0]])
def test_plates_rods_and_points_are_accepted_at_any_distance_from_the_origin(size, distance):
    com = distance * COM
    limit = Inertia.box(mass=2.3, size=size).rotated(from_body_xyz([0.4, -1.1, 2.3])).shifted(com)

    assert MassProperties(2.3, com, limit.matrix).mass == 2.3  # as an array, without the type Inertia


def test_an_inertia_about_the_mass_center_is_refused_where_one_about_the_origin_is_needed():
    with pytest.raises(
        MassPropertiesError,
        match=r"com is \[0.3, -0.7, 1.9\] m, but measured from the point .* at \[0.0, 0.0, 0.0\] m.*shifted\(com\)",
    ):
        MassProperties(2.3, COM, BOX)


def test_an_inertia_of_another_mass_is_refused():
    with pytest.raises(MassPropertiesError, match=r"the mass is 2.5 kg, but the inertia is that of 2.3 kg"):
        MassProperties(2.5, COM, BOX.shifted(COM))


def test_a_mass_center_that_differs_by_round_off_is_accepted():
    assert MassProperties(2.3, [0.1 + 0.2, 0, 0], BOX.shifted([0.3, 0, 0])).com[0] == 0.30000000000000004
    assert MassProperties(2.3, [0.1 + 0.2 - 0.3, 0, 0], BOX).com[0] == 5.551115123125783e-17


def test_an_inertia_that_is_negative_about_the_mass_center_is_refused():
    with pytest.raises(
        MassPropertiesError,
        match=r"mass properties, inertia taken to the mass center: not the inertia of a rigid body."
        r" Its smallest principal moment, -.* kg m\^2, is negative",
    ):
        MassProperties(2.3, COM, BOX.matrix)


def test_an_inertia_that_only_about_the_mass_center_breaks_the_triangle_inequality_is_refused():
    about_com = np.diag([0.2, 0.9, 0.3])
    offset = Inertia.point(mass=2.3, p=[0, 1, 0]).matrix
    assert Inertia(about_com + offset).matrix[0, 0] == pytest.approx(2.5)  # valid about the origin

    with pytest.raises(MassPropertiesError, match=r"largest principal moment, 0.9 kg m\^2, exceeds the sum of the others, 0.5 kg m\^2"):
        MassProperties(2.3, [0, 1, 0], about_com + offset)


@pytest.mark.parametrize(
    ("mass", "com", "inertia", "message"),
    [
        (-1, [0, 0, 0], np.eye(3), r"mass properties: mass is -1 kg. It cannot be negative"),
        (np.nan, [0, 0, 0], np.eye(3), r"mass properties: mass is nan. All its entries must be finite"),
        ("2 kg", [0, 0, 0], np.eye(3), r"mass properties: mass is '2 kg'. One number is needed"),
        ([1, 2], [0, 0, 0], np.eye(3), r"mass properties: mass has shape \(2,\). One number is needed"),
        (1, [0, 0], np.eye(3), r"mass properties: com has shape \(2,\)"),
        (1, [0, np.inf, 0], np.eye(3), r"mass properties: com is .* must be finite"),
        (1, [0, 1e200, 0], np.eye(3), r"too large to compute with. Check units"),
        (1, [0, 0, 0], [1, 1, 1], r"inertia has shape \(3,\)"),
        (1, [0, 0, 0], np.diag([1, 1, 3]), r"inertia: not the inertia of a rigid body"),
        (0, [0, 0, 0], np.diag([1, 1, 2]), r"the mass is 0 kg, but the inertia has a moment of 2 kg m\^2"),
    ],
)
def test_impossible_mass_properties_are_refused(mass, com, inertia, message):
    with pytest.raises(MassPropertiesError, match=message):
        MassProperties(mass, com, inertia)
