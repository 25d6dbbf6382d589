"""The equations of a rigid contact, and what is recorded of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self, final

import numpy as np

from mobod.contact.pairs import pair_of
from mobod.contact.proximity import Proximity, distance_if_present
from mobod.contact.shapes import ContactShape, HalfSpace
from mobod.contact.shapes.rims import lean_of_rim
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.unilateral.moments import ROLLING, SIZES, TORSIONAL
from mobod.scalar import Array, Scalar, norm
from mobod.spatial import Transform, cross, from_quaternion
from mobod.system.elements import Parameter

_FRAME = (
    Parameter[float | np.ndarray](name="orientation", unit="1", description="quaternion of the frame", shape=(4,), is_direction=True),
    Parameter[float | np.ndarray](name="origin", unit="m", description="origin of the frame", shape=(3,)),
)
Numbers = tuple[float, ...]


@final
@dataclass(frozen=True)
class RigidContactEquations(ConstraintEquations):
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
    def friction_moments(self) -> tuple[str, ...]:
        return self.moments

    @cached_property
    def n_features(self) -> int:
        return pair_of(self.shape1, self.shape2).n

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
            for each in (*shape.parameters, *_FRAME)
        )

    def parameter_values(self) -> np.ndarray:
        """(n_parameters,) in the order and the units of `parameters`."""
        return np.concatenate([self.shape1.parameter_values(), self.frame1, self.shape2.parameter_values(), self.frame2])

    def with_parameters(self, values: Sequence[Scalar] | Array) -> Self:
        """The same equations with other numbers; values (n_parameters,), which may be recorded."""
        numbers, n_1, n_2 = list(values), self.shape1.n_parameters, self.shape2.n_parameters
        first, second = numbers[: n_1 + 7], numbers[n_1 + 7 :]
        shapes = self.shape1.with_parameters(first[:n_1]), self.shape2.with_parameters(second[:n_2])
        return type(self)(*shapes, tuple(first[n_1:]), tuple(second[n_2:]), self.moments)

    def checked(self, owner: str) -> Self:
        """The same equations: shapes and frames are checked when they are made."""
        return self

    @property
    def has_rim(self) -> bool:
        """Whether a rim touches a half-space."""
        shapes = self.shape1, self.shape2
        return any(isinstance(each, HalfSpace) for each in shapes) and any(each.has_rim for each in shapes)

    def lean(self, R_A1: Array, R_A2: Array) -> Array:
        """(2,) of the shape with a rim: see lean_of_rim."""
        R1, R2 = R_A1 @ from_quaternion(np.array(self.frame1[:4])), R_A2 @ from_quaternion(np.array(self.frame2[:4]))
        return lean_of_rim(R1, R2) if isinstance(self.shape1, HalfSpace) else lean_of_rim(R2, R1)

    @property
    def has_line(self) -> bool:
        """See ContactPair."""
        return pair_of(self.shape1, self.shape2).has_line

    def proximities(self, X_A1: Transform, X_A2: Transform) -> tuple[Proximity, ...]:
        """How near the features are to each other, in the frame A of the bodies' poses."""
        (S1, S2), pair = (transform_of(self.frame1), transform_of(self.frame2)), pair_of(self.shape1, self.shape2)
        return pair.proximities(self.shape1, X_A1 @ S1, self.shape2, X_A2 @ S2)

    def position_errors(self, motion: RelativeMotion) -> Array:
        return np.array([each.gap for each in self.proximities(*motion.X)])

    def velocity_errors(self, motion: RelativeMotion) -> Array:
        slips, turns = [], motion.V[1][:3] - motion.V[0][:3]
        found = self.proximities(*motion.X)
        for each in found:
            at_1, at_2 = (V[3:] + cross(V[:3], each.point - X.p) for V, X in zip(motion.V, motion.X, strict=True))
            slips += list(each.tangents @ (at_2 - at_1))
        if TORSIONAL.name in self.moments:
            slips += [each.normal @ turns for each in found]
        if ROLLING.name in self.moments:
            slips += [rate for each in found for rate in each.tangents @ turns]
        return np.array(slips)


def transform_of(frame: Sequence[Scalar]) -> Transform:
    """frame: (7,) quaternion and origin"""
    return Transform.of(from_quaternion(np.array(frame[:4])), np.array(frame[4:]))


