"""Linear equations whose rows may depend on each other, as those of constraints do: rank, dependent rows, minimum-norm solutions.

Twin of fmu_src/native/factor.c: the same decisions, and the same solutions to round-off.

Rank. Each row is first divided by its size, so that the rank is the same in metres and in millimetres; a row below eps^(3/4) of the largest
is round-off, and counts as zero. QR with column pivoting of the transposed, A^T P = Q R, takes the independent rows first; the rank is the
number of leading diagonal entries of R above `tolerance` times the first. Of rows that are equal to round-off, the later one is dependent.

Solutions. With R = [R11 R12] to the rank r, the columns of N = P [-R11^-1 R12; 1] are the combinations of rows that vanish. The part of
the right-hand side that lies in N is what no solution can meet: without it the independent rows alone decide, by Q and R11. This is
the pseudo-inverse, as from a complete orthogonal factorisation, whose second QR is of the r independent rows; here it is of the m - r
dependent ones, of which there are few. What contradicts is met best with each row relative to its size, so that units do not matter there
either, and numbers of one row are not lost beside larger ones of another.

Source: Golub & Van Loan, Matrix Computations (2013), 5.4.2 and 5.5; the tolerance is Simbody's.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Any, final

import numpy as np
from scipy.linalg import lapack, qr, solve_triangular

from mobod.errors import InputError
from mobod.real_numbers import real_numbers

_ROUND_OFF = 2.0**-39  # eps^(3/4)
_TIE = 1e-6  # a row counts as smaller than the one before by this: above the errors of LAPACK's column norms, below what matters
_LARGEST_INVERSE = 2.0**26  # eps^(-1/2): above it, Cholesky's factor loses half of the digits
_SMALLEST = np.finfo(float).tiny  # its reciprocal is finite
_BESIDE = 10.0  # how much rows that depend on each other may differ, of how far they were taken from where they do
_MOST_BESIDE = 1e-2  # rows that differ by more are others, however far away


def rank_tolerance(m: int) -> float:
    """m eps^(3/4), for m rows of G M^-1 G^T. Squares are in it: rows of G that are dependent to about 1e-6 count as dependent."""
    return m * _ROUND_OFF


def rank_tolerance_beside(m: int, distance: float) -> float:
    """For m rows of G at a distance, in rad or m, from coordinates where some of them depend on each other; see distance_of_errors.

    Nearer than it counts a row that is a combination of others there differs from it in proportion to the distance. A solution that took
    it for one of its own would divide errors of second order by it: of one degree of freedom it would leave nothing.
    """
    return max(sqrt(rank_tolerance(m)), min(_BESIDE * distance, _MOST_BESIDE))


def distance_of_errors(A: np.ndarray, errors: np.ndarray) -> float:
    """The largest of the errors (m,) relative to the sizes of their rows: how far x must change at least. Rows that are 0 do not count."""
    size = np.abs(A).max(axis=1, initial=0.0)
    counts = _counts(size)
    return float((np.abs(errors[counts]) / size[counts]).max(initial=0.0))


@dataclass(frozen=True)
class _Pivoted:
    """The first paragraphs of this file, as arrays; rank r.

    independent  (r,)        rows in the order of pivots
    dependent    (m - r,)    the others, ascending
    scale        (m,)        1 / size of each row
    Q            (n, r)
    R            (r, r)      R11
    N            (m, m - r)  orthonormal
    """

    independent: np.ndarray
    dependent: np.ndarray
    scale: np.ndarray
    Q: np.ndarray
    R: np.ndarray
    N: np.ndarray


@final
@dataclass(frozen=True)
class RowFactors:
    """Of A x = b, with m rows and n unknowns.

    independent  (r,)      rows that decide x where all are consistent, in the order of pivots
    dependent    (m - r,)  rows that are combinations of those, ascending
    """

    A: np.ndarray
    independent: np.ndarray
    dependent: np.ndarray
    _pivoted: _Pivoted

    @property
    def rank(self) -> int:
        return len(self.independent)

    def solve(self, b: np.ndarray) -> np.ndarray:
        """The x of least norm among those for which A x - b is least, each row of it relative to its size.

        b        (m,) or (m, k)  one or many right-hand sides
        returns  (n,) or (n, k)

        Raises InputError if b has another shape or is not finite.
        """
        b, factors = _checked_sides(b, len(self.A)), self._pivoted
        scaled = (factors.scale * b.T).T
        possible = scaled - factors.N @ (factors.N.T @ scaled)
        return factors.Q @ _triangular(factors.R, possible[self.independent], "T")

    def residual(self, x: np.ndarray, b: np.ndarray) -> np.ndarray:
        """A x - b: of a solution, what remains where rows contradict each other."""
        return self.A @ x - b


@final
@dataclass(frozen=True)
class SemidefiniteFactors:
    """Of A x = b, with A symmetric and positive semidefinite, as G M^-1 G^T is.

    independent  (r,)      rows that decide x where all are consistent, in the order of pivots
    dependent    (m - r,)  rows that are combinations of those, ascending
    """

    A: np.ndarray
    independent: np.ndarray
    dependent: np.ndarray
    _inverse_root: np.ndarray | None  # (m, m)  W with W^T W = A^-1, where A is far from singular
    _pivoted: _Pivoted | None  # where it is not

    @property
    def rank(self) -> int:
        return len(self.independent)

    @property
    def sizes(self) -> np.ndarray:
        """(m,) by which `solve` weighs what remains of rows that depend on each other."""
        return np.ones(len(self.A)) if self._pivoted is None else 1 / self._pivoted.scale

    def solve(self, b: np.ndarray) -> np.ndarray:
        """The x of least norm among those for which A x - b is least, each row of it relative to the root of its diagonal entry.

        b        (m,) or (m, k)  one or many right-hand sides
        returns  (m,) or (m, k)

        The norm is that of x in the units it has. Where rows are dependent, each x is therefore as exact as the largest is: where the sizes
        of rows differ by more than 1e6, round-off shows in how dependent rows share.
        Raises InputError if b has another shape or is not finite.
        """
        b = _checked_sides(b, len(self.A))
        if self._inverse_root is not None:
            return self._inverse_root.T @ (self._inverse_root @ b)
        factors = self._pivoted
        assert factors is not None
        y = _triangular(factors.R, factors.Q.T @ (factors.scale * b.T).T, "N")
        x = np.zeros_like(b)
        x[self.independent] = (factors.scale[self.independent] * y.T).T
        return x - factors.N @ (factors.N.T @ x)

    def residual(self, x: np.ndarray, b: np.ndarray) -> np.ndarray:
        """A x - b: of a solution, what remains where rows contradict each other."""
        return self.A @ x - b


def factor_rows(A: np.ndarray, tolerance: float | None = None, what: str = "matrix") -> RowFactors:
    """For A x = b with any A, such as the projection onto constraints.

    A          (m, n)
    tolerance  below which a row counts as dependent, relative; rank_tolerance(m) if left out
    what       for messages: "constraint Jacobian"

    A row's size is its largest entry. Raises InputError if A is no matrix or not finite.
    """
    A = _checked_matrix(A, what)
    size = np.abs(A).max(axis=1, initial=0.0)
    scale, counts = _scales(size)
    scaled = np.where(counts[:, None], scale[:, None] * A, 0.0)
    pivoted = _pivot(scaled, scale, np.ones(len(A)), rank_tolerance(len(A)) if tolerance is None else tolerance)
    return RowFactors(A, pivoted.independent, pivoted.dependent, pivoted)


def factor_semidefinite(A: np.ndarray, tolerance: float | None = None, what: str = "matrix") -> SemidefiniteFactors:
    """For A x = b with A symmetric and positive semidefinite, such as the multipliers of constraints.

    A          (m, m)  its lower triangle is read
    tolerance  below which a row counts as dependent, relative; rank_tolerance(m) if left out
    what       for messages: "G M^-1 G^T"

    A row's size is the root of its diagonal entry, by which its column is divided too: A of other units is then the same matrix.
    Raises InputError if A is no square matrix, not finite, or has a negative diagonal entry (beyond round-off).
    """
    A = _checked_matrix(A, what)
    m = len(A)
    if A.shape[1] != m:
        raise InputError(f"{what} has shape {A.shape}. A symmetric matrix has as many rows as columns.")
    A = np.tril(A) + np.tril(A, -1).T
    diagonal = A.diagonal()
    if (diagonal < -_ROUND_OFF * np.abs(diagonal).max(initial=0.0)).any():
        i = int(diagonal.argmin())
        raise InputError(f"{what} is not positive semidefinite: its diagonal entry {i} is {diagonal[i]:g}.")
    if tolerance is None:
        tolerance = rank_tolerance(m)
    scale, counts = _scales(np.sqrt(np.maximum(diagonal, 0.0)))
    scaled = np.where(np.outer(counts, counts), (scale[:, None] * A) * scale, 0.0)

    root = _inverse_root(scaled, tolerance) if counts.all() else None
    if root is not None:
        return SemidefiniteFactors(A, np.arange(m), np.arange(0), root * scale, None)
    # relative to the largest: only directions count, and squares of the scales may overflow
    pivoted = _pivot(scaled, scale, scale / scale.max(initial=0.0), tolerance)
    return SemidefiniteFactors(A, pivoted.independent, pivoted.dependent, None, pivoted)


def _scales(size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """1 / size of each row, and whether the row counts. Rows that do not have the scale of the largest."""
    m, largest, counts = len(size), size.max(initial=0.0), _counts(size)
    return 1 / (np.where(counts, size, largest if counts.any() else 1.0) * (1 + _TIE * np.arange(m))), counts


def _counts(size: np.ndarray) -> np.ndarray:
    """Whether a row is more than round-off."""
    counts: np.ndarray = size >= max(_ROUND_OFF * size.max(initial=0.0), _SMALLEST)
    return counts


def _inverse_root(scaled: np.ndarray, tolerance: float) -> np.ndarray | None:
    """W with W^T W = scaled^-1 if pivoting would surely find full rank, and Cholesky's factor is accurate; otherwise None.

    No diagonal entry of R is below the least singular value, which is 1 / |scaled^-1| >= 1 / trace(scaled^-1) = 1 / |W|_F^2; and the first
    is at most sqrt(m), as no entry of a matrix with unit diagonal exceeds 1.
    """
    m = len(scaled)
    if m == 0:
        return scaled
    L, not_positive = lapack.dpotrf(scaled, lower=1)
    if not_positive:
        return None
    W, _ = lapack.dtrtri(L, lower=1)
    W = np.tril(W)
    square = (W**2).sum()
    return W if square <= _LARGEST_INVERSE and square * tolerance * sqrt(m) < 1 else None


def _pivot(scaled: np.ndarray, scale: np.ndarray, weight: np.ndarray, tolerance: float) -> _Pivoted:
    """`weight` (m,) makes combinations of scaled rows into N."""
    m, n = scaled.shape
    if m == 0 or n == 0:
        Q, R, order = np.zeros((n, 0)), np.zeros((0, m)), np.arange(m)
    else:
        Q, R, order = qr(scaled.T, mode="economic", pivoting=True, check_finite=False)
    pivots = np.abs(R.diagonal())
    above = pivots > tolerance * pivots.max(initial=0.0)
    rank = len(pivots) if above.all() else int(above.argmin())
    independent, dependent = order[:rank], order[rank:]

    N = np.zeros((m, m - rank))
    N[independent] = -_triangular(R[:rank, :rank], R[:rank, rank:], "N")
    N[dependent] = np.eye(m - rank)
    if N.size:
        N = qr(weight[:, None] * N, mode="economic", check_finite=False)[0]
    return _Pivoted(independent, np.sort(dependent), scale, Q[:, :rank], R[:rank, :rank], N)


def _triangular(R: np.ndarray, b: np.ndarray, transposed: str) -> np.ndarray:
    """The solution y of R y = b ("N") or R^T y = b ("T"), R upper triangular."""
    return solve_triangular(R, b, trans=transposed, check_finite=False) if b.size else b


def _checked_matrix(A: Any, what: str) -> np.ndarray:
    A = real_numbers(A, what).copy()
    if A.ndim != 2:
        raise InputError(f"{what} has shape {A.shape}. A matrix has rows and columns.")
    return _checked_finite(A, what)


def _checked_sides(b: Any, m: int) -> np.ndarray:
    b = real_numbers(b, "the right-hand side")
    if b.ndim not in (1, 2) or len(b) != m:
        raise InputError(f"the right-hand side has shape {b.shape}. One entry for each of {m} rows is needed.")
    return _checked_finite(b, "right-hand side")


def _checked_finite(array: np.ndarray, what: str) -> np.ndarray:
    if not np.isfinite(array).all():
        at = np.argwhere(~np.isfinite(array))[0].tolist()
        raise InputError(f"{what}: entry {at} is {array[tuple(at)]}. All entries must be finite.")
    return array
