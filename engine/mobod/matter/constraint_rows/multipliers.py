"""The procedures of constraints in the sweeps: elimination of the rows through the articulated bodies, then the multipliers.

From M u_dot + G^T lambda = f and G u_dot + bias = 0 the multipliers follow from (G M^-1 G^T) lambda = G M^-1 f + bias. A row is a force on
bodies and mobilities. The inward sweep of the articulated-body algorithm maps it to E, with an entry for each speed, as it maps f to eps:

    E = H^T K + k    K+ = shift(K - G E)    G M^-1 G^T = E D^-1 E^T    G M^-1 f = E D^-1 eps    of f - G^T lambda: eps - E^T lambda

so that one outward sweep is enough. Here E has a line for each row, and D^-1 contains the blocks of the joints. Rows of disabled
constraints are 0.
In C: elimination.c and multipliers.c in fmu_src/native.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import final

import numpy as np

from mobod.errors import MobodError
from mobod.matter.constraint_rows.constraint_consistency import contradiction, not_finite
from mobod.matter.constraint_rows.row_table import RowTable, at
from mobod.scalar.procedure import Procedure, ProcedureInC
from mobod.scalar.slot import Slot, spans


@final
class RowElimination(Procedure):
    """Computes E and A = G M^-1 G^T from the articulated inertias; at DYNAMICS."""

    def __init__(self, table: RowTable):
        self.table = table

    @property
    def name(self) -> str:
        return "eliminate rows"

    @cached_property
    def inputs(self) -> tuple[Slot, ...]:
        of_joints = [slot for joint in self.table.joints for slot in (joint.H, joint.G, joint.l, joint.D_inverse)]
        along = [joint.H_along for joint in self.table.joints if joint.H_along is not None]
        return spans([*of_joints, *along, *_row_slots(self.table)])

    @property
    def outputs(self) -> tuple[Slot, ...]:
        return self.table.E, self.table.A

    @property
    def workspace(self) -> tuple[Slot, ...]:
        return (self.table.workspace,)

    def in_c(self) -> ProcedureInC:
        return ProcedureInC("elimination.h", "run_elimination", "run_elimination_tangent", "run_elimination_adjoint", self.table.in_c)


@final
class MultiplierSolve(Procedure):
    """Computes the multipliers, eps with their forces, and these forces; at ACCELERATION, between the inward and the outward sweep.

    The multipliers are those of minimum norm if rows are dependent.
    """

    def __init__(self, table: RowTable):
        self.table = table

    @property
    def name(self) -> str:
        return "solve multipliers"

    @cached_property
    def inputs(self) -> tuple[Slot, ...]:
        return spans(self.slots_read())

    def slots_read(self) -> tuple[Slot, ...]:
        """The same, each as it is named."""
        table = self.table
        of_joints = [slot for joint in table.joints for slot in (joint.D_inverse, joint.eps)]
        of_motion = [slot for block in table.blocks for motion in block.motions for slot in motion]
        of_motion += [slot for motion in table.path_motions for slot in motion]
        of_errors = [slot for block in table.blocks for slot in (block.position_errors, block.velocity_errors, block.bias)]
        return (table.u, table.E, table.A, *of_joints, *of_errors, *of_motion, *_row_slots(table))

    @property
    def outputs(self) -> tuple[Slot, ...]:
        table = self.table
        return table.multipliers, table.eps, table.body_forces, table.mobility_forces

    @property
    def finite(self) -> Slot:
        """The multipliers."""
        return self.table.multipliers

    def problem(self, w: np.ndarray) -> MobodError | None:
        table = self.table
        if np.isfinite(at(w, table.multipliers)).all():
            return None
        if table.misses(w).any():
            return contradiction(table, table.misses(w))
        # other causes are forces or mobilizers: the accelerations are then not finite, which is explained elsewhere
        return not_finite(table, w)

    @property
    def workspace(self) -> tuple[Slot, ...]:
        return (self.table.workspace,)

    def in_c(self) -> ProcedureInC:
        return ProcedureInC("multipliers.h", "run_multipliers", "run_multipliers_tangent", "run_multipliers_adjoint", self.table.in_c)


def _row_slots(table: RowTable) -> Sequence[Slot]:
    carried = [block.carried for block in table.blocks if block.carried is not None]
    of_carried = [slot for row in carried for slot in (row.flag, row.given, row.slide) if slot is not None]
    of_blocks = [[block.enabled, *(slot for _, slot in (*block.on_bodies, *block.on_mobilities)), *block.sides] for block in table.blocks]
    of_blocks.append([block.choice for block in table.blocks if block.choice is not None])
    return [*of_carried, *(slot for slots in of_blocks for slot in slots)]


def right_side(table: RowTable, w: np.ndarray) -> np.ndarray:
    """(n_rows,) the accelerations of the errors without constraints; 0 for disabled constraints."""
    E, total = at(w, table.E), np.zeros(table.n_rows)
    for joint in table.joints:
        own = slice(joint.first, joint.first + joint.nu)
        total += E[:, own] @ (at(w, joint.D_inverse) @ at(w, joint.eps))
    for block in table.blocks:
        if w[block.enabled.offset]:
            total[block.first : block.first + block.n] += at(w, block.bias)
    return total
