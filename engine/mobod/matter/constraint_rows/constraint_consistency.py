"""Detection of contradictory constraints: dependent rows that require different accelerations.

A combination N of rows with N^T G = 0 does not move anything, so no force changes its required acceleration N^T bias, which must be 0. On
the manifold, a nonzero value is a contradiction. Elsewhere it is not: rows that are dependent where all errors are 0 are nearly (or, if
there are more constraints than mobilities, fully) dependent nearby, and require accelerations there that differ more for larger errors.
Therefore the remainder is compared with the distance of the state from the manifold: the first changes of q and u in a projection. Trial
steps, and states that were not projected, get the nearest accelerations, as in Simbody. A row that depends only on known motions cannot be
corrected by projection: it contradicts them at any state.

fmu_src/native/constraints/consistency.c finds contradictions, and failures/failure_causes.c has the words.
"""

# Decision: docs/decisions/041-contradictions.md

import numpy as np

from mobod.errors import InconsistentConstraintsError, SingularMechanismError
from mobod.matter.constraint_rows.row_table import RowTable, at
from mobod.runtime.failure_words import contradictions

WHICH_OPEN = (
    " Contacts that press or dry friction that sticks are among them: use Simulation(system, accuracy=...) or "
    "integrator='velocity_level', which determine which of these contacts open or slip. Other fixed steps do not."
)


def contradiction(table: RowTable, misses: np.ndarray) -> InconsistentConstraintsError:
    """The error for contradictory rows.

    misses   (n_rows,) violation by the nearest accelerations of contradictory rows; 0 for other rows
    """
    has_friction = any(block.carried is not None and misses[block.first :][: block.n].any() for block in table.blocks)
    words = contradictions(dict.fromkeys(table.names(np.flatnonzero(misses))), float(misses.max()))
    return InconsistentConstraintsError(f"{words}{WHICH_OPEN if has_friction else ''}")


def not_finite(table: RowTable, w: np.ndarray) -> SingularMechanismError | None:
    """The error for the first constraint whose own equations are not finite; None if all are finite."""
    for block in table.blocks:
        if w[block.enabled.offset] and not np.isfinite(at(w, block.bias)).all():
            return SingularMechanismError(
                f"constraint '{block.name}': its equations are not finite at these coordinates and speeds. Check its parameters: "
                "a direction, or the quaternion of a frame, must not be 0."
            )
    return None
