"""MaximalJoint: a coupling between two bodies, and the rows that it makes."""

import logging
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.couplings import Coupling, CouplingConstraint
from mobod.couplings.projections import displacement
from mobod.errors import InputError
from mobod.maximal.body import MaximalBody
from mobod.maximal.engagement import distance_to_bounds, update_engagement
from mobod.spatial import Transform, cross, cross_matrix
from mobod.spatial.checked import checked_size

_log = logging.getLogger("mobod")
_RANK = 1e-8  # tolerance for the rank of the coordinates' twists


@final
@dataclass(frozen=True, eq=False)
class JointRow:
    """One row that acts on the velocities of bodies; an equation if it is bilateral.

    on_bodies  pairs of a body and the factors (6,) of its velocity; the body is None for the world
    rate       rate of the row times constant velocities
    joint      the joint that makes it
    """

    joint: "RowMaker"
    constraint: CouplingConstraint
    is_bilateral: bool
    on_bodies: tuple[tuple[MaximalBody | None, np.ndarray], ...]
    rate: float
    distance: float


class RowMaker(ABC):
    """A joint or a coupling of coordinates that makes rows for a MaximalCoordinateSimulation.

    penetration_tolerance  m, allowed violation of a LINEAR limit; None: that of the simulation
    rotary_tolerance       rad, allowed violation of other limits; None: that of the simulation
    """

    name: str
    penetration_tolerance: float | None
    rotary_tolerance: float | None

    @property
    @abstractmethod
    def constraints(self) -> Sequence[CouplingConstraint]:
        """The constraints that rows can belong to."""

    @abstractmethod
    def update(self, update_engaged: bool) -> None:
        """Recompute it for the present poses and velocities of the bodies; also decide which constraints are engaged, if asked to."""

    @abstractmethod
    def rows(self) -> list[JointRow]:
        """The rows of bilateral, engaged and locked constraints."""


