"""An impulse along the rows of a constraint: what it does to the speeds.

M du + G^T impulse = 0 with G du = -(1 + restitution) v for the rows that impact, v being their velocity errors, and G du = -v for all
others that are enabled. Accelerations solve M u_dot + G^T multipliers = f with G u_dot + bias = 0, so that du is how u_dot changes when the
bias does by (1 + restitution) v and by v: the tangent of the stage of accelerations, which factors G M^-1 G^T and finds its rank.

A twin of fmu_src/native/impulse.c.
"""

import numpy as np

from mobod.errors import InputError
from mobod.matter.constraint import Constraint
from mobod.scalar.sweep_function import TangentFunction
from mobod.system import Stage, State
from mobod.system.stage_sweeps import stage_sweeps

LEFT = 1e-6  # of the velocity errors that were to be changed, and 1: what may remain of them


def apply_impulse(state: State, constraint: Constraint, restitution: np.ndarray) -> None:
    """Change u. Raises InputError where the constraints do not allow it.

    restitution  one for each velocity error of the constraint

    The constraint takes part, enabled or not.
    """
    system, layout = constraint.matter.system, state.layout
    sweeps = constraint.matter.constraint_sweeps(layout)
    was_disabled = constraint.is_disabled(state)
    if was_disabled:
        constraint.enable(state)
    system.realize(state, Stage.ACCELERATION)
    changes: list[float] = []
    biases: list[int] = []
    lines: list[int] = []
    for each in sweeps.constraints:
        errors = each.velocity_errors(state)
        rows = np.array([row for row in each.enabled_rows(state) if row < len(errors)], dtype=np.intp)
        changes += list((errors * (1 + restitution) if each is constraint else errors)[rows])
        biases += list(sweeps.part(each, "bias").offset + rows)
        lines += list(sweeps.lines(each).start + rows)
    du = _tangent(state, tuple(biases))(state.values, np.array(changes))
    left = sweeps.along(state.values, du)[lines] + changes
    worst = int(np.argmax(np.abs(left)))
    if not np.isfinite(du).all() or abs(left[worst]) > LEFT * (1 + np.abs(changes).max()):
        raise InputError(
            f"no impulse along constraint '{constraint.name}' gives its velocity errors what its restitution says: "
            f"{left[worst]:.3g} is left. It contradicts the other constraints, or what moves there is known or has no mass."
        )
    if was_disabled:
        constraint.disable(state)
    state.u = state.u + du
    system.realize(state, Stage.VELOCITY)


def _tangent(state: State, at: tuple[int, ...]) -> TangentFunction:
    """From changes of biases to those of u_dot."""
    layout = state.layout
    wanted = tuple(range(layout.u_dot.offset, layout.u_dot.offset + layout.n_u))
    if (at, wanted) not in layout.tangents:
        sweep = stage_sweeps(state.system.realization_order, layout, [])[Stage.ACCELERATION]
        layout.tangents[at, wanted] = TangentFunction([sweep], at, wanted)
    return layout.tangents[at, wanted]
