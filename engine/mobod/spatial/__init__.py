"""Geometry and mass of rigid bodies: rotations, transforms, spatial vectors, inertia, mass properties."""

from mobod.spatial.inertia import Inertia
from mobod.spatial.mass_properties import MassProperties
from mobod.spatial.rotation import (
    cross_matrix,
    from_body_xyz,
    from_quaternion,
    quaternion_N,
    rotation_about,
    rotation_x,
    rotation_y,
    rotation_z,
    to_axis_angle,
    to_body_xyz,
    to_quaternion,
)
from mobod.spatial.spatial import cross, shift_force, shift_velocity, spatial_inertia
from mobod.spatial.transform import Transform

__all__ = [
    "Inertia",
    "MassProperties",
    "Transform",
    "cross",
    "cross_matrix",
    "from_body_xyz",
    "from_quaternion",
    "quaternion_N",
    "rotation_about",
    "rotation_x",
    "rotation_y",
    "rotation_z",
    "shift_force",
    "shift_velocity",
    "spatial_inertia",
    "to_axis_angle",
    "to_body_xyz",
    "to_quaternion",
]


def __dir__() -> list[str]:
    return sorted(__all__)
