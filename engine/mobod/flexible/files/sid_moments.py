"""How the inertia of an SID's body follows its deformation: from the terms of first order of J, Cr and Oe.

With A_i = sum m r Phi_i^T and S_ij = sum m Phi_i Phi_j^T about the origin of the file:

    J1_i  = 2 trace(A_i) 1 - A_i - A_i^T        Cr0_i = sum m r x Phi_i       the symmetric and the antisymmetric part of A_i
    Oe1   centrifugal forces: S_xx - trace S, S_yy - trace S, S_zz - trace S, 2 S_xy, 2 S_yz, 2 S_xz      symmetric part of S_ij
    Cr1   sum m Phi_k x Phi_i                                                 antisymmetric part of S_ki

Geometric stiffness, where a file has it, is added to Oe1, Cr1 and Ct1. It shows: the first three of Oe1 are not -2 Me together, or Cr1 is
not antisymmetric. It depends on the load cases of the file and conserves no energy, so it is left out, with a warning.

Source: Wallrapp, Standardization of flexible body modeling in multibody system codes (1994); Schwertassek, Wallrapp, Dynamik flexibler
Mehrkoerpersysteme (1999), ch. 6.
"""

import numpy as np

from mobod.errors import MobodWarning
from mobod.flexible.deforming_mass import SecondMoments
from mobod.flexible.files.sid_file import SidData
from mobod.flexible.invariants import RigidMotion
from mobod.spatial import cross_matrix

_CONSISTENT = 1e-2  # relative: of sums that lumping may change a little


def moments_of_sid(sid: SidData, removed: np.ndarray, p: np.ndarray, rigid: RigidMotion) -> SecondMoments | None:
    """Of the file's shapes without their mean and the rigid motion that was removed, relative to the mass center.

    removed  (6, n) rotation, then displacement at p (3,) m, of each shape
    rigid    about p
    None     if the file does not have the terms, or they contain geometric stiffness
    """
    n = sid.n
    J1, Cr1, Oe1 = (sid.first_order(name, shape) for name, shape in (("J", (3, 3)), ("Cr", (n, 3)), ("Oe", (n, 6))))
    if J1 is None or Cr1 is None or Oe1 is None or not n:
        _warn_of_stiffness(sid, np.abs(Ct1).max() if (Ct1 := sid.first_order("Ct", (n, 3))) is not None else 0.0)
        return None
    mass, Ct = sid.mass, sid.matrix("Ct", (n, 3))
    A = np.array([_from_inertia(J1[:, :, i]) + _of_axial(each) for i, each in enumerate(sid.matrix("Cr", (n, 3)))])
    symmetric = np.array([[_from_centrifugal(Oe1[i, :, j]) for j in range(n)] for i in range(n)])
    axial = Cr1.transpose(2, 0, 1)  # (k, i, 3)
    Me = sid.matrix("Me", (n, n))
    traces = np.einsum("ijaa->ij", symmetric)
    if (
        np.abs(traces - Me).max() > _CONSISTENT * np.abs(Me).max()
        or np.abs(axial + axial.transpose(1, 0, 2)).max() > _CONSISTENT * np.abs(Me).max()
    ):
        _warn_of_stiffness(sid, 1.0)
        return None
    S = symmetric + np.array([[_of_axial(each) for each in row] for row in axial])
    S = (S + S.transpose(1, 0, 3, 2)) / 2
    center = p + rigid.center
    x = cross_matrix(rigid.center)
    central = rigid.matrix[:3, :3] + mass * (x @ x)
    Y = np.trace(central) / 2 * np.eye(3) - central  # sum m y y^T
    about = A - np.einsum("a,ib->iab", center, Ct)  # sum m y Phi^T without the means
    S = S - np.einsum("ia,jb->ijab", Ct, Ct) / mass
    turns = np.array([cross_matrix(each) for each in removed[:3].T])
    first = about + Y @ turns
    across = np.einsum("iab,jbc->ijac", turns, about)
    second = S - across - across.transpose(1, 0, 3, 2) + np.einsum("iab,bc,jdc->ijad", turns, Y, turns)
    return SecondMoments(first, second)


def in_basis(moments: SecondMoments, shapes: np.ndarray) -> SecondMoments:
    """For coordinates of which shapes (n, m) gives those of the moments."""
    return SecondMoments(np.einsum("iab,ip->pab", moments.first, shapes), np.einsum("ijab,ip,jq->pqab", moments.second, shapes, shapes))


def _warn_of_stiffness(sid: SidData, size: float) -> None:
    if size > 0:
        MobodWarning.warn(f"{sid.path}: its geometric stiffness, which is that of its load cases and conserves no energy, is left out.")


def _from_inertia(J1: np.ndarray) -> np.ndarray:
    """The symmetric part of A from 2 trace(A) 1 - A - A^T."""
    return np.asarray(np.trace(J1) / 4 * np.eye(3) - (J1 + J1.T) / 4)


def _of_axial(a: np.ndarray) -> np.ndarray:
    """The antisymmetric part of a sum of u v^T whose sum of u x v is a."""
    return np.asarray(-cross_matrix(a) / 2)


def _from_centrifugal(entries: np.ndarray) -> np.ndarray:
    """The symmetric part of S from the six coefficients."""
    xx, yy, zz, xy, yz, xz = entries
    trace = -(xx + yy + zz) / 2
    return np.array([[xx + trace, xy / 2, xz / 2], [xy / 2, yy + trace, yz / 2], [xz / 2, yz / 2, zz + trace]])
