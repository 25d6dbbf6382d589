"""Reduction of a free elastic body to static shapes of its interfaces, and modes of the fixed interfaces or of the free body.

With B u = b, the motion of the interfaces other than the inboard one, which is held, and of that one:

    static shapes     [[K, B^T], [B, 0]] [Psi; .] = [0; 1]
    modes             K phi = omega^2 M phi in B phi = 0

All shapes vanish at the inboard interface; or they are relative to the mean axes of Buckens, T^T M Phi = 0 with the rigid motions T, and
the modes are those of the free body, B = T^T M. They are made orthonormal: eigenvectors of the reduced pencil (K, M), lowest first.

Source: Craig, Bampton, Coupling of substructures for dynamic analyses, AIAA Journal 6 (1968).
"""

# Decision: docs/decisions/214-mean-axes.md

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, eigsh, splu

from mobod.errors import InputError, MassPropertiesError, MobodWarning
from mobod.flexible.deforming_mass import SecondMoments
from mobod.flexible.interfaces import GivenInterfaces, ModalInterface, check_names, checked_ties, elimination_of_rigid_nodes
from mobod.flexible.invariants import RigidMotion, rigid_motions
from mobod.flexible.matrix_checks import DEPENDENT, MASSLESS, check_independent, check_rigid, check_same_size, check_turns, checked_matrix
from mobod.flexible.signs import with_fixed_signs
from mobod.spatial import Transform, cross_matrix

LOOSE = 1e-13  # the lowest square of a frequency relative to the highest
LOOSE_PART = (
    "ModalData: K has more than the six rigid motions without stiffness: a part of the body is loose, or the inboard interface does not "
    "hold it. Check K and the nodes of the interfaces."
)
_ALL = 12  # shapes if no number is asked for, or two more than the static ones
_BEYOND = 4  # modes of the fixed interfaces beyond those asked for, before truncation
_DENSE = 400  # up to this number of unknowns, dense eigenvectors


@final
@dataclass(frozen=True, eq=False)
class Reduced:
    """coupling (6, n): T^T M Phi about the origin, (3,) m, as rigid; shapes (unknowns, n); the rest as in ModalData."""

    inboard: str | None
    origin: np.ndarray
    interfaces: Mapping[str, ModalInterface]
    rigid: RigidMotion
    coupling: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    size: float
    flexibility_lost: float
    shapes: np.ndarray
    moments: SecondMoments | None = None


@dataclass(frozen=True, eq=False)
class _ElasticMatrices:
    """Matrices of n unknowns, the motion of interfaces by them (6, n), displacement first, and the rigid motions T (n, 6)."""

    M: sparse.csc_array
    K: sparse.csc_array
    D: sparse.csc_array | None
    motions: Mapping[str, sparse.csr_array]
    poses: Mapping[str, Transform]
    T: np.ndarray
    origin: np.ndarray
    size: float


def from_full(
    M: ArrayLike,
    K: ArrayLike,
    nodes: ArrayLike,
    interfaces: GivenInterfaces,
    inboard: str | None,
    D: ArrayLike | None,
    modes: int | None,
    below: float | None,
) -> Reduced:
    """See ModalData.from_matrices."""
    points = np.array(nodes, dtype=float)
    if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
        raise InputError(f"ModalData: nodes has shape {points.shape}. Finite positions of shape (N, 3) are needed.")
    mass, stiffness = checked_matrix("M", M), checked_matrix("K", K)
    freedoms = mass.shape[0] // max(len(points), 1)
    if freedoms not in (3, 6) or mass.shape[0] != freedoms * len(points):
        raise InputError(f"ModalData: M has {mass.shape[0]} freedoms for {len(points)} nodes. Each node has 3, or 6.")
    ties = checked_ties(interfaces, points, freedoms, inboard)
    poses = {tie.name: tie.X for tie in ties}
    S, places = elimination_of_rigid_nodes(ties, points, freedoms)
    origin = points.mean(axis=0) if inboard is None else poses[inboard].p
    T = rigid_motions(points, origin, freedoms)
    motions = {}
    for tie in ties:
        if tie.is_rigid:
            rows = np.arange(6)
            motions[tie.name] = sparse.csr_array((np.ones(6), (rows, places[tie.name])), shape=(6, S.shape[1]))
        else:
            of_nodes = (tie.nodes[:, None] * freedoms + np.arange(3)).ravel()
            mean = tie.mean(points, freedoms)
            i, j = np.indices(mean.shape)
            full = sparse.csr_array((mean.ravel(), (i.ravel(), of_nodes[j.ravel()])), shape=(6, S.shape[0]))
            motions[tie.name] = sparse.csr_array(full @ S)
    damping = None if D is None else checked_matrix("D", D)
    check_same_size(mass, stiffness, damping)
    held = next((tie.freedoms_of_nodes(freedoms) for tie in ties if tie.name == inboard and tie.is_rigid), np.zeros(0, dtype=int))
    check_rigid(stiffness, T, held)
    # the rigid motions in the unknowns that are left
    T_y = np.zeros((S.shape[1], 6))
    kept = S.shape[1] - 6 * len(places)
    T_y[:kept] = (S.T @ T)[:kept]
    for name, at in places.items():
        T_y[at] = _rigid_of_frame(poses[name].p - origin)
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    reduced = [None if each is None else sparse.csc_array(S.T @ each @ S) for each in (mass, stiffness, damping)]
    assert reduced[0] is not None
    assert reduced[1] is not None
    body = _ElasticMatrices(reduced[0], reduced[1], reduced[2], motions, poses, T_y, origin, size)
    found = _reduced(body, inboard, modes, below)
    return replace(found, shapes=S @ found.shapes)


