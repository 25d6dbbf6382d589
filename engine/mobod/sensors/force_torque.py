"""ForceTorque: the wrench that a mobilizer transmits to its body."""

from typing import final

import numpy as np

from mobod.errors import InputError
from mobod.matter import MobilizedBody
from mobod.scalar import Array
from mobod.sensors.sensor import FrameOnBody, Sensor, SensorPart
from mobod.spatial import Transform, cross
from mobod.system import Layout, Stage, State
from mobod.system.elements import argument


@final
class ForceTorque(Sensor):
    """What a body's parent exerts on it through its mobilizer, about the origin of a frame S on the body, in its axes.

    It is `body.reaction_on_body_at_M`, moved to S, with its sign: what the mobilizer's motor and its springs transmit is part of it.

    body   a mobilized body
    frame  Transform  X_BS, the pose of S on the body; default: the body's own frame

    Variables: '<name>.torque', N m, and '<name>.force', N.
    """

    body: MobilizedBody = argument("the body that its parent acts on", kw_only=False)
    frame: Transform | None = argument("frame S on the body; default: the body's own", default=None, kw_only=False)

    parts = (SensorPart("torque", 3, "N.m", "torque"), SensorPart("force", 3, "N", "force"))

    def __post_init__(self) -> None:
        if not isinstance(self.body, MobilizedBody):
            raise InputError("ForceTorque: it measures what a mobilized body gets from its parent; Ground has none.")
        self.site = FrameOnBody(self.system, self.body, self.frame, "ForceTorque")
        self._complete(Stage.ACCELERATION)

    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        self.site.allocate(state, self, "frame")

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values, when the layout is known."""
        sweep, entry = self.subsystem.sweep(layout, self.stage), self.body.matter.reactions_entry
        layout.needs.setdefault(sweep.name, []).append(entry)
        slots, b = self.body.matter.tree(layout).slots, self.body.index
        R_BS, p_BS, R_GB, _ = self.site.pose(layout)
        inputs = [R_BS, p_BS, R_GB, slots.r[b], layout.slots[entry][b]]
        sweep.add(wrench_at_site, inputs, [self.slot(layout)])


def wrench_at_site(R_BS: Array, p_BS: Array, R_GB: Array, r: Array, F_M: Array) -> Array:
    """(6,) the wrench about S in S; r is p_MB in Ground, F_M the wrench about M."""
    R_GS, arm = R_GB @ R_BS, r + R_GB @ p_BS
    return np.concatenate([R_GS.T @ (F_M[:3] - cross(arm, F_M[3:])), R_GS.T @ F_M[3:]])
