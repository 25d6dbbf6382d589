"""Unilateral constraints: distances that must not fall below zero.

Each row is free, or held at zero as an equation; a run decides which (fmu_src/native/impacts/contacts.c). A held row has a multiplier
theta >= 0, the force along the gradient of its distance. The multiplier of M u_dot + G^T lambda = f is -theta.
"""

# Decision: docs/decisions/050-unilateral-rows.md

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError, UnsupportedError
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.bodies.constrained_bodies import Body, outmost_common_ancestor
from mobod.matter.constraint import Constraint, ConstraintOwner
from mobod.matter.constraint_rows.constraint_variables import MULTIPLIER_UNITS
from mobod.matter.equations.compliance import Compliance, check_does_not_bounce, each_row
from mobod.matter.equations.constraint_equations import ConstraintEquations
from mobod.matter.equations.further_parameters import CompliantEquations
from mobod.matter.unilateral.contact_events import CompliantContactEvent, Contact, ContactSlots
from mobod.matter.unilateral.contact_outputs import descriptions, engaged, made_of_friction, negative, same, shown_of_friction
from mobod.matter.unilateral.friction import (
    COEFFICIENTS,
    FrictionState,
    RowFriction,
    ShownValue,
    TangentRows,
    allocate_shown,
    shown_variables,
)
from mobod.matter.unilateral.friction_checks import checked_changes, checked_coefficients, checked_moments, slips_of
from mobod.matter.unilateral.moments import EVENTS, rows_of_moments
from mobod.matter.unilateral.unilateral_checks import check_distances
from mobod.matter.unilateral.unilateral_equations import RESTITUTION, UnilateralEquations
from mobod.scalar import Array, Scalar, Slot, Sweep
from mobod.spatial.checked import checked_size
from mobod.system import CacheEntry, CatalogueVariable, DiscreteVariable, Layout, Numbers, Stage, State, check_state
from mobod.system.elements import Parameter

# what fixed steps remember of a row
COUNT = 0  # number of steps for which the row has been active
LAST_DISTANCE = 1  # distance at the end of the last step
LAST_RATE = 2  # its rate at the end of the last step
SIZE_OF_ENGAGEMENT = 3
UNDECIDED = -1  # value of COUNT: decide from the row's distance
NUMBERS_OF_ENGAGEMENT = [Numbers(1, UNDECIDED, 1e15, is_whole=True), Numbers(2, -np.inf, np.inf)]  # infinite for a row without a bound

SHOWN = {"distance": Stage.POSITION, "force": Stage.ACCELERATION, "engaged": Stage.ACCELERATION, "impulse": Stage.ACCELERATION}


