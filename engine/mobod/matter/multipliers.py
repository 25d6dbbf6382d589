"""The steps that constraints take in the sweeps: rows through the articulated bodies, then multipliers.

With M u_dot + G^T lambda = f and G u_dot + bias = 0 the multipliers solve (G M^-1 G^T) lambda = G M^-1 f + bias. A row is a force on bodies
and mobilities; the inward sweep of the articulated-body algorithm takes it to E, an entry for each speed, as it takes f to eps:

    E = H^T K + k    K+ = shift(K - G E)    G M^-1 G^T = E D^-1 E^T    G M^-1 f = E D^-1 eps    of f - G^T lambda: eps - E^T lambda

so that one outward sweep follows. Here E has a line for each row, and D^-1 the blocks of the joints. Rows of disabled constraints are 0.
A twin of fmu_src/native/multipliers.c.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.matter.constraint_consistency import CANCELLED, check_consistent, check_finite
from mobod.matter.motion_equations import ACCELERATION, VELOCITY
from mobod.numerics import factor_semidefinite
from mobod.scalar.c_literal import c_string
from mobod.scalar.slot import Slot
from mobod.scalar.step import Step


@dataclass(frozen=True, kw_only=True)
class Joint:
    """A body's part of the articulated-body algorithm.

    first        the place of its first speed among those of the matter
    known_level  of its motion (see motion_equations); None: it is never known
    """

    body: int
    parent: int
    first: int
    H: Slot
    G: Slot
    l: Slot
    D_inverse: Slot
    eps: Slot
    known_level: Slot | None

    @property
    def nu(self) -> int:
        return self.eps.size


@dataclass(frozen=True, kw_only=True)
class RowBlock:
    """The rows of one constraint: (body, (n, 6)) and (body, (n, nu)) for what they touch; bias: (n,) accelerations for zero u_dot.

    motions  V_GB and A_c of each of on_bodies
    """

    name: str
    first: int
    n: int
    enabled: Slot
    position_errors: Slot
    velocity_errors: Slot
    bias: Slot
    on_bodies: tuple[tuple[int, Slot], ...]
    on_mobilities: tuple[tuple[int, Slot], ...]
    motions: tuple[tuple[Slot, Slot], ...]


@dataclass(frozen=True, kw_only=True)
class RowTable:
    """What both steps work on.

    joints     tips first
    all_eps    (nu,) eps of all joints, eps: the same with the forces of multipliers
    workspace  of the C twin
    """

    joints: tuple[Joint, ...]
    blocks: tuple[RowBlock, ...]
    n_bodies: int
    u: Slot
    q: Slot
    E: Slot
    A: Slot
    all_eps: Slot
    eps: Slot
    multipliers: Slot
    body_forces: Slot
    mobility_forces: Slot
    workspace: Slot

    @property
    def n_rows(self) -> int:
        return self.E.shape[0]

    def active(self, w: np.ndarray) -> np.ndarray:
        """Numbers of the rows of enabled constraints."""
        return np.array([block.first + i for block in self.blocks if w[block.enabled.offset] for i in range(block.n)], dtype=np.intp)

    def names(self, rows: np.ndarray) -> list[str]:
        """That of the constraint for each row."""
        names = [block.name for block in self.blocks for _ in range(block.n)]
        return [names[row] for row in rows]

    def known(self, w: np.ndarray, level: float = VELOCITY) -> np.ndarray:
        """(nu,) whether a speed is known, by a motion or a lock; or its u_dot. A projection does not change its mobilizer."""
        known = np.zeros(self.E.shape[1], dtype=bool)
        for joint in self.joints:
            if joint.known_level is not None:
                known[joint.first : joint.first + joint.nu] = w[joint.known_level.offset] >= level
        return known

    def misses(self, w: np.ndarray) -> np.ndarray:
        """(n_rows,) where the C twin has found contradictions in w: see constraint_consistency."""
        return w[self.workspace.offset :][: self.n_rows]

    def G(self, w: np.ndarray) -> np.ndarray:
        """(n_rows, nu) of enabled constraints, lines of 0 for the others."""
        K, G = self.forces(w)
        for joint in self.joints:
            z = K[:, joint.body]
            G[:, joint.first : joint.first + joint.nu] += z @ _at(w, joint.H)
            K[:, joint.parent] += _shifted(z, _at(w, joint.l))
        return G

    def forces(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n_rows, n_bodies, 6) and (n_rows, nu): what each row is; those of disabled constraints are 0."""
        on_bodies, on_mobilities = np.zeros((self.n_rows, self.n_bodies, 6)), np.zeros((self.n_rows, self.E.shape[1]))
        first = {joint.body: joint.first for joint in self.joints}
        for block in self.blocks:
            if w[block.enabled.offset]:
                lines = slice(block.first, block.first + block.n)
                for body, K in block.on_bodies:
                    on_bodies[lines, body] += _at(w, K)
                for body, k in block.on_mobilities:
                    on_mobilities[lines, first[body] : first[body] + k.shape[1]] += _at(w, k)
        return on_bodies, on_mobilities


