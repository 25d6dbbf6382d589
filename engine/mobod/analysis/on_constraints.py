"""A copy of a State on its constraints."""

import numpy as np

from mobod.analysis.named_numbers import state_numbers
from mobod.compilation.source.scales import y_scales
from mobod.errors import AssemblyError, InputError
from mobod.simulate.projection import project_all
from mobod.simulate.run_start import normalize_state
from mobod.system import Stage, State, System

_FAR = 1e-3  # a larger change, relative to scale + |y|, is refused
_TOLERANCE = 1e-8  # of errors that a projection leaves, usually 1e-15


def copy_on_constraints(system: System, state: State, what: str) -> State:
    """A copy whose quaternions have unit length and whose constraint errors are round-off, realized to POSITION.

    Raises InputError if a coordinate or speed changes by more than a thousandth, AssemblyError if no State nearby satisfies the
    constraints.
    """
    copy = state.copy()
    normalize_state(copy)
    y = np.array(copy.y)
    failure = project_all(system, copy, _TOLERANCE)
    if failure is not None:
        raise AssemblyError(
            f"{what}: no State near the given one satisfies the constraints: the {failure.level} error of '{failure.constraint}' is "
            f"{failure.error:.3g} at the end of the search. Assembler(system).assemble(state) finds one from a rough start."
        )
    moved = np.abs(copy.y - y) / (y_scales(system, copy) + np.abs(y))
    if moved.max(initial=0.0) > _FAR:
        worst = int(np.argmax(moved))
        entry = state_numbers(system, copy)[copy.layout.y.offset + worst]
        raise InputError(
            f"{what}: the State does not satisfy the constraints: '{entry.name}' would have to change from {y[worst]:.6g} to "
            f"{copy.y[worst]:.6g} {entry.unit}. Assembler(system).assemble(state) makes a State that satisfies them."
        )
    system.realize(copy, Stage.POSITION)
    return copy
