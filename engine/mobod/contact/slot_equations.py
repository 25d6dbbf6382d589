"""The equations of a rigid contact whose features are slots: points of contact that the runtime decides once a step."""

# Decision: docs/decisions/199-slots.md

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Self, final

import numpy as np

from mobod.contact.contact_equations import ContactEquations, transform_of
from mobod.contact.proximity import ABSENT, Proximity
from mobod.contact.shapes import ContactShape
from mobod.contact.tangents import tangents_of
from mobod.matter.equations.constraint_equations import Repeated
from mobod.matter.unilateral.moments import SIZES
from mobod.runtime.library import enumerators
from mobod.scalar import Array, norm, where
from mobod.spatial import Transform, cross

_PLACES = enumerators("SlotNumber")  # of the numbers of a slot: fmu_src/native/contact/contact_slots.h says what lies there
SLOT_SIZE = _PLACES["SLOT_SIZE"]
_KIND, _RADIUS_1, _RADIUS_2 = (_PLACES[f"SLOT_{name}"] for name in ("KIND", "RADIUS_1", "RADIUS_2"))
_POINT_1, _POINT_2, _AXIS_1, _AXIS_2 = (
    slice(_PLACES[f"SLOT_{name}"], _PLACES[f"SLOT_{name}"] + 3) for name in ("POINT_1", "POINT_2", "AXIS_1", "AXIS_2")
)
_KINDS = enumerators("PointKind")
_ON_1, _ON_2, _ON_EDGES, _FREE = (float(_KINDS[f"POINT_{name}"]) for name in ("ON_FACE_OF_1", "ON_FACE_OF_2", "ON_EDGES", "FREE"))


@final
@dataclass(frozen=True)
class SlotEquations(ContactEquations):
    """Of any two convex shapes. The recorded equations depend on the number of slots alone, so that all pairs share them.

    shape1, shape2  whose numbers the runtime reads, not the equations
    n_of_shapes     how many parameters each shape has
    n_slots         the largest number of points of contact
    slots           (n_slots SLOT_SIZE,) the numbers of all slots
    """

    shape1: ContactShape = field(compare=False)
    shape2: ContactShape = field(compare=False)
    n_of_shapes: tuple[int, int] = (0, 0)
    n_slots: int = 0
    slots: Any = field(default=None, compare=False)

    @property
    def feature_names(self) -> tuple[str, ...]:
        return tuple(f"point_{i}" for i in range(self.n_slots))

    @property
    def repeated(self) -> Repeated:
        return Repeated(replace(self, n_slots=1), self.n_slots, (1, 2, *(SIZES[name] for name in self.moments)))

    @property
    def n_decided(self) -> int:
        return self.n_slots * SLOT_SIZE

    def has_parameters_of(self, shape: ContactShape) -> bool:
        return not shape.has_table

    def with_decided(self, values: Array) -> Self:
        return replace(self, slots=values)

    def proximities(self, X_A1: Transform, X_A2: Transform) -> tuple[Proximity, ...]:
        """A is Ground. An absent slot has the distance ABSENT, and its vectors are 0."""
        X_A1, X_A2 = X_A1 @ transform_of(self.frame1), X_A2 @ transform_of(self.frame2)
        slots = np.zeros(self.n_decided) if self.slots is None else np.asarray(self.slots)
        return tuple(proximities_of_slots(np.reshape(slots, (self.n_slots, SLOT_SIZE)), X_A1, X_A2))


def proximities_of_slots(slots: Iterable[Array], X_A1: Transform, X_A2: Transform) -> Iterator[Proximity]:
    for slot in slots:
        kind, r1, r2 = slot[_KIND], slot[_RADIUS_1], slot[_RADIUS_2]
        is_there, are_edges = kind > 0, kind == _ON_EDGES
        of_1, of_2 = X_A1.R @ slot[_AXIS_1], X_A2.R @ slot[_AXIS_2]
        across = cross(of_1, of_2)
        length = norm(across)
        of_edges = across / where(are_edges, length, 1.0)
        normal = where(are_edges, of_edges, where(kind == _ON_1, of_1, where(kind == _ON_2, of_2, slot[_AXIS_1])))
        p1, p2 = X_A1.apply(slot[_POINT_1]), X_A2.apply(slot[_POINT_2])
        gap = normal @ (p2 - p1) - r1 - r2
        yield Proximity(
            gap=where(is_there, gap, ABSENT),
            normal=normal,
            point=where(is_there, (p1 + p2) / 2 + (r1 - r2) / 2 * normal, 0.0),
            tangents=where(is_there, tangents_of(X_A1.R.T @ normal) @ X_A1.R.T, 0.0),
            regularity=1.0,
            presences=None,
        )
