"""The distance of two convex shapes that the runtime finds: a procedure among the calls of a sweep.

In C: shape_gap.h of fmu_src/native/shape_kernels.
"""

from collections.abc import Sequence
from typing import final

from mobod.contact.pairs import has_pair
from mobod.contact.placed_shape import FixedShape
from mobod.contact.shapes import ContactShape
from mobod.contact.slots import SHAPES, number_of_slots
from mobod.runtime.tables import Struct
from mobod.scalar.procedure import Procedure, ProcedureInC
from mobod.scalar.slot import Slot


@final
class ShapeGap(Procedure):
    """Sets the distance of two shapes, minus the depth where they overlap.

    sensor    a name that no other pair has
    shapes    both, with their frames on their bodies
    poses     R_GB (3, 3) and p_GB (3,) of both bodies
    distance  m
    """

    def __init__(self, sensor: str, shapes: Sequence[FixedShape], *, poses: Sequence[Sequence[Slot]], distance: Slot):
        self._sensor, self._shapes, self._poses, self._distance = sensor, tuple(shapes), tuple(poses), distance

    @property
    def name(self) -> str:
        return f"find the distance of {self._sensor}"

    @property
    def inputs(self) -> tuple[Slot, ...]:
        return tuple(slot for pose in self._poses for slot in pose)

    @property
    def outputs(self) -> tuple[Slot, ...]:
        return (self._distance,)

    def in_c(self) -> ProcedureInC:
        table = Struct("ShapeGap", distance=self._distance.offset, shape1=self._shape(0), shape2=self._shape(1))
        return ProcedureInC("shape_gap.h", "run_shape_gap", "run_shape_gap_tangent", "run_shape_gap_adjoint", table)

    def _shape(self, side: int) -> Struct:
        shape, (R, p) = self._shapes[side]
        R_GB, p_GB = self._poses[side]
        assert shape.kernel_kind is not None
        numbers = [] if shape.has_table else shape.parameter_values().tolist()
        return Struct(
            "GapShape",
            kind=SHAPES[shape.kernel_kind],
            R_GB=R_GB.offset,
            p_GB=p_GB.offset,
            R_BS=[number for row in R for number in row],
            p_BS=list(p),
            numbers=[*numbers, *[0.0] * (MOST_NUMBERS - len(numbers))],
            hull=shape.hull_table(),
        )


MOST_NUMBERS = 4  # MOST_SHAPE_NUMBERS of convex_shape.h


def has_gap(shape1: ContactShape, shape2: ContactShape) -> bool:
    """Whether the runtime finds the distance of two shapes, and no rows do: of all pairs of convex shapes, but not of terrain."""
    kinds = {shape1.kernel_kind, shape2.kernel_kind}
    return number_of_slots(shape1, shape2) is not None and "SHAPE_TERRAIN" not in kinds and not has_pair(shape1, shape2)
