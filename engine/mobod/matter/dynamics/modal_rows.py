"""The rows of flexible bodies in the sweeps of a tree: of modal nodes, and of the frames that their modes move."""

from collections.abc import Callable, Sequence

from mobod.matter.dynamics import deforming_inertia, dynamics, modal_dynamics
from mobod.matter.dynamics.many_modes_rows import ManyModesRows
from mobod.matter.tree.prescription import Prescription
from mobod.matter.tree.tree_body import DeformingInertia, TreeBody
from mobod.matter.tree.tree_table import TreeTable
from mobod.scalar import Slot, Sweep
from mobod.scalar.sweep import Constants


class ModalRows:
    """Writes them; see modal_dynamics.py for the equations."""

    def __init__(self, tree: TreeTable, prescription: Prescription):
        self._tree, self._table, self._prescription = tree, tree.modal, prescription
        self._many = ManyModesRows(tree, prescription)
        parents = {body.parent.index for body in tree.bodies}
        self._are_loaded = {body.index for body in self._table.interfaces if body.index in parents or body.carries_mass}

    def position(self, sweep: Sweep, interface: TreeBody) -> None:
        if interface in self._many:
            self._many.position(sweep, interface)
            return
        if interface.deforming is not None:
            self._deforming_position(sweep, interface, interface.deforming)
            return
        tree, s, b, node = self._tree, self._tree.slots, interface.index, self._table.node_of(interface)
        inputs = [s.R_GM[node.index], s.p_GM[node.index], s.R_MF[b], s.p_MF[b], self._shapes(interface), tree.q(node)]
        outputs = [s.R_GM[b], s.p_GM[b], s.l[b], self._H(interface), s.mc_G[b], s.inertia_G[b], self._table.deflection(interface)]
        function = modal_dynamics.interface_position
        inputs += [s.mc[b], s.inertia_M[b], *self._table.second(interface)]
        sweep.add(function, inputs, outputs, constants=tree.constants, open_inputs=(0, 1))

    def _deforming_position(self, sweep: Sweep, frame: TreeBody, inertia: DeformingInertia) -> None:
        tree, s, b, node = self._tree, self._tree.slots, frame.index, self._table.node_of(frame)
        given, kept = self._table.deforming_arrays(frame), self._table.deformed_arrays(frame)
        function: Callable[..., object] = deforming_inertia.linear_position
        if inertia.is_curved:
            function, sums = deforming_inertia.curved_position, kept[2:7]
            sweep.clears += sums
            for of_point, left in _of_points(given[4:], kept[7:]):
                outputs = [*left, *sums]
                added = tuple(range(2, 7))
                sweep.add(deforming_inertia.point_position, [tree.q(node), *of_point], outputs, constants=tree.constants, adds=added)
            given, kept = [*given[:4], *sums], kept[:2]
        inputs = [s.R_GM[node.index], s.p_GM[node.index], self._shapes(frame), tree.q(node), s.mass[b], *given]
        outputs = [s.R_GM[b], s.p_GM[b], s.l[b], self._H(frame), s.mc_G[b], s.inertia_G[b], self._table.deflection(frame)]
        sweep.add(function, inputs, [*outputs, self._table.mass_of(node), *kept], constants=tree.constants, open_inputs=(0, 1))

    def _deforming_velocity(self, sweep: Sweep, frame: TreeBody, inertia: DeformingInertia) -> None:
        tree, s, b, node = self._tree, self._tree.slots, frame.index, self._table.node_of(frame)
        n, given, kept = node.index, self._table.deforming_arrays(frame), self._table.deformed_arrays(frame)
        function: Callable[..., object] = deforming_inertia.linear_velocity
        further = [*kept, given[-1]]
        if inertia.is_curved:
            function, rates = deforming_inertia.curved_velocity, self._table.deformed_rates(frame)
            rates.append(self._table.of_speeds("modes_of_points", node))
            sweep.clears += rates
            for (mass, _, _, second), left in _of_points(given[4:], kept[7:]):
                inputs = [s.R_GM[n], s.V_GM[n], tree.u(node), *left, mass, second]
                sweep.add(deforming_inertia.point_velocity, inputs, rates, constants=tree.constants, adds=(0, 1, 2, 3), open_inputs=(0, 1))
            further = [kept[0], kept[1], kept[4], given[1], given[2], *rates]
        inputs = [s.R_GM[n], s.l[b], self._H(frame), s.V_GM[n], s.A_c[n], tree.u(node), s.mass[b], *further]
        if self._prescription.concerns(node):
            inputs.append(self._prescription.u_dot(node))
        outputs = [s.V_GM[b], s.A_c[b], s.F_c[b], self._table.of_speeds("modal_bias", node)]
        sweep.add(function, inputs, outputs, constants=tree.constants, open_inputs=(3, 4))

    def velocity(self, sweep: Sweep, interface: TreeBody) -> None:
        if interface in self._many:
            self._many.velocity(sweep, interface)
            return
        if interface.deforming is not None:
            self._deforming_velocity(sweep, interface, interface.deforming)
            return
        tree, s, b, node = self._tree, self._tree.slots, interface.index, self._table.node_of(interface)
        n = node.index
        inputs = [s.R_GM[n], s.l[b], self._H(interface), s.V_GM[n], s.A_c[n], self._shapes(interface), tree.q(node), tree.u(node)]
        inputs += [s.mass[b], s.mc_G[b], s.inertia_G[b]]
        if self._prescription.concerns(node):
            inputs.append(self._prescription.u_dot(node))
        outputs, second = [s.V_GM[b], s.A_c[b], s.F_c[b]], self._table.second(interface)
        if second:
            function, opened = modal_dynamics.curved_interface_velocity, (4, 5)
            sweep.add(function, [*second, *inputs], outputs, constants=tree.constants, open_inputs=opened)
        else:
            sweep.add(modal_dynamics.interface_velocity, inputs, outputs, constants=tree.constants, open_inputs=(3, 4))

    def inertia(self, sweep: Sweep, body: TreeBody) -> None:
        """Of a node, or of a frame on it; frames that carry nothing are left out."""
        tree, s, b = self._tree, self._tree.slots, body.index
        if body in self._many:
            if self._table.is_node(body):
                self._many.inertia_of_node(sweep, body)
            elif b in self._are_loaded:
                self._many.inertia_of_frame(sweep, body)
        elif self._table.is_node(body):
            inputs = [self._table.mass_of(body), self._sum_of_PH(body), self._sum_of_HPH(body), s.P[b]]
            inputs += [self._prescription.level(body)] if self._prescription.concerns(body) else []
            outputs = [tree.D_inverse(body), tree.columns(s.G, body), s.P[body.parent.index]]
            sweep.add(modal_dynamics.modal_inertia, inputs, outputs, constants=tree.constants, adds=(2,))
        elif b in self._are_loaded:
            node = self._table.node_of(body)
            inputs = [self._H(body), s.l[b], s.mass[b], s.mc_G[b], s.inertia_G[b], s.P[b]]
            outputs = [s.P[node.index], self._sum_of_PH(node), self._sum_of_HPH(node)]
            sweep.add(modal_dynamics.interface_inertia, inputs, outputs, constants=tree.constants, adds=(0, 1, 2))

    def clear_inertias(self, sweep: Sweep) -> None:
        if self._table.slots is not None:
            sweep.clears += [self._table.slots.modal_P, self._table.slots.modal_D]

    def force(self, sweep: Sweep, body: TreeBody) -> None:
        """From the sums of forces to eps."""
        tree, s, b = self._tree, self._tree.slots, body.index
        loads = [s.F_c[b], s.body_forces[b], s.Z[b]]
        if body in self._many:
            if self._table.is_node(body):
                self._many.force_of_node(sweep, body, self.bias(body))
            else:
                self._many.force_of_frame(sweep, body)
        elif self._table.is_node(body):
            bias = self.bias(body)
            inputs = [tree.columns(s.G, body), self._table.of_speeds("modal_loads", body), *bias, *loads]
            inputs.append(tree.speeds(s.mobility_forces, body))
            outputs = [tree.speeds(s.eps, body), s.Z[body.parent.index]]
            function: Callable[..., object] = deforming_inertia.deforming_modal_force if bias else modal_dynamics.modal_force
            sweep.add(function, inputs, outputs, constants=tree.constants, adds=(1,))
        else:
            node = self._table.node_of(body)
            outputs = [self._table.of_speeds("modal_loads", node), s.Z[node.index]]
            sweep.add(modal_dynamics.interface_force, [self._H(body), s.l[b], *loads], outputs, constants=tree.constants, adds=(0, 1))

    def bias(self, node: TreeBody) -> list[Slot]:
        """(n,) inertia forces of a node's modes beyond those of its frames, if there are any."""
        return [] if self._table.deforming_on(node) is None else [self._table.of_speeds("modal_bias", node)]

    def known_forces(self, sweep: Sweep) -> None:
        """Add what known rates of the modes need of the modes' own mass to the inertia forces; frames have what they need of theirs."""
        for node in filter(self._prescription.concerns, self._with_modes()):
            mass, known, to = self._table.mass_of(node), self._prescription.u_dot(node), self._table.of_speeds("modal_bias", node)
            has_others = bool(self.bias(node))
            if node in self._many:
                self._many.known_force(sweep, mass, known, to, adds=has_others)
            else:
                inputs, adds = [mass, known], (0,) if has_others else ()
                sweep.add(modal_dynamics.known_modal_force, inputs, [to], constants=self._tree.constants, adds=adds)

    def biased_nodes(self) -> list[tuple[TreeBody, Slot]]:
        """The nodes with inertia forces at known rates of all speeds, beyond those of their frames."""
        nodes = [node for node in self._with_modes() if self.bias(node) or self._prescription.concerns(node)]
        return [(node, self._table.of_speeds("modal_bias", node)) for node in nodes]

    def clear_loads(self, sweep: Sweep) -> None:
        if self._table.slots is not None:
            sweep.clears.append(self._table.slots.modal_loads)

    def motion(self, sweep: Sweep, interface: TreeBody, motions: Slot, rates: Slot, constants: Constants) -> None:
        """The velocity or acceleration of a frame, by those of the node and the speeds or their rates."""
        if interface in self._many:
            self._many.motion(sweep, interface, motions, rates, constants)
            return
        tree, b, node = self._tree, interface.index, self._table.node_of(interface)
        inputs = [self._H(interface), tree.slots.l[b], motions[node.index], tree.speeds(rates, node)]
        sweep.add(dynamics.known_acceleration, inputs, [motions[b]], constants=constants, open_inputs=(2,))

    def acceleration(self, sweep: Sweep, node: TreeBody, eps: Slot, rates: Slot, motions: Slot, constants: Constants) -> bool:
        """Whether a node has a row of its own, which this then writes: from eps (n,) to rates (n,) and its entry of motions."""
        if node not in self._many:
            return False
        self._many.acceleration(sweep, node, eps, rates, motions, constants)
        return True

    # operators
    def transmitted_force(self, sweep: Sweep, body: TreeBody, constants: Constants) -> None:
        tree, s, b = self._tree, self._tree.slots, body.index
        if body in self._many:
            self._many.transmitted_force(sweep, body, constants)
        elif self._table.is_node(body):
            inputs = [self._table.mass_of(body), tree.speeds(s.operand, body), s.Z_v[b]]
            outputs = [tree.speeds(s.result, body), s.Z_v[body.parent.index]]
            sweep.add(modal_dynamics.modal_inertial_force, inputs, outputs, constants=constants, adds=(0, 1))
        else:
            inputs = [s.mass[b], s.mc_G[b], s.inertia_G[b], self._H(body), s.l[b], s.A_v[b], s.Z_v[b]]
            self._add_on_node(sweep, body, modal_dynamics.interface_transmitted_force, inputs, s.result, constants)

    def projected_force(self, sweep: Sweep, body: TreeBody, constants: Constants) -> None:
        s, b = self._tree.slots, body.index
        if self._table.is_node(body):
            sweep.add(modal_dynamics.passed_force, [s.Z_v[b]], [s.Z_v[body.parent.index]], constants=constants, adds=(0,))
        elif body in self._many:
            self._many.projected_force(sweep, body, s.result, constants, negative=False)
        else:
            inputs = [self._H(body), s.l[b], s.Z_v[b]]
            self._add_on_node(sweep, body, modal_dynamics.interface_projected_force, inputs, s.result, constants)

    def mobility_force(self, sweep: Sweep, body: TreeBody, constants: Constants) -> None:
        """From generalized forces, the operand, to eps in their place."""
        tree, s, b = self._tree, self._tree.slots, body.index
        if body in self._many:
            if self._table.is_node(body):
                self._many.mobility_force_of_node(sweep, body, constants)
            else:
                self._many.projected_force(sweep, body, s.operand, constants, negative=True)
        elif self._table.is_node(body):
            inputs = [tree.columns(s.G, body), s.Z_v[b], tree.speeds(s.operand, body)]
            outputs = [s.Z_v[body.parent.index]]
            sweep.add(modal_dynamics.modal_mobility_force, inputs, outputs, constants=constants, adds=(0,))
        else:
            inputs = [self._H(body), s.l[b], s.Z_v[b]]
            self._add_on_node(sweep, body, modal_dynamics.carried_force, inputs, s.operand, constants)

    def results_of_nodes(self) -> list[Slot]:
        """What the sweeps of generalized forces clear, because frames add to it."""
        return [self._tree.speeds(self._tree.slots.result, node) for node in self._table.nodes]

    def elastic_forces(self, sweep: Sweep) -> None:
        """Add the elastic and damping forces of the modes to the generalized forces."""
        tree = self._tree
        for node in self._with_modes():
            if node in self._many:
                self._many.elastic_force(sweep, node)
                continue
            inputs = [tree.q(node), tree.u(node), tree.parameters(node), self._table.of_speeds("modal_stiffness", node)]
            outputs = [tree.speeds(tree.slots.mobility_forces, node)]
            damping = self._table.square("modal_damping", node)
            sweep.add(modal_dynamics.elastic_force, [*inputs, damping], outputs, constants=tree.constants, adds=(0,))

    def elastic_energies(self, sweep: Sweep, total: Slot) -> None:
        """Add the elastic energies to the total."""
        for node in self._table.nodes:
            sweep.add(modal_dynamics.term, [self._table.energy(node)], [total], adds=(0,))

    def energies(self, sweep: Sweep) -> None:
        """The elastic energy of each body, at POSITION."""
        for node in self._with_modes():
            inputs = [self._tree.q(node), self._tree.parameters(node), self._table.of_speeds("modal_stiffness", node)]
            sweep.add(modal_dynamics.elastic_energy, inputs, [self._table.energy(node)])

    def kinetic_energies(self, sweep: Sweep) -> None:
        for node in self._table.nodes:
            if node in self._many:
                self._many.kinetic_energy(sweep, node)
                continue
            inputs = [self._table.mass_of(node), self._tree.u(node)]
            energy = self._tree.slots.kinetic_energy
            sweep.add(modal_dynamics.modal_kinetic_energy, inputs, [energy], constants=self._tree.constants, adds=(0,))

    def _with_modes(self) -> list[TreeBody]:
        return [node for node in self._table.nodes if node.nu]

    def _H(self, interface: TreeBody) -> Slot:
        return self._table.columns("interface_H", interface)

    def _shapes(self, interface: TreeBody) -> Slot:
        return self._table.columns("interface_shapes", interface)

    def _sum_of_PH(self, node: TreeBody) -> Slot:
        return self._table.columns("modal_P", node)

    def _sum_of_HPH(self, node: TreeBody) -> Slot:
        return self._table.square("modal_D", node)

    def _add_on_node(
        self, sweep: Sweep, interface: TreeBody, function: Callable[..., object], inputs: list[Slot], along: Slot, constants: Constants
    ) -> None:
        node = self._table.node_of(interface)
        outputs = [self._tree.speeds(along, node), self._tree.slots.Z_v[node.index]]
        sweep.add(function, inputs, outputs, constants=constants, adds=(0, 1))


def _of_points(given: Sequence[Slot], kept: Sequence[Slot]) -> list[tuple[Sequence[Slot], Sequence[Slot]]]:
    """For each point: (mass, position, shapes, those of second order), (position, shapes) as they are now."""
    return [(given[4 * k : 4 * k + 4], kept[2 * k : 2 * k + 2]) for k in range(len(given) // 4)]
