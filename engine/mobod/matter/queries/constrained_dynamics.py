"""Inverse dynamics with constraints and known motions: M u_dot + C(q, u) + G^T lambda = f + J^T F + forces of motions."""

import numpy as np
from numpy.typing import ArrayLike

from mobod.matter.queries.constraint_operators import multipliers, multiply_by_constraint_matrix_transpose
from mobod.matter.queries.queried_matter import QueriedMatter, checked_tree
from mobod.matter.queries.tree_operators import inverse_dynamics
from mobod.system import Stage, State


def inverse_dynamics_with_constraints(matter: QueriedMatter, state: State, u_dot: ArrayLike, multipliers: ArrayLike) -> np.ndarray:
    """(nu,) N m or N: generalized forces that must act in addition to the applied and constraint forces to give u_dot.

    Needs stage DYNAMICS.

    u_dot        (nu,)
    multipliers  (n,)   of the rows of enabled constraints, in the order of `multipliers`
    """
    return inverse_dynamics(matter, state, u_dot) + multiply_by_constraint_matrix_transpose(matter, state, multipliers)


def motion_forces(matter: QueriedMatter, state: State) -> np.ndarray:
    """(nu,) N m or N: generalized forces of motions and locks; 0 for other mobilities. Needs stage ACCELERATION."""
    tree = checked_tree(matter, state, Stage.ACCELERATION, "the forces of motions")
    forces = np.zeros(tree.all_u.size)
    if tree.prescription.bodies:
        missing = inverse_dynamics_with_constraints(matter, state, state.view(tree.u_dot), multipliers(matter, state))
        for body in tree.prescription.bodies:
            if state.view(tree.prescription.level(body)) > 0:
                own = tree.u_entries(body)
                forces[own] = missing[own]
    return forces
