"""Jacobians of rates and outputs by independent states and inputs, at a State on its constraints."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.analysis.jacobian import jacobian, realized
from mobod.analysis.tangent_space import TangentSpace, tangent_space
from mobod.system import State, System
from mobod.system.named_numbers import NamedNumber, numbers_of


@final
@dataclass(frozen=True)
class Linearization:
    """Derivatives of rates and of outputs by the independent states and inputs, at a State on the constraints.

    M      (n + ny, nx + nu): [A B; C D]
    rates  (n,) of the independent states, n = nx; or of all entries of y
    """

    state: State
    space: TangentSpace
    outputs: list[NamedNumber]
    M: np.ndarray
    rates: np.ndarray

    @property
    def A(self) -> np.ndarray:
        """(nx, nx)"""
        n = len(self.space.states)
        return self.M[:n, :n]


def linearization(
    system: System,
    state: State,
    inputs: Sequence[NamedNumber],
    outputs: Sequence[NamedNumber],
    coordinates: Sequence[NamedNumber] = (),
    *,
    of_all_rates: bool = False,
) -> Linearization:
    """state: on the constraints; it is realized."""
    realized(system, state, outputs)
    layout = state.layout
    space = tangent_space(system, state, [entry.offset for entry in inputs], coordinates)
    n, m = len(space.states), len(inputs)
    rates = [offset + layout.n_y for offset in (layout.y.offsets if of_all_rates else [entry.offset for entry in space.states])]
    directions = np.zeros((layout.n_y + m, n + m))
    directions[: layout.n_y] = np.hstack([space.by_states, space.by_inputs])
    directions[layout.n_y :, n:] = np.eye(m)
    M = jacobian(
        system,
        state,
        [*rates, *(entry.offset for entry in outputs)],
        [*layout.y.offsets, *(entry.offset for entry in inputs)],
        directions,
        [entry.variable.entry for entry in outputs],
    )
    return Linearization(state, space, list(outputs), M, state.values[rates])


def coordinates_of(system: System, state: State) -> list[NamedNumber]:
    """All coordinates, also dependent ones."""
    q = state.layout.q
    coordinates = [each for each in system.variables(state) if each.role == "state" and q.offset <= each.slot.offset < q.offset + q.size]
    return numbers_of(coordinates)
