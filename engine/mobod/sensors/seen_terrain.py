"""How far a ray goes until it meets terrain: a procedure among the calls of a sweep.

In C: seen_terrain.h of fmu_src/native/shape_kernels.
"""

from collections.abc import Sequence
from typing import final

from mobod.contact.placed_shape import FixedShape
from mobod.runtime.tables import Struct, same_named
from mobod.scalar.procedure import Procedure, ProcedureInC
from mobod.scalar.slot import Slot


@final
class SeenTerrain(Procedure):
    """Sets the distance of a ray, 1e30 m if it meets nothing.

    sensor                    a name that no other ray has
    station, direction, range  of the ray, in the frame of its body
    pose_of_sensor, pose_of_terrain  R_GB (3, 3) and p_GB (3,) of both bodies
    """

    def __init__(
        self,
        sensor: str,
        seen: FixedShape,
        *,
        station: Slot,
        direction: Slot,
        range_: Slot,
        pose_of_sensor: Sequence[Slot],
        pose_of_terrain: Sequence[Slot],
        distance: Slot,
    ):
        self._sensor, self._seen = sensor, seen
        self.station, self.direction, self.range = station, direction, range_
        (self.R_GB, self.p_GB), (self.R_GC, self.p_GC), self.distance = pose_of_sensor, pose_of_terrain, distance

    @property
    def name(self) -> str:
        return f"look for terrain by {self._sensor}"

    @property
    def inputs(self) -> tuple[Slot, ...]:
        return self.station, self.direction, self.range, self.R_GB, self.p_GB, self.R_GC, self.p_GC

    @property
    def outputs(self) -> tuple[Slot, ...]:
        return (self.distance,)

    def in_c(self) -> ProcedureInC:
        shape, (R, p) = self._seen
        table = Struct(
            "SeenTerrain",
            **same_named(self, "station", "direction", "range", "R_GB", "p_GB", "R_GC", "p_GC", "distance"),
            R_CS=[number for row in R for number in row],
            p_CS=list(p),
            terrain=shape.terrain_table(),
        )
        return ProcedureInC("seen_terrain.h", "run_seen_terrain", "run_seen_terrain_tangent", "run_seen_terrain_adjoint", table)


def is_seen_by_kernel(shape: object) -> bool:
    """Whether a shape is terrain of triangles."""
    return getattr(shape, "kernel_kind", None) == "SHAPE_TERRAIN" and not getattr(shape, "smooth", False)
