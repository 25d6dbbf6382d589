"""EllipsoidCoupling and Ellipsoid3dCoupling: a point that moves on an ellipsoid, with rotations there."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.couplings.coupling import Coupling
from mobod.couplings.projections import nearest_on_ellipsoid, with_column_raised, with_z_aligned
from mobod.couplings.records import BILATERAL, LINEAR, ROTARY, UNBOUNDED, ConstraintFlag, Range, checked_ranges
from mobod.errors import InputError
from mobod.scalar import Array, Scalar, normalized
from mobod.spatial import Transform, cross, rotation_x, rotation_z
from mobod.spatial.checked import checked_floats
from mobod.system.elements import Given, argument

NAMES = ("longitude", "latitude", "theta", "phi")


def checked_radii(radii: object, what: str) -> tuple[float, float, float]:
    """Raises InputError unless they are three positive numbers."""
    array = checked_floats(radii, (3,), what)
    if not (array > 0).all():
        raise InputError(f"{what} is {array.tolist()} m. All must be greater than 0.")
    a, b, c = array.tolist()
    return a, b, c


Radii = Given[Annotated[tuple[float, float, float], checked_radii], ArrayLike]


@final
@dataclass(frozen=True)
class EllipsoidSurface:
    """Where longitude and latitude lead: a point, and axes there, the x axis towards growing latitude.

    radii       m, along x, y and z of D
    uses_opensim  the axes are those of a sphere, as OpenSim has them; otherwise z is normal to the surface
    """

    radii: tuple[float, float, float]
    uses_opensim: bool

    def pose(self, longitude: Scalar, latitude: Scalar) -> Transform:
        a, b, c = self.radii
        c1, s1, c2, s2 = np.cos(longitude), np.sin(longitude), np.cos(latitude), np.sin(latitude)
        p = np.array([a * s2, -b * s1 * c2, c * c1 * c2])
        if self.uses_opensim:
            x, z = np.array([c2, s1 * s2, -c1 * s2]), np.array([s2, -s1 * c2, c1 * c2])
        else:
            x = normalized(np.array([a * c2, b * s1 * s2, -c * c1 * s2]))
            z = normalized(np.array([s2 / a, -s1 * c2 / b, c1 * c2 / c]))
        return Transform.of(np.array([x, cross(z, x), z]).T, p)

    def angles(self, p: Array) -> tuple[Scalar, Scalar]:
        """Longitude and latitude of a point on the surface."""
        x, y, z = np.asarray(p) / np.array(self.radii)
        return np.arctan2(-y, z), np.arctan2(x, np.sqrt(y * y + z * z))

    def below(self, p: Array) -> Transform:
        """The pose at the point that is nearest to p."""
        return self.pose(*self.angles(nearest_on_ellipsoid(p, self.radii)))


@final
class EllipsoidCoupling(Coupling):
    """A point on an ellipsoid, then rotation by theta about z there, then by phi about an axis in the tangent plane.

    radii         (3,)  m
    alpha         rad, of the axis of phi from the turned x axis, about z
    uses_opensim  see EllipsoidSurface
    ranges        four, rad, of longitude, latitude, theta, phi
    """

    radii: Radii = argument("of the ellipsoid along x, y and z of D, m", kw_only=False)
    alpha: float = argument("angle of the axis of phi from the turned x axis, about z, rad", default=0.0, kw_only=False)
    uses_opensim: bool = argument("whether the axes are those of a sphere", default=False)
    ranges: Annotated[Sequence[Range], partial(checked_ranges, names=NAMES)] = argument("of each angle, rad", default=(UNBOUNDED,) * 4)

    @property
    def surface(self) -> EllipsoidSurface:
        """The surface as a function of longitude and latitude."""
        return EllipsoidSurface(self.radii, self.uses_opensim)

    def initialize_constraints(self) -> None:
        """Add the bilateral constraints, then the coordinates with their limits."""
        add_coupled(self, 2, self.ranges, NAMES)

    def coordinates_to_TCD(self, coordinates: Array) -> Transform:
        """T_CD of the coordinates (n,): m, rad."""
        longitude, latitude, theta, phi = coordinates
        at = self.surface.pose(longitude, latitude)
        return Transform.of(at.R @ rotation_z(theta + self.alpha) @ rotation_x(phi) @ rotation_z(-self.alpha), at.p)

    def TCD_to_coordinates(self, TCD: Transform) -> Array:
        """The coordinates (n,) of a pose that satisfies the bilateral constraints: m, rad."""
        longitude, latitude = self.surface.angles(TCD.p)
        turned = self.surface.pose(longitude, latitude).R.T @ TCD.R @ rotation_z(self.alpha)
        angles = longitude, latitude, np.arctan2(turned[1, 0], turned[0, 0]) - self.alpha, np.arctan2(turned[2, 1], turned[2, 2])
        return np.array([each.nearest_angle(angle) for each, angle in zip(self.coordinates, angles, strict=True)])

    def project_to_constraints(self, TCD: Transform) -> Transform:
        """T_GD, the nearest pose that satisfies the bilateral constraints."""
        at = self.surface.below(TCD.p)
        turned = with_column_raised(at.R.T @ TCD.R @ rotation_z(self.alpha), 0, 0.0)
        return Transform.of(at.R @ turned @ rotation_z(-self.alpha), at.p)


@final
class Ellipsoid3dCoupling(Coupling):
    """A point on an ellipsoid, then rotation by theta about z there.

    radii         (3,)  m
    uses_opensim  see EllipsoidSurface
    ranges        three, rad, of longitude, latitude, theta
    """

    radii: Radii = argument("of the ellipsoid along x, y and z of D, m", kw_only=False)
    uses_opensim: bool = argument("whether the axes are those of a sphere", default=False)
    ranges: Annotated[Sequence[Range], partial(checked_ranges, names=NAMES[:3])] = argument("of each angle, rad", default=(UNBOUNDED,) * 3)

    @property
    def surface(self) -> EllipsoidSurface:
        """The surface as a function of longitude and latitude."""
        return EllipsoidSurface(self.radii, self.uses_opensim)

    def initialize_constraints(self) -> None:
        """Add the bilateral constraints, then the coordinates with their limits."""
        add_coupled(self, 3, self.ranges, NAMES[:3])

    def coordinates_to_TCD(self, coordinates: Array) -> Transform:
        """T_CD of the coordinates (n,): m, rad."""
        longitude, latitude, theta = coordinates
        at = self.surface.pose(longitude, latitude)
        return Transform.of(at.R @ rotation_z(theta), at.p)

    def TCD_to_coordinates(self, TCD: Transform) -> Array:
        """The coordinates (n,) of a pose that satisfies the bilateral constraints: m, rad."""
        longitude, latitude = self.surface.angles(TCD.p)
        turned = self.surface.pose(longitude, latitude).R.T @ TCD.R
        angles = longitude, latitude, np.arctan2(turned[1, 0], turned[0, 0])
        return np.array([each.nearest_angle(angle) for each, angle in zip(self.coordinates, angles, strict=True)])

    def project_to_constraints(self, TCD: Transform) -> Transform:
        """T_GD, the nearest pose that satisfies the bilateral constraints."""
        at = self.surface.below(TCD.p)
        return Transform.of(at.R @ with_z_aligned(at.R.T @ TCD.R), at.p)


def add_coupled(coupling: Coupling, n_bilateral: int, ranges: Sequence[tuple[float, float]], names: tuple[str, ...]) -> None:
    """Constraints whose wrenches are derived from the coordinates."""
    coupled: ConstraintFlag = LINEAR | ROTARY
    for _ in range(n_bilateral):
        coupling.add_constraint(BILATERAL | coupled)
    limits = [coupling.add_constraint(ROTARY) for _ in names]
    for limit, (low, high), name in zip(limits, ranges, names, strict=True):
        coupling.add_coordinate(low, high, limit, name)
