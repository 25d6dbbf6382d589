"""A step of an integrator seen from within: y and its rate at any time of it."""

from functools import lru_cache

import numpy as np
from numpy.polynomial import chebyshev
from scipy.integrate import DOP853, RK23, RK45, DenseOutput, OdeSolver, Radau

DEGREES: dict[type[OdeSolver], int] = {RK23: 3, RK45: 4, DOP853: 7, Radau: 3}
"""Of the polynomials that SciPy's steppers interpolate by."""


_SHORT = 1e-5  # of the size of y: a change by less loses more digits by differences than a straight line between rates does


class StepPolynomial:
    """y between two times, as the polynomial that a stepper's dense output is, with its exact derivative.

    rates  y_dot at both ends

    SciPy gives no rates; from its values at as many points as a polynomial of that degree needs they follow without error but round-off.
    Steps so short that round-off counts have rates on the straight line between those at the ends.
    """

    def __init__(self, interpolant: DenseOutput, start: float, end: float, degree: int, rates: tuple[np.ndarray, np.ndarray]):
        self.start, self.end, self._rates = start, end, rates
        points, inverse = _points(degree)
        values = np.array([interpolant(start + (end - start) * (1 + point) / 2) for point in points])
        self._coefficients = inverse @ values
        is_short = ((end - start) * np.abs(rates[0]) <= _SHORT * (1 + np.abs(values[0]))).all()
        self._slopes = None if is_short else chebyshev.chebder(self._coefficients) * 2 / (end - start)

    def y(self, time: float) -> np.ndarray:
        """(ny,)"""
        return np.asarray(chebyshev.chebval(self._place(time), self._coefficients))

    def y_dot(self, time: float) -> np.ndarray:
        """(ny,) the derivative of y."""
        if self._slopes is None or time in (self.start, self.end):
            fraction = (time - self.start) / (self.end - self.start)
            return self._rates[0] + fraction * (self._rates[1] - self._rates[0])
        return np.asarray(chebyshev.chebval(self._place(time), self._slopes))

    def _place(self, time: float) -> float:
        return ((time - self.start) - (self.end - time)) / (self.end - self.start)


@lru_cache
def _points(degree: int) -> tuple[np.ndarray, np.ndarray]:
    """Points on [-1, 1], and what takes values at them to Chebyshev coefficients."""
    points = chebyshev.chebpts2(degree + 1)
    return points, np.linalg.inv(chebyshev.chebvander(points, degree))
