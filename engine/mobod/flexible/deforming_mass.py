"""How the inertia of a flexible body follows its deformation.

About the present mass center, with y and S the positions and shapes of the points relative to it, in the axes of the body:

    J = sum m (y.y 1 - y y^T)      Cr = sum m y x S      Mee = sum m S^T S

With linear shapes these are polynomials in eta, whose coefficients are sums over all points, however many: J1, J2, Cr1. With shapes of
second order the points themselves are kept. Rotary inertia of points, with their rotations, adds constants.

Source: Schwertassek, Wallrapp, Dynamik flexibler Mehrkoerpersysteme (1999), ch. 6; Zwoelfer, Gerstmayr, nodal-based FFRF (2020).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, final

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from mobod.errors import InputError
from mobod.flexible.interfaces import MassPoint
from mobod.spatial import cross_matrix


@final
@dataclass(frozen=True, eq=False)
class SecondMoments:
    """Sums over the points of a body with linear shapes, relative to the mass center; Phi_i: shapes without their mean.

    first   (n, 3, 3)     kg^(1/2) m  sum m y Phi_i^T
    second  (n, n, 3, 3)  no unit     sum m Phi_i Phi_j^T
    """

    first: np.ndarray
    second: np.ndarray

    @classmethod
    def of_fields(cls, W: np.ndarray | sparse.csr_array, y: np.ndarray, shapes: np.ndarray) -> Self:
        """W (k, k) kg: the mass matrix of one direction; y (k, 3), shapes (k, 3, n): fields relative to the mass center."""
        weighted = np.asarray(W @ shapes.reshape(len(y), -1)).reshape(shapes.shape)
        return cls(np.einsum("ka,kbi->iab", y, weighted), np.einsum("kai,kbj->ijab", shapes, weighted))


@final
@dataclass(frozen=True, eq=False)
class DeformingMass:
    """The inertia of a flexible body as the tables have it.

    mass       kg
    com        (3,) m  mass center without deformation, from the origin of M along the body's axes
    inertia    (3, 3)  about it, without deformation
    is_curved  whether shapes are of second order: which of the two kernels reads the arrays
    arrays     of `deforming_inertia.linear_position`; or of `curved_position`, then of each point: mass, position, shapes
    kept       the shapes of what positions leave for velocities: of the whole body; of curved shapes also five sums over points,
               then the position and the shapes of each
    rates      of sums over points at velocities
    """

    mass: float
    com: np.ndarray
    inertia: np.ndarray
    is_curved: bool
    arrays: tuple[np.ndarray, ...]
    kept: tuple[tuple[int, ...], ...]
    rates: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def of_moments(
        cls, mass: float, com: np.ndarray, inertia: np.ndarray, coupling: np.ndarray, modal_mass: np.ndarray, moments: SecondMoments
    ) -> Self:
        """coupling (6, n): momentum of the modes about the mass center; modal_mass (n, n): of all motion of the modes."""
        n = coupling.shape[1]
        Ct, first, second = coupling[3:], moments.first, moments.second
        J1 = np.array([_entries(2 * (np.trace(A) * np.eye(3)) - A - A.T) for A in first]).reshape(n, 6)
        symmetric = (second + second.transpose(0, 1, 3, 2)) / 2
        J2 = np.array([[_entries(np.trace(A) * np.eye(3) - A) for A in row] for row in symmetric]).reshape(n, n, 6)
        Cr1 = np.array([[_axial(A) for A in row] for row in second]).reshape(n, n, 3)
        arrays = (com, _entries(inertia), Ct, coupling[:3], modal_mass - Ct.T @ Ct / mass, J1, J2, Cr1)
        return cls(mass, com, inertia, False, arrays, ((6,), (3, n), (n, 6)))

    @classmethod
    def of_points(cls, points: Sequence[MassPoint], origin: np.ndarray, *, is_curved: bool) -> Self:
        """origin (3,) m: of M in the body's frame."""
        m, p = np.array([each.mass for each in points]), np.array([each.p for each in points]) - origin
        turns, Pt = np.array([each.shapes[:3] for each in points]), np.array([each.shapes[3:] for each in points])
        rotary = np.array([each.inertia for each in points])
        Jr, Cr = rotary.sum(axis=0), np.einsum("kab,kbi->ai", rotary, turns)
        Mr = np.einsum("kai,kab,kbj->ij", turns, rotary, turns)
        mass = float(m.sum())
        com = m @ p / mass
        y, Ct = p - com, np.einsum("k,kai->ai", m, Pt)
        inertia = Jr + sum(each * (d @ d * np.eye(3) - np.outer(d, d)) for each, d in zip(m, y, strict=True))
        if is_curved:
            second = np.array([each.second for each in points])
            n, sums = Pt.shape[2], ((3,), (6,), (3, Pt.shape[2]), (3, Pt.shape[2]), (Pt.shape[2] * (Pt.shape[2] + 1) // 2,))
            of_points = [each for k in range(m.size) for each in (m[k], p[k], Pt[k], second[k])]
            kept = ((6,), (3, n), *sums, *(each for _ in points for each in ((3,), (3, n))))
            return cls(mass, com, inertia, True, (com, _entries(Jr), Cr, Mr, *of_points), kept, ((3,), (3,), (3, 3)))
        S = Pt - Ct / mass
        coupling = np.concatenate([Cr + sum(each * cross_matrix(d) @ s for each, d, s in zip(m, y, S, strict=True)), Ct])
        modal_mass = Mr + np.einsum("k,kai,kaj->ij", m, Pt, Pt)
        return cls.of_moments(mass, com, inertia, coupling, modal_mass, SecondMoments.of_fields(np.diag(m), y, S))

    def least_mass(self, eta: np.ndarray) -> float:
        """The least eigenvalue of the mass matrix at eta, relative to the masses of the coordinates; linear shapes."""
        M = self._mass_matrix(eta)
        sizes = np.sqrt(np.maximum(np.diag(M), 1e-300))
        return float(np.linalg.eigvalsh(M / np.outer(sizes, sizes))[0])

    def _mass_matrix(self, eta: np.ndarray) -> np.ndarray:
        """(6 + n, 6 + n) of the motion of the frame and of the modes, about the mass center; linear shapes."""
        _, J0, Ct, Cr0, Mee, J1, J2, Cr1 = self.arrays
        J = J0 + eta @ J1 + np.einsum("i,ija,j->a", eta, J2, eta)
        xx, yy, zz, xy, xz, yz = J
        Cr = Cr0 + np.einsum("k,kia->ai", eta, Cr1)
        n = eta.size
        M = np.zeros((6 + n, 6 + n))
        M[:3, :3], M[3:6, 3:6] = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], self.mass * np.eye(3)
        M[:3, 6:], M[6:, :3], M[3:6, 6:], M[6:, 3:6] = Cr, Cr.T, Ct, Ct.T
        M[6:, 6:] = Mee + Ct.T @ Ct / self.mass
        return M


def moments_of_mesh(M: object, nodes: np.ndarray, shapes: np.ndarray, com: np.ndarray) -> SecondMoments:
    """Of a mesh with the mass matrix M; shapes (N, 3, n): displacements of its nodes.

    Exact if M is the same matrix for each direction, as that of solid elements is. Otherwise, with rotations of nodes, by the sums of rows.
    """
    given = sparse.csr_array(M)
    freedoms = given.shape[0] // len(nodes)
    blocks = [[given[i::freedoms, j::freedoms] for j in range(3)] for i in range(3)]
    size = abs(given).max()
    is_same = all(
        abs(blocks[i][j] - (blocks[0][0] if i == j else 0 * blocks[0][0])).max() <= _SAME * size for i in range(3) for j in range(3)
    )
    if freedoms == 3 and is_same:
        W = sparse.csr_array(blocks[0][0])
    else:
        lumped = sum(np.asarray(blocks[i][j].sum(axis=1)).ravel() for i, j in ((0, 0), (1, 1), (2, 2))) / 3
        W = sparse.csr_array(sparse.diags_array(lumped))
    return _relative_moments(W, nodes - com, shapes)


def moments_of_points(given: tuple[ArrayLike, ArrayLike, ArrayLike], basis: np.ndarray, mass: float, com: np.ndarray) -> SecondMoments:
    """Of points with masses, positions and displacements for unit freedoms; basis (dof, n): the freedoms for unit modal coordinates.

    Raises InputError for points that do not have the mass and the mass center of the body.
    """
    m, p, shapes = (np.array(each, dtype=float) for each in given)
    dof = basis.shape[0]
    if m.ndim != 1 or p.shape != (m.size, 3) or shapes.shape != (m.size, 3, dof):
        raise InputError(
            f"ModalData: points has masses (N,), positions (N, 3) and displacements (N, 3, {dof}); not arrays of shapes {m.shape}, "
            f"{p.shape}, {shapes.shape}."
        )
    if not all(np.isfinite(each).all() for each in (m, p, shapes)) or (m < 0).any() or not m.sum() > 0:
        raise InputError("ModalData: masses of points must not be negative, and all numbers of points finite.")
    center, size = m @ p / m.sum(), float(np.linalg.norm(np.ptp(p, axis=0)))
    if abs(m.sum() - mass) > _AS_M * mass or np.abs(center - com).max() > _AS_M * size:
        raise InputError(
            f"ModalData: the points have a mass of {m.sum():g} kg with its center at {center.round(6).tolist()} m; M has {mass:g} kg at "
            f"{com.round(6).tolist()} m."
        )
    return _relative_moments(sparse.csr_array(sparse.diags_array(m)), p - center, np.einsum("kad,di->kai", shapes, basis))


def _relative_moments(W: sparse.csr_array, y: np.ndarray, shapes: np.ndarray) -> SecondMoments:
    """Of shapes without their mean."""
    weights = np.asarray(W.sum(axis=0)).ravel()
    mean = np.einsum("k,kai->ai", weights, shapes) / weights.sum()
    return SecondMoments.of_fields(W, y, shapes - mean)


_SAME = 1e-9  # of blocks of M relative to its largest entry
_AS_M = 1e-2  # of masses of points: more is another body


def _entries(A: np.ndarray) -> np.ndarray:
    """xx yy zz xy xz yz"""
    return np.array([A[0, 0], A[1, 1], A[2, 2], A[0, 1], A[0, 2], A[1, 2]])


def _axial(A: np.ndarray) -> np.ndarray:
    """(3,) the sum of a x b for A = sum of a b^T."""
    return np.array([A[1, 2] - A[2, 1], A[2, 0] - A[0, 2], A[0, 1] - A[1, 0]])
