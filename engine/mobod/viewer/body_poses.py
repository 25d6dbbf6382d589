"""Poses of bodies over the frames of a run, as tracks of a page."""

import numpy as np
from scipy.spatial.transform import Rotation

from mobod.disk.json_values import JsonValue
from mobod.viewer.tracks import Tracks

_STILL = 1e-12  # as a fraction of the scene: a body that moves less is drawn in one pose
_ANGLE = 2.0**-21  # of the entries of quaternions


def pose_tracks(tracks: Tracks, R: np.ndarray, p: np.ndarray) -> list[JsonValue]:
    """For each body its pose, if it does not move, or the numbers of its tracks: the position, then the quaternion (w, x, y, z).

    R  (bodies, frames, 3, 3)
    p  (bodies, frames, 3) m
    """
    size = float(np.ptp(p.reshape(-1, 3), axis=0).max(initial=1e-9))
    return [_pose_track(tracks, *each, size) for each in zip(R, p, strict=True)]


def _pose_track(tracks: Tracks, R: np.ndarray, p: np.ndarray, size: float) -> JsonValue:
    if np.abs(R - R[0]).max() <= _STILL and np.abs(p - p[0]).max() <= _STILL * size:
        return [*R[0].ravel().tolist(), *p[0].tolist()]
    return {"tracks": [*tracks.add(p, 1e-6 * size), *tracks.add(_quaternions(R), _ANGLE)]}


def _quaternions(R: np.ndarray) -> np.ndarray:
    """(frames, 4): w, x, y, z, each with the sign that is nearer to the one before, so that between frames a straight line will do."""
    quaternions = Rotation.from_matrix(R).as_quat(scalar_first=True)
    turns = np.sign(np.einsum("ij,ij->i", quaternions[1:], quaternions[:-1]))
    signs = np.cumprod(np.concatenate([[1.0], np.where(turns == 0, 1.0, turns)]))
    return quaternions * signs[:, None]
