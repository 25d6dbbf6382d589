"""FrameSensor: the motion of one frame relative to another."""

from typing import final

import numpy as np

from mobod.forces.port_equations import unit_quaternion
from mobod.matter import Ground, MobilizedBody
from mobod.scalar import Array
from mobod.sensors.sensor import FrameOnBody, Sensor, SensorPart
from mobod.spatial import Transform, cross
from mobod.system import Layout, Stage, State
from mobod.system.elements import argument


@final
class FrameSensor(Sensor):
    """The motion of a frame S on a body as seen from a frame R on another body or on Ground, in the axes of R.

    body, frame                 the body of S, and X_BS; default: the body's own frame
    reference, reference_frame  the body of R, and X_BR; default: Ground, and the body's own frame

    Variables: '<name>.position', m, '<name>.quaternion', scalar part first, '<name>.angular_velocity', rad/s, and '<name>.velocity', m/s,
    the rate of the position.
    """

    body: MobilizedBody | Ground = argument("the body of the frame that is seen", kw_only=False)
    frame: Transform | None = argument("frame S on the body; default: the body's own", default=None, kw_only=False)
    reference: MobilizedBody | Ground | None = argument("the body that it is seen from; default: Ground", default=None)
    reference_frame: Transform | None = argument("frame R on that body; default: the body's own", default=None)

    parts = (
        SensorPart("position", 3, "m", "position"),
        SensorPart("quaternion", 4, "1", "rotation, a quaternion with its scalar part first,"),
        SensorPart("angular_velocity", 3, "rad/s", "angular velocity"),
        SensorPart("velocity", 3, "m/s", "velocity"),
    )

    def __post_init__(self) -> None:
        self.site = FrameOnBody(self.system, self.body, self.frame, "FrameSensor")
        reference = self.site.body.matter.ground if self.reference is None else self.reference
        self._from = FrameOnBody(self.system, reference, self.reference_frame, "FrameSensor: reference")
        self._complete(Stage.VELOCITY)

    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        self.site.allocate(state, self, "frame")
        self._from.allocate(state, self, "reference_frame")

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values, when the layout is known."""
        inputs = [*self.site.pose(layout), self.site.velocity(layout), *self._from.pose(layout), self._from.velocity(layout)]
        self.subsystem.sweep(layout, self.stage).add(seen, inputs, [self.slot(layout)])


def seen(
    R_BS: Array,
    p_BS: Array,
    R_GB: Array,
    p_GB: Array,
    V_GB: Array,
    R_BR: Array,
    p_BR: Array,
    R_GB_R: Array,
    p_GB_R: Array,
    V_GB_R: Array,
) -> Array:
    """(13,) position, quaternion, angular velocity and velocity of S in R; the later arguments are those of R and of its body."""
    R_GS, R_GR, arm, arm_R = R_GB @ R_BS, R_GB_R @ R_BR, R_GB @ p_BS, R_GB_R @ p_BR
    p = p_GB + arm - p_GB_R - arm_R
    w, w_R = V_GB[:3], V_GB_R[:3]
    v = V_GB[3:] + cross(w, arm) - V_GB_R[3:] - cross(w_R, arm_R)
    return np.concatenate([R_GR.T @ p, unit_quaternion(R_GR.T @ R_GS), R_GR.T @ (w - w_R), R_GR.T @ (v - cross(w_R, p))])
