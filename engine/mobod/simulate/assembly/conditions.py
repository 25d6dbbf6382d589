"""Goals of an Assembler: observed locations of points, orientations, and values of coordinates."""

from abc import ABC, abstractmethod
from typing import final

import numpy as np
import scipy  # whose parts are loaded when they are used: those of rotations take 0.2 s
from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.matter import Ground, MobilizedBody
from mobod.matter.bodies.constrained_bodies import checked_index
from mobod.spatial.checked import checked_floats
from mobod.spatial.rotation import checked_rotation
from mobod.system import State


class AssemblyCondition(ABC):
    """A goal of an Assembler: an error that is minimized as weight * |error|^2.

    name    for messages
    weight  at least 0, in 1 / (unit of the error)^2
    """

    name: str

    def __init__(self, body: object, weight: float):
        if not isinstance(body, (MobilizedBody, Ground)):
            raise InputError(f"{type(self).__name__}: it takes a body, not {type(body).__name__}.")
        self.body = body
        self.name = f"the {type(self).__name__} of '{body.name}'"
        self.weight = weight

    @property
    def weight(self) -> float:
        """Factor of the squared error, at least 0; 0 switches the condition off."""
        return self._weight

    @weight.setter
    def weight(self, weight: float) -> None:
        self._weight = float(checked_floats(weight, (), f"{self.name}: weight"))
        if self._weight < 0:
            raise InputError(f"{self.name}: the weight is {self._weight:g}. It cannot be negative; 0 switches the condition off.")

    @property
    @abstractmethod
    def is_active(self) -> bool:
        """Whether the condition has an observed value."""

    @abstractmethod
    def error(self, state: State) -> np.ndarray:
        """(n,) m or rad: the error at a State. Needs stage POSITION."""

    @abstractmethod
    def jacobian(self, state: State, J: np.ndarray) -> np.ndarray:
        """(n, nq) derivative of the error with respect to q. J (n_bodies, 6, nq) maps rates of q to the bodies' velocities."""


@final
class Marker(AssemblyCondition):
    """A point of a body with an observed location.

    station   (3,) m from the body's origin, in its frame
    location  (3,) m in Ground; None: not observed, the condition has no effect
    weight    1/m^2

    error     (3,) m, from the location to the point
    """

    def __init__(self, body: MobilizedBody | Ground, station: ArrayLike, location: ArrayLike | None = None, *, weight: float = 1.0):
        super().__init__(body, weight)
        self.station = checked_floats(station, (3,), f"{self.name}: station")
        self.location = location

    @property
    def location(self) -> np.ndarray | None:
        """(3,) m: the observed location in Ground; None: not observed."""
        return self._location

    @location.setter
    def location(self, location: ArrayLike | None) -> None:
        self._location = None if location is None else checked_floats(location, (3,), f"{self.name}: location")

    @property
    def is_active(self) -> bool:
        """Whether the condition has an observed value."""
        return self._location is not None

    def error(self, state: State) -> np.ndarray:
        """(3,) m: from the observed location to the point, in Ground. Needs stage POSITION."""
        assert self._location is not None
        return self.body.station_location_in_ground(state, self.station) - self._location

    def jacobian(self, state: State, J: np.ndarray) -> np.ndarray:
        """(3, nq) derivative of the error with respect to q. J (n_bodies, 6, nq) maps rates of q to the bodies' velocities."""
        J_B = J[self.body.index]
        return J_B[3:] + np.cross(J_B[:3], self.body.express_in_ground(state, self.station), axisa=0).T


@final
class OrientationSensor(AssemblyCondition):
    """A frame S of a body with an observed orientation.

    R_BS    (3, 3) orientation of S on the body
    R_GS    (3, 3) observed orientation in Ground; None: not observed, the condition has no effect
    weight  1/rad^2

    error   (3,) rad: rotation vector, in Ground, from the observed orientation to that of S
    """

    def __init__(self, body: MobilizedBody | Ground, R_BS: ArrayLike, R_GS: ArrayLike | None = None, *, weight: float = 1.0):
        super().__init__(body, weight)
        self.R_BS = checked_rotation(R_BS, f"{self.name}: R_BS")
        self.R_GS = R_GS

    @property
    def R_GS(self) -> np.ndarray | None:
        """(3, 3) no unit: the observed orientation of S in Ground; None: not observed."""
        return self._R_GS

    @R_GS.setter
    def R_GS(self, R_GS: ArrayLike | None) -> None:
        self._R_GS = None if R_GS is None else checked_rotation(R_GS, f"{self.name}: R_GS")

    @property
    def is_active(self) -> bool:
        """Whether the condition has an observed value."""
        return self._R_GS is not None

    def error(self, state: State) -> np.ndarray:
        """(3,) rad: rotation vector, in Ground, from the observed orientation to that of S. Needs stage POSITION."""
        assert self._R_GS is not None
        return scipy.spatial.transform.Rotation.from_matrix(self.body.X_GB(state).R @ self.R_BS @ self._R_GS.T).as_rotvec()

    def jacobian(self, state: State, J: np.ndarray) -> np.ndarray:
        """(3, nq) derivative of the error e = angle * axis with respect to q. J (n_bodies, 6, nq) maps rates of q to the bodies'
        velocities.

        e_dot = (1 - [e]x / 2 + (1 - h / tan h) / |e|^2 [e]x^2) w with h = |e| / 2, all in Ground.
        """
        e = self.error(state)
        half = np.linalg.norm(e) / 2
        of_square = 1 / 12 if half < 1e-3 else (1 - half / np.tan(half)) / (2 * half) ** 2  # the neglected term is half^2 / 180
        cross = np.cross(e, np.eye(3), axisb=0).T
        return (np.eye(3) - cross / 2 + of_square * cross @ cross) @ J[self.body.index][:3]


@final
class QValue(AssemblyCondition):
    """A desired value of a coordinate, in the coordinate's unit.

    coordinate  its number among the mobilizer's coordinates, from 0
    value       the desired value; None: the condition has no effect
    weight      1 / (unit of the coordinate)^2

    error       (1,) the coordinate minus the value
    """

    def __init__(self, body: MobilizedBody, coordinate: int, value: float | None = None, *, weight: float = 1.0):
        super().__init__(body, weight)
        if not isinstance(body, MobilizedBody):
            raise InputError("QValue: Ground has no coordinates.")
        self.mobilizer = body
        self.coordinate = checked_index(coordinate, body.nq, body, "QValue", "coordinates")
        self.value = value

    @property
    def value(self) -> float | None:
        """The desired value of the coordinate, in its unit; None: the condition has no effect."""
        return self._value

    @value.setter
    def value(self, value: float | None) -> None:
        self._value = None if value is None else float(checked_floats(value, (), f"{self.name}: value"))

    @property
    def is_active(self) -> bool:
        """Whether the condition has a desired value."""
        return self._value is not None

    def error(self, state: State) -> np.ndarray:
        """(1,) rad or m: the coordinate minus the desired value. Needs stage POSITION."""
        assert self._value is not None
        return self.mobilizer.q(state)[[self.coordinate]] - self._value

    def jacobian(self, state: State, J: np.ndarray) -> np.ndarray:
        """(1, nq) derivative of the error with respect to q."""
        row = np.zeros((1, J.shape[2]))
        self.mobilizer.my_part_q(state, row[0])[self.coordinate] = 1.0
        return row
