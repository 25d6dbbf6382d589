"""Heights between the points of a grid: a bicubic spline with continuous curvature, which can be recorded."""

from dataclasses import dataclass
from typing import Self, final

import numpy as np
import scipy  # whose parts are loaded when they are used

from mobod.scalar import Array, Scalar, StaticTable, clip, lookup, where

_TO_1, _TO_4 = 1 / 6, 4 / 6  # the values of a cubic B-spline at its knots: 1/6, 4/6, 1/6


@final
@dataclass(frozen=True)
class Jet:
    """A height at a point, and its derivatives there.

    height     ()      m
    slopes     (2,)    1      along x and y
    bends      (2, 2)  1/m    second derivatives
    twists     (4,)    1/m^2  third derivatives: xxx, xxy, xyy, yyy
    """

    height: Scalar
    slopes: Array
    bends: Array
    twists: Array

    def moved(self, step: Array) -> "Jet":
        """At a point beside it, by a step (2,) m so small that derivatives of fourth order do not matter."""
        x, y = step
        xxx, xxy, xyy, yyy = self.twists
        turned = np.array([[xxx * x + xxy * y, xxy * x + xyy * y], [xxy * x + xyy * y, xyy * x + yyy * y]])
        height = self.height + self.slopes @ step + step @ self.bends @ step / 2 + step @ turned @ step / 6
        return Jet(height, self.slopes + self.bends @ step + turned @ step / 2, self.bends + turned, self.twists)


@final
@dataclass(frozen=True)
class SmoothHeights:
    """The tensor product of natural cubic splines through heights on a grid about the origin. Beyond the border it goes on straight.

    coefficients  of the cubic B-splines, (nx + 2) (ny + 2), by rows
    shape         nx, ny
    spacing       m, along x and y

    Source: de Boor, A Practical Guide to Splines (1978), chapter XVII.
    """

    coefficients: StaticTable
    shape: tuple[int, int]
    spacing: tuple[float, float]

    @classmethod
    def through(cls, heights: np.ndarray, spacing: tuple[float, float]) -> Self:
        """heights: (nx, ny) m"""
        c = _coefficients(_coefficients(heights).T).T
        return cls(StaticTable(np.ravel(c)), heights.shape, spacing)

    def at(self, x: Scalar, y: Scalar) -> Jet:
        """The height at a point, m. It can be recorded."""
        (i, of_x), (j, of_y) = (_weights(value, n, step) for value, n, step in zip((x, y), self.shape, self.spacing, strict=True))
        row = self.shape[1] + 2
        c = [[lookup(self.coefficients, (i + a) * row + j + b) for b in range(4)] for a in range(4)]
        along_y = [[sum(c[a][b] * weights[b] for b in range(4)) for a in range(4)] for weights in of_y]  # of each derivative along y

        def value(k: int, m: int) -> Scalar:
            return sum(of_x[k][a] * along_y[m][a] for a in range(4))

        bends = np.array([[value(2, 0), value(1, 1)], [value(1, 1), value(0, 2)]])
        twists = np.array([value(3, 0), value(2, 1), value(1, 2), value(0, 3)])
        return Jet(value(0, 0), np.array([value(1, 0), value(0, 1)]), bends, twists)


def _weights(x: Scalar, n: int, step: float) -> tuple[Scalar, list[list[Scalar]]]:
    """The number of the cell, and the weights of the four coefficients there: of the value, and of three derivatives."""
    place = x / step + (n - 1) / 2
    inside = clip(place, 0.0, n - 1.0)
    cell = clip(np.floor(inside), 0.0, n - 2.0)
    t, beyond = inside - cell, place - inside
    s = 1 - t
    value = [s**3 / 6, (3 * t**3 - 6 * t**2 + 4) / 6, (3 * s**3 - 6 * s**2 + 4) / 6, t**3 / 6]
    first = [-(s**2) / 2, (3 * t**2 - 4 * t) / 2, (4 * s - 3 * s**2) / 2, t**2 / 2]
    is_inside = where(beyond == 0, 1.0, 0.0)
    second = [is_inside * each for each in (s, 3 * t - 2, 3 * s - 2, t)]
    third = [is_inside * each for each in (-1.0, 3.0, -3.0, 1.0)]
    extended = [a + beyond * b for a, b in zip(value, first, strict=True)]
    return cell, [[each / step**k for each in row] for k, row in enumerate((extended, first, second, third))]


def _coefficients(values: np.ndarray) -> np.ndarray:
    """(n + 2, m) of the natural cubic splines through the columns of values (n, m): their second derivative is 0 at both ends."""
    n = len(values)
    c = np.empty((n + 2, *values.shape[1:]))
    c[1], c[n] = values[0], values[-1]
    if n > 2:
        right = values[1:-1].copy()
        right[0] -= _TO_1 * values[0]
        right[-1] -= _TO_1 * values[-1]
        bands = np.array([[_TO_1], [_TO_4], [_TO_1]]) * np.ones(n - 2)
        c[2:n] = scipy.linalg.solve_banded((1, 1), bands, right)
    c[0], c[n + 1] = 2 * c[1] - c[2], 2 * c[n] - c[n - 1]
    return c
