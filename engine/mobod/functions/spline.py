"""A smooth curve through given points, or near them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import factorial
from os import PathLike
from typing import Any, Literal, Self, final

import numpy as np
import scipy  # whose parts are loaded when they are used: that of splines takes a third of a second
from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.functions.checked import checked_count, checked_number, checked_numbers
from mobod.functions.function import Function
from mobod.functions.points_file import read_points
from mobod.scalar import Array, StaticTable, interval, is_recorded, lookup, where
from mobod.spatial.checked import checked_floats

Outside = Literal["continue", "error", "periodic"]


@final
@dataclass(frozen=True, init=False)
class Spline(Function):
    """A piecewise polynomial of one argument, with one value or several.

        lift = Spline.fit(angles, heights)                                              # through points
        torque = Spline.from_csv("spring.csv", "angle", "torque", degree=1)             # through points in a file
        lift = Spline(make_interp_spline(angles, heights, bc_type="natural"))           # any curve of SciPy's

    At a knot the piece after it counts, at the last knot the piece before it: a derivative that jumps is that of this piece. There are
    derivatives up to the degree.

    outside   "continue"  the first and the last piece go on: the Taylor polynomial at the end
              "error"     InputError; in recorded code NaN, so that a run stops with an error
              "periodic"  the range repeats itself

    The data are tables: the length of recorded code does not depend on the number of knots.
    """

    breakpoints: StaticTable
    coefficients: tuple[tuple[StaticTable, ...], ...]  # of each value, of each power, the highest first: a number for each piece
    has_several_values: bool
    outside: Outside

    def __init__(self, curve: "scipy.interpolate.BSpline | scipy.interpolate.PPoly", *, outside: Outside = "continue"):
        """curve: also a CubicSpline, PchipInterpolator or Akima1DInterpolator of SciPy's.

        Raises InputError if the curve is none of these, has numbers that are not finite or breakpoints that do not increase, or values of
        more than one axis; and if it is periodic, but `outside` is not.
        """
        if outside not in ("continue", "error", "periodic"):
            raise InputError(f"{self}: outside is {outside!r}. It can be 'continue', 'error' or 'periodic'.")
        if not isinstance(curve, (scipy.interpolate.BSpline, scipy.interpolate.PPoly)):
            raise InputError(f"{self}: the curve is {curve!r}. A BSpline or a PPoly of SciPy's is needed; Spline.fit takes points.")
        if curve.extrapolate == "periodic" and outside != "periodic":
            raise InputError(f"{self}: the curve is periodic, but outside is '{outside}'. Give outside='periodic', or another curve.")
        breakpoints, c = _pieces(curve) if isinstance(curve, scipy.interpolate.BSpline) else (curve.x, curve.c)
        _check_increasing(checked_numbers(breakpoints, f"{self}: the breakpoints", least=2), f"{self}: the breakpoints")
        c = checked_floats(c, np.shape(c), f"{self}: the coefficients")
        if c.ndim > 3:
            raise InputError(f"{self}: the curve has values of shape {c.shape[2:]}. Numbers, or rows of numbers, are needed.")
        columns = c.reshape(*c.shape[:2], -1)
        object.__setattr__(self, "breakpoints", StaticTable(breakpoints))
        object.__setattr__(
            self, "coefficients", tuple(tuple(StaticTable(row) for row in columns[:, :, i]) for i in range(columns.shape[2]))
        )
        object.__setattr__(self, "has_several_values", c.ndim == 3)
        object.__setattr__(self, "outside", outside)

    @classmethod
    def fit(
        cls, x: ArrayLike, y: ArrayLike, *, degree: int = 3, smoothing: float | Literal["gcv"] | None = None, outside: Outside = "continue"
    ) -> Self:
        """A spline through points; or near them, if `smoothing` is given.

        x          (n,)           increasing
        y          (n,), (n, m)   one value or several at each x
        degree                    1: straight lines; 3: two continuous derivatives; n - 1 at most
        smoothing                 the weight w in the least sum of (y - f(x))^2 + w times the integral of f''^2, of a cubic; "gcv": the
                                  weight of the least error of points left out (generalized cross-validation)
        outside                   see Spline; "periodic" needs the last point to have the value of the first

        Raises InputError if x does not increase, a number is not finite, shapes differ, there are too few points.
        """
        what = "function 'Spline'"
        degree = checked_count(degree, f"{what}: the degree", least=1)
        points = np.array(checked_numbers(x, f"{what}: x", least=2))
        _check_increasing(points, f"{what}: x")
        shape = np.shape(y)
        if len(shape) not in (1, 2) or shape[0] != len(points):
            raise InputError(
                f"{what}: y has shape {shape}, but there are {len(points)} x. A value, or a row of values, for each is needed."
            )
        values = checked_floats(y, shape, f"{what}: y")
        fewest = 5 if smoothing is not None else degree + 1
        if len(points) < fewest:
            kind = "smoothing" if smoothing is not None else f"degree {degree}"
            raise InputError(f"{what}: {len(points)} points were given. A spline of {kind} needs at least {fewest}.")
        if outside == "periodic":
            return cls(_periodic(points, values, degree, smoothing, what), outside=outside)
        if smoothing is None:
            return cls(scipy.interpolate.make_interp_spline(points, values, k=degree), outside=outside)
        if degree != 3:
            raise InputError(f"{what}: the degree is {degree}. A spline that smooths is cubic: leave out the degree or the smoothing.")
        weight = None if smoothing == "gcv" else checked_number(smoothing, f"{what}: smoothing")
        if weight is not None and weight < 0:
            raise InputError(f"{what}: smoothing is {weight:g}. It cannot be negative.")
        return cls(scipy.interpolate.make_smoothing_spline(points, values, lam=weight), outside=outside)

    @classmethod
    def from_csv(
        cls,
        path: str | PathLike[str],
        x: str | None = None,
        y: str | None = None,
        *,
        degree: int = 3,
        smoothing: float | Literal["gcv"] | None = None,
        outside: Outside = "continue",
    ) -> Self:
        """A spline through two columns of a CSV file, or near them; see fit.

        path    of a file of numbers, which may begin with a line of names. Cells are separated by commas, semicolons, tabs or blanks;
                lines that begin with # are comments
        x, y    names of the columns; default: the first two

        Raises InputError, with the line number, for a file that is not such a table; UnknownNameError for a column; as fit does.
        """
        columns = read_points(path, x, y)
        return cls.fit(*columns, degree=degree, smoothing=smoothing, outside=outside)

    def antiderivative(self) -> Function:
        """That which is 0 at the first breakpoint."""
        c = np.array([[row.numbers for row in of_value] for of_value in self.coefficients]).transpose(1, 2, 0)
        curve = scipy.interpolate.PPoly(c if self.has_several_values else c[:, :, 0], np.array(self.breakpoints.numbers))
        integral = Spline(curve.antiderivative(), outside=self.outside)
        if self.outside != "periodic":
            return integral
        return _SumOfPeriods(integral, tuple(np.ravel(curve.integrate(*self.range)).tolist()))

    @property
    def degree(self) -> int:
        """Of the polynomials between the knots."""
        return len(self.coefficients[0]) - 1

    @property
    def max_derivative_order(self) -> int:
        """Up to which order there are derivatives: a whole number, or infinity."""
        return self.degree

    @property
    def range(self) -> tuple[float, float]:
        """The first and the last breakpoint."""
        numbers = self.breakpoints.numbers
        return float(numbers[0]), float(numbers[-1])

    def value(self, x: Array) -> Any:
        """The value at x (n_args,), floats or recorded scalars."""
        self._check_range(x)
        first, last = self.range
        x = x[0]
        if self.outside == "periodic":
            period = last - first
            x = x - period * np.floor(((x if is_recorded(x) else np.real(x)) - first) / period)
        piece = interval(self.breakpoints, x)
        if self.outside == "error" and is_recorded(x):
            # no piece at all: derivatives are NaN then as well, while those of where(is_inside, value, NaN) would be 0
            piece = where((x >= first) & (x <= last), piece, -1)
        along = x - lookup(self.breakpoints, piece)
        values = []
        for highest, *others in self.coefficients:
            total = lookup(highest, piece)
            for table in others:
                total = total * along + lookup(table, piece)
            values.append(total)
        return np.array(values) if self.has_several_values else values[0]

    def derivative(self, components: Sequence[int], x: Array) -> Any:
        """The derivative at x (n_args,) by the arguments that the components number; (0, 0) is the second one by x[0]."""
        self._check_range(x)  # the recording that is evaluated for numbers would give NaN
        return super().derivative(components, x)

    def _check_range(self, x: Array) -> None:
        if self.outside == "error" and not is_recorded(x):
            first, last = self.range
            at = float(np.real(x[0]))
            if not first <= at <= last:
                raise InputError(
                    f"{self}: x = {at} is outside its range, {first} to {last}. Stay inside, or make it with outside='continue'."
                )


@final
@dataclass(frozen=True)
class _SumOfPeriods(Function):
    """The integral of a periodic spline: that in a period, and the integrals over the periods before.

    over_period  of each value
    """

    within: Spline
    over_period: tuple[float, ...]

    def value(self, x: Array) -> Any:
        first, last = self.within.range
        at = x[0] if is_recorded(x) else np.real(x[0])
        periods = np.floor((at - first) / (last - first))
        total = np.array(self.over_period) if self.within.has_several_values else self.over_period[0]
        return self.within.value(x) + total * periods


def _pieces(curve: "scipy.interpolate.BSpline") -> tuple[np.ndarray, np.ndarray]:
    """Breakpoints (n + 1,), and coefficients (degree + 1, n) or (degree + 1, n, m), as PPoly has them."""
    degree = curve.k
    breakpoints = np.unique(curve.t[degree : len(curve.t) - degree])
    along_first_axis = scipy.interpolate.BSpline(curve.t, curve.c, degree)
    taylor = [along_first_axis(breakpoints[:-1], nu=power) / factorial(power) for power in range(degree, -1, -1)]
    return breakpoints, np.array(taylor)


def _periodic(
    x: np.ndarray, y: np.ndarray, degree: int, smoothing: float | Literal["gcv"] | None, what: str
) -> "scipy.interpolate.BSpline":
    if smoothing is not None:
        raise InputError(f"{what}: smoothing is {smoothing!r}, but outside is 'periodic'. A periodic spline goes through its points.")
    if not np.array_equal(y[0], y[-1]):
        raise InputError(f"{what}: y is {y[0].tolist()} at the first point and {y[-1].tolist()} at the last. A period ends as it begins.")
    return scipy.interpolate.make_interp_spline(x, y, k=degree, bc_type="periodic")


def _check_increasing(x: Sequence[float] | np.ndarray, what: str) -> None:
    steps = np.diff(x)
    if not np.all(steps > 0):
        i = int(np.argmin(steps > 0))
        raise InputError(f"{what} must increase, but number {i + 1} is {x[i + 1]:g}, after {x[i]:g}.")
