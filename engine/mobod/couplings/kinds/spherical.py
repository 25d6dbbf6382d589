"""SphericalCoupling: all rotations about a point, with a limit on the tilt or on the whole rotation."""

from typing import Annotated, Any, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.couplings.coupling import Coupling
from mobod.couplings.projections import rotation_vector
from mobod.couplings.records import BILATERAL, LINEAR, ROTARY
from mobod.errors import InputError
from mobod.scalar import Array, norm, normalized, where
from mobod.spatial import Transform
from mobod.spatial.checked import checked_floats
from mobod.system.elements import Given, argument


def checked_angles(value: object, what: str, shape: tuple[int, ...] = ()) -> Any:
    """Raises InputError unless they are greater than 0, and pi at most."""
    array = checked_floats(value, shape, what)
    if not ((array > 0) & (array <= np.pi)).all():
        raise InputError(f"{what} is {value} rad. It must be greater than 0, and pi at most.")
    return tuple(array.tolist()) if shape else float(array)


def checked_rotations(value: Any, what: str) -> tuple[float, float, float]:
    """About x, y and z; one number is taken for all three."""
    x, y, z = checked_angles([value] * 3 if np.ndim(value) == 0 else value, what, (3,))
    return x, y, z


@final
class SphericalCoupling(Coupling):
    """Rotation about the common origin of C and D, without coordinates.

    max_tilt      rad, of the z axis of C from that of D; None: any
    max_rotation  rad, of the whole rotation; three of them: about x, y and z, and between them by the axis of the rotation; None: any
    """

    max_tilt: Annotated[float, checked_angles] | None = argument("of the z axis of C from that of D, rad", default=None)
    max_rotation: Given[Annotated[tuple[float, float, float], checked_rotations] | None, ArrayLike | None] = argument(
        "of the whole rotation, rad; three: about x, y and z", default=None
    )

    def __post_init__(self) -> None:
        if self.max_tilt is not None and self.max_rotation is not None:
            raise InputError("SphericalCoupling limits the tilt or the rotation, not both. Add a joint with the other.")
        super().__post_init__()

    def initialize_constraints(self) -> None:
        """Add the bilateral constraints, then the coordinates with their limits."""
        for i in range(3):
            self.add_constraint(BILATERAL | LINEAR, np.eye(6)[i])
        if self.max_tilt is not None or self.max_rotation is not None:
            self.add_constraint(ROTARY)

    def coordinates_to_TCD(self, coordinates: Array) -> Transform:
        """T_CD of the coordinates (n,): m, rad."""
        return Transform()

    def project_to_constraints(self, TCD: Transform) -> Transform:
        """T_GD, the nearest pose that satisfies the bilateral constraints."""
        return Transform.of(TCD.R, np.zeros(3))

    def update_constraints(self, TGD: Transform, TCD: Transform, errC: Array, velGD: Array, update_engaged: bool) -> None:
        """Set the wrenches that depend on the pose or on the coordinates, (6,) in G, the force first."""
        if self.max_tilt is not None:
            x, y, z = TGD.R[2]  # z of D, in G
            axis = np.array([y, -x, 0])  # that times z of C
            self.constraint(3).wrench_G = np.array([0, 0, 0, *normalized(axis)])
            self.update_engaged(self.constraint(3), np.arctan2(norm(axis), z), -np.inf, self.max_tilt)
        elif self.max_rotation is not None:
            turned = rotation_vector(TGD.R)
            angle = norm(turned)
            axis = where(angle == 0, np.array([1.0, 0.0, 0.0]), turned / where(angle == 0, 1.0, angle))
            limits = np.array(self.max_rotation)
            self.constraint(3).wrench_G = np.array([0, 0, 0, *normalized(axis / limits)])
            self.update_engaged(self.constraint(3), angle, -np.inf, norm(axis * limits))
