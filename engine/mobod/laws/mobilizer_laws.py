"""Laws of a mobilizer's equations: H is the derivative of the pose, Hdot that of H; poses that can be reached are fitted."""

from collections.abc import Iterator

import numpy as np

from mobod.laws.comparison import differ, shown
from mobod.laws.differences import estimated_difference
from mobod.matter import MobilizerEquations
from mobod.matter.equations.fitting import q_to_fit
from mobod.spatial import Transform

FITTED = 1e-6  # tolerance for entries of R and p of a fitted pose
NO_MOTION = 1e-9  # relative to the largest singular value of H


def mobilizer_laws(equations: MobilizerEquations, q: np.ndarray, u: np.ndarray, rng: np.random.Generator) -> Iterator[str]:
    """Messages about inconsistencies at coordinates q and speeds u."""
    name, X = type(equations).__name__, equations.X_FM(q)
    deviation = float(np.abs(X.R @ X.R.T - np.eye(3)).max())
    if not (deviation < 1e-9 and np.linalg.det(X.R) > 0):
        yield f"R of X_FM of {name} is no rotation: R R^T is off by {deviation:.3g}, its determinant is {np.linalg.det(X.R):.6g}."
        return
    q_dot = np.asarray(equations.q_dot(q, u), dtype=float)
    yield from _rates(equations, q, u, q_dot, rng)
    V, uncertainty = _velocity(equations, q, q_dot)
    H = np.asarray(equations.H_FM(q), dtype=float)
    if differ(H @ u, V, uncertainty=uncertainty):
        yield (
            f"H_FM of {name} is not how X_FM moves: H_FM u and the velocity of M in F along q_dot differ, {shown(H @ u, V)} (angular "
            "first, expressed in F). Leave H_FM out: it is made from X_FM."
        )
    H_rate, uncertainty = estimated_difference(lambda h: np.asarray(equations.H_FM(q + h * q_dot), dtype=float) @ u)
    given = np.asarray(equations.H_dot_u(q, u), dtype=float)
    if differ(given, H_rate, uncertainty=uncertainty):
        yield f"H_dot_u of {name} is not the rate of H_FM times u: {shown(given, H_rate)}. Leave H_dot_u out: it is made from H_FM."
    if equations.nu:
        sizes = np.linalg.svd(H, compute_uv=False)
        if len(sizes) < equations.nu or sizes[-1] < NO_MOTION * sizes[0]:
            rank = (sizes > NO_MOTION * sizes[0]).sum()
            yield f"the {equations.nu} speeds of {name} do not move M independently: the rank of H_FM is {rank}."
    yield from _fitting(equations, q, X)


def _rates(equations: MobilizerEquations, q: np.ndarray, u: np.ndarray, q_dot: np.ndarray, rng: np.random.Generator) -> Iterator[str]:
    name, v = type(equations).__name__, rng.normal(size=equations.nu)
    together = np.asarray(equations.q_dot(q, 0.3 * u - 1.7 * v), dtype=float)
    apart = 0.3 * q_dot - 1.7 * np.asarray(equations.q_dot(q, v), dtype=float)
    if differ(together, apart):
        yield f"q_dot of {name} is not linear in u: {shown(together, apart)}."
    for coordinate, speed in enumerate(equations.speed_of):
        if speed is not None and differ(q_dot[coordinate], u[speed]):
            yield (
                f"speed_of of {name} says that the rate of coordinate {coordinate} is speed {speed}, but q_dot gives "
                f"{shown(q_dot[coordinate], u[speed])}. Say None where no single speed is the rate."
            )
    at = equations.quaternion_at
    if at is not None:
        longer = q.copy()
        longer[at : at + 4] *= 1.7
        one, other = equations.X_FM(q), equations.X_FM(longer)
        if differ(np.ravel(one.R), np.ravel(other.R)):
            yield f"R of X_FM of {name} depends on the length of its quaternion: take its direction alone, as from_quaternion does."
        growth = float(q[at : at + 4] @ q_dot[at : at + 4])
        if differ(growth, 0.0):
            yield f"q_dot of {name} changes the length of its quaternion: q . q_dot is {growth:.6g}, not 0."


def _velocity(equations: MobilizerEquations, q: np.ndarray, q_dot: np.ndarray) -> tuple[np.ndarray, float]:
    """(6,) velocity of M in F for q moving with q_dot."""

    def pose(h: float) -> np.ndarray:
        X = equations.X_FM(q + h * q_dot)
        return np.concatenate([np.ravel(X.R), X.p]).astype(float)

    rate, uncertainty = estimated_difference(pose)
    W = rate[:9].reshape(3, 3) @ np.asarray(equations.X_FM(q).R, dtype=float).T  # cross matrix of the angular velocity
    return np.array([W[2, 1], W[0, 2], W[1, 0], *rate[9:]]), uncertainty


def _fitting(equations: MobilizerEquations, q: np.ndarray, X: Transform) -> Iterator[str]:
    """Check that the fit, starting from the default coordinates, reaches a pose that can be reached."""
    start = np.array(equations.default_q, dtype=float)
    found = equations.X_FM(q_to_fit(equations, start, R=np.asarray(X.R, dtype=float), p=np.asarray(X.p, dtype=float)))
    missed = max(float(np.abs(found.R - X.R).max()), float(np.abs(found.p - X.p).max()))
    if missed > FITTED:
        yield (
            f"a pose that {type(equations).__name__} can reach is not found again from default_q: it is missed by {missed:.3g} (entries of "
            "R, or m). Write near(X_FM, q), coordinates that are near to a pose."
        )