def from_reduced(
    M: ArrayLike,
    K: ArrayLike,
    interfaces: Mapping[str, Transform | ArrayLike],
    inboard: str | None,
    D: ArrayLike | None,
    modes: int | None,
    below: float | None,
) -> Reduced:
    """See ModalData.from_reduced."""
    mass, stiffness, damping = checked_matrix("M", M), checked_matrix("K", K), None if D is None else checked_matrix("D", D)
    check_same_size(mass, stiffness, damping)
    named: object = interfaces
    if not isinstance(named, Mapping) or not named:
        raise InputError("ModalData: interfaces is a dict of names and positions, with at least one, such as the inboard interface.")
    check_names(list(interfaces), inboard)
    poses = {name: each if isinstance(each, Transform) else Transform(p=each) for name, each in interfaces.items()}
    n, n_boundary = mass.shape[0], 6 * len(poses)
    if n < n_boundary:
        raise InputError(f"ModalData: M has {n} freedoms. {len(poses)} interfaces have {n_boundary}, six each; modes follow them.")
    used = _independent_freedoms(mass, stiffness, n_boundary)
    if used.size < n:
        mass, stiffness = mass[used][:, used], stiffness[used][:, used]
        damping = None if damping is None else damping[used][:, used]
    n_given, n = n, used.size
    points = np.array([X.p for X in poses.values()])
    origin = points.mean(axis=0) if inboard is None else poses[inboard].p
    T, motions = np.zeros((n, 6)), {}
    for number, (name, X) in enumerate(poses.items()):
        at = np.arange(6 * number, 6 * number + 6)
        T[at] = _rigid_of_frame(X.p - origin)
        motions[name] = sparse.csr_array((np.ones(6), (np.arange(6), at)), shape=(6, n))
    check_rigid(stiffness, T, np.arange(0) if inboard is None else 6 * list(poses).index(inboard) + np.arange(6))
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    found = _reduced(_ElasticMatrices(mass, stiffness, damping, motions, poses, T, origin, size), inboard, modes, below)
    shapes = np.zeros((n_given, found.stiffness.size))
    shapes[used] = found.shapes
    return replace(found, shapes=shapes)


def _rigid_of_frame(d: np.ndarray) -> np.ndarray:
    """(6, 6) displacement, then rotation, of a frame at d, for a rotation about, then a translation of, the origin."""
    T = np.zeros((6, 6))
    T[:3, :3], T[:3, 3:], T[3:, :3] = -cross_matrix(d), np.eye(3), np.eye(3)
    return T


