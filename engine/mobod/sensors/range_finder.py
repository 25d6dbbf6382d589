"""RangeFinder: the distance to what is in front of it."""

from collections.abc import Sequence
from math import isfinite
from typing import Any, final

import numpy as np

from mobod.arguments.real_numbers import real_number
from mobod.contact.contact_set import ContactSet
from mobod.contact.placed_shape import FixedShape, PlacedShape
from mobod.errors import InputError, UnsupportedError, described
from mobod.matter import Ground, MobilizedBody
from mobod.scalar import Array, Scalar, Slot, minimum, where
from mobod.sensors.rays import first_hit, through
from mobod.sensors.seen_terrain import SeenTerrain, is_seen_by_kernel
from mobod.sensors.sensor import FrameOnBody, Sensor, SensorPart
from mobod.system import Layout, Stage
from mobod.system.elements import Given, Parameter, VectorParameter, argument, parameter


@final
class RangeFinder(Sensor):
    """The distance along a ray from a station on a body to the nearest shape of a ContactSet that it hits; its range if it hits none, or
    another number.

    body       the body that it is fixed on, or Ground
    shapes     a ContactSet, of which the shapes are taken that it has now, or a list of what its `add` returns. Shapes on `body` itself are
               not seen
    station    (3,) m, on the body; default: its origin
    direction  (3,) of the ray, in the body's frame, of any length but 0; default: z
    range      m, above 0: how far it sees
    exclude    bodies whose shapes are not seen
    cutoff     m, the greatest distance that it shows of what it sees; 0: no bound
    miss       m, what it shows if it hits none, such as -1; default: its range

    It sees the whole of each shape, not only its features: Box, Capsule, Cone, ConvexMesh, Cylinder, Ellipsoid, RoundedBox, Sphere, the
    triangles of a HeightField and of a TerrainMesh from both sides, and HalfSpace from outside. From within a shape it sees where the ray
    leaves it. Between changes of the shape that is hit, and of its side or triangle, the distance is a smooth function of positions, and
    derivatives are those of the shape that is hit; they are 0 where there is none. No step ends where it jumps.

    Variable: '<name>.distance', m.
    """

    body: MobilizedBody | Ground = argument("the body that it is fixed on, or Ground", kw_only=False)
    shapes: Given[Sequence[PlacedShape], ContactSet | Sequence[PlacedShape]] = argument(
        "a ContactSet, or shapes that its `add` returned", kw_only=False
    )
    station: VectorParameter = parameter("m", "where the ray begins, on the body", shape=(3,), default=(0.0, 0.0, 0.0))
    set_station, default_station, set_default_station = station.accessors
    direction: VectorParameter = parameter(
        "1", "direction of the ray, in the body's frame", shape=(3,), is_direction=True, default=(0.0, 0.0, 1.0)
    )
    set_direction, default_direction, set_default_direction = direction.accessors
    range: Parameter[float] = parameter("m", "how far it sees", above=0.0)
    set_range, default_range, set_default_range = range.accessors  # noqa: A003 # the field's word
    cutoff: Parameter[float] = parameter("m", "greatest distance that it shows of what it sees", default=0.0, least=0.0)
    set_cutoff, default_cutoff, set_default_cutoff = cutoff.accessors
    miss: float | None = argument("m, what it shows if it hits none; default: its range", default=None)
    exclude: Sequence[MobilizedBody | Ground] = argument("bodies whose shapes are not seen", default=(), is_kept=False)

    parts = (SensorPart("distance", 1, "m", "distance"),)

    def __post_init__(self) -> None:
        self.site = FrameOnBody(self.system, self.body, None, "RangeFinder")
        given: object = self.shapes
        listed = given.shapes if isinstance(given, ContactSet) else given
        if not isinstance(listed, Sequence) or not all(isinstance(each, PlacedShape) for each in listed):
            raise InputError(f"RangeFinder: shapes are a ContactSet, or a list of what its `add` returns, not {described(given)}.")
        if self.miss is not None and not isfinite(real_number(self.miss, "RangeFinder: miss")):
            raise InputError(f"RangeFinder: miss is {self.miss!r}. It is a finite number, in m.")
        hidden = [self.body, *self.given["exclude"]]
        for each in self.given["exclude"]:
            self.body.matter.checked(each, "RangeFinder: exclude")
        self.shapes = tuple(each for each in listed if not any(each.body is body for body in hidden))
        if not self.shapes:
            raise InputError(
                f"RangeFinder: there is no shape that it could see from '{self.body.name}'. Add shapes to the ContactSet first."
            )
        for each in self.shapes:
            self.body.matter.checked(each.body, f"RangeFinder: shape '{each.name}'")
            if is_seen_by_kernel(each.shape):
                continue
            try:
                through(each.shape, np.array([0.1, 0.2, 0.3]), np.array([0.0, 0.0, 1.0]))
            except UnsupportedError as error:
                raise UnsupportedError(
                    f"RangeFinder: shape '{each.name}' on '{each.body.name}': {error} Give a list without it."
                ) from error
        self._complete(Stage.POSITION)

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values, when the layout is known."""
        slots = self.body.matter.tree(layout).slots
        sweep, parameters = self.subsystem.sweep(layout, self.stage), self._parameter_slots(layout)

        def pose(body: MobilizedBody | Ground) -> tuple[Slot, Slot]:
            return slots.R_GB[body.index], slots.p_GB[body.index]

        terrain = [each for each in self.shapes if is_seen_by_kernel(each.shape)]
        others = [each for each in self.shapes if each not in terrain]
        station, direction, most, _ = parameters
        distances = [layout.reserve(()) for _ in terrain]
        for number, (each, distance) in enumerate(zip(terrain, distances, strict=True)):
            sweep.calls.append(
                SeenTerrain(
                    f"{self.name} {number}",
                    each.fixed,
                    station=station,
                    direction=direction,
                    range_=most,
                    pose_of_sensor=pose(self.body),
                    pose_of_terrain=pose(each.body),
                    distance=distance,
                )
            )
        poses = [slot for body in (self.body, *(each.body for each in others)) for slot in pose(body)]
        seen = tuple(each.fixed for each in others)
        inputs = [*parameters, *poses, *distances]
        sweep.add(ranged, inputs, [self.slot(layout)[0]], structure=(seen, self.miss))


def ranged(
    seen: tuple[FixedShape, ...],
    miss: float | None,
    station: Array,
    direction: Array,
    most: Scalar,
    cutoff: Scalar,
    R_GB: Array,
    p_GB: Array,
    *poses_and_distances: Any,
) -> Scalar:
    """m: of the ray; R and p in Ground of the body of each shape, then the distances of terrain."""
    poses, distances = poses_and_distances[: 2 * len(seen)], poses_and_distances[2 * len(seen) :]
    from_station, along = R_GB @ station, R_GB @ direction
    along = along / np.sqrt(along @ along)  # a variable of a System is set as it is given
    nearest = most
    for (shape, (R, p)), R_GC, p_GC in zip(seen, poses[::2], poses[1::2], strict=True):
        R_GS = R_GC @ np.array(R)
        to_shape = p_GB - p_GC + from_station - R_GC @ np.array(p)
        nearest = first_hit(shape, R_GS.T @ to_shape, R_GS.T @ along, nearest)
    for distance in distances:
        nearest = minimum(nearest, distance)
    shown = where(cutoff > 0, minimum(nearest, cutoff), nearest)
    return where(nearest < most, shown, most if miss is None else miss)