@final
class MaximalJoint(RowMaker):
    """A coupling between frame C on body A and frame D on body B, with its values at the present poses.

    coupling               must not be shared with another joint, since it stores which constraints are engaged
    body_B                 None: the world
    X_AC, X_BD             frames C and D on their bodies
    X_WD                   alternative to both: pose of D in the world, with C at the same pose
    penetration_tolerance  m, allowed violation of a LINEAR limit; default: that of the simulation
    rotary_tolerance       rad, allowed violation of other limits; default: that of the simulation
    """

    def __init__(
        self,
        coupling: Coupling,
        body_A: MaximalBody,
        body_B: MaximalBody | None = None,
        *,
        X_WD: Transform | None = None,
        X_AC: Transform | None = None,
        X_BD: Transform | None = None,
        penetration_tolerance: float | None = None,
        rotary_tolerance: float | None = None,
        name: str = "joint",
    ):
        for given, wanted in ((coupling, Coupling), (body_A, MaximalBody)):
            if not isinstance(given, wanted):
                raise InputError(f"joint '{name}' needs a {wanted.__name__}, not {type(given).__name__}.")
        if body_A is body_B:
            raise InputError(f"joint '{name}': it connects '{body_A.name}' with itself. Give two different bodies.")
        self.coupling, self.body_A, self.body_B, self.name = coupling, body_A, body_B, name
        if X_WD is not None:
            if X_AC is not None or X_BD is not None:
                raise InputError(f"joint '{name}': give X_WD, or X_AC and X_BD, not both.")
            X_AC, X_BD = body_A.X_WB.inverse() @ X_WD, self._X_WB().inverse() @ X_WD
        self.X_AC, self.X_BD = X_AC or Transform(), X_BD or Transform()
        self.penetration_tolerance, self.rotary_tolerance = (
            None if given is None else checked_size(given, f"joint '{name}': {what}", unit)
            for given, what, unit in ((penetration_tolerance, "penetration_tolerance", "m"), (rotary_tolerance, "rotary_tolerance", "rad"))
        )
        self.TGD = self.TCG = Transform()
        self.errC = self.velGD = np.zeros(6)
        self.dist_at_engagement = np.zeros(len(coupling.constraints))
        self.update(update_engaged=False)
        if (rank := self._rank()) < len(coupling.coordinates):
            _log.warning(
                "Joint '%s': %d coordinates of %s move C in only %d independent directions at the start: their limits act along the same "
                "directions.",
                name,
                len(coupling.coordinates),
                type(coupling).__name__,
                rank,
            )

    def update(self, update_engaged: bool) -> None:
        """Compute coordinates, distances and wrenches for the present poses and velocities; also decide which constraints are engaged, if
        asked to.
        """
        coupling = self.coupling
        X_WC, X_WD = self.body_A.X_WB @ self.X_AC, self._X_WB() @ self.X_BD
        TCD = X_WD.inverse() @ X_WC
        self.TGD = coupling.project_to_constraints(TCD)
        self.TCG = self.TGD.inverse() @ TCD
        self.errC = displacement(self.TCG)
        coordinates = np.array(coupling.TCD_to_coordinates(self.TGD), dtype=float)
        for coordinate, value in zip(coupling.coordinates, coordinates, strict=True):
            coordinate.value = float(value)
        self.v_C, self.v_D = self._frame_velocity(self.body_A, X_WC), self._frame_velocity(self.body_B, X_WD)
        self.velGD = adjoint(self.TCG) @ self.v_C - adjoint(self.TGD.inverse()) @ self.v_D

        # limits first: their contact speed is along the wrench of the previous update
        for coordinate in coupling.coordinates:
            limit = coordinate.limit_constraint
            if limit is None:
                continue
            if update_engaged and not coordinate.locked:
                speed = float(limit.wrench_G @ self.velGD)
                update_engagement(limit, coordinate.value, coordinate.min, coordinate.max, speed)
            if coordinate.locked_value is not None:
                limit.distance = coordinate.value - coordinate.locked_value
            else:
                limit.distance = distance_to_bounds(coordinate.value, coordinate.min, coordinate.max) if limit.engaged else 0.0

        wrenches, rates, regions = coupling.recorded.rows(self.TGD, TCD, coordinates, self.errC, self.velGD)
        if not np.isfinite(wrenches).all():
            row = int(np.flatnonzero(~np.isfinite(wrenches).all(axis=1))[0])
            raise InputError(
                f"joint '{self.name}': the wrench of constraint {row} of {type(coupling).__name__} is {wrenches[row].tolist()} at "
                f"coordinates {coordinates.tolist()}. A derived wrench needs coordinates that move C independently. Start at other "
                "coordinates, or "
                "write update_constraints."
            )
        for constraint, wrench, rate in zip(coupling.constraints, wrenches, rates, strict=True):
            constraint.set_wrench(wrench, rate)
            if constraint.is_bilateral:
                constraint.distance = float(wrench @ self.errC)
        for region in regions:
            constraint = coupling.constraint(region.constraint)
            if update_engaged:
                update_engagement(constraint, region.value, region.lower, region.upper, float(constraint.wrench_G @ self.velGD))
            constraint.distance = distance_to_bounds(region.value, region.lower, region.upper)
        for coordinate, twist in zip(coupling.coordinates, coupling.recorded.twists(coordinates).T, strict=True):
            coordinate.twist_G = twist
            if coordinate.limit_constraint is not None:
                coordinate.speed = float(coordinate.limit_constraint.wrench_G @ self.velGD)
        if update_engaged:
            self.dist_at_engagement = np.array([constraint.distance for constraint in coupling.constraints])

    def _rank(self) -> int:
        """The rank of the coordinates' twists."""
        twists = np.array([coordinate.twist_G for coordinate in self.coupling.coordinates]).reshape(-1, 6)
        return int(np.linalg.matrix_rank(twists, rtol=_RANK)) if len(twists) else 0

    @property
    def constraints(self) -> Sequence[CouplingConstraint]:
        """The constraints of its coupling."""
        return self.coupling.constraints

    def rows(self) -> list[JointRow]:
        """The rows of bilateral, engaged and locked constraints."""
        to_A, to_B, drift = self.motion()
        locked = {each.limit_constraint for each in self.coupling.coordinates if each.locked}
        rows = []
        for constraint in self.coupling.constraints:
            is_locked = constraint in locked
            sign = 1 if is_locked else constraint.engaged
            if sign:
                W = sign * constraint.wrench_G
                rate = float(sign * constraint.dot_wrench_G @ self.velGD + W @ drift)
                on_bodies = (self.body_A, W @ to_A), (self.body_B, W @ to_B)
                rows.append(JointRow(self, constraint, constraint.is_bilateral or is_locked, on_bodies, rate, constraint.distance))
        return rows

    def motion(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(6, 6) for body A, (6, 6) for body B: matrices from the bodies' velocities to v_GD. (6,) rate of v_GD for constant velocities."""
        X_WC, X_WD = self.body_A.X_WB @ self.X_AC, self._X_WB() @ self.X_BD
        to_A, to_B = adjoint(self.TCG) @ frame_jacobian(self.body_A, X_WC), -adjoint(self.TGD.inverse()) @ frame_jacobian(self.body_B, X_WD)
        return to_A, to_B, self._drift(X_WC, X_WD)

    def constraint_wrench(self) -> np.ndarray:
        """(6,) N, N m: the wrench of the joint on body A at G, expressed in G, force first.

        It includes the sign of engaged constraints, which ArtiSynth omits.
        """
        total = np.zeros(6)
        for each in self.coupling.constraints:
            total += each.engaged * each.multiplier * each.wrench_G
        return total

    def _X_WB(self) -> Transform:
        return Transform() if self.body_B is None else self.body_B.X_WB

    def _frame_velocity(self, body: MaximalBody | None, X: Transform) -> np.ndarray:
        return np.zeros(6) if body is None else frame_jacobian(body, X) @ body.velocity

    def _drift(self, X_WC: Transform, X_WD: Transform) -> np.ndarray:
        """(6,) rate of C's velocity in D for constant velocities of the bodies, expressed in C."""
        to_C = adjoint((X_WD.inverse() @ X_WC).inverse())
        v_D = to_C @ self.v_D
        drift_D = to_C @ _frame_drift(self.body_B, X_WD)
        v, w = self.v_C[:3], self.v_C[3:]
        crossed = np.concatenate([cross(w, v_D[:3]) + cross(v, v_D[3:]), cross(w, v_D[3:])])
        return _frame_drift(self.body_A, X_WC) - drift_D + crossed


def adjoint(T: Transform) -> np.ndarray:
    """(6, 6) transformation of twists, linear first, between the two frames of T: [v; w] -> [R v + p x (R w); R w]."""
    return _upper_triangular(T.R, cross_matrix(T.p) @ T.R)


def frame_jacobian(body: MaximalBody | None, X_WF: Transform) -> np.ndarray:
    """(6, 6) from the velocity of a body to that of a frame on it, expressed in the frame."""
    if body is None:
        return np.zeros((6, 6))
    R = X_WF.R.T
    return _upper_triangular(R, -R @ cross_matrix(X_WF.p - body.position))


def _upper_triangular(diagonal: np.ndarray, above: np.ndarray) -> np.ndarray:
    """The (6, 6) upper block triangular matrix; faster than np.block."""
    whole = np.zeros((6, 6))
    whole[:3, :3] = whole[3:, 3:] = diagonal
    whole[:3, 3:] = above
    return whole


def _frame_drift(body: MaximalBody | None, X_WF: Transform) -> np.ndarray:
    """(6,) rate of a frame's velocity, expressed in the frame, for a constant velocity of the body; not zero since the axes turn."""
    if body is None:
        return np.zeros(6)
    return np.concatenate([X_WF.R.T @ cross(body.velocity[:3], body.velocity[3:]), np.zeros(3)])
