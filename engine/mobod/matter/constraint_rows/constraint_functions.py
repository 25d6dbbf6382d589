"""Recorded functions of constraints: errors, rows of G, and accelerations for u_dot = 0. There is one call for each constraint.

A row of G is a force on each body and mobility that it acts on: e_dot = sum of K . V + sum of k . u. Spatial arrays are angular first,
expressed in G; those of rows are about the origin of the body's frame M, which the sweeps of the tree use as reference point.
"""

# Decision: docs/decisions/043-ball-errors.md

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.scalar import Array, Scalar, where
from mobod.scalar.derivative import jvp, jvps
from mobod.spatial import Transform, cross, cross_matrix, shift_force

UNILATERAL, BILATERAL = "unilateral", "bilateral"  # part of the structure


@dataclass(frozen=True)
class Touched:
    """The bodies and mobilizers that a constraint acts on, as structure.

    on_ground      for the base, then each follower: whether it is Ground
    mobilizers     equations of the constrained mobilizers
    may_be_known   for each of these: whether a motion or a lock may prescribe its u_dot
    has_ancestor   whether vectors are re-expressed in the frame of a body other than the base
    n_parameters   of the constraint
    n_decided      numbers that the runtime decides, see ConstraintEquations
    """

    on_ground: tuple[bool, ...]
    mobilizers: tuple[MobilizerEquations, ...]
    may_be_known: tuple[bool, ...]
    has_ancestor: bool
    n_parameters: int
    n_decided: int


def position_errors(equations: ConstraintEquations, touched: Touched, t: Scalar, *arrays: Array) -> Array:
    """(n_position,) from [parameters], [decided numbers], [R_GA of the ancestor], R_GB p_GB of the base and of each follower, q of each
    mobilizer.

    Arguments in brackets are present only if they exist.
    """
    given = list(arrays)
    equations = _given_equations(equations, touched, given)
    R_ancestor = given.pop(0) if touched.has_ancestor else None
    poses = [Transform.of(given.pop(0), given.pop(0)) for _ in touched.on_ground]
    to_base = poses[0].inverse()
    motion = RelativeMotion(t=t, X=tuple(to_base @ X for X in poses[1:]), q=tuple(given))
    return _in_ancestor(equations, equations.position_errors(motion), R_ancestor, poses[0].R)


