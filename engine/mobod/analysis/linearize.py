"""linearize: the matrices A, B, C and D of a System at a State. See System.linearize."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.analysis.jacobian import jacobian, realized
from mobod.analysis.named_numbers import NamedNumber, named_numbers, of_variables, sources
from mobod.analysis.on_constraints import copy_on_constraints
from mobod.analysis.tangent_space import TangentSpace, tangent_space
from mobod.linear.linear_system import LinearSystem
from mobod.system import State, System
from mobod.system.boundary import check_state, checked_system


@final
@dataclass(frozen=True)
class Linearization:
    """Derivatives of the rates of the independent states and of outputs, at a State on the constraints.

    M  (nx + ny, nx + nu): [A B; C D]
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
    system: System, state: State, inputs: Sequence[NamedNumber], outputs: Sequence[NamedNumber], coordinates: Sequence[NamedNumber] = ()
) -> Linearization:
    """state: on the constraints; it is realized."""
    realized(system, state, outputs)
    layout = state.layout
    space = tangent_space(system, state, [entry.offset for entry in inputs], coordinates)
    rates = [entry.offset + layout.n_y for entry in space.states]
    n, m = len(rates), len(inputs)
    directions = np.zeros((layout.n_y + m, n + m))
    directions[: layout.n_y] = np.hstack([space.by_states, space.by_inputs])
    directions[layout.n_y :, n:] = np.eye(m)
    M = jacobian(
        system,
        state,
        [*rates, *(entry.offset for entry in outputs)],
        [*layout.y.offsets, *(entry.offset for entry in inputs)],
        directions,
        [entry.variable.entry for entry in outputs if entry.variable is not None],
    )
    return Linearization(state, space, list(outputs), M, state.values[rates])


def linearize(
    system: System,
    state: State,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    coordinates: Sequence[str] = (),
) -> LinearSystem:
    """The matrices A, B, C and D. See System.linearize."""
    checked_system(system, "linearize", System)
    check_state(state, system)
    at = copy_on_constraints(system, state, "linearize")
    variables = system.variables(at)
    if inputs is None:
        inputs = [each.name for each in variables if each.role == "input" and each.type == "real"]
    of_inputs = sources(system, at, inputs, "inputs")
    of_outputs = coordinates_of(system, at) if outputs is None else named_numbers(system, at, outputs, "outputs")
    made = linearization(system, at, of_inputs, of_outputs, named_numbers(system, at, coordinates, "coordinates"))
    n = len(made.space.states)
    return LinearSystem(
        A=made.M[:n, :n],
        B=made.M[:n, n:],
        C=made.M[n:, :n],
        D=made.M[n:, n:],
        states=tuple(entry.name for entry in made.space.states),
        inputs=tuple(entry.name for entry in of_inputs),
        outputs=tuple(entry.name for entry in of_outputs),
        state_units=tuple(entry.unit for entry in made.space.states),
        input_units=tuple(entry.unit for entry in of_inputs),
        output_units=tuple(entry.unit for entry in of_outputs),
        rates=made.rates,
        state=at,
    )


def coordinates_of(system: System, state: State) -> list[NamedNumber]:
    """All coordinates, also dependent ones."""
    q = state.layout.q
    coordinates = [each for each in system.variables(state) if each.role == "state" and q.offset <= each.slot.offset < q.offset + q.size]
    return of_variables(coordinates)
