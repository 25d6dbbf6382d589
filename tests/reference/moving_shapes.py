"""Two shapes that move with constant angular velocities, and the derivatives of their distances in time, by recording."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from mobod.contact import ContactShape, pair_of
from mobod.scalar import cosc, norm, sinc
from mobod.scalar.derivative import jvp
from mobod.scalar.evaluation import evaluate
from mobod.scalar.recording import Recording, record
from mobod.spatial import Transform, cross_matrix

DISTANCE, NORMAL, POINT, TANGENTS, REGULARITY = 0, slice(1, 4), slice(4, 7), slice(7, 13), 13
SHAPES_OF_ARGUMENTS = ((), (3, 3), (3,), (6,), (3, 3), (3,), (6,))


@dataclass(frozen=True)
class MovingShapes:
    """Shapes with poses at time 0 and velocities [angular, linear] of their frames' origins: rad/s, m/s."""

    shape1: ContactShape
    X_G1: Transform
    V_G1: np.ndarray
    shape2: ContactShape
    X_G2: Transform
    V_G2: np.ndarray

    def at(self, time: float) -> np.ndarray:
        """(3, n, 14): numbers of each feature, as DISTANCE, ..., REGULARITY say, then their first and second derivatives in time."""
        values, first, second = evaluate(recording_of(self.shape1.structure, self.shape2.structure), self.arguments(time))
        return np.array([values, first, second])

    def arguments(self, time: float) -> list[np.ndarray]:
        """Those of the recording."""
        placed = (self.X_G1.R, self.X_G1.p, self.V_G1, self.X_G2.R, self.X_G2.p, self.V_G2)
        return [np.array(time), *placed, self.shape1.parameter_values(), self.shape2.parameter_values()]


@cache
def recording_of(shape1: ContactShape, shape2: ContactShape) -> Recording:
    """The numbers, their first and second derivatives, for all shapes of the same structure."""
    sizes = (*SHAPES_OF_ARGUMENTS, (shape1.n_parameters,), (shape2.n_parameters,))

    def derivatives(time: Any, *others: Any) -> Any:
        values, first, second = [order(numbers_of(shape1, shape2, others)) for order in (value, derivative, second_derivative)]
        return values(time), first(time), second(time)

    return record(derivatives, [np.full(size, np.nan) for size in sizes], about="two shapes")


def value(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return function


def derivative(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda time: jvp(function, [time], [1.0])[1]


def second_derivative(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return derivative(derivative(function))


def numbers_of(shape1: ContactShape, shape2: ContactShape, others: tuple[Any, ...]) -> Callable[[Any], Any]:
    R1, p1, V1, R2, p2, V2, values1, values2 = others
    first, second = shape1.with_parameters(values1), shape2.with_parameters(values2)

    def numbers(time: Any) -> Any:
        found = pair_of(first, second).proximities(first, moved(R1, p1, V1, time), second, moved(R2, p2, V2, time))
        return np.array([[each.distance, *each.normal, *each.point, *each.tangents.ravel(), each.regularity] for each in found])

    return numbers


def moved(R: Any, p: Any, V: Any, time: Any) -> Transform:
    w, angle = cross_matrix(V[:3]), norm(V[:3]) * time
    return Transform.of(R + (sinc(angle) * time * w + cosc(angle) * time * time * (w @ w)) @ R, p + time * V[3:])
