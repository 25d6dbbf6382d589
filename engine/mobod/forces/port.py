"""Port: a frame of a body where another model takes hold of the mechanism."""

# Decision: docs/decisions/104-ports-in-vectors.md

from typing import Any, Self, final

import numpy as np

from mobod.errors import InputError, described
from mobod.forces.force import Force, ForceOwner
from mobod.forces.port_equations import acceleration, pose, velocity, wrench
from mobod.forces.station import checked_body
from mobod.forces.subsystem import ForceSubsystem
from mobod.matter import Ground, MobilizedBody, Tree
from mobod.scalar import Slot, Sweep
from mobod.spatial import Transform
from mobod.spatial.component_names import XYZ
from mobod.system import CatalogueVariable, Layout, Numbers, Stage, State
from mobod.system.elements import VectorParameter, argument, checked_frame, parameter


@final
class Port(Force):
    """A frame F on a body: its motion in Ground, to be read, and a torque and a force on it, to be set; both 0 until they are.

    body    a mobilized body or Ground
    frame   Transform  X_BF, the pose of frame F on the body; default: the body's own frame
    torque  (3,)  N m  in Ground; an input of an FMU
    force   (3,)  N    at the origin of F, in Ground; an input of an FMU
    forces  the ForceSubsystem that it belongs to; default: the first of the System, or a new one named 'ports' if there is none

    Outputs, in Ground:

        port.p_GF           (3,)  m         position of the origin
        port.quaternion_GF  (4,)  -         rotation, scalar part first; the first entry that is not zero is positive
        port.w_GF           (3,)  rad/s     angular velocity
        port.v_GF           (3,)  m/s       velocity of the origin
        port.alpha_GF       (3,)  rad/s^2   angular acceleration
        port.a_GF           (3,)  m/s^2     acceleration of the origin

    An InputMotion of a Translation takes p_GF, v_GF and a_GF as its q, u and u_dot; that of a Ball takes quaternion_GF, w_GF and
    alpha_GF. Its power is torque . w_GF + force . v_GF. It has no potential energy: its work is supplied from outside.
    """

    body: MobilizedBody | Ground = argument("the body that it is fixed on", kw_only=False)
    frame: Transform | None = argument("frame F on the body; default: the body's own", default=None, kw_only=False, is_kept=False)
    forces: ForceOwner = argument("the ForceSubsystem that it belongs to", default=None, is_kept=False, is_implied=True)
    torque: VectorParameter = parameter(
        "N.m", "torque on '{element.body.name}', in Ground", default=(0.0, 0.0, 0.0), shape=(3,), is_input=True
    )
    set_torque, default_torque, set_default_torque = torque.accessors
    force: VectorParameter = parameter(
        "N", "force on '{element.body.name}' at the port's origin, in Ground", default=(0.0, 0.0, 0.0), shape=(3,), is_input=True
    )
    set_force, default_force, set_default_force = force.accessors

    def __post_init__(self) -> None:
        frame = self.given["frame"]
        self._frame = Transform() if frame is None else checked_frame(frame, "Port: frame")
        forces = self.given["forces"]
        self.forces = _first_forces(self.body) if forces is None else forces
        checked_body(self.forces, self.body, "Port")
        super().__post_init__()

    # its frame
    @property
    def default_frame(self) -> Transform:
        """X_BF in new States"""
        return self._frame

    def set_default_frame(self, X_BF: Transform) -> Self:
        """Topological: States made before raise when used."""
        self._frame = checked_frame(X_BF, f"'{self.name}': frame")
        self.forces.invalidate_topology()
        return self

    def X_BF(self, state: State) -> Transform:
        """The pose of F on the body."""
        return Transform(self._get(state, "R_BF"), self._get(state, "p_BF"))

    def set_frame(self, state: State, X_BF: Transform) -> Self:
        """X_BF; invalidates stage INSTANCE."""
        X_BF = checked_frame(X_BF, f"'{self.name}': frame")
        handle = self._handle(state, "R_BF")
        state.set(handle, X_BF.R)
        handle = self._handle(state, "p_BF")
        state.set(handle, X_BF.p)
        return self

    # its motion in Ground
    def X_GF(self, state: State) -> Transform:
        """The pose of F; from POSITION on."""
        return self.body.X_GB(state) @ self.X_BF(state)

    def p_GF(self, state: State) -> np.ndarray:
        """(3,) m, the position of the origin; from POSITION on."""
        return self._computed(state, "p_GF")

    def quaternion_GF(self, state: State) -> np.ndarray:
        """(4,) no unit: the rotation, scalar part first; the first entry that is not zero is positive. From POSITION on."""
        return self._computed(state, "quaternion_GF")

    def V_GF(self, state: State) -> np.ndarray:
        """(6,) rad/s, m/s: angular velocity, and velocity of the origin; from VELOCITY on."""
        return self._computed(state, "V_GF")

    def A_GF(self, state: State) -> np.ndarray:
        """(6,) rad/s^2, m/s^2: angular acceleration, and acceleration of the origin; from ACCELERATION on."""
        return self._computed(state, "A_GF")

    # for ForceSubsystem
    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        for name, value in (("R_BF", self._frame.R), ("p_BF", self._frame.p)):
            self._handles[name] = state.allocate_discrete_variable(
                self.forces, f"{self.name}.{name}", np.array(value), Stage.INSTANCE, numbers=[Numbers(value.size)]
            )
        for name, stage, n in (
            ("p_GF", Stage.POSITION, 3),
            ("quaternion_GF", Stage.POSITION, 4),
            ("arm", Stage.POSITION, 3),
            ("V_GF", Stage.VELOCITY, 6),
            ("A_GF", Stage.ACCELERATION, 6),
        ):
            self._entries[name] = state.allocate_cache_entry(self.forces, f"{self.name}.{name}", stage, shape=(n,), computed_by=stage)

    def tabulate(self, layout: Layout, tree: Tree) -> None:
        """Write the rows that compute its values, when the layout is known."""
        s, b = tree.slots, self.body.index
        R_BF, p_BF = self._slot(layout, "R_BF"), self._slot(layout, "p_BF")
        p_GF, quaternion_GF, arm, V_GF, A_GF = (layout.slots[each] for each in self._entries.values())
        position, velocities = self.forces.sweep(layout, Stage.POSITION), self.forces.sweep(layout, Stage.VELOCITY)
        position.add(pose, [R_BF, p_BF, s.R_GB[b], s.r[b], s.p_GM[b]], [p_GF, quaternion_GF, arm])
        velocities.add(velocity, [arm, s.V_GM[b]], [V_GF])
        self.forces.sweep(layout, Stage.ACCELERATION).add(acceleration, [p_BF, s.R_GB[b], s.V_GB[b], s.A_GB[b]], [A_GF])

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add its torque and its force to the sum of the forces on its body."""
        inputs = [*(self._slot(layout, name) for name in ("enabled", "torque", "force")), layout.slots[self._cache("arm")]]
        sweep.add(wrench, inputs, [tree.slots.body_forces[self.body.index]], adds=(0,))

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """Torque and force, whether they act, and the motion of F in Ground."""
        p_GF, quaternion_GF, _, V_GF, A_GF = (layout.slots[each] for each in self._entries.values())
        of = f"of port '{self.name}' on '{self.body.name}' in Ground"
        return super().variables(layout) + [
            CatalogueVariable.output(f"{self.name}.{name}", slot, stage, unit, f"{text} {of}", components=XYZ if slot.size == 3 else ())
            for name, slot, stage, unit, text in (
                ("p_GF", p_GF, Stage.POSITION, "m", "position of the origin"),
                ("quaternion_GF", quaternion_GF, Stage.POSITION, "1", "rotation, a quaternion with its scalar part first,"),
                ("w_GF", Slot(V_GF.offset, (3,)), Stage.VELOCITY, "rad/s", "angular velocity"),
                ("v_GF", Slot(V_GF.offset + 3, (3,)), Stage.VELOCITY, "m/s", "velocity of the origin"),
                ("alpha_GF", Slot(A_GF.offset, (3,)), Stage.ACCELERATION, "rad/s2", "angular acceleration"),
                ("a_GF", Slot(A_GF.offset + 3, (3,)), Stage.ACCELERATION, "m/s2", "acceleration of the origin"),
            )
        ]


def _first_forces(body: object) -> ForceSubsystem:
    """The first ForceSubsystem of the body's System, or a new one."""
    if not isinstance(body, (MobilizedBody, Ground)):
        raise InputError(f"Port: it is fixed on a mobilized body or on matter.ground, not on {described(body)}.")
    system: Any = body.matter.system
    found = (each for each in system.subsystems if isinstance(each, ForceSubsystem))
    return next(found, None) or ForceSubsystem(system, "ports")
