"""Equations of mobilizers whose first coordinates are an orientation: a quaternion, or angles."""

from abc import ABC
from dataclasses import replace
from typing import Self, final

import numpy as np

from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.matter.equations.orientation import ANGLES, Orientation
from mobod.scalar import Array
from mobod.spatial import Transform


class OrientedEquations(MobilizerEquations, ABC):
    """Coordinates of an orientation, then, if the origin can move, its position, whose rates are speeds.

    orientation  a field of the dataclass
    """

    orientation: Orientation

    @final
    @property
    def nq(self) -> int:
        return self.orientation.n + self._n_translations

    @final
    @property
    def q_units(self) -> tuple[str, ...]:
        return self.orientation.units + ("m",) * self._n_translations

    @final
    @property
    def default_q(self) -> tuple[float, ...]:
        return self.orientation.default + (0.0,) * self._n_translations

    @final
    @property
    def speed_of(self) -> tuple[int | None, ...]:
        return (None,) * self.orientation.n + tuple(range(self.nu - self._n_translations, self.nu))

    @final
    @property
    def quaternion_at(self) -> int | None:
        return 0 if self.orientation.is_quaternion else None

    @final
    def near(self, X_FM: Transform, q: np.ndarray) -> np.ndarray:
        return np.concatenate([self.orientation.near(X_FM.R), X_FM.p[: self._n_translations]])

    @final
    def in_euler_angles(self) -> Self:
        return replace(self, orientation=ANGLES)  # type: ignore[type-var] # all equations are dataclasses

    @final
    def why_singular(self, q: np.ndarray) -> str:
        return self.orientation.why_singular(q[: self.orientation.n])

    @final
    def R_FM(self, q: Array) -> Array:
        """(3, 3) rotation of M in F."""
        return self.orientation.R(q[: self.orientation.n])

    @final
    def orientation_dot(self, q: Array, w: Array) -> Array:
        """Rates of the orientation's coordinates, from the angular velocity of M in F, expressed in F."""
        return self.orientation.q_dot(q[: self.orientation.n], w)

    @property
    def _n_translations(self) -> int:
        return self.u_units.count("m/s")
