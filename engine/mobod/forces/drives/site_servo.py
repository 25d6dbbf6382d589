"""SiteServo: a drive that applies a wrench in a frame of a body, such as a thruster, a propeller or the motor of a ball joint."""

# Decision: docs/decisions/187-drives.md

from typing import Literal, Self, final

import numpy as np

from mobod.errors import InputError
from mobod.forces.drives.counted_force import Wrench
from mobod.forces.drives.drive_laws import reaction_of_site, site_servo, site_servo_of_two, wrench_of_site
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
    """force times a wrench in a frame S of a body, by the laws of Servo; the reaction acts on Ground, or at a frame R of another body.

    frame            Transform  X_BS, the pose of S on the body; default: the body's own frame
    wrench           (6,)  m, no unit: torque, then force at the origin of S, for each newton, in the axes of S
    reference        the body of R, which the opposite torque and, at the origin of R, the opposite force act on; default: Ground
    reference_frame  Transform  the pose of R on its body; default: the body's own frame
    axes             of the wrench: "site", or "reference", those of R
    command          start value; an input of an FMU

    The rate v is wrench . (w, v_S - v_R), relative velocities of S and R in the axes of the wrench, in m/s; there is no length, so that
    control is 'velocity', 'force' or 'affine', without kp.

        mb.SiteServo(forces, drone, mb.Transform(p=[0.1, 0.1, 0.0]), wrench=[0, 0, 0.02, 0, 0, 1], force_low=0.0, force_high=6.0)

    Variables: '<name>.force', '<name>.unlimited_force' (without its range) and '<name>.power'.
    """

    body: MobilizedBody | Ground = argument("the body that it is fixed on", kw_only=False)
    frame: Transform | None = argument("frame S on the body; default: the body's own", default=None, kw_only=False, is_kept=False)
    wrench: VectorParameter = parameter(
        ("m", "m", "m", "1", "1", "1"), "wrench on '{element.body.name}' for each newton, in its frame", shape=(6,)
    )
    set_wrench, default_wrench, set_default_wrench = wrench.accessors
    reference: MobilizedBody | Ground | None = argument("the body that the reaction acts on; default: Ground", default=None)
    reference_frame: Transform | None = argument("frame R there; default: the body's own", default=None, is_kept=False)
    axes: Literal["site", "reference"] = argument("of the wrench: 'site' or 'reference'", default="site")

    def __post_init__(self) -> None:
        given = ((self.given[name], f"SiteServo: {name}") for name in ("frame", "reference_frame"))
        self._frame, self._reference_frame = (Transform() if X is None else checked_frame(X, what) for X, what in given)
        super().__post_init__()

    def checked_place(self) -> PlaceOfServo:
        """Check the body."""
        checked_body(self.forces, self.body, "SiteServo")
        if self.reference is not None:
            checked_body(self.forces, self.reference, "SiteServo: reference")
        if self.axes not in ("site", "reference"):
            raise InputError(f"SiteServo: axes is 'site' or 'reference', not {self.axes!r}.")
        if self.reference is None and (self.axes == "reference" or self.given["reference_frame"] is not None):
            raise InputError("SiteServo: a reference frame needs reference=, the body that it is fixed on; matter.ground is one, too.")
        if self.control == "position" or self.given["kp"]:
            raise InputError("SiteServo: a site has no length to be held. Give control='force', 'velocity' or 'affine', without kp.")
        return PlaceOfServo(f"a site of '{self.body.name}'", "m", "m/s", "N")

    @property
    def driven(self) -> list[tuple[MobilizedBody, int]]:
        """None: it does not act along a joint."""
        return []

    @property
    def acted_bodies(self) -> list[MobilizedBody | Ground]:
        """Its body, and that of the reaction."""
        return [self.body] if self.reference is None else [self.body, self.reference]

    @property
    def default_frame(self) -> Transform:
        """X_BS in new States."""
        return self._frame

    @property
    def default_reference_frame(self) -> Transform:
        """The pose of R on its body."""
        return self._reference_frame

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
        frames = {"BS": self._frame, **({} if self.reference is None else {"BR": self._reference_frame})}
        for name, value in ((f"{part}_{of}", getattr(X, part)) for of, X in frames.items() for part in ("R", "p")):
            self._handles[name] = state.allocate_discrete_variable(
                self.forces, f"{self.name}.{name}", np.array(value), Stage.INSTANCE, numbers=[Numbers(value.size)]
            )

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add its wrench to the sum of the forces on its body."""
        s, b = tree.slots, self.body.index
        frame = [self._slot(layout, name) for name in ("wrench", "R_BS", "p_BS")]
        inputs = [*frame, s.R_GB[b], s.r[b], s.V_GM[b], *self._of_law(layout), *self._of_activation(layout)]
        outputs = [*self._outputs(layout), s.body_forces[b], *self._rate_of_activation(tree, layout)]
        if self.reference is None:
            sweep.add(site_servo, inputs, outputs, structure=(self.control, self.activation), adds=(3,))
            return
        r = self.reference.index
        of_reference = [*(self._slot(layout, name) for name in ("R_BR", "p_BR")), s.R_GB[r], s.r[r], s.V_GM[r]]
        inputs = [*frame, s.R_GB[b], s.r[b], s.V_GM[b], *of_reference, *self._of_law(layout), *self._of_activation(layout)]
        outputs.insert(4, s.body_forces[r])
        sweep.add(site_servo_of_two, inputs, outputs, structure=(self.control, self.activation, self.axes), adds=(3, 4))

    def wrenches(self, layout: Layout, tree: Tree) -> list[Wrench]:
        """On its body, and on that of the reaction."""
        s, b = tree.slots, self.body.index
        given, (R_BS, p_BS) = [self.kept(layout, "force"), self._slot(layout, "wrench")], self._frame_slots(layout, "BS")
        on_body = [s.R_GB[b], s.r[b], p_BS]
        if self.reference is None:
            return [Wrench(self.body, wrench_of_site, [*given, s.R_GB[b], R_BS, *on_body])]
        r, (R_BR, p_BR) = self.reference.index, self._frame_slots(layout, "BR")
        axes = [s.R_GB[b], R_BS] if self.axes == "site" else [s.R_GB[r], R_BR]
        return [
            Wrench(self.body, wrench_of_site, [*given, *axes, *on_body]),
            Wrench(self.reference, reaction_of_site, [*given, *axes, s.R_GB[r], s.r[r], p_BR]),
        ]

    def write_drive(self, sweep: Sweep, layout: Layout, number: int, total: Slot) -> None:
        """It has no part in the drives of a joint."""
        raise IndexError(number)

    # inside
    def _frame_slots(self, layout: Layout, of: str) -> list[Slot]:
        return [self._slot(layout, f"{part}_{of}") for part in ("R", "p")]