def rows(equations: ConstraintEquations, touched: Touched, t: Scalar, *arrays: Array) -> tuple[Array, ...]:
    """(velocity errors (n_position + n_velocity,), accelerations (n,), K (n, 6) of each body except Ground, k (n, nu) of each mobilizer).

    From [parameters], [decided numbers], [R_GA V_GA of the ancestor]; R_GB p_GB r V_GB A_c of the base and of each follower, where
    r = p_MB in G and A_c is the acceleration at M for u_dot = 0; [parameters] q u [known u_dot] of each mobilizer. The accelerations are
    those of the errors for u_dot = 0, except for the known part of u_dot, which A_c also includes.
    """
    given = list(arrays)
    equations = _given_equations(equations, touched, given)
    R_ancestor, V_ancestor = (given.pop(0), given.pop(0)) if touched.has_ancestor else (None, None)
    bodies = [_Body(*(given.pop(0) for _ in range(5))) for _ in touched.on_ground]
    base, followers = bodies[0], bodies[1:]
    mobilizers, q, u, u_dot = [], [], [], []
    for mobilizer, may_be_known in zip(touched.mobilizers, touched.may_be_known, strict=True):
        mobilizers.append(mobilizer.with_parameters(given.pop(0) if mobilizer.n_parameters else ()))
        q.append(given.pop(0))
        u.append(given.pop(0))
        u_dot.append(given.pop(0) if may_be_known else np.zeros(mobilizer.nu))
    relative = [_relative(base, follower) for follower in followers]
    n_f, n_m = len(followers), len(q)

    def motion(t: Scalar, *state: Array) -> RelativeMotion:
        R, p, q, V, u = _split(state, n_f, n_f, n_m, n_f, n_m)
        X = tuple(Transform.of(R_AB, p_AB) for R_AB, p_AB in zip(R, p, strict=True))
        return RelativeMotion(t=t, X=X, q=tuple(q), V=tuple(V), u=tuple(u))

    def position(t: Scalar, *pose: Array) -> Array:
        return equations.position_errors(motion(t, *pose, *V, *u))

    def position_rate(t: Scalar, *state: Array) -> Any:
        if equations.gives_position_rates:
            return equations.position_rates(motion(t, *state))
        R, p, q, V, u = _split(state, n_f, n_f, n_m, n_f, n_m)
        q_dot = [mobilizer.q_dot(q_k, u_k) for mobilizer, q_k, u_k in zip(mobilizers, q, u, strict=True)]
        return jvp(position, [t, *R, *p, *q], [1.0, *_pose_rates(R, V), *q_dot])[1] if equations.n_position else np.zeros(0)

    def velocity(t: Scalar, *state: Array) -> Array:
        return equations.velocity_errors(motion(t, *state))

    def acceleration(t: Scalar, *second: Array) -> Array:
        m = motion(t, *R, *p, *q, *V, *u)
        return equations.acceleration_errors(
            RelativeMotion(t=t, X=m.X, q=m.q, V=m.V, u=m.u, A=tuple(second[:n_f]), u_dot=tuple(second[n_f:]))
        )

    R, p = [X.R for X, _, _ in relative], [X.p for X, _, _ in relative]
    V, A = [V for _, V, _ in relative], [A for _, _, A in relative]
    q_dot = [mobilizer.q_dot(q_k, u_k) for mobilizer, q_k, u_k in zip(mobilizers, q, u, strict=True)]
    still = [np.zeros(mobilizer.nu) for mobilizer in mobilizers]
    state = [*R, *p, *q, *V, *u]
    arguments: list[Array | Scalar] = [t, *state]
    rates: list[Array | Scalar] = [1.0, *_pose_rates(R, V), *q_dot, *A, *u_dot]

    errors = np.concatenate([_entries(position_rate(t, *state)), _entries(velocity(t, *state))])
    accelerations = np.concatenate(
        [
            _derivative(position_rate, arguments, rates, equations.n_position),
            _derivative(velocity, arguments, rates, equations.n_velocity),
            _entries(acceleration(t, *A, *u_dot)),
        ]
    )

    # rates of the errors' derivatives along unit velocities or accelerations of single bodies and mobilizers
    no_pose = [np.zeros((3, 3))] * n_f + [np.zeros(3)] * n_f + [np.zeros(mobilizer.nq) for mobilizer in mobilizers]
    none = [np.zeros(6)] * n_f
    units = [[*none[:j], e, *none[j + 1 :], *still] for j in range(n_f) for e in np.eye(6)]
    units += [[*none, *still[:j], e, *still[j + 1 :]] for j in range(n_m) for e in np.eye(mobilizers[j].nu)]
    if equations.gives_position_rates:
        of_position = _derivatives(position_rate, arguments, [[0.0, *no_pose, *unit] for unit in units], equations.n_position)
    else:
        poses: list[list[Array | Scalar]] = [
            [0.0, *_pose_rates(R, V_k), *(each.q_dot(q_k, u_k) for each, q_k, u_k in zip(mobilizers, q, u_all, strict=True))]
            for V_k, u_all in ((unit[:n_f], unit[n_f:]) for unit in units)
        ]
        of_position = _derivatives(position, [t, *R, *p, *q], poses, equations.n_position)
    of_velocity = _derivatives(velocity, arguments, [[0.0, *no_pose, *unit] for unit in units], equations.n_velocity)
    of_acceleration = _derivatives(acceleration, [t, *A, *u_dot], [[0.0, *unit] for unit in units], equations.n_acceleration)
    columns = [np.concatenate(each) for each in zip(of_position, of_velocity, of_acceleration, strict=True)]
    ends = np.cumsum([0, *[6] * n_f, *(mobilizer.nu for mobilizer in mobilizers)]).tolist()
    of_parts = [np.array(columns[first:end]).T for first, end in pairwise(ends)]
    K_A, k = of_parts[:n_f], of_parts[n_f:]

    def shown(array: Array) -> Array:
        return _in_ancestor(equations, array, R_ancestor, base.R)

    shown_errors, shown_accelerations = shown(errors), shown(accelerations)
    if R_ancestor is not None and V_ancestor is not None:
        w = R_ancestor.T @ (base.V[:3] - V_ancestor[:3])
        shown_accelerations = _with_coriolis(equations, shown_accelerations, w, shown_errors)
    K = _in_ground(base, followers, [shown(each) for each in K_A])
    return (
        shown_errors,
        shown_accelerations,
        *(each for each, on_ground in zip(K, touched.on_ground, strict=True) if not on_ground),
        *(shown(each.reshape(equations.n, mobilizer.nu)) for each, mobilizer in zip(k, mobilizers, strict=True)),
    )


