"""deflect_at_rest: the static deformation of flexible bodies with all joints held."""

from collections.abc import Sequence

import numpy as np

from mobod.analysis.dynamics_derivatives import inverse_dynamics_derivatives
from mobod.errors import EquilibriumError, InputError, UnsupportedError
from mobod.matter import Ground, MobilizedBody, MultibodySystem
from mobod.system import Stage, State
from mobod.system.boundary import check_state, checked_system

_MOST_STEPS = 30
_ROUND_OFF = 1e-12  # of a step, relative to the modal coordinates


def deflect_at_rest(system: MultibodySystem, state: State, bodies: Sequence[MobilizedBody] | None = None) -> None:
    """Set the modal coordinates of flexible bodies to their static values under the applied forces, with all joints held and at rest.

    bodies  flexible bodies; default: all. Their modes that are locked keep their values

    Modal rates become 0. Joint coordinates and speeds do not change; forces are those of no speeds. Realizes the State to POSITION.
    Raises InputError for rigid bodies; UnsupportedError where a constraint acts on the modes, because joints that are held leave its forces
    open: mb.find_equilibrium finds a State that satisfies it; EquilibriumError if the deformation does not settle.
    """
    checked_system(system, "deflect_at_rest", MultibodySystem)
    check_state(state, system)
    nodes = [parts.node for body in _flexible(system, bodies) if (parts := body.flexible) is not None and not parts.node.is_locked(state)]
    if not nodes:
        return
    u = np.array(state.u)
    tree = system.matter.tree(state.layout)
    entries = np.concatenate([np.arange(part.start, part.stop) for part in map(tree.u_entries, nodes)])
    state.u = np.zeros(u.size)
    start = np.concatenate([node.q(state) for node in nodes])
    names = [
        f"{node.names_of_coordinates[0]}[{i + 1}]" if node.nq > 1 else node.names_of_coordinates[0]
        for node in nodes
        for i in range(node.nq)
    ]
    try:
        _check_constraints(system, state, entries)
        _settle(system, state, nodes, entries, names)
    except EquilibriumError:
        _set(nodes, state, start)
        raise
    finally:
        u[entries] = 0.0
        state.u = u
    system.realize(state, Stage.POSITION)


def _settle(system: MultibodySystem, state: State, nodes: list[MobilizedBody], entries: np.ndarray, names: list[str]) -> None:
    """Newton's method with exact derivatives."""
    eta, u_dot = np.concatenate([node.q(state) for node in nodes]), np.zeros(system.matter.tree(state.layout).all_u.size)
    scale = 0.0
    for _ in range(_MOST_STEPS):
        found = inverse_dynamics_derivatives(system, state, u_dot)
        columns = np.array([found.q.index(name) for name in names])
        try:
            step = np.linalg.solve(found.by_q[np.ix_(entries, columns)], -found.force[entries])
        except np.linalg.LinAlgError:
            break
        eta = eta + step
        if not np.isfinite(eta).all():
            break
        _set(nodes, state, eta)
        scale = max(scale, float(np.abs(eta).max(initial=0.0)))
        if np.abs(step).max(initial=0.0) <= _ROUND_OFF * scale:
            return
    worst = nodes[0].parent.name
    raise EquilibriumError(
        f"deflect_at_rest: the deformation of '{worst}' does not settle. The forces on it are too large for a linear "
        "deformation, or grow with "
        "it: take a stiffer body, or several flexible bodies in a row."
    )


def _set(nodes: list[MobilizedBody], state: State, eta: np.ndarray) -> None:
    at = 0
    for node in nodes:
        node.set_q(state, eta[at : at + node.nq])
        at += node.nq


def _flexible(system: MultibodySystem, bodies: Sequence[MobilizedBody] | None) -> list[MobilizedBody]:
    if bodies is None:
        return [body for body in system.matter.bodies if body.flexible is not None]
    for body in bodies:
        system.matter.checked(body, "deflect_at_rest")
        if isinstance(body, Ground) or body.flexible is None:
            raise InputError(f"deflect_at_rest: body '{body.name}' is rigid. Only flexible bodies deform.")
    return list(bodies)


def _check_constraints(system: MultibodySystem, state: State, entries: np.ndarray) -> None:
    matter = system.matter
    if not matter.constraints:
        return
    system.realize(state, Stage.VELOCITY)
    sweeps, G = matter.constraint_sweeps(state.layout), matter.constraint_matrix(state)
    for constraint in matter.constraints:
        if not constraint.is_disabled(state) and G[sweeps.lines(constraint)][:, entries].any():
            raise UnsupportedError(
                f"deflect_at_rest: constraint '{constraint.name}' acts on the modes, and its force is not known while the joints are held. "
                "Find a State at rest that satisfies it by mb.find_equilibrium(system, state)."
            )
