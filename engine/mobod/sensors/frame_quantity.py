"""FrameQuantity: one quantity of the motion of a frame, or of the load that a body gets there."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from mobod.errors import InputError
from mobod.forces.gravity_fields import write_gravity
from mobod.forces.port_equations import unit_quaternion
from mobod.matter import Ground, MobilizedBody
from mobod.scalar import Array, Scalar, clip, where
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.sensors.force_torque import wrench_at_site
from mobod.sensors.sensor import FrameOnBody, Sensor, SensorPart
from mobod.spatial import Transform, cross
from mobod.system import Layout, Stage, State
from mobod.system.elements import Parameter, VectorParameter, argument, parameter

Quantity = Literal[
    "position",
    "quaternion",
    "x_axis",
    "y_axis",
    "z_axis",
    "velocity",
    "angular_velocity",
    "own_velocity",
    "own_angular_velocity",
    "acceleration",
    "angular_acceleration",
    "own_acceleration",
    "own_vector",
    "force",
    "torque",
]


@final
@dataclass(frozen=True)
class _KindOfQuantity:
    stage: Stage
    unit: str
    size: int = 3


_KINDS: dict[str, _KindOfQuantity] = {
    "position": _KindOfQuantity(Stage.POSITION, "m"),
    "quaternion": _KindOfQuantity(Stage.POSITION, "1", 4),
    **{f"{axis}_axis": _KindOfQuantity(Stage.POSITION, "1") for axis in "xyz"},
    "own_vector": _KindOfQuantity(Stage.POSITION, "1"),
    "velocity": _KindOfQuantity(Stage.VELOCITY, "m/s"),
    "angular_velocity": _KindOfQuantity(Stage.VELOCITY, "rad/s"),
    "own_velocity": _KindOfQuantity(Stage.VELOCITY, "m/s"),
    "own_angular_velocity": _KindOfQuantity(Stage.VELOCITY, "rad/s"),
    "acceleration": _KindOfQuantity(Stage.ACCELERATION, "m/s2"),
    "own_acceleration": _KindOfQuantity(Stage.ACCELERATION, "m/s2"),
    "angular_acceleration": _KindOfQuantity(Stage.ACCELERATION, "rad/s2"),
    "force": _KindOfQuantity(Stage.ACCELERATION, "N"),
    "torque": _KindOfQuantity(Stage.ACCELERATION, "N.m"),
}


@final
class FrameQuantity(Sensor):
    """One quantity of a frame S on a body.

    body, frame                 the body of S, and X_BS; default: the body's own frame
    reference, reference_frame  the body of a frame R, and X_BR; default: Ground, and the body's own frame
    quantity  of S as seen from R, in the axes of R: 'position', 'quaternion' (scalar part first), 'x_axis', 'y_axis', 'z_axis', 'velocity'
              (the rate of the position), 'angular_velocity'; the angular velocity relative to R in the axes of S: 'own_angular_velocity'.
              Of S in Ground: 'own_velocity', in the axes of S; 'acceleration' less gravity in those of Ground, 'own_acceleration' in those
              of S, as an accelerometer shows it; 'angular_acceleration'; 'own_vector', a `vector` of Ground in the axes of S, such as a
              compass shows. 'force', 'torque': what the parent exerts on the body, as ForceTorque
    vector    (3,)  in Ground, of 'own_vector'
    cutoff    greatest size of each entry that is shown; 0: no bound

    Variable: '<name>.value'.
    """

    body: MobilizedBody | Ground = argument("the body of the frame that is seen", kw_only=False)
    frame: Transform | None = argument("frame S on the body; default: the body's own", default=None, kw_only=False)
    quantity: Quantity = argument("what it shows")
    reference: MobilizedBody | Ground | None = argument("the body that it is seen from; default: Ground", default=None)
    reference_frame: Transform | None = argument("frame R on that body; default: the body's own", default=None)
    vector: VectorParameter = parameter("1", "vector in Ground of 'own_vector'", default=(0.0, 0.0, 0.0), shape=(3,))
    set_vector, default_vector, set_default_vector = vector.accessors
    cutoff: Parameter[float] = parameter("{element.unit}", "greatest size that is shown", default=0.0, least=0.0)
    set_cutoff, default_cutoff, set_default_cutoff = cutoff.accessors

    def __post_init__(self) -> None:
        if self.quantity in ("force", "torque") and not isinstance(self.body, MobilizedBody):
            raise InputError("FrameQuantity: it measures the force that a mobilized body gets from its parent; Ground has none.")
        kind = _KINDS[self.quantity]
        self.unit = kind.unit
        self.site = FrameOnBody(self.system, self.body, self.frame, "FrameQuantity")
        reference = self.site.body.matter.ground if self.reference is None else self.reference
        self._from = FrameOnBody(self.system, reference, self.reference_frame, "FrameQuantity: reference")
        self._complete(kind.stage)

    @property
    def parts(self) -> tuple[SensorPart, ...]:
        """Its value."""
        kind = _KINDS[self.quantity]
        return (SensorPart("value", kind.size, kind.unit, self.quantity.replace("_", " ")),)

    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        self.site.allocate(state, self, "frame")
        self._from.allocate(state, self, "reference_frame")
        if self.quantity.endswith("acceleration"):
            self._entries["field"] = state.allocate_cache_entry(
                self.subsystem, f"{self.name}.field", self.stage, shape=(3,), computed_by=self.stage
            )

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values, when the layout is known."""
        sweep = self.subsystem.sweep(layout, self.stage)
        vector, cutoff = self._parameter_slots(layout)
        inputs = [cutoff, vector, *self._inputs(layout, sweep)]
        sweep.add(_FUNCTIONS[self.quantity], inputs, [self.slot(layout)], structure=(self.quantity,))

    def _inputs(self, layout: Layout, sweep: Sweep) -> list[Slot]:
        pose, kind = self.site.pose(layout), _KINDS[self.quantity]
        if self.quantity in ("force", "torque"):
            assert isinstance(self.body, MobilizedBody)
            entry, b = self.body.matter.reactions_entry, self.body.index
            layout.needs.setdefault(sweep.name, []).append(entry)
            return [*pose, self.body.matter.tree(layout).slots.r[b], layout.slots[entry][b]]
        if kind.stage is Stage.ACCELERATION:
            field = layout.slots[self._entries["field"]]
            write_gravity(self.system, sweep, layout, field)
            return [*pose, self.site.velocity(layout), self.site.acceleration(layout), field]
        of_reference = self._from.pose(layout)
        if kind.stage is Stage.POSITION:
            return [*pose, *of_reference]
        return [*pose, self.site.velocity(layout), *of_reference, self._from.velocity(layout)]