def _reduced(body: _ElasticMatrices, inboard: str | None, modes: int | None, below: float | None) -> Reduced:
    held, *others = sorted(body.motions, key=lambda name: name != inboard)
    n_static, n = 6 * len(others), body.M.shape[0]
    n_inner = max(n - n_static - 6, 0)
    B = sparse.csc_array(sparse.vstack([body.motions[name] for name in (held, *others)]))
    check_independent(B, (held, *others))
    MT = body.M @ body.T
    rigid = RigidMotion(body.T.T @ MT)
    if not rigid.mass > 0:
        raise MassPropertiesError(f"ModalData: the mass matrix gives a mass of {rigid.mass:g} kg. It must be positive.")
    system = _Constrained(body.K, body.M, B)
    static = system.static_shapes()[:, 6:]
    if inboard is None:
        check_turns(rigid)
        n_inner = max(n - 6, 0)
        system = _Constrained(body.K, body.M, sparse.csc_array((MT / np.abs(MT).max(axis=0)).T))
    wanted = (modes + _BEYOND) if modes is not None else max(_ALL - n_static, 2) if below is None else 8
    while True:
        squares, inner = system.modes(min(wanted, n_inner))
        if below is None or modes is not None or wanted >= n_inner or squares[-1] > (2 * 2 * np.pi * below) ** 2:
            break
        wanted *= 2
    basis = np.hstack([static, inner])
    if inboard is None:
        basis = basis - body.T @ np.linalg.solve(rigid.matrix, MT.T @ basis)
    shapes, stiffness = _orthonormal(basis, body)
    moving = others if inboard is not None else list(body.motions)
    kept, lost = chosen_modes(stiffness, shapes, [body.motions[name] for name in moving], modes, below)
    shapes, stiffness = shapes[:, kept], stiffness[kept]
    frames = {}
    for name, motion in body.motions.items():
        moved = np.zeros((6, shapes.shape[1])) if name == inboard else motion @ shapes
        frames[name] = ModalInterface(body.poses[name], np.concatenate([moved[3:], moved[:3]]))
    damping = np.zeros((stiffness.size,) * 2) if body.D is None else shapes.T @ (body.D @ shapes)
    coupling = MT.T @ shapes if inboard is not None else np.zeros((6, stiffness.size))
    return Reduced(inboard, body.origin, frames, rigid, coupling, stiffness, damping, body.size, lost, shapes)


class _Constrained:
    """K and M with the constraints B u = b, by factors of [[K, B^T], [B, 0]]."""

    def __init__(self, K: sparse.csc_array, M: sparse.csc_array, B: sparse.csc_array):
        self._K, self._M, self._n, self._m = K, M, K.shape[0], B.shape[0]
        # forces and displacements of comparable size
        self._scale = float(abs(K).max())
        whole = sparse.csc_array(sparse.block_array([[K, self._scale * B.T], [self._scale * B, None]]))
        self._B = B
        try:
            self._factors = splu(whole)
        except RuntimeError:  # exactly singular
            raise InputError(LOOSE_PART) from None

    def _solve(self, right: np.ndarray) -> np.ndarray:
        return np.asarray(self._factors.solve(right))[: self._n]

    def static_shapes(self) -> np.ndarray:
        """(n, m): unit motions of the interfaces, one after another."""
        right = np.zeros((self._n + self._m, self._m))
        right[self._n :] = self._scale * np.eye(self._m)
        return self._solve(right)

    def modes(self, wanted: int) -> tuple[np.ndarray, np.ndarray]:
        """(squares of angular frequencies, shapes (n, wanted)) with all interfaces fixed, lowest first."""
        if wanted <= 0:
            return np.zeros(0), np.zeros((self._n, 0))
        if self._n <= _DENSE or wanted >= self._n - self._m - 1:
            return self._dense_modes(wanted)
        zeros = np.zeros(self._m)
        inverse = LinearOperator((self._n, self._n), matvec=lambda f: self._solve(np.concatenate([f.ravel(), zeros])), dtype=float)
        start = inverse @ np.cos(np.arange(self._n))
        squares, shapes = eigsh(self._K, wanted, self._M, sigma=0.0, OPinv=inverse, v0=start)
        order = np.argsort(squares)
        return squares[order], shapes[:, order]

    def _dense_modes(self, wanted: int) -> tuple[np.ndarray, np.ndarray]:
        """Of the inverse problem, M phi = phi / omega^2 K, so that freedoms without mass do no harm."""
        free = linalg.null_space(self._B.toarray())
        try:
            inverses, shapes = linalg.eigh(free.T @ (self._M @ free), free.T @ (self._K @ free))
        except linalg.LinAlgError:
            raise InputError(LOOSE_PART) from None
        if inverses[0] < -MASSLESS * inverses[-1]:
            raise InputError("ModalData: M is not positive definite: a motion of the body has a negative mass. Check M.")
        moving = np.flatnonzero(inverses > MASSLESS * inverses[-1])[::-1][:wanted]
        return 1 / inverses[moving], free @ shapes[:, moving]


