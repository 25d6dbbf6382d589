"""Body: what can be asked of Ground and of a mobilized body alike: where its points and frames are, and how they move."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from mobod.matter.bodies.limits_of_coordinate import LimitsOfCoordinate
from mobod.matter.dynamics.tree import Tree
from mobod.matter.tree.rigid_motion import accelerations_at, velocities_at
from mobod.spatial import Transform
from mobod.spatial.checked import checked_floats
from mobod.system import CacheEntry, Layout, State, Subsystem, System
from mobod.system.boundary import checked_kind
from mobod.system.named_arguments import NamedArguments


class BodyOwner(Subsystem, ABC):
    """The part of a MatterSubsystem that any of its bodies refers to."""

    system: System

    @abstractmethod
    def checked(self, body: Any, what: str) -> "Body":
        """See MatterSubsystem."""

    @abstractmethod
    def tree(self, layout: Layout) -> Tree:
        """See MatterSubsystem."""

    @abstractmethod
    def make_lockable(self, state: State, index: int) -> None:
        """See MatterSubsystem."""

    @abstractmethod
    def new_limits(self, body: Any, coordinate: int, *given: Any) -> LimitsOfCoordinate:
        """See MatterSubsystem."""

    @property
    @abstractmethod
    def q_dot_dot_entry(self) -> CacheEntry:
        """See MatterSubsystem."""

    @property
    @abstractmethod
    def reactions_entry(self) -> CacheEntry:
        """See MatterSubsystem."""

    @property
    @abstractmethod
    def motion_forces_entry(self) -> CacheEntry:
        """See MatterSubsystem."""


class Body(NamedArguments, ABC):
    """This body is B; another one, A or Ground, is where it is seen from.

    A station S is a point fixed on the body, p_BS (3,) m from its origin, in its frame. Positions take a State from POSITION on,
    velocities from VELOCITY on, accelerations from ACCELERATION on; velocities and accelerations in A are those that an observer on A
    sees, expressed in A. Spatial arrays are angular first, rad/s and m/s, rad/s^2 and m/s^2.
    """

    matter: BodyOwner
    name: str
    index: int

    @abstractmethod
    def X_GB(self, state: State) -> Transform:
        """Pose of the body in Ground, from POSITION on."""

    @abstractmethod
    def V_GB(self, state: State) -> np.ndarray:
        """(6,) rad/s, m/s: angular velocity of the body and velocity of its origin in Ground; from VELOCITY on."""

    @abstractmethod
    def A_GB(self, state: State) -> np.ndarray:
        """(6,) rad/s^2, m/s^2: angular acceleration of the body and acceleration of its origin in Ground; from ACCELERATION on."""

    @abstractmethod
    def mass_center_station(self, state: State) -> np.ndarray:
        """(3,) m: the mass center as a station; Ground's is its origin."""

    # the body in another one
    def X_AB(self, state: State, other: "Body") -> Transform:
        """Pose in A."""
        return self._other(other).X_GB(state).inverse() @ self.X_GB(state)

    def V_AB(self, state: State, other: "Body") -> np.ndarray:
        """(6,) angular velocity, and velocity of the origin, in A."""
        return self._V_AS(state, np.zeros(3), other)

    def A_AB(self, state: State, other: "Body") -> np.ndarray:
        """(6,) angular acceleration, and acceleration of the origin, in A."""
        return self._A_AS(state, np.zeros(3), other)

    # stations
    def station_location_in_ground(self, state: State, p_BS: Any) -> np.ndarray:
        """(3,) m"""
        return self.X_GB(state).apply(self._station(p_BS))

    def station_velocity_in_ground(self, state: State, p_BS: Any) -> np.ndarray:
        """(3,) m/s"""
        return self._V_GS(state, self._station(p_BS))[3:]

    def station_acceleration_in_ground(self, state: State, p_BS: Any) -> np.ndarray:
        """(3,) m/s^2"""
        return self._A_GS(state, self._station(p_BS))[3:]

    def station_location_in(self, state: State, p_BS: Any, other: "Body") -> np.ndarray:
        """(3,) m: from the origin of A, in A; the station of A that is there."""
        return self.X_AB(state, other).apply(self._station(p_BS))

    def station_velocity_in(self, state: State, p_BS: Any, other: "Body") -> np.ndarray:
        """(3,) m/s"""
        return self._V_AS(state, self._station(p_BS), other)[3:]

    def station_acceleration_in(self, state: State, p_BS: Any, other: "Body") -> np.ndarray:
        """(3,) m/s^2"""
        return self._A_AS(state, self._station(p_BS), other)[3:]

    def station_at_ground_point(self, state: State, p_GS: Any) -> np.ndarray:
        """(3,) m: the station that is at a point of Ground now."""
        return self.X_GB(state).inverse().apply(checked_floats(p_GS, (3,), f"'{self.name}': a point of Ground"))

    def mass_center_location_in_ground(self, state: State) -> np.ndarray:
        """(3,) m"""
        return self.station_location_in_ground(state, self.mass_center_station(state))

    def mass_center_location_in(self, state: State, other: "Body") -> np.ndarray:
        """(3,) m"""
        return self.station_location_in(state, self.mass_center_station(state), other)

    # frames fixed on the body
    def frame_pose_in_ground(self, state: State, X_BF: Transform) -> Transform:
        """X_GF of a frame F on the body."""
        return self.X_GB(state) @ checked_kind(X_BF, Transform, f"'{self.name}': a frame on it")

    def frame_velocity_in_ground(self, state: State, X_BF: Transform) -> np.ndarray:
        """(6,) V_GF of a frame F on the body."""
        return self._V_GS(state, checked_kind(X_BF, Transform, f"'{self.name}': a frame on it").p)

    def frame_acceleration_in_ground(self, state: State, X_BF: Transform) -> np.ndarray:
        """(6,) A_GF of a frame F on the body."""
        return self._A_GS(state, checked_kind(X_BF, Transform, f"'{self.name}': a frame on it").p)

    # vectors
    def express_in_ground(self, state: State, v_B: Any) -> np.ndarray:
        """(3,) a vector given in the frame of this body, in that of Ground; from POSITION on."""
        return self.X_GB(state).R @ _vector(v_B)

    def express_in(self, state: State, v_B: Any, other: "Body") -> np.ndarray:
        """(3,) a vector given in the frame of this body, in that of A; from POSITION on."""
        return self.X_AB(state, other).R @ _vector(v_B)

    def express_from_ground(self, state: State, v_G: Any) -> np.ndarray:
        """(3,) a vector given in the frame of Ground, in that of this body; from POSITION on."""
        return self.X_GB(state).R.T @ _vector(v_G)

    # distances
    def station_to_station_distance(self, state: State, p_BS: Any, other: "Body", p_AT: Any) -> float:
        """m: from a station of this body to a station of A."""
        return float(np.linalg.norm(self._between(state, p_BS, other, p_AT)[0]))

    def station_to_station_distance_rate(self, state: State, p_BS: Any, other: "Body", p_AT: Any) -> float:
        """m/s: its rate; where the stations meet, that at which they part."""
        p, v, _ = self._between(state, p_BS, other, p_AT, n_rates=1)
        distance = np.linalg.norm(p)
        return float(p @ v / distance if distance else np.linalg.norm(v))

    def station_to_station_distance_acceleration(self, state: State, p_BS: Any, other: "Body", p_AT: Any) -> float:
        """m/s^2: its second rate; where the stations meet, that at which they part."""
        p, v, a = self._between(state, p_BS, other, p_AT, n_rates=2)
        distance, speed = np.linalg.norm(p), np.linalg.norm(v)
        if distance:
            along = p / distance
            across = v - (v @ along) * along
            return float(a @ along + across @ across / distance)
        return float(a @ v / speed if speed else np.linalg.norm(a))

    # inside
    def _V_GS(self, state: State, p_BS: np.ndarray) -> np.ndarray:
        return velocities_at(self.X_GB(state).R @ p_BS, self.V_GB(state))

    def _A_GS(self, state: State, p_BS: np.ndarray) -> np.ndarray:
        return accelerations_at(self.X_GB(state).R @ p_BS, self.V_GB(state)[:3], self.A_GB(state))

    def _V_AS(self, state: State, p_BS: np.ndarray, other: "Body") -> np.ndarray:
        X_GA, V_GA = self._other(other).X_GB(state), other.V_GB(state)
        p_AS_G = self.X_GB(state).apply(p_BS) - X_GA.p
        return _turned(X_GA.R.T, self._V_GS(state, p_BS) - velocities_at(p_AS_G, V_GA))

    def _A_AS(self, state: State, p_BS: np.ndarray, other: "Body") -> np.ndarray:
        """What an observer on A sees: without the acceleration of the point of A that is there, and without that of Coriolis."""
        X_GA, V_GA, A_GA = self._other(other).X_GB(state), other.V_GB(state), other.A_GB(state)
        w_GA = V_GA[:3]
        p_AS_G = self.X_GB(state).apply(p_BS) - X_GA.p
        V_AS_G = self._V_GS(state, p_BS) - velocities_at(p_AS_G, V_GA)
        A = self._A_GS(state, p_BS) - accelerations_at(p_AS_G, w_GA, A_GA)
        coriolis = np.concatenate([np.cross(w_GA, V_AS_G[:3]), 2 * np.cross(w_GA, V_AS_G[3:])])
        return _turned(X_GA.R.T, A - coriolis)

    def _between(self, state: State, p_BS: Any, other: "Body", p_AT: Any, n_rates: int = 0) -> tuple[np.ndarray, ...]:
        """Position, velocity and acceleration of S less those of T, in Ground; of the last two as many as are needed."""
        p_BS, p_AT = self._station(p_BS), self._other(other)._station(p_AT)
        p = self.X_GB(state).apply(p_BS) - other.X_GB(state).apply(p_AT)
        v = self._V_GS(state, p_BS)[3:] - other._V_GS(state, p_AT)[3:] if n_rates > 0 else np.zeros(3)
        a = self._A_GS(state, p_BS)[3:] - other._A_GS(state, p_AT)[3:] if n_rates > 1 else np.zeros(3)
        return p, v, a

    def _other(self, other: Any) -> "Body":
        return self.matter.checked(other, f"a quantity of '{self.name}' in another body")

    def _station(self, p_BS: Any) -> np.ndarray:
        return checked_floats(p_BS, (3,), f"a station of '{self.name}'")


def _vector(v: Any) -> np.ndarray:
    return checked_floats(v, (3,), "a vector to express in another frame")


def _turned(R: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Both parts of a spatial vector in another frame."""
    return np.concatenate([R @ V[:3], R @ V[3:]])