def geometry(equations: Any, parameters: Array, R_GB1: Array, p_GB1: Array, R_GB2: Array, p_GB2: Array) -> tuple[Array, Array, Array]:
    """(points (n, 3), normals (n, 3), tangents (2 n, 3)) in Ground."""
    given: RigidContactEquations = equations.with_parameters(parameters).distances
    found = given.proximities(Transform.of(R_GB1, p_GB1), Transform.of(R_GB2, p_GB2))
    return (
        np.array([each.point for each in found]),
        np.array([each.normal for each in found]),
        np.concatenate([each.tangents for each in found]),
    )


def lean_of_contact(equations: Any, parameters: Array, R_GB1: Array, R_GB2: Array) -> Array:
    """(2,) see RigidContactEquations.lean."""
    given: RigidContactEquations = equations.with_parameters(parameters).distances
    return given.lean(R_GB1, R_GB2)


def presences_of_contact(equations: Any, parameters: Array, R_GB1: Array, p_GB1: Array, R_GB2: Array, p_GB2: Array) -> Array:
    """(n, 2) m, see Proximity."""
    given: RigidContactEquations = equations.with_parameters(parameters).distances
    return np.array([each.presences for each in given.proximities(Transform.of(R_GB1, p_GB1), Transform.of(R_GB2, p_GB2))])


def distances_if_present(gaps: Array, presences: Array) -> Array:
    return np.array([distance_if_present(gap, each[1]) for gap, each in zip(gaps, presences, strict=True)])


def copied(x: Array) -> Array:
    return x


def opposite_of(x: Array) -> Array:
    return 0.0 - x


def along_tangents(components: Array, tangents: Array) -> Array:
    """(n, 3) vectors in Ground from components (n, 2) along tangents (2 n, 3)."""
    return np.array([c @ t for c, t in zip(components, np.reshape(tangents, (-1, 2, 3)), strict=True)])


def against_tangents(multipliers: Array, tangents: Array) -> Array:
    """(n, 3) forces on body 2 from multipliers (n, 2), whose forces are opposite."""
    return 0.0 - along_tangents(multipliers, tangents)


def speeds(slips: Array) -> Array:
    return np.array([norm(each) for each in slips])


def impulses_in_ground(of_normals: Array, of_tangents: Array, normals: Array, tangents: Array) -> Array:
    """(n, 3) impulses on body 2."""
    return np.array([a * n for a, n in zip(of_normals, normals, strict=True)]) + along_tangents(of_tangents, tangents)


def friction_power(multipliers: Array, slips: Array) -> Array:
    """(n,) the power that friction takes from the motion."""
    return np.array([force @ slip for force, slip in zip(multipliers, slips, strict=True)])


def friction_power_with_moments(multipliers: Array, slips: Array, moments: Array, turns: Array) -> Array:
    """(n,) the same with moments of friction, (k n,): of all spins, and of all rolling."""
    return friction_power(multipliers, slips) + sum_of_moments(moments * turns, len(slips))


def sum_of_moments(values: Array, n: int) -> Array:
    """(n,) the sums of the rows of each feature."""
    k = len(values) // n
    spins, rolling = (values[:n], values[n:]) if k != 2 else (np.zeros(n), values)
    return spins if k == 1 else spins + np.array([each[0] + each[1] for each in np.reshape(rolling, (n, 2))])


def moments_of_spin(multipliers: Array, normals: Array, tangents: Array) -> Array:
    """(n, 3) N m on body 2 from multipliers (n,) of the spin."""
    return 0.0 - np.array([m * normal for m, normal in zip(multipliers, normals, strict=True)])


def moments_of_rolling(multipliers: Array, normals: Array, tangents: Array) -> Array:
    """(n, 3) N m on body 2 from multipliers (2 n,) of rolling."""
    return against_tangents(np.reshape(multipliers, (-1, 2)), tangents)


def moments_of_both(multipliers: Array, normals: Array, tangents: Array) -> Array:
    """(n, 3) N m on body 2 from multipliers (3 n,) of the spin, then of rolling."""
    n = len(normals)
    return moments_of_spin(multipliers[:n], normals, tangents) + moments_of_rolling(multipliers[n:], normals, tangents)
