"""ShapeDistance: how far shapes are from each other."""

from collections.abc import Sequence
from itertools import product
from typing import Any, final

import numpy as np

from mobod.contact.pairs import pair_of
from mobod.contact.placed_shape import FixedShape, PlacedShape
from mobod.errors import InputError, UnsupportedError, described
from mobod.matter import MultibodySystem
from mobod.scalar import Scalar, Slot, minimum
from mobod.sensors.sensor import Sensor, SensorPart
from mobod.sensors.shape_gap import ShapeGap, has_gap
from mobod.spatial import Transform
from mobod.system import Layout, Stage
from mobod.system.elements import NO_BOUND, Given, Parameter, argument, parameter


@final
class ShapeDistance(Sensor):
    """The least distance between a shape and another one, or between two groups of shapes; negative where they overlap: then the greatest
    depth.

    shapes  one that `add` of a ContactSet returned, or a list of them
    others  the same, of other bodies or of the same one; no shape of `shapes`
    range   m, the greatest distance that it shows, at least 0; default: no bound

    Each shape and each other one is a pair of convex shapes, or a ball and smooth terrain; not two half-spaces, no triangles of terrain.
    There need not be a contact between them, and groups and masks do not matter. Distances of the pairs that `mb.contact.pair_of` does not
    know, such as two boxes, are found by the runtime, from the beginning at each pose.

    It is a continuous function of positions. Derivatives are those of the pair that is nearest, and 0 beyond the range. No step ends
    where another pair becomes the nearest.

    Variable: '<name>.distance', m.
    """

    shapes: Given[Sequence[PlacedShape], PlacedShape | Sequence[PlacedShape]] = argument(
        "a shape that `add` of a ContactSet returned, or a list", kw_only=False
    )
    others: Given[Sequence[PlacedShape], PlacedShape | Sequence[PlacedShape]] = argument("the same, of those opposite", kw_only=False)
    range: Parameter[float] = parameter("m", "greatest distance that it shows", default=NO_BOUND, least=0.0, is_bound=True)
    set_range, default_range, set_default_range = range.accessors  # noqa: A003 # the field's word, as in RangeFinder

    parts = (SensorPart("distance", 1, "m", "distance"),)

    def __post_init__(self) -> None:
        if not isinstance(self.system, MultibodySystem):
            raise InputError(f"ShapeDistance: it is a part of a MultibodySystem, not of {described(self.system)}.")
        self.shapes, self.others = (_listed(self.system, *each) for each in (("shapes", self.shapes), ("others", self.others)))
        for one, other in product(self.shapes, self.others):
            names = f"ShapeDistance: '{one.name}' on '{one.body.name}' and '{other.name}' on '{other.body.name}'"
            if one is other:
                raise InputError(f"{names} are the same shape. Give two shapes.")
            try:
                if not has_gap(one.shape, other.shape):
                    pair_of(one.shape, other.shape)
            except UnsupportedError as error:
                raise UnsupportedError(f"{names}: {error}") from error
        self._complete(Stage.POSITION)

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values, when the layout is known."""
        slots = self.shapes[0].body.matter.tree(layout).slots
        pairs = list(product(self.shapes, self.others))
        found = [pair for pair in pairs if has_gap(pair[0].shape, pair[1].shape)]
        recorded = [pair for pair in pairs if pair not in found]
        sweep, distances = self.subsystem.sweep(layout, self.stage), [layout.reserve(()) for _ in found]

        def pose(each: PlacedShape) -> tuple[Slot, Slot]:
            return slots.R_GB[each.body.index], slots.p_GB[each.body.index]

        for number, (pair, distance) in enumerate(zip(found, distances, strict=True)):
            name = f"{self.name} {number}"
            sweep.calls.append(ShapeGap(name, [each.fixed for each in pair], poses=[pose(each) for each in pair], distance=distance))
        placed = list({each: None for pair in recorded for each in pair})
        numbers = tuple((placed.index(one), placed.index(other)) for one, other in recorded)
        inputs = [*self._parameter_slots(layout), *(slot for each in placed for slot in pose(each)), *distances]
        structure = tuple(each.fixed for each in placed), numbers
        sweep.add(least_distance, inputs, [self.slot(layout)[0]], structure=structure)


def _listed(system: MultibodySystem, name: str, given: object) -> tuple[PlacedShape, ...]:
    listed = [given] if isinstance(given, PlacedShape) else given
    if not isinstance(listed, Sequence) or not listed or not all(isinstance(each, PlacedShape) for each in listed):
        raise InputError(
            f"ShapeDistance: {name} is what `add` of a ContactSet returned, or a list of at least one of these, not {described(given)}."
        )
    for each in listed:
        system.matter.checked(each.body, f"ShapeDistance: shape '{each.name}'")
    return tuple(listed)


def least_distance(placed: tuple[FixedShape, ...], pairs: tuple[tuple[int, int], ...], most: Scalar, *poses_and_distances: Any) -> Scalar:
    """m: of the pairs of shapes, by their numbers, and of the distances of others; R and p in Ground of the body of each shape first."""
    poses, distances = poses_and_distances[: 2 * len(placed)], poses_and_distances[2 * len(placed) :]
    seen = [
        (shape, Transform.of(R_GB @ np.array(R), p_GB + R_GB @ np.array(p)))
        for (shape, (R, p)), R_GB, p_GB in zip(placed, poses[::2], poses[1::2], strict=True)
    ]
    nearest = most
    for i, k in pairs:
        (one, X_G1), (other, X_G2) = seen[i], seen[k]
        for proximity in pair_of(one, other).proximities(one, X_G1, other, X_G2):
            nearest = minimum(nearest, proximity.distance)
    for distance in distances:
        nearest = minimum(nearest, distance)
    return nearest
