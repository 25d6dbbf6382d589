"""What a mobilizer is to the engine: how frame M on the body moves in frame F on the parent."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from mobod.scalar.derivative import jvp
from mobod.spatial import Transform


class MobilizerEquations(ABC):
    """Pure functions of the mobilizer's own coordinates and speeds, which can be recorded; equal objects have equal equations.

    nq, nu          numbers of coordinates and of speeds
    q_units         one for each coordinate
    u_units         one for each speed
    default_q       (nq,) coordinates of a new mobilizer
    quaternion_at   index of the first of four coordinates that are a quaternion (w, x, y, z), or None
    speed_of        for each coordinate the speed that is its rate, or None if no single one is
    """

    nq: ClassVar[int]
    nu: ClassVar[int]
    q_units: ClassVar[tuple[str, ...]]
    u_units: ClassVar[tuple[str, ...]]
    default_q: ClassVar[tuple[float, ...]]
    quaternion_at: ClassVar[int | None] = None
    speed_of: ClassVar[tuple[int | None, ...]]

    @abstractmethod
    def X_FM(self, q: Any) -> Transform:
        """Pose of M in F; q (nq,)."""

    @abstractmethod
    def H_FM(self, q: Any) -> np.ndarray:
        """(6, nu): V_FM = H_FM @ u, the spatial velocity of M in F, expressed in F, angular first."""

    @abstractmethod
    def q_dot(self, q: Any, u: Any) -> np.ndarray:
        """(nq,) rates of the coordinates; linear in u."""

    def H_dot_u(self, q: Any, u: Any) -> np.ndarray:
        """(6,) d/dt(H_FM) @ u, the part of the acceleration of M in F that is quadratic in u."""
        return jvp(lambda q, u: self.H_FM(q) @ u, [q, u], [self.q_dot(q, u), np.zeros(self.nu)])[1]

    def q_dot_dot(self, q: Any, u: Any, u_dot: Any) -> np.ndarray:
        """(nq,) accelerations of the coordinates."""
        return jvp(self.q_dot, [q, u], [self.q_dot(q, u), u_dot])[1]
