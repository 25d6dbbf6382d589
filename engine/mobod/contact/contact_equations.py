"""ContactEquations: the base of the equations of rigid contacts, of which both shapes have frames on their bodies."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self, final

import numpy as np

from mobod.contact.proximity import Proximity
from mobod.contact.shapes import ContactShape
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.unilateral.moments import ROLLING, SIZES, TORSIONAL
from mobod.scalar import Array, Scalar
from mobod.spatial import Transform, cross, from_quaternion
from mobod.system.elements import Parameter

FRAME = (
    Parameter[float | np.ndarray](name="orientation", unit="1", description="quaternion of the frame", shape=(4,), is_direction=True),
    Parameter[float | np.ndarray](name="origin", unit="m", description="origin of the frame", shape=(3,)),
)
Numbers = tuple[float, ...]


@dataclass(frozen=True)
class ContactEquations(ConstraintEquations, ABC):
    """Distances of the features of two shapes, and the velocities of body 2 against body 1 at each feature, along its tangents.

    A distance goes on smoothly where its feature is not there.

    frame1, frame2  (7,) quaternion and origin of the shapes' frames on their bodies
    moments         see friction_moments: angular velocities follow the slips
    """

    shape1: ContactShape
    shape2: ContactShape
    frame1: Numbers
    frame2: Numbers
    moments: tuple[str, ...] = ()

    @property
    @abstractmethod
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features of both shapes."""

    @abstractmethod
    def proximities(self, X_A1: Transform, X_A2: Transform) -> tuple[Proximity, ...]:
        """How near the features are to each other, in the frame A of the bodies' poses."""

    @property
    def has_rim(self) -> bool:
        """Whether a rim touches a half-space, so that there is a `lean`."""
        return False

    @property
    def has_presences(self) -> bool:
        """See ContactPair."""
        return False

    def lean(self, R_A1: Array, R_A2: Array) -> Array:
        """(2,) of the shape with a rim: see lean_of_rim."""
        return np.zeros(2)

    @property
    def friction_moments(self) -> tuple[str, ...]:
        return self.moments

    @final
    @cached_property
    def n_features(self) -> int:
        return len(self.feature_names)

    @property
    def position_units(self) -> tuple[str, ...]:
        return ("m",) * self.n_features

    @property
    def velocity_units(self) -> tuple[str, ...]:
        return ("m/s",) * (2 * self.n_features) + ("rad/s",) * (sum(SIZES[name] for name in self.moments) * self.n_features)

    @cached_property
    def parameters(self) -> tuple[Parameter[float | np.ndarray], ...]:
        return tuple(
            replace(each, name=f"{each.name}{number}", description=f"{each.description} of shape {number}")
            for number, shape in ((1, self.shape1), (2, self.shape2))
            for each in (*(shape.parameters if self.has_parameters_of(shape) else ()), *FRAME)
        )

    def has_parameters_of(self, shape: ContactShape) -> bool:
        """Whether the numbers of a shape are parameters, or constant."""
        return True

    @final
    def _numbers_of(self, shape: ContactShape) -> np.ndarray:
        return shape.parameter_values() if self.has_parameters_of(shape) else np.zeros(0)

    def parameter_values(self) -> np.ndarray:
        """(n_parameters,) in the order and the units of `parameters`."""
        return np.concatenate([self._numbers_of(self.shape1), self.frame1, self._numbers_of(self.shape2), self.frame2])

    def with_parameters(self, values: Sequence[Scalar] | Array) -> Self:
        """The same equations with other numbers; values (n_parameters,), which may be recorded."""
        n_1, n_2 = (shape.n_parameters if self.has_parameters_of(shape) else 0 for shape in (self.shape1, self.shape2))
        numbers = list(values)
        first, second = numbers[: n_1 + 7], numbers[n_1 + 7 :]
        return replace(
            self,
            shape1=self.shape1.with_parameters(first[:n_1]) if n_1 else self.shape1,
            shape2=self.shape2.with_parameters(second[:n_2]) if n_2 else self.shape2,
            frame1=tuple(first[n_1:]),
            frame2=tuple(second[n_2:]),
        )

    def checked(self, owner: str) -> Self:
        """The same equations: shapes and frames are checked when they are made."""
        return self

    def position_errors(self, motion: RelativeMotion) -> Array:
        return np.array([each.gap for each in self.proximities(*motion.X)])

    def velocity_errors(self, motion: RelativeMotion) -> Array:
        return slips_and_turns(self.proximities(*motion.X), motion, self.moments)


def slips_and_turns(found: Sequence[Proximity], motion: RelativeMotion, moments: Sequence[str]) -> Array:
    """The velocity errors of contacts: slips along the tangents, then the angular velocities that moments of friction act against."""
    slips, turns = [], motion.V[1][:3] - motion.V[0][:3]
    for each in found:
        at_1, at_2 = (V[3:] + cross(V[:3], each.point - X.p) for V, X in zip(motion.V, motion.X, strict=True))
        slips += list(each.tangents @ (at_2 - at_1))
    if TORSIONAL.name in moments:
        slips += [each.normal @ turns for each in found]
    if ROLLING.name in moments:
        slips += [rate for each in found for rate in each.tangents @ turns]
    return np.array(slips)


def transform_of(frame: Sequence[Scalar]) -> Transform:
    """frame: (7,) quaternion and origin"""
    return Transform.of(from_quaternion(np.array(frame[:4])), np.array(frame[4:]))
