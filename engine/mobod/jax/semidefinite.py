"""Symmetric, positive semidefinite equations whose rows may depend on each other."""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array, lax

from mobod.jax.products import times

LARGEST_DISTANCE = 0.1  # rad or m, as in fmu_src/native/linear_algebra/factor_arithmetic.h: beyond it, the distance is not used
MOST_DIFFERENCE = 1e-2  # rows that differ by more are independent, whatever the distance is
DIFFERENCE_PER_DISTANCE = 10.0  # how much dependent rows may differ, relative to the distance


class Independent(NamedTuple):
    """What decides which rows of A (n, n) count.

    largest_size  the largest root of a diagonal entry, relative to which a row is round-off; rows are compared relative to their own sizes
    distance      from the constraints: where these are not satisfied, dependent rows differ
    """

    largest_size: Array
    distance: Array

    def least_size(self) -> Array:
        return _round_off(self.largest_size.dtype) * self.largest_size

    def tolerance(self, n: int) -> Array:
        """Of the squares of rows with size 1."""
        distance = jnp.where(self.distance > LARGEST_DISTANCE, 0.0, self.distance)
        of_distance = jnp.minimum(DIFFERENCE_PER_DISTANCE * distance, MOST_DIFFERENCE)
        return jnp.maximum(n * _round_off(distance.dtype), of_distance**2)


def solution(A: Array, b: Array, inverse: Array) -> Array:
    """(n,) x with A x = b; 0 for dependent rows. Differentiated implicitly: A dx = db - dA x.

    inverse  that of A, as of `inverse_of_independent`
    """

    def solve(_: object, right: Array) -> Array:
        x = times(inverse, right)
        return x + times(inverse, right - times(A, x))  # a refinement removes the round-off of the inverse

    return lax.custom_linear_solve(lambda x: times(A, x), b, solve, symmetric=True)


def inverse_of_independent(A: Array, which: Independent) -> Array:
    """(n, n) the inverse of the independent rows and columns of A, 0 for the others: the row with the largest rest is always the next one.

    It has no derivatives.
    """
    A, which = lax.stop_gradient((A, which))
    n = len(A)
    size = jnp.sqrt(jnp.abs(jnp.diagonal(A)))
    scale = jnp.where(size >= jnp.maximum(which.least_size(), jnp.finfo(A.dtype).tiny), 1 / jnp.where(size == 0, 1.0, size), 0.0)
    numbers, tolerance = jnp.arange(n), which.tolerance(n)

    def take_largest(_: object, state: tuple[Array, Array]) -> tuple[Array, Array]:
        M, is_taken = state
        rest = jnp.where(is_taken, -1.0, jnp.diagonal(M))
        is_k = numbers == jnp.argmax(rest)
        pivot, column = jnp.max(rest), jnp.sum(jnp.where(is_k, M, 0.0), axis=1)
        counts = pivot > tolerance
        divided = column / jnp.where(counts, pivot, 1.0)
        swept = M - column[:, None] * divided[None, :]
        swept = jnp.where(is_k[:, None], divided[None, :], jnp.where(is_k[None, :], divided[:, None], swept))
        swept = jnp.where(is_k[:, None] & is_k[None, :], -1 / jnp.where(counts, pivot, 1.0), swept)
        return jnp.where(counts, swept, M), is_taken | (is_k & counts)

    # the sweep operator; Source: Goodnight, A tutorial on the SWEEP operator, The American Statistician 33 (1979)
    swept, is_taken = lax.fori_loop(0, n, take_largest, (A * scale[:, None] * scale, jnp.zeros(n, bool)))
    return jnp.where(is_taken[:, None] & is_taken, -swept, 0.0) * scale[:, None] * scale


def _round_off(dtype: jnp.dtype) -> float:
    """eps^(3/4)"""
    return float(jnp.finfo(dtype).eps) ** 0.75
