"""Pairs of shapes: how many features touch, and how near they are."""

# Decision: docs/decisions/177-one-file-a-shape.md

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import TypeVar, final

import numpy as np

from mobod.contact.proximity import Gap, Proximity
from mobod.contact.shapes import BoundedShape, ContactShape
from mobod.contact.tangents import tangents_of
from mobod.errors import InputError, UnsupportedError
from mobod.scalar import Array, Scalar
from mobod.spatial import Transform

Gaps = Callable[..., list[Gap]]
Names = Callable[..., tuple[str, ...]]
G = TypeVar("G", bound=Gaps)


@final
@dataclass(frozen=True)
class _Distance:
    """gaps: of two shapes with their poses; names: of the features, one for each gap; others: see ContactPair."""

    gaps: Gaps
    names: Names
    has_line: bool
    has_presences: bool
    is_rigid_only: bool


_OF_TRIANGLES = (
    "Triangles are touched in rigid contact in fixed steps alone; a HeightField with smooth=True touches balls in compliant contact, too. "
)
_OF_SMOOTH_TERRAIN = "A HeightField with smooth=True touches balls alone; with smooth=False all convex shapes, in fixed steps. "
_DISTANCES: dict[tuple[type, type], _Distance] = {}


def _one_point(shape1: ContactShape, shape2: ContactShape) -> tuple[str, ...]:
    return ("point",)


def touching(
    one: type,
    other: type,
    *,
    names: Names = _one_point,
    has_line: bool = False,
    has_presences: bool = False,
    is_rigid_only: bool = False,
) -> Callable[[G], G]:
    """The decorator of a function that finds the gaps between two shapes, of these types or of their subclasses, in this order.

    The function takes shape, pose, shape, pose and returns a Gap for each feature. It can be recorded.

    names          of the features of two shapes
    has_line       see ContactPair
    has_presences  see ContactPair; a pair with a line has them in any case
    is_rigid_only  whether only rigid contacts have this pair, if they are asked to: see pair_of
    """

    def register(gaps: G) -> G:
        _DISTANCES[one, other] = _Distance(gaps, names, has_line, has_line or has_presences, is_rigid_only)
        return gaps

    return register


@final
@dataclass(frozen=True)
class ContactPair:
    """How two kinds of shapes touch: a fixed number of features, each of which has a distance at every pose.

    names          of the features
    has_line       whether the shapes can touch along a line: the last feature is the nearest points, the others are ends
    has_presences  whether no feature is always there: see Gap
    """

    names: tuple[str, ...]
    has_line: bool
    has_presences: bool
    _gaps: Gaps
    _is_swapped: bool  # the function takes the shapes in the other order

    @property
    def n(self) -> int:
        """The number of features."""
        return len(self.names)

    def proximities(self, shape1: ContactShape, X_A1: Transform, shape2: ContactShape, X_A2: Transform) -> tuple[Proximity, ...]:
        """How near the features are to each other. Poses and shapes may be recorded.

        X_A1, X_A2  poses of the shapes' frames in any frame A
        returns     a Proximity for each feature, in A. Tangents of a half-space are the x and y axes of its frame (-y if it is shape 2);
                    others follow from the normal, expressed in the frame of shape 1 (see tangents_of).
        """
        if self._is_swapped:
            gaps = [gap.reversed() for gap in self._gaps(shape2, X_A2, shape1, X_A1)]
        else:
            gaps = self._gaps(shape1, X_A1, shape2, X_A2)
        return tuple(
            Proximity(
                gap=gap.distance,
                normal=gap.normal,
                point=gap.point,
                tangents=_tangents(gap.normal, shape1, X_A1, shape2, X_A2),
                regularity=gap.regularity,
                presences=_presences(gap),
            )
            for gap in gaps
        )


def pair_of(shape1: ContactShape, shape2: ContactShape, *, of_rigid_contact: bool = False) -> ContactPair:
    """How two shapes touch. Raises UnsupportedError if mobod has no distance of the two.

    of_rigid_contact  whether pairs count whose features take turns, such as a box and a capsule: see RigidContact
    """
    shapes: tuple[object, ...] = shape1, shape2
    for shape in shapes:
        if not isinstance(shape, ContactShape):
            given = f"{type(shape).__name__} of {type(shape).__module__}"
            raise InputError(f"A contact is between shapes of mobod.contact, such as mb.contact.Sphere(0.1), not {given}.")
    for first, second in ((shape1, shape2), (shape2, shape1)):
        distance = _distance_of(type(first), type(second)) if first.has_distance and second.has_distance else None
        if distance is not None and (of_rigid_contact or not distance.is_rigid_only):
            names = distance.names(first, second)
            return ContactPair(names, distance.has_line, distance.has_presences, distance.gaps, _is_swapped=first is not shape1)
    one, other = (_with_article(type(shape).__name__) for shape in shapes)
    terrain = [each.has_distance for each in (shape1, shape2) if each.kernel_kind == "SHAPE_TERRAIN"]
    of_triangles = "" if not terrain else _OF_SMOOTH_TERRAIN if all(terrain) else _OF_TRIANGLES
    raise UnsupportedError(
        f"contact: there is no distance between {one} and {other}. {of_triangles}{_supported()}. Approximate a shape by several of these."
    )


def has_pair(shape1: ContactShape, shape2: ContactShape, *, of_rigid_contact: bool = False) -> bool:
    """Whether `pair_of` knows how two shapes touch."""
    try:
        pair_of(shape1, shape2, of_rigid_contact=of_rigid_contact)
    except UnsupportedError:
        return False
    return True


def _distance_of(one: type[ContactShape], other: type[ContactShape]) -> _Distance | None:
    """That of the nearest base classes."""
    return next((found for pair in product(one.__mro__, other.__mro__) if (found := _DISTANCES.get(pair))), None)


def _supported() -> str:
    """Which shapes touch, as a sentence."""
    partners: dict[str, list[str]] = {}
    for one, other in (pair for pair, distance in _DISTANCES.items() if not distance.is_rigid_only):
        partners.setdefault(one.__name__, []).append("every other shape" if other is BoundedShape else other.__name__)
    return "Shapes that touch: " + "; ".join(f"{one} with {', '.join(sorted(others))}" for one, others in sorted(partners.items()))


def _with_article(name: str) -> str:
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


def _presences(gap: Gap) -> tuple[Scalar, Scalar] | None:
    if gap.presence is None:
        return None
    return gap.presence, gap.presence if gap.presence_in_steps is None else gap.presence_in_steps


def _tangents(normal: Array, shape1: ContactShape, X_A1: Transform, shape2: ContactShape, X_A2: Transform) -> Array:
    of_1 = shape1.tangents(X_A1.R)
    if of_1 is not None:
        return of_1
    of_2 = shape2.tangents(X_A2.R)
    if of_2 is not None:
        return np.array([of_2[0], -of_2[1]])
    return tangents_of(X_A1.R.T @ normal) @ X_A1.R.T
