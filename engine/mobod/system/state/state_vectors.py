"""Time and the continuous variables of a State, and their rates."""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from mobod.scalar.slot import Slot
from mobod.system.stage import Stage
from mobod.system.state.layout import Layout


class StateVectors(ABC):
    """Time and the continuous variables of a State by name, as views of its numbers."""

    @property
    @abstractmethod
    def layout(self) -> Layout:
        """Offsets and shapes of all variables and computed values."""

    @abstractmethod
    def view(self, slot: Slot) -> np.ndarray:
        """A read-only view of the numbers in a slot, in its shape and the unit of its variable."""

    @abstractmethod
    def number(self, slot: Slot) -> float:
        """The number in a slot of shape (), in the unit of its variable."""

    @abstractmethod
    def write(self, slot: Slot, value: ArrayLike, name: str, invalidates: Stage) -> None:
        """Set the numbers in a slot, and invalidate a stage."""

    @abstractmethod
    def require(self, stage: Stage, what: str, subsystem: int | None = None) -> None:
        """Raise StageError unless the State has been realized to `stage`."""

    @property
    def time(self) -> float:
        """Time in s; can be set."""
        return self.number(self.layout.time)

    @time.setter
    def time(self, value: float) -> None:
        self.write(self.layout.time, value, "time", Stage.TIME)

    @property
    def q(self) -> np.ndarray:
        """(nq,) rad or m; of quaternions no unit: generalized coordinates; a read-only view: assign to state.q to change them."""
        return self.view(self.layout.q)

    @q.setter
    def q(self, value: ArrayLike) -> None:
        self.write(self.layout.q, value, "q", Stage.POSITION)

    @property
    def u(self) -> np.ndarray:
        """(nu,) rad/s or m/s: generalized speeds; a read-only view: assign to state.u to change them."""
        return self.view(self.layout.u)

    @u.setter
    def u(self, value: ArrayLike) -> None:
        self.write(self.layout.u, value, "u", Stage.VELOCITY)

    @property
    def z(self) -> np.ndarray:
        """(nz,) auxiliary variables, each in its own unit; a read-only view: assign to state.z to change them."""
        return self.view(self.layout.z)

    @z.setter
    def z(self, value: ArrayLike) -> None:
        self.write(self.layout.z, value, "z", Stage.DYNAMICS)

    @property
    def y(self) -> np.ndarray:
        """(nq + nu + nz,) all continuous variables, [q, u, z], in their units; a read-only view: assign to state.y to change them."""
        return self.view(self.layout.y)

    @y.setter
    def y(self, value: ArrayLike) -> None:
        self.write(self.layout.y, value, "y", Stage.POSITION)

    @property
    def q_dot(self) -> np.ndarray:
        """(nq,) rad/s or m/s: rates of the coordinates. Needs stage VELOCITY.

        Or the later stage at which a subsystem computes rates of its own q.
        """
        self.require(self.layout.q_dot_stage, "q_dot")
        return self.view(self.layout.q_dot)

    @property
    def u_dot(self) -> np.ndarray:
        """(nu,) rad/s^2 or m/s^2: rates of the speeds. Needs stage ACCELERATION."""
        self.require(Stage.ACCELERATION, "u_dot")
        return self.view(self.layout.u_dot)

    @property
    def z_dot(self) -> np.ndarray:
        """(nz,) rates of the auxiliary variables, in their units/s. Needs stage ACCELERATION."""
        self.require(Stage.ACCELERATION, "z_dot")
        return self.view(self.layout.z_dot)

    @property
    def y_dot(self) -> np.ndarray:
        """(nq + nu + nz,) rates of all continuous variables, in their units/s. Needs stage ACCELERATION."""
        self.require(Stage.ACCELERATION, "y_dot")
        return self.view(self.layout.y_dot)
