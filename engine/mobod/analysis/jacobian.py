"""Derivatives of numbers of a State with respect to others, exact to round-off, many columns at a time."""

from collections.abc import Iterable, Sequence

import numpy as np

from mobod.system import CacheEntry, Stage, State, System
from mobod.system.directional import check_differentiable, tangents
from mobod.system.named_numbers import NamedNumber


def realized(system: System, state: State, outputs: Iterable[NamedNumber] = ()) -> None:
    """Compute the State to ACCELERATION, and these outputs. Raises UnsupportedError for a System without derivatives."""
    check_differentiable(system)
    system.realize(state, Stage.ACCELERATION)
    for variable in {entry.variable.name: entry.variable for entry in outputs}.values():
        system.value(state, variable)


def jacobian(
    system: System,
    state: State,
    of: Sequence[int],
    along: Sequence[int],
    directions: np.ndarray | None = None,
    lazy: Iterable[CacheEntry | None] = (),
) -> np.ndarray:
    """(of, n): the changes of the numbers `of` for each of n directions (along, n), by offsets in the values of a realized State.

    directions  default: one for each number of `along`
    lazy        cache entries of lazy values among `of`
    """
    directions = np.eye(len(along)) if directions is None else directions
    if not len(of) or not directions.shape[1]:
        return np.zeros((len(of), directions.shape[1]))
    function = tangents(system, state, tuple(along), tuple(of), [each for each in lazy if each is not None])
    return function.columns(state.values, directions)
