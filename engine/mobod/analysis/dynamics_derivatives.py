"""Derivatives of forward and of inverse dynamics by coordinates, speeds, accelerations and parameters, exact to round-off."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from mobod.analysis.jacobian import jacobian, realized
from mobod.analysis.named_numbers import sources, state_numbers
from mobod.contact.fixed_steps_only import check_derivatives
from mobod.matter import MatterSubsystem, MultibodySystem
from mobod.scalar.sweep import Sweep
from mobod.system import Stage, State, System
from mobod.system.boundary import check_state, checked_system
from mobod.system.directional import tangents


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class ForwardDynamicsDerivatives:
    """Derivatives of u_dot (nu,), with constraint forces, by each entry of the State alone.

    by_q           (nu, nq)
    by_u           (nu, nu)
    by_z           (nu, nz)
    by_parameters  (nu, n)   inputs and parameters, in the order of `parameters`
    q, u, z        names of the entries
    """

    u_dot: np.ndarray
    by_q: np.ndarray
    by_u: np.ndarray
    by_z: np.ndarray
    by_parameters: np.ndarray
    q: tuple[str, ...]
    u: tuple[str, ...]
    z: tuple[str, ...]
    parameters: tuple[str, ...]


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class InverseDynamicsDerivatives:
    """Derivatives of the generalized forces (nu,) of matter.inverse_dynamics: M u_dot + C(q, u) - applied forces.

    by_q           (nu, nq)
    by_u           (nu, nu)
    by_u_dot       (nu, nu)  the mass matrix, with zeros for known motions
    by_z           (nu, nz)
    by_parameters  (nu, n)   inputs and parameters, in the order of `parameters`
    q, u, z        names of the entries
    """

    force: np.ndarray
    by_q: np.ndarray
    by_u: np.ndarray
    by_u_dot: np.ndarray
    by_z: np.ndarray
    by_parameters: np.ndarray
    q: tuple[str, ...]
    u: tuple[str, ...]
    z: tuple[str, ...]
    parameters: tuple[str, ...]


def forward_dynamics_derivatives(system: System, state: State, parameters: Sequence[str] = ()) -> ForwardDynamicsDerivatives:
    """Derivatives of the accelerations u_dot by q, u, z and parameters. Realizes the State to ACCELERATION.

    parameters  names of inputs and real parameters, or 'time'

    Where constraints hold, only combinations of columns that satisfy them are possible motions; `system.linearize` has independent ones.
    The four numbers of a quaternion count as independent of each other.
    Raises UnknownNameError, InputError; UnsupportedError for a System that computes by Python hooks, or has rigid contacts whose points
    are decided once a step.
    """
    checked_system(system, "forward_dynamics_derivatives", System)
    check_state(state, system)
    check_derivatives(system, "forward_dynamics_derivatives")
    realized(system, state)
    layout, of_parameters = state.layout, sources(system, state, parameters, "parameters")
    along = [*layout.y.offsets, *(entry.offset for entry in of_parameters)]
    J = jacobian(system, state, list(layout.u_dot.offsets), along)
    q, u, z = _names(system, state)
    by_q, by_u, by_z, by_parameters = np.split(J, np.cumsum([len(q), len(u), len(z)]), axis=1)
    return ForwardDynamicsDerivatives(
        u_dot=state.view(layout.u_dot).copy(),
        by_q=by_q,
        by_u=by_u,
        by_z=by_z,
        by_parameters=by_parameters,
        q=q,
        u=u,
        z=z,
        parameters=tuple(entry.name for entry in of_parameters),
    )


def inverse_dynamics_derivatives(
    system: MultibodySystem, state: State, u_dot: ArrayLike, parameters: Sequence[str] = ()
) -> InverseDynamicsDerivatives:
    """Derivatives of matter.inverse_dynamics(state, u_dot) by q, u, u_dot, z and parameters. Realizes the State to DYNAMICS.

    u_dot       (nu,)  of the matter
    parameters  names of inputs and real parameters, or 'time'

    Constraint forces are not among the applied forces. The four numbers of a quaternion count as independent of each other.
    Raises UnknownNameError, InputError; UnsupportedError for a System that computes by Python hooks.
    """
    checked_system(system, "inverse_dynamics_derivatives", MultibodySystem)
    check_state(state, system)
    matter, layout = system.matter, state.layout
    system.realize(state, Stage.DYNAMICS)
    force = matter.inverse_dynamics(state, u_dot)
    of_parameters = sources(system, state, parameters, "parameters")
    tree = matter.tree(layout)
    along = (*layout.y.offsets, *tree.u_dot.offsets, *(entry.offset for entry in of_parameters))
    J = sum(
        tangents(system, state, along, tuple(sweep.calls[-1].outputs[0].offsets), until=Stage.DYNAMICS, then=[sweep]).columns(
            _values(sweep, matter, state, np.asarray(u_dot, dtype=float)), np.eye(len(along))
        )
        for sweep in (tree.operators.inertial_forces, tree.operators.other_forces)
    )
    q, u, z = _names(system, state)
    by_q, by_u, by_z, by_u_dot, by_parameters = np.split(J, np.cumsum([len(q), len(u), len(z), len(force)]), axis=1)
    return InverseDynamicsDerivatives(
        force=force,
        by_q=by_q,
        by_u=by_u,
        by_u_dot=by_u_dot,
        by_z=by_z,
        by_parameters=by_parameters,
        q=q,
        u=u,
        z=z,
        parameters=tuple(entry.name for entry in of_parameters),
    )


def _names(system: System, state: State) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The names of the entries of q, of u and of z."""
    names, layout = [entry.name for entry in state_numbers(system, state).values()], state.layout
    n = layout.n_q + layout.n_u
    return tuple(names[: layout.n_q]), tuple(names[layout.n_q : n]), tuple(names[n:])


def _values(sweep: Sweep, matter: MatterSubsystem, state: State, u_dot: np.ndarray) -> np.ndarray:
    """The values of a State after the sweep."""
    w = state.values.copy()
    w[matter.tree(state.layout).u_dot.slice] = u_dot
    state.layout.function(sweep)(w, state)
    return w