def _cut(value: Array, cutoff: Scalar) -> Array:
    return np.array([where(cutoff > 0, clip(each, -cutoff, cutoff), each) for each in value])


def of_pose(
    quantity: str,
    cutoff: Scalar,
    vector: Array,
    R_BS: Array,
    p_BS: Array,
    R_GB: Array,
    p_GB: Array,
    R_BR: Array,
    p_BR: Array,
    R_GB_R: Array,
    p_GB_R: Array,
) -> Array:
    R_GS, R_GR = R_GB @ R_BS, R_GB_R @ R_BR
    if quantity == "position":
        return _cut(R_GR.T @ (p_GB + R_GB @ p_BS - p_GB_R - R_GB_R @ p_BR), cutoff)
    if quantity == "own_vector":
        return _cut(R_GS.T @ vector, cutoff)
    R_RS = R_GR.T @ R_GS
    return unit_quaternion(R_RS) if quantity == "quaternion" else R_RS[:, "xyz".index(quantity[0])]


def of_velocity(
    quantity: str,
    cutoff: Scalar,
    vector: Array,
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
    R_GS, R_GR, arm, arm_R = R_GB @ R_BS, R_GB_R @ R_BR, R_GB @ p_BS, R_GB_R @ p_BR
    w, w_R = V_GB[:3], V_GB_R[:3]
    v_S = V_GB[3:] + cross(w, arm)
    if quantity == "own_velocity":
        return _cut(R_GS.T @ v_S, cutoff)
    if quantity == "own_angular_velocity":
        return _cut(R_GS.T @ (w - w_R), cutoff)
    if quantity == "angular_velocity":
        return _cut(R_GR.T @ (w - w_R), cutoff)
    p = p_GB + arm - p_GB_R - arm_R
    return _cut(R_GR.T @ (v_S - V_GB_R[3:] - cross(w_R, arm_R) - cross(w_R, p)), cutoff)


def of_acceleration(
    quantity: str, cutoff: Scalar, vector: Array, R_BS: Array, p_BS: Array, R_GB: Array, p_GB: Array, V_GB: Array, A_GB: Array, field: Array
) -> Array:
    if quantity == "angular_acceleration":
        return _cut(A_GB[:3], cutoff)
    arm, w = R_GB @ p_BS, V_GB[:3]
    a = A_GB[3:] + cross(A_GB[:3], arm) + cross(w, cross(w, arm)) - field
    return _cut((R_GB @ R_BS).T @ a if quantity == "own_acceleration" else a, cutoff)


def of_reaction(
    quantity: str, cutoff: Scalar, vector: Array, R_BS: Array, p_BS: Array, R_GB: Array, p_GB: Array, r: Array, F_M: Array
) -> Array:
    wrench = wrench_at_site(R_BS, p_BS, R_GB, r, F_M)
    return _cut(wrench[3:] if quantity == "force" else wrench[:3], cutoff)


_OF_STAGE: dict[Stage, Callable[..., Array]] = {Stage.POSITION: of_pose, Stage.VELOCITY: of_velocity, Stage.ACCELERATION: of_acceleration}
_FUNCTIONS: dict[str, Callable[..., Array]] = {
    name: of_reaction if name in ("force", "torque") else _OF_STAGE[kind.stage] for name, kind in _KINDS.items()
}
