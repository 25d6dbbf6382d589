"""Directions among the parameters of constraints, which may be given at any length."""

import numpy as np
from numpy.typing import ArrayLike

from mobod.scalar import Array, where
from mobod.spatial import cross


def unit(v: ArrayLike) -> Array:
    """v / |v|. Not guarded: a direction that was set to zero during a run gives what is not finite, and stops it with an error."""
    v = np.array(v)
    return v / np.sqrt(v @ v)


def perpendicular(d: Array) -> Array:
    """A unit vector perpendicular to a unit vector: d x e, e being the coordinate axis that d has least of, as Simbody's."""
    x, y, z = np.abs(d)
    is_x = (x <= y) & (x <= z)
    is_y = (y < x) & (y <= z)
    return unit(cross(d, np.array([where(is_x, 1.0, 0.0), where(is_y, 1.0, 0.0), where(is_x | is_y, 0.0, 1.0)])))
