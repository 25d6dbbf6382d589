"""ContactPool: rigid contacts of many shapes, which share slots."""

# Decision: docs/decisions/208-shared-slots.md

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.contact.contact_equations import transform_of
from mobod.contact.contact_force import PlacedShapes
from mobod.contact.pool_equations import PooledShape, PooledSlot, PoolEquations, pooled_geometry
from mobod.contact.rigid_contact_equations import (
    against_tangents,
    along_tangents,
    copied,
    friction_power,
    impulses_in_ground,
    number_of_points,
    opposite_of,
    speeds,
)
from mobod.contact.seen_features import N_NUMBERS, SeenRow
from mobod.contact.shapes import ContactShape
from mobod.contact.shown_points import shown_of_points
from mobod.contact.slot_equations import SLOT_SIZE
from mobod.contact.slots import MEMORY, SHAPES
from mobod.errors import InputError
from mobod.matter import Ground, MobilizedBody, UnilateralConstraint
from mobod.matter.constraint_rows.gathered_bodies import FRICTION, GEOMETRY, SIZE_OF_MOTION, SIZE_OF_POSE, ChosenBodies
from mobod.matter.unilateral.friction import ShownValue
from mobod.matter.unilateral.moments import ROLLING, TORSIONAL
from mobod.runtime.library import enumerators
from mobod.runtime.tables import Struct, StructArray
from mobod.scalar import Array, Scalar, Slot, StaticTable, Sweep
from mobod.spatial import Transform, to_quaternion
from mobod.system import CacheEntry, DiscreteVariable, Layout, Numbers, Stage, State

POOLED_SIZE = enumerators("PooledNumber")["POOLED_SIZE"]
_BOUNDS = enumerators("PoolBounds")["POOL_BOUNDS"]
_LYING = 12 + 4  # POOL_LYING of contact_pool.h
_HINT = MEMORY["PAIR_POSE"]
_BODY = ("R_GB", "p_GB", "V_GB")


@final
@dataclass(frozen=True, eq=False)
class ShapeOfPool:
    """A shape of a pool on its body."""

    name: str
    body: MobilizedBody | Ground
    shape: ContactShape
    X_BS: Transform


@final
@dataclass(frozen=True)
class PairOfPool:
    """Two shapes of a pool that may touch, by their numbers, and their friction: static, dynamic, viscous (s/m), torsional and rolling
    (m).
    """

    first: int
    second: int
    friction: tuple[float, float, float, float, float]


