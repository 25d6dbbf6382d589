"""The points at which two convex shapes press against each other, which the runtime finds at each pose; and what shares their stiffness.

In C: pressed_pair.h of fmu_src/native/shape_kernels.
"""

# Decision: docs/decisions/217-compliant-convex.md

from collections.abc import Mapping, Sequence
from typing import final

import numpy as np

from mobod.contact.features import touch_in_fixed_steps_only
from mobod.contact.pairs import pair_of
from mobod.contact.shapes import ContactShape
from mobod.contact.slots import SHAPES, number_of_slots
from mobod.runtime.tables import Struct
from mobod.scalar.procedure import Procedure, ProcedureInC
from mobod.scalar.slot import Slot

HINT_SIZE = 8  # SIZE_OF_PRESSED_HINT of pressed_pair.h


def number_of_pressed(shape1: ContactShape, shape2: ContactShape) -> int | None:
    """The largest number of points of two shapes whose points the runtime finds; None: they have features of their own, see pair_of.

    Raises UnsupportedError if mobod has no distance of the two.
    """
    if touch_in_fixed_steps_only(shape1, shape2):
        return number_of_slots(shape1, shape2)
    pair_of(shape1, shape2)
    return None


def numbers_of_pressed(shapes: Sequence[ContactShape]) -> np.ndarray:
    """The numbers of both shapes that a State has: none of hulls and terrain, which are tables."""
    return np.concatenate([np.zeros(0) if shape.has_table else shape.parameter_values() for shape in shapes])


@final
class PressedPair(Procedure):
    """Finds the points, with their weights.

    number   of the force
    shapes   both
    lengths  numbers_of_pressed
    frames   R_BS and p_BS of both shapes
    poses    R_GB, r and p_GM of both bodies
    hint     of the last step, and next_hint: for the next one
    found    distance (n,), normal (n, 3), arm1, arm2 (n, 3), patch (n, 2)
    """

    def __init__(
        self,
        number: int,
        shapes: Sequence[ContactShape],
        *,
        lengths: Slot,
        frames: Sequence[Slot],
        poses: Sequence[Slot],
        hint: Slot,
        next_hint: Slot,
        found: Mapping[str, Slot],
    ):
        self._number, self._shapes = number, tuple(shapes)
        self._lengths, self._frames, self._poses = lengths, tuple(frames), tuple(poses)
        self._hint, self._next_hint, self._found = hint, next_hint, dict(found)

    @property
    def name(self) -> str:
        return f"find points of force {self._number}"

    @property
    def inputs(self) -> tuple[Slot, ...]:
        return (self._lengths, *self._frames, *self._poses, self._hint)

    @property
    def outputs(self) -> tuple[Slot, ...]:
        return (*self._found.values(), self._next_hint)

    def in_c(self) -> ProcedureInC:
        table = Struct(
            "PressedPair",
            n=self._found["distance"].size,
            hint=self._hint.offset,
            next_hint=self._next_hint.offset,
            **{name: slot.offset for name, slot in self._found.items()},
            shape1=self._shape(0),
            shape2=self._shape(1),
        )
        return ProcedureInC("pressed_pair.h", "run_pressed_pair", "run_pressed_pair_tangent", "run_pressed_pair_adjoint", table)

    def _shape(self, side: int) -> Struct:
        shape = self._shapes[side]
        kind = shape.kernel_kind
        assert kind is not None
        places = dict(zip(("R_BS", "p_BS"), self._frames[2 * side :], strict=False))
        places |= dict(zip(("R_GB", "r", "p_GM"), self._poses[3 * side :], strict=False))
        return Struct(
            "PressedShape",
            kind=SHAPES[kind],
            numbers=self._lengths.offset + (numbers_of_pressed(self._shapes[:1]).size if side else 0),
            **{name: slot.offset for name, slot in places.items()},
            hull=shape.hull_table(),
            terrain=shape.terrain_table(),
        )
