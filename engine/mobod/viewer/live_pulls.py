"""Rows that pull a body by a spring and a damper, which a page adds to a model: fmu_src/web/pull.h."""

from math import sqrt

import numpy as np

from mobod.compilation.source.model_source import GeneratedModel
from mobod.forces.station import arm, force_at, velocity_at
from mobod.matter import MatterSubsystem, MobilizedBody
from mobod.scalar import Array, Scalar, Slot
from mobod.system import Stage, State

N_NUMBERS = 8
"""What all rows read: stiffness N/m, damping N s/m, the point in the body's frame (3,) m, its target in Ground (3,) m."""


def add_pulls(model: GeneratedModel, matter: MatterSubsystem) -> None:
    """Add to the rows of DYNAMICS one for each body, which the runtime leaves out until the body is pulled."""
    model.n_extra = N_NUMBERS
    at = model.extra.offset
    numbers = [Slot(at, ()), Slot(at + 1, ()), Slot(at + 2, (3,)), Slot(at + 5, (3,))]
    slots = matter.tree(model.layout).slots
    for body in matter.bodies:
        b = body.index
        model.sweeps[Stage.DYNAMICS].add(
            pull, [*numbers, slots.R_GB[b], slots.p_GB[b], slots.r[b], slots.V_GM[b]], [slots.body_forces[b]], adds=(0,)
        )


def pull(stiffness: Scalar, damping: Scalar, station: Array, target: Array, R_GB: Array, p_GB: Array, r: Array, V_GM: Array) -> Array:
    """(6,) N m, N: a spring to the target with a damper of the speed in Ground, about the origin of M."""
    force = stiffness * (target - p_GB - R_GB @ station) - damping * velocity_at(arm(R_GB, r, station), V_GM)
    return force_at(arm(R_GB, r, station), force)


def pulled_masses(matter: MatterSubsystem, state: State) -> list[float | None]:
    """For each body the mass, kg, to which the spring of a pull is fitted; None: the body cannot move.

    It is the geometric mean of the least mass that a force at its mass center moves, by the joints' inertia in this State, and of the mass
    of its whole tree: so the spring can carry what hangs on the body, and a light body does not make the steps very short.
    """
    state = state.copy()
    matter.system.realize(state, Stage.ACCELERATION)
    trees = _masses_of_trees(matter, state)
    found: list[float | None] = []
    for body, whole in zip(matter.bodies, trees, strict=True):
        linear, can_move = _compliance(matter, state, body)
        found.append(sqrt(whole / max(linear, 1 / whole)) if can_move and whole > 0 else None)
    return found


def _masses_of_trees(matter: MatterSubsystem, state: State) -> list[float]:
    """For each body the mass of all bodies of its tree, which begins at a child of Ground; bodies come after their parents."""
    slots = matter.tree(state.layout).slots
    roots, masses = dict[int, int](), dict[int, float]()
    for body in matter.bodies:
        root = roots[body.index] = roots.get(body.parent.index, body.index)
        masses[root] = masses.get(root, 0.0) + float(state.values[slots.mass[body.index].offset])
    return [masses[roots[body.index]] for body in matter.bodies]


def _compliance(matter: MatterSubsystem, state: State, body: MobilizedBody) -> tuple[float, bool]:
    """1/kg, the largest acceleration of the mass center by a force of 1 N there; and whether a force or a torque moves the body."""
    arm_G = body.X_GB(state).R @ body.mass_center_station(state)
    forces, accelerations = [], []
    for unit in np.eye(6):
        F = np.zeros((matter.n_bodies, 6))
        F[body.index] = [*(unit[:3] + np.cross(arm_G, unit[3:])), *unit[3:]]
        forces.append(matter.multiply_by_system_jacobian_transpose(state, F))
        accelerations.append(matter.multiply_by_mass_matrix_inverse(state, forces[-1]))
    compliance = np.array(forces) @ np.array(accelerations).T
    return float(np.linalg.eigvalsh(compliance[3:, 3:])[-1]), bool((np.diag(compliance) > 0).any())
