"""Coordinates and speeds of a mobilizer that come nearest to a motion of its frame M in F."""

import numpy as np
from numpy.typing import ArrayLike

from mobod.matter.bodies.body_in_tree import BodyInTree, given_frame
from mobod.matter.equations.fitting import q_to_fit
from mobod.spatial import Transform
from mobod.spatial.checked import checked_floats
from mobod.spatial.rotation import checked_rotation
from mobod.system import State


def set_q_to_fit_transform(body: BodyInTree, state: State, X_FM: Transform) -> None:
    """Set q so that M is as close as possible to a pose in F: least squares of the entries of R and p (m)."""
    X_FM = given_frame(body, X_FM, "X_FM")
    _fit_q(body, state, R=X_FM.R, p=X_FM.p)


def set_q_to_fit_rotation(body: BodyInTree, state: State, R_FM: ArrayLike) -> None:
    """Set q so that the rotation of M in F is as close as possible to R_FM (3, 3). Coordinates that do not affect it change as little
    as possible.
    """
    _fit_q(body, state, R=checked_rotation(R_FM, f"{body.name}: R_FM"))


def set_q_to_fit_translation(body: BodyInTree, state: State, p_FM: ArrayLike) -> None:
    """Set q so that the position of M in F is as close as possible to p_FM (3,) m. Coordinates that do not affect it change as little
    as possible.
    """
    _fit_q(body, state, p=checked_floats(p_FM, (3,), f"{body.name}: p_FM"))


def set_u_to_fit_velocity(body: BodyInTree, state: State, V_FM: ArrayLike) -> None:
    """Set u so that the velocity of M in F is as close as possible (least squares) to V_FM (6,) rad/s, m/s, expressed in F."""
    _fit_u(body, state, slice(0, 6), V_FM, "V_FM")


def set_u_to_fit_angular_velocity(body: BodyInTree, state: State, w_FM: ArrayLike) -> None:
    """Set u so that the angular velocity of M in F is as close as possible to w_FM (3,) rad/s. Speeds that do not affect it stay the
    same.
    """
    _fit_u(body, state, slice(0, 3), w_FM, "w_FM")


def set_u_to_fit_linear_velocity(body: BodyInTree, state: State, v_FM: ArrayLike) -> None:
    """Set u so that the velocity of M's origin in F is as close as possible to v_FM (3,) m/s. Speeds that do not affect it stay the
    same.
    """
    _fit_u(body, state, slice(3, 6), v_FM, "v_FM")


def _fit_q(body: BodyInTree, state: State, *, R: np.ndarray | None = None, p: np.ndarray | None = None) -> None:
    body.set_q(state, q_to_fit(body.equations_in(state), body.q(state), R=R, p=p))


def _fit_u(body: BodyInTree, state: State, rows: slice, velocity: ArrayLike, what: str) -> None:
    wanted = checked_floats(velocity, (rows.stop - rows.start,), f"{body.name}: {what}")
    H = body.equations_in(state).H_FM(body.q(state))[rows].astype(float)
    u = body.u(state)
    body.set_u(state, u + np.linalg.lstsq(H, wanted - H @ u, rcond=1e-12)[0])
