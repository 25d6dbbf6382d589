"""Whether dependent rows ask for accelerations that contradict each other.

A combination N of rows with N^T G = 0 moves nothing, so no force changes what it asks for, N^T bias = 0. That this fails is a contradiction
on the manifold alone. At any other state it says little: rows that depend on each other where all errors are 0 do so beside it nearly
(or fully, where constraints outnumber the mobilities they reach), and ask there for accelerations that differ, the more the larger the
errors are. So what is left is compared with how far the state is from the manifold: the changes of q and u by which a projection would
begin. Trial steps, and states that no one has projected, get the nearest accelerations, as Simbody's do. A row that concerns known motions
alone is one that no projection mends: what it asks for contradicts them wherever the state is.

fmu_src/native/consistency.c finds contradictions; here they are put into words.
"""

import numpy as np

from mobod.errors import InconsistentConstraintsError, SingularMechanismError
from mobod.matter.constraint_rows.row_table import RowTable, at


def contradiction(table: RowTable, misses: np.ndarray) -> InconsistentConstraintsError:
    """misses   (n_rows,) of rows that contradict each other what the nearest accelerations miss, 0 of the others"""
    names = ", ".join(f"'{name}'" for name in dict.fromkeys(table.names(np.flatnonzero(misses))))
    return InconsistentConstraintsError(
        f"constraints contradict each other: no accelerations satisfy all of {names}; the nearest accelerations violate them by "
        f"{misses.max():.3g} in the unit of the error per s^2. Remove or disable one of them, or make their prescribed motions agree."
    )


def not_finite(table: RowTable, w: np.ndarray) -> SingularMechanismError | None:
    """Names the first constraint whose own equations are not finite; None if those of all are."""
    for block in table.blocks:
        if w[block.enabled.offset] and not np.isfinite(at(w, block.bias)).all():
            return SingularMechanismError(
                f"constraint '{block.name}': its equations are not finite at these coordinates and speeds. Check its parameters: "
                "a direction, or the quaternion of a frame, must not be 0."
            )
    return None