class UnilateralConstraint(Constraint):
    """Distances that must not fall below zero: between bodies, measured in the frame of their common ancestor, or of coordinates.

    equations    position errors (n,), which are the distances. With friction also velocity errors (n,) or (2 n,): the slip of each contact
                 along its one tangent, or its two orthogonal ones
    bodies       Ground may be one of them
    mobilizers   bodies whose coordinates the distances depend on
    restitution  between 0 and 1, of all rigid rows
    compliance   displacement per unit of force, 0: rigid; one for all rows, or (n,); or a Compliance, None
    damping      force per unit of speed of compliant rows; one for all rows, or (n,)
    static_friction, dynamic_friction, viscous_friction
                 coefficients of dry friction (Coulomb): at rest; of a slip, default: as at rest; its increase with the speed, s/m
    stribeck_speed
                 m/s: the coefficient of a slip of speed s falls from static_friction to dynamic_friction by exp(-(s / stribeck_speed)^2)
                 (Stribeck); default: at once, which 0 also means. Fixed steps take the speed at the start of a step, impacts that before
                 the impact
    moment_friction
                 m: coefficients of the moments of friction that the equations have (`friction_moments`), in their order

    Where its distance d is below zero, a compliant row pushes with the force -d / C - D d_dot, and never pulls. It has no impacts: its
    damping D determines the rebound.

    A run activates rows when contacts close, releases them when their force becomes 0, and applies the impulses of impacts. Setting q
    outside of a run decides nothing; the next run decides when it begins.
    """

    _base_does_not_follow = False  # the ancestor may be one of the bodies
    is_unilateral = True
    _has_common_friction = True  # whether the coefficients of friction are those of all rows, as parameters of its equations

    def __init__(
        self,
        equations: ConstraintEquations,
        bodies: Sequence[Body] = (),
        mobilizers: Sequence[MobilizedBody] = (),
        *,
        restitution: float = 0.0,
        compliance: Compliance | ArrayLike | None = 0.0,
        damping: ArrayLike = 0.0,
        static_friction: float | None = None,
        dynamic_friction: float | None = None,
        viscous_friction: float = 0.0,
        stribeck_speed: float | None = None,
        moment_friction: Sequence[float] = (),
        name: str | None = None,
        disabled: bool = False,
    ):
        what = type(self).__name__ if name is None else f"{type(self).__name__} '{name}'"
        check_distances(equations, bodies, mobilizers, what)
        friction = checked_coefficients(static_friction, dynamic_friction, viscous_friction, stribeck_speed, equations, what)
        soft = each_row(compliance, damping, equations.position_units, what)
        if soft is not None and friction is not None:
            raise UnsupportedError(f"{what}: a compliant row has no dry friction. Use a contact force (CompliantContact), or a rigid row.")
        checked = UnilateralEquations(
            equations.checked(what) if soft is None else CompliantEquations(equations.checked(what), soft),
            float(RESTITUTION.checked(restitution, f"{what}: restitution")),
            friction if self._has_common_friction else None,
            checked_moments(moment_friction, equations, what) if self._has_common_friction else (),
        )
        if not checked.has_rigid_rows:
            check_does_not_bounce(restitution, what)
        ancestor = (bodies or mobilizers)[0].matter.ground if checked.n_decided or not bodies else outmost_common_ancestor(bodies)
        self._begin(checked, ancestor, tuple(bodies), tuple(mobilizers), name=name, disabled=disabled)
        self._impulses: DiscreteVariable
        self._shown: dict[str, CacheEntry] = {}
        self._engagement: DiscreteVariable
        self._tolerance: float | None = None
        names = self._row_names()
        self.contacts = tuple(Contact(self, row, names[row]) for row in range(self.n_contacts) if row not in self.compliant_rows)
        for row in self.compliant_rows:
            CompliantContactEvent(self, row, names[row])
        self.friction: RowFriction | None = None if friction is None else _friction_of_rows(self)

    @property
    def n_contacts(self) -> int:
        """The number of distances."""
        return self.equations.n_position

    def _row_names(self) -> list[str]:
        n = self.n_contacts
        return [f"{self.name}.contact" if n == 1 else f"{self.name}.contact_{row}" for row in range(n)]

    # the restitution
    def restitution(self, state: State) -> float:
        """The coefficient of restitution in a State, no unit, 0 to 1. At any stage."""
        return float(self.parameter(state, "restitution"))

    def set_restitution(self, state: State, restitution: float) -> Self:
        """Set the coefficient of restitution in a State. Invalidates stage INSTANCE. Returns the element."""
        self.set_parameter(state, "restitution", restitution)
        return self

    # fixed steps at velocity level
    @property
    def tolerance(self) -> float | None:
        """How far below zero its distances may stay in a run with integrator='velocity_level', in their unit. None: the System's
        penetration_tol or rotary_limit_tol.
        """
        return self._tolerance

    @tolerance.setter
    def tolerance(self, value: float | None) -> None:
        self._tolerance = None if value is None else checked_size(value, f"{self.name}: tolerance", "(unit of its distances)")

    def opposite(self, row: int) -> int | None:
        """The row that cannot be active together with this one, or None."""
        return self.equations.opposite(row)

    def engaged_steps(self, state: State) -> np.ndarray:
        """(n,) for how many velocity-level steps each row has been active; 0 if it is not active, -1 if no step has decided yet."""
        check_state(state, self.matter.system)
        return np.array(state.get(self._engagement))[:, COUNT]

    # quantities
    def distances(self, state: State) -> np.ndarray:
        """(n,) m or rad: the distances. Needs stage POSITION."""
        return self.position_errors(state)

    def is_held(self, state: State) -> np.ndarray:
        """(n,) whether a run holds the distance of each row at zero."""
        assert self._active is not None
        check_state(state, self.matter.system)
        return np.asarray(state.get(self._active), dtype=bool)[: self.n_contacts]

    def is_engaged(self, state: State) -> np.ndarray:
        """(n,) whether each row is held at zero, or is compliant and pushes. Needs stage DYNAMICS if there are compliant rows."""
        held = self.is_held(state)
        return held | (self.compliant_forces(state) > 0) if self.compliant_rows else held

    def enabled_rows(self, state: State) -> list[int]:
        """Numbers of the rows that are held at zero."""
        return np.flatnonzero(self.is_held(state)).tolist()

    def contact_forces(self, state: State) -> np.ndarray:
        """(n,) N, or N m for a distance in rad: forces along the gradients of the distances, at least 0. Needs stage ACCELERATION."""
        return 0.0 - self.multipliers(state)[: self.n_contacts]

    def impulses(self, state: State) -> np.ndarray:
        """(n,) N s or N m s: impulses along the gradients of the distances, of each row's last impact.

        With integrator='velocity_level': of the last step, so that impulse / step is the mean force in the step.
        """
        check_state(state, self.matter.system)
        return np.array(state.get(self._impulses))[: self.n_contacts]

    # friction
    def modes(self, state: State) -> list[FrictionState]:
        """(n,) whether each contact is 'free', in 'stick' or in 'slip', as the last run left it. Empty without friction."""
        check_state(state, self.matter.system)
        return [] if self.friction is None else self.friction.modes(state)[: self.n_contacts]

    def friction_forces(self, state: State) -> np.ndarray:
        """(n_velocity,) N: friction forces along the tangents, and N m: moments of friction. Needs stage ACCELERATION."""
        return 0.0 - self.multipliers(state)[self.n_contacts :]

    def slips(self, state: State) -> np.ndarray:
        """(n_velocity,) m/s: velocities along the tangents. Needs stage VELOCITY."""
        return self.velocity_errors(state)[self.n_contacts :]

    def friction_impulses(self, state: State) -> np.ndarray:
        """(n_velocity,) N s: impulses along the tangents, of each contact's last impact, or of the last fixed step."""
        check_state(state, self.matter.system)
        return np.array(state.get(self._impulses))[self.n_contacts :]

    def set_friction(
        self, state: State, static: float, dynamic: float | None = None, viscous: float | None = None, stribeck_speed: float | None = None
    ) -> Self:
        """Set the coefficients of friction in a State: at rest, of a slip (default: as at rest); and s/m for the speed and the Stribeck
        speed, m/s, which stay if they are not given. Invalidates stage INSTANCE. Returns the element.

        Raises InputError if the first is below the second, or for a Stribeck speed if it was made without one.
        """
        if self.friction is None:
            raise InputError(f"'{self.name}' has no friction. Make it with static_friction.")
        given = (static, static if dynamic is None else dynamic, viscous, stribeck_speed)
        for name, value in checked_changes(given, self._coefficients, self.name).items():
            self.set_parameter(state, name, value)
        return self

    def where(self, state: State, row: int) -> str:
        """A sentence, after a blank, on the place of a row whose distance is below zero; empty if its name says all."""
        return ""

    # called by MatterSubsystem
    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        n = self.n_contacts
        of_rows = np.zeros(self.equations.n)
        self._impulses = state.allocate_discrete_variable(
            self.matter, f"{self.name}.impulses", of_rows, Stage.ACCELERATION, numbers=[Numbers(len(of_rows))]
        )
        nothing = np.zeros((n, SIZE_OF_ENGAGEMENT))
        nothing[:, COUNT] = UNDECIDED
        self._engagement = state.allocate_discrete_variable(
            self.matter, f"{self.name}.engagement", nothing, Stage.REPORT, numbers=NUMBERS_OF_ENGAGEMENT * n
        )
        for name, stage in SHOWN.items():
            entry = state.allocate_cache_entry(self.matter, f"{self.name}.{name}", stage, shape=self._shape_shown(), computed_by=stage)
            self._shown[name] = entry
        if self.friction is not None:
            self.friction.allocate(state)
            self._shown |= allocate_shown(self, self._shown_of_friction(), state)

    def friction_parameters(self, layout: Layout, row: int = 0) -> tuple[Slot, ...]:
        """The slots of the static, dynamic and viscous coefficients of friction of a row, and of the Stribeck speed if there is one."""
        first = self.matter.constraint_sweeps(layout).part(self, "constraint_parameters").offset
        return tuple(Slot(first + self._parameter_named(each.name)[1], ()) for each in self._coefficients)

    def moment_parameter(self, name: str, layout: Layout, row: int = 0) -> Slot:
        """The slot of the coefficient of a moment of friction of a row."""
        first = self.matter.constraint_sweeps(layout).part(self, "constraint_parameters").offset
        return Slot(first + self._parameter_named(name)[1], ())

    @cached_property
    def _coefficients(self) -> tuple[Parameter[float], ...]:
        return tuple(each for each in COEFFICIENTS if each in self.equations.parameters)

    def tangent_impulse_slots(self, tangents: Sequence[int], layout: Layout) -> Slot:
        """The slot of the impulses of tangent rows, which follow each other."""
        return Slot(layout.slots[self._impulses].offset + tangents[0], (len(tangents),))

    def impulse_slot(self, row: int, layout: Layout) -> Slot:
        """The slot of a row's impulse."""
        return layout.slots[self._impulses][row]

    def tabulate_outputs(self, position: Sweep, acceleration: Sweep, layout: Layout) -> None:
        """Write the rows that compute its distances, forces and impulses."""
        of_friction = self._made_of_friction(layout) if self.friction is not None else {}
        for name, (function, inputs) in (self._made_of(layout) | of_friction).items():
            sweep = position if name in self._shown_at_position() else acceleration
            sweep.add(function, inputs, [layout.slots[self._shown[name]]])

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The variables that results, FMUs and the command line can name."""
        variables = super().variables(layout)
        lengths = self.equations.position_units if self._shape_shown() else self.equations.position_units[:1]
        forces = tuple(MULTIPLIER_UNITS[unit] for unit in lengths)
        units = {"distance": lengths, "force": forces, "engaged": ("1",), "impulse": tuple(f"{unit}.s" for unit in forces)}
        if self.friction is not None:
            variables += shown_variables(self, self._shown_of_friction(), self._shown, layout)
        texts = self._descriptions()
        return variables + [
            CatalogueVariable.output(f"{self.name}.{name}", layout.slots[self._shown[name]], stage, units[name], texts[name])
            for name, stage in SHOWN.items()
        ]

    # shapes of the catalogued variables; limits of a coordinate have one number for both bounds
    def _shape_shown(self) -> tuple[int, ...]:
        return (self.n_contacts,)

    def _descriptions(self) -> dict[str, str]:
        return descriptions(f"of unilateral constraint '{self.name}' ({type(self).__name__})")

    def _made_of(self, layout: Layout) -> dict[str, tuple[Callable[..., Array | Scalar], list[Slot]]]:
        """For each name in SHOWN: a function and the slots of its arguments."""
        flags = self._flags_shown(layout)
        return {
            "distance": (same, [self.errors_slot(layout)]),
            "force": (negative, [self._multipliers_shown(layout)]),
            "engaged": (same if len(flags) == 1 else engaged, flags),
            "impulse": (same, [self._of_contacts(layout.slots[self._impulses])]),
        }

    def _shown_at_position(self) -> set[str]:
        of_friction = self._shown_of_friction() if self.friction is not None else {}
        return {name for name, value in of_friction.items() if value.stage is Stage.POSITION} | {"distance"}

    def _shown_of_friction(self) -> dict[str, ShownValue]:
        """What is shown of friction, by name."""
        return shown_of_friction(self.equations)

    def _made_of_friction(self, layout: Layout) -> dict[str, tuple[Callable[..., Array | Scalar], list[Slot]]]:
        """For each name in _shown_of_friction: a function and the slots of its arguments."""
        assert self.friction is not None
        sweeps = self.matter.constraint_sweeps(layout)
        multipliers, rates = sweeps.part(self, "multipliers"), sweeps.part(self, "velocity_errors")
        return made_of_friction(self.n_contacts, self.friction.modes_slot(layout), multipliers, rates, layout.slots[self._impulses])

    def errors_slot(self, layout: Layout) -> Slot:
        """(n,) the slot of its distances."""
        return self.matter.constraint_sweeps(layout).part(self, "position_errors")

    def _of_contacts(self, of_rows: Slot) -> Slot:
        return Slot(of_rows.offset, (self.n_contacts,))

    def _multipliers_shown(self, layout: Layout) -> Slot:
        return self._of_contacts(self.matter.constraint_sweeps(layout).part(self, "multipliers"))

    def _flags_shown(self, layout: Layout) -> list[Slot]:
        """The flags of held rows and, if there are compliant rows, their forces."""
        assert self._active is not None
        forces = [self.matter.constraint_sweeps(layout).part(self, "compliant_forces")] if self.compliant_rows else []
        return [self._of_contacts(layout.slots[self._active]), *forces]

    def hold(self, state: State, is_held: np.ndarray) -> None:
        """Set which contacts are held, is_held (n,), without friction. Invalidates stage DYNAMICS if this changes anything. Called by
        runs.
        """
        assert self._active is not None
        check_state(state, self.matter.system)
        flags = np.append(np.asarray(is_held, dtype=float), np.zeros(self.equations.n_velocity))
        if not np.array_equal(state.get(self._active), flags):
            state.set(self._active, flags)
        if self.friction is not None:
            self.friction.release(state)

    def flags(self, layout: Layout) -> list[int]:
        """The offsets of the flags that `release` sets to 0."""
        assert self._active is not None
        of_friction = [] if self.friction is None else self.friction.flags(layout)
        return [*layout.slots[self._active].offsets, *of_friction]

    def release(self, state: State) -> None:
        """Let no contact be held. Called by runs."""
        self.hold(state, np.zeros(self.n_contacts, dtype=bool))

    @property
    def impulse_variable(self) -> DiscreteVariable:
        """Impulses of all rows, one of `decided`."""
        return self._impulses

    @property
    def decided(self) -> tuple[DiscreteVariable, ...]:
        """The discrete variables that runs set: which rows are held, impulses, and the memory of fixed steps."""
        assert self._active is not None
        return self._active, self._impulses, self._engagement, *(() if self.friction is None else self.friction.decided)

    def row_slots(self, layout: Layout, row: int) -> ContactSlots:
        """The slots of a rigid row."""
        sweeps = self.matter.constraint_sweeps(layout)
        return ContactSlots(
            enabled=self.enabled_slot(layout),
            active=self._flags_shown(layout)[0][row],
            distance=sweeps.part(self, "position_errors")[row],
            rate=sweeps.part(self, "velocity_errors")[row],
            multiplier=sweeps.part(self, "multipliers")[row],
            restitution=Slot(sweeps.part(self, "constraint_parameters").offset + self._parameter_named("restitution")[1], ()),
            impulse=self.impulse_slot(row, layout),
            engagement=layout.slots[self._engagement][row],
        )


def _friction_of_rows(constraint: UnilateralConstraint) -> RowFriction:
    n, n_slips, names = constraint.n_contacts, slips_of(constraint.equations), constraint._row_names()
    size = n_slips // n
    rows = [TangentRows(row, tuple(range(n + size * row, n + size * (row + 1)))) for row in range(n)]
    moments = rows_of_moments(constraint.equations.friction_moments, n, n + n_slips)
    rows += [TangentRows(row, of_moment, moment) for moment, row, of_moment in moments]
    events = [*(f"{name}.friction" for name in names), *(f"{names[row]}.{EVENTS[moment]}" for moment, row, _ in moments)]
    return RowFriction(constraint, rows, events, moment_parameter=constraint.moment_parameter)


def unilateral_constraints(matter: ConstraintOwner) -> list[UnilateralConstraint]:
    return [each for each in matter.constraints if isinstance(each, UnilateralConstraint)]
