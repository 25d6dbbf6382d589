"""Sweeps of the operators on the tree, each O(n): products with M, its inverse, the Jacobian and its transpose."""

from functools import cached_property

from mobod.matter.dynamics import dynamics
from mobod.matter.dynamics.modal_rows import ModalRows
from mobod.matter.tree import rotors
from mobod.matter.tree.tree_body import TreeBody
from mobod.matter.tree.tree_table import TreeTable
from mobod.scalar import Array, Slot, Sweep


class OperatorSweeps:
    """They use slots that no realization uses: operand, A_v, Z_v and result (see BodySlots). Velocities and forces are those at M.

    mass_matrix_product      operand v -> result = M v
    mass_matrix_solution     operand f -> result = M^-1 f; overwrites the operand
    jacobian_product         operand u -> A_v: the velocity of each body for the speeds u
    transpose_product        Z_v: a force on each body -> result: its generalized forces; Z_v is then the force that each mobilizer
                             transmits
    inertial_forces          u_dot -> eps = M (u_dot - known u_dot)
    other_forces             -> result = C(q, u) - applied forces, with the forces of the known u_dot

    The last two are inverse dynamics, to be differentiated. They also use slots that are set at ACCELERATION.
    """

    def __init__(self, tree: TreeTable, known_u_dot: Slot, modal_rows: ModalRows):
        self._tree, self._rotors = tree, tree.rotors
        self._known_u_dot, self._modal = known_u_dot, modal_rows
        # a copy, since what these sweeps find to be constant is not part of the structure
        self._constants = dict(tree.constants)
        self.mass_matrix_product = Sweep("mass matrix product", clears=[tree.slots.Z_v, *modal_rows.results_of_nodes()])
        self.mass_matrix_solution = Sweep("mass matrix solution", clears=[tree.slots.Z_v])
        self.jacobian_product = Sweep("Jacobian product")
        self.transpose_product = Sweep("Jacobian transpose product", clears=modal_rows.results_of_nodes())
        self._write_jacobian_product(self.mass_matrix_product)
        self._write_transmitted_forces(self.mass_matrix_product)
        self._write_mass_matrix_solution(self.mass_matrix_solution)
        self._write_jacobian_product(self.jacobian_product)
        self._write_transpose_product(self.transpose_product)

    @cached_property
    def inertial_forces(self) -> Sweep:
        tree, s = self._tree, self._tree.slots
        sweep = Sweep("inertial forces", clears=list(self.mass_matrix_product.clears))
        sweep.add(_difference, [tree.u_dot, self._known_u_dot], [s.operand])
        sweep.calls += self.mass_matrix_product.calls
        sweep.add(_same, [s.result], [s.eps])
        return sweep

    @cached_property
    def other_forces(self) -> Sweep:
        tree, s, sweep = self._tree, self._tree.slots, Sweep("other forces", clears=list(self.transpose_product.clears))
        sweep.add(_difference, [s.F_c, s.body_forces], [s.Z_v])
        sweep.calls += self.transpose_product.calls
        for body in self._rotors.bodies:
            sweep.add(_same, [self._rotors.bias(body)], [tree.speeds(s.result, body)], adds=(0,))
        for node, bias in self._modal.biased_nodes():
            sweep.add(_same, [bias], [tree.speeds(s.result, node)], adds=(0,))
        sweep.add(_difference, [s.result, s.mobility_forces], [s.result])
        return sweep

    def all(self) -> list[Sweep]:
        return [self.mass_matrix_product, self.mass_matrix_solution, self.jacobian_product, self.transpose_product]

    def _write_jacobian_product(self, sweep: Sweep) -> None:
        tree, s = self._tree, self._tree.slots
        for body in tree.bodies:
            b, parent = body.index, body.parent.index
            if tree.modal.is_interface(body):
                self._modal.motion(sweep, body, s.A_v, s.operand, self._constants)
                continue
            inputs = [tree.columns(s.H, body), s.l[b], s.A_v[parent], tree.speeds(s.operand, body)]
            sweep.add(dynamics.known_acceleration, inputs, [s.A_v[b]], constants=self._constants, open_inputs=(2,) if parent else ())

    def _write_transmitted_forces(self, sweep: Sweep) -> None:
        tree, s = self._tree, self._tree.slots
        for body in reversed(tree.bodies):
            b, parent = body.index, body.parent.index
            if tree.modal.concerns(body):
                self._modal.transmitted_force(sweep, body, self._constants)
                continue
            inputs = [s.mass[b], s.mc_G[b], s.inertia_G[b], tree.columns(s.H, body), s.l[b], s.A_v[b], s.Z_v[b]]
            outputs = [tree.speeds(s.result, body), s.Z_v[parent]]
            sweep.add(dynamics.transmitted_force, inputs, outputs, constants=self._constants, adds=(1,))
            if self._rotors.concern(body):
                self._write_rotor_force(sweep, body)

    def _write_rotor_force(self, sweep: Sweep, body: TreeBody) -> None:
        """Of rotors that the operand accelerates."""
        tree, s, parent = self._tree, self._tree.slots, body.parent.index
        reflected, v, result = self._rotors.reflected(body), tree.speeds(s.operand, body), tree.speeds(s.result, body)
        if self._rotors.couple(body):
            inputs, outputs = [*self._rotors.coupled(body), reflected, v, s.A_v[parent]], [result, Slot(s.Z_v[parent].offset, (3,))]
            sweep.add(rotors.coupled_rotor_force, inputs, outputs, constants=self._constants, adds=(0, 1))
        else:
            sweep.add(rotors.rotor_force, [reflected, v], [result], constants=self._constants, adds=(0,))

    def _write_mass_matrix_solution(self, sweep: Sweep) -> None:
        """Forward dynamics with only the generalized forces; eps replaces the operand."""
        tree, s = self._tree, self._tree.slots
        for body in reversed(tree.bodies):
            b, parent = body.index, body.parent.index
            if tree.modal.concerns(body):
                self._modal.mobility_force(sweep, body, self._constants)
                continue
            H, G, f = tree.columns(s.H, body), tree.columns(s.G, body), tree.speeds(s.operand, body)
            if parent:
                inputs, outputs = [H, G, s.l[b], s.Z_v[b], f], [f, s.Z_v[parent]]
                sweep.add(dynamics.mobility_force, inputs, outputs, constants=self._constants, adds=(1,))
            else:
                sweep.add(dynamics.mobility_force_on_ground, [H, s.Z_v[b], f], [f], constants=self._constants)
        for body in tree.bodies:
            b, parent = body.index, body.parent.index
            if tree.modal.is_interface(body):
                self._modal.motion(sweep, body, s.A_v, s.result, self._constants)
                continue
            eps, result = tree.speeds(s.operand, body), tree.speeds(s.result, body)
            if tree.modal.is_node(body) and self._modal.acceleration(sweep, body, eps, result, s.A_v, self._constants):
                continue
            H, G = tree.columns(s.H, body), tree.columns(s.G, body)
            outputs = [result, s.A_v[b]]
            if parent:
                inputs = [H, tree.D_inverse(body), G, s.l[b], eps, s.A_v[parent]]
                sweep.add(dynamics.acceleration, inputs, outputs, constants=self._constants, open_inputs=(5,))
            else:
                sweep.add(dynamics.acceleration_on_ground, [H, tree.D_inverse(body), eps], outputs, constants=self._constants)

    def _write_transpose_product(self, sweep: Sweep) -> None:
        tree, s = self._tree, self._tree.slots
        for body in reversed(tree.bodies):
            b, parent = body.index, body.parent.index
            if tree.modal.concerns(body):
                self._modal.projected_force(sweep, body, self._constants)
                continue
            inputs, outputs = [tree.columns(s.H, body), s.l[b], s.Z_v[b]], [tree.speeds(s.result, body), s.Z_v[parent]]
            sweep.add(dynamics.projected_force, inputs, outputs, constants=self._constants, adds=(1,))


def _difference(a: Array, b: Array) -> Array:
    return a - b


def _same(a: Array) -> Array:
    return a
