"""What a State has for the matter: frames, masses, parameters, options, and where computed values are kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.errors import StateError
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.constraint import Constraint, ConstraintOwner
from mobod.matter.constraint_rows.row_shapes import shapes_of_constraints
from mobod.matter.dynamics.body_sums import SUMS
from mobod.matter.equations.motion_equations import FREE, POSITION
from mobod.matter.tree.body_slots import shapes_of_bodies
from mobod.matter.tree.kinematics import SYMMETRIC_ENTRIES
from mobod.matter.tree.many_modes import sizes_of_many
from mobod.matter.tree.modal_slots import modal_parameters, shapes_of_modes
from mobod.matter.tree.rotor_slots import rotor_parameters, shapes_of_rotors
from mobod.scalar.slot import Slot
from mobod.system import CacheEntry, DiscreteVariable, Layout, Numbers, Stage, State, flags


@final
@dataclass(frozen=True, kw_only=True)
class Allocation:
    """The handles that a realization to TOPOLOGY gets.

    uses_euler_angles  whether rotations are measured by body-fixed x-y-z angles
    lockable           the indices of bodies that can be locked beside those that always can
    handles            of all that lies in w, by name: parameters and computed values
    """

    uses_euler_angles: DiscreteVariable
    lockable: DiscreteVariable
    handles: dict[str, DiscreteVariable | CacheEntry]

    def entry(self, name: str) -> CacheEntry:
        """Where a computed value is kept. Raises StateError for one that this System does not have."""
        handle = self.handles.get(name)
        if not isinstance(handle, CacheEntry):
            raise StateError(f"States of this System have no '{name}'. If an element was added, make a new one with realize_topology().")
        return handle

    def slots(self, layout: Layout) -> dict[str, Slot]:
        """Where all of it lies, by name."""
        return {name: layout.slots[handle] for name, handle in self.handles.items()}


def allocate(matter: ConstraintOwner, state: State, *, uses_euler_angles: bool) -> Allocation:
    """Allocate all that bodies and constraints need in a State; uses_euler_angles: in a new one."""
    bodies, constraints = matter.bodies, matter.constraints
    n, nu, nq = 1 + len(bodies), sum(body.nu for body in bodies), sum(body.nq for body in bodies)
    for constraint in constraints:
        constraint.allocate(state)
    options = {
        "uses_euler_angles": state.allocate_discrete_variable(matter, "uses Euler angles", uses_euler_angles, Stage.MODEL),
        "lockable": state.allocate_discrete_variable(matter, "lockable bodies", (), Stage.MODEL),
    }
    handles: dict[str, DiscreteVariable | CacheEntry] = {}
    for name, value in default_parameters(bodies, constraints).items():
        numbers = _NUMBERS[name](value.size) if name in _NUMBERS else Numbers(value.size)
        handles[name] = state.allocate_discrete_variable(matter, name, value, Stage.INSTANCE, numbers=[numbers])
    for stage, shapes in _shapes_of_realized(bodies, constraints, n, nu).items():
        for name, shape in shapes.items():
            handles[name] = state.allocate_cache_entry(matter, name, stage, shape=shape, computed_by=stage)
    lazy: dict[str, CacheEntry] = {}
    for name, stage, shape, needs in _lazy_values(bodies, constraints, n, nu, nq):
        prerequisites = [lazy[each] for each in needs]
        lazy[name] = state.allocate_cache_entry(matter, name, stage, shape=shape, prerequisites=prerequisites)
    return Allocation(handles={**handles, **lazy}, **options)


def default_parameters(bodies: Sequence[MobilizedBody], constraints: Sequence[Constraint]) -> dict[str, np.ndarray]:
    """The frames and masses of all bodies, Ground first, with the identity and nothing; locks, motions, parameters of elements."""
    R, p = np.eye(3), np.zeros(3)
    masses = [body.body.mass_properties for body in bodies]
    motions = [body.motion for body in bodies if body.motion is not None]
    parameters = {
        "R_PF": np.array([R, *(body.X_PF.R for body in bodies)]),
        "p_PF": np.array([p, *(body.X_PF.p for body in bodies)]),
        "R_BM": np.array([R, *(body.X_BM.R for body in bodies)]),
        "p_BM": np.array([p, *(body.X_BM.p for body in bodies)]),
        "mass": np.array([0.0, *(mass.mass for mass in masses)]),
        "com": np.array([p, *(mass.com for mass in masses)]),
        "inertia": np.array([np.zeros(6), *([mass.inertia[i, j] for i, j in SYMMETRIC_ENTRIES] for mass in masses)]),
        "parameters": np.concatenate([np.zeros(0), *(body.equations.parameter_values() for body in bodies)]),
        "lock_levels": np.zeros(1 + len(bodies)),
        "lock_q": np.zeros(sum(body.nq for body in bodies)),
        "lock_values": np.zeros(sum(body.nu for body in bodies)),
        "motion_enabled": np.array([0.0, *(float(_has_motion(body)) for body in bodies)]),
        "motion_parameters": np.concatenate([np.zeros(0), *(each.equations.parameter_values() for each in motions)]),
    }
    parameters |= rotor_parameters(bodies) | modal_parameters(bodies)
    if constraints:
        parameters["constraint_parameters"] = np.concatenate([each.equations.parameter_values() for each in constraints])
    return parameters


def has_motions(bodies: Sequence[MobilizedBody]) -> bool:
    """Whether any has a Motion, on or off."""
    return any(body.motion is not None for body in bodies)


def has_potential_energy(bodies: Sequence[MobilizedBody], constraints: Sequence[Constraint]) -> bool:
    """Whether the matter has any: of flexible bodies or of compliant rows."""
    return any(body.modes is not None for body in bodies) or has_compliant_rows(constraints)


def has_compliant_rows(constraints: Sequence[Constraint]) -> bool:
    """Whether any constraint has springs in place of equations."""
    return any(constraint.compliant_rows for constraint in constraints)


def _shapes_of_realized(
    bodies: Sequence[MobilizedBody], constraints: Sequence[Constraint], n: int, nu: int
) -> dict[Stage, dict[str, tuple[int, ...]]]:
    """By stage, what its realization computes."""
    computed = shapes_of_bodies(bodies)
    for of_some in (shapes_of_rotors(bodies), shapes_of_modes(bodies)):
        for stage, shapes in of_some.items():
            computed[stage] |= shapes
    computed[Stage.POSITION]["known_levels"] = (n,)
    computed[Stage.VELOCITY]["known_u_dot"] = (nu,)
    if constraints:
        for stage, shapes in shapes_of_constraints(constraints, bodies).items():
            computed[stage] |= shapes
    return computed


def _lazy_values(
    bodies: Sequence[MobilizedBody], constraints: Sequence[Constraint], n: int, nu: int, nq: int
) -> list[tuple[str, Stage, tuple[int, ...], tuple[str, ...]]]:
    """(name, earliest stage, shape, others that it is computed from) of what is computed when somebody asks for it."""
    return [
        ("kinetic_energy", Stage.VELOCITY, (), ()),
        *(("potential_energy", Stage.POSITION, (), ()) for _ in range(has_potential_energy(bodies, constraints))),
        ("q_dot_dot", Stage.ACCELERATION, (nq,), ()),
        ("B_forces", Stage.DYNAMICS, (n, 6), ()),
        ("operand", Stage.POSITION, (nu,), ()),
        ("A_v", Stage.POSITION, (n, 6), ()),
        ("Z_v", Stage.POSITION, (n, 6), ()),
        ("result", Stage.POSITION, (nu,), ()),
        *(("many_carried", Stage.POSITION, (size,), ()) for name, size in sizes_of_many(bodies).items() if name == "many_carried"),
        ("reactions", Stage.ACCELERATION, (n, 6), ()),
        *(("motion_forces", Stage.ACCELERATION, (nu,), ("reactions",)) for _ in range(has_motions(bodies))),
        *(("motion_loads", Stage.ACCELERATION, (nu,), ("motion_forces",)) for _ in range(has_motions(bodies))),
        *((each.name, each.stage, each.shape, each.needs) for each in SUMS),
    ]


def _has_motion(body: MobilizedBody) -> bool:
    """Whether the body has a motion that is enabled in a new State."""
    return body.motion is not None and not body.motion.is_disabled_by_default


_NUMBERS = {"lock_levels": lambda n: Numbers(n, FREE, POSITION, is_whole=True), "motion_enabled": flags}  # by how many, in a saved State
