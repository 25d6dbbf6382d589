"""Solves for velocities and displacements that satisfy the rows of all joints."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.couplings import ConstraintFlag
from mobod.maximal.body import MaximalBody
from mobod.maximal.joint import JointRow, RowMaker
from mobod.numerics import solve_quadratic_program


@final
@dataclass(frozen=True, eq=False)
class SystemRow:
    """A row of a joint that acts on the velocities of all dynamic bodies.

    tolerance  allowed violation of its distance, if it is unilateral
    """

    row: JointRow
    on_bodies: np.ndarray
    tolerance: float

    @property
    def distance(self) -> float:
        """The part of the distance that is corrected: a unilateral row may be violated by its tolerance."""
        d = self.row.distance
        if self.row.is_bilateral:
            return d
        return d + self.tolerance if d < -self.tolerance else 0.0


@final
@dataclass(frozen=True)
class SoftRow:
    """The right side of a row and its softness: G x + softness * multiplier = right."""

    right: float
    softness: float


def system_rows(joints: Sequence[RowMaker], bodies: Sequence[MaximalBody], penetration: float, rotary: float) -> list[SystemRow]:
    """The rows of all joints. bodies: the dynamic ones, in the order of their velocities."""
    place = {body: 6 * i for i, body in enumerate(bodies)}
    found = []
    for joint in joints:
        linear = penetration if joint.penetration_tolerance is None else joint.penetration_tolerance
        turning = rotary if joint.rotary_tolerance is None else joint.rotary_tolerance
        for row in joint.rows():
            line = np.zeros(6 * len(bodies))
            for body, part in row.on_bodies:
                if body is not None and body in place:
                    line[place[body] : place[body] + 6] += part
            is_linear = ConstraintFlag.LINEAR in row.constraint.flags
            found.append(SystemRow(row, line, linear if is_linear else turning))
    return found


def velocity_right_side(h: float, rate_scale: float) -> Callable[[SystemRow], SoftRow]:
    """The right sides for velocities, for a step h. Rates of rows are multiplied by rate_scale, s."""

    def of_row(row: SystemRow) -> SoftRow:
        C, D = row.row.constraint.compliance, row.row.constraint.damping
        rate = rate_scale * row.row.rate
        if not C:
            return SoftRow(-rate, 0.0)
        s = 1 / (h / 2 + D * C)
        return SoftRow(-s * row.distance - rate, s * C / h)

    return of_row


def position_right_side(row: SystemRow) -> SoftRow:
    """The right side of a row for position correction. The force of a compliant row corrects it; its softness remains for redundant
    rows.
    """
    C = row.row.constraint.compliance
    return SoftRow(0.0, C) if C else SoftRow(-row.distance, 0.0)


def solve_rows(
    M: np.ndarray, b: np.ndarray, rows: Sequence[SystemRow], right_side: Callable[[SystemRow], SoftRow]
) -> tuple[np.ndarray, np.ndarray]:
    """(x, multipliers): the solution of M x = b + G^T lambda + N^T theta in which the rows hold.

    A soft row has its own unknown, whose inverse mass is its softness.
    """
    n = len(b)
    soft = [right_side(each) for each in rows]
    where_soft = [i for i, each in enumerate(soft) if each.softness]
    size = n + len(where_soft)
    whole = np.eye(size)
    whole[:n, :n] = M
    lines = np.zeros((len(rows), size))
    for i, each in enumerate(rows):
        lines[i, :n] = each.on_bodies
    for k, i in enumerate(where_soft):
        lines[i, n + k] = np.sqrt(soft[i].softness)
    right = np.array([each.right for each in soft])
    equations = np.array([each.row.is_bilateral for each in rows], dtype=bool)
    free = np.concatenate([np.linalg.solve(M, b), np.zeros(len(where_soft))])
    names = [f"{each.row.joint.name}, constraint {each.row.constraint.index}" for each in rows]
    solution = solve_quadratic_program(
        whole,
        free,
        lines[equations],
        right[equations],
        lines[~equations],
        right[~equations],
        names=[name for name, e in zip(names, equations, strict=True) if e]
        + [name for name, e in zip(names, equations, strict=True) if not e],
    )
    multipliers = np.zeros(len(rows))
    multipliers[equations], multipliers[~equations] = solution.equality_multipliers, solution.inequality_multipliers
    return solution.u[:n], multipliers
