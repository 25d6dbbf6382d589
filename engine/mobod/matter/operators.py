"""Operators on the tree: mass matrix, system Jacobian, inverse dynamics; as O(n) products and as dense matrices."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from mobod.errors import InputError
from mobod.matter.rigid_motion import accelerations_at, forces_about, velocities_at
from mobod.matter.tree import Tree
from mobod.matter.tree_body import NumberedBody, TreeBody
from mobod.real_numbers import real_numbers
from mobod.scalar.sweep import Sweep
from mobod.system import CacheEntry, Layout, Stage, State, Subsystem, System
from mobod.system.boundary import check_state


class TreeOperators(Subsystem, ABC):
    """Operators of the tree of bodies at a State. Arrays over all bodies have Ground first. Spatial arrays have the angular part first and
    are expressed in Ground.

        M u_dot + C(q, u) = f + J^T F        V = J u        A = J u_dot + Jdot u

    f (nu,) are generalized forces, F (n_bodies, 6) forces on the bodies about their origins, V and A (n_bodies, 6) the velocities and
    accelerations of the bodies at their origins.
    """

    system: System

    @property
    @abstractmethod
    def n_bodies(self) -> int:
        """The number of bodies, including Ground."""

    @property
    @abstractmethod
    def bodies(self) -> Sequence[TreeBody]:
        """All bodies except Ground, by index."""

    @abstractmethod
    def checked(self, body: Any, what: str) -> NumberedBody:
        """Return the argument if it is a body of this subsystem; raise otherwise. `what` is the function that takes it, for the message."""

    @abstractmethod
    def explain_not_finite(self, state: State) -> NoReturn:
        """Raise SingularMechanismError for accelerations that are not finite."""

    @abstractmethod
    def _entry(self, name: str) -> CacheEntry:
        """The cache entry with this name. Raises StateError before the first State is made."""

    # the mass matrix
    def multiply_by_mass_matrix(self, state: State, v: Any) -> np.ndarray:
        """(nu,) M v, in O(n). Needs stage POSITION."""
        tree = self._checked_tree(state, Stage.POSITION, "the mass matrix")
        state.values[tree.slots.operand.slice] = self._checked_speeds(tree, v, "a vector of generalized speeds or accelerations")
        return self._result(state, tree, tree.operators.mass_matrix_product)

    def mass_matrix(self, state: State) -> np.ndarray:
        """(nu, nu) mass matrix M. Needs stage POSITION."""
        return self._columns(state, Stage.POSITION, "the mass matrix", self.multiply_by_mass_matrix)

    def multiply_by_mass_matrix_inverse(self, state: State, f: Any) -> np.ndarray:
        """(nu,) M^-1 f: the accelerations that the generalized forces f alone cause at rest, in O(n). Needs stage DYNAMICS.

        Raises SingularMechanismError, which names the mobilizer, if a motion has no inertia.
        """
        tree = self._checked_tree(state, Stage.DYNAMICS, "the inverse of the mass matrix")
        state.values[tree.slots.operand.slice] = self._checked_speeds(tree, f, "a vector of generalized forces")
        result = self._result(state, tree, tree.operators.mass_matrix_solution)
        if not np.isfinite(result).all():
            self.explain_not_finite(state)
        return result

    def mass_matrix_inverse(self, state: State) -> np.ndarray:
        """(nu, nu) M^-1. Needs stage DYNAMICS. Raises SingularMechanismError as multiply_by_mass_matrix_inverse does."""
        return self._columns(state, Stage.DYNAMICS, "the inverse of the mass matrix", self.multiply_by_mass_matrix_inverse)

    # the system Jacobian
    def multiply_by_system_jacobian(self, state: State, u: Any) -> np.ndarray:
        """(n_bodies, 6) J u: the velocities of all bodies for the speeds u (nu,), in O(n). Needs stage POSITION."""
        tree = self._checked_tree(state, Stage.POSITION, "the system Jacobian")
        state.values[tree.slots.operand.slice] = self._checked_speeds(tree, u, "a vector of generalized speeds or accelerations")
        state.layout.run(tree.operators.jacobian_product, state.values, self.system.as_text)
        return velocities_at(state.view(tree.slots.r), state.view(tree.slots.A_v))

    def multiply_by_system_jacobian_transpose(self, state: State, F: Any) -> np.ndarray:
        """(nu,) J^T F: the generalized forces of forces F (n_bodies, 6) on the bodies, in O(n). Needs stage POSITION."""
        tree = self._checked_tree(state, Stage.POSITION, "the system Jacobian")
        F = checked_array(F, (self.n_bodies, 6), "an array of forces on all bodies")
        return self._generalized_forces(state, tree, forces_about(-state.view(tree.slots.r), F))

    def system_jacobian(self, state: State) -> np.ndarray:
        """(n_bodies, 6, nu) J, with J[b] @ u the velocity of body b. Needs stage POSITION."""
        return self._columns(state, Stage.POSITION, "the system Jacobian", self.multiply_by_system_jacobian, (self.n_bodies, 6))

    def bias_for_system_jacobian(self, state: State) -> np.ndarray:
        """(n_bodies, 6) Jdot u: the accelerations of all bodies for u_dot = 0. Needs stage VELOCITY."""
        tree = self._checked_tree(state, Stage.VELOCITY, "the bias of the system Jacobian")
        slots, A_c = tree.slots, state.view(tree.slots.A_c)
        if tree.prescription.bodies:  # A_c includes the known u_dot
            state.values[slots.operand.slice] = state.view(tree.prescription.slots.known_u_dot)
            state.layout.run(tree.operators.jacobian_product, state.values, self.system.as_text)
            A_c = A_c - state.view(slots.A_v)
        return accelerations_at(state.view(slots.r), state.view(slots.V_GM)[:, :3], A_c)

    # inverse dynamics
    def inverse_dynamics(self, state: State, u_dot: Any) -> np.ndarray:
        """(nu,) generalized forces that must act in addition to the applied forces to give u_dot. Needs stage DYNAMICS.

        It is M u_dot + C(q, u) - applied forces, in the units of the generalized forces.
        """
        slots = self._checked_tree(state, Stage.DYNAMICS, "inverse dynamics").slots
        return self._missing_forces(state, u_dot, state.view(slots.body_forces)) - state.view(slots.mobility_forces)

    def residual_force(self, state: State, u_dot: Any, mobility_forces: Any = None, body_forces: Any = None) -> np.ndarray:
        """(nu,) generalized forces that must act in addition to the given forces to give u_dot, in O(n). Needs stage VELOCITY.

        mobility_forces  (nu,)           default: none
        body_forces      (n_bodies, 6)   N m, N: about the bodies' origins; default: none

        It is M u_dot + C(q, u) - mobility_forces - J^T body_forces. The System's own forces are not included.
        """
        tree = self._checked_tree(state, Stage.VELOCITY, "the residual force")
        f = np.zeros(tree.slots.operand.shape) if mobility_forces is None else mobility_forces
        F = np.zeros((self.n_bodies, 6)) if body_forces is None else body_forces
        f = self._checked_speeds(tree, f, "a vector of generalized forces")
        F = checked_array(F, (self.n_bodies, 6), "an array of forces on all bodies")
        return self._missing_forces(state, u_dot, forces_about(-state.view(tree.slots.r), F)) - f

    # # internal
    def tree(self, layout: Layout) -> Tree:
        """The tables of the bodies in a layout."""
        return layout.tables[self.index]

    def _checked_tree(self, state: State, stage: Stage, what: str) -> Tree:
        check_state(state, self.system)
        state.require(stage, what, self.index)
        return self.tree(state.layout)

    def _checked_speeds(self, tree: Tree, value: Any, what: str) -> np.ndarray:
        return checked_array(value, tree.slots.operand.shape, what)

    def _result(self, state: State, tree: Tree, sweep: Sweep) -> np.ndarray:
        state.layout.run(sweep, state.values, self.system.as_text)
        return state.values[tree.slots.result.slice].copy()

    def _generalized_forces(self, state: State, tree: Tree, F_M: np.ndarray) -> np.ndarray:
        """(nu,) generalized forces of forces on all bodies at M, (n_bodies, 6)."""
        state.values[tree.slots.Z_v.slice] = F_M.ravel()
        return self._result(state, tree, tree.operators.transpose_product)

    def _missing_forces(self, state: State, u_dot: Any, F_M: np.ndarray) -> np.ndarray:
        """(nu,) M u_dot + C minus the generalized forces of forces on all bodies at M."""
        tree = self.tree(state.layout)
        u_dot = self._checked_speeds(tree, u_dot, "a vector of generalized accelerations")
        # F_c includes the known part
        inertial = self.multiply_by_mass_matrix(state, u_dot - state.view(tree.prescription.slots.known_u_dot))
        return inertial + self._generalized_forces(state, tree, state.view(tree.slots.F_c) - F_M)

    def _columns(self, state: State, stage: Stage, what: str, product: Any, shape: tuple[int, ...] | None = None) -> np.ndarray:
        """(*shape, nu) the matrix of a product; shape: of the product; default: (nu,)."""
        nu = self._checked_tree(state, stage, what).slots.operand.size
        columns = np.array([product(state, column) for column in np.eye(nu)])
        return np.moveaxis(columns.reshape(nu, *(shape or (nu,))), 0, -1)


def checked_array(value: Any, shape: tuple[int, ...], what: str) -> np.ndarray:
    """Finite floats of this shape. Raises InputError otherwise."""
    array = real_numbers(value, what)
    if array.shape != shape:
        raise InputError(f"{what} has shape {shape}, not {array.shape}.")
    if not np.isfinite(array).all():
        raise InputError(f"{what} must be finite; this one has {array[~np.isfinite(array)][0]} among its entries.")
    return array