def rows_in_groups(
    equations: ConstraintEquations, touched: Touched, groups: tuple[int, ...], t: Scalar, *arrays: Array
) -> tuple[Array, ...]:
    """The same results, each of them in parts of so many rows."""
    ends = np.cumsum(groups).tolist()
    return tuple(each[end - n : end] for each in rows(equations, touched, t, *arrays) for n, end in zip(groups, ends, strict=True))


def compliant_forces(
    equations: ConstraintEquations, is_unilateral: str, enabled: Scalar, parameters: Array, errors: Array, rates: Array, *rows: Array
) -> tuple[Array, ...]:
    """(forces of compliant rows (n,), 0 for other rows; then the resulting forces on each body (6,) and mobilizer (nu,)).

    From the constraint's enabled flag, its parameters, errors and their rates (n,), and K or k of each body and mobilizer (see `rows`).
    """
    compliance = equations.with_parameters(parameters).compliance
    assert compliance is not None
    forces = [
        where(enabled, compliance.force(row, errors[row], rates[row], is_unilateral=is_unilateral == UNILATERAL), 0.0)
        for row in range(equations.n)
    ]
    on_each = [sum((forces[row] * K[row] for row in compliance.rows), np.zeros(K.shape[1])) for K in rows]
    return np.array(forces), *on_each


def spring_energy(equations: ConstraintEquations, is_unilateral: str, enabled: Scalar, parameters: Array, errors: Array) -> Scalar:
    """Potential energy of all compliant rows, J."""
    compliance = equations.with_parameters(parameters).compliance
    assert compliance is not None
    energies = [compliance.energy(row, errors[row], is_unilateral=is_unilateral == UNILATERAL) for row in compliance.rows]
    return where(enabled, sum(energies[1:], energies[0]), 0.0)


@dataclass(frozen=True)
class _Body:
    """A body's motion. A_M: the acceleration at the origin of M for u_dot = 0."""

    R: Array
    p: Array
    r: Array
    V: Array
    A_M: Array

    @property
    def A(self) -> Array:
        """(6,) acceleration of the body's own origin for u_dot = 0."""
        w, alpha = self.V[:3], self.A_M[:3]
        return np.concatenate([alpha, self.A_M[3:] + cross(alpha, self.r) + cross(w, cross(w, self.r))])


def _given_equations(equations: ConstraintEquations, touched: Touched, given: list[Array]) -> ConstraintEquations:
    """The equations with their numbers, which are taken from the list."""
    equations = equations.with_parameters(given.pop(0) if touched.n_parameters else ())
    return equations.with_decided(given.pop(0)) if touched.n_decided else equations


