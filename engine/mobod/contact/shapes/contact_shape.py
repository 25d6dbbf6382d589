"""ContactShape: the base of the shapes that touch each other. Each has a frame of its own, which is placed on a body. Lengths in m."""

# Decision: docs/decisions/148-contact-shapes.md

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, final

import numpy as np

from mobod.errors import UnsupportedError
from mobod.matter.bodies.decorations import Geometry, Triple
from mobod.matter.parameters import Parametrised
from mobod.runtime.tables import Struct
from mobod.scalar import Array, Scalar, is_recorded
from mobod.spatial import Transform

Rounding = Literal["flat", "ball", "ellipsoid", "edge"]
Decorations = list[tuple[Transform, Geometry]]
LEAST_RATIO = 1e-5  # of the least to the largest curvature: below it the patch counts as an ellipse of this ratio


@final
@dataclass(frozen=True)
class Look:
    """How a shape is drawn.

    size     m, of the square plate that stands for a half-space, from its middle to an edge
    color    red, green, blue, each from 0 to 1
    opacity  from 0 to 1
    """

    size: float
    color: Triple
    opacity: float

    @property
    def of_geometry(self) -> dict[str, Any]:
        """The arguments of a decoration."""
        return {"color": self.color, "opacity": self.opacity}


class ContactShape(Parametrised, ABC):
    """Base class of the shapes. They are immutable; equal shapes have equal numbers.

    Lengths are parameters: recordings take them as inputs. Numbers of points and of vertices are structure.
    Raises InputError for lengths that are not finite or not greater than 0.
    """

    rounding: ClassVar[Rounding] = "edge"  # of what touches, for Hertz's law
    kernel_kind: ClassVar[str | None] = None  # its name in ShapeKind of convex_shape.h, which has its numbers in the order of parameters
    has_table: ClassVar[bool] = False  # whether slots take its numbers from a constant table, see hull_table
    touches_meshes: ClassVar[bool] = False  # whether it has gap_of_point, against which a TriangleMesh presses

    def __post_init__(self) -> None:
        for each in self.parameters:
            value = getattr(self, each.name)
            if not is_recorded(value):
                object.__setattr__(self, each.name, nested(each.checked(value, f"{type(self).__name__}: {each.name}")))

    @final
    def with_parameters(self, values: Sequence[Scalar] | Array) -> Self:
        """The same shape with other numbers, which are not checked and may be recorded; values (n_parameters,)."""
        shape = object.__new__(type(self))
        shape.__dict__.update(vars(self))
        start = 0
        for each in self.parameters:
            part = np.reshape(np.array(values[start : start + each.size]), each.shape)
            shape.__dict__[each.name] = nested(part)
            start += each.size
        return shape

    @property
    def has_rim(self) -> bool:
        """Whether its nearest point moves around a rim, and is not determined where its axis z is normal to a plane."""
        return False

    @property
    def has_distance(self) -> bool:
        """Whether its distance from other shapes can be recorded, see pair_of."""
        return True

    def hull_table(self) -> Struct | None:
        """The `Hull` of convex_shape.h; None: its numbers say all."""
        return None

    def terrain_table(self) -> Struct | None:
        """The `Terrain` of terrain.h; None: it is no terrain."""
        return None

    def tangents(self, R_AS: Array) -> Array | None:
        """(2, 3) unit vectors along its surface in frame A, whose cross product is the outward normal. None: the normal decides."""
        return None

    def curvatures(self, n: Array, *, as_simbody: bool) -> tuple[Scalar, Scalar]:
        """(largest, least), 1/m, where the normal (3,), in the frame of the shape, is n or -n. Recorded.

        as_simbody  for ellipsoids, see relative_curvatures
        """
        return 0.0, 0.0

    def gap_of_point(self, p: Array, X_AS: Transform) -> tuple[Scalar, Array]:
        """(distance (), normal (3,)) of a point (3,) in frame A from the surface; the normal points outward. Recorded."""
        raise UnsupportedError(f"{type(self).__name__} has no distance from a point.")

    @abstractmethod
    def decorations(self, look: Look) -> Decorations:
        """What draws it: decorations with their poses in its frame."""


def nested(array: Array) -> Any:
    """The array as nested tuples; a number if it has no axes."""
    return array.tolist() if array.ndim == 0 else tuple(nested(np.asarray(row)) for row in array)
