"""The modal coordinates of a flexible body, and the motion of its interface frames, which they cause.

    theta = Pr eta        p = p0 + Pt eta        R = exp([theta]x) R0        H = [T Pr; Pt]
    exp([theta]x) = 1 + a [theta]x + b [theta]x^2        a = sin t / t,  b = (1 - cos t) / t^2        t = |theta|
    T = 1 + b [theta]x + c [theta]x^2                    c = (t - sin t) / t^3

The shapes Pr, Pt are linear. The rotation is the exact exponential, and T its exact rate, so that velocities are the rates of poses.

Source: Shabana, Dynamics of Multibody Systems, ch. 5 (floating frame of reference); T: Simo, Vu-Quoc, A three-dimensional finite-strain
rod model, part 2 (1986).
"""

from dataclasses import dataclass
from functools import cached_property
from math import factorial
from typing import final

import numpy as np

from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.scalar import Array, Scalar, where
from mobod.scalar.derivative import jvp
from mobod.spatial import Transform, cross_matrix
from mobod.system.elements import Parameter

_NEAR = 0.5  # rad^2: below, series; the first term that they leave out is 1e-18 there
_TERMS = 8


@final
@dataclass(frozen=True)
class ModalEquations(MobilizerEquations):
    """n modal coordinates and their rates. By themselves they move no frame; they move the interfaces of their body.

    stiffness_scale   ()          factor of the stiffness
    damping_ratio     () or (n,)  part of the critical damping of each mode
    """

    n: int
    stiffness_scale: Scalar = 1.0
    damping_ratio: Scalar | tuple[Scalar, ...] = 0.0

    rotation = "none"

    @property
    def q_units(self) -> tuple[str, ...]:
        return ("1",) * self.n  # kg^(1/2) m of shapes with a modal mass of 1: no unit of an FMU

    @cached_property
    def parameters(self) -> tuple[Parameter[float | np.ndarray], ...]:
        shape = (self.n,) if isinstance(self.damping_ratio, tuple) else ()
        return (
            Parameter(name="stiffness_scale", unit="1", description="factor of the stiffness", above=0.0),
            Parameter(name="damping_ratio", unit="1", description="part of the critical damping of the modes", shape=shape, least=0.0),
        )

    def X_FM(self, q: Array) -> Transform:
        return Transform.of(np.eye(3), np.zeros(3))

    def H_FM(self, q: Array) -> Array:
        return np.zeros((6, self.n))

    def near(self, X_FM: Transform, q: np.ndarray) -> np.ndarray:
        return q

    def why_singular(self, q: np.ndarray) -> str:
        return ""


@final
@dataclass(frozen=True)
class FrameEquations(MobilizerEquations):
    """A frame without coordinates of its own on a body that deforms; X_FM is that without deformation. See InterfaceEquations."""

    q_units = ()

    def X_FM(self, q: Array) -> Transform:
        return Transform.of(np.eye(3), np.zeros(3))

    def H_FM(self, q: Array) -> Array:
        return np.zeros((6, 0))

    def near(self, X_FM: Transform, q: np.ndarray) -> np.ndarray:
        return q


@final
@dataclass(frozen=True, eq=False)
class InterfaceEquations(MobilizerEquations):
    """The pose of an interface frame N in the frame of its flexible body; q are the modal coordinates.

    R0, p0  (3, 3), (3,)  pose without deformation
    shapes  (6, n)        [Pr; Pt]: rotation and displacement for each modal coordinate
    second  (3, n, n)     displacement of second order, symmetric: p += second[q, q] / 2; None: linear shapes
    """

    R0: Array
    p0: Array
    shapes: Array
    second: Array | None = None

    @property
    def q_units(self) -> tuple[str, ...]:
        return ("1",) * self.shapes.shape[1]

    def X_FM(self, q: Array) -> Transform:
        return Transform.of(rotation_of_vector(self.shapes[:3] @ q) @ self.R0, self.p0 + self.displacement(q))

    def displacement(self, q: Array) -> Array:
        """(3,) of the origin, by the deformation."""
        first = self.shapes[3:] @ q
        return first if self.second is None else first + (self.second @ q) @ q / 2

    def H_FM(self, q: Array) -> Array:
        Pr, Pt = self.shapes[:3], self.shapes[3:]
        Pt = Pt if self.second is None else Pt + self.second @ q
        return np.concatenate([rate_of_rotation_vector(Pr @ q) @ Pr, Pt])

    def H_dot_u(self, q: Array, u: Array) -> Array:
        theta, rate = self.shapes[:3] @ q, self.shapes[:3] @ u
        angular = jvp(lambda theta: rate_of_rotation_vector(theta) @ rate, [theta], [rate])[1]
        return np.concatenate([angular, np.zeros(3) if self.second is None else (self.second @ u) @ u])

    def near(self, X_FM: Transform, q: np.ndarray) -> np.ndarray:
        return q


def rotation_of_vector(theta: Array) -> Array:
    """(3, 3) the rotation about theta (3,) by its length, rad; smooth at 0."""
    a, b, _ = _coefficients(theta @ theta)
    x = cross_matrix(theta)
    return np.eye(3) + a * x + b * (x @ x)


def rate_of_rotation_vector(theta: Array) -> Array:
    """(3, 3) T: the angular velocity for a rate of theta (3,) is T @ rate, in the axes before the rotation."""
    _, b, c = _coefficients(theta @ theta)
    x = cross_matrix(theta)
    return np.eye(3) + b * x + c * (x @ x)


def _coefficients(s: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """a, b, c for s = t^2: by series near 0, so that all derivatives are right there too."""
    is_near = s < _NEAR
    far = where(is_near, 1.0, s)
    t = np.sqrt(far)
    sine, cosine = np.sin(t), np.cos(t)
    closed = (sine / t, (1.0 - cosine) / far, (t - sine) / (far * t))
    a, b, c = (where(is_near, _series(first, s), each) for first, each in zip((1, 2, 3), closed, strict=True))
    return a, b, c


def _series(first: int, s: Scalar) -> Scalar:
    """1/first! - s/(first + 2)! + s^2/(first + 4)! - ..."""
    coefficients = [(-1.0) ** k / factorial(first + 2 * k) for k in range(_TERMS)]
    total: Scalar = coefficients[-1]
    for each in reversed(coefficients[:-1]):
        total = total * s + each
    return total
