"""Operators on the tree: the mass matrix, the system Jacobian, inverse dynamics; without a matrix in O(n), and as dense matrices.

Arrays over all bodies have Ground first; spatial ones are angular first and expressed in Ground.

    M u_dot + C(q, u) = f + J^T F        V = J u        A = J u_dot + Jdot u

f (nu,) are generalized forces, F (n_bodies, 6) forces on the bodies about their origins, V and A (n_bodies, 6) the velocities and
accelerations of the bodies at their origins.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from mobod.matter.dynamics.tree import Tree
from mobod.matter.queries.queried_matter import QueriedMatter, checked_array, checked_tree, forces_along_speeds, velocities_at_M
from mobod.matter.tree.rigid_motion import accelerations_at, forces_about, velocities_at
from mobod.scalar.sweep import Sweep
from mobod.system import Stage, State


# the mass matrix
def multiply_by_mass_matrix(matter: QueriedMatter, state: State, v: ArrayLike) -> np.ndarray:
    """(nu,) N m or N for accelerations v: M v, in O(n). Needs stage POSITION."""
    tree = checked_tree(matter, state, Stage.POSITION, "the mass matrix")
    state.values[tree.slots.operand.slice] = checked_speeds(tree, v, "a vector of generalized speeds or accelerations")
    return _result(matter, state, tree, tree.operators.mass_matrix_product)


def mass_matrix(matter: QueriedMatter, state: State) -> np.ndarray:
    """(nu, nu) kg m^2, kg m or kg: mass matrix M. Needs stage POSITION."""
    return _columns(matter, state, Stage.POSITION, "the mass matrix", multiply_by_mass_matrix)


def multiply_by_mass_matrix_inverse(matter: QueriedMatter, state: State, f: ArrayLike) -> np.ndarray:
    """(nu,) rad/s^2 or m/s^2: M^-1 f, the accelerations that the generalized forces f alone cause at rest, in O(n). Needs stage DYNAMICS.

    Raises SingularMechanismError, which names the mobilizer, if a motion has no inertia.
    """
    tree = checked_tree(matter, state, Stage.DYNAMICS, "the inverse of the mass matrix")
    state.values[tree.slots.operand.slice] = checked_speeds(tree, f, "a vector of generalized forces")
    result = _result(matter, state, tree, tree.operators.mass_matrix_solution)
    if not np.isfinite(result).all():
        matter.explain_not_finite(state)
    return result


def mass_matrix_inverse(matter: QueriedMatter, state: State) -> np.ndarray:
    """(nu, nu) M^-1, in the units of 1/M. Needs stage DYNAMICS. Raises SingularMechanismError as multiply_by_mass_matrix_inverse does."""
    return _columns(matter, state, Stage.DYNAMICS, "the inverse of the mass matrix", multiply_by_mass_matrix_inverse)


# the system Jacobian
def multiply_by_system_jacobian(matter: QueriedMatter, state: State, u: ArrayLike) -> np.ndarray:
    """(n_bodies, 6) J u: the velocities of all bodies for the speeds u (nu,), in O(n). Needs stage POSITION."""
    tree = checked_tree(matter, state, Stage.POSITION, "the system Jacobian")
    u = checked_speeds(tree, u, "a vector of generalized speeds or accelerations")
    return velocities_at(state.view(tree.slots.r), velocities_at_M(matter, state, u))


def multiply_by_system_jacobian_transpose(matter: QueriedMatter, state: State, F: ArrayLike) -> np.ndarray:
    """(nu,) J^T F: the generalized forces of forces F (n_bodies, 6) on the bodies, in O(n). Needs stage POSITION."""
    tree = checked_tree(matter, state, Stage.POSITION, "the system Jacobian")
    F = checked_array(F, (matter.n_bodies, 6), "an array of forces on all bodies")
    return forces_along_speeds(matter, state, forces_about(-state.view(tree.slots.r), F))


def system_jacobian(matter: QueriedMatter, state: State) -> np.ndarray:
    """(n_bodies, 6, nu) J, with J[b] @ u the velocity of body b. Needs stage POSITION."""
    return _columns(matter, state, Stage.POSITION, "the system Jacobian", multiply_by_system_jacobian, (matter.n_bodies, 6))


def bias_for_system_jacobian(matter: QueriedMatter, state: State) -> np.ndarray:
    """(n_bodies, 6) rad/s^2, m/s^2: Jdot u, the accelerations of all bodies for u_dot = 0. Needs stage VELOCITY."""
    tree = checked_tree(matter, state, Stage.VELOCITY, "the bias of the system Jacobian")
    slots, A_c = tree.slots, state.view(tree.slots.A_c)
    if tree.prescription.bodies:  # A_c includes the known u_dot
        A_c = A_c - velocities_at_M(matter, state, state.view(tree.prescription.slots.known_u_dot))
    return accelerations_at(state.view(slots.r), state.view(slots.V_GM)[:, :3], A_c)


# inverse dynamics
def inverse_dynamics(matter: QueriedMatter, state: State, u_dot: ArrayLike) -> np.ndarray:
    """(nu,) generalized forces that must act in addition to the applied forces to give u_dot. Needs stage DYNAMICS.

    It is M u_dot + C(q, u) - applied forces, in the units of the generalized forces.
    """
    slots = checked_tree(matter, state, Stage.DYNAMICS, "inverse dynamics").slots
    return _missing_forces(matter, state, u_dot, state.view(slots.body_forces)) - state.view(slots.mobility_forces)


def residual_force(
    matter: QueriedMatter, state: State, u_dot: ArrayLike, mobility_forces: ArrayLike | None = None, body_forces: ArrayLike | None = None
) -> np.ndarray:
    """(nu,) generalized forces that must act in addition to the given forces to give u_dot, in O(n). Needs stage VELOCITY.

    mobility_forces  (nu,)           default: none
    body_forces      (n_bodies, 6)   N m, N: about the bodies' origins; default: none

    It is M u_dot + C(q, u) - mobility_forces - J^T body_forces. The System's own forces are not included.
    """
    tree = checked_tree(matter, state, Stage.VELOCITY, "the residual force")
    f = np.zeros(tree.slots.operand.shape) if mobility_forces is None else mobility_forces
    F = np.zeros((matter.n_bodies, 6)) if body_forces is None else body_forces
    f = checked_speeds(tree, f, "a vector of generalized forces")
    F = checked_array(F, (matter.n_bodies, 6), "an array of forces on all bodies")
    return _missing_forces(matter, state, u_dot, forces_about(-state.view(tree.slots.r), F)) - f


# inside
def checked_speeds(tree: Tree, value: ArrayLike, what: str) -> np.ndarray:
    """Finite floats, one for each speed."""
    return checked_array(value, tree.slots.operand.shape, what)


def _result(matter: QueriedMatter, state: State, tree: Tree, sweep: Sweep) -> np.ndarray:
    state.layout.run(sweep, state.values, matter.system.as_text)
    return state.values[tree.slots.result.slice].copy()


def _missing_forces(matter: QueriedMatter, state: State, u_dot: ArrayLike, F_M: np.ndarray) -> np.ndarray:
    """(nu,) M u_dot + C minus the generalized forces of forces on all bodies at M."""
    tree = matter.tree(state.layout)
    u_dot = checked_speeds(tree, u_dot, "a vector of generalized accelerations")
    inertial = multiply_by_mass_matrix(matter, state, u_dot - state.view(tree.prescription.slots.known_u_dot))  # which F_c has
    missing = inertial + forces_along_speeds(matter, state, state.view(tree.slots.F_c) - F_M)
    for body in tree.rotors.bodies:
        missing[tree.u_entries(body)] += state.view(tree.rotors.bias(body))
    for node, bias in tree.modal_rows.biased_nodes():
        missing[tree.u_entries(node)] += state.view(bias)
    return missing


def _columns(
    matter: QueriedMatter,
    state: State,
    stage: Stage,
    what: str,
    product: Callable[[QueriedMatter, State, np.ndarray], np.ndarray],
    shape: tuple[int, ...] | None = None,
) -> np.ndarray:
    """(*shape, nu) the matrix of a product; shape: of the product; default: (nu,)."""
    nu = checked_tree(matter, state, stage, what).slots.operand.size
    columns = np.array([product(matter, state, column) for column in np.eye(nu)])
    return np.moveaxis(columns.reshape(nu, *(shape or (nu,))), 0, -1)
