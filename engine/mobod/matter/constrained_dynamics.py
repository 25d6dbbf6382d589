"""Operators on a tree with constraints and known motions: forces of motions, and inverse dynamics with multipliers."""

from abc import ABC
from typing import Any

import numpy as np

from mobod.matter.constraint_operators import ConstraintOperators
from mobod.matter.coordinate_rates import CoordinateRates
from mobod.matter.jacobians import TaskJacobians
from mobod.matter.momentum import SystemMomentum
from mobod.system import Stage, State


class ConstrainedDynamics(TaskJacobians, CoordinateRates, SystemMomentum, ConstraintOperators, ABC):
    """Operators of M u_dot + C(q, u) + G^T lambda = f + J^T F + forces of motions."""

    def inverse_dynamics_with_constraints(self, state: State, u_dot: Any, multipliers: Any) -> np.ndarray:
        """(nu,) generalized forces that must act in addition to the applied and constraint forces to give u_dot. Needs stage DYNAMICS.

        u_dot        (nu,)
        multipliers  (n,)   of the rows of enabled constraints, in the order of `multipliers`
        """
        return self.inverse_dynamics(state, u_dot) + self.multiply_by_constraint_matrix_transpose(state, multipliers)

    def motion_forces(self, state: State) -> np.ndarray:
        """(nu,) generalized forces of motions and locks; 0 for other mobilities. Needs stage ACCELERATION."""
        tree = self._checked_tree(state, Stage.ACCELERATION, "the forces of motions")
        forces = np.zeros(tree.all_u.size)
        if tree.prescription.bodies:
            missing = self.inverse_dynamics_with_constraints(state, state.view(tree.u_dot), self.multipliers(state))
            for body in tree.prescription.bodies:
                if state.view(tree.prescription.level(body)) > 0:
                    own = tree.u_entries(body)
                    forces[own] = missing[own]
        return forces
