"""The rows that compute what a State has for the matter, when its layout is known."""

from collections.abc import Mapping
from dataclasses import fields
from functools import partial

import numpy as np

from mobod.matter.bodies.body_masses import BodyMasses
from mobod.matter.bodies.locks import may_be_prescribed
from mobod.matter.constraint import ConstraintOwner
from mobod.matter.constraint_rows.constraint_sweeps import ConstraintSlots, ConstraintSweeps
from mobod.matter.dynamics.body_sums import SUMS
from mobod.matter.dynamics.tree import Tree
from mobod.matter.realization.allocation import Allocation, default_parameters, has_motions, has_potential_energy
from mobod.matter.realization.kept_orientations import bodies_without_inertia_that_cannot_turn
from mobod.matter.tree.body_slots import BodySlots
from mobod.matter.tree.many_modes import ManySlots
from mobod.matter.tree.modal_slots import ModalSlots, ModalTable
from mobod.matter.tree.prescription import Prescription, PrescriptionSlots
from mobod.matter.tree.rotor_slots import RotorSlots, RotorTable
from mobod.scalar import Slot, Sweep
from mobod.system import Layout, Stage


def tabulate(matter: ConstraintOwner, layout: Layout, allocated: Allocation, sweeps: Mapping[Stage, Sweep]) -> None:
    """Make the tables of a layout, and write the sweeps of the stages and those of lazy values."""
    found = allocated.slots(layout)
    tree = _new_tree(matter, layout, allocated, found)
    layout.tables[matter.index] = tree
    layout.quaternions += [tree.q(body).offset + at for body in matter.bodies if (at := tree.equations(body).quaternion_at) is not None]
    _write_stages(matter, layout, tree, found, sweeps)
    layout.finite[matter.index, Stage.ACCELERATION] = tree.u_dot
    _write_lazy_values(matter, layout, allocated, tree, found)


def _new_tree(matter: ConstraintOwner, layout: Layout, allocated: Allocation, found: dict[str, Slot]) -> Tree:
    """The tables of the bodies, with which of them may have known motion."""
    slots = BodySlots(**{field.name: found[field.name] for field in fields(BodySlots)})
    _fix_constants(matter, layout, slots, found)
    q, u = layout.part("q", matter.index), layout.part("u", matter.index)
    in_euler_angles = bool(layout.options[allocated.uses_euler_angles])
    tree = Tree(matter.bodies, slots, q, u, layout.n_y, layout.constants, in_euler_angles=in_euler_angles)
    prescribed = [body for body in matter.bodies if may_be_prescribed(body, layout.options[allocated.lockable])]
    of_prescription = PrescriptionSlots(**{field.name: found[field.name] for field in fields(PrescriptionSlots)})
    tree.kept_orientations = {
        index: [constraint.enabled_slot(layout) for constraint in holding]
        for index, holding in bodies_without_inertia_that_cannot_turn(matter.bodies, matter.constraints).items()
    }
    of_rotors = RotorSlots(**{field.name: found[field.name] for field in fields(RotorSlots)}) if "reflected" in found else None
    rates = {body.index: (tree.rate(tree.u(body)), tree.speeds(of_prescription.known_u_dot, body)) for body in matter.bodies if body.rotors}
    tree.rotors = RotorTable(matter.bodies, of_rotors, rates)
    of_modes = ModalSlots(**{field.name: found[field.name] for field in fields(ModalSlots)}) if "modal_mass" in found else None
    of_many = ManySlots(**{field.name: found[field.name] for field in fields(ManySlots)}) if "many_carried" in found else None
    tree.modal = ModalTable(matter.bodies, of_modes, of_many)
    tree.prescription = Prescription(prescribed, of_prescription, tree, layout)
    return tree