def _orthonormal(basis: np.ndarray, body: _ElasticMatrices) -> tuple[np.ndarray, np.ndarray]:
    """(shapes with unit modal mass, stiffness), lowest first. Shapes that depend on others are left out."""
    if not basis.shape[1]:
        return basis, np.zeros(0)
    mass, _stiffness = basis.T @ (body.M @ basis), basis.T @ (body.K @ basis)
    sizes = np.sqrt(np.maximum(np.diag(mass), 0))
    if (sizes <= 0).any():
        raise InputError("ModalData: M gives a shape of an interface no mass. It must be positive definite.")
    scaled = mass / np.outer(sizes, sizes)
    parts, vectors = linalg.eigh((scaled + scaled.T) / 2)
    independent = parts > DEPENDENT
    if parts[0] < -1e-9:
        raise InputError("ModalData: M is not positive definite: a motion of the body has a negative mass. Check M.")
    whitened = basis / sizes @ (vectors[:, independent] / np.sqrt(parts[independent]))
    reduced = whitened.T @ (body.K @ whitened)
    squares, rotation = linalg.eigh((reduced + reduced.T) / 2)
    if squares[0] <= LOOSE * squares[-1]:
        raise InputError(LOOSE_PART)
    return with_fixed_signs(whitened @ rotation, body.M.diagonal()), squares


def chosen_modes(
    stiffness: np.ndarray, shapes: np.ndarray, motions: list[Any], modes: int | None, below: float | None
) -> tuple[slice, float]:
    """The lowest modes that are kept, and the part of the interfaces' flexibility that is lost. motions: of interfaces by the unknowns"""
    kept = slice(0, shapes.shape[1] if modes is None else modes)
    if below is not None:
        n_below = int((stiffness < (2 * np.pi * below) ** 2).sum())
        if not n_below:
            lowest = f"; the lowest is {np.sqrt(stiffness[0]) / (2 * np.pi):.4g} Hz" if stiffness.size else ""
            raise InputError(f"ModalData: no mode lies below {below:g} Hz{lowest}. Raise below, or use a RigidBody.")
        kept = slice(0, n_below if modes is None else min(modes, n_below))
    return kept, _lost_flexibility(shapes, stiffness, kept, motions)


def _lost_flexibility(shapes: np.ndarray, stiffness: np.ndarray, kept: slice, motions: list[Any]) -> float:
    """The largest difference of the interfaces' static flexibility with kept shapes, relative to that with all."""
    worst = 0.0
    for motion in motions:
        for part in (slice(0, 3), slice(3, 6)):
            of_all = (motion @ shapes)[part]
            flexibility, of_kept = ((of_all[:, own] / stiffness[own]) @ of_all[:, own].T for own in (slice(None), kept))
            size = np.abs(flexibility).max()
            if size > 0:
                worst = max(worst, float(np.abs(flexibility - of_kept).max() / size))
    return worst


def _independent_freedoms(M: sparse.csc_array, K: sparse.csc_array, n_boundary: int) -> np.ndarray:
    """All freedoms but modes that interfaces' freedoms and the modes before them contain already; a warning has their numbers."""
    if M.shape[0] == n_boundary:
        return np.arange(n_boundary)
    energy = (M / max(float(abs(M).max()), 1e-300) + K / max(float(abs(K).max()), 1e-300)).toarray()
    sizes = np.sqrt(np.maximum(np.diag(energy), 1e-300))
    parts, vectors = linalg.eigh(energy / np.outer(sizes, sizes))
    shapes = np.sqrt(np.maximum(parts, 0.0))[:, None] * vectors.T
    directions = linalg.orth(shapes[:, :n_boundary])
    kept = list(range(n_boundary))
    for mode in range(n_boundary, M.shape[0]):
        rest = shapes[:, mode]
        for _ in range(2):  # the second time removes what round-off has left
            rest = rest - directions @ (directions.T @ rest)
        size = float(np.linalg.norm(rest))
        if size**2 > DEPENDENT:
            kept.append(mode)
            directions = np.column_stack([directions, rest / size])
    if len(kept) == M.shape[0]:
        return np.array(kept)
    left_out = ", ".join(str(mode - n_boundary + 1) for mode in range(n_boundary, M.shape[0]) if mode not in kept)
    MobodWarning.warn(
        f"ModalData: of the {M.shape[0] - n_boundary} modes after the interfaces, these depend on others and are left out: {left_out}."
    )
    return np.array(kept)
