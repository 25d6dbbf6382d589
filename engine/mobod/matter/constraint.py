"""Constraint: rows of a MatterSubsystem that restrict its motion, and their variables in a State."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError, StateError, UnknownNameError
from mobod.matter.bodies.body import MobilizedBody, MobilizedBodyOwner
from mobod.matter.bodies.constrained_bodies import Body, check_differ, check_is_body, outmost_common_ancestor
from mobod.matter.bodies.flexible_body import check_holds_parts
from mobod.matter.bodies.flexible_queries import check_attachable
from mobod.matter.constraint_rows import row_values
from mobod.matter.constraint_rows.constraint_rows import FrictionOfRows
from mobod.matter.constraint_rows.constraint_sweeps import ConstraintSweeps
from mobod.matter.constraint_rows.constraint_variables import variables_of
from mobod.matter.constraint_rows.gathered_bodies import ChosenBodies
from mobod.matter.equations.compliance import Compliance
from mobod.matter.equations.constraint_equations import ConstraintEquations
from mobod.scalar import Slot, Sweep
from mobod.system import CatalogueVariable, DiscreteVariable, Layout, Stage, State, check_state, flags
from mobod.system.elements import Element, Name, Parameter, argument


class ConstraintOwner(MobilizedBodyOwner, ABC):
    """The interface of a MatterSubsystem that its constraints use."""

    @property
    @abstractmethod
    def constraints(self) -> "list[Constraint]":
        """All constraints by index."""

    @abstractmethod
    def adopt_constraint(self, constraint: "Constraint", name: str | None) -> tuple[int, str]:
        """Add a constraint; returns its index and its name. See MatterSubsystem.adopt_constraint."""

    @abstractmethod
    def constraint_sweeps(self, layout: Layout) -> ConstraintSweeps:
        """The tables of the constraints in a layout."""

    @abstractmethod
    def u(self, state: State) -> np.ndarray:
        """(nu,) rad/s or m/s: the speeds of all bodies; read-only."""


class Constraint(Element):
    """Equations between bodies or coordinates. The errors of their motion are kept at zero.

    equations   functions that compute the errors
    base        the body in whose frame the followers' motion is measured
    followers   bodies
    mobilizers  bodies whose coordinates and speeds are constrained
    name        default: the class's name in lower case and a number
    disabled    whether it is disabled in a new State

    Multipliers, and the forces that this class returns, have the signs of M u_dot + G^T lambda = f: the force on the bodies is -G^T lambda.

    A row with a compliance C and a damping D is not an equation: its multiplier is e / C + D e_dot for the error e. Its force is an applied
    force, which matter.body_forces contains and matter.constraint_forces does not.
    """

    _base_does_not_follow = True
    keeps_orientation = False  # whether the first follower never turns relative to the base
    keeps_angle = False  # whether their axes, the parameters `base_axis` and `follower_axis`, keep their angle
    is_unilateral = False  # whether runs decide which of its rows are equations
    friction: "FrictionOfRows | None" = None

    name: Name = argument("default: the class's name in lower case and a number", default=None, is_kept=False)
    disabled: bool = argument("whether it is off in a new State", default=False, is_kept=False)

    def _constrain(
        self, equations: ConstraintEquations, base: Body, followers: tuple[Body, ...] = (), mobilizers: tuple[MobilizedBody, ...] = ()
    ) -> None:
        """For `__post_init__` of subclasses: check the parameters of the equations, and add the constraint to its matter."""
        checked = equations.checked(type(self).__name__)
        self._begin(checked, base, followers, mobilizers, name=self.given["name"], disabled=self.given["disabled"])

    def _begin(
        self,
        equations: ConstraintEquations,
        base: Body,
        followers: tuple[Body, ...] = (),
        mobilizers: tuple[MobilizedBody, ...] = (),
        *,
        name: str | None = None,
        disabled: bool = False,
    ) -> None:
        """For `__init__` of subclasses: add the constraint to its matter."""
        self.equations = equations  # with the default parameters
        self.base, self.followers, self.mobilizers = base, followers, mobilizers
        kind = type(self).__name__ if name is None else f"{type(self).__name__} '{name}'"
        for body in self.bodies:
            check_is_body(body, kind)
            check_attachable(body, kind)
        for body in (base, *followers):
            check_holds_parts(body, kind)
        matter = base.matter if not mobilizers else mobilizers[0].matter
        assert isinstance(matter, ConstraintOwner)
        self.matter = matter
        for body in self.bodies:
            self.matter.checked(body, kind)
        for number, follower in enumerate(followers):
            check_differ(follower, (base, *followers[:number]) if self._base_does_not_follow else followers[:number], kind)
        self._disabled_by_default = bool(disabled)
        self._enabled: DiscreteVariable | None = None
        self._active: DiscreteVariable | None = None  # flags of rows that a run activates
        self.index, self.name = self.matter.adopt_constraint(self, name)

    def _summary(self) -> str:
        names = ", ".join(dict.fromkeys(body.name for body in self.bodies))
        return f"of {names}{' (disabled)' if self._disabled_by_default else ''}"

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The base, the followers, then the mobilizers' bodies."""
        return (self.base, *self.followers, *self.mobilizers)

    @property
    def ancestor(self) -> Body:
        """The outmost common ancestor of the base and the followers. Vectors among the errors are reported in its frame."""
        return outmost_common_ancestor((self.base, *self.followers))

    @property
    def n_velocity_errors(self) -> int:
        """Number of rows that restrict velocities, including the rates of position errors."""
        return self.equations.n_position + self.equations.n_velocity

    # enabled or disabled
    @property
    def is_disabled_by_default(self) -> bool:
        """Whether the constraint is disabled in a new State."""
        return self._disabled_by_default

    def set_disabled_by_default(self, disabled: bool) -> None:
        """Set whether the constraint is disabled in new States. Topological: existing States become unusable."""
        self._disabled_by_default = bool(disabled)
        self.matter.invalidate_topology()

    def is_disabled(self, state: State) -> bool:
        """Whether the constraint is disabled in a State."""
        handle = self._flag(state)
        return not state.get(handle)

    def enabled_rows(self, state: State) -> list[int]:
        """Numbers of the rows that hold, from 0; without compliant rows."""
        return [] if self.is_disabled(state) else [row for row in range(self.equations.n) if row not in self.compliant_rows]

    def enable(self, state: State) -> None:
        """Enable the constraint in a State. Invalidates stage INSTANCE."""
        handle = self._flag(state)
        state.set(handle, True)

    def disable(self, state: State) -> None:
        """Disable the constraint in a State. Invalidates stage INSTANCE."""
        handle = self._flag(state)
        state.set(handle, False)

    # compliant rows
    @property
    def compliant_rows(self) -> tuple[int, ...]:
        """Numbers of the rows with a compliance, from 0."""
        return () if self.equations.compliance is None else self.equations.compliance.rows

    def compliance(self, state: State) -> np.ndarray:
        """(n,) m/N or rad/(N m): compliance of each row, displacement per unit of force; 0: rigid. At any stage."""
        return self._of_compliance(state, "compliance")

    def damping(self, state: State) -> np.ndarray:
        """(n,) N s/m or N m s/rad: damping of each compliant row, force per unit of speed; 0 for other rows. At any stage."""
        return self._of_compliance(state, "damping")

    def set_compliance(self, state: State, compliance: float, damping: float | None = None, *, row: int | None = None) -> Self:
        """Set the compliance, and the damping if given, of one row or of all compliant rows. Invalidates stage INSTANCE. Returns the
        element.

        Rows that share a compliance change together. Raises InputError for a compliance that is not positive and for a rigid row: which
        rows are compliant is topological.
        """
        rows = self.compliant_rows if row is None else (row,)
        if not rows or not set(rows) <= set(self.compliant_rows):
            raise InputError(f"'{self.name}': {'it' if row is None else f'row {row}'} is rigid. Make it with a compliance.")
        given = {"compliance": compliance} | ({} if damping is None else {"damping": damping})
        values = {self._name_of_compliance(each, what): value for each in rows for what, value in given.items()}
        checked = {name: self._parameter_named(name)[0].checked(value, f"{self.name}.{name}") for name, value in values.items() if name}
        for name, value in checked.items():
            self.set_parameter(state, name, value)
        return self

    def compliant_forces(self, state: State) -> np.ndarray:
        """(n,) N, or N m for an error in rad: forces of compliant rows along the gradients of their errors; 0 for other rows.

        Needs stage DYNAMICS.
        """
        return self._part(state, Stage.DYNAMICS, "compliant_forces", self.equations.n)

    def potential_energy(self, state: State) -> float:
        """Potential energy of the springs of compliant rows, J. Needs stage POSITION."""
        of_state, errors, total = self._compliance_in(state), self.position_errors(state), 0.0
        if of_state is None or self.is_disabled(state):
            return total
        for row in self.compliant_rows:
            total += float(of_state.energy(row, errors[row], is_unilateral=self.is_unilateral))
        return total

    def power_dissipation(self, state: State) -> float:
        """Power that compliant rows dissipate, W. Needs stage DYNAMICS."""
        of_state, total = self._compliance_in(state), 0.0
        if of_state is None or self.is_disabled(state):
            return total
        forces, errors, rates = self.compliant_forces(state), self.position_errors(state), self.velocity_errors(state)
        for row in self.compliant_rows:
            if errors[row] < 0 or not self.is_unilateral:
                spring = of_state.undamped().force(row, errors[row], 0.0, is_unilateral=self.is_unilateral)
                total += float((spring - forces[row]) * rates[row])
        return total

    # quantities
    def position_errors(self, state: State) -> np.ndarray:
        """(n_position,) m or rad, as the equations say: position errors. Needs stage POSITION."""
        return self._part(state, Stage.POSITION, "position_errors", self.equations.n_position)

    def velocity_errors(self, state: State) -> np.ndarray:
        """(n_position + n_velocity,) m/s or rad/s: the rates of the position errors, then the velocity errors. Needs stage VELOCITY."""
        return self._part(state, Stage.VELOCITY, "velocity_errors", self.n_velocity_errors)

    def acceleration_errors(self, state: State) -> np.ndarray:
        """(n,) m/s^2 or rad/s^2: rates of the velocity errors, then the acceleration errors. Needs stage ACCELERATION."""
        sweeps = self._sweeps(state, Stage.ACCELERATION, "acceleration_errors")
        return row_values.acceleration_errors(sweeps, state.values)[sweeps.lines(self)]

    def multipliers(self, state: State) -> np.ndarray:
        """(n,) N, or N m for an error in rad: multipliers; 0 if the constraint is disabled; for compliant rows minus their forces.

        Needs stage ACCELERATION.
        """
        return self._part(state, Stage.ACCELERATION, "multipliers", self.equations.n)

    def forces(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """G^T lambda: (body forces (n_bodies, 6) about the bodies' origins in Ground, mobility forces (nu,)). Needs stage ACCELERATION.

        Moments in N m come before forces in N. Includes compliant rows.
        """
        sweeps = self._sweeps(state, Stage.ACCELERATION, "forces")
        return row_values.forces(sweeps, state.values, self, with_compliant=True)

    def power(self, state: State) -> float:
        """Power that the constraint transfers into the System, W. Needs stage ACCELERATION."""
        on_bodies, on_mobilities = self.forces(state)
        V = np.array([body.V_GB(state) for body in self.matter.bodies]).reshape(-1, 6)
        return -float(np.sum(on_bodies[1:] * V) + on_mobilities @ self.matter.u(state))

    # called by MatterSubsystem
    def allocate(self, state: State) -> None:
        """Allocate the flag that enables the constraint, at TOPOLOGY."""
        flag = state.allocate_discrete_variable(self.matter, f"{self.name}.enabled", not self._disabled_by_default, Stage.INSTANCE)
        self._enabled = flag
        if self.is_unilateral or self.compliant_rows:
            nothing = np.zeros(self.equations.n)
            self._active = state.allocate_discrete_variable(
                self.matter, f"{self.name}.active", nothing, Stage.DYNAMICS, numbers=[flags(self.equations.n)]
            )

    def enabled_slot(self, layout: Layout) -> Slot:
        """The slot of the flag: 1 if the constraint is enabled."""
        assert self._enabled is not None
        return layout.slots[self._enabled]

    def decided_slot(self, layout: Layout) -> Slot | None:
        """The slot of the numbers that the runtime decides (`n_decided` of the equations); None: there are none."""
        return None

    @property
    def chosen_pairs(self) -> Sequence[tuple[int, int]] | None:
        """The numbers of the bodies of each pair, of which the runtime chooses one for each of its equal equations; None: the bodies are
        fixed.
        """
        return None

    def chosen_bodies(self, layout: Layout) -> ChosenBodies | None:
        """The slots of the bodies that the runtime chooses; None: the bodies are fixed."""
        return None

    def impulse_slot(self, row: int, layout: Layout) -> Slot | None:
        """The slot of a unilateral row's last impulse; None for other constraints."""
        return None

    def places_of_compliance(self, row: int) -> list[int]:
        """Positions of the compliance and the damping of a compliant row in the array of parameters."""
        names = [self._name_of_compliance(row, what) for what in ("compliance", "damping")]
        return [self._parameter_named(name)[1] for name in names if name is not None]

    def row_flags(self, layout: Layout) -> list[Slot]:
        """(n,) for each row the flag that decides whether it is an equation. Rows that runs decide about have flags of their own."""
        enabled = self.enabled_slot(layout)
        if self._active is None:
            return [enabled] * self.equations.n
        active = layout.slots[self._active]
        own = range(self.equations.n) if self.is_unilateral else self.compliant_rows
        return [active[row] if row in own else enabled for row in range(self.equations.n)]

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The catalogued variables: whether it is enabled, its parameters, errors and multipliers."""
        assert self._enabled is not None
        return variables_of(self, self.matter.constraint_sweeps(layout), self._enabled, layout)

    def tabulate_outputs(self, position: Sweep, acceleration: Sweep, layout: Layout) -> None:
        """Append rows that compute outputs from its errors and multipliers to the sweeps."""

    # its parameters
    def parameter(self, state: State, name: str) -> Any:
        """The value of a parameter of its equations, in a State; a copy."""
        slot = self._parameter_slot(state, name)
        return state.view(slot).copy()[()]

    def set_parameter(self, state: State, name: str, value: ArrayLike) -> None:
        """Enable the constraint in a State. Invalidates stage INSTANCE."""
        checked = self._parameter_named(name)[0].checked(value, f"{self.name}.{name}")
        slot = self._parameter_slot(state, name)
        state.write(slot, checked, f"{self.name}.{name}", Stage.INSTANCE)

    def default_parameter(self, name: str) -> Any:
        """The value of a parameter in new States."""
        parameter, start = self._parameter_named(name)
        return self.equations.parameter_values()[start : start + parameter.size].reshape(parameter.shape)[()]

    def set_default_parameter(self, name: str, value: ArrayLike) -> None:
        """Set whether the constraint is disabled in new States. Topological: existing States become unusable."""
        parameter, start = self._parameter_named(name)
        values = self.equations.parameter_values()
        values[start : start + parameter.size] = parameter.checked(value, f"{self.name}.{name}").ravel()
        self.equations = self.equations.with_parameters(values.tolist())
        self.matter.invalidate_topology()

    # internal
    def _of_compliance(self, state: State, what: str) -> np.ndarray:
        check_state(state, self.matter.system)
        names = [self._name_of_compliance(row, what) for row in range(self.equations.n)]
        return np.array([0.0 if name is None else self.parameter(state, name) for name in names])

    def _name_of_compliance(self, row: int, what: str) -> str | None:
        """The name of a row's parameter; None: the row is rigid."""
        compliance = self.equations.compliance
        number = None if compliance is None else compliance.parameter_of(row, what)
        return None if compliance is None or number is None else compliance.parameters[number].name

    def _compliance_in(self, state: State) -> Compliance | None:
        """The compliance with the values of a State."""
        check_state(state, self.matter.system)
        of_all = self.matter.constraint_sweeps(state.layout).part(self, "constraint_parameters")
        return self.equations.with_parameters(state.view(of_all)).compliance

    def _parameter_named(self, name: str) -> tuple[Parameter[float | np.ndarray], int]:
        """The parameter and the index of its first number among all parameters."""
        found = self._parameters_by_name.get(name)
        if found is None:
            raise UnknownNameError(f"parameter of '{self.name}'", name, list(self._parameters_by_name))
        return found

    @cached_property
    def _parameters_by_name(self) -> dict[str, tuple[Parameter[float | np.ndarray], int]]:
        """The parameters with the index of their first number: the same whatever values they have."""
        starts = accumulate((each.size for each in self.equations.parameters), initial=0)
        return {each.name: (each, start) for each, start in zip(self.equations.parameters, starts, strict=False)}

    def _parameter_slot(self, state: State, name: str) -> Slot:
        check_state(state, self.matter.system)
        parameter, start = self._parameter_named(name)
        of_all = self.matter.constraint_sweeps(state.layout).part(self, "constraint_parameters")
        return Slot(of_all.offset + start, parameter.shape)

    def _flag(self, state: State) -> DiscreteVariable:
        check_state(state, self.matter.system)
        if self._enabled is None:
            raise StateError(f"System '{self.matter.system.name}' has no States yet. Make one with its realize_topology().")
        return self._enabled

    def _sweeps(self, state: State, stage: Stage, what: str) -> ConstraintSweeps:
        check_state(state, self.matter.system)
        state.require(stage, f"{what} of '{self.name}'", self.matter.index)
        return self.matter.constraint_sweeps(state.layout)

    def _part(self, state: State, stage: Stage, what: str, n: int) -> np.ndarray:
        slot = self._sweeps(state, stage, what).part(self, what)
        assert slot.size == n
        return state.view(slot)
