"""The slots of a RigidContact: which pairs of shapes have them, their variables in a State, and their table."""

# Decision: docs/decisions/199-slots.md

from collections.abc import Sequence
from typing import final

import numpy as np

from mobod.contact.rigid_contact_equations import geometry
from mobod.contact.shapes import ContactShape
from mobod.contact.slot_equations import SLOT_SIZE
from mobod.forces.two_point.stations import fixed_motion
from mobod.matter import Ground, MobilizedBody
from mobod.matter.constraint import ConstraintOwner
from mobod.matter.equations.constraint_equations import ConstraintEquations
from mobod.runtime.library import enumerators
from mobod.runtime.tables import Struct
from mobod.scalar import Slot, Sweep
from mobod.system import DiscreteVariable, Layout, Numbers, Stage, State

MEMORY = enumerators("PairMemory")
SHAPES = enumerators("ShapeKind")
_PLACES = ("R_GB", "p_GB", "V_GB")
_MOST = 8  # slots of a pair
_UNBOUNDED = {"SHAPE_HALF_SPACE", "SHAPE_TERRAIN"}
_AT_A_PLACE = 4  # points of terrain that the same place of a round shape may touch
_OF_ROUND_SHAPES = {"SHAPE_BALL": 1, "SHAPE_CAPSULE": 2, "SHAPE_ELLIPSOID": 1}


def number_of_slots(shape1: ContactShape, shape2: ContactShape) -> int | None:
    """The largest number of points of contact of two shapes; None: one of them has no slots, or none is convex and bounded."""
    kinds = {shape1.kernel_kind, shape2.kernel_kind}
    is_smooth = any(each.kernel_kind == "SHAPE_TERRAIN" and each.has_distance for each in (shape1, shape2))
    if None in kinds or kinds <= _UNBOUNDED or is_smooth:
        return None
    most = min(_OF_ROUND_SHAPES.get(str(each), _MOST) for each in kinds)
    return min(most * _AT_A_PLACE, _MOST) if "SHAPE_TERRAIN" in kinds else most


@final
class PairSlots:
    """The variables of the slots of a pair, which runs set: the slots, and what the runtime remembers of the pair.

    bodies, shapes  of the contact
    """

    def __init__(self, bodies: Sequence[MobilizedBody | Ground], shapes: Sequence[ContactShape], n: int):
        self._bodies, self._shapes, self.n = tuple(bodies), tuple(shapes), n
        self._slots: DiscreteVariable
        self._memory: DiscreteVariable

    @property
    def decided(self) -> tuple[DiscreteVariable, ...]:
        """The discrete variables that runs set."""
        return self._slots, self._memory

    def allocate(self, state: State, owner: ConstraintOwner, name: str) -> None:
        """Allocate the variables, at TOPOLOGY."""
        kinds = enumerators("PointKind")
        numbers = [Numbers(1, 0.0, float(max(kinds.values())), is_whole=True), Numbers(SLOT_SIZE - 1)] * self.n
        self._slots = state.allocate_discrete_variable(
            owner, f"{name}.slots", np.zeros(self.n * SLOT_SIZE), Stage.POSITION, numbers=numbers
        )
        n_plain, n_features = MEMORY["PAIR_FEATURES"], 2 * self.n
        self._memory = state.allocate_discrete_variable(
            owner,
            f"{name}.pair",
            np.zeros(n_plain + n_features),
            Stage.REPORT,
            numbers=[Numbers(n_plain), Numbers(n_features, -1e9, 1e9, is_whole=True)],
        )

    def slot(self, layout: Layout) -> Slot:
        """The slot of the numbers of all slots."""
        return layout.slots[self._slots]

    def table(self, owner: ConstraintOwner, parameters: Slot, enabled: Slot, layout: Layout) -> Struct:
        """`SlotPair` of contact_slots.h, without its rows. parameters: of the constraint"""
        first = parameters.offset
        second = first + _n_parameters(self._shapes[0]) + 7
        return Struct(
            "SlotPair",
            enabled=enabled.offset,
            slots=self.slot(layout).offset,
            memory=layout.slots[self._memory].offset,
            shape1=self._shape(0, first, owner, layout),
            shape2=self._shape(1, second, owner, layout),
        )

    def write_geometry(
        self,
        equations: ConstraintEquations,
        position: Sweep,
        inputs: Sequence[Slot],
        outputs: Sequence[Slot],
        owner: ConstraintOwner,
        layout: Layout,
    ) -> None:
        """Write the rows that compute points, normals and tangents, and note the computed numbers that the runtime reads.

        inputs   parameters of the constraint, and poses of its bodies
        outputs  (n, 3), (n, 3), (2 n, 3)
        """
        tree, repeated = owner.tree(layout), equations.repeated
        assert repeated is not None
        for i in range(self.n):
            decided = Slot(self.slot(layout).offset + i * SLOT_SIZE, (SLOT_SIZE,))
            of_slot = [Slot(whole.offset + i * (whole.size // self.n), (whole.shape[0] // self.n, 3)) for whole in outputs]
            position.add(geometry, [*inputs, decided], of_slot, structure=(repeated.one.structure,), constants=fixed_motion(tree))
        for body in self._bodies:
            if not isinstance(body, Ground):
                layout.c_reads += [getattr(tree.slots, name)[body.index] for name in _PLACES]

    # inside
    def _shape(self, number: int, first: int, owner: ConstraintOwner, layout: Layout) -> Struct:
        body, shape = self._bodies[number], self._shapes[number]
        slots = owner.tree(layout).slots
        places = dict.fromkeys(_PLACES, -1)
        if not isinstance(body, Ground):
            places = {name: getattr(slots, name)[body.index].offset for name in places}
        assert shape.kernel_kind is not None
        return Struct(
            "SlotShape",
            kind=SHAPES[shape.kernel_kind],
            numbers=first,
            frame=first + _n_parameters(shape),
            **places,
            hull=shape.hull_table(),
            terrain=shape.terrain_table(),
        )


def _n_parameters(shape: ContactShape) -> int:
    return 0 if shape.has_table else shape.n_parameters
