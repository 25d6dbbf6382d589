"""Body: locations and motion of points and frames, of Ground and of mobilized bodies."""

# Decision: docs/decisions/111-methods-from-functions.md

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mobod.matter.bodies.limits_of_coordinate import LimitsOfCoordinate
from mobod.matter.dynamics.tree import Tree
from mobod.matter.tree.rigid_motion import accelerations_at, velocities_at
from mobod.spatial import Transform
from mobod.spatial.checked import checked_floats
from mobod.system import CacheEntry, Layout, State, Subsystem, System
from mobod.system.boundary import checked_kind
from mobod.system.named_arguments import NamedArguments


class BodyOwner(Subsystem, ABC):
    """The interface of a MatterSubsystem that any of its bodies uses."""

    system: System

    @abstractmethod
    def checked(self, body: object, what: str) -> "Body":
        """Return the argument if it is a body of this subsystem; raise otherwise. See MatterSubsystem.checked."""

    @abstractmethod
    def tree(self, layout: Layout) -> Tree:
        """The tables of the bodies in a layout. See MatterSubsystem.tree."""

    @abstractmethod
    def make_lockable(self, state: State, index: int) -> None:
        """Make sure that a body can be locked in a State. See MatterSubsystem.make_lockable."""

    @abstractmethod
    def new_limits(self, body: Any, coordinate: int, *given: Any) -> LimitsOfCoordinate:
        """New limits of a coordinate of a body. See MatterSubsystem.new_limits."""

    @property
    @abstractmethod
    def q_dot_dot_entry(self) -> CacheEntry:
        """The cache entry of the second time derivatives of the coordinates."""

    @property
    @abstractmethod
    def reactions_entry(self) -> CacheEntry:
        """The cache entry of the reactions of the mobilizers."""

    @property
    @abstractmethod
    def motion_forces_entry(self) -> CacheEntry:
        """The cache entry of the generalized forces of Motions."""

    @property
    @abstractmethod
    def motion_loads_entry(self) -> CacheEntry:
        """The cache entry of the opposites of these forces."""


