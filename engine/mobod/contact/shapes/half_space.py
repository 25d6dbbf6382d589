"""HalfSpace: all that lies below a plane."""

from typing import final

import numpy as np
from numpy.typing import ArrayLike

from mobod.contact.shapes.contact_shape import ContactShape, Decorations, Look
from mobod.contact.tangents import tangents_of
from mobod.matter.bodies import decorations
from mobod.matter.parameters import equations
from mobod.scalar import Array, Scalar
from mobod.spatial import Transform
from mobod.spatial.checked import checked_axis, checked_floats
from mobod.system.named_arguments import named_arguments

THIN = 0.005  # thickness of the plate that stands for a half-space, relative to its size


@final
@named_arguments
@equations
class HalfSpace(ContactShape):
    """All that lies below a plane: z < 0 of its frame. The outward normal is z."""

    rounding = "flat"
    touches_meshes = True
    kernel_kind = "SHAPE_HALF_SPACE"

    @staticmethod
    def frame(normal: ArrayLike, point: ArrayLike = (0.0, 0.0, 0.0)) -> Transform:
        """The pose of the half-space's frame for a plane through a point.

        normal   (3,) of any length but 0, outward
        point    (3,) m
        returns  Transform, in the frame in which both are given
        """
        z = np.array(checked_axis(normal, "HalfSpace: normal"))
        x, y = tangents_of(z)
        return Transform(np.array([x, y, z]).T, checked_floats(point, (3,), "HalfSpace: point"))

    @staticmethod
    def frame_of_simbody(X_BS: Transform | None = None) -> Transform:
        """The pose on body B of the half-space's frame, for a half-space of Simbody, which fills x > 0 of its frame S.

        X_BS     Transform, default: S is the body's frame
        returns  Transform; its z axis is -x of S, its y axis y of S
        """
        X_SH = Transform(np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]))
        return X_SH if X_BS is None else X_BS @ X_SH

    def tangents(self, R_AS: Array) -> Array:
        """The x and y axes of its frame."""
        return R_AS[:, :2].T

    def gap_of_point(self, p: Array, X_AS: Transform) -> tuple[Scalar, Array]:
        """See ContactShape."""
        n = X_AS.R[:, 2]
        return n @ (p - X_AS.p), n

    def decorations(self, look: Look) -> Decorations:
        """A thin plate below its plane."""
        plate = decorations.Box((look.size, look.size, THIN * look.size), **look.of_geometry)
        return [(Transform(p=[0.0, 0.0, -THIN * look.size]), plate)]
