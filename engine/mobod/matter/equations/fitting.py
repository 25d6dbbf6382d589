"""Fitting of coordinates: frame M of a mobilizer as close as possible to a pose in F."""

from collections.abc import Callable

import numpy as np
import scipy

from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.spatial import Transform

# entries of a pose with smaller differences agree to round-off
EXACT = 1e-14
# number of further starts if a search from near the pose does not reach it, since there may be several minima
OTHER_STARTS = 12
# another minimum counts as nearer if its distance is smaller by more than this, in entries of R and m
NEARER = 1e-6


def q_to_fit(equations: MobilizerEquations, q: np.ndarray, *, R: np.ndarray | None = None, p: np.ndarray | None = None) -> np.ndarray:
    """Coordinates that minimize the sum of squared errors of the entries of R_FM, p_FM (in m) or both.

    q        (nq,)    start of the search
    R        (3, 3)   wanted rotation; None: any
    p        (3,)     wanted position, m; None: any
    returns  (nq,)    a quaternion among them has unit length
    """
    if not equations.nq:
        return q
    X = equations.X_FM(q)
    start = equations.near(Transform.of(X.R if R is None else R, X.p if p is None else p), q.copy())

    def difference(q: np.ndarray) -> np.ndarray:
        X = equations.X_FM(q)
        parts = [np.zeros(0), *([] if R is None else [np.ravel(X.R - R)]), *([] if p is None else [X.p - p])]
        return np.concatenate(parts).astype(float)

    if np.abs(difference(start)).max() > EXACT:
        start = _nearest(difference, start)
    at = equations.quaternion_at
    if at is not None:
        start[at : at + 4] /= np.linalg.norm(start[at : at + 4])
    return start


def _nearest(difference: Callable[[np.ndarray], np.ndarray], start: np.ndarray) -> np.ndarray:
    """The coordinates of the least difference: the minimum nearest to the start, unless another one is lower."""

    def distance(q: np.ndarray) -> float:
        return float(np.linalg.norm(difference(q)))

    def search(q: np.ndarray) -> np.ndarray:
        return np.asarray(scipy.optimize.least_squares(difference, q, jac="3-point", method="trf", xtol=1e-15, ftol=1e-15, gtol=1e-15).x)

    best = min((start, search(start)), key=distance)
    rng = np.random.default_rng(0)  # so that equal poses have equal fits
    for _ in range(OTHER_STARTS):
        if distance(best) < NEARER:
            break
        other = search(start + rng.uniform(-2 * np.pi, 2 * np.pi, size=len(start)))
        if distance(other) < distance(best) - NEARER:
            best = other
    return best