@final
class ContactPool(UnilateralConstraint):
    """Rigid contacts of all pairs of a number of shapes, which share slots: made by ContactSet.rigid.

    A slot is one point of contact, of any pair. Once a step of fixed size (integrator='velocity_level') the runtime finds the pairs that
    are near each other, and their points. So a System with many shapes has as many rows as points that are near at one time, not as many
    as its pairs could have. Where more points are near than there are slots, points that bodies cannot reach in two steps are left out. A
    run fails if more can be reached (CONTACT_POOL_FULL), and says how many are needed; `most_points` says it after a run.

    shapes       with their bodies
    pairs        which of these may touch, and their friction
    slots        how many there are
    restitution, stribeck_speed
                 of all pairs, see RigidContact
    """

    _has_common_friction = False

    def __init__(
        self,
        shapes: Sequence[ShapeOfPool],
        pairs: Sequence[PairOfPool],
        slots: int,
        *,
        restitution: float = 0.0,
        stribeck_speed: float | None = None,
        name: str | None = None,
        disabled: bool = False,
    ):
        what = f"ContactPool{'' if name is None else f' {name!r}'}"
        if not pairs:
            raise InputError(f"{what}: no two shapes can touch. Add shapes on bodies that move against each other.")
        self.shapes, self.pairs = tuple(shapes), tuple(pairs)
        self._kinds = list(dict.fromkeys(each.friction for each in pairs))
        moments = [parameter.name for k, parameter in ((3, TORSIONAL), (4, ROLLING)) if any(kind[k] for kind in self._kinds)]
        self._used = [0, 1, 2, *([3] if TORSIONAL.name in moments else []), *([4] if ROLLING.name in moments else [])]
        equations = PoolEquations(
            slots,
            tuple(PooledShape(each.name, each.shape, (*to_quaternion(each.X_BS.R).tolist(), *each.X_BS.p.tolist())) for each in shapes),
            tuple(tuple(kind[k] for kind in self._kinds) for k in self._used),
            stribeck_speed,
            tuple(moments),
        )
        static, dynamic, viscous, *_ = self._kinds[0]
        bodies = list(dict.fromkeys(each.body for each in shapes))
        super().__init__(
            equations,
            bodies,
            restitution=restitution,
            static_friction=static,
            dynamic_friction=dynamic,
            viscous_friction=viscous,
            stribeck_speed=stribeck_speed,
            name=name,
            disabled=disabled,
        )

    @property
    def slots(self) -> int:
        """How many points of contact it can hold."""
        return self.n_contacts

    @property
    def moments(self) -> tuple[str, ...]:
        """Which moments of friction it has: 'torsional_friction', 'rolling_friction'."""
        return self.equations.friction_moments

    def _row_names(self) -> list[str]:
        return [f"{self.name}.point_{i}" for i in range(self.n_contacts)]

    # what it holds
    def held_pairs(self, state: State) -> list[tuple[str, str] | None]:
        """(slots,) the names of both shapes at each slot; None: it is free."""
        numbers = np.asarray(state.get(self._choices), dtype=int) - self.matter.constraint_sweeps(state.layout).first_path(self)
        return [self._names_of(number) if number >= 0 else None for number in numbers.tolist()]

    def n_points(self, state: State) -> int:
        """How many slots hold a point of contact."""
        return int(np.count_nonzero(state.get(self._choices)))

    def most_points(self, state: State) -> int:
        """The largest number of points that were near in a step of the run so far: how many slots it needs.

        More than there are slots: in some steps points were left out that bodies could not reach.
        """
        return int(np.asarray(state.get(self._memory))[-1])

    def normal_force(self, state: State) -> np.ndarray:
        """(slots,) N, at least 0. Needs stage ACCELERATION."""
        return self.contact_forces(state)

    def friction_force(self, state: State) -> np.ndarray:
        """(slots, 3) N: friction on the second body, in Ground. Needs stage ACCELERATION."""
        return self._value(state, "friction_force")

    def contact_point(self, state: State) -> np.ndarray:
        """(slots, 3) m: the midpoint between both shapes, in Ground. Needs stage POSITION."""
        return self._value(state, "contact_point")

    def contact_normal(self, state: State) -> np.ndarray:
        """(slots, 3): unit vector from the first to the second body, in Ground. Needs stage POSITION."""
        return self._value(state, "contact_normal")

    def slip_speed(self, state: State) -> np.ndarray:
        """(slots,) m/s: tangential speed at the contact. Needs stage ACCELERATION."""
        return self._value(state, "slip_speed")

    def placed_shapes(self, state: State) -> list[tuple[MobilizedBody | Ground, Transform, ContactShape]]:
        """For each shape (body, Transform X_BS, shape), with the numbers of a State realized to INSTANCE."""
        parameters = self.matter.constraint_sweeps(state.layout).part(self, "constraint_parameters")
        given = self.equations.with_parameters(state.view(parameters)).distances  # type: ignore[attr-defined] # of a UnilateralConstraint
        assert isinstance(given, PoolEquations)
        return [(own.body, transform_of(each.frame), each.shape) for own, each in zip(self.shapes, given.shapes, strict=True)]

    def placed_pairs(self, state: State) -> list[PlacedShapes]:
        """For each pair of shapes that may touch the same of both."""
        placed = self.placed_shapes(state)
        return [(placed[pair.first], placed[pair.second]) for pair in self.pairs]

    @property
    def stage_of_forces(self) -> Stage:
        """The stage from which its normal forces are known."""
        return Stage.ACCELERATION

    def pressed_slots(self, layout: Layout) -> tuple[Slot, Slot]:
        """Normal forces (slots,), and points of contact in Ground (slots, 3)."""
        return layout.slots[self._shown["normal_force"]], layout.slots[self._shown["contact_point"]]

    def slots_of_body(self, body: MobilizedBody | Ground, layout: Layout) -> tuple[Slot, StaticTable]:
        """(slots,) the number of the pair at each slot; and by this number 1 if the body is one of the pair, else 0."""
        before = np.zeros(self.matter.constraint_sweeps(layout).first_path(self))
        of_body = [any(self.shapes[number].body is body for number in (pair.first, pair.second)) for pair in self.pairs]
        return layout.slots[self._choices], StaticTable(np.append(before, np.array(of_body, dtype=float)))

    def seen_row(self, layout: Layout) -> SeenRow:
        """What a page shows of its slots."""
        shown = ("mode", "contact_point", "contact_normal", "normal_force", "friction_force")
        decided = layout.slots[self._slots]
        inputs = (Slot(decided.offset, (self.slots, POOLED_SIZE)), *(layout.slots[self._shown[each]] for each in shown))
        return SeenRow(tuple(self._row_names()), pooled_features, (), inputs)

    def where(self, state: State, row: int) -> str:
        """Which shapes touch at a row whose distance is below zero."""
        pair = self.held_pairs(state)[row]
        return "" if pair is None else f" It is between '{pair[0]}' and '{pair[1]}'."

    # called by MatterSubsystem
    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        n, n_shapes, kinds = self.slots, len(self.shapes), enumerators("PointKind")
        n_paths = float(sum(len(each.chosen_pairs or ()) for each in self.matter.constraints))  # see RowTable.paths

        def variable(name: str, start: np.ndarray, stage: Stage, *numbers: Numbers) -> DiscreteVariable:
            return state.allocate_discrete_variable(self.matter, f"{self.name}.{name}", start, stage, numbers=list(numbers))

        slot = [Numbers(1, 0.0, float(max(kinds.values())), is_whole=True), Numbers(POOLED_SIZE - 1)]
        self._slots = variable("slots", np.zeros(n * POOLED_SIZE), Stage.POSITION, *(slot * n))
        self._choices = variable("pairs", np.zeros(n), Stage.POSITION, Numbers(n, 0.0, n_paths, is_whole=True))
        self._features = variable("features", np.zeros(2 * n), Stage.REPORT, Numbers(2 * n, -1e9, 1e9, is_whole=True))
        n_plain = _HINT * len(self.pairs) + _LYING * n_shapes
        self._memory = variable(
            "memory",
            np.concatenate([np.zeros(n_plain), np.arange(n_shapes), [0.0]]),
            Stage.REPORT,
            Numbers(n_plain),
            Numbers(n_shapes, 0.0, n_shapes - 1.0, is_whole=True),
            Numbers(1, 0.0, float(8 * max(len(self.pairs), 1)), is_whole=True),
        )

        def entry(name: str, stage: Stage, shape: tuple[int, ...]) -> CacheEntry:
            return state.allocate_cache_entry(self.matter, f"{self.name}.{name}", stage, shape=shape, computed_by=stage)

        self._poses = entry("poses", Stage.POSITION, (n, 2, SIZE_OF_POSE))
        self._motions = entry("motions", Stage.VELOCITY, (n, 2, SIZE_OF_MOTION))
        self._idle = entry("idle", Stage.POSITION, (FRICTION + 1 + len(self.moments), n))
        self._temporary = entry("temporary", Stage.POSITION, (_BOUNDS * n_shapes + n * (POOLED_SIZE + 3) + n,))

    @property
    def chosen_pairs(self) -> list[tuple[int, int]]:
        """The numbers of the bodies of each pair."""
        return [(self.shapes[each.first].body.index, self.shapes[each.second].body.index) for each in self.pairs]

    def chosen_bodies(self, layout: Layout) -> ChosenBodies:
        """The slots of the bodies that the runtime chooses."""
        poses, motions = layout.slots[self._poses], layout.slots[self._motions]
        return ChosenBodies(
            pairs=tuple(self.chosen_pairs),
            choices=layout.slots[self._choices],
            poses=poses,
            motions=motions,
            idle=layout.slots[self._idle],
        )

    def decided_slot(self, layout: Layout) -> Slot:
        """The slot of the numbers of all slots."""
        return layout.slots[self._slots]

    @property
    def decided(self) -> tuple[DiscreteVariable, ...]:
        """The discrete variables that runs set."""
        return (*super().decided, self._slots, self._choices, self._features, self._memory)

    def friction_parameters(self, layout: Layout, row: int = 0) -> tuple[Slot, ...]:
        """The slots of the coefficients of the pair that holds a slot."""
        first = layout.slots[self._slots].offset + row * POOLED_SIZE + SLOT_SIZE
        stribeck = []
        if "stribeck_speed" in [each.name for each in self.equations.parameters]:
            whole = self.matter.constraint_sweeps(layout).part(self, "constraint_parameters").offset
            stribeck.append(Slot(whole + self._parameter_named("stribeck_speed")[1], ()))
        return (*(Slot(first + k, ()) for k in range(3)), *stribeck)

    def moment_parameter(self, name: str, layout: Layout, row: int = 0) -> Slot:
        """The slot of the coefficient of a moment of friction of the pair that holds a slot."""
        first = layout.slots[self._slots].offset + row * POOLED_SIZE + SLOT_SIZE
        return Slot(first + 3 + self.moments.index(name), ())

    def tabulate_outputs(self, position: Sweep, acceleration: Sweep, layout: Layout) -> None:
        """Write the rows that compute points, normals and tangents, and what follows from them."""
        chosen, decided = self.chosen_bodies(layout), layout.slots[self._slots]
        one = PooledSlot(self.moments)
        shown = {name: layout.slots[self._shown[name]] for name in ("contact_point", "contact_normal", "tangents")}
        for i in range(self.slots):
            numbers = Slot(decided.offset + i * POOLED_SIZE, (SLOT_SIZE,))
            poses = [slot for side in (0, 1) for slot in chosen.pose(i, side)[:2]]
            outputs = [Slot(whole.offset + i * (whole.size // self.slots), (whole.shape[0] // self.slots, 3)) for whole in shown.values()]
            position.add(pooled_geometry, [numbers, *poses], outputs, structure=(one,), spare=chosen.spare(i, GEOMETRY))
        tree = self.matter.tree(layout)
        for body in dict.fromkeys(each.body for each in self.shapes):
            if not isinstance(body, Ground):
                layout.c_reads += [getattr(tree.slots, name)[body.index] for name in _BODY]
        super().tabulate_outputs(position, acceleration, layout)

    def pool_table(self, layout: Layout) -> Struct:
        """`SlotPool` of contact_pool.h, without its rows."""
        sweeps = self.matter.constraint_sweeps(layout)
        first = sweeps.part(self, "constraint_parameters").offset
        memory, temporary = layout.slots[self._memory].offset, layout.slots[self._temporary].offset
        n, n_shapes, kinds = self.slots, len(self.shapes), len(self._kinds)
        lying = memory + _HINT * len(self.pairs)
        pair_of = np.full((n_shapes, n_shapes), -1, dtype=np.intc)
        for number, pair in enumerate(self.pairs):
            pair_of[pair.first, pair.second] = pair_of[pair.second, pair.first] = number
        return Struct(
            "SlotPool",
            name=self.name,
            enabled=self.enabled_slot(layout).offset,
            slots=layout.slots[self._slots].offset,
            choices=layout.slots[self._choices].offset,
            first_path=sweeps.first_path(self),
            features=layout.slots[self._features].offset,
            n_shapes=n_shapes,
            shapes=StructArray("SlotShape", self._shape_tables(first, layout)),
            n_pairs=len(self.pairs),
            n_coefficients=len(self._used),
            pairs=[entry for each in self.pairs for entry in (each.first, each.second, self._kinds.index(each.friction))],
            pair_of=pair_of.ravel().tolist(),
            n_frictions_of_pairs=kinds,
            coefficients=first,
            hints=memory,
            lying=lying,
            order=lying + _LYING * n_shapes,
            most_points=lying + (_LYING + 1) * n_shapes,
            bounds=temporary,
            waiting=temporary + _BOUNDS * n_shapes,
            idle=layout.slots[self._idle].offset,
            n_idle=layout.slots[self._idle].size,
            is_taken=temporary + _BOUNDS * n_shapes + n * (POOLED_SIZE + 3),
        )

    # inside
    def _shape_tables(self, first: int, layout: Layout) -> list[Struct]:
        slots, tables = self.matter.tree(layout).slots, []
        at = first + len(self._used) * len(self._kinds) + (len(self.friction_parameters(layout)) - 3)
        for each in self.shapes:
            places = dict.fromkeys(_BODY, -1)
            if not isinstance(each.body, Ground):
                places = {name: getattr(slots, name)[each.body.index].offset for name in _BODY}
            n = 0 if each.shape.has_table else each.shape.n_parameters
            assert each.shape.kernel_kind is not None
            kind = SHAPES[each.shape.kernel_kind]
            given = {"hull": each.shape.hull_table(), "terrain": each.shape.terrain_table()}
            tables.append(Struct("SlotShape", kind=kind, numbers=at, frame=at + n, **places, **given))
            at += n + 7
        return tables

    def _names_of(self, pair: int) -> tuple[str, str]:
        return self.shapes[self.pairs[pair].first].name, self.shapes[self.pairs[pair].second].name

    def _value(self, state: State, name: str) -> np.ndarray:
        return np.array(state.cached(self._shown[name]))

    def _shown_of_friction(self) -> dict[str, ShownValue]:
        n = self.slots
        position, acceleration = Stage.POSITION, Stage.ACCELERATION
        return {
            "n_points": ShownValue(position, (), ("1",), "number of points of contact"),
            **shown_of_points(n, "the first body", "the second body", "slot"),
            "power_dissipation": ShownValue(acceleration, (n,), ("W",), "power dissipated by the friction of slips"),
        }

    def _made_of_friction(self, layout: Layout) -> dict[str, tuple[Callable[..., Array | Scalar], list[Slot]]]:
        assert self.friction is not None
        sweeps, n = self.matter.constraint_sweeps(layout), self.slots
        multipliers, rates = sweeps.part(self, "multipliers"), sweeps.part(self, "velocity_errors")
        impulses = layout.slots[self._impulses]
        tangents, normals = layout.slots[self._shown["tangents"]], layout.slots[self._shown["contact_normal"]]
        of_tangents = [Slot(whole.offset + n, (n, 2)) for whole in (multipliers, rates, impulses)]
        return {
            "n_points": (number_of_points, [self.errors_slot(layout)]),
            "mode": (copied, [self.friction.modes_slot(layout)]),
            "normal_force": (opposite_of, [self._of_contacts(multipliers)]),
            "friction_force": (against_tangents, [of_tangents[0], tangents]),
            "slip": (along_tangents, [of_tangents[1], tangents]),
            "slip_speed": (speeds, [of_tangents[1]]),
            "contact_impulse": (impulses_in_ground, [self._of_contacts(impulses), of_tangents[2], normals, tangents]),
            "power_dissipation": (friction_power, of_tangents[:2]),
        }


def pooled_features(slots: Array, modes: Array, points: Array, normals: Array, normal_forces: Array, frictions: Array) -> Array:
    """(n, N_NUMBERS) what a page shows of each slot, see seen_features."""
    rows = [
        [mode, slot[SLOT_SIZE], *point, *normal, *(force * normal + friction)]
        for slot, mode, point, normal, force, friction in zip(slots, modes, points, normals, normal_forces, frictions, strict=True)
    ]
    return np.array(rows).reshape(-1, N_NUMBERS)
