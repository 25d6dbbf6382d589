"""What an Assembler is asked to come as near to as constraints allow: places of points, orientations, values of coordinates."""

from abc import ABC, abstractmethod
from typing import Any, final

import numpy as np
from scipy.spatial.transform import Rotation

from mobod.errors import InputError
from mobod.matter import Ground, MobilizedBody
from mobod.matter.constraint import checked_index
from mobod.spatial.checked import checked_floats
from mobod.spatial.rotation import checked_rotation
from mobod.system import State


class AssemblyCondition(ABC):
    """An error that is to be small: it counts as weight * |error|^2 among the goals.

    name    for messages
    weight  0 or more, in 1 / (unit of the error)^2
    """

    name: str

    def __init__(self, body: Any, weight: float):
        if not isinstance(body, (MobilizedBody, Ground)):
            raise InputError(f"{type(self).__name__}: it is of a body, not of {type(body).__name__}.")
        self.body = body
        self.name = f"the {type(self).__name__} of '{body.name}'"
        self.weight = weight

    @property
    def weight(self) -> float:
        """By which the square of its error is multiplied, at least 0; 0 leaves the condition out."""
        return self._weight

    @weight.setter
    def weight(self, weight: float) -> None:
        self._weight = float(checked_floats(weight, (), f"{self.name}: weight"))
        if self._weight < 0:
            raise InputError(f"{self.name}: the weight is {self._weight:g}. It cannot be negative; 0 leaves the condition out.")

    @property
    @abstractmethod
    def is_active(self) -> bool:
        """Whether there is something to compare with."""

    @abstractmethod
    def error(self, state: State) -> np.ndarray:
        """(n,) at a State from POSITION on."""

    @abstractmethod
    def jacobian(self, state: State, J: np.ndarray) -> np.ndarray:
        """(n, nq) the derivative of the error, where J (n_bodies, 6, nq) is that of the bodies' poses: velocities for rates of q."""


@final
class Marker(AssemblyCondition):
    """A point of a body that is to be at an observed place.

    station   (3,) m from the body's origin, in its frame
    location  (3,) m in Ground; None: not observed, and of no effect
    weight    1/m^2

    error     (3,) m, from the location to the point
    """

    def __init__(self, body: MobilizedBody | Ground, station: Any, location: Any = None, *, weight: float = 1.0):
        super().__init__(body, weight)
        self.station = checked_floats(station, (3,), f"{self.name}: station")
        self.location = location

    @property
    def location(self) -> np.ndarray | None:
        """(3,) m, in Ground, where the marker shall be; None: anywhere."""
        return self._location

    @location.setter
    def location(self, location: Any) -> None:
        self._location = None if location is None else checked_floats(location, (3,), f"{self.name}: location")

    @property
    def is_active(self) -> bool:
        """Whether there is something to compare with."""
        return self._location is not None

    def error(self, state: State) -> np.ndarray:
        """(n,) the difference between what the State has and what is asked for; from POSITION on."""
        assert self._location is not None
        return self.body.station_location_in_ground(state, self.station) - self._location

    def jacobian(self, state: State, J: np.ndarray) -> np.ndarray:
        """(n, nq) the derivative of the error, from J (n_bodies, 6, nq), that of the bodies' poses."""
        J_B = J[self.body.index]
        return J_B[3:] + np.cross(J_B[:3], self.body.express_in_ground(state, self.station), axisa=0).T


@final
class OrientationSensor(AssemblyCondition):
    """A frame S of a body that is to have an observed orientation.

    R_BS    (3, 3) its orientation on the body
    R_GS    (3, 3) the observed one in Ground; None: not observed, and of no effect
    weight  1/rad^2

    error   (3,) rad: the axis, in Ground, times the angle from the observed orientation to that of S
    """

    def __init__(self, body: MobilizedBody | Ground, R_BS: Any, R_GS: Any = None, *, weight: float = 1.0):
        super().__init__(body, weight)
        self.R_BS = checked_rotation(R_BS, f"{self.name}: R_BS")
        self.R_GS = R_GS

    @property
    def R_GS(self) -> np.ndarray | None:
        """(3, 3) the rotation in Ground that the sensor shall have; None: any."""
        return self._R_GS

    @R_GS.setter
    def R_GS(self, R_GS: Any) -> None:
        self._R_GS = None if R_GS is None else checked_rotation(R_GS, f"{self.name}: R_GS")

    @property
    def is_active(self) -> bool:
        """Whether there is something to compare with."""
        return self._R_GS is not None

    def error(self, state: State) -> np.ndarray:
        """(n,) the difference between what the State has and what is asked for; from POSITION on."""
        assert self._R_GS is not None
        return Rotation.from_matrix(self.body.X_GB(state).R @ self.R_BS @ self._R_GS.T).as_rotvec()

    def jacobian(self, state: State, J: np.ndarray) -> np.ndarray:
        """The rate of e = angle * axis is (1 - [e]x / 2 + (1 - h / tan h) / |e|^2 [e]x^2) w, with h = |e| / 2 and both in Ground."""
        e = self.error(state)
        half = np.linalg.norm(e) / 2
        of_square = 1 / 12 if half < 1e-3 else (1 - half / np.tan(half)) / (2 * half) ** 2  # half^2 / 180 is what the first leaves out
        cross = np.cross(e, np.eye(3), axisb=0).T
        return (np.eye(3) - cross / 2 + of_square * cross @ cross) @ J[self.body.index][:3]


@final
class QValue(AssemblyCondition):
    """A coordinate that is to have a value, in the coordinate's unit.

    coordinate  which one of the mobilizer's, from 0
    value       None: of no effect
    weight      1 / (unit of the coordinate)^2

    error       (1,) the coordinate less the value
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
        """The value that the coordinate shall have, in its unit; None: any."""
        return self._value

    @value.setter
    def value(self, value: float | None) -> None:
        self._value = None if value is None else float(checked_floats(value, (), f"{self.name}: value"))

    @property
    def is_active(self) -> bool:
        """Whether there is something to compare with."""
        return self._value is not None

    def error(self, state: State) -> np.ndarray:
        """(n,) the difference between what the State has and what is asked for; from POSITION on."""
        assert self._value is not None
        return self.mobilizer.q(state)[[self.coordinate]] - self._value

    def jacobian(self, state: State, J: np.ndarray) -> np.ndarray:
        """(n, nq) the derivative of the error, from J (n_bodies, 6, nq), that of the bodies' poses."""
        row = np.zeros((1, J.shape[2]))
        self.mobilizer.my_part_q(state, row[0])[self.coordinate] = 1.0
        return row
