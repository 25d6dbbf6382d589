"""The loads of joints with dry friction, at ACCELERATION: a part of the sweep that is repeated until friction and reactions agree.

In C: joint_loads.c in fmu_src/native.
"""

from collections.abc import Sequence
from typing import NamedTuple, final

import numpy as np

from mobod.errors import FrictionParadoxError, MobodError, UnsupportedError
from mobod.matter.constraint_rows.constraint_rows import ConstraintRows
from mobod.matter.constraint_rows.row_slots import BearingSlots
from mobod.matter.constraint_rows.row_table import RowTable
from mobod.matter.tree.kinematics import symmetric
from mobod.matter.tree.rotors import coupled_rotor_torque
from mobod.matter.tree.tree_body import TreeBody
from mobod.matter.tree.tree_table import TreeTable
from mobod.runtime.tables import Struct
from mobod.scalar import Array, Scalar, Slot, Sweep, norm
from mobod.scalar.procedure import Procedure, ProcedureInC
from mobod.spatial import cross
from mobod.system import Layout


@final
class LoadBegin(Procedure):
    """Begins the repeated part, with loads of 0.

    depends_on  slots of all that is computed before and that loads may depend on
    """

    def __init__(self, table: RowTable, depends_on: Sequence[Slot]):
        self._table, self._depends_on = table, tuple(depends_on)

    @property
    def name(self) -> str:
        return "begin with loads"

    @property
    def inputs(self) -> tuple[Slot, ...]:
        return self._depends_on

    @property
    def outputs(self) -> tuple[Slot, ...]:
        return tuple(each.load for each in self._table.loads)

    @property
    def workspace(self) -> tuple[Slot, ...]:
        return (self._table.load_workspace,)

    @property
    def begins_repeated_part(self) -> bool:
        return True

    def in_c(self) -> ProcedureInC:
        return _in_c(self._table.in_c, "run_load_begin")


@final
class LoadCheck(Procedure):
    """Ends the repeated part: takes the loads of the reactions, or has the part repeated with better ones.

    within  slots of all that the part computes, which may change
    """

    def __init__(self, table: RowTable, names: Sequence[str], within: Sequence[Slot]):
        self._table, self._names, self._within = table, names, tuple(within)

    @property
    def name(self) -> str:
        return "check loads"

    @property
    def inputs(self) -> tuple[Slot, ...]:
        of_loads = [
            slot for each in self._table.loads for slot in (each.load, each.measured, each.size, each.flag, each.R_GM, each.weights)
        ]
        return tuple(dict.fromkeys([*of_loads, *self._within]))

    @property
    def outputs(self) -> tuple[Slot, ...]:
        return tuple(dict.fromkeys([*(each.load for each in self._table.loads), *self._within]))

    @property
    def workspace(self) -> tuple[Slot, ...]:
        return (self._table.load_workspace,)

    @property
    def finite(self) -> Slot:
        """The first load: all are NaN if there is no solution."""
        return self._table.loads[0].load

    def problem(self, w: np.ndarray) -> MobodError | None:
        if np.isfinite(w[self.finite.offset]):
            return None
        names = " and ".join(f"'{name}'" for name in self._names)
        if w[self._table.load_workspace.offset + 1]:
            return UnsupportedError(
                f"{names}: friction depends on the load of the joint, and redundant constraints leave its reaction undetermined. "
                "Remove redundant constraints, leave out a part of the load (thrust_radius, half_distance, half_length), or give constant "
                "limits."
            )
        return FrictionParadoxError(
            f"{names}: no friction agrees with the load that follows from it. The joint jams: lower the friction, or make the guide longer."
        )

    def in_c(self) -> ProcedureInC:
        return _in_c(self._table.in_c, "run_load_check")


def _in_c(table: Struct, function: str) -> ProcedureInC:
    return ProcedureInC("joint_loads.h", function, f"{function}_tangent", f"{function}_adjoint", table)


class Reactions(NamedTuple):
    """The slots of constraint forces and reactions of all bodies, about M, and of the sizes of what these are sums of."""

    constraint_forces: Slot
    reactions: Slot
    sizes: Slot


def load_of(constraint: ConstraintRows, row: int, tree: TreeTable, layout: Layout) -> BearingSlots:
    """The load of a constraint's joint in the table of rows. row: its number among all rows"""
    assert constraint.friction is not None
    assert constraint.friction.load is not None
    load, measured, size, weights = constraint.friction.load.load_slots(layout)
    return BearingSlots(
        load=load,
        measured=measured,
        size=size,
        flag=constraint.friction.carried_slots(layout, 0)[0],
        row=row,
        is_regularised=constraint.friction.is_regularised,
        body=constraint.mobilizers[0].index,
        R_GM=tree.slots.R_GM[constraint.mobilizers[0].index],
        weights=weights,
    )


