"""Linear equations with redundant rows, such as those of constraints: rank, dependent rows, minimum-norm solutions.

fmu_src/native/linear_algebra/factor.h describes the method and its source.
"""

from typing import final

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.numerics.array_checks import not_finite
from mobod.runtime.library import doubles, ffi, ints, reals_at, runtime, workspace


def rank_tolerance(m: int) -> float:
    """Relative size of a pivot below which one of m rows of G M^-1 G^T counts as dependent."""
    return runtime().mobod_rank_tolerance(m)


def rank_tolerance_at_distance(m: int, distance: float) -> float:
    """Relative size of a pivot below which one of m rows of G counts as dependent, at a distance, in rad or m, from coordinates where rows
    are dependent.
    """
    return runtime().mobod_rank_tolerance_at_distance(m, distance)


def distance_of_errors(A: np.ndarray, errors: np.ndarray) -> float:
    """The largest of the errors (m,) relative to the sizes of their rows, a lower bound of the change of x. Zero rows do not count."""
    A, errors = np.ascontiguousarray(A, dtype=float), np.ascontiguousarray(errors, dtype=float)
    m, n = A.shape
    if errors.shape != (m,):
        raise InputError(f"errors have shape {errors.shape}. One entry for each of {m} rows is needed.")
    return runtime().mobod_distance_of_errors(m, n, doubles(A), doubles(errors))


@final
class Factors:
    """The factorization of A, for A x = b with m rows and n unknowns. Use it in one thread at a time.

    A            (m, n)    as it was given
    rank         r
    independent  (r,)      rows that determine x if all rows are consistent, in the order of pivots
    dependent    (m - r,)  rows that are combinations of those, ascending
    """

    def __init__(self, A: ArrayLike, tolerance: float | None, what: str, is_semidefinite: bool):
        self.A = np.ascontiguousarray(A, dtype=float)
        if self.A.ndim != 2:
            raise InputError(f"{what} has shape {self.A.shape}. A matrix must have two dimensions.")
        m, n = self.A.shape
        if is_semidefinite and m != n:
            raise InputError(f"{what} has shape {self.A.shape}. It must be square.")

        library, (reals, order) = runtime(), workspace(runtime().mobod_factor_reals(m, n), m)
        self._in_c, self._workspace = ffi.new("Factors *"), (reals, order)
        self._in_c.reals, self._in_c.order = doubles(reals), ints(order)
        if tolerance is None:
            tolerance = rank_tolerance(m)
        if is_semidefinite:
            self._solve = library.mobod_solve_semidefinite
            outcome = library.mobod_factor_semidefinite(self._in_c, m, doubles(self.A), tolerance)
        else:
            self._solve = library.mobod_solve_rows
            outcome = library.mobod_factor_rows(self._in_c, m, n, doubles(self.A), tolerance)
        if outcome == library.FACTORS_NOT_SEMIDEFINITE:
            i = int(self.A.diagonal().argmin())
            raise InputError(f"{what} is not positive semidefinite: its diagonal entry {i} is {self.A[i, i]:g}.")
        if outcome != library.FACTORED:
            raise not_finite(self.A, what)
        self.rank: int = self._in_c.rank
        self.independent, self.dependent = order[: self.rank], order[self.rank :]

    def solve(self, b: ArrayLike) -> np.ndarray:
        """The x (n,) of least norm that minimizes A x - b, each row relative to its size.

        Raises InputError if b is not (m,), or not finite.
        """
        b, (m, n) = np.ascontiguousarray(b, dtype=float), self.A.shape
        if b.shape != (m,):
            raise InputError(f"the right-hand side has shape {b.shape}. One entry for each of {m} rows is needed.")
        x = np.empty(n)
        if self._solve(self._in_c, doubles(b), doubles(x)) != runtime().FACTORED:
            raise not_finite(b, "right-hand side")
        return x

    @property
    def sizes(self) -> np.ndarray:
        """(m,) weights with which `solve` minimizes the residual of dependent rows; meaningless if no rows are dependent."""
        return np.ones(len(self.A)) if self._in_c.is_positive else 1 / reals_at(self._in_c.scale, len(self.A))


def factor_rows(A: ArrayLike, tolerance: float | None = None, what: str = "matrix") -> Factors:
    """Factor any matrix A for A x = b, such as the projection onto constraints.

    A          (m, n)
    tolerance  relative pivot below which a row counts as dependent; default: rank_tolerance(m)
    what       for messages: "constraint Jacobian"

    A row's size is its largest entry. Raises InputError if A is not a matrix or not finite.
    """
    return Factors(A, tolerance, what, is_semidefinite=False)


def factor_semidefinite(A: ArrayLike, tolerance: float | None = None, what: str = "matrix") -> Factors:
    """Factor a symmetric, positive semidefinite matrix A for A x = b, such as for the multipliers of constraints.

    A          (m, m)  only its lower triangle is read
    tolerance  relative pivot below which a row counts as dependent; default: rank_tolerance(m)
    what       for messages: "G M^-1 G^T"

    A row's size is the square root of its diagonal entry. Raises InputError if A is not a square matrix, not finite, or has a diagonal
    entry that is negative beyond round-off.
    """
    return Factors(A, tolerance, what, is_semidefinite=True)
