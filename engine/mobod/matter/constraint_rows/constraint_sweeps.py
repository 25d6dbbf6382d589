"""The flat tables of all constraints in one layout, and their sweeps."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mobod.errors import InputError
from mobod.matter.constraint_rows import constraint_functions
from mobod.matter.constraint_rows.constraint_functions import Touched
from mobod.matter.constraint_rows.constraint_rows import ConstraintRows, has_rows_apart
from mobod.matter.constraint_rows.gathered_bodies import (
    ERRORS,
    MOTIONS,
    POSES,
    ROWS,
    GatherBodies,
    choices_of_rows,
    numbered_paths,
)
from mobod.matter.constraint_rows.load_rows import Reactions, load_of, write_begin, write_end
from mobod.matter.constraint_rows.multipliers import MultiplierSolve, RowElimination
from mobod.matter.constraint_rows.row_slots import CarriedRow, CompliantRow, RowBlock, slots_of_rows
from mobod.matter.constraint_rows.row_table import RowTable
from mobod.matter.constraint_rows.tree_joints import joint_of
from mobod.matter.equations.constraint_equations import ConstraintEquations
from mobod.matter.equations.further_parameters import FurtherParameters
from mobod.matter.tree.prescription import Prescription
from mobod.matter.tree.tree_table import TreeTable
from mobod.scalar import Array, Slot, Sweep
from mobod.scalar.sweep import Spare
from mobod.system import Layout


@dataclass(frozen=True, kw_only=True)
class ConstraintSlots:
    """Flat arrays, constraint by constraint; for each constraint the errors of position, velocity and acceleration level.

    instance      parameters
    position      position_errors
    velocity      velocity_errors (with the rates of the position errors), bias: accelerations for u_dot = 0;
                  rows: K (n, 6) of each body except Ground, k (n, nu) of each mobilizer
    dynamics      E A row_workspace                                                   see multipliers
                  compliant_forces (n,) of compliant rows, along the gradients of their errors
    acceleration  multipliers, eps: including their forces; constraint_body_forces (n_bodies, 6) about the origins of M,
                  constraint_mobility_forces: forces on bodies and mobilities, -G^T lambda;
                  load_workspace, reactions_of_loads, sizes_of_loads: see load_rows
    """

    constraint_parameters: Slot
    position_errors: Slot
    velocity_errors: Slot
    bias: Slot
    rows: Slot
    E: Slot
    A: Slot
    row_workspace: Slot
    compliant_forces: Slot
    multipliers: Slot
    constrained_eps: Slot
    constraint_body_forces: Slot
    constraint_mobility_forces: Slot
    load_workspace: Slot
    reactions_of_loads: Slot
    sizes_of_loads: Slot


@dataclass(frozen=True)
class _Part:
    """Equations of a constraint.

    own   slots of the time, and of their own numbers
    rows  in each group of rows; None: all
    """

    equations: ConstraintEquations
    own: list[Slot]
    rows: list[range] | None


class ConstraintSweeps:
    """Writes the sweeps of all constraints, and finds the slots of each constraint."""

    def __init__(
        self,
        constraints: Sequence[ConstraintRows],
        slots: ConstraintSlots,
        tree: TreeTable,
        prescription: Prescription,
        layout: Layout,
        length: float,
    ):
        """length: m, of the bodies; see RowTable"""
        self.constraints, self.slots, self.tree, self.prescription = constraints, slots, tree, prescription
        self._time = layout.time
        equations = [each.equations for each in constraints]
        self._row_starts = _starts([each.n for each in equations])
        self._tables = {
            "constraint_parameters": (slots.constraint_parameters, _starts([each.n_parameters for each in equations])),
            "position_errors": (slots.position_errors, _starts([each.n_position for each in equations])),
            "velocity_errors": (slots.velocity_errors, _starts([each.n_position + each.n_velocity for each in equations])),
            "bias": (slots.bias, self._row_starts),
            "multipliers": (slots.multipliers, self._row_starts),
            "compliant_forces": (slots.compliant_forces, self._row_starts),
        }
        for constraint in constraints:
            _check_coordinates(constraint, tree)
        self._loaded = [each for each in constraints if each.friction is not None and each.friction.load is not None]
        self._enabled_slots = [each.enabled_slot(layout) for each in constraints]
        self._decided_slots = [each.decided_slot(layout) for each in constraints]
        self._chosen = [each.chosen_bodies(layout) for each in constraints]
        self._first_paths, paths = numbered_paths(self._chosen)
        self._rows = slots_of_rows(slots.rows, constraints)
        self.table = RowTable(
            joints=tuple(joint_of(tree, prescription, body, length) for body in reversed(tree.bodies)),
            blocks=tuple(block for each in constraints for block in self._blocks(each, layout)),
            n_bodies=slots.constraint_body_forces.shape[0],
            length=length,
            u=tree.all_u,
            q=tree.all_q,
            E=slots.E,
            A=slots.A,
            workspace=slots.row_workspace,
            all_eps=tree.slots.eps,
            eps=slots.constrained_eps,
            multipliers=slots.multipliers,
            body_forces=slots.constraint_body_forces,
            mobility_forces=slots.constraint_mobility_forces,
            loads=tuple(load_of(each, self.lines(each).start, tree, layout) for each in self._loaded),
            load_workspace=slots.load_workspace,
            paths=paths,
            path_motions=self._motions() if len(paths) > 1 else (),
        )

    # parts
    def lines(self, constraint: ConstraintRows) -> slice:
        """The indices of the constraint's rows."""
        first = self._row_starts[constraint.index]
        return slice(first, first + constraint.equations.n)

    def part(self, constraint: ConstraintRows, name: str) -> Slot:
        """The constraint's part of a flat table."""
        whole, starts = self._tables[name]
        start, end = starts[constraint.index], starts[constraint.index + 1]
        return Slot(whole.offset + start, (end - start,))

    # sweeps
    def position(self, sweep: Sweep) -> None:
        s = self.tree.slots
        for constraint in self.constraints:
            if not constraint.equations.n_position:
                continue
            inputs = []
            if self._has_ancestor(constraint):
                inputs.append(s.R_GB[constraint.ancestor.index])
            for body in (constraint.base, *constraint.followers):
                inputs += [s.R_GB[body.index], s.p_GB[body.index]]
            inputs += [self.tree.q(body) for body in constraint.mobilizers]
            errors = self.part(constraint, "position_errors")
            if (chosen := self._chosen[constraint.index]) is not None:
                self._gather(sweep, chosen.choices, (s.R_GB, s.p_GB, s.r), chosen.poses, chosen.idle_of(POSES))
            for number, part in enumerate(self._parts(constraint)):
                of_part = errors if part.rows is None else _part_of(errors, part.rows[0])
                read = inputs if chosen is None else [*inputs[:2], *(slot for side in (0, 1) for slot in chosen.pose(number, side)[:2])]
                spare = None if chosen is None else chosen.spare(number, ERRORS)
                self._add(sweep, constraint_functions.position_errors, constraint, part, read, [of_part], spare=spare)

    def velocity(self, sweep: Sweep) -> None:
        s = self.tree.slots
        for constraint in self.constraints:
            inputs = []
            if self._has_ancestor(constraint):
                inputs += [s.R_GB[constraint.ancestor.index], s.V_GB[constraint.ancestor.index]]
            for body in (constraint.base, *constraint.followers):
                b = body.index
                inputs += [s.R_GB[b], s.p_GB[b], s.r[b], s.V_GB[b], s.A_c[b]]
            for body in constraint.mobilizers:
                inputs += [self.tree.parameters(body)] if self.tree.equations(body).n_parameters else []
                inputs += [self.tree.q(body), self.tree.u(body)]
                inputs += [self.prescription.u_dot(body)] if self.prescription.concerns(body) else []
            on_bodies, on_mobilities = self._rows[constraint.index]
            outputs = [self.part(constraint, "velocity_errors"), self.part(constraint, "bias")]
            outputs += [slot for _, slot in (*on_bodies, *on_mobilities)]
            if (chosen := self._chosen[constraint.index]) is not None:
                self._gather(sweep, chosen.choices, (s.V_GB, s.A_c), chosen.motions, chosen.idle_of(MOTIONS))
            for number, part in enumerate(self._parts(constraint)):
                if part.rows is None:
                    self._add(sweep, constraint_functions.rows, constraint, part, inputs, outputs)
                else:
                    if chosen is not None:
                        read = [
                            *inputs[:5],
                            *(slot for side in (0, 1) for slot in (*chosen.pose(number, side), *chosen.motion(number, side))),
                        ]
                    else:
                        read = inputs
                    of_part = [_part_of(each, rows) for each in outputs for rows in part.rows]
                    groups = tuple(len(rows) for rows in part.rows)
                    spare = None if chosen is None else chosen.spare(number, ROWS)
                    self._add(sweep, constraint_functions.rows_in_groups, constraint, part, read, of_part, groups, spare=spare)

    def friction(self, sweep: Sweep, layout: Layout) -> list[Slot]:
        """Write the laws of dry friction, at VELOCITY. Returns the slots that the runtime reads."""
        return [slot for each in self.constraints if each.friction is not None for slot in each.friction.write(sweep, layout)]

    def dynamics(self, sweep: Sweep) -> None:
        sweep.calls.append(RowElimination(self.table))
        s = self.tree.slots
        for constraint in filter(lambda each: each.compliant_rows, self.constraints):
            on_bodies, on_mobilities = self._rows[constraint.index]
            rates, of_rows = self.part(constraint, "velocity_errors"), [slot for _, slot in (*on_bodies, *on_mobilities)]
            forces = [s.body_forces[body] for body, _ in on_bodies]
            forces += [self.tree.speeds(s.mobility_forces, body) for body in constraint.mobilizers]
            sweep.add(
                constraint_functions.compliant_forces,
                [*self._of_compliance(constraint), rates, *of_rows],
                [self.part(constraint, "compliant_forces"), *forces],
                structure=self._structure_of_compliance(constraint),
                adds=range(1, 1 + len(forces)),
            )

    def acceleration(self, sweep: Sweep, layout: Layout) -> None:
        """Between the inward and the outward sweep of forces."""
        solve = MultiplierSolve(self.table)
        if self._loaded:
            write_begin(sweep, self.table, self.tree, self._loaded, solve.slots_read(), layout)
        sweep.calls.append(solve)
        for constraint in filter(lambda each: each.compliant_rows, self.constraints):  # the multipliers' solution is 0 for these
            forces, multipliers = self.part(constraint, "compliant_forces"), self.part(constraint, "multipliers")
            sweep.add(_negative, [forces], [multipliers], adds=(0,))

    def loads(self, sweep: Sweep, layout: Layout) -> None:
        """After the outward sweep of accelerations: the loads of joints, on which friction depends."""
        if self._loaded:
            s = self.slots
            reactions = Reactions(s.constraint_body_forces, s.reactions_of_loads, s.sizes_of_loads)
            write_end(sweep, self.table, self.tree, self._loaded, reactions, layout)

    def potential_energy(self, sweep: Sweep, total: Slot) -> None:
        """Add the potential energy of compliant rows to the total."""
        for constraint in filter(lambda each: each.compliant_rows, self.constraints):
            structure = self._structure_of_compliance(constraint)
            sweep.add(constraint_functions.spring_energy, self._of_compliance(constraint), [total], structure=structure, adds=(0,))

    def tabulate_outputs(self, position: Sweep, acceleration: Sweep, layout: Layout) -> None:
        """Outputs that constraints compute from their own errors and multipliers."""
        for constraint in self.constraints:
            constraint.tabulate_outputs(position, acceleration, layout)

    def first_path(self, constraint: ConstraintRows) -> int:
        """The number of the first pair of bodies of a constraint whose bodies the runtime chooses."""
        return self._first_paths[constraint.index]

    # internal
    def _motions(self) -> tuple[tuple[Slot, Slot], ...]:
        V_GB, A_c = self.tree.slots.V_GB, self.tree.slots.A_c
        return tuple((V_GB[body], A_c[body]) for body in range(V_GB.shape[0]))

    def _gather(self, sweep: Sweep, choices: Slot, of_bodies: Sequence[Slot], to: Slot, idle: Slot) -> None:
        """Write the copies of numbers of the bodies that the runtime has chosen."""
        n_bodies = of_bodies[0].shape[0]
        parts = [[whole[body] for whole in of_bodies] for body in range(n_bodies)]
        sweep.calls.append(GatherBodies(choices, self.table.paths, parts, to, idle))

    def _parts(self, constraint: ConstraintRows) -> list[_Part]:
        """The equations that are recorded, with the slots of their own numbers."""
        decided, equations = self._decided_slots[constraint.index], constraint.equations
        own = [self.part(constraint, "constraint_parameters")] if equations.n_parameters else []
        repeated = equations.repeated
        if repeated is None or decided is None:
            return [_Part(equations, [self._time, *own], None)]
        size = repeated.one.n_decided
        if self._chosen[constraint.index] is not None:
            assert isinstance(equations, FurtherParameters)
            assert equations.of.repeated is not None
            one, stride = equations.of.repeated.one, decided.size // repeated.n  # one has no parameters
            return [_Part(one, [self._time, Slot(decided.offset + stride * i, (size,))], repeated.rows(i)) for i in range(repeated.n)]
        return [
            _Part(repeated.one, [self._time, *own, Slot(decided.offset + size * i, (size,))], repeated.rows(i)) for i in range(repeated.n)
        ]

    def _add(
        self,
        sweep: Sweep,
        function: Callable[..., object],
        constraint: ConstraintRows,
        part: _Part,
        inputs: list[Slot],
        outputs: list[Slot],
        *structure: object,
        spare: Spare | None = None,
    ) -> None:
        on_ground = [body.index == 0 for body in (constraint.base, *constraint.followers)]
        if self._chosen[constraint.index] is not None:  # where one of the two is Ground, the runtime leaves it out
            on_ground = [True, False, False]
        touched = Touched(
            tuple(on_ground),
            tuple(self.tree.equations(body).structure for body in constraint.mobilizers),
            tuple(self.prescription.concerns(body) for body in constraint.mobilizers),
            self._has_ancestor(constraint),
            part.equations.n_parameters,
            part.equations.n_decided,
        )
        sweep.add(
            function,
            [*part.own, *inputs],
            outputs,
            structure=(part.equations.structure, touched, *structure),
            constants=self.tree.constants,
            spare=spare,
        )

    def _of_compliance(self, constraint: ConstraintRows) -> list[Slot]:
        """The slots of the enabled flag, the parameters and the errors."""
        return [
            self._enabled_slots[constraint.index],
            *(self.part(constraint, name) for name in ("constraint_parameters", "position_errors")),
        ]

    @staticmethod
    def _structure_of_compliance(constraint: ConstraintRows) -> tuple[object, ...]:
        kind = constraint_functions.UNILATERAL if constraint.is_unilateral else constraint_functions.BILATERAL
        return constraint.equations.structure, kind

    @staticmethod
    def _has_ancestor(constraint: ConstraintRows) -> bool:
        return bool(constraint.equations.vectors_at) and constraint.ancestor is not constraint.base

    def _blocks(self, constraint: ConstraintRows, layout: Layout) -> list[RowBlock]:
        """One block, or one for each row if some rows have flags of their own."""
        on_bodies, on_mobilities = self._rows[constraint.index]
        flags, chosen = constraint.row_flags(layout), self._chosen[constraint.index]
        block = RowBlock(
            name=constraint.name,
            first=self._row_starts[constraint.index],
            n=constraint.equations.n,
            enabled=flags[0],
            position_errors=self.part(constraint, "position_errors"),
            velocity_errors=self.part(constraint, "velocity_errors"),
            bias=self.part(constraint, "bias"),
            on_bodies=() if chosen else tuple(on_bodies),
            on_mobilities=tuple(on_mobilities),
            motions=() if chosen else tuple((self.tree.slots.V_GB[body], self.tree.slots.A_c[body]) for body, _ in on_bodies),
            sides=tuple(K for _, K in on_bodies) if chosen else (),
            is_contact=constraint.is_unilateral,
        )
        if not has_rows_apart(constraint):
            return [block]
        return [
            block.of_row(row, flag, self._compliant_row(constraint, row, layout), self._carried_row(constraint, row, layout), choice)
            for row, (flag, choice) in enumerate(zip(flags, choices_of_rows(constraint.equations, chosen), strict=True))
        ]

    def _carried_row(self, constraint: ConstraintRows, row: int, layout: Layout) -> CarriedRow | None:
        if constraint.friction is None:
            return None
        flag, given = constraint.friction.carried_slots(layout, row)
        normal, slide = constraint.friction.slide_slot(layout, row)
        first = self._row_starts[constraint.index]
        return CarriedRow(flag=flag, given=given, normal=None if normal is None else first + normal, slide=slide)

    def _compliant_row(self, constraint: ConstraintRows, row: int, layout: Layout) -> CompliantRow | None:
        if row not in constraint.compliant_rows:
            return None
        compliance, damping = (
            Slot(self.part(constraint, "constraint_parameters").offset + start, ()) for start in constraint.places_of_compliance(row)
        )
        return CompliantRow(
            enabled=constraint.enabled_slot(layout),
            compliance=compliance,
            damping=damping,
            force=self.part(constraint, "compliant_forces")[row],
            impulse=constraint.impulse_slot(row, layout),
            is_unilateral=constraint.is_unilateral,
        )


def _check_coordinates(constraint: ConstraintRows, tree: TreeTable) -> None:
    """Raise InputError for a coordinate that does not exist: a rotation has one coordinate less in Euler angles than in a quaternion."""
    for mobilizer, coordinate in constraint.equations.coordinates:
        body = constraint.mobilizers[mobilizer]
        nq = tree.equations(body).nq
        if coordinate >= nq:
            raise InputError(
                f"constraint '{constraint.name}': '{body.name}' ({type(body).__name__}) has {nq} coordinates in Euler angles, numbered "
                f"from 0; {coordinate} is not one of them."
            )


def _part_of(whole: Slot, rows: range) -> Slot:
    """The slot of some rows."""
    return Slot(whole[rows.start].offset, (len(rows), *whole.shape[1:]))


def _negative(forces: Array) -> Array:
    return 0.0 - forces


def _starts(sizes: list[int]) -> list[int]:
    return [sum(sizes[:i]) for i in range(len(sizes) + 1)]
