"""Dry friction of constraint rows: the tangent rows of a contact, or the speed of a joint.

Between events each contact is free, sticks or slips; a run decides which (fmu_src/native/contact/friction.c). Tangent rows that stick are
equations. Those that slip carry the force `slide` times the normal force; the row of a joint carries the force `slide`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol, final

import numpy as np

from mobod.matter.constraint import ConstraintOwner
from mobod.matter.constraint_rows.constraint_rows import ConstraintRows
from mobod.matter.constraint_rows.gathered_bodies import FRICTION, ChosenBodies
from mobod.matter.unilateral.contact_events import MEMORY_OF_CONTACT, ContactCause
from mobod.matter.unilateral.friction_under_load import FrictionUnderLoad, slide_under_load, slip_under_load
from mobod.matter.unilateral.laws_of_slip import remaining_slip, sliding, sliding_by_stribeck
from mobod.matter.unilateral.moments import resisting
from mobod.scalar import Array, Scalar, Slot, Sweep, norm, where
from mobod.scalar.sweep import Spare
from mobod.system import CacheEntry, CatalogueVariable, DiscreteVariable, Layout, Numbers, Stage, State, TriggeredEventHandler, WitnessCall
from mobod.system.elements import Parameter

FrictionState = Literal["free", "stick", "slip"]
MODES: tuple[FrictionState, ...] = (
    "free",
    "stick",
    "slip",
)  # by the numbers of FrictionMode in friction_rows.h
FREE, STICK, SLIP = range(3)

STATIC: Parameter[float] = Parameter(name="static_friction", unit="1", description="coefficient of friction at rest", least=0.0)
DYNAMIC: Parameter[float] = Parameter(name="dynamic_friction", unit="1", description="coefficient of friction of a slip", least=0.0)
VISCOUS: Parameter[float] = Parameter(
    name="viscous_friction", unit="s/m", description="increase of the coefficient of friction with the speed of the slip", least=0.0
)
STRIBECK: Parameter[float] = Parameter(
    name="stribeck_speed",
    unit="m/s",
    description="speed of a slip at which friction falls from that at rest (0: at once)",
    least=0.0,
)
COEFFICIENTS = (STATIC, DYNAMIC, VISCOUS, STRIBECK)  # the last one only if it is given


@final
@dataclass(frozen=True)
class ShownValue:
    """A computed value of friction that results, FMUs and the command line can name."""

    stage: Stage
    shape: tuple[int, ...]
    units: tuple[str, ...]
    description: str


@final
@dataclass(frozen=True)
class TangentRows:
    """The rows of a constraint that one friction law concerns.

    normal    number of the contact's row; None: the friction of a joint
    tangents  numbers of its one or two rows of velocity errors
    moment    name of the coefficient of a moment of friction; None: the law of the slip
    """

    normal: int | None
    tangents: tuple[int, ...]
    moment: str | None = None


@final
@dataclass(frozen=True, kw_only=True)
class FrictionSlots:
    """The slots of one contact or joint.

    enabled    of the constraint
    rest       speed of a slip that counts as rest
    rates      (n,) velocity errors of the tangent rows
    direction  (n,) of the slip, of unit length; set again as it turns
    slide      (n,) force of a slip per normal force, or force
    kinetic    coefficient, or force, of a slip with the present speed
    static     the same at rest; dynamic, viscous: the other parameters
    impulse    (n,)
    """

    enabled: Slot
    mode: Slot
    rest: Slot
    rates: Slot
    direction: Slot
    slide: Slot
    kinetic: Slot
    static: Slot
    dynamic: Slot
    viscous: Slot
    impulse: Slot
    normal_force: Slot | None
    tangent_forces: Slot


def allocate_shown(constraint: "ShownConstraint", values: Mapping[str, ShownValue], state: State) -> dict[str, CacheEntry]:
    """Allocate an entry for each value, by name."""
    return {
        name: state.allocate_cache_entry(
            constraint.matter, f"{constraint.name}.{name}", value.stage, shape=value.shape, computed_by=value.stage
        )
        for name, value in values.items()
    }


def shown_variables(
    constraint: "ShownConstraint", values: Mapping[str, ShownValue], entries: Mapping[str, CacheEntry], layout: Layout
) -> list[CatalogueVariable]:
    """The values as variables."""
    return [
        CatalogueVariable.output(
            f"{constraint.name}.{name}",
            layout.slots[entries[name]],
            value.stage,
            value.units,
            f"{value.description} of '{constraint.name}' ({type(constraint).__name__})",
        )
        for name, value in values.items()
    ]


class ShownConstraint(Protocol):
    """The interface of a constraint that has shown values."""

    name: str

    @property
    def matter(self) -> ConstraintOwner: ...


class RowsWithFriction(ConstraintRows, Protocol):
    """The interface of a constraint with dry friction."""

    @property
    def matter(self) -> ConstraintOwner: ...

    def friction_parameters(self, layout: Layout, row: int = 0) -> tuple[Slot, ...]:
        """The slots of the static, the dynamic and the viscous coefficient, or of these forces of a joint; and a Stribeck speed's. row:
        number of a contact
        """
        ...

    def tangent_impulse_slots(self, tangents: Sequence[int], layout: Layout) -> Slot:
        """The slot of the impulses of tangent rows, which follow each other."""
        ...


@final
class FrictionEvent(TriggeredEventHandler):
    """Ends a step when a contact or a joint that sticks reaches its friction limit, or when its slip ends. The run then decides."""

    cause = ContactCause.UNILATERAL
    memory_of_element = MEMORY_OF_CONTACT
    is_internal, has_handler = True, False

    def __init__(self, friction: "RowFriction", number: int, name: str):
        self.friction, self.number = friction, number
        super().__init__(friction.constraint.matter.system, direction="falling", stage=Stage.ACCELERATION, name=name)

    def witness_stage(self, state: State) -> Stage:
        mode = state.values[self.friction.slots(state.layout, self.number).mode.offset]
        return {STICK: self.stage, SLIP: Stage.VELOCITY}.get(int(mode), Stage.POSITION)

    def witness_call(self, layout: Layout) -> WitnessCall:
        """Of what sticks, how far its force is below its limit; of what slips, how fast."""
        slots = self.friction.slots(layout, self.number)
        read = (slots.enabled, slots.mode, slots.static, slots.tangent_forces, slots.rates, slots.direction)
        normal = () if slots.normal_force is None else (slots.normal_force,)
        if self.friction.load is None:
            return WitnessCall(end_of_mode, (), (*read, slots.dynamic, slots.viscous, *normal))
        load = self.friction.load.slots(layout)
        return WitnessCall(end_of_mode_under_load, (), (*read, load.static, load.used, *normal))

    def witness(self, state: State) -> Scalar:
        return self.witness_call(state.layout).value(state)

    def handle_event(self, state: State, event: object) -> None:
        """Does nothing: the run handles all rows together."""


def end_of_mode(
    enabled: Scalar,
    mode: Scalar,
    static: Scalar,
    forces: Array,
    rates: Array,
    direction: Array,
    dynamic: Scalar,
    viscous: Scalar,
    *normal_force: Scalar,
) -> Scalar:
    """normal_force: of a contact"""
    slip = where(static + dynamic + viscous > 0, remaining_slip(rates, direction), 1.0)  # a slip without friction does not end
    return _margin(enabled, mode, slip, static, forces, normal_force)


def end_of_mode_under_load(
    enabled: Scalar,
    mode: Scalar,
    static: Scalar,
    forces: Array,
    rates: Array,
    direction: Array,
    static_of_load: Scalar,
    used: Array,
    *normal_force: Scalar,
) -> Scalar:
    """The same of a joint whose friction depends on its load."""
    return _margin(enabled, mode, remaining_slip(rates, direction), static + static_of_load * used[0], forces, normal_force)


def _margin(enabled: Scalar, mode: Scalar, slip: Scalar, static: Scalar, forces: Array, normal_force: tuple[Scalar, ...]) -> Scalar:
    normal = 0.0 - normal_force[0] if normal_force else 1.0
    below_limit = static * normal - norm(forces)
    of_closed = where(mode > 1.5, slip, where(mode > 0.5, below_limit, 1.0))
    return where(enabled, of_closed, 1.0)


@final
class RowFriction:
    """The dry friction of a constraint: its variables in a State, its events, and its recorded law.

    rows   of each contact or joint
    names  of their events
    load   of a joint whose friction depends on the reactions
    moment_parameter
           of moments of friction: the slot of a coefficient by its name, and the number of the contact's row
    """

    def __init__(
        self,
        constraint: RowsWithFriction,
        rows: Sequence[TangentRows],
        names: Sequence[str],
        load: FrictionUnderLoad | None = None,
        moment_parameter: Callable[[str, Layout, int], Slot] | None = None,
    ):
        self.constraint, self.rows, self.load, self._moment_parameter = constraint, tuple(rows), load, moment_parameter
        self.events = tuple(FrictionEvent(self, number, name) for number, name in enumerate(names))
        self._modes: DiscreteVariable
        self._directions: DiscreteVariable
        self._rests: DiscreteVariable
        self._carried: DiscreteVariable
        self._given: DiscreteVariable
        self._slides: CacheEntry
        self._kinetic: CacheEntry

    @property
    def is_regularised(self) -> bool:
        """No: runs decide about it."""
        return False

    @property
    def n_tangents(self) -> int:
        """The largest number of tangent rows of a contact: 1 or 2."""
        return max(len(each.tangents) for each in self.rows)

    @property
    def decided(self) -> tuple[DiscreteVariable, ...]:
        """The discrete variables that runs set."""
        return self._modes, self._directions, self._rests, self._carried, self._given

    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        constraint, n, n_rows = self.constraint, len(self.rows), self.constraint.equations.n
        matter, shape = constraint.matter, (len(self.rows), self.n_tangents)

        def variable(name: str, start: np.ndarray, stage: Stage, numbers: Numbers) -> DiscreteVariable:
            return state.allocate_discrete_variable(matter, f"{constraint.name}.{name}", start, stage, numbers=[numbers])

        modes = Numbers(n, float(FREE), float(SLIP), is_whole=True)
        self._modes = variable("modes", np.zeros(n), Stage.ACCELERATION, modes)
        self._directions = variable("slip_directions", np.zeros(shape), Stage.VELOCITY, Numbers(n * self.n_tangents, -1.0, 1.0))
        self._rests = variable("rest_speeds", np.zeros(n), Stage.REPORT, Numbers(n, 0.0))
        self._carried = variable("carried", np.zeros(n_rows), Stage.DYNAMICS, Numbers(n_rows, 0.0, 2.0, is_whole=True))
        self._given = variable("given_forces", np.zeros(n_rows), Stage.ACCELERATION, Numbers(n_rows))
        velocity = Stage.VELOCITY
        of_slides = velocity if self.load is None else Stage.ACCELERATION
        self._slides = state.allocate_cache_entry(matter, f"{constraint.name}.slides", of_slides, shape=shape, computed_by=of_slides)
        if self.load is not None:
            self.load.allocate(state)
        self._kinetic = state.allocate_cache_entry(matter, f"{constraint.name}.kinetic", velocity, shape=(n,), computed_by=velocity)

    def slots(self, layout: Layout, number: int) -> FrictionSlots:
        """The slots of one contact or joint."""
        return layout.kept(self._all_slots)[number]

    def _all_slots(self, layout: Layout) -> list[FrictionSlots]:
        return [self._slots(layout, number) for number in range(len(self.rows))]

    def _slots(self, layout: Layout, number: int) -> FrictionSlots:
        rows, constraint = self.rows[number], self.constraint
        sweeps, first, n = constraint.matter.constraint_sweeps(layout), rows.tangents[0], len(rows.tangents)
        multipliers = sweeps.part(constraint, "multipliers")
        if rows.moment is None:
            static, dynamic, viscous = constraint.friction_parameters(layout, rows.normal or 0)[:3]
        else:
            static = dynamic = viscous = self._coefficient(rows.moment, layout, rows.normal)  # the last one says only whether there is any
        return FrictionSlots(
            enabled=constraint.enabled_slot(layout),
            mode=layout.slots[self._modes][number],
            rest=layout.slots[self._rests][number],
            rates=Slot(sweeps.part(constraint, "velocity_errors").offset + first, (n,)),
            direction=Slot(layout.slots[self._directions][number].offset, (n,)),
            slide=Slot(layout.slots[self._slides][number].offset, (n,)),
            kinetic=layout.slots[self._kinetic][number],
            static=static,
            dynamic=dynamic,
            viscous=viscous,
            impulse=constraint.tangent_impulse_slots(rows.tangents, layout),
            normal_force=None if rows.normal is None else multipliers[rows.normal],
            tangent_forces=Slot(multipliers.offset + first, (n,)),
        )

    def _coefficient(self, moment: str, layout: Layout, row: int | None) -> Slot:
        assert self._moment_parameter is not None
        return self._moment_parameter(moment, layout, row or 0)

    def carried_slots(self, layout: Layout, row: int) -> tuple[Slot, Slot]:
        """The slots of a row's flag, whether it carries a force without being an equation, and of a given force."""
        return layout.slots[self._carried][row], layout.slots[self._given][row]

    def slide_slot(self, layout: Layout, row: int) -> tuple[int | None, Slot | None]:
        """The number of the normal row and the slot of the sliding force of a tangent row; (None, None) for other rows."""
        for number, rows in enumerate(self.rows):
            if row in rows.tangents:
                return rows.normal, layout.slots[self._slides][number][row - rows.tangents[0]]
        return None, None

    def write(self, sweep: Sweep, layout: Layout) -> list[Slot]:
        """Write the rows that compute sliding forces, at VELOCITY. Returns the slots that the runtime reads."""
        read, chosen = list[Slot](), self.constraint.chosen_bodies(layout)
        for number in range(len(self.rows)):
            slots, parameters = self.slots(layout, number), self.constraint.friction_parameters(layout, self.rows[number].normal or 0)
            motion, spare = [slots.rates, slots.direction, slots.rest], None if chosen is None else self._spare(number, chosen)
            read += [slots.slide, slots.kinetic]
            if (moment := self.rows[number].moment) is not None:
                coefficient = self._coefficient(moment, layout, self.rows[number].normal)
                sweep.add(resisting, [coefficient, *motion], [slots.slide, slots.kinetic], spare=spare)
            elif self.load is not None:
                load = self.load.slots(layout)
                sweep.add(slip_under_load, [*parameters, load.static, load.dynamic, *motion], [load.unit, slots.kinetic, load.kinetic])
                read += [load.used, load.kinetic]
            elif len(parameters) == len(COEFFICIENTS):
                sweep.add(sliding_by_stribeck, [*parameters, *motion], [slots.slide, slots.kinetic], spare=spare)
            else:
                sweep.add(sliding, [*parameters[1:], *motion], [slots.slide, slots.kinetic], spare=spare)
        return read

    def _spare(self, number: int, chosen: ChosenBodies) -> Spare:
        """By what the sliding forces of a contact are left out, whose bodies the runtime chooses."""
        rows = self.rows[number]
        assert rows.normal is not None
        return chosen.spare(rows.normal, FRICTION + self._moments.index(rows.moment))

    @cached_property
    def _moments(self) -> list[str | None]:
        """The coefficients of its rows, each once; None: that of forces."""
        return list(dict.fromkeys(each.moment for each in self.rows))

    def write_slides_under_load(self, sweep: Sweep, layout: Layout) -> None:
        """Write the row that computes the sliding force of a joint from its load, at ACCELERATION."""
        assert self.load is not None
        load, slots = self.load.slots(layout), self.slots(layout, 0)
        sweep.add(slide_under_load, [load.unit, slots.kinetic, load.kinetic, load.used], [slots.slide])

    def modes(self, state: State) -> list[FrictionState]:
        """The mode of each contact or joint."""
        return [MODES[int(mode)] for mode in np.ravel(state.get(self._modes))]

    def modes_slot(self, layout: Layout) -> Slot:
        """(n,) the slot of the modes of slips, as numbers."""
        return Slot(layout.slots[self._modes].offset, (sum(each.moment is None for each in self.rows),))

    def moment_modes_slot(self, moment: str, layout: Layout) -> Slot:
        """(n,) the same of the moments of friction with this coefficient."""
        numbers = [number for number, each in enumerate(self.rows) if each.moment == moment]
        return Slot(layout.slots[self._modes].offset + numbers[0], (len(numbers),))

    def flags(self, layout: Layout) -> list[int]:
        """The offsets of what `release` sets to 0."""
        return [k for variable in (self._modes, self._carried, self._given) for k in layout.slots[variable].offsets]

    def release(self, state: State) -> None:
        """Let no row be an equation or carry a force. Called by runs."""
        for variable in (self._modes, self._carried, self._given):
            if np.any(state.get(variable)):
                state.set(variable, np.zeros_like(state.get(variable)))
