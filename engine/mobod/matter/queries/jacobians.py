"""Jacobians of tasks: of points (stations) and frames that are fixed on bodies.

They are of one station (3,) on one body, or of n stations (n, 3) on a sequence of n bodies, then with a first axis of n in results.

A station is measured from its body's origin, in the body's frame, m. The origin of a frame on a body is a station; the frame's
orientation does not matter, since velocities, accelerations and forces are expressed in Ground. Jacobians and products need stage
POSITION, biases VELOCITY. Products cost O(n_bodies + n).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mobod.matter.queries.queried_matter import QueriedMatter, checked_array, checked_tree
from mobod.matter.queries.tree_operators import (
    bias_for_system_jacobian,
    multiply_by_system_jacobian,
    multiply_by_system_jacobian_transpose,
    system_jacobian,
)
from mobod.matter.tree.rigid_motion import accelerations_at, forces_about, velocities_at
from mobod.matter.tree.tree_body import NumberedBody
from mobod.system import Stage, State

Bodies = NumberedBody | Sequence[NumberedBody]


@dataclass(frozen=True)
class Tasks:
    """Points on bodies.

    body  (n,)    the index of each point's body
    p     (n, 3)  from that body's origin, in Ground
    lead  ()      for a single point, (n,) for a sequence: the first axes of results
    """

    body: np.ndarray
    p: np.ndarray
    lead: tuple[int, ...]

    def shaped(self, results: np.ndarray) -> np.ndarray:
        return results.reshape(*self.lead, *results.shape[1:])


def multiply_by_station_jacobian(matter: QueriedMatter, state: State, bodies: Bodies, stations: ArrayLike, u: ArrayLike) -> np.ndarray:
    """(3,) or (n, 3) m/s: velocities of stations, m, in their bodies' frames, for the speeds u (nu,). Needs stage POSITION."""
    return multiply_by_frame_jacobian(matter, state, bodies, stations, u)[..., 3:]


def multiply_by_station_jacobian_transpose(
    matter: QueriedMatter, state: State, bodies: Bodies, stations: ArrayLike, forces: ArrayLike
) -> np.ndarray:
    """(nu,) N m or N: generalized forces of forces (3,) or (n, 3) N, in Ground, at stations, m, in their bodies' frames.

    Needs stage POSITION.
    """
    tasks = _tasks(matter, state, bodies, stations)
    f = checked_array(forces, (*tasks.lead, 3), "an array of forces at stations").reshape(-1, 3)
    return _of_forces(matter, state, tasks, np.concatenate([np.zeros_like(f), f], axis=1))


def station_jacobian(matter: QueriedMatter, state: State, bodies: Bodies, stations: ArrayLike) -> np.ndarray:
    """(3, nu) or (n, 3, nu): J with J @ u the velocity, m/s, of stations, m, in their bodies' frames.

    Needs stage POSITION.

        J = matter.station_jacobian(state, lower, [0, -1, 0])
        velocity = J @ state.u
    """
    return frame_jacobian(matter, state, bodies, stations)[..., 3:, :]


def bias_for_station_jacobian(matter: QueriedMatter, state: State, bodies: Bodies, stations: ArrayLike) -> np.ndarray:
    """(3,) or (n, 3) m/s^2: accelerations of stations, m, in their bodies' frames, for u_dot = 0. Needs stage VELOCITY."""
    return bias_for_frame_jacobian(matter, state, bodies, stations)[..., 3:]


def multiply_by_frame_jacobian(matter: QueriedMatter, state: State, bodies: Bodies, origins: ArrayLike, u: ArrayLike) -> np.ndarray:
    """(6,) or (n, 6) rad/s, m/s: velocities of frames with these origins, m, for the speeds u (nu,). Needs stage POSITION."""
    tasks = _tasks(matter, state, bodies, origins)
    return tasks.shaped(velocities_at(tasks.p, multiply_by_system_jacobian(matter, state, u)[tasks.body]))


def multiply_by_frame_jacobian_transpose(
    matter: QueriedMatter, state: State, bodies: Bodies, origins: ArrayLike, forces: ArrayLike
) -> np.ndarray:
    """(nu,) N m or N: generalized forces of spatial forces (6,) or (n, 6), N m, N, about these origins, m, in their bodies' frames.

    Needs stage POSITION.
    """
    tasks = _tasks(matter, state, bodies, origins)
    return _of_forces(matter, state, tasks, checked_array(forces, (*tasks.lead, 6), "an array of forces on frames").reshape(-1, 6))


def frame_jacobian(matter: QueriedMatter, state: State, bodies: Bodies, origins: ArrayLike) -> np.ndarray:
    """(6, nu) or (n, 6, nu): J with J @ u the spatial velocity, rad/s, m/s, of frames with these origins, m. Needs stage POSITION."""
    tasks = _tasks(matter, state, bodies, origins)
    J = np.moveaxis(system_jacobian(matter, state)[tasks.body], -1, 0)
    return tasks.shaped(np.moveaxis(velocities_at(tasks.p, J), 0, -1))


def bias_for_frame_jacobian(matter: QueriedMatter, state: State, bodies: Bodies, origins: ArrayLike) -> np.ndarray:
    """(6,) or (n, 6) rad/s^2, m/s^2: accelerations of frames with these origins, m, for u_dot = 0. Needs stage VELOCITY."""
    tasks = _tasks(matter, state, bodies, origins)
    A = bias_for_system_jacobian(matter, state)[tasks.body]
    w = state.view(matter.tree(state.layout).slots.V_GB)[tasks.body, :3]
    return tasks.shaped(accelerations_at(tasks.p, w, A))


# inside
def _tasks(matter: QueriedMatter, state: State, bodies: Bodies, points: ArrayLike) -> Tasks:
    tree = checked_tree(matter, state, Stage.POSITION, "a station or frame Jacobian")
    lead: tuple[int, ...] = ()
    if isinstance(bodies, Sequence):
        lead = (len(bodies),)
    else:
        bodies = [bodies]
    body = np.array([matter.checked(each, "a station or frame Jacobian").index for each in bodies], dtype=int)
    p_B = checked_array(points, (*lead, 3), "an array of stations").reshape(-1, 3)
    return Tasks(body, np.einsum("nij,nj->ni", state.view(tree.slots.R_GB)[body], p_B), lead)


def _of_forces(matter: QueriedMatter, state: State, tasks: Tasks, F: np.ndarray) -> np.ndarray:
    total = np.zeros((matter.n_bodies, 6))
    np.add.at(total, tasks.body, forces_about(-tasks.p, F))
    return multiply_by_system_jacobian_transpose(matter, state, total)
