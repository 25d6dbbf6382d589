"""The rows of flexible bodies with many modes: products and an inverse of matrices by steps of the runtime, and recorded rows between them.

The equations are those of modal_dynamics.py and deforming_inertia.py.
"""

# Decision: docs/decisions/216-matrix-steps.md

from collections.abc import Callable, Sequence

from mobod.matter.dynamics import many_modes, modal_dynamics
from mobod.matter.dynamics.matrix_steps import MatrixProduct, SumInverse
from mobod.matter.tree.prescription import Prescription
from mobod.matter.tree.tree_body import TreeBody
from mobod.matter.tree.tree_table import TreeTable
from mobod.scalar import Slot, Sweep
from mobod.scalar.procedure import Procedure
from mobod.scalar.sweep import Constants


class ManyModesRows:
    """Writes the rows of the bodies in ManyModes."""

    def __init__(self, tree: TreeTable, prescription: Prescription):
        self._tree, self._table, self._many, self._prescription = tree, tree.modal, tree.modal.many, prescription

    def __contains__(self, body: TreeBody) -> bool:
        return body in self._many

    # kinematics
    def position(self, sweep: Sweep, frame: TreeBody) -> None:
        tree, s, b, node = self._tree, self._tree.slots, frame.index, self._table.node_of(frame)
        R_GM, p_GM, eta = s.R_GM[node.index], s.p_GM[node.index], tree.q(node)
        deflection, shapes, H = self._table.deflection(frame), self._table.columns("interface_shapes", frame), self._H(frame)
        if frame.deforming is None:
            (RT,) = self._many.of("many_positions", frame)
            self._steps(sweep, MatrixProduct(shapes, eta, deflection))
            inputs = [R_GM, p_GM, s.R_MF[b], s.p_MF[b], deflection, s.mc[b], s.inertia_M[b]]
            self._add(
                sweep, many_modes.frame_pose, inputs, [s.R_GM[b], s.p_GM[b], s.l[b], s.mc_G[b], s.inertia_G[b], RT], open_inputs=(0, 1)
            )
            pairs = zip((RT, R_GM), _halves(shapes), _halves(H), strict=True)
            self._steps(sweep, *(MatrixProduct(*each) for each in pairs))
            return
        com, J0, Ct, Cr0, Mee, J1, J2, Cr1 = self._table.deforming_arrays(frame)
        J, Cr, turned = self._table.deformed_arrays(frame)
        moved, RJ, J_inverse, R_mass, H_w = self._many.of("many_positions", frame)
        theta, displacement = _halves(deflection)
        self._steps(
            sweep,
            MatrixProduct(_half(shapes, 0), eta, theta),
            MatrixProduct(Ct, eta, moved),
            MatrixProduct(_flat(J2), eta, _flat(turned), start=_flat(J1), transposed_a=True),
            MatrixProduct(turned, eta, J, start=J0),
            MatrixProduct(_flat(Cr1), eta, _flat(Cr), start=_flat(Cr0), transposed_a=True),
        )
        inputs = [R_GM, p_GM, theta, moved, s.mass[b], com, J]
        outputs = [s.R_GM[b], s.p_GM[b], s.l[b], s.mc_G[b], s.inertia_G[b], displacement, RJ, J_inverse, R_mass]
        self._add(sweep, many_modes.deforming_pose, inputs, outputs, open_inputs=(0, 1))
        self._steps(
            sweep,
            MatrixProduct(RJ, Cr, _half(H, 0)),
            MatrixProduct(R_mass, Ct, _half(H, 1)),
            MatrixProduct(J_inverse, Cr, H_w),
            MatrixProduct(Cr, H_w, self._table.mass_of(node), start=Mee, negative=True, transposed_a=True),
        )

    def velocity(self, sweep: Sweep, frame: TreeBody) -> None:
        tree, s, b, node = self._tree, self._tree.slots, frame.index, self._table.node_of(frame)
        n, rates, H = node.index, tree.u(node), self._H(frame)
        motions, mass = [s.V_GM[n], s.A_c[n]], [s.mass[b]]
        outputs = [s.V_GM[b], s.A_c[b], s.F_c[b]]
        if frame.deforming is None:
            across, turning, known = self._many.of("many_velocities", frame)
            shapes = self._table.columns("interface_shapes", frame)
            self._steps(sweep, MatrixProduct(H, rates, across), MatrixProduct(_half(shapes, 0), rates, turning))
            inputs = [s.R_GM[n], s.l[b], *motions, _half(self._table.deflection(frame), 0), across, turning]
            inputs += [*mass, s.mc_G[b], s.inertia_G[b], *self._known(sweep, node, H, known)]
            self._add(sweep, many_modes.frame_velocity, inputs, outputs, open_inputs=(2, 3))
            return
        across, known, spin, J_dot, twice_w, minus_q, half_q, of_rates, torque = self._many.of("many_velocities", frame)
        J1, Cr1 = (self._table.deforming_arrays(frame)[k] for k in (5, 7))
        J, Cr, turned = self._table.deformed_arrays(frame)
        of_modes = self._table.of_speeds("modal_bias", node)
        self._add(sweep, many_modes.turning_of_body, [s.R_GM[n], s.V_GM[n]], [twice_w, minus_q, half_q], open_inputs=(0, 1))
        self._steps(
            sweep,
            MatrixProduct(H, rates, across),
            MatrixProduct(Cr, rates, spin),
            MatrixProduct(turned, rates, J_dot),  # twice: dJ = 2 (J1 + J2 eta) - J1
            MatrixProduct(turned, rates, J_dot, start=J_dot),
            MatrixProduct(J1, rates, J_dot, start=J_dot, negative=True),
            MatrixProduct(_flat(Cr1), rates, _flat(of_rates), transposed_a=True),
            MatrixProduct(of_rates, twice_w, of_modes, transposed_a=True),
            MatrixProduct(turned, minus_q, of_modes, start=of_modes, transposed_a=True),
            MatrixProduct(J1, half_q, of_modes, start=of_modes, transposed_a=True),
        )
        inputs = [s.R_GM[n], s.l[b], *motions, across, *mass, J, J_dot, spin, *self._known(sweep, node, H, known)]
        self._add(sweep, many_modes.deforming_velocity, inputs, [*outputs, torque], open_inputs=(2, 3))
        self._steps(sweep, MatrixProduct(_half(H, 0), torque, of_modes, start=of_modes, negative=True, transposed_a=True))

    def _known(self, sweep: Sweep, node: TreeBody, H: Slot, known: Slot) -> list[Slot]:
        """The acceleration of a frame by known rates of the modes, if they may be known."""
        if not self._prescription.concerns(node):
            return []
        self._steps(sweep, MatrixProduct(H, self._prescription.u_dot(node), known))
        return [known]

    def known_force(self, sweep: Sweep, mass: Slot, known: Slot, to: Slot, *, adds: bool) -> None:
        """See ModalRows.known_forces."""
        self._steps(sweep, MatrixProduct(mass, known, to, start=to if adds else None, transposed_a=True))

    # inward with inertias
    def inertia_of_frame(self, sweep: Sweep, frame: TreeBody) -> None:
        s, b, node, H = self._tree.slots, frame.index, self._table.node_of(frame), self._H(frame)
        P, shifted, PH = self._many.of("many_inertias", frame)
        P_re, P_ee = self._sums(node)
        inputs = [s.l[b], s.mass[b], s.mc_G[b], s.inertia_G[b], s.P[b]]
        self._add(sweep, many_modes.frame_inertia, inputs, [s.P[node.index], P, shifted], adds=(0,))
        self._steps(
            sweep,
            MatrixProduct(P, H, PH),
            MatrixProduct(shifted, H, P_re, start=P_re),
            MatrixProduct(H, PH, P_ee, start=P_ee, transposed_a=True),
        )

    def inertia_of_node(self, sweep: Sweep, node: TreeBody) -> None:
        tree, s, b = self._tree, self._tree.slots, node.index
        P_re, P_ee = self._sums(node)
        loss, spare = self._many.of("many_inertias", node)
        level = self._prescription.level(node) if self._prescription.concerns(node) else None
        D_inverse, G = tree.D_inverse(node), tree.columns(s.G, node)
        self._steps(
            sweep,
            SumInverse(self._table.mass_of(node), P_ee, D_inverse, spare, level),
            MatrixProduct(P_re, D_inverse, G),
            MatrixProduct(G, P_re, loss, transposed_b=True),
        )
        self._add(sweep, many_modes.without_modes, [s.P[b], loss], [s.P[node.parent.index]], adds=(0,))

    def _sums(self, node: TreeBody) -> tuple[Slot, Slot]:
        """P_re (6, n) and P_ee (n, n)."""
        return self._table.columns("modal_P", node), self._table.square("modal_D", node)

    # inward with forces
    def force_of_frame(self, sweep: Sweep, frame: TreeBody) -> None:
        s, b, node = self._tree.slots, frame.index, self._table.node_of(frame)
        (z,) = self._many.of("many_forces", frame)
        inputs = [s.l[b], s.F_c[b], s.body_forces[b], s.Z[b]]
        self._add(sweep, many_modes.frame_force, inputs, [z, s.Z[node.index]], adds=(1,))
        self._project(sweep, frame, z, self._table.of_speeds("modal_loads", node), negative=True)

    def force_of_node(self, sweep: Sweep, node: TreeBody, bias: Sequence[Slot]) -> None:
        tree, s, b, parent = self._tree, self._tree.slots, node.index, node.parent.index
        eps = tree.speeds(s.eps, node)
        inputs = [tree.speeds(s.mobility_forces, node), self._table.of_speeds("modal_loads", node), *bias]
        self._add(sweep, many_modes.biased_modal_eps if bias else many_modes.modal_eps, inputs, [eps])
        self._add(sweep, many_modes.force_on_node, [s.F_c[b], s.body_forces[b], s.Z[b]], [s.Z[parent]], adds=(0,))
        self._steps(sweep, MatrixProduct(tree.columns(s.G, node), eps, s.Z[parent], start=s.Z[parent]))

    # outward
    def acceleration(self, sweep: Sweep, node: TreeBody, eps: Slot, rates: Slot, motions: Slot, constants: Constants) -> None:
        """The rates of the modal speeds, and the motion of the node, which is its parent's."""
        tree, s, b = self._tree, self._tree.slots, node.index
        inputs = [s.l[b], motions[node.parent.index]]
        sweep.add(many_modes.shifted_acceleration, inputs, [motions[b]], constants=constants, open_inputs=(1,))
        self._steps(
            sweep,
            MatrixProduct(tree.D_inverse(node), eps, rates, transposed_a=True),
            MatrixProduct(tree.columns(s.G, node), motions[b], rates, start=rates, negative=True, transposed_a=True),
            constants=constants,
        )

    def motion(self, sweep: Sweep, frame: TreeBody, motions: Slot, rates: Slot, constants: Constants) -> None:
        s, b, node = self._tree.slots, frame.index, self._table.node_of(frame)
        inputs = [s.l[b], motions[node.index]]
        sweep.add(many_modes.shifted_acceleration, inputs, [motions[b]], constants=constants, open_inputs=(1,))
        step = MatrixProduct(self._H(frame), self._tree.speeds(rates, node), motions[b], start=motions[b])
        self._steps(sweep, step, constants=constants)

    # operators
    def transmitted_force(self, sweep: Sweep, body: TreeBody, constants: Constants) -> None:
        tree, s, b, parent = self._tree, self._tree.slots, body.index, body.parent.index
        if self._table.is_node(body):
            result = tree.speeds(s.result, body)
            mass, rates = self._table.mass_of(body), tree.speeds(s.operand, body)
            self._steps(sweep, MatrixProduct(mass, rates, result, start=result, transposed_a=True), constants=constants)
            self._add(sweep, modal_dynamics.passed_force, [s.Z_v[b]], [s.Z_v[parent]], constants=constants, adds=(0,))
            return
        (F,) = self._many.of("many_carried", body)
        inputs = [s.mass[b], s.mc_G[b], s.inertia_G[b], s.l[b], s.A_v[b], s.Z_v[b]]
        self._add(sweep, many_modes.frame_transmitted_force, inputs, [F, s.Z_v[parent]], constants=constants, adds=(1,))
        self._project(sweep, body, F, tree.speeds(s.result, self._table.node_of(body)), constants=constants)

    def projected_force(self, sweep: Sweep, frame: TreeBody, along: Slot, constants: Constants, *, negative: bool) -> None:
        """H^T F of the force in Z_v, added along the speeds of the node, or subtracted; the force is passed on."""
        s, b = self._tree.slots, frame.index
        inputs = [s.l[b], s.Z_v[b]]
        self._add(sweep, many_modes.shifted_force, inputs, [s.Z_v[frame.parent.index]], constants=constants, adds=(0,))
        to = self._tree.speeds(along, self._table.node_of(frame))
        self._project(sweep, frame, s.Z_v[b], to, negative=negative, constants=constants)

    def mobility_force_of_node(self, sweep: Sweep, node: TreeBody, constants: Constants) -> None:
        tree, s, to = self._tree, self._tree.slots, self._tree.slots.Z_v[node.parent.index]
        self._add(sweep, modal_dynamics.passed_force, [s.Z_v[node.index]], [to], constants=constants, adds=(0,))
        step = MatrixProduct(tree.columns(s.G, node), tree.speeds(s.operand, node), to, start=to)
        self._steps(sweep, step, constants=constants)

    # elasticity and energy
    def elastic_force(self, sweep: Sweep, node: TreeBody) -> None:
        tree, damping = self._tree, self._table.square("modal_damping", node)
        forces = tree.speeds(tree.slots.mobility_forces, node)
        inputs = [tree.q(node), tree.u(node), tree.parameters(node), self._table.of_speeds("modal_stiffness", node)]
        self._add(sweep, many_modes.undamped_elastic_force, inputs, [forces], adds=(0,))
        if any(tree.constants.get(offset) != 0.0 for offset in damping.offsets):
            self._steps(sweep, MatrixProduct(damping, tree.u(node), forces, start=forces, negative=True))

    def kinetic_energy(self, sweep: Sweep, node: TreeBody) -> None:
        (momenta,), rates = self._many.of("many_carried", node), self._tree.u(node)
        self._steps(sweep, MatrixProduct(self._table.mass_of(node), rates, momenta, transposed_a=True))
        self._add(sweep, many_modes.half_product, [momenta, rates], [self._tree.slots.kinetic_energy], adds=(0,))

    def _project(
        self, sweep: Sweep, frame: TreeBody, F: Slot, to: Slot, *, negative: bool = False, constants: Constants | None = None
    ) -> None:
        """Add H^T F, or subtract it."""
        step = MatrixProduct(self._H(frame), F, to, start=to, negative=negative, transposed_a=True)
        self._steps(sweep, step, constants=constants)

    def _H(self, frame: TreeBody) -> Slot:
        return self._table.columns("interface_H", frame)

    def _add(
        self,
        sweep: Sweep,
        function: Callable[..., object],
        inputs: Sequence[Slot],
        outputs: Sequence[Slot],
        *,
        constants: Constants | None = None,
        open_inputs: Sequence[int] = (),
        adds: Sequence[int] = (),
    ) -> None:
        constants = self._tree.constants if constants is None else constants
        sweep.add(function, inputs, outputs, constants=constants, open_inputs=open_inputs, adds=adds)

    def _steps(self, sweep: Sweep, *steps: Procedure, constants: Constants | None = None) -> None:
        """Append steps. No structure fixes what they compute."""
        fixed = self._tree.constants if constants is None else constants
        sweep.calls += steps
        for slot in (slot for step in steps for slot in step.outputs):
            for offset in slot.offsets:
                fixed.pop(offset, None)


def _half(slot: Slot, number: int) -> Slot:
    """The rows of rotation or those of displacement of an array (6, ...)."""
    return Slot(slot.offset + number * slot.size // 2, (3, *slot.shape[1:]))


def _halves(slot: Slot) -> tuple[Slot, Slot]:
    return _half(slot, 0), _half(slot, 1)


def _flat(slot: Slot) -> Slot:
    """(k,) of an array (rows, columns); (n, k) of an array (n, rows, columns)."""
    return (
        Slot(slot.offset, (slot.shape[-2] * slot.shape[-1],))
        if len(slot.shape) == 2
        else Slot(slot.offset, (slot.shape[0], slot.size // slot.shape[0]))
    )
