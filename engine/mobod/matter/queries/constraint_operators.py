"""Constraints taken together: errors, multipliers and the matrix G of a State, and which of its rows depend on others.

Vectors have an entry for each row of enabled constraints, in Simbody's order: position errors of all of them, then velocity errors that are
no rates of these, then acceleration errors that are no rates of those; each by constraint. Body forces have Ground first, and are
(torque, force) about the bodies' origins, in Ground.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from mobod.matter.constraint_rows import row_values
from mobod.matter.constraint_rows.constraint_rows import ConstraintRows
from mobod.matter.constraint_rows.constraint_sweeps import ConstraintSweeps
from mobod.matter.equations.motion_equations import LEVELS
from mobod.matter.queries.queried_matter import QueriedMatter, checked_array, forces_along_speeds, velocities_at_M
from mobod.numerics import factor_rows, factor_semidefinite, rank_tolerance_at_distance
from mobod.system import Stage, State, check_state


@final
@dataclass(frozen=True)
class ConstraintAnalysis:
    """How enabled constraints restrict a System at a State.

    rows                names of all rows: that of the constraint, with a number from 1 if it has several, as in 'loop[2]'
    redundant           names of rows that are combinations of others; among dependent rows, the later ones
    rank                number of rows that are not redundant
    degrees_of_freedom  number of independent speeds that constraints, motions and locks leave. Constraints of accelerations only do not
                        count
    """

    rows: tuple[str, ...]
    redundant: tuple[str, ...]
    degrees_of_freedom: int

    @property
    def rank(self) -> int:
        """The number of rows that are not redundant."""
        return len(self.rows) - len(self.redundant)

    def __str__(self) -> str:
        freedom = f"{self.degrees_of_freedom} degree{'' if self.degrees_of_freedom == 1 else 's'} of freedom"
        redundant = f", redundant: {', '.join(self.redundant)}" if self.redundant else ""
        return f"{freedom}; {len(self.rows)} constraint equations, {self.rank} of them independent{redundant}"


@dataclass(frozen=True)
class _Row:
    """One of a constraint's rows. number counts the rows of position, velocity and acceleration level together."""

    constraint: ConstraintRows
    number: int

    @property
    def level(self) -> int:
        """0 for a position error, 1 for a velocity error, 2 for an acceleration error."""
        equations = self.constraint.equations
        return int(self.number >= equations.n_position) + int(self.number >= equations.n_position + equations.n_velocity)

    @property
    def name(self) -> str:
        return self.constraint.name if self.constraint.equations.n == 1 else f"{self.constraint.name}[{self.number + 1}]"


def constraint_rows(matter: QueriedMatter, state: State) -> list[str]:
    """The name of each row of enabled constraints (see ConstraintAnalysis). Needs stage MODEL."""
    return [row.name for row in _rows(matter, state)]


# errors
def constraint_position_errors(matter: QueriedMatter, state: State) -> np.ndarray:
    """(n_position,) m or rad: position errors. Needs stage POSITION. Length errors of quaternions are in quaternion_errors."""
    return _of_rows(matter, state, Stage.POSITION, "position_errors", [row for row in _rows(matter, state) if row.level == 0])


def constraint_velocity_errors(matter: QueriedMatter, state: State) -> np.ndarray:
    """(n_position + n_velocity,) m/s or rad/s: rates of the position errors, then the velocity errors. Needs stage VELOCITY."""
    return _of_rows(matter, state, Stage.VELOCITY, "velocity_errors", [row for row in _rows(matter, state) if row.level < 2])


def constraint_acceleration_errors(matter: QueriedMatter, state: State) -> np.ndarray:
    """(n,) m/s^2 or rad/s^2: rates of the velocity errors, then the acceleration errors, G u_dot + bias. Needs stage ACCELERATION."""
    sweeps = _require(matter, state, Stage.ACCELERATION, "the acceleration errors of the constraints")
    return np.zeros(0) if sweeps is None else row_values.acceleration_errors(sweeps, state.values)[_lines(matter, state)]


def quaternion_errors(matter: QueriedMatter, state: State) -> np.ndarray:
    """(number of quaternions,) no unit: |e| - 1 for each quaternion, in the order of the bodies. Needs stage MODEL."""
    check_state(state, matter.system)
    tree = matter.tree(state.layout)
    starts = [(tree.q(body).offset, tree.equations(body).quaternion_at) for body in tree.bodies]
    quaternions = [state.values[start + at : start + at + 4] for start, at in starts if at is not None]
    return np.array([np.linalg.norm(e) - 1 for e in quaternions])


# multipliers and forces
def multipliers(matter: QueriedMatter, state: State) -> np.ndarray:
    """(n,) N or N m: lambda of M u_dot + G^T lambda = f; the solution of least norm if rows are redundant. Needs stage ACCELERATION."""
    return _of_rows(matter, state, Stage.ACCELERATION, "multipliers", _rows(matter, state))


def constraint_forces(matter: QueriedMatter, state: State) -> tuple[np.ndarray, np.ndarray]:
    """G^T lambda of all constraints: (body forces (n_bodies, 6), N m and N, mobility forces (nu,)). Needs stage ACCELERATION.

    The forces on bodies and mobilities are minus these. Forces of compliant rows are in matter.body_forces instead.
    """
    sweeps = _require(matter, state, Stage.ACCELERATION, "the forces of the constraints")
    if sweeps is None:
        tree = matter.tree(state.layout)
        return np.zeros((1 + len(tree.bodies), 6)), np.zeros(tree.all_u.size)
    each = [row_values.forces(sweeps, state.values, constraint, with_compliant=False) for constraint in sweeps.constraints]
    return np.sum([on_bodies for on_bodies, _ in each], axis=0), np.sum([on_mobilities for _, on_mobilities in each], axis=0)


