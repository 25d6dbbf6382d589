"""The sweeps over the flat tables of a tree."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

from mobod.matter.constraint_rows.constraint_sweeps import ConstraintSweeps
from mobod.matter.dynamics import dynamics
from mobod.matter.dynamics.modal_rows import ModalRows
from mobod.matter.dynamics.operator_sweeps import OperatorSweeps
from mobod.matter.tree import kinematics, rotors
from mobod.matter.tree.prescription import Prescription
from mobod.matter.tree.tree_body import TreeBody
from mobod.matter.tree.tree_table import TreeTable
from mobod.scalar import Array, Slot, Sweep


class Tree(TreeTable):
    """Writes the sweeps of a tree.

    prescription       set before the sweeps are written
    constraints        None where there are none
    kept_orientations  for bodies without inertia of their own that cannot turn: flags of the constraints that hold them
    forces_of_motions  set where there are any; so are loads_of_motions
    """

    prescription: Prescription
    constraints: ConstraintSweeps | None = None
    kept_orientations: Mapping[int, Sequence[Slot]] = MappingProxyType({})
    forces_of_motions: Slot
    loads_of_motions: Slot

    def instance(self, sweep: Sweep) -> None:
        s = self.slots
        for body in self.bodies:
            b, parent = body.index, body.parent.index
            inputs = [s.R_BM[parent], s.p_BM[parent], s.R_PF[b], s.p_PF[b], s.R_BM[b], s.p_BM[b], s.mass[b], s.com[b], s.inertia[b]]
            outputs = [s.R_MF[b], s.p_MF[b], s.R_MB[b], s.p_MB[b], s.mc[b], s.inertia_M[b]]
            sweep.add(kinematics.constants, inputs, outputs, constants=self.constants)
        for body in self.rotors.bodies:
            speeds = tuple(rotor.speeds for rotor in body.rotors)
            inputs = [self.rotors.rotor_inertia(body), self.rotors.gear_ratio(body)]
            sweep.add(rotors.reflected_inertia, inputs, [self.rotors.reflected(body)], structure=(speeds, body.nu))

    def position(self, sweep: Sweep) -> None:
        s = self.slots
        for body in self.bodies:
            b, parent = body.index, body.parent.index
            if self.modal.is_interface(body):
                self.modal_rows.position(sweep, body)
                continue
            inputs = [s.R_GM[parent], s.p_GM[parent], s.R_MF[b], s.p_MF[b], self.q(body), s.mc[b], s.inertia_M[b]]
            inputs += self.own_parameters(body)
            outputs = [s.R_GF[b], s.R_GM[b], s.p_GM[b], s.l[b], self.columns(s.H, body), s.mc_G[b], s.inertia_G[b]]
            # among parents only Ground's entries count as fixed, so that the number of kinds does not grow with the tree
            sweep.add(
                kinematics.position,
                inputs,
                outputs,
                structure=(self.equations(body).structure,),
                constants=self.constants,
                open_inputs=(0, 1) if parent else (),
            )
        for body in self.bodies:
            b = body.index
            inputs = [s.R_GM[b], s.p_GM[b], s.R_MB[b], s.p_MB[b]]
            sweep.add(kinematics.body_pose, inputs, [s.R_GB[b], s.p_GB[b], s.r[b]], constants=self.constants)
        self.modal_rows.energies(sweep)
        for body in filter(self.rotors.spin, self.rotors.bodies):
            speeds = tuple(None if rotor.axis is None else rotor.speeds[0] for rotor in body.rotors)
            inputs = [s.R_GF[body.index], self.rotors.axis(body), self.rotors.rotor_inertia(body), self.rotors.gear_ratio(body)]
            outputs = [self.rotors.coupling(body), self.rotors.spin_inertia(body)]
            sweep.add(rotors.rotor_axes, inputs, outputs, structure=(speeds, body.nu), constants=self.constants)

    def velocity(self, sweep: Sweep) -> None:
        s = self.slots
        for body in self.bodies:
            b, parent = body.index, body.parent.index
            if self.modal.is_interface(body):
                self.modal_rows.velocity(sweep, body)
                continue
            inputs = [s.R_GF[b], s.l[b], self.columns(s.H, body), s.V_GM[parent], s.A_c[parent], self.q(body), self.u(body)]
            inputs += [s.mass[b], s.mc_G[b], s.inertia_G[b]]
            is_prescribed = self.prescription.concerns(body)
            inputs += [*([self.prescription.u_dot(body)] if is_prescribed else []), *self.own_parameters(body)]
            sweep.add(
                kinematics.prescribed_velocity if is_prescribed else kinematics.velocity,
                inputs,
                [s.V_GM[b], s.A_c[b], s.F_c[b], self.rate(self.q(body))],
                structure=(self.equations(body).structure,),
                constants=self.constants,
                open_inputs=(3, 4) if parent else (),
            )
        for body in self.bodies:
            b = body.index
            sweep.add(kinematics.body_velocity, [s.V_GM[b], s.r[b]], [s.V_GB[b]], constants=self.constants)
        self.modal_rows.known_forces(sweep)
        for body in self.rotors.bodies:
            self._rotor_bias(sweep, body)

    def _rotor_bias(self, sweep: Sweep, body: TreeBody) -> None:
        """What rotors need for the known accelerations, along the speeds and on the parent."""
        s, parent, bias = self.slots, body.parent.index, self.rotors.bias(body)
        known = [self.rotors.reflected(body), self.prescription.u_dot(body)] if self.prescription.concerns(body) else []
        if self.rotors.couple(body):
            inputs = [*self.rotors.coupled(body), s.V_GM[parent], s.A_c[parent], self.u(body), *known]
            function = rotors.prescribed_rotor_bias if known else rotors.rotor_bias
            sweep.add(function, inputs, [bias, torque_of(s.F_c[parent])], constants=self.constants, adds=(1,))
        elif known:
            sweep.add(rotors.known_rotor_force, known, [bias], constants=self.constants)

    def articulated_inertias(self, sweep: Sweep) -> None:
        s = self.slots
        sweep.clears.append(s.P)
        self.modal_rows.clear_inertias(sweep)
        for body in reversed(self.bodies):
            b, parent = body.index, body.parent.index
            if self.modal.concerns(body):
                self.modal_rows.inertia(sweep, body)
                continue
            if b in self.kept_orientations:
                flags = self.kept_orientations[b]
                sweep.add(dynamics.inertia_of_a_kept_orientation, [s.mass[b], *flags], [s.P[b]], constants=self.constants, adds=(0,))
            inputs = [self.columns(s.H, body), s.l[b], s.mass[b], s.mc_G[b], s.inertia_G[b], s.P[b]]
            is_prescribed = self.prescription.concerns(body)
            level = [self.prescription.level(body)] if is_prescribed else []
            if self.rotors.concern(body):
                self._geared_inertia(sweep, body, inputs, level)
            elif parent:
                outputs = [self.D_inverse(body), self.columns(s.G, body), s.P[parent]]
                function = dynamics.prescribed_articulated_inertia if is_prescribed else dynamics.articulated_inertia
                sweep.add(function, [*inputs, *level], outputs, constants=self.constants, adds=(2,))
            else:
                on_ground = dynamics.prescribed_articulated_inertia_on_ground if is_prescribed else dynamics.articulated_inertia_on_ground
                sweep.add(on_ground, [*inputs, *level], [self.D_inverse(body)], constants=self.constants)

    def _geared_inertia(self, sweep: Sweep, body: TreeBody, inputs: list[Slot], level: list[Slot]) -> None:
        """The articulated inertia of a body with rotors."""
        s, parent = self.slots, body.parent.index
        inputs = [*inputs, self.rotors.reflected(body)]
        if not parent:
            on_ground = dynamics.geared_articulated_inertia_on_ground
            sweep.add(on_ground, [*inputs, *level], [self.D_inverse(body)], constants=self.constants)
            return
        outputs = [self.D_inverse(body), self.columns(s.G, body), s.P[parent]]
        if self.rotors.couple(body):
            inputs = [*inputs, self.rotors.coupling(body), *level]
            sweep.add(dynamics.coupled_articulated_inertia, inputs, outputs, constants=self.constants, adds=(2,))
            of_parent = Slot(s.P[parent].offset, (6,))
            sweep.add(rotors.spin_inertia, [self.rotors.spin_inertia(body)], [of_parent], constants=self.constants, adds=(0,))
        else:
            sweep.add(dynamics.geared_articulated_inertia, [*inputs, *level], outputs, constants=self.constants, adds=(2,))

    def forces_inward(self, sweep: Sweep) -> None:
        """From the sums of forces to eps."""
        s = self.slots
        sweep.clears.append(s.Z)
        self.modal_rows.clear_loads(sweep)
        for body in reversed(self.bodies):
            b, parent = body.index, body.parent.index
            if self.modal.concerns(body):
                self.modal_rows.force(sweep, body)
                continue
            H, G = self.columns(s.H, body), self.columns(s.G, body)
            loads = [s.F_c[b], s.body_forces[b], s.Z[b], self.speeds(s.mobility_forces, body)]
            eps = self.speeds(s.eps, body)
            if self.rotors.couple(body):
                inputs = [H, G, s.l[b], *loads, self.rotors.bias(body)]
                sweep.add(dynamics.coupled_force, inputs, [eps, s.Z[parent]], constants=self.constants, adds=(1,))
            elif parent:
                sweep.add(dynamics.force, [H, G, s.l[b], *loads], [eps, s.Z[parent]], constants=self.constants, adds=(1,))
            else:
                sweep.add(dynamics.force_on_ground, [H, *loads], [eps], constants=self.constants)

    def accelerations_outward(self, sweep: Sweep, whole_eps: Slot) -> None:
        """From eps to u_dot and the accelerations of the bodies."""
        s = self.slots
        for body in self.bodies:
            b, parent = body.index, body.parent.index
            if self.modal.is_interface(body):
                self.modal_rows.motion(sweep, body, s.A_r, self.u_dot, self.constants)
                continue
            eps, rates = self.speeds(whole_eps, body), self.rate(self.u(body))
            if self.modal.is_node(body) and self.modal_rows.acceleration(sweep, body, eps, rates, s.A_r, self.constants):
                continue
            H, G = self.columns(s.H, body), self.columns(s.G, body)
            outputs = [rates, s.A_r[b]]
            if parent:
                inputs = [H, self.D_inverse(body), G, s.l[b], eps, s.A_r[parent]]
                sweep.add(dynamics.acceleration, inputs, outputs, constants=self.constants, open_inputs=(5,))
            else:
                sweep.add(dynamics.acceleration_on_ground, [H, self.D_inverse(body), eps], outputs, constants=self.constants)
        for body in filter(self.prescription.concerns, self.bodies):
            sweep.add(dynamics.known, [self.prescription.u_dot(body)], [self.rate(self.u(body))], adds=(0,))
        for body in self.bodies:
            b = body.index
            sweep.add(kinematics.body_acceleration, [s.A_r[b], s.A_c[b], s.V_GM[b], s.r[b]], [s.A_GB[b]], constants=self.constants)

    @cached_property
    def modal_rows(self) -> ModalRows:
        """The rows of flexible bodies."""
        return ModalRows(self, self.prescription)

    @cached_property
    def operators(self) -> OperatorSweeps:
        """Sweeps of the operators. They are written on first use, since realizations do not need them."""
        return OperatorSweeps(self, self.prescription.slots.known_u_dot, self.modal_rows)

    def kinetic_energy(self, sweep: Sweep) -> None:
        s = self.slots
        sweep.clears.append(s.kinetic_energy)
        for body in self.bodies:
            b = body.index
            inputs = [s.mass[b], s.mc_G[b], s.inertia_G[b], s.V_GM[b]]
            sweep.add(kinematics.kinetic_energy, inputs, [s.kinetic_energy], constants=self.constants, adds=(0,))
        self.modal_rows.kinetic_energies(sweep)
        for body in self.rotors.bodies:
            inputs = [self.rotors.reflected(body), self.u(body)]
            if self.rotors.couple(body):
                inputs = [*self.rotors.coupled(body), *inputs, s.V_GM[body.parent.index]]
                sweep.add(rotors.coupled_rotor_energy, inputs, [s.kinetic_energy], constants=self.constants, adds=(0,))
            else:
                sweep.add(rotors.rotor_energy, inputs, [s.kinetic_energy], constants=self.constants, adds=(0,))

    def reactions(self, sweep: Sweep, constraint_body_forces: Slot | None = None) -> None:
        """The reactions from each body's balance of forces, tips first. Z_v: sum of the children's reactions minus constraint forces."""
        s = self.slots
        sweep.clears.append(s.Z_v)
        if constraint_body_forces is not None:
            for body in self.bodies:
                sweep.add(dynamics.opposite, [constraint_body_forces[body.index]], [s.Z_v[body.index]], adds=(0,))
        for body in reversed(self.bodies):
            b, parent = body.index, body.parent.index
            inputs = [s.mass[b], s.mc_G[b], s.inertia_G[b], s.l[b], s.A_r[b], s.F_c[b], s.body_forces[b], s.Z_v[b]]
            sweep.add(dynamics.reaction, inputs, [s.reactions[b], s.Z_v[parent]], constants=self.constants, adds=(1,))
            if self.rotors.couple(body):
                inputs = [*self.rotors.torque_inputs(body), s.A_r[parent]]
                sweep.add(rotors.coupled_rotor_torque, inputs, [torque_of(s.Z_v[parent])], constants=self.constants, adds=(0,))

    def motion_forces(self, sweep: Sweep, constraint_mobility_forces: Slot | None = None) -> None:
        """Forces of Motions: each driven mobilizer's reaction along its speeds minus the applied and constraint forces."""
        s = self.slots
        for body in self.bodies:
            if body.motion is not None:
                inputs = [self.columns(s.H, body), s.reactions[body.index], self.prescription.level(body)]
                inputs += [self.speeds(each, body) for each in (s.mobility_forces, constraint_mobility_forces) if each is not None]
                function: Callable[..., Array] = dynamics.motion_force
                if self.rotors.couple(body):
                    function = dynamics.coupled_motion_force
                    inputs = [self.rotors.bias(body), self.rotors.coupling(body), s.A_r[body.parent.index], *inputs]
                elif self.rotors.concern(body):
                    function, inputs = dynamics.geared_motion_force, [self.rotors.bias(body), *inputs]
                sweep.add(function, inputs, [self.speeds(self.forces_of_motions, body)], constants=self.constants)

    def motion_loads(self, sweep: Sweep) -> None:
        """What each driven mobilizer exerts on what moves it."""
        for body in self.bodies:
            if body.motion is not None:
                loads = self.speeds(self.loads_of_motions, body)
                sweep.add(dynamics.opposite, [self.speeds(self.forces_of_motions, body)], [loads], constants=self.constants)

    def forces_about_body_origins(self, sweep: Sweep) -> None:
        s = self.slots
        for b in range(1 + len(self.bodies)):  # includes Ground, on which forces between bodies may act
            sweep.add(kinematics.body_force, [s.body_forces[b], s.r[b]], [s.B_forces[b]], constants=self.constants)

    def q_dot_dot(self, sweep: Sweep) -> None:
        for body in self.bodies:
            equations = self.equations(body)
            if equations.nq:
                inputs = [self.q(body), self.u(body), self.rate(self.u(body)), *self.own_parameters(body)]
                outputs = [self.coordinates(self.slots.q_dot_dot, body)]
                sweep.add(kinematics.acceleration_of_coordinates, inputs, outputs, structure=(equations.structure,))


def torque_of(wrench: Slot) -> Slot:
    """(3,) the torque of a body's (6,) force."""
    return Slot(wrench.offset, (3,))
