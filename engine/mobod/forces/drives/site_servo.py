"""SiteServo: a drive that applies a wrench in a frame of a body, such as a thruster or a propeller."""

# Decision: docs/decisions/187-drives.md

from typing import Self, final

import numpy as np

from mobod.errors import InputError
from mobod.forces.drives.drive_laws import site_servo
from mobod.forces.drives.servo_law import PlaceOfServo, ServoLaw
from mobod.forces.station import checked_body
from mobod.matter import Ground, MobilizedBody
from mobod.matter.dynamics.tree import Tree
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.spatial import Transform
from mobod.system import Layout, Numbers, Stage, State
from mobod.system.elements import VectorParameter, argument, checked_frame, parameter


@final
class SiteServo(ServoLaw):
    """force times a wrench in a frame S of a body, by the laws of Servo; the reaction acts on Ground.

    frame   Transform  X_BS, the pose of S on the body; default: the body's own frame
    wrench  (6,)  m, no unit: torque, then force at the origin of S, for each newton, expressed in S
    command   start value; an input of an FMU

    The rate v is wrench . (w, v_S), the velocity of S in Ground expressed in S, in m/s; there is no length, so that control is
    'velocity', 'force' or 'affine', without kp.

        mb.SiteServo(forces, drone, mb.Transform(p=[0.1, 0.1, 0.0]), wrench=[0, 0, 0.02, 0, 0, 1], force_low=0.0, force_high=6.0)

    Variables: '<name>.force', '<name>.unlimited_force' (without its range) and '<name>.power'.
    """

    body: MobilizedBody | Ground = argument("the body that it is fixed on", kw_only=False)
    frame: Transform | None = argument("frame S on the body; default: the body's own", default=None, kw_only=False, is_kept=False)
    wrench: VectorParameter = parameter(
        ("m", "m", "m", "1", "1", "1"), "wrench on '{element.body.name}' for each newton, in its frame", shape=(6,)
    )
    set_wrench, default_wrench, set_default_wrench = wrench.accessors

    def __post_init__(self) -> None:
        frame = self.given["frame"]
        self._frame = Transform() if frame is None else checked_frame(frame, "SiteServo: frame")
        super().__post_init__()

    def checked_place(self) -> PlaceOfServo:
        """Check the body."""
        checked_body(self.forces, self.body, "SiteServo")
        if self.control == "position" or self.given["kp"]:
            raise InputError("SiteServo: a site has no length to be held. Give control='force', 'velocity' or 'affine', without kp.")
        return PlaceOfServo(f"a site of '{self.body.name}'", "m", "m/s", "N")

    @property
    def driven(self) -> list[tuple[MobilizedBody, int]]:
        """None: it does not act along a joint."""
        return []

    @property
    def default_frame(self) -> Transform:
        """X_BS in new States."""
        return self._frame

    def set_default_frame(self, X_BS: Transform) -> Self:
        """Topological: States made before raise when used. Returns the servo."""
        self._frame = checked_frame(X_BS, f"'{self.name}': frame")
        self.forces.invalidate_topology()
        return self

    def site(self, state: State) -> Transform:
        """X_BS, the pose of the frame S on the body. At any stage."""
        return Transform.of(self._get(state, "R_BS"), self._get(state, "p_BS"))

    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        for name, value in (("R_BS", self._frame.R), ("p_BS", self._frame.p)):
            self._handles[name] = state.allocate_discrete_variable(
                self.forces, f"{self.name}.{name}", np.array(value), Stage.INSTANCE, numbers=[Numbers(value.size)]
            )

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add its wrench to the sum of the forces on its body."""
        s, b = tree.slots, self.body.index
        frame = [self._slot(layout, name) for name in ("wrench", "R_BS", "p_BS")]
        inputs = [*frame, s.R_GB[b], s.r[b], s.V_GM[b], *self._of_law(layout), *self._of_activation(layout)]
        outputs = [*self._outputs(layout), s.body_forces[b], *self._rate_of_activation(tree, layout)]
        sweep.add(site_servo, inputs, outputs, structure=(self.control, self.activation), adds=(3,))

    def write_drive(self, sweep: Sweep, layout: Layout, number: int, total: Slot) -> None:
        """It has no part in the drives of a joint."""
        raise IndexError(number)
