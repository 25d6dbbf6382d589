"""MatterSubsystem: the bodies and constraints of a System, and all that can be asked of them together."""

# Decision: docs/decisions/110-folders-of-matter.md

from abc import ABC, abstractmethod
from typing import Any, Literal, overload

import numpy as np

from mobod.errors import InputError, StateError, UnknownNameError
from mobod.matter.bodies.body import Ground, MobilizedBody
from mobod.matter.bodies.body_variables import variables_of
from mobod.matter.bodies.euler_angles import converted, default_q
from mobod.matter.bodies.flexible_body import FlexibleBody
from mobod.matter.bodies.flexible_parts import FlexibleParts, new_flexible_parts
from mobod.matter.bodies.flexible_queries import check_attachable
from mobod.matter.bodies.locks import may_be_prescribed
from mobod.matter.constraint import Constraint, ConstraintOwner
from mobod.matter.constraint_rows.constraint_sweeps import ConstraintSweeps
from mobod.matter.dynamics.body_sums import SUMS
from mobod.matter.dynamics.tree import Tree
from mobod.matter.queries import constrained_dynamics, constraint_operators, coordinate_rates, jacobians, momentum, tree_operators
from mobod.matter.queries.queried_matter import checked_tree
from mobod.matter.realization import failures
from mobod.matter.realization.allocation import Allocation, allocate, has_potential_energy
from mobod.matter.realization.tabulation import tabulate
from mobod.matter.unilateral.limits import CoordinateLimitConstraint
from mobod.system import CacheEntry, CatalogueVariable, Layout, Stage, State, System, check_state


class MatterOwner(System, ABC):
    """The interface of a MultibodySystem that its matter uses."""

    called = "MultibodySystem"

    @property
    @abstractmethod
    def matter(self) -> "MatterSubsystem":
        """The MatterSubsystem of the System."""

    @matter.setter
    @abstractmethod
    def matter(self, matter: "MatterSubsystem") -> None: ...


