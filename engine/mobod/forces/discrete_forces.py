"""DiscreteForces: forces on all bodies and speeds that are set from outside."""

from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.forces.force import Force, check_matter
from mobod.forces.mobility.acted_on import checked_body, force_unit
from mobod.forces.mobility.mobility_force import applied
from mobod.matter import MatterSubsystem, MobilizedBody, Tree
from mobod.matter.bodies.constrained_bodies import checked_index
from mobod.scalar import Array, Scalar, Sweep, where
from mobod.spatial import shift_force
from mobod.system import Layout, State
from mobod.system.elements import Parameter, argument


@final
class DiscreteForces(Force):
    """For each body a torque and a force at its origin, and a generalized force on each of its speeds; 0 until they are set.

    Inputs of an FMU, for a body 'arm' and a DiscreteForces 'pushes':

        pushes.arm.torque          (3,)   N m       in Ground
        pushes.arm.force           (3,)   N         at the body's origin, in Ground
        pushes.arm.mobility_force  (nu,)  N m or N  on the speeds of its mobilizer; absent if it has none

    Setters return the element, so that calls can be chained.
    """

    matter: MatterSubsystem = argument("of the same System", kw_only=False, is_implied=True)

    def __post_init__(self) -> None:
        check_matter(self.forces, self.matter, "DiscreteForces")
        super().__post_init__()

    # of one body
    def body_force(self, state: State, body: MobilizedBody) -> np.ndarray:
        """(6,) N m, N: torque, and force at the body's origin, in Ground"""
        body = self._body(body)
        return np.concatenate([self._get(state, f"{body.name}.{what}") for what in ("torque", "force")])

    def set_body_force(self, state: State, body: MobilizedBody, F_B: ArrayLike) -> Self:
        """(6,) N m, N: torque, and force at the body's origin, in Ground; invalidates stage DYNAMICS."""
        F_B = self._checked(F_B, (6,), "body_force")
        body = self._body(body)
        for what, part in (("torque", F_B[:3]), ("force", F_B[3:])):
            self.set_parameter(state, f"{body.name}.{what}", part)
        return self

    def add_force_at_station(self, state: State, body: MobilizedBody, station: ArrayLike, force: ArrayLike) -> Self:
        """Add a force (3,) N, in Ground, at a point (3,) m of the body's frame; the State must be at POSITION, and is then before DYNAMICS.

        The force stays, with its moment about the body's origin, when the body moves on.
        """
        station, force = self._checked(station, (3,), "station"), self._checked(force, (3,), "force")
        arm = self._body(body).X_GB(state).R @ station
        return self.set_body_force(state, body, self.body_force(state, body) + np.concatenate([np.cross(arm, force), force]))

    def mobility_force(self, state: State, body: MobilizedBody, speed: int = 0) -> float:
        """N m or N, on one speed of a body"""
        body, speed = self._speed(body, speed)
        return float(self._get(state, f"{body.name}.mobility_force")[speed])

    def set_mobility_force(self, state: State, body: MobilizedBody, force: float, *, speed: int = 0) -> Self:
        """N m or N, on one speed of a body; invalidates stage DYNAMICS."""
        body, speed = self._speed(body, speed)
        values = self._get(state, f"{body.name}.mobility_force").copy()
        values[speed] = self._checked(force, (), f"{body.name}.mobility_force")
        self.set_parameter(state, f"{body.name}.mobility_force", values)
        return self

    # of all
    def body_forces(self, state: State) -> np.ndarray:
        """(n_bodies, 6) N m, N: of each body; Ground, the first, has none."""
        return np.array([np.zeros(6), *(self.body_force(state, body) for body in self.matter.bodies)])

    def set_body_forces(self, state: State, F_B: ArrayLike) -> Self:
        """(n_bodies, 6) N m, N: of each body, Ground, whose row does nothing, the first; invalidates stage DYNAMICS."""
        F_B = self._checked(F_B, (self.matter.n_bodies, 6), "body_forces")
        for body in self.matter.bodies:
            self.set_body_force(state, body, F_B[body.index])
        return self

    def mobility_forces(self, state: State) -> np.ndarray:
        """(nu,) N m or N, in the order of the bodies' u"""
        parts = [self._get(state, f"{body.name}.mobility_force") for body in self.matter.bodies if body.nu]
        return np.concatenate([np.zeros(0), *parts])

    def set_mobility_forces(self, state: State, forces: ArrayLike) -> Self:
        """(nu,) N m or N, in the order of the bodies' u; invalidates stage DYNAMICS."""
        forces, start = self._checked(forces, self.matter.u(state).shape, "mobility_forces"), 0
        for body in self.matter.bodies:
            if body.nu:
                self.set_parameter(state, f"{body.name}.mobility_force", forces[start : start + body.nu])
                start += body.nu
        return self

    def clear_body_forces(self, state: State) -> Self:
        """Set the forces and torques on all bodies to 0; invalidates stage DYNAMICS. Returns the element."""
        return self.set_body_forces(state, np.zeros((self.matter.n_bodies, 6)))

    def clear_mobility_forces(self, state: State) -> Self:
        """Set the generalized forces to 0; invalidates stage DYNAMICS. Returns the element."""
        return self.set_mobility_forces(state, np.zeros(self.matter.u(state).shape))

    def clear(self, state: State) -> Self:
        """Set all to 0."""
        return self.clear_body_forces(state).clear_mobility_forces(state)

    # defaults: topological
    def default_body_force(self, body: MobilizedBody) -> np.ndarray:
        """(6,) N m, N: in new States"""
        body = self._body(body)
        return np.concatenate([self._defaults.get(f"{body.name}.{what}", np.zeros(3)) for what in ("torque", "force")])

    def set_default_body_force(self, body: MobilizedBody, F_B: ArrayLike) -> Self:
        """(6,) N m, N: in new States; those made before raise when used."""
        F_B = self._checked(F_B, (6,), "default_body_force")
        body = self._body(body)
        self._defaults |= {f"{body.name}.torque": F_B[:3], f"{body.name}.force": F_B[3:]}
        self.forces.invalidate_topology()
        return self

    def default_mobility_force(self, body: MobilizedBody) -> np.ndarray:
        """(nu,) N m or N, in new States"""
        body = self._body(body)
        return self._defaults.get(f"{body.name}.mobility_force", np.zeros(body.nu)).copy()

    def set_default_mobility_force(self, body: MobilizedBody, force: ArrayLike) -> Self:
        """(nu,) N m or N, in new States; those made before raise when used."""
        body = self._body(body)
        self._defaults[f"{body.name}.mobility_force"] = self._checked(force, (body.nu,), f"{body.name}.mobility_force")
        self.forces.invalidate_topology()
        return self

    # for ForceSubsystem
    def allocate(self, state: State) -> None:
        """For the bodies that there are now."""
        self.parameters = tuple(each for body in self.matter.bodies for each in self._of_body(body))
        self._defaults = {parameter.name: self._defaults.get(parameter.name, np.zeros(parameter.shape)) for parameter in self.parameters}
        super().allocate(state)

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        enabled = self._slot(layout, "enabled")
        for body in tree.bodies:
            inputs = [enabled, *(self._slot(layout, f"{body.name}.{what}") for what in ("torque", "force")), tree.slots.r[body.index]]
            sweep.add(applied_at_origin, inputs, [tree.slots.body_forces[body.index]], adds=(0,))
            if body.nu:
                target = tree.speeds(tree.slots.mobility_forces, body)
                sweep.add(applied, [enabled, self._slot(layout, f"{body.name}.mobility_force")], [target], adds=(0,))

    # inside
    @staticmethod
    def _of_body(body: MobilizedBody) -> list[Parameter[float | np.ndarray]]:
        name = body.name
        parameters: list[Parameter[float | np.ndarray]] = [
            Parameter(name=f"{name}.torque", unit="N.m", description=f"torque on '{name}', in Ground", shape=(3,), is_input=True),
            Parameter(name=f"{name}.force", unit="N", description=f"force on '{name}' at its origin, in Ground", shape=(3,), is_input=True),
        ]
        if body.nu:
            units = tuple(force_unit(body, speed) for speed in range(body.nu))
            description = f"generalized forces on the speeds of '{name}'"
            parameters.append(
                Parameter(name=f"{name}.mobility_force", unit=units, description=description, shape=(body.nu,), is_input=True)
            )
        return parameters

    def _body(self, body: object) -> MobilizedBody:
        return checked_body(self.forces, body, f"'{self.name}'")

    def _speed(self, body: object, speed: object) -> tuple[MobilizedBody, int]:
        body = self._body(body)
        return body, checked_index(speed, body.nu, body, f"'{self.name}'", "speeds")

    def _checked(self, value: Any, shape: tuple[int, ...], what: str) -> np.ndarray:
        return Parameter(name=what, unit=(), description=what, shape=shape).checked(value, f"'{self.name}.{what}'")


def applied_at_origin(enabled: Scalar, torque: Array, force: Array, r: Array) -> Array:
    """(6,) about the origin of M; r is p_MB in Ground."""
    return where(enabled, shift_force(np.concatenate([torque, force]), -r), 0.0)
