"""The errors of constraints and the goals of conditions as functions of the coordinates, for an Assembler's search."""

from collections.abc import Iterable
from typing import final

import numpy as np

from mobod.errors import InputError, SingularMechanismError
from mobod.matter import Constraint, MatterSubsystem
from mobod.simulate.assembly.conditions import AssemblyCondition
from mobod.spatial.checked import unit_vector
from mobod.system import Stage, State
from mobod.system.scales import Scales


@final
class AssemblyProblem:
    """Functions of q (nq,). They change the State.

    conditions  those that are active
    rows        for each error the name of its row, its unit, and its weight divided by the scale of the unit
    """

    def __init__(
        self,
        matter: MatterSubsystem,
        state: State,
        conditions: Iterable[AssemblyCondition],
        weights: dict[Constraint, float],
        scales: Scales,
    ):
        self.system, self.matter, self.state = matter.system, matter, state
        self.conditions = [each for each in conditions if each.is_active and each.weight]
        of_constraints = [(each, each.equations.position_units) for each in self.matter.constraints]
        of_rows = [
            (units[row], weights.get(each, 1.0) / scales.of(units[row]))
            for each, units in of_constraints
            for row in each.enabled_rows(state)
            if row < len(units)
        ]
        # rows of position errors are first
        self.rows = [(name, *row) for name, row in zip(self.matter.constraint_rows(state), of_rows, strict=False)]
        self.weights = np.array([weight for *_, weight in self.rows])
        self._slot = self.matter.tree(state.layout).all_q

    @property
    def q(self) -> np.ndarray:
        return self.state.view(self._slot).copy()

    def move_to(self, q: np.ndarray) -> None:
        if not np.array_equal(q, self.state.view(self._slot)):
            self.state.write(self._slot, q, "q", Stage.POSITION)
        self.system.realize(self.state, Stage.POSITION)

    def errors(self, q: np.ndarray) -> np.ndarray:
        self.move_to(q)
        return self.weights * self.matter.constraint_position_errors(self.state)

    def error_jacobian(self, q: np.ndarray) -> np.ndarray:
        self.move_to(q)
        self.system.realize(self.state, Stage.VELOCITY)
        return self.weights[:, None] * self._along_coordinates(self.matter.constraint_matrix(self.state)[: len(self.weights)])

    def goals(self, q: np.ndarray) -> np.ndarray:
        self.move_to(q)
        return np.concatenate([np.zeros(0), *(np.sqrt(each.weight) * each.error(self.state) for each in self.conditions)])

    def goal_jacobian(self, q: np.ndarray) -> np.ndarray:
        self.move_to(q)
        J = self._along_coordinates(self.matter.system_jacobian(self.state))
        return np.concatenate([np.sqrt(each.weight) * each.jacobian(self.state, J) for each in self.conditions])

    def normalized(self, q: np.ndarray) -> np.ndarray:
        q = q.copy()
        for offset in self.state.layout.quaternions:
            entries = slice(offset - self._slot.offset, offset - self._slot.offset + 4)
            if not q[entries].any():
                raise InputError("a quaternion is zero, which is not a rotation. Set one of unit length, such as [1, 0, 0, 0].")
            q[entries] = unit_vector(q[entries])
        return q

    def _along_coordinates(self, J: np.ndarray) -> np.ndarray:
        try:
            return self.matter.along_coordinates(self.state, J)
        except SingularMechanismError:  # singular angles; the search restarts nearby
            return np.full((*J.shape[:-1], self._slot.size), np.nan)
