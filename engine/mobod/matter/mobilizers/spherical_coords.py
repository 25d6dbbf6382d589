"""SphericalCoords: azimuth, zenith and radius."""

from typing import Literal, final

import numpy as np

from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.matter.equations.orientation import NEAR_SINGULAR
from mobod.matter.parameters import equations
from mobod.scalar import Array, Scalar
from mobod.spatial import Transform, rotation_y, rotation_z
from mobod.system.elements import Parameter, argument, parameter, parameter_of


@final
@equations
class SphericalCoordsEquations(MobilizerEquations):
    """Rotation about z of F, then about the new y, then translation along z or x of M.

    azimuth = azimuth_offset + q0, zenith = zenith_offset + q1, radius = q2, each q with the opposite sign if it is negated

    q  (3,)  rad, rad, m        of the azimuth, the zenith angle and the radius
    u  (3,)  rad/s, rad/s, m/s  their rates
    """

    azimuth_offset: float = parameter("rad", "azimuth where its coordinate is 0")
    zenith_offset: float = parameter("rad", "zenith angle where its coordinate is 0")
    azimuth_negated: bool = False
    zenith_negated: bool = False
    radial_axis: Literal["x", "z"] = "z"
    radial_negated: bool = False

    q_units = ("rad", "rad", "m")

    def X_FM(self, q: Array) -> Transform:
        azimuth, zenith, radius = self._spherical(q)
        R = rotation_z(azimuth) @ rotation_y(zenith)
        return Transform.of(R, R[:, self._axis] * radius)

    def H_FM(self, q: Array) -> Array:
        azimuth, zenith, radius = self._spherical(q)
        ca, sa, cz, sz = np.cos(azimuth), np.sin(azimuth), np.cos(zenith), np.sin(zenith)
        level, up = (sz, cz) if self.radial_axis == "z" else (cz, -sz)  # the radial axis is (ca level, sa level, up)
        turned = np.array([0, 0, 1, -sa * level * radius, ca * level * radius, 0])
        tilted = np.array([-sa, ca, 0, ca * up * radius, sa * up * radius, -level * radius])
        moved = np.array([0, 0, 0, ca * level, sa * level, up])
        signs = self._signs
        return np.array([signs[0] * turned, signs[1] * tilted, signs[2] * moved]).T

    def near(self, X_FM: Transform, q: Array) -> Array:
        R = X_FM.R
        azimuth, zenith = np.arctan2(-R[0, 1], R[1, 1]), np.arctan2(-R[2, 0], R[2, 2])
        radius = (rotation_z(azimuth) @ rotation_y(zenith))[:, self._axis] @ X_FM.p
        return np.array(self._signs) * [azimuth - self.azimuth_offset, zenith - self.zenith_offset, radius]

    def why_singular(self, q: Array) -> str:
        _, zenith, radius = self._spherical(q)
        if abs(radius) < NEAR_SINGULAR:
            return f"the radius {radius:.6g} m is at or near 0, where azimuth and zenith angle do not move the origin of M"
        if abs(np.sin(zenith) if self.radial_axis == "z" else np.cos(zenith)) < NEAR_SINGULAR:
            return (
                f"the zenith angle {zenith:.6g} rad is at or near a value where the radial axis is the azimuth axis, so that the azimuth "
                "has no effect"
            )
        return ""

    @property
    def _axis(self) -> int:
        return "xyz".index(self.radial_axis)

    @property
    def _signs(self) -> tuple[int, int, int]:
        return (-1 if self.azimuth_negated else 1, -1 if self.zenith_negated else 1, -1 if self.radial_negated else 1)

    def _spherical(self, q: Array) -> tuple[Scalar, Scalar, Scalar]:
        """(azimuth, zenith angle, radius)."""
        signs = self._signs
        return self.azimuth_offset + signs[0] * q[0], self.zenith_offset + signs[1] * q[1], signs[2] * q[2]


@final
class SphericalCoords(MobilizedBody):
    """A body at an azimuth, a zenith angle and a radius in F (see SphericalCoordsEquations).

    azimuth_offset   rad
    zenith_offset    rad
    radial_axis      'z' or 'x' of M
    """

    azimuth_offset: Parameter[float] = parameter_of(SphericalCoordsEquations, default=0.0)
    set_azimuth_offset, default_azimuth_offset, set_default_azimuth_offset = azimuth_offset.accessors
    azimuth_negated: bool = argument("whether the azimuth decreases with its coordinate", default=False)
    zenith_offset: Parameter[float] = parameter_of(SphericalCoordsEquations, default=0.0)
    set_zenith_offset, default_zenith_offset, set_default_zenith_offset = zenith_offset.accessors
    zenith_negated: bool = argument("whether the zenith angle decreases with its coordinate", default=False)
    radial_axis: Literal["x", "z"] = argument("the axis of M along which the radius is measured", default="z")
    radial_negated: bool = argument("whether the radius decreases with its coordinate", default=False)

    def __post_init__(self) -> None:
        self.equations = SphericalCoordsEquations(
            **self.parameter_values(),
            azimuth_negated=self.azimuth_negated,
            zenith_negated=self.zenith_negated,
            radial_axis=self.radial_axis,
            radial_negated=self.radial_negated,
        ).checked("SphericalCoords")
        super().__post_init__()
