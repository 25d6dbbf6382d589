"""The steps that constraints take in the sweeps: rows through the articulated bodies, then multipliers.

With M u_dot + G^T lambda = f and G u_dot + bias = 0 the multipliers solve (G M^-1 G^T) lambda = G M^-1 f + bias. A row is a force on bodies
and mobilities; the inward sweep of the articulated-body algorithm takes it to E, an entry for each speed, as it takes f to eps:

    E = H^T K + k    K+ = shift(K - G E)    G M^-1 G^T = E D^-1 E^T    G M^-1 f = E D^-1 eps    of f - G^T lambda: eps - E^T lambda

so that one outward sweep follows. Here E has a line for each row, and D^-1 the blocks of the joints. Rows of disabled constraints are 0.
Twins of fmu_src/native/elimination.c and multipliers.c.
"""

from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np

from mobod.matter.constraint_consistency import check_consistent, check_finite
from mobod.matter.motion_equations import ACCELERATION
from mobod.matter.row_table import CANCELLED, RowTable, at, moments, shifted
from mobod.numerics import factor_semidefinite
from mobod.scalar.slot import Slot
from mobod.scalar.step import Step, StepInC


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
        if not table.active(w).size:
            at(w, table.E)[...] = at(w, table.A)[...] = 0
            return
        K, E = table.forces(w)
        terms = np.abs(E).max(axis=1, initial=0.0)
        for joint in table.joints:
            own = slice(joint.first, joint.first + joint.nu)
            H, G, l, z = at(w, joint.H), at(w, joint.G), at(w, joint.l), K[:, joint.body]
            terms = np.maximum(terms, np.abs(z).max(axis=1))
            E[:, own] += z @ H
            z -= E[:, own] @ G.T
            K[:, joint.parent] += shifted(z, l)
        # what the joints keep anyway, or known motions, leaves round-off, which would be divided by round-off
        free = ~table.known(w, ACCELERATION)
        E[np.ix_(np.abs(E[:, free]).max(axis=1, initial=0.0) <= CANCELLED * terms, free)] = 0
        at(w, table.E)[...] = E
        at(w, table.A)[...] = sum(
            (part @ at(w, joint.D_inverse) @ part.T for joint, part in zip(table.joints, self._parts(E), strict=True)),
            np.zeros(table.A.shape),
        )

    def run_tangent(self, w: np.ndarray, dw: np.ndarray) -> None:
        table = self.table
        if not table.active(w).size:
            at(dw, table.E)[...] = at(dw, table.A)[...] = 0
            return
        (K, E), (dK, dE) = table.forces(w), self._changes_of_forces(w, dw)
        for joint in table.joints:
            own = slice(joint.first, joint.first + joint.nu)
            H, G, l, z = at(w, joint.H), at(w, joint.G), at(w, joint.l), K[:, joint.body]
            dH, dG, dl, dz = at(dw, joint.H), at(dw, joint.G), at(dw, joint.l), dK[:, joint.body]
            E[:, own] += z @ H
            dE[:, own] += dz @ H + z @ dH
            z -= E[:, own] @ G.T
            dz -= dE[:, own] @ G.T + E[:, own] @ dG.T
            K[:, joint.parent] += shifted(z, l)
            dK[:, joint.parent] += shifted(dz, l)
            dK[:, joint.parent, :3] += moments(dl, z[:, 3:])
        E = at(w, table.E)
        dE[~E[:, ~table.known(w, ACCELERATION)].any(axis=1)] = 0  # rows that count as none
        dA = np.zeros(table.A.shape)
        for joint, part, change in zip(table.joints, self._parts(E), self._parts(dE), strict=True):
            half = change @ at(w, joint.D_inverse) @ part.T
            dA += half + half.T + part @ at(dw, joint.D_inverse) @ part.T
        at(dw, table.E)[...] = dE
        at(dw, table.A)[...] = dA

    def _parts(self, E: np.ndarray) -> list[np.ndarray]:
        """Of each joint its columns."""
        return [E[:, joint.first : joint.first + joint.nu] for joint in self.table.joints]

    def _changes_of_forces(self, w: np.ndarray, dw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The flags are those of w."""
        flagged = dw.copy()
        for block in self.table.blocks:
            flagged[block.enabled.offset] = w[block.enabled.offset]
        return self.table.forces(flagged)

    def in_c(self, tables: Mapping[str, Any]) -> StepInC:
        return StepInC("elimination.h", "run_elimination", "run_elimination_tangent", tables["rows"])


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
        E, total = at(w, table.E), np.zeros(table.n_rows)
        for joint in table.joints:
            own = slice(joint.first, joint.first + joint.nu)
            total += E[:, own] @ (at(w, joint.D_inverse) @ at(w, joint.eps))
        for block in table.blocks:
            if w[block.enabled.offset]:
                total[block.first : block.first + block.n] += at(w, block.bias)
        return total

    def run(self, w: np.ndarray) -> None:
        table = self.table
        active, A, b = table.active(w), at(w, table.A), self.right_side(w)
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
        E = at(w, table.E)
        at(result, table.multipliers)[...] = multipliers
        eps = np.zeros(table.eps.size)
        for joint in table.joints:
            eps[joint.first : joint.first + joint.nu] = at(w, joint.eps)
        at(result, table.eps)[...] = eps - multipliers @ E
        K, k = table.forces(w)
        at(result, table.body_forces)[...] = -np.einsum("r,rbs->bs", multipliers, K)
        at(result, table.mobility_forces)[...] = -multipliers @ k

    def run_tangent(self, w: np.ndarray, dw: np.ndarray) -> None:
        """A d(lambda) = d(right side) - dA lambda; with lambda = A mu, as it has least norm, also the part dA mu of it that A does not see.

        Where redundant rows contradict each other, beside the manifold, what is left of them is least relative to their sizes W^1/2, so
        that W^-1 left moves nothing; both that and the sizes change.
        Source: the derivative of a pseudo-inverse of constant rank, Golub, Pereyra, SIAM J. Numer. Anal. 10 (1973), 413-432.
        """
        table = self.table
        active, A, E, dE = table.active(w), at(w, table.A), at(w, table.E), at(dw, table.E)
        multipliers, db = at(w, table.multipliers), np.zeros(table.n_rows)
        eps, deps = np.zeros(table.eps.size), np.zeros(table.eps.size)
        for joint in table.joints:
            own = slice(joint.first, joint.first + joint.nu)
            eps[own], deps[own] = at(w, joint.eps), at(dw, joint.eps)
            D, dD = at(w, joint.D_inverse), at(dw, joint.D_inverse)
            db += dE[:, own] @ (D @ eps[own]) + E[:, own] @ (dD @ eps[own] + D @ deps[own])
        for block in table.blocks:
            if w[block.enabled.offset]:
                db[block.first : block.first + block.n] += at(dw, block.bias)
        change = np.zeros(table.n_rows)
        factors, dA = factor_semidefinite(A[np.ix_(active, active)]), at(dw, table.A)[np.ix_(active, active)]
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
        at(dw, table.multipliers)[...] = change
        at(dw, table.eps)[...] = deps - change @ E - multipliers @ dE
        at(dw, table.body_forces)[...] = -np.einsum("r,rbs->bs", change, K) - np.einsum("r,rbs->bs", multipliers, dK)
        at(dw, table.mobility_forces)[...] = -change @ k - multipliers @ dk

    def in_c(self, tables: Mapping[str, Any]) -> StepInC:
        return StepInC("multipliers.h", "run_multipliers", "run_multipliers_tangent", tables["rows"])


def _row_slots(table: RowTable) -> Sequence[Slot]:
    of_blocks = [[block.enabled, *(slot for _, slot in (*block.on_bodies, *block.on_mobilities))] for block in table.blocks]
    return [slot for slots in of_blocks for slot in slots]