class MatterSubsystem(ConstraintOwner):
    """All bodies of a System: Ground and the mobilized bodies, parents before their children; and the constraints between them.

    ground    body 0
    n_bodies  number of bodies, including Ground
    """

    system: MatterOwner

    def __init__(self, system: MatterOwner):
        super().__init__(system, "matter")
        self.ground = Ground(self)
        self._bodies: list[MobilizedBody] = []
        self._constraints: list[Constraint] = []
        self._names: dict[str, int] = {Ground.name: 0}
        self._uses_euler_angles_by_default = False
        self._allocated: Allocation | None = None  # when there is a State
        system.matter = self

    @staticmethod
    def kind_of_system() -> type[MatterOwner]:
        """The type of System that it can belong to: a MultibodySystem."""
        return MatterOwner

    # bodies
    @property
    def n_bodies(self) -> int:
        """The number of bodies, including Ground."""
        return 1 + len(self._bodies)

    @property
    def bodies(self) -> list[MobilizedBody]:
        """All bodies except Ground, by index."""
        return list(self._bodies)

    @overload
    def body(self, which: Literal[0, "ground"]) -> Ground: ...  # type: ignore[overload-overlap] # Ground has no joint

    @overload
    def body(self, which: int | str) -> MobilizedBody: ...

    def body(self, which: int | str) -> MobilizedBody | Ground:
        """The body with this index or name; Ground is 0 and 'ground'. Raises UnknownNameError, InputError."""
        if isinstance(which, str):
            UnknownNameError.check("body", which, self._names)
            which = self._names[which]
        if not 0 <= which < self.n_bodies:
            raise InputError(f"there is no body {which}: the indices run from 0 (ground) to {self.n_bodies - 1}.")
        return self._bodies[which - 1] if which else self.ground

    def checked(self, body: object, what: str) -> MobilizedBody | Ground:
        """Return the argument if it is a body of this subsystem; raise InputError otherwise. `what` is the function that takes it, for the
        message.
        """
        if not isinstance(body, (MobilizedBody, Ground)):
            raise InputError(f"{what} takes a body, not {type(body).__name__}; matter.body(...) finds one by name or index.")
        if body.matter is not self:
            raise InputError(f"{what}: body '{body.name}' belongs to System '{body.matter.system.name}', not to '{self.system.name}'.")
        return body

    def attachable(self, body: object, what: str) -> MobilizedBody | Ground:
        """The same for a body that an element acts on; raise InputError also for a frame that only carries inertia."""
        check_attachable(body, what)
        return self.checked(body, what)

    def adopt(self, body: MobilizedBody, name: str | None) -> tuple[int, str]:
        """Add a body; returns its index and its name. Called by MobilizedBody."""
        index = self.n_bodies
        name = name if name is not None else self.system.free_name("body", index)
        self.system.claim(name, "a body")
        self._names[name] = index
        self._bodies.append(body)
        self.invalidate_topology()
        return index, name

    def new_flexible_parts(self, body: MobilizedBody) -> FlexibleParts | None:
        """Add the modal node and the frames of a flexible body; None for a rigid one. Called by the body."""
        return new_flexible_parts(body, body.body) if isinstance(body.body, FlexibleBody) else None

    def new_limits(self, body: MobilizedBody, coordinate: int, *given: Any) -> CoordinateLimitConstraint:
        """Make the limits of a coordinate without limits. given: lower, upper, restitution, compliance, damping. Called by the body."""
        return CoordinateLimitConstraint(body, coordinate, *given)

    # constraints
    @property
    def constraints(self) -> list[Constraint]:
        """All constraints by index."""
        return list(self._constraints)

    def adopt_constraint(self, constraint: Constraint, name: str | None) -> tuple[int, str]:
        """Add a constraint; returns its index and its name. Called by Constraint."""
        kind, index = type(constraint).__name__, len(self._constraints)
        name = name if name is not None else self.system.free_name(kind.lower(), index + 1)
        self.system.claim(name, f"a {kind}")
        self._constraints.append(constraint)
        self.invalidate_topology()
        return index, name

    def constraint_sweeps(self, layout: Layout) -> ConstraintSweeps:
        """The tables of the constraints in a layout."""
        sweeps = self.tree(layout).constraints
        assert sweeps is not None
        return sweeps

    # coordinates of rotations
    def uses_euler_angles(self, state: State) -> bool:
        """Whether rotations have body-fixed x-y-z angles as coordinates, where a mobilizer could have a quaternion."""
        check_state(state, self.system)
        return bool(state.get(self._allocation.uses_euler_angles))

    def set_uses_euler_angles(self, state: State, uses_euler_angles: bool) -> None:
        """Choose x-y-z angles or quaternions in a State. Takes the State back to TOPOLOGY, so that q, u and z get their defaults.

        convert_to_euler_angles and convert_to_quaternions keep the motion instead.
        """
        check_state(state, self.system)
        state.set(self._allocation.uses_euler_angles, bool(uses_euler_angles))

    @property
    def uses_euler_angles_by_default(self) -> bool:
        """Whether new States use x-y-z angles instead of quaternions; default False."""
        return self._uses_euler_angles_by_default

    def set_uses_euler_angles_by_default(self, uses_euler_angles: bool) -> None:
        """Choose x-y-z angles or quaternions for new States. Topological: existing States become unusable."""
        self._uses_euler_angles_by_default = bool(uses_euler_angles)
        self.invalidate_topology()

    def convert_to_euler_angles(self, state: State) -> State:
        """A State of the same motion in which rotations have x-y-z angles, realized to MODEL."""
        return converted(self, state, to_euler_angles=True)

    def convert_to_quaternions(self, state: State) -> State:
        """A State of the same motion in which rotations have quaternions where a mobilizer has them, realized to MODEL."""
        return converted(self, state, to_euler_angles=False)

    # locks
    def make_lockable(self, state: State, index: int) -> None:
        """Make sure that a body can be locked in a State. This may return the State to TOPOLOGY, but keeps time and all variables."""
        lockable = state.get(self._allocation.lockable)
        if may_be_prescribed(self._bodies[index - 1], lockable):
            return
        time, y = state.time, np.array(state.y)
        state.set(self._allocation.lockable, tuple(sorted({*lockable, index})))
        self.system.realize_model(state)
        state.time, state.y = time, y

    # hooks
    def realize_topology(self, state: State) -> None:
        """Check the bodies, and allocate parameters and computed values."""
        failures.check_masses(self)
        for body in self._bodies:
            body.check_supported()
        self._allocated = allocate(self, state, uses_euler_angles=self._uses_euler_angles_by_default)

    def realize_model(self, state: State) -> None:
        """Allocate q, u and z. Called when the set of variables is completed."""
        in_euler_angles = self.uses_euler_angles(state)
        state.allocate_q(self, [value for body in self._bodies for value in default_q(body, in_euler_angles=in_euler_angles)])
        state.allocate_u(self, [0.0] * sum(body.nu for body in self._bodies))

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values, when the layout is known."""
        stages = (Stage.INSTANCE, Stage.POSITION, Stage.VELOCITY, Stage.DYNAMICS, Stage.ACCELERATION)
        tabulate(self, layout, self._allocation, {stage: self._sweep(layout, stage) for stage in stages})

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The variables that results, FMUs and the command line can name."""
        tree = self.tree(layout)
        of_bodies = [variable for body in self._bodies for variable in variables_of(body, tree)]
        of_constraints = [variable for constraint in self._constraints for variable in constraint.variables(layout)]
        sums = [(each, self.cache_entry(each.name)) for each in SUMS if each.units]
        return of_bodies + of_constraints + [each.variable(layout.slots[entry], entry) for each, entry in sums]

    explain_failure = failures.explain_failure
    explain_not_finite = failures.explain_not_finite

    # where numbers lie
    def tree(self, layout: Layout) -> Tree:
        """The tables of the bodies in a layout."""
        return layout.tables[self.index]

    def cache_entry(self, name: str) -> CacheEntry:
        """Where a computed value is kept. Raises StateError before there is a State, and for one that this System does not have."""
        return self._allocation.entry(name)

    @property
    def kinetic_energy_entry(self) -> CacheEntry | None:
        """The cache entry of its kinetic energy."""
        return self.cache_entry("kinetic_energy")

    @property
    def potential_energy_entry(self) -> CacheEntry | None:
        """The cache entry of the potential energy of flexible bodies and compliant constraints, or None."""
        return self.cache_entry("potential_energy") if has_potential_energy(self._bodies, self._constraints) else None

    @property
    def q_dot_dot_entry(self) -> CacheEntry:
        """The cache entry of the second time derivatives of the coordinates."""
        return self.cache_entry("q_dot_dot")

    @property
    def reactions_entry(self) -> CacheEntry:
        """The cache entry of the reactions of the mobilizers."""
        return self.cache_entry("reactions")

    @property
    def motion_forces_entry(self) -> CacheEntry:
        """The cache entry of the generalized forces (nu,) of Motions. It exists only if there are Motions."""
        return self.cache_entry("motion_forces")

    @property
    def motion_loads_entry(self) -> CacheEntry:
        """The cache entry of the opposites (nu,) of these forces."""
        return self.cache_entry("motion_loads")

    @property
    def _allocation(self) -> Allocation:
        if self._allocated is None:
            raise StateError(f"System '{self.system.name}' has no States yet. Make one with its realize_topology().")
        return self._allocated

    # speeds and applied forces
    def u(self, state: State) -> np.ndarray:
        """(nu,) rad/s or m/s: the speeds of all bodies; read-only."""
        check_state(state, self.system)
        slot = self.tree(state.layout).all_u
        return state.view(slot)

    def body_forces(self, state: State) -> np.ndarray:
        """(n_bodies, 6) N m, N: the sum of all applied forces on each body about its origin, in Ground. Needs stage DYNAMICS."""
        check_state(state, self.system)
        state.require(Stage.DYNAMICS, "the sum of the body forces")
        return state.cached(self.cache_entry("B_forces"))

    def mobility_forces(self, state: State) -> np.ndarray:
        """(nu,) N m or N: the sum of all applied generalized forces. Needs stage DYNAMICS."""
        check_state(state, self.system)
        state.require(Stage.DYNAMICS, "the sum of the generalized forces")
        slot = checked_tree(self, state, Stage.DYNAMICS, "the sum of the generalized forces").slots.mobility_forces
        return state.view(slot)

    # The methods below are functions of the files in queries/, which hold their docstrings.

    # the mass matrix, the system Jacobian, inverse dynamics
    multiply_by_mass_matrix = tree_operators.multiply_by_mass_matrix
    mass_matrix = tree_operators.mass_matrix
    multiply_by_mass_matrix_inverse = tree_operators.multiply_by_mass_matrix_inverse
    mass_matrix_inverse = tree_operators.mass_matrix_inverse
    multiply_by_system_jacobian = tree_operators.multiply_by_system_jacobian
    multiply_by_system_jacobian_transpose = tree_operators.multiply_by_system_jacobian_transpose
    system_jacobian = tree_operators.system_jacobian
    bias_for_system_jacobian = tree_operators.bias_for_system_jacobian
    inverse_dynamics = tree_operators.inverse_dynamics
    residual_force = tree_operators.residual_force

    # inverse dynamics with constraints and motions
    inverse_dynamics_with_constraints = constrained_dynamics.inverse_dynamics_with_constraints
    motion_forces = constrained_dynamics.motion_forces

    # Jacobians of stations and frames
    multiply_by_station_jacobian = jacobians.multiply_by_station_jacobian
    multiply_by_station_jacobian_transpose = jacobians.multiply_by_station_jacobian_transpose
    station_jacobian = jacobians.station_jacobian
    bias_for_station_jacobian = jacobians.bias_for_station_jacobian
    multiply_by_frame_jacobian = jacobians.multiply_by_frame_jacobian
    multiply_by_frame_jacobian_transpose = jacobians.multiply_by_frame_jacobian_transpose
    frame_jacobian = jacobians.frame_jacobian
    bias_for_frame_jacobian = jacobians.bias_for_frame_jacobian

    # q_dot = N u
    multiply_by_N = coordinate_rates.multiply_by_N
    multiply_by_N_transpose = coordinate_rates.multiply_by_N_transpose
    multiply_by_N_inverse = coordinate_rates.multiply_by_N_inverse
    multiply_by_N_inverse_transpose = coordinate_rates.multiply_by_N_inverse_transpose
    along_coordinates = coordinate_rates.along_coordinates

    # constraints taken together
    constraint_rows = constraint_operators.constraint_rows
    constraint_position_errors = constraint_operators.constraint_position_errors
    constraint_velocity_errors = constraint_operators.constraint_velocity_errors
    constraint_acceleration_errors = constraint_operators.constraint_acceleration_errors
    quaternion_errors = constraint_operators.quaternion_errors
    multipliers = constraint_operators.multipliers
    constraint_forces = constraint_operators.constraint_forces
    constraint_matrix = constraint_operators.constraint_matrix
    multiply_by_constraint_matrix = constraint_operators.multiply_by_constraint_matrix
    multiply_by_constraint_matrix_transpose = constraint_operators.multiply_by_constraint_matrix_transpose
    constraint_bias = constraint_operators.constraint_bias
    projected_mass_matrix_inverse = constraint_operators.projected_mass_matrix_inverse
    analyze_constraints = constraint_operators.analyze_constraints

    # mass and momentum of all bodies together
    mass = momentum.mass
    mass_center = momentum.mass_center
    mass_center_velocity = momentum.mass_center_velocity
    mass_center_acceleration = momentum.mass_center_acceleration
    momentum_about_ground_origin = momentum.momentum_about_ground_origin
    central_momentum = momentum.central_momentum
    composite_body_inertias = momentum.composite_body_inertias
    central_inertia = momentum.central_inertia