class Body(NamedArguments, ABC):
    """A body B of a MatterSubsystem. Its motion can be measured in Ground or in another body A.

    A station S is a point fixed on the body, at p_BS (3,) m from the body's origin, in its frame. Positions need stage POSITION, velocities
    VELOCITY, accelerations ACCELERATION. Velocities and accelerations in A are those seen by an observer on A, expressed in A. Spatial
    arrays have the angular part first: rad/s and m/s, rad/s^2 and m/s^2.
    """

    matter: BodyOwner
    name: str
    index: int

    @abstractmethod
    def X_GB(self, state: State) -> Transform:
        """Pose of the body in Ground. Needs stage POSITION."""

    @abstractmethod
    def V_GB(self, state: State) -> np.ndarray:
        """(6,) rad/s, m/s: angular velocity of the body and velocity of its origin in Ground. Needs stage VELOCITY."""

    @abstractmethod
    def A_GB(self, state: State) -> np.ndarray:
        """(6,) rad/s^2, m/s^2: angular acceleration of the body and acceleration of its origin in Ground. Needs stage ACCELERATION."""

    @abstractmethod
    def mass_center_station(self, state: State) -> np.ndarray:
        """(3,) m: the mass center as a station; for Ground its origin."""

    # the body in another one
    def X_AB(self, state: State, other: "Body") -> Transform:
        """Pose of this body in A. Needs stage POSITION."""
        return self._other(other).X_GB(state).inverse() @ self.X_GB(state)

    def V_AB(self, state: State, other: "Body") -> np.ndarray:
        """(6,) rad/s, m/s: angular velocity of this body and velocity of its origin in A. Needs stage VELOCITY."""
        return self._V_AS(state, np.zeros(3), other)

    def A_AB(self, state: State, other: "Body") -> np.ndarray:
        """(6,) rad/s^2, m/s^2: angular acceleration of this body and acceleration of its origin in A. Needs stage ACCELERATION."""
        return self._A_AS(state, np.zeros(3), other)

    # stations
    def station_location_in_ground(self, state: State, p_BS: ArrayLike) -> np.ndarray:
        """(3,) m: location of a station in Ground. Needs stage POSITION."""
        return self.X_GB(state).apply(self._station(p_BS))

    def station_velocity_in_ground(self, state: State, p_BS: ArrayLike) -> np.ndarray:
        """(3,) m/s: velocity of a station in Ground. Needs stage VELOCITY."""
        return self._V_GS(state, self._station(p_BS))[3:]

    def station_acceleration_in_ground(self, state: State, p_BS: ArrayLike) -> np.ndarray:
        """(3,) m/s^2: acceleration of a station in Ground. Needs stage ACCELERATION."""
        return self._A_GS(state, self._station(p_BS))[3:]

    def station_location_in(self, state: State, p_BS: ArrayLike, other: "Body") -> np.ndarray:
        """(3,) m: location of a station, measured from the origin of A, in A. So it is the coincident station of A. Needs stage
        POSITION.
        """
        return self.X_AB(state, other).apply(self._station(p_BS))

    def station_velocity_in(self, state: State, p_BS: ArrayLike, other: "Body") -> np.ndarray:
        """(3,) m/s: velocity of a station in A. Needs stage VELOCITY."""
        return self._V_AS(state, self._station(p_BS), other)[3:]

    def station_acceleration_in(self, state: State, p_BS: ArrayLike, other: "Body") -> np.ndarray:
        """(3,) m/s^2: acceleration of a station in A. Needs stage ACCELERATION."""
        return self._A_AS(state, self._station(p_BS), other)[3:]

    def station_at_ground_point(self, state: State, p_GS: ArrayLike) -> np.ndarray:
        """(3,) m: the station that coincides with a point of Ground. Needs stage POSITION."""
        return self.X_GB(state).inverse().apply(checked_floats(p_GS, (3,), f"'{self.name}': a point of Ground"))

    def mass_center_location_in_ground(self, state: State) -> np.ndarray:
        """(3,) m: location of the mass center in Ground. Needs stage POSITION."""
        return self.station_location_in_ground(state, self.mass_center_station(state))

    def mass_center_location_in(self, state: State, other: "Body") -> np.ndarray:
        """(3,) m: location of the mass center in A. Needs stage POSITION."""
        return self.station_location_in(state, self.mass_center_station(state), other)

    # frames fixed on the body
    def frame_pose_in_ground(self, state: State, X_BF: Transform) -> Transform:
        """X_GF of a frame F on the body. Needs stage POSITION."""
        return self.X_GB(state) @ checked_kind(X_BF, Transform, f"'{self.name}': a frame on it")

    def frame_velocity_in_ground(self, state: State, X_BF: Transform) -> np.ndarray:
        """(6,) rad/s, m/s: V_GF of a frame F on the body. Needs stage VELOCITY."""
        return self._V_GS(state, checked_kind(X_BF, Transform, f"'{self.name}': a frame on it").p)

    def frame_acceleration_in_ground(self, state: State, X_BF: Transform) -> np.ndarray:
        """(6,) rad/s^2, m/s^2: A_GF of a frame F on the body. Needs stage ACCELERATION."""
        return self._A_GS(state, checked_kind(X_BF, Transform, f"'{self.name}': a frame on it").p)

    # vectors
    def express_in_ground(self, state: State, v_B: ArrayLike) -> np.ndarray:
        """(3,) in the vector's unit: re-express a vector from the frame of this body in that of Ground. Needs stage POSITION."""
        return self.X_GB(state).R @ _vector(v_B)

    def express_in(self, state: State, v_B: ArrayLike, other: "Body") -> np.ndarray:
        """(3,) in the vector's unit: re-express a vector from the frame of this body in that of A. Needs stage POSITION."""
        return self.X_AB(state, other).R @ _vector(v_B)

    def express_from_ground(self, state: State, v_G: ArrayLike) -> np.ndarray:
        """(3,) in the vector's unit: re-express a vector from the frame of Ground in that of this body. Needs stage POSITION."""
        return self.X_GB(state).R.T @ _vector(v_G)

    # distances
    def station_to_station_distance(self, state: State, p_BS: ArrayLike, other: "Body", p_AT: ArrayLike) -> float:
        """m: distance between a station of this body and a station of A. Needs stage POSITION."""
        return float(np.linalg.norm(self._between(state, p_BS, other, p_AT)[0]))

    def station_to_station_distance_rate(self, state: State, p_BS: ArrayLike, other: "Body", p_AT: ArrayLike) -> float:
        """m/s: rate of the distance between two stations; if they coincide, their relative speed. Needs stage VELOCITY."""
        p, v, _ = self._between(state, p_BS, other, p_AT, n_rates=1)
        distance = np.linalg.norm(p)
        return float(p @ v / distance if distance else np.linalg.norm(v))

    def station_to_station_distance_acceleration(self, state: State, p_BS: ArrayLike, other: "Body", p_AT: ArrayLike) -> float:
        """m/s^2: second rate of the distance between two stations; if they coincide, the rate of their relative speed. Needs stage
        ACCELERATION.
        """
        p, v, a = self._between(state, p_BS, other, p_AT, n_rates=2)
        distance, speed = np.linalg.norm(p), np.linalg.norm(v)
        if distance:
            along = p / distance
            across = v - (v @ along) * along
            return float(a @ along + across @ across / distance)
        return float(a @ v / speed if speed else np.linalg.norm(a))

    # internal
    def _V_GS(self, state: State, p_BS: np.ndarray) -> np.ndarray:
        return velocities_at(self.X_GB(state).R @ p_BS, self.V_GB(state))

    def _A_GS(self, state: State, p_BS: np.ndarray) -> np.ndarray:
        return accelerations_at(self.X_GB(state).R @ p_BS, self.V_GB(state)[:3], self.A_GB(state))

    def _V_AS(self, state: State, p_BS: np.ndarray, other: "Body") -> np.ndarray:
        X_GA, V_GA = self._other(other).X_GB(state), other.V_GB(state)
        p_AS_G = self.X_GB(state).apply(p_BS) - X_GA.p
        return _turned(X_GA.R.T, self._V_GS(state, p_BS) - velocities_at(p_AS_G, V_GA))

    def _A_AS(self, state: State, p_BS: np.ndarray, other: "Body") -> np.ndarray:
        """The acceleration seen by an observer on A: without that of the coincident point of A, and without the Coriolis acceleration."""
        X_GA, V_GA, A_GA = self._other(other).X_GB(state), other.V_GB(state), other.A_GB(state)
        w_GA = V_GA[:3]
        p_AS_G = self.X_GB(state).apply(p_BS) - X_GA.p
        V_AS_G = self._V_GS(state, p_BS) - velocities_at(p_AS_G, V_GA)
        A = self._A_GS(state, p_BS) - accelerations_at(p_AS_G, w_GA, A_GA)
        coriolis = np.concatenate([np.cross(w_GA, V_AS_G[:3]), 2 * np.cross(w_GA, V_AS_G[3:])])
        return _turned(X_GA.R.T, A - coriolis)

    def _between(self, state: State, p_BS: ArrayLike, other: "Body", p_AT: ArrayLike, n_rates: int = 0) -> tuple[np.ndarray, ...]:
        """Position, velocity and acceleration of S minus those of T, in Ground; velocity and acceleration only as needed."""
        p_BS, p_AT = self._station(p_BS), self._other(other)._station(p_AT)
        p = self.X_GB(state).apply(p_BS) - other.X_GB(state).apply(p_AT)
        v = self._V_GS(state, p_BS)[3:] - other._V_GS(state, p_AT)[3:] if n_rates > 0 else np.zeros(3)
        a = self._A_GS(state, p_BS)[3:] - other._A_GS(state, p_AT)[3:] if n_rates > 1 else np.zeros(3)
        return p, v, a

    def _other(self, other: object) -> "Body":
        return self.matter.checked(other, f"a quantity of '{self.name}' in another body")

    def _station(self, p_BS: ArrayLike) -> np.ndarray:
        return checked_floats(p_BS, (3,), f"a station of '{self.name}'")


def _vector(v: ArrayLike) -> np.ndarray:
    return checked_floats(v, (3,), "a vector to express in another frame")


def _turned(R: np.ndarray, V: np.ndarray) -> np.ndarray:
    """A spatial vector re-expressed in another frame."""
    return np.concatenate([R @ V[:3], R @ V[3:]])
