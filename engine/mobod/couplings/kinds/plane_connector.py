"""PlaneConnectorCoupling: a point on a plane, or on one side of it."""

from typing import Annotated, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.couplings.coupling import Coupling
from mobod.couplings.records import BILATERAL, LINEAR
from mobod.scalar import Array
from mobod.spatial import Transform
from mobod.spatial.checked import checked_axis
from mobod.system.elements import Given, argument


@final
class PlaneConnectorCoupling(Coupling):
    """The origin of C is in the plane through that of D, without coordinates.

    normal      (3,)  of the plane, in D, of any length
    unilateral  the origin of C may also be on the side to which the normal points
    """

    normal: Given[Annotated[tuple[float, float, float], checked_axis], ArrayLike] = argument(
        "of the plane, in D, of any length", default=(0.0, 0.0, 1.0), kw_only=False
    )
    unilateral: bool = argument("whether the origin of C may be on the side to which the normal points", default=False)

    def initialize_constraints(self) -> None:
        """Add the bilateral constraints, then the coordinates with their limits."""
        self.add_constraint(LINEAR if self.unilateral else BILATERAL | LINEAR)

    def project_to_constraints(self, TCD: Transform) -> Transform:
        """T_GD, the nearest pose that satisfies the bilateral constraints."""
        n = np.array(self.normal)
        return Transform.of(TCD.R, TCD.p - (TCD.p @ n) * n)

    def update_constraints(self, TGD: Transform, TCD: Transform, errC: Array, velGD: Array, update_engaged: bool) -> None:
        """Set the wrenches that depend on the pose or on the coordinates, (6,) in G, the force first."""
        constraint = self.constraint(0)
        constraint.wrench_G = np.array([*(np.array(self.normal) @ TGD.R), 0, 0, 0])
        if self.unilateral:
            self.update_engaged(constraint, constraint.wrench_G @ errC, 0.0, np.inf)
