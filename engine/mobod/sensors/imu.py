"""Imu: an accelerometer and a gyroscope."""

from typing import final

import numpy as np

from mobod.forces.gravity_fields import write_gravity
from mobod.matter import Ground, MobilizedBody
from mobod.scalar import Array
from mobod.sensors.sensor import FrameOnBody, Sensor, SensorPart
from mobod.spatial import Transform, cross
from mobod.system import Layout, Stage, State
from mobod.system.elements import argument


@final
class Imu(Sensor):
    """An accelerometer and a gyroscope at the origin of a frame S on a body, along its axes.

    body   a mobilized body or Ground
    frame  Transform  X_BS, the pose of S on the body; default: the body's own frame

    Variables: '<name>.acceleration', m/s^2, of S in Ground less the field of all gravities that act: at rest it is 9.8 upwards, in free
    fall 0; and '<name>.angular_velocity', rad/s, in Ground.
    """

    body: MobilizedBody | Ground = argument("the body that it is fixed on", kw_only=False)
    frame: Transform | None = argument("frame S on the body; default: the body's own", default=None, kw_only=False)

    parts = (
        SensorPart("acceleration", 3, "m/s2", "acceleration less gravity"),
        SensorPart("angular_velocity", 3, "rad/s", "angular velocity"),
    )

    def __post_init__(self) -> None:
        self.site = FrameOnBody(self.system, self.body, self.frame, "Imu")
        self._complete(Stage.ACCELERATION)

    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        self.site.allocate(state, self, "frame")
        self._entries["field"] = state.allocate_cache_entry(
            self.subsystem, f"{self.name}.field", self.stage, shape=(3,), computed_by=self.stage
        )

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values, when the layout is known."""
        field, sweep = layout.slots[self._entries["field"]], self.subsystem.sweep(layout, self.stage)
        write_gravity(self.system, sweep, layout, field)
        R_BS, p_BS, R_GB, _ = self.site.pose(layout)
        inputs = [R_BS, p_BS, R_GB, self.site.velocity(layout), self.site.acceleration(layout), field]
        sweep.add(imu, inputs, [self.slot(layout)])


def imu(R_BS: Array, p_BS: Array, R_GB: Array, V_GB: Array, A_GB: Array, field: Array) -> Array:
    """(6,) acceleration less gravity, and angular velocity, in S."""
    R_GS, arm, w = R_GB @ R_BS, R_GB @ p_BS, V_GB[:3]
    a = A_GB[3:] + cross(A_GB[:3], arm) + cross(w, cross(w, arm))
    return np.concatenate([R_GS.T @ (a - field), R_GS.T @ w])
