"""The equations of a rigid contact of two shapes with fixed features, and what is recorded of them."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.contact.contact_equations import ContactEquations, transform_of
from mobod.contact.pairs import ContactPair, pair_of
from mobod.contact.proximity import Proximity, distance_if_present
from mobod.contact.shapes import HalfSpace
from mobod.contact.shapes.rims import lean_of_rim
from mobod.matter.unilateral.contact_events import FAR
from mobod.scalar import Array, Scalar, norm, where
from mobod.spatial import Transform, from_quaternion


@final
@dataclass(frozen=True)
class RigidContactEquations(ContactEquations):
    """Of a pair of shapes with fixed features: see mb.contact.pair_of."""

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self._pair.names

    @property
    def has_rim(self) -> bool:
        shapes = self.shape1, self.shape2
        return any(isinstance(each, HalfSpace) for each in shapes) and any(each.has_rim for each in shapes)

    def lean(self, R_A1: Array, R_A2: Array) -> Array:
        R1, R2 = R_A1 @ from_quaternion(np.array(self.frame1[:4])), R_A2 @ from_quaternion(np.array(self.frame2[:4]))
        return lean_of_rim(R1, R2) if isinstance(self.shape1, HalfSpace) else lean_of_rim(R2, R1)

    @property
    def has_presences(self) -> bool:
        return self._pair.has_presences

    def proximities(self, X_A1: Transform, X_A2: Transform) -> tuple[Proximity, ...]:
        S1, S2 = transform_of(self.frame1), transform_of(self.frame2)
        return self._pair.proximities(self.shape1, X_A1 @ S1, self.shape2, X_A2 @ S2)

    @property
    def _pair(self) -> ContactPair:
        return pair_of(self.shape1, self.shape2, of_rigid_contact=True)


def geometry(
    equations: Any, parameters: Array, R_GB1: Array, p_GB1: Array, R_GB2: Array, p_GB2: Array, *decided: Array
) -> tuple[Array, Array, Array]:
    """(points (n, 3), normals (n, 3), tangents (2 n, 3)) in Ground. decided: the numbers of slots, if there are any"""
    given: ContactEquations = equations.with_parameters(parameters).distances
    given = given.with_decided(*decided) if decided else given
    found = given.proximities(Transform.of(R_GB1, p_GB1), Transform.of(R_GB2, p_GB2))
    return (
        np.array([each.point for each in found]),
        np.array([each.normal for each in found]),
        np.concatenate([each.tangents for each in found]),
    )


def lean_of_contact(equations: Any, parameters: Array, R_GB1: Array, R_GB2: Array) -> Array:
    """(2,) see RigidContactEquations.lean."""
    given: ContactEquations = equations.with_parameters(parameters).distances
    return given.lean(R_GB1, R_GB2)


def presences_of_contact(equations: Any, parameters: Array, R_GB1: Array, p_GB1: Array, R_GB2: Array, p_GB2: Array) -> Array:
    """(n, 2) m, see Proximity."""
    given: ContactEquations = equations.with_parameters(parameters).distances
    return np.array([each.presences for each in given.proximities(Transform.of(R_GB1, p_GB1), Transform.of(R_GB2, p_GB2))])


def distances_if_present(gaps: Array, presences: Array) -> Array:
    return np.array([distance_if_present(gap, each[1]) for gap, each in zip(gaps, presences, strict=True)])


def number_of_points(distances: Array) -> Scalar:
    """How many slots have a point."""
    return sum((where(each < FAR, 1.0, 0.0) for each in distances[1:]), where(distances[0] < FAR, 1.0, 0.0))


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
