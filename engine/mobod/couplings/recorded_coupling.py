"""What a coupling's methods do, recorded: wrenches with exact rates, twists, and regions that unilateral constraints keep out of."""

# Decision: docs/decisions/059-couplings-recorded.md

from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.couplings.coupling_methods import CouplingMethods
from mobod.couplings.derived_wrenches import complement_and_inverse, twists_G
from mobod.errors import InputError
from mobod.scalar import Array
from mobod.scalar.array_function import ArrayFunction
from mobod.scalar.derivative import jvp
from mobod.spatial import Transform, cross, cross_matrix


@final
@dataclass(frozen=True)
class Region:
    """Where a unilateral constraint that limits no coordinate is engaged: value < lower or value > upper."""

    constraint: int
    value: float
    lower: float
    upper: float


@final
class RecordedCoupling:
    """Functions of poses, coordinates and velocities; linear first, in G."""

    def __init__(self, coupling: CouplingMethods):
        self._coupling = coupling
        self._about = type(coupling).__name__
        self._region_constraints: tuple[int, ...] = ()
        self._rows = ArrayFunction(self._rows_text)
        self._rows.__name__ = f"{self._about}.update_constraints"
        self._twists = ArrayFunction(lambda q: twists_G(coupling.in_recording(q), q))
        self._twists.__name__ = f"{self._about}.coordinates_to_TCD"

    def rows(
        self, TGD: Transform, TCD: Transform, coordinates: np.ndarray, errC: np.ndarray, velGD: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, list[Region]]:
        """(wrenches (m, 6), their rates (m, 6), regions); plain numbers."""
        W, W_dot, regions = self._rows(TGD.R, TGD.p, coordinates, TCD.R, TCD.p, errC, velGD)
        return W, W_dot, [Region(index, *each) for index, each in zip(self._region_constraints, regions.tolist(), strict=True)]

    def twists(self, coordinates: Array) -> Array:
        """(6, n) velocity of G in D for a unit rate of each coordinate."""
        return self._twists(coordinates) if len(coordinates) else np.zeros((6, 0))

    def _rows_text(
        self, R_GD: Array, p_GD: Array, q: Array, R_CD: Array, p_CD: Array, errC: Array, velGD: Array
    ) -> tuple[Array, Array, Array]:
        v, w = velGD[:3], velGD[3:]
        w_D = R_GD @ w
        n = len(q)
        q_dot = complement_and_inverse(twists_G(self._coupling.in_recording(q), q))[1] @ velGD if n else np.zeros(0)

        def updated(R_GD: Array, p_GD: Array, q: Array, R_CD: Array, p_CD: Array) -> CouplingMethods:
            shadow = self._coupling.in_recording(q)
            shadow.update_constraints(Transform.of(R_GD, p_GD), Transform.of(R_CD, p_CD), errC, velGD, True)
            return shadow

        def wrenches(*motion: Array) -> Array:
            return np.array([each.wrench_G for each in updated(*motion).constraints])

        motion = [R_GD, p_GD, q, R_CD, p_CD]
        rates = [R_GD @ cross_matrix(w), R_GD @ v, q_dot, cross_matrix(w_D) @ R_CD, R_GD @ v + cross(w_D, p_CD - p_GD)]
        W, W_dot = jvp(wrenches, motion, rates)
        shadow = updated(*motion)
        given = [each.dot_wrench_G for each in shadow.constraints]
        W_dot = np.array([W_dot[i] if each is None else each for i, each in enumerate(given)])
        self._region_constraints = tuple(index for index, *_ in shadow.regions)
        self._check_regions()
        return W, W_dot, np.array([region[1:] for region in shadow.regions]).reshape(-1, 3)

    def _check_regions(self) -> None:
        wanted = [each.index for each in self._coupling.constraints if not each.is_bilateral and not each.is_limit]
        if sorted(self._region_constraints) != wanted:
            missing = sorted(set(wanted) ^ set(self._region_constraints)) or wanted
            raise InputError(
                f"{self._about}: update_constraints must call update_engaged exactly once for each unilateral constraint that limits no "
                f"coordinate. See constraint {missing[0]}."
            )
