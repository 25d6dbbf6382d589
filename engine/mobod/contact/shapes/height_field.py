"""HeightField: ground whose heights are given on a grid."""

from functools import cached_property
from typing import final

import numpy as np

from mobod.arguments.real_numbers import real_numbers
from mobod.contact.shapes.contact_shape import ContactShape, Decorations, Look, nested
from mobod.contact.shapes.smooth_heights import SmoothHeights
from mobod.contact.shapes.terrain_tables import MOST_FEATURES, field_table
from mobod.errors import InputError
from mobod.matter.bodies import decorations
from mobod.matter.parameters import equations
from mobod.runtime.tables import Struct
from mobod.spatial import Transform
from mobod.spatial.checked import checked_floats
from mobod.system.named_arguments import named_arguments

Heights = tuple[tuple[float, ...], ...]
Spacing = tuple[float, float]


@final
@named_arguments
@equations
class HeightField(ContactShape):
    """Ground whose heights are given on a grid: all below it is solid. Its frame has z upward, and its origin in the middle of the grid.

    heights  (nx, ny)  m  z of the point (i, j), which lies at x = (i - (nx - 1) / 2) dx, y = (j - (ny - 1) / 2) dy
    spacing  () or (2,) m  distance of the points along x and along y
    smooth   False: each cell has two triangles on both sides of its diagonal from (i, j) to (i + 1, j + 1). Convex shapes touch them in
                    fixed steps. Bodies slide over edges within a plane as if there were none; at an edge between two slopes they
                    change their direction at once. A ball that rolls down into a valley edge of angle delta keeps
                    1 - (5/7) (1 - cos delta) of its speed: 0.990 after a quarter turn of 90 edges of 1 deg, 0.907 of 9 edges of 10 deg.
             True:  a bicubic spline through the points, with continuous curvature. Balls touch it, in fixed steps, under error control
                    and in compliant contact, and dissipate nothing. A ball must be less curved than valleys are. Beyond its border the
                    surface goes on straight.

    Raises InputError for fewer than 2 points along an axis, and for numbers that are not finite.
    """

    heights: Heights
    spacing: Spacing
    smooth: bool = False
    kernel_kind = "SHAPE_TERRAIN"
    has_table = True

    def __post_init__(self) -> None:
        shape = real_numbers(self.heights, "HeightField: heights").shape
        if len(shape) != 2 or min(shape) < 2:
            raise InputError(f"HeightField: heights has shape {shape}. It is (nx, ny), at least 2 points along each axis.")
        if 9 * shape[0] * shape[1] > MOST_FEATURES:
            raise InputError(f"HeightField: heights has {shape[0]} x {shape[1]} points. {MOST_FEATURES // 9} are possible.")
        heights = checked_floats(self.heights, shape, "HeightField: heights")
        given = real_numbers(self.spacing, "HeightField: spacing")
        spacing = checked_floats(np.broadcast_to(given, (2,)) if given.ndim == 0 else given, (2,), "HeightField: spacing")
        if spacing.min() <= 0:
            raise InputError(f"HeightField: spacing is {spacing.tolist()} m. It must be greater than 0.")
        if not isinstance(self.smooth, bool):
            raise InputError(f"HeightField: smooth is {self.smooth!r}. It is True or False.")
        object.__setattr__(self, "heights", nested(heights))
        object.__setattr__(self, "spacing", nested(spacing))

    @property
    def has_distance(self) -> bool:
        """See ContactShape."""
        return self.smooth

    @cached_property
    def vertices(self) -> np.ndarray:
        """(nx ny, 3) m, its points in its frame."""
        z = np.array(self.heights)
        x, y = ((np.arange(n) - (n - 1) / 2) * step for n, step in zip(z.shape, self.spacing, strict=True))
        return np.stack([np.repeat(x, len(y)), np.tile(y, len(x)), z.ravel()], axis=1)

    @cached_property
    def faces(self) -> np.ndarray:
        """(2 (nx - 1) (ny - 1), 3) its triangles, as indices of vertices, counterclockwise seen from above."""
        nx, ny = np.shape(self.heights)
        first = (np.arange(nx - 1)[:, None] * ny + np.arange(ny - 1)).ravel()
        lower, upper = (first, first + ny, first + ny + 1), (first, first + ny + 1, first + 1)
        return np.stack([np.stack(lower, axis=1), np.stack(upper, axis=1)], axis=1).reshape(-1, 3)

    @cached_property
    def smooth_heights(self) -> SmoothHeights:
        """The surface of a smooth field."""
        return SmoothHeights.through(np.array(self.heights), self.spacing)

    def terrain_table(self) -> Struct:
        """See ContactShape."""
        return self._table

    @cached_property
    def _table(self) -> Struct:
        return field_table(np.array(self.heights), self.spacing)

    def decorations(self, look: Look) -> Decorations:
        """See ContactShape."""
        return [(Transform(), decorations.Mesh(nested(self.vertices), nested(self.faces), **look.of_geometry))]

    def __getstate__(self) -> dict[str, object]:
        """Without what is made on demand."""
        return {name: vars(self)[name] for name in ("heights", "spacing", "smooth")}