@final
class RowElimination(Step):
    """E and A = G M^-1 G^T, from what articulated inertias leave; at DYNAMICS."""

    def __init__(self, table: RowTable):
        self.table = table

    @property
    def name(self) -> str:
        return "eliminate rows"

    @property
    def inputs(self) -> tuple[Slot, ...]:
        of_joints = [slot for joint in self.table.joints for slot in (joint.H, joint.G, joint.l, joint.D_inverse)]
        return (*of_joints, *_row_slots(self.table))

    @property
    def outputs(self) -> tuple[Slot, ...]:
        return self.table.E, self.table.A

    def run(self, w: np.ndarray) -> None:
        table = self.table
        K, E = table.forces(w)
        terms = np.abs(E).max(axis=1, initial=0.0)
        for joint in table.joints:
            own = slice(joint.first, joint.first + joint.nu)
            H, G, l, z = _at(w, joint.H), _at(w, joint.G), _at(w, joint.l), K[:, joint.body]
            terms = np.maximum(terms, np.abs(z).max(axis=1))
            E[:, own] += z @ H
            z -= E[:, own] @ G.T
            K[:, joint.parent] += _shifted(z, l)
        # what the joints keep anyway, or known motions, leaves round-off, which would be divided by round-off
        free = ~table.known(w, ACCELERATION)
        E[np.ix_(np.abs(E[:, free]).max(axis=1, initial=0.0) <= CANCELLED * terms, free)] = 0
        _at(w, table.E)[...] = E
        _at(w, table.A)[...] = sum(
            (part @ _at(w, joint.D_inverse) @ part.T for joint, part in zip(table.joints, self._parts(E), strict=True)),
            np.zeros(table.A.shape),
        )

    def run_tangent(self, w: np.ndarray, dw: np.ndarray) -> None:
        table = self.table
        (K, E), (dK, dE) = table.forces(w), self._changes_of_forces(w, dw)
        for joint in table.joints:
            own = slice(joint.first, joint.first + joint.nu)
            H, G, l, z = _at(w, joint.H), _at(w, joint.G), _at(w, joint.l), K[:, joint.body]
            dH, dG, dl, dz = _at(dw, joint.H), _at(dw, joint.G), _at(dw, joint.l), dK[:, joint.body]
            E[:, own] += z @ H
            dE[:, own] += dz @ H + z @ dH
            z -= E[:, own] @ G.T
            dz -= dE[:, own] @ G.T + E[:, own] @ dG.T
            K[:, joint.parent] += _shifted(z, l)
            dK[:, joint.parent] += _shifted(dz, l)
            dK[:, joint.parent, :3] += np.cross(dl, z[:, 3:])
        E = _at(w, table.E)
        dE[~E[:, ~table.known(w, ACCELERATION)].any(axis=1)] = 0  # rows that count as none
        dA = np.zeros(table.A.shape)
        for joint, part, change in zip(table.joints, self._parts(E), self._parts(dE), strict=True):
            half = change @ _at(w, joint.D_inverse) @ part.T
            dA += half + half.T + part @ _at(dw, joint.D_inverse) @ part.T
        _at(dw, table.E)[...] = dE
        _at(dw, table.A)[...] = dA

    def _parts(self, E: np.ndarray) -> list[np.ndarray]:
        """Of each joint its columns."""
        return [E[:, joint.first : joint.first + joint.nu] for joint in self.table.joints]

    def _changes_of_forces(self, w: np.ndarray, dw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The flags are those of w."""
        flagged = dw.copy()
        for block in self.table.blocks:
            flagged[block.enabled.offset] = w[block.enabled.offset]
        return self.table.forces(flagged)

    def c_code(self, name: str) -> str:
        return _kernel_c(name, "eliminate_rows")

    def c_tangent(self, name: str) -> str:
        return _tangent_c(name, "eliminate_rows_tangent")


@final
class MultiplierSolve(Step):
    """Multipliers, eps with their forces, and these forces; at ACCELERATION, between the inward and the outward sweep.

    The multipliers are those of minimum norm where rows depend on each other.
    """

    def __init__(self, table: RowTable):
        self.table = table

    @property
    def name(self) -> str:
        return "solve multipliers"

    @property
    def inputs(self) -> tuple[Slot, ...]:
        table = self.table
        of_joints = [slot for joint in table.joints for slot in (joint.D_inverse, joint.eps)]
        of_motion = [slot for block in table.blocks for motion in block.motions for slot in motion]
        of_errors = [slot for block in table.blocks for slot in (block.position_errors, block.velocity_errors, block.bias)]
        return (table.u, table.E, table.A, *of_joints, *of_errors, *of_motion, *_row_slots(table))

    @property
    def outputs(self) -> tuple[Slot, ...]:
        table = self.table
        return table.multipliers, table.eps, table.body_forces, table.mobility_forces

    def right_side(self, w: np.ndarray) -> np.ndarray:
        """(n_rows,) the accelerations that the errors would have without constraints; 0 for disabled ones."""
        table = self.table
        E, total = _at(w, table.E), np.zeros(table.n_rows)
        for joint in table.joints:
            own = slice(joint.first, joint.first + joint.nu)
            total += E[:, own] @ (_at(w, joint.D_inverse) @ _at(w, joint.eps))
        for block in table.blocks:
            if w[block.enabled.offset]:
                total[block.first : block.first + block.n] += _at(w, block.bias)
        return total

    def run(self, w: np.ndarray) -> None:
        table = self.table
        active, A, b = table.active(w), _at(w, table.A), self.right_side(w)
        multipliers = np.zeros(table.n_rows)
        if np.isfinite(A).all() and np.isfinite(b).all():
            factors = factor_semidefinite(A[np.ix_(active, active)])
            multipliers[active] = factors.solve(b[active])
            check_consistent(table, w, active, factors)
        else:
            check_finite(table, w)
            multipliers[active] = np.nan  # by forces or mobilizers: the accelerations are not finite, which is explained there
        self._apply(w, w, multipliers)

    def _apply(self, w: np.ndarray, result: np.ndarray, multipliers: np.ndarray) -> None:
        table = self.table
        E = _at(w, table.E)
        _at(result, table.multipliers)[...] = multipliers
        eps = np.zeros(table.eps.size)
        for joint in table.joints:
            eps[joint.first : joint.first + joint.nu] = _at(w, joint.eps)
        _at(result, table.eps)[...] = eps - multipliers @ E
        K, k = table.forces(w)
        _at(result, table.body_forces)[...] = -np.einsum("r,rbs->bs", multipliers, K)
        _at(result, table.mobility_forces)[...] = -multipliers @ k

    def run_tangent(self, w: np.ndarray, dw: np.ndarray) -> None:
        """A d(lambda) = d(right side) - dA lambda; with lambda = A mu, as it has least norm, also the part dA mu of it that A does not see.

        Where redundant rows contradict each other, beside the manifold, what is left of them is least relative to their sizes W^1/2, so
        that W^-1 left moves nothing; both that and the sizes change.
        Source: the derivative of a pseudo-inverse of constant rank, Golub, Pereyra, SIAM J. Numer. Anal. 10 (1973), 413-432.
        """
        table = self.table
        active, A, E, dE = table.active(w), _at(w, table.A), _at(w, table.E), _at(dw, table.E)
        multipliers, db = _at(w, table.multipliers), np.zeros(table.n_rows)
        eps, deps = np.zeros(table.eps.size), np.zeros(table.eps.size)
        for joint in table.joints:
            own = slice(joint.first, joint.first + joint.nu)
            eps[own], deps[own] = _at(w, joint.eps), _at(dw, joint.eps)
            D, dD = _at(w, joint.D_inverse), _at(dw, joint.D_inverse)
            db += dE[:, own] @ (D @ eps[own]) + E[:, own] @ (dD @ eps[own] + D @ deps[own])
        for block in table.blocks:
            if w[block.enabled.offset]:
                db[block.first : block.first + block.n] += _at(dw, block.bias)
        change = np.zeros(table.n_rows)
        factors, dA = factor_semidefinite(A[np.ix_(active, active)]), _at(dw, table.A)[np.ix_(active, active)]
        if factors.rank < len(active):
            left, W = self.right_side(w)[active] - factors.A @ multipliers[active], factors.sizes**2
            diagonal = factors.A.diagonal()
            counts = diagonal > 0.5 * W  # others are rows that count as none
            growth = np.divide(-0.5 * dA.diagonal(), diagonal, out=np.zeros(len(diagonal)), where=counts)
            still = left / W
            db[active] += growth * left + W * factors.solve(dA @ still + factors.A @ (growth * still))
        change[active] = factors.solve(db[active] - dA @ multipliers[active])
        if factors.rank < len(active):
            unseen = dA @ factors.solve(multipliers[active])
            change[active] += unseen - factors.solve(factors.A @ unseen)
        (K, k), (dK, dk) = table.forces(w), RowElimination(table)._changes_of_forces(w, dw)
        _at(dw, table.multipliers)[...] = change
        _at(dw, table.eps)[...] = deps - change @ E - multipliers @ dE
        _at(dw, table.body_forces)[...] = -np.einsum("r,rbs->bs", change, K) - np.einsum("r,rbs->bs", multipliers, dK)
        _at(dw, table.mobility_forces)[...] = -change @ k - multipliers @ dk

    def c_code(self, name: str) -> str:
        return _kernel_c(name, "solve_multipliers")

    def c_tangent(self, name: str) -> str:
        return _tangent_c(name, "solve_multipliers_tangent")


def _row_slots(table: RowTable) -> Sequence[Slot]:
    of_blocks = [[block.enabled, *(slot for _, slot in (*block.on_bodies, *block.on_mobilities))] for block in table.blocks]
    return [slot for slots in of_blocks for slot in slots]


def _at(w: np.ndarray, slot: Slot) -> np.ndarray:
    """A view."""
    return w[slot.slice].reshape(slot.shape)


def _shifted(z: np.ndarray, l: np.ndarray) -> np.ndarray:
    """Forces (n, 6) about the parent's M."""
    return np.concatenate([z[:, :3] + np.cross(l, z[:, 3:]), z[:, 3:]], axis=1)


def workspace_size(n_rows: int, n_joints: int, nu: int) -> int:
    """How many numbers the C twin needs room for beside its results; see multipliers.h and factor_reals in fmu_src/native."""
    widest = max(n_rows, nu)
    factors = n_rows * widest + n_rows**2 + 6 * n_rows + widest
    whole_numbers = n_rows  # two of them in the room of one real
    return 2 * n_rows * nu + 12 * n_joints + n_rows**2 + 6 * n_rows + 2 * nu + factors + whole_numbers


def table_c(table: RowTable) -> str:
    """C that defines `rows`, the table of multipliers.h."""
    numbers = {joint.body: i for i, joint in enumerate(table.joints)}
    joints = [
        f"    {{{numbers.get(joint.parent, -1)}, {joint.nu}, {joint.first}, {joint.H.offset}, {joint.G.offset}, {joint.l.offset}, "
        f"{joint.D_inverse.offset}, {-1 if joint.known_level is None else joint.known_level.offset}}},"
        for joint in table.joints
    ]
    parts, blocks = ['#include "multipliers.h"\n'], []
    for i, block in enumerate(table.blocks):
        path = _path(table, block, numbers)
        arrays = {
            "on_bodies": [entry for body, K in block.on_bodies for entry in (numbers[body], body, K.offset)],
            "motions": [slot.offset for motion in block.motions for slot in motion],
            "on_mobilities": [entry for body, k in block.on_mobilities for entry in (numbers[body], k.offset)],
            "path": path,
            "runs": [entry for run in _runs([table.joints[number] for number in path]) for entry in run],
        }
        parts += [f"static const int row_{key}_{i}[] = {{{', '.join(map(str, values)) or '0'}}};" for key, values in arrays.items()]
        counts = {"on_bodies": len(block.on_bodies), "on_mobilities": len(block.on_mobilities), "path": len(path)}
        counts["runs"] = len(arrays["runs"]) // 2
        named = ", ".join((f"{counts[key]}, " if key in counts else "") + f"row_{key}_{i}" for key in arrays)
        of_block = (block.first, block.n, block.position_errors.size, block.velocity_errors.size - block.position_errors.size)
        offsets = [slot.offset for slot in (block.enabled, block.position_errors, block.velocity_errors, block.bias)]
        blocks.append(f"    {{{c_string(block.name)}, {', '.join(map(str, (*of_block, *offsets)))}, {named}}},")
    slots = (
        table.E,
        table.A,
        table.all_eps,
        table.eps,
        table.multipliers,
        table.body_forces,
        table.mobility_forces,
        table.workspace,
    )
    return "\n".join(
        [
            *parts,
            "static const RowJoint row_joints[] = {",
            *joints,
            "};",
            "static const RowBlock row_blocks[] = {",
            *blocks,
            "};",
            "static const RowTable rows = {",
            f"    {len(joints)}, row_joints, {len(blocks)}, row_blocks, {table.n_rows}, {table.E.shape[1]}, {table.n_bodies},",
            f"    {table.u.offset}, {table.q.offset}, {table.q.size}, {', '.join(str(slot.offset) for slot in slots)},",
            "};\n",
        ]
    )


def _kernel_c(name: str, function: str) -> str:
    return (
        f'#include "multipliers.h"\n\nstatic void {name}(double *w, const int *at) {{\n'
        f"    (void)at;\n    {function}(mobod_model.rows, w);\n}}\n"
    )


def _tangent_c(name: str, function: str) -> str:
    return (
        f'#include "multipliers.h"\n\nstatic void {name}(const double *w, double *dw, const int *at) {{\n'
        f"    (void)at;\n    {function}(mobod_model.rows, w, dw);\n}}\n"
    )


def _path(table: RowTable, block: RowBlock, numbers: dict[int, int]) -> list[int]:
    """Numbers of the joints from what the rows touch to Ground, tips first."""
    found: set[int] = set()
    for body, _ in (*block.on_bodies, *block.on_mobilities):
        while body in numbers and numbers[body] not in found:
            found.add(numbers[body])
            body = table.joints[numbers[body]].parent
    return sorted(found)


def _runs(joints: Sequence[Joint]) -> list[tuple[int, int]]:
    """Ranges (first, count) that the speeds of the joints make."""
    runs: list[tuple[int, int]] = []
    for first, nu in sorted((joint.first, joint.nu) for joint in joints if joint.nu):
        if runs and sum(runs[-1]) == first:
            runs[-1] = (runs[-1][0], runs[-1][1] + nu)
        else:
            runs.append((first, nu))
    return runs
