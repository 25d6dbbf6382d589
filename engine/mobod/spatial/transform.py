"""Transform: the pose of one frame in another."""

from typing import Self, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.spatial.checked import checked_array
from mobod.spatial.rotation import checked_rotation


@final
class Transform:
    """Pose X_AB of frame B in frame A. Immutable.

        Transform()               B coincides with A
        Transform(R)              rotation R_AB
        Transform(p=[x, y, z])    translation p_AB
        Transform(R, p)           both

    R  (3, 3)  -  the axes of B, as columns, expressed in A
    p  (3,)    m  from the origin of A to that of B, expressed in A

    X_AC = X_AB @ X_BC;  X_BA = X_AB.inverse();  p_AS = X_AB.apply(p_BS)

    raises  InputError if R is not a rotation matrix, a shape is wrong or an entry not finite; recorded scalars are not checked
    """

    __slots__ = ("_R", "_p")
    __array_ufunc__ = None  # array @ Transform then raises an error

    _R: np.ndarray
    _p: np.ndarray

    def __init__(self, R: ArrayLike | None = None, p: ArrayLike | None = None):
        self._R = np.eye(3) if R is None else checked_rotation(R, "Transform: R")
        self._p = np.zeros(3) if p is None else checked_array(p, (3,), "Transform: p")
        self._R.flags.writeable = False
        self._p.flags.writeable = False

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self  # immutable; copies of its arrays would not be

    @classmethod
    def of(cls, R: np.ndarray, p: np.ndarray) -> Self:
        """A Transform of arrays that are neither checked nor copied, for recorded functions."""
        X = cls.__new__(cls)
        X._R = R
        X._p = p
        return X

    @property
    def R(self) -> np.ndarray:
        """(3, 3) no unit: R_AB, the axes of B, as columns, expressed in A."""
        return self._R

    @property
    def p(self) -> np.ndarray:
        """(3,) m, p_AB: from the origin of A to that of B, expressed in A."""
        return self._p

    def __matmul__(self, other: "Transform") -> "Transform":
        if not isinstance(other, Transform):
            raise InputError(
                f"Transform @ {type(other).__name__}: the right operand must be a Transform. For a point S write X_AB.apply(p_BS)."
            )
        return Transform.of(self._R @ other._R, self._p + self._R @ other._p)

    def inverse(self) -> "Transform":
        """The inverse pose X_BA."""
        R_BA = self._R.T
        return Transform.of(R_BA, -(R_BA @ self._p))

    def apply(self, p_BS: ArrayLike) -> np.ndarray:
        """The position p_AS of a point S, given in B as p_BS; both (3,), m."""
        p_BS = np.asarray(p_BS)
        if p_BS.shape != (3,):
            raise InputError(f"Transform.apply: the point has shape {p_BS.shape}. One point of shape (3,) is needed.")
        return self._p + self._R @ p_BS

    def isclose(self, other: "Transform", atol: float = 1e-12) -> bool:
        """Whether all entries of R, and of p (m), agree within `atol`."""
        return bool(np.abs(self._R - other._R).max() <= atol and np.abs(self._p - other._p).max() <= atol)

    def __repr__(self) -> str:
        def text(array: np.ndarray) -> str:
            return " ".join(np.array2string(array, separator=", ", formatter={"float_kind": "{:.6g}".format}).split())

        return f"Transform(R={text(self._R)}, p={text(self._p)})"