# the matrix
def constraint_matrix(matter: QueriedMatter, state: State) -> np.ndarray:
    """(n, nu) constraint matrix G: the derivative of the errors' rates, m/s or rad/s, with respect to u. Needs stage VELOCITY."""
    sweeps = _require(matter, state, Stage.VELOCITY, "the constraint matrix")
    return np.zeros((0, matter.tree(state.layout).all_u.size)) if sweeps is None else sweeps.table.G(state.values)[_lines(matter, state)]


def multiply_by_constraint_matrix(matter: QueriedMatter, state: State, v: ArrayLike) -> np.ndarray:
    """(n,) m/s or rad/s: G v for v (nu,), in O(n). Needs stage VELOCITY."""
    sweeps = _require(matter, state, Stage.VELOCITY, "the constraint matrix")
    v = checked_array(v, (matter.tree(state.layout).all_u.size,), "a vector of generalized speeds or accelerations")
    if sweeps is None:
        return np.zeros(0)
    return row_values.along(sweeps, state.values, v, velocities_at_M(matter, state, v))[_lines(matter, state)]


def multiply_by_constraint_matrix_transpose(matter: QueriedMatter, state: State, multipliers: ArrayLike) -> np.ndarray:
    """(nu,) N m or N: G^T lambda for lambda (n,), in O(n). Needs stage VELOCITY."""
    sweeps, lines = _require(matter, state, Stage.VELOCITY, "the constraint matrix"), _lines(matter, state)
    multipliers = checked_array(multipliers, (len(lines),), "a vector of multipliers")
    if sweeps is None:
        return np.zeros(matter.tree(state.layout).all_u.size)
    of_all = np.zeros(sweeps.table.n_rows)
    of_all[lines] = multipliers
    on_bodies, on_mobilities = row_values.forces_of(sweeps, state.values, of_all)
    return forces_along_speeds(matter, state, on_bodies) + on_mobilities


def constraint_bias(matter: QueriedMatter, state: State) -> np.ndarray:
    """(n,) m/s^2 or rad/s^2: the accelerations of the errors for u_dot = 0. Needs stage VELOCITY."""
    bias = _of_rows(matter, state, Stage.VELOCITY, "bias", _rows(matter, state))
    slot = matter.tree(state.layout).prescription.slots.known_u_dot
    known = state.view(slot)
    return bias - multiply_by_constraint_matrix(matter, state, known) if known.any() else bias


def projected_mass_matrix_inverse(matter: QueriedMatter, state: State) -> np.ndarray:
    """(n, n) G M^-1 G^T, 1/kg for errors in m, 1/(kg m^2) for errors in rad. Needs stage DYNAMICS."""
    sweeps = _require(matter, state, Stage.DYNAMICS, "G M^-1 G^T")
    if sweeps is None:
        return np.zeros((0, 0))
    lines = _lines(matter, state)
    return sweeps.table.products(state.values, np.array(lines, dtype=np.intp))


def analyze_constraints(matter: QueriedMatter, state: State) -> ConstraintAnalysis:
    """Redundant rows and the remaining degrees of freedom. Needs stage DYNAMICS."""
    A, rows = projected_mass_matrix_inverse(matter, state), _rows(matter, state)
    names = tuple(row.name for row in rows)
    redundant = tuple(names[i] for i in factor_semidefinite(A).dependent)
    tree = matter.tree(state.layout)
    known = [tree.u(body) for body in tree.prescription.bodies if state.view(tree.prescription.level(body)) >= LEVELS["velocity"]]
    G = np.zeros((0, 0)) if tree.constraints is None or not rows else row_values.active_G(tree.constraints, state.values, "velocity")
    of_speeds = factor_rows(G, rank_tolerance_at_distance(len(G), 0.0)).rank  # the tolerance of A, which contains the squares
    return ConstraintAnalysis(names, redundant, tree.all_u.size - sum(slot.size for slot in known) - of_speeds)


# inside
def _require(matter: QueriedMatter, state: State, stage: Stage, what: str) -> ConstraintSweeps | None:
    """The tables of the constraints, if there are any."""
    check_state(state, matter.system)
    state.require(stage, what, matter.index)
    return matter.tree(state.layout).constraints


def _rows(matter: QueriedMatter, state: State) -> list[_Row]:
    """The rows of enabled constraints, in order."""
    check_state(state, matter.system)
    sweeps = matter.tree(state.layout).constraints
    constraints = [] if sweeps is None else sweeps.constraints
    rows = [_Row(constraint, i) for constraint in constraints for i in constraint.enabled_rows(state)]
    return sorted(rows, key=lambda row: row.level)  # the sort is stable: by constraint within each level


def _lines(matter: QueriedMatter, state: State) -> np.ndarray:
    """Indices of the rows of enabled constraints among the rows of all constraints."""
    sweeps, rows = matter.tree(state.layout).constraints, _rows(matter, state)
    return np.array([sweeps.lines(row.constraint).start + row.number for row in rows if sweeps is not None], dtype=np.intp)


def _of_rows(matter: QueriedMatter, state: State, stage: Stage, table: str, rows: list[_Row]) -> np.ndarray:
    sweeps = _require(matter, state, stage, f"'{table.replace('_', ' ')}' of the constraints")
    return np.array([state.values[sweeps.part(row.constraint, table).offset + row.number] for row in rows if sweeps is not None])