def _relative(base: _Body, body: _Body) -> tuple[Transform, Array, Array]:
    """(X_AB, V_AB, A_AB) of a body B in the base A, expressed in A; A_AB is the derivative of V_AB in A."""
    to_A = base.R.T
    r = body.p - base.p
    w_A, alpha_A = base.V[:3], base.A[:3]
    w = body.V[:3] - w_A
    v = body.V[3:] - base.V[3:] - cross(w_A, r)
    alpha = body.A[:3] - alpha_A - cross(w_A, w)
    a = body.A[3:] - base.A[3:] - cross(alpha_A, r) - cross(w_A, cross(w_A, r)) - 2 * cross(w_A, v)
    return (
        Transform.of(to_A @ body.R, to_A @ r),
        np.concatenate([to_A @ w, to_A @ v]),
        np.concatenate([to_A @ alpha, to_A @ a]),
    )


def _in_ground(base: _Body, followers: Sequence[_Body], K_A: Sequence[Array]) -> list[Array]:
    """Rows (n, 6) of the base and of the followers about their frames M, from the rows along V_AB."""
    n = len(K_A[0]) if K_A else 0
    on_base = [np.zeros(6)] * n
    on_followers = []
    for follower, K in zip(followers, K_A, strict=True):
        own = []
        for i, row in enumerate(K):
            F = np.concatenate([base.R @ row[:3], base.R @ row[3:]])
            own.append(shift_force(F, -follower.r))
            on_base[i] = on_base[i] - shift_force(F, base.p - base.r - follower.p)
        on_followers.append(np.array(own).reshape(n, 6))
    return [np.array(on_base).reshape(n, 6), *on_followers]


def _in_ancestor(equations: ConstraintEquations, rows: Array, R_ancestor: Array | None, R_base: Array) -> Array:
    """The errors or rows with vectors re-expressed in the ancestor's frame instead of the base's."""
    if R_ancestor is None or not equations.vectors_at:
        return rows
    turn = R_ancestor.T @ R_base
    turned = list(rows)
    for at in equations.vectors_at:
        turned[at : at + 3] = list(turn @ np.array(turned[at : at + 3]))
    return np.array(turned)


def _with_coriolis(equations: ConstraintEquations, accelerations: Array, w: Array, rates: Array) -> Array:
    """The accelerations, in which vectors are as seen from the ancestor, where the base turns with w: with the Coriolis acceleration.

    So they are the accelerations of points in the ancestor, as in Simbody, and not the derivatives of the vectors' rates. Both differ if
    velocity errors are not 0.
    """
    seen = list(accelerations)
    for at in equations.vectors_at:
        seen[at : at + 3] = list(np.array(seen[at : at + 3]) + 2 * cross(w, np.array(list(rates)[at : at + 3])))
    return np.array(seen)


def _derivative(function: Callable[..., Array], arguments: Sequence[Array | Scalar], directions: Sequence[Array | Scalar], n: int) -> Array:
    """(n,) the derivative along the directions; empty functions are not recorded."""
    return _entries(jvp(function, arguments, directions)[1]) if n else np.zeros(0)


def _derivatives(
    function: Callable[..., Array], arguments: Sequence[Array | Scalar], directions: Sequence[Sequence[Array | Scalar]], n: int
) -> list[Array]:
    """The same along each of several lists of directions."""
    return [_entries(each) for each in jvps(function, arguments, directions)[1]] if n and directions else [np.zeros(0)] * len(directions)


def _entries(value: ArrayLike) -> Array:
    return np.atleast_1d(np.asarray(value))


def _pose_rates(R: Sequence[Array], V: Sequence[Array]) -> list[Array]:
    """The rates of the rotations, then of the positions."""
    return [*(cross_matrix(V_k[:3]) @ R_k for R_k, V_k in zip(R, V, strict=True)), *(V_k[3:] for V_k in V)]


def _split(values: Sequence[Array], *counts: int) -> list[Sequence[Array]]:
    parts, start = [], 0
    for count in counts:
        parts.append(values[start : start + count])
        start += count
    return parts