def _fix_constants(matter: ConstraintOwner, layout: Layout, slots: BodySlots, found: dict[str, Slot]) -> None:
    """Constants that recordings fold: Ground's motion; zeros and ones of frames; zeros of masses, mass centers and inertias."""
    fixed_values = {"R_PF": (0.0, 1.0, -1.0), "R_BM": (0.0, 1.0, -1.0), "rotor_axis": (0.0, 1.0, -1.0)}
    for name, value in default_parameters(matter.bodies, matter.constraints).items():
        for k, entry in enumerate(value.flat):
            if name in _WITH_PATTERN and entry in fixed_values.get(name, (0.0,)):
                layout.constants[found[name].offset + k] = float(entry)
    for whole, value in ((slots.R_GM, np.eye(3)), (slots.p_GM, np.zeros(3)), (slots.R_GB, np.eye(3)), (slots.p_GB, np.zeros(3))):
        layout.constants.update(zip(range(whole[0].offset, whole[0].offset + value.size), value.ravel().tolist(), strict=True))
    for whole in (slots.V_GM, slots.V_GB, slots.A_c, slots.A_GB, slots.A_v):
        layout.constants.update(dict.fromkeys(range(whole[0].offset, whole[0].offset + 6), 0.0))


def _write_stages(matter: ConstraintOwner, layout: Layout, tree: Tree, found: dict[str, Slot], sweeps: Mapping[Stage, Sweep]) -> None:
    position, velocity = sweeps[Stage.POSITION], sweeps[Stage.VELOCITY]
    dynamics, acceleration = sweeps[Stage.DYNAMICS], sweeps[Stage.ACCELERATION]
    tree.instance(sweeps[Stage.INSTANCE])
    tree.prescription.position(position)
    tree.position(position)
    tree.prescription.velocity(velocity)
    tree.velocity(velocity)
    dynamics.clears += [tree.slots.body_forces, tree.slots.mobility_forces]
    tree.articulated_inertias(dynamics)
    tree.modal_rows.elastic_forces(dynamics)
    tree.forces_inward(acceleration)
    if not matter.constraints:
        tree.accelerations_outward(acceleration, tree.slots.eps)
        return
    slots = ConstraintSlots(**{field.name: found[field.name] for field in fields(ConstraintSlots)})
    constraints = tree.constraints = ConstraintSweeps(
        matter.constraints, slots, tree, tree.prescription, layout, BodyMasses(matter.bodies).extent() or 1.0
    )
    layout.c_tables["rows"] = constraints.table.in_c
    layout.c_reads += [slots.position_errors, slots.velocity_errors, slots.compliant_forces]
    constraints.position(position)
    constraints.velocity(velocity)
    layout.c_reads += constraints.friction(velocity, layout)
    constraints.dynamics(dynamics)
    constraints.acceleration(acceleration, layout)
    constraints.tabulate_outputs(position, acceleration, layout)
    tree.accelerations_outward(acceleration, slots.constrained_eps)
    constraints.loads(acceleration, layout)


def _write_lazy_values(matter: ConstraintOwner, layout: Layout, allocated: Allocation, tree: Tree, found: dict[str, Slot]) -> None:
    def new_sweep(name: str, *clears: Slot) -> Sweep:
        sweep = layout.lazy_sweeps[allocated.entry(name)] = Sweep(name, clears=list(clears))
        return sweep

    for name, write in (
        ("kinetic_energy", tree.kinetic_energy),
        ("q_dot_dot", tree.q_dot_dot),
        ("B_forces", tree.forces_about_body_origins),
        ("reactions", partial(tree.reactions, constraint_body_forces=found.get("constraint_body_forces"))),
    ):
        write(new_sweep(name))
    if has_motions(matter.bodies):
        tree.forces_of_motions = found["motion_forces"]
        tree.motion_forces(new_sweep("motion_forces", found["motion_forces"]), found.get("constraint_mobility_forces"))
        tree.loads_of_motions = found["motion_loads"]
        tree.motion_loads(new_sweep("motion_loads", found["motion_loads"]))
    if has_potential_energy(matter.bodies, matter.constraints):
        energy = found["potential_energy"]
        sweep = new_sweep("potential_energy", energy)
        tree.modal_rows.elastic_energies(sweep, energy)
        if tree.constraints is not None:
            tree.constraints.potential_energy(sweep, energy)
    for each in SUMS:
        each.write(tree, new_sweep(each.name, found[each.name]))


_WITH_PATTERN = (
    "R_PF",
    "p_PF",
    "R_BM",
    "p_BM",
    "mass",
    "com",
    "inertia",
    "rotor_axis",
    "modal_mass",
    "modal_damping",
    "interface_shapes",
    "second_shapes",
    "deforming_arrays",
)  # whose zeros, and of rotations ones, are structure
