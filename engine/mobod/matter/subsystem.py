"""MatterSubsystem: the bodies of a System, their tree, constraints, and mechanics."""

from abc import ABC, abstractmethod
from dataclasses import fields
from functools import partial
from typing import Any, NoReturn

import numpy as np

from mobod.errors import InputError, MassPropertiesError, SingularMechanismError, StateError, UnknownNameError
from mobod.matter.body import Ground, MobilizedBody
from mobod.matter.body_slots import BodySlots, shapes_of_bodies
from mobod.matter.constraint import Constraint, ConstraintOwner
from mobod.matter.constraint_sweeps import ConstraintSlots, ConstraintSweeps, shapes_of_constraints
from mobod.matter.euler_angles import converted, default_q
from mobod.matter.kinematics import SYMMETRIC_ENTRIES
from mobod.matter.limited_body import LimitedBody
from mobod.matter.limits import CoordinateLimits
from mobod.matter.momentum import SUMS
from mobod.matter.motion_equations import FREE, POSITION
from mobod.matter.prescription import Prescription, PrescriptionSlots
from mobod.matter.tree import Tree
from mobod.scalar.sweep import Sweep
from mobod.system import CacheEntry, DiscreteVariable, Layout, Numbers, Stage, State, System, Variable, flags
from mobod.system.boundary import check_state


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
        self._handles: dict[str, DiscreteVariable | CacheEntry] = {}
        self._uses_euler_angles_by_default = False
        self._euler_angles: DiscreteVariable | None = None
        self._lockable: DiscreteVariable | None = None
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

    def body(self, which: int | str) -> MobilizedBody | Ground:
        """The body with this index or name. Raises UnknownNameError, InputError."""
        if isinstance(which, str):
            if which not in self._names:
                raise UnknownNameError("body", which, self._names)
            which = self._names[which]
        if not 0 <= which < self.n_bodies:
            raise InputError(f"there is no body {which}: the indices run from 0 (ground) to {self.n_bodies - 1}.")
        return self._bodies[which - 1] if which else self.ground

    def checked(self, body: Any, what: str) -> MobilizedBody | Ground:
        """Return the argument if it is a body of this subsystem; raise InputError otherwise. `what` is the function that takes it, for the
        message.
        """
        if not isinstance(body, (MobilizedBody, Ground)):
            raise InputError(f"{what} takes a body, not {type(body).__name__}; matter.body(...) finds one by name or index.")
        if body.matter is not self:
            raise InputError(f"{what}: body '{body.name}' belongs to System '{body.matter.system.name}', not to '{self.system.name}'.")
        return body

    def adopt(self, body: MobilizedBody, name: str | None) -> tuple[int, str]:
        """Add a body; returns its index and its name. Called by MobilizedBody."""
        index = self.n_bodies
        name = name if name is not None else self.system.free_name("body", index)
        self.system.claim(name, "a body")
        self._names[name] = index
        self._bodies.append(body)
        self.invalidate_topology()
        return index, name

    def new_limits(self, body: LimitedBody, coordinate: int, *given: Any) -> CoordinateLimits:
        """Make the limits of a coordinate without limits. given: lower, upper, restitution, compliance, damping. Called by the body."""
        assert isinstance(body, MobilizedBody)
        return CoordinateLimits(body, coordinate, *given)

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
        return layout.tables[self.index].constraints

    # coordinates of rotations
    def uses_euler_angles(self, state: State) -> bool:
        """Whether rotations have body-fixed x-y-z angles as coordinates, where a mobilizer could have a quaternion."""
        check_state(state, self.system)
        assert self._euler_angles is not None
        return bool(state.get(self._euler_angles))

    def set_uses_euler_angles(self, state: State, uses_euler_angles: bool) -> None:
        """Choose x-y-z angles or quaternions in a State. Takes the State back to TOPOLOGY, so that q, u and z get their defaults.

        convert_to_euler_angles and convert_to_quaternions keep the motion instead.
        """
        check_state(state, self.system)
        assert self._euler_angles is not None
        state.set(self._euler_angles, bool(uses_euler_angles))

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
        """Make sure that a body can be locked in a State. If this takes the State back to TOPOLOGY, it keeps time and all variables."""
        assert self._lockable is not None
        lockable = state.get(self._lockable)
        if self._may_be_prescribed(self._bodies[index - 1], lockable):
            return
        time, y = state.time, np.array(state.y)
        state.set(self._lockable, tuple(sorted({*lockable, index})))
        self.system.realize_model(state)
        state.time, state.y = time, y

    @staticmethod
    def _may_be_prescribed(body: MobilizedBody, lockable: tuple[int, ...]) -> bool:
        return body.motion is not None or body.is_lockable_by_default or body.index in lockable

    # hooks
    def realize_topology(self, state: State) -> None:
        """Check the bodies, and allocate parameters and computed values."""
        self._check_masses()
        for body in self._bodies:
            body.check_supported()
        n, nu, nq = self.n_bodies, sum(body.nu for body in self._bodies), sum(body.nq for body in self._bodies)
        for constraint in self._constraints:
            constraint.allocate(state)
        self._euler_angles = state.allocate_discrete_variable(self, "uses Euler angles", self._uses_euler_angles_by_default, Stage.MODEL)
        self._lockable = state.allocate_discrete_variable(self, "lockable bodies", (), Stage.MODEL)
        for name, value in self._parameters().items():
            numbers = _NUMBERS[name](value.size) if name in _NUMBERS else Numbers(value.size)
            self._handles[name] = state.allocate_discrete_variable(self, name, value, Stage.INSTANCE, numbers=[numbers])
        computed = shapes_of_bodies(self._bodies)
        computed[Stage.POSITION]["known_levels"] = (n,)
        computed[Stage.VELOCITY]["known_u_dot"] = (nu,)
        if self._constraints:
            for stage, shapes in shapes_of_constraints(self._constraints, n, nu).items():
                computed[stage] |= shapes
        for stage, shapes in computed.items():
            for name, shape in shapes.items():
                self._handles[name] = state.allocate_cache_entry(self, name, stage, shape=shape, computed_by=stage)
        for name, stage, shape in (
            ("kinetic_energy", Stage.VELOCITY, ()),
            *(("potential_energy", Stage.POSITION, ()) for _ in range(self._has_compliant_rows)),
            ("q_dot_dot", Stage.ACCELERATION, (nq,)),
            ("B_forces", Stage.DYNAMICS, (n, 6)),
            ("operand", Stage.POSITION, (nu,)),
            ("A_v", Stage.POSITION, (n, 6)),
            ("Z_v", Stage.POSITION, (n, 6)),
            ("result", Stage.POSITION, (nu,)),
            ("reactions", Stage.ACCELERATION, (n, 6)),
        ):
            self._handles[name] = state.allocate_cache_entry(self, name, stage, shape=shape)
        if self._has_motions:
            needs = [self._entry("reactions")]
            self._handles["motion_forces"] = state.allocate_cache_entry(
                self, "motion_forces", Stage.ACCELERATION, shape=(nu,), prerequisites=needs
            )
        for each in SUMS:
            needs = [self._entry(name) for name in each.needs]
            self._handles[each.name] = state.allocate_cache_entry(self, each.name, each.stage, shape=each.shape, prerequisites=needs)

    def realize_model(self, state: State) -> None:
        """Allocate q, u and z. Called when the set of variables is completed."""
        in_euler_angles = self.uses_euler_angles(state)
        state.allocate_q(self, [value for body in self._bodies for value in default_q(body, in_euler_angles=in_euler_angles)])
        state.allocate_u(self, [0.0] * sum(body.nu for body in self._bodies))

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values."""
        assert self._euler_angles is not None
        in_euler_angles = bool(layout.options[self._euler_angles])
        found = {name: layout.slots[handle] for name, handle in self._handles.items()}
        slots = BodySlots(**{field.name: found[field.name] for field in fields(BodySlots)})
        self._fix_constants(layout, slots)
        q, u = layout.part("q", self.index), layout.part("u", self.index)
        tree = Tree(self._bodies, slots, q, u, layout.n_y, layout.constants, in_euler_angles=in_euler_angles)
        layout.tables[self.index] = tree
        for body in self._bodies:
            at = tree.equations(body).quaternion_at
            if at is not None:
                layout.quaternions.append(tree.q(body).offset + at)
        assert self._lockable is not None
        prescribed = [body for body in self._bodies if self._may_be_prescribed(body, layout.options[self._lockable])]
        of_prescription = PrescriptionSlots(**{field.name: found[field.name] for field in fields(PrescriptionSlots)})
        tree.prescription = Prescription(prescribed, of_prescription, tree, layout)
        position, velocity = self._sweep(layout, Stage.POSITION), self._sweep(layout, Stage.VELOCITY)
        acceleration = self._sweep(layout, Stage.ACCELERATION)
        tree.instance(self._sweep(layout, Stage.INSTANCE))
        tree.prescription.position(position)
        tree.position(position)
        tree.prescription.velocity(velocity)
        tree.velocity(velocity)
        dynamics = self._sweep(layout, Stage.DYNAMICS)
        dynamics.clears += [slots.body_forces, slots.mobility_forces]
        tree.articulated_inertias(dynamics)
        tree.forces_inward(acceleration)
        if self._constraints:
            of_constraints = ConstraintSlots(**{field.name: found[field.name] for field in fields(ConstraintSlots)})
            tree.constraints = ConstraintSweeps(self._constraints, of_constraints, tree, tree.prescription, layout)
            layout.c_tables["rows"] = tree.constraints.table.in_c
            layout.c_reads += [of_constraints.position_errors, of_constraints.velocity_errors, of_constraints.compliant_forces]
            tree.constraints.position(position)
            tree.constraints.velocity(velocity)
            tree.constraints.dynamics(dynamics)
            tree.constraints.acceleration(acceleration)
            tree.constraints.tabulate_outputs(position, acceleration, layout)
            tree.accelerations_outward(acceleration, of_constraints.constrained_eps)
        else:
            tree.accelerations_outward(acceleration, slots.eps)
        layout.finite[self.index, Stage.ACCELERATION] = tree.u_dot
        for name, write in (
            ("kinetic_energy", tree.kinetic_energy),
            ("q_dot_dot", tree.q_dot_dot),
            ("B_forces", tree.forces_about_body_origins),
            ("reactions", partial(tree.reactions, constraint_body_forces=found.get("constraint_body_forces"))),
        ):
            sweep = layout.lazy_sweeps[self._entry(name)] = Sweep(name)
            write(sweep)
        if self._has_motions:
            tree.forces_of_motions = layout.slots[self._entry("motion_forces")]
            sweep = layout.lazy_sweeps[self._entry("motion_forces")] = Sweep("motion_forces", clears=[tree.forces_of_motions])
            tree.motion_forces(sweep, found.get("constraint_mobility_forces"))
        if self._has_compliant_rows:
            energy = layout.slots[self._entry("potential_energy")]
            sweep = layout.lazy_sweeps[self._entry("potential_energy")] = Sweep("potential energy", clears=[energy])
            tree.constraints.potential_energy(sweep, energy)
        for each in SUMS:
            sweep = layout.lazy_sweeps[self._entry(each.name)] = Sweep(each.name, clears=[layout.slots[self._entry(each.name)]])
            each.write(tree, sweep)

    def explain_failure(self, state: State) -> str:
        """A message for each mobilizer whose coordinates are at or near a singularity; '' if there are none."""
        reasons = [(body, body.equations_in(state).why_singular(body.q(state))) for body in self._bodies]
        return " ".join(f"Mobilizer '{body.name}' ({type(body).__name__}): {reason}." for body, reason in reasons if reason)

    def variables(self, layout: Layout) -> list[Variable]:
        """The variables that results, FMUs and the command line can name."""
        tree = self.tree(layout)
        of_bodies = [variable for body in self._bodies for variable in (*body.variables(tree), body.reaction_variable(tree))]
        sums = [(each, self._entry(each.name)) for each in SUMS if each.units]
        of_constraints = [variable for constraint in self._constraints for variable in constraint.variables(layout)]
        return of_bodies + of_constraints + [each.variable(layout.slots[entry], entry) for each, entry in sums]

    # quantities
    @property
    def kinetic_energy_entry(self) -> CacheEntry | None:
        """The cache entry of its kinetic energy."""
        return self._entry("kinetic_energy")

    @property
    def potential_energy_entry(self) -> CacheEntry | None:
        """The cache entry of the potential energy of compliant constraints, or None."""
        return self._entry("potential_energy") if self._has_compliant_rows else None

    @property
    def _has_motions(self) -> bool:
        return any(body.motion is not None for body in self._bodies)

    @property
    def _has_compliant_rows(self) -> bool:
        return any(constraint.compliant_rows for constraint in self._constraints)

    @property
    def q_dot_dot_entry(self) -> CacheEntry:
        """The cache entry of the second time derivatives of the coordinates."""
        return self._entry("q_dot_dot")

    def body_forces(self, state: State) -> np.ndarray:
        """(n_bodies, 6) N m, N: the sum of all applied forces on each body about its origin, in Ground. Needs stage DYNAMICS."""
        check_state(state, self.system)
        state.require(Stage.DYNAMICS, "the sum of the body forces")
        return state.cached(self._entry("B_forces"))

    def u(self, state: State) -> np.ndarray:
        """(nu,) the speeds of all bodies; read-only."""
        check_state(state, self.system)
        slot = self.tree(state.layout).all_u
        return state.view(slot)

    def mobility_forces(self, state: State) -> np.ndarray:
        """(nu,) the sum of all applied generalized forces. Needs stage DYNAMICS."""
        check_state(state, self.system)
        state.require(Stage.DYNAMICS, "the sum of the generalized forces")
        slot = self._checked_tree(state, Stage.DYNAMICS, "the sum of the generalized forces").slots.mobility_forces
        return state.view(slot)

    @property
    def reactions_entry(self) -> CacheEntry:
        """The cache entry of the reactions of the mobilizers."""
        return self._entry("reactions")

    @property
    def motion_forces_entry(self) -> CacheEntry:
        """The cache entry of the generalized forces (nu,) of Motions. It exists only if there are Motions."""
        return self._entry("motion_forces")

    # # internal
    def _entry(self, name: str) -> CacheEntry:
        if name not in self._handles:
            raise StateError(f"System '{self.system.name}' has no States yet. Make one with its realize_topology().")
        handle = self._handles[name]
        assert isinstance(handle, CacheEntry)
        return handle

    def _parameters(self) -> dict[str, np.ndarray]:
        """The frames and masses of all bodies, Ground first, with identity frames and zero mass."""
        R, p = np.eye(3), np.zeros(3)
        masses = [body.body.mass_properties for body in self._bodies]
        motions = [body.motion for body in self._bodies if body.motion is not None]
        return {
            "R_PF": np.array([R, *(body.X_PF.R for body in self._bodies)]),
            "p_PF": np.array([p, *(body.X_PF.p for body in self._bodies)]),
            "R_BM": np.array([R, *(body.X_BM.R for body in self._bodies)]),
            "p_BM": np.array([p, *(body.X_BM.p for body in self._bodies)]),
            "mass": np.array([0.0, *(mass.mass for mass in masses)]),
            "com": np.array([p, *(mass.com for mass in masses)]),
            "inertia": np.array([np.zeros(6), *([mass.inertia[i, j] for i, j in SYMMETRIC_ENTRIES] for mass in masses)]),
            "parameters": np.concatenate([np.zeros(0), *(body.equations.parameter_values() for body in self._bodies)]),
            "lock_levels": np.zeros(self.n_bodies),
            "lock_q": np.zeros(sum(body.nq for body in self._bodies)),
            "lock_values": np.zeros(sum(body.nu for body in self._bodies)),
            "motion_enabled": np.array([0.0, *(float(_has_motion(body)) for body in self._bodies)]),
            "motion_parameters": np.concatenate([np.zeros(0), *(each.equations.parameter_values() for each in motions)]),
        } | (
            {}
            if not self._constraints
            else {"constraint_parameters": np.concatenate([each.equations.parameter_values() for each in self._constraints])}
        )

    def _fix_constants(self, layout: Layout, slots: BodySlots) -> None:
        """Constants that recordings fold: Ground's motion; zeros and ones of frames; zeros of masses, mass centers and inertias."""
        fixed_values = {"R_PF": (0.0, 1.0, -1.0), "R_BM": (0.0, 1.0, -1.0)}
        for name, value in self._parameters().items():
            slot = layout.slots[self._handles[name]]
            for k, entry in enumerate(value.flat):
                if name in _WITH_PATTERN and entry in fixed_values.get(name, (0.0,)):
                    layout.constants[slot.offset + k] = float(entry)
        for whole, value in ((slots.R_GM, np.eye(3)), (slots.p_GM, np.zeros(3)), (slots.R_GB, np.eye(3)), (slots.p_GB, np.zeros(3))):
            layout.constants.update(zip(range(whole[0].offset, whole[0].offset + value.size), value.ravel().tolist(), strict=True))
        for whole in (slots.V_GM, slots.V_GB, slots.A_c, slots.A_GB, slots.A_v):
            layout.constants.update(dict.fromkeys(range(whole[0].offset, whole[0].offset + 6), 0.0))

    def _check_masses(self) -> None:
        """Raise MassPropertiesError for a massless terminal body that can move: its acceleration would be infinite."""
        with_children = {body.parent.index for body in self._bodies}
        for body in self._bodies:
            if body.index not in with_children and body.nu and body.body.mass_properties.mass == 0:
                raise MassPropertiesError(
                    f"body '{body.name}' ends its branch of the tree, can move ({type(body).__name__}), and has no mass: any force would "
                    "give it an infinite acceleration. Give it mass and inertia, weld it to its parent, or put a body with mass on it."
                )

    def explain_not_finite(self, state: State) -> NoReturn:
        """Raise SingularMechanismError for accelerations that are not finite. It names the outermost mobilizer without inertia, or else the
        forces.
        """
        tree = self.tree(state.layout)
        for body in reversed(self._bodies):
            if body.nu and not np.isfinite(state.values[tree.D_inverse(body).slice]).all():
                reason = body.equations_in(state).why_singular(body.q(state))
                remedy = f". That comes from its coordinates: {reason}." if reason else "; give them mass, or weld it."
                raise SingularMechanismError(
                    f"mobilizer '{body.name}' ({type(body).__name__}) at time {state.time:g} s: nothing resists a motion along it, so "
                    f"its acceleration is not finite. The body and all that it carries have no inertia along that motion{remedy}"
                )
        for subsystem in self.system.subsystems:
            subsystem.check_finite(state)
        for what, slot in (("body", tree.slots.body_forces), ("generalized", tree.slots.mobility_forces)):
            if not np.isfinite(state.values[slot.slice]).all():
                raise SingularMechanismError(
                    f"the sum of the {what} forces is not finite at time {state.time:g} s. Check the forces of System '{self.system.name}'."
                )
        raise SingularMechanismError(
            f"accelerations are not finite at time {state.time:g} s though all forces are; q and u may be too large: {state.y}. "
            f"{self.explain_failure(state)}".rstrip()
        )


# # parameters whose zeros, and for rotations also ones, are structure
_NUMBERS = {"lock_levels": lambda n: Numbers(n, FREE, POSITION, is_whole=True), "motion_enabled": flags}  # valid values in a saved State
_WITH_PATTERN = ("R_PF", "p_PF", "R_BM", "p_BM", "mass", "com", "inertia")


def _has_motion(body: MobilizedBody) -> bool:
    """Whether the body has a motion that is enabled in a new State."""
    return body.motion is not None and not body.motion.is_disabled_by_default
