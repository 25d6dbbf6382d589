"""The middle line of a beam: straight pieces from point to point, each with axes of its section."""

from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.errors import InputError
from mobod.spatial import cross_matrix

_AXES = {"x": np.eye(3), "y": np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]]), "z": np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]])}
_SAME = 1e-9  # of directions: pieces that are as close to parallel are one
_BACK = 1e-6  # 1 + the cosine of a corner: less is a fold


@final
@dataclass(frozen=True, eq=False)
class BeamLine:
    """Straight pieces; the first one is along x of the line's own axes, from their origin.

    start    (3,) m     in the body's frame
    R        (3, 3)     the line's axes in the body's frame
    corners  (k + 1, 3) m: the ends of the k pieces, in the line's axes
    axes     (k, 3, 3)  of the pieces: x, y, z of their section as columns
    """

    start: np.ndarray
    R: np.ndarray
    corners: np.ndarray
    axes: np.ndarray

    @classmethod
    def through(cls, points: np.ndarray, axis: str) -> "BeamLine":
        """points (k + 1, 3) m in the body's frame; axis: 'x', 'y' or 'z', along which a straight beam has the body's axes.

        The first piece has these axes, turned by the shortest rotation to its direction; each next piece those of the one before it,
        turned likewise. Raises InputError for a fold, of which this rotation is not determined.
        """
        directions = np.diff(points, axis=0)
        lengths = np.linalg.norm(directions, axis=1)
        directions = directions / lengths[:, None]
        given = _AXES[axis]
        R = _turned(given[:, 0], directions[0], f"its first piece points against '{axis}': give another axis") @ given
        directions = directions @ R
        axes = [np.eye(3)]
        for k, direction in enumerate(directions[1:], start=1):
            axes.append(_turned(axes[-1][:, 0], direction, f"it folds back at its point {k}") @ axes[-1])
        corners = np.concatenate([np.zeros((1, 3)), np.cumsum(lengths[:, None] * np.array(axes)[:, :, 0], axis=0)])
        return cls(points[0], R, corners, np.array(axes))

    @property
    def stations(self) -> np.ndarray:
        """(k + 1,) m: distances of the corners from the start, along the line."""
        return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(self.corners, axis=0), axis=1))])

    @property
    def is_straight(self) -> bool:
        """Whether the line has no corners."""
        return bool(np.array_equal(self.axes, np.broadcast_to(np.eye(3), self.axes.shape)))


def _turned(start: np.ndarray, end: np.ndarray, fold: str) -> np.ndarray:
    """(3, 3) the shortest rotation between unit vectors."""
    cosine, x = float(start @ end), cross_matrix(np.cross(start, end))
    if np.abs(start - end).max() < _SAME:
        return np.eye(3)
    if 1 + cosine < _BACK:
        raise InputError(f"FlexibleBeam: {fold}.")
    return np.eye(3) + x + x @ x / (1 + cosine)
