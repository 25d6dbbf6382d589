"""The motion of a joint of a robot without rotations that move no inertia."""

import numpy as np

from mobod.files.robot.carried import Carried
from mobod.files.robot.joints import RemainingMotion, RobotJoint, along
from mobod.functions import Linear
from mobod.matter.mobilizers import FreeLine, FunctionBased, LineOrientation, Translation
from mobod.spatial import Transform, to_quaternion

_ALONG = Linear([1.0, 0.0])
ALONG_X_AND_Y = {"functions": [0, 0, 0, _ALONG, _ALONG, 0], "coordinate_indices": [[], [], [], [0], [1], []]}


def remaining_motion(joint: RobotJoint, carried: Carried) -> RemainingMotion:
    """The motion of a floating, spherical or planar joint without some of its rotations, but not without all of its motion.

    The origin of frame M is a point of the line about which nothing resists a rotation, the nearest one to the link's origin; z of M is
    along the line.
    """
    idle = carried.idle_motions(joint)[:3]
    if joint.kind == "spherical":
        R = along("z", idle[:, 0])
        X_CF, X_CM = Transform(p=joint.anchor), Transform(R, joint.anchor)
        return RemainingMotion(mobilizer=LineOrientation, X_CF=X_CF, X_CM=X_CM, default_q=to_quaternion(R))
    if joint.kind == "planar":
        R, p = along("z", joint.axis), _nearest(carried.com, joint.axis)
        default_q = (R.T @ (p - joint.anchor))[:2]
        X_CF, X_CM = Transform(R, joint.anchor), Transform(R, p)
        return RemainingMotion(mobilizer=FunctionBased, X_CF=X_CF, X_CM=X_CM, default_q=default_q, parameters=ALONG_X_AND_Y)
    if idle.shape[1] == 3:
        return RemainingMotion(mobilizer=Translation, X_CF=Transform(), X_CM=Transform(p=carried.com), default_q=carried.com)
    R, p = along("z", idle[:, 0]), _nearest(carried.com, idle[:, 0])
    return RemainingMotion(mobilizer=FreeLine, X_CF=Transform(), X_CM=Transform(R, p), default_q=np.concatenate([to_quaternion(R), p]))


def line_without_inertia(joint: RobotJoint, carried: Carried) -> str:
    """The line or lines about which nothing resists a rotation, for a finding."""
    axes = carried.idle_motions(joint)[:3]
    through = _text(joint.anchor if joint.kind == "spherical" else carried.com)
    if axes.shape[1] == 3:
        return f"any line through {through} m of the link"
    return f"the line through {through} m along {_text(axes[:, 0])} of the link"


def description_of_remaining(remaining: RemainingMotion) -> str:
    """What the coordinates and speeds of the joint are, for a finding."""
    of_point = f"the position and the velocity of the point {_text(remaining.X_CM.p)} m of the link"
    of_frame = f"the quaternion of a frame whose z axis is {_text(remaining.X_CM.R[:, 2])} of the link, its angular velocity about x and y"
    what = {
        FreeLine: f"7 q and 5 u: {of_frame}, {of_point}",
        LineOrientation: f"4 q and 2 u: {of_frame}",
        Translation: f"3 q and 3 u: {of_point}",
        FunctionBased: f"2 q and 2 u: {of_point} in the plane",
    }[remaining.mobilizer]
    return f"It is a {remaining.mobilizer.__name__}, with {what}"


def _nearest(point: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """The point nearest to the origin on the line through a point along a unit axis."""
    nearest = point - (point @ axis) * axis
    return np.where(np.abs(nearest) < 1e-15 * np.abs(point).max(), 0.0, nearest)


def _text(vector: np.ndarray) -> str:
    return f"({', '.join(f'{each:g}' for each in vector + 0.0)})"