def write_begin(
    sweep: Sweep, table: RowTable, tree: TreeTable, constraints: Sequence[ConstraintRows], of_multipliers: Sequence[Slot], layout: Layout
) -> None:
    """Write the beginning of the repeated part, before the multipliers: the friction under the loads.

    of_multipliers  inputs of the solution for the multipliers
    """
    first, s = len(sweep.calls), tree.slots
    for constraint in constraints:
        assert constraint.friction is not None
        constraint.friction.write_slides_under_load(sweep, layout)
    within = {slot for call in sweep.calls[first:] for slot in call.outputs} | {each.load for each in table.loads}
    before = [*of_multipliers, *(slot for call in sweep.calls[first:] for slot in call.inputs)]
    for b in (body.index for body in _outboard(tree, constraints)):
        before += [*_of_inertia(tree, b), s.F_c[b], s.body_forces[b], s.l[b], s.R_GM[b]]
    sweep.calls.insert(first, LoadBegin(table, [slot for slot in dict.fromkeys(before) if slot not in within]))


def write_end(
    sweep: Sweep, table: RowTable, tree: TreeTable, constraints: Sequence[ConstraintRows], slots: Reactions, layout: Layout
) -> None:
    """Write the end of the repeated part, after the accelerations: the reactions and the loads."""
    s, bodies = tree.slots, _outboard(tree, constraints)
    for body in reversed(bodies):
        b = body.index
        inputs = [*_of_inertia(tree, b), s.A_r[b], s.F_c[b], s.body_forces[b], slots.constraint_forces[b]]
        children = [child for child in bodies if child.parent.index == b]
        for child in children:
            inputs += [s.l[child.index], slots.reactions[child.index], slots.sizes[child.index]]
        geared = [child for child in children if tree.rotors.couple(child)]
        inputs += [slot for child in geared for slot in tree.rotors.torque_inputs(child)]
        outputs = [slots.reactions[b], slots.sizes[b]]
        sweep.add(reaction_and_size, inputs, outputs, structure=(len(children),), constants=tree.constants)
    for constraint in constraints:
        assert constraint.friction is not None
        assert constraint.friction.load is not None
        b = constraint.mobilizers[0].index
        constraint.friction.load.write_measured_load(sweep, s.R_GM[b], slots.reactions[b], slots.sizes[b], layout)
    first = next(number for number, call in enumerate(sweep.calls) if isinstance(call, LoadBegin))
    within = [slot for call in sweep.calls[first:] for slot in call.outputs]
    sweep.calls.append(LoadCheck(table, [each.name for each in constraints], within))


def _outboard(tree: TreeTable, constraints: Sequence[ConstraintRows]) -> list[TreeBody]:
    """The bodies of the constraints' mobilizers and all that they carry, parents first."""
    found = {constraint.mobilizers[0].index for constraint in constraints}
    for body in tree.bodies:
        if body.parent.index in found:
            found.add(body.index)
    return [body for body in tree.bodies if body.index in found]


def _of_inertia(tree: TreeTable, b: int) -> list[Slot]:
    return [tree.slots.mass[b], tree.slots.mc_G[b], tree.slots.inertia_G[b]]


# ---- recorded functions ----


def reaction_and_size(
    n_children: int, mass: Scalar, mc: Array, inertia: Array, A_r: Array, bias: Array, applied: Array, by_constraints: Array, *others: Array
) -> tuple[Array, Array]:
    """(6,) the force that the mobilizer transmits to the body, in Ground about M, from the body's balance; (2,) N m and N, the sizes of the
    torques and forces that this is the sum of.

    others  l, reaction and sizes of each child; for each rotor that acts on the body what coupled_rotor_torque takes, without A_r
    """
    alpha, a = A_r[:3], A_r[3:]
    of_motion = np.concatenate([symmetric(inertia) @ alpha + cross(mc, a), mass * a + cross(alpha, mc)])
    terms = [of_motion, bias, applied, by_constraints]
    F = of_motion + bias - applied - by_constraints
    torques, forces = sum(norm(each[:3]) for each in terms), sum(norm(each[3:]) for each in terms)
    children, of_rotors = others[: 3 * n_children], others[3 * n_children :]
    for N, S, u_dot, known_u_dot in zip(of_rotors[::4], of_rotors[1::4], of_rotors[2::4], of_rotors[3::4], strict=True):
        torque = coupled_rotor_torque(N, S, u_dot, known_u_dot, A_r)
        F = F + np.concatenate([torque, np.zeros(3)])
        torques = torques + norm(torque)
    for l, of_child, size in zip(children[::3], children[1::3], children[2::3], strict=True):
        F = F + np.concatenate([of_child[:3] + cross(l, of_child[3:]), of_child[3:]])
        torques, forces = torques + size[0] + norm(l) * size[1], forces + size[1]
    return F, np.array([torques, forces])
