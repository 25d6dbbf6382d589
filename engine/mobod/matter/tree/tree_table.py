"""The slots of each body in the flat tables of a tree."""

from collections.abc import Sequence

from mobod.errors import UnknownNameError
from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.matter.tree.body_slots import BodySlots
from mobod.matter.tree.modal_slots import ModalTable
from mobod.matter.tree.rotor_slots import RotorTable
from mobod.matter.tree.tree_body import TreeBody
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Constants


class TreeTable:
    """The bodies of a MatterSubsystem except Ground, parents first, with their slots in a layout.

    q, u             of all these bodies
    to_rate          maps the offset of a coordinate or speed to that of its rate
    in_euler_angles  whether rotations have angles instead of quaternions as coordinates
    rotors           those of the bodies; set before sweeps are written
    modal            the modal coordinates of flexible bodies; likewise
    """

    rotors: RotorTable
    modal: ModalTable

    def __init__(
        self,
        bodies: Sequence[TreeBody],
        slots: BodySlots,
        q: Slot,
        u: Slot,
        to_rate: int,
        constants: Constants,
        *,
        in_euler_angles: bool = False,
    ):
        self.bodies = bodies
        self.slots = slots
        self.constants = constants
        # (R_GB, p_GB) and V_GB of each body, Ground first: users' forces read them many times in an evaluation
        self.poses = [(slots.R_GB[b], slots.p_GB[b]) for b in range(1 + len(bodies))]
        self.velocities = [slots.V_GB[b] for b in range(1 + len(bodies))]
        self.all_q, self.all_u, self._to_rate = q, u, to_rate
        self._equations = {body.index: body.equations.in_euler_angles() if in_euler_angles else body.equations for body in bodies}
        self._q: dict[int, Slot] = {}
        self._u: dict[int, Slot] = {}
        self._q_starts: dict[int, int] = {}
        self._u_starts: dict[int, int] = {}
        self._D_starts: dict[int, int] = {}
        self._parameter_starts: dict[int, int] = {}
        n_q = n_u = n_D = n_parameters = 0
        for body in bodies:
            b, equations = body.index, self._equations[body.index]
            self._q_starts[b], self._u_starts[b], self._D_starts[b], self._parameter_starts[b] = n_q, n_u, n_D, n_parameters
            self._q[b], self._u[b] = Slot(q.offset + n_q, (equations.nq,)), Slot(u.offset + n_u, (body.nu,))
            n_q, n_u, n_D, n_parameters = n_q + equations.nq, n_u + body.nu, n_D + body.nu**2, n_parameters + equations.n_parameters

    def equations(self, body: TreeBody) -> MobilizerEquations:
        """The body's equations in this layout, with default parameters."""
        return self._equations[body.index]

    def parameters(self, body: TreeBody) -> Slot:
        """(n_parameters,) the parameters of its mobilizer."""
        return Slot(self.slots.parameters.offset + self._parameter_starts[body.index], (self.equations(body).n_parameters,))

    def parameter(self, body: TreeBody, name: str) -> Slot:
        """One parameter of its mobilizer. Raises UnknownNameError."""
        offset = self.parameters(body).offset
        for parameter in self.equations(body).parameters:
            if parameter.name == name:
                return Slot(offset, parameter.shape)
            offset += parameter.size
        raise UnknownNameError(f"parameter of '{body.name}'", name, [each.name for each in self.equations(body).parameters])

    def q(self, body: TreeBody) -> Slot:
        return self._q[body.index]

    def coordinate(self, body: TreeBody, speed: int) -> Slot:
        """The coordinate whose rate is this speed; it depends on whether rotations have angles or quaternions."""
        return self.q(body)[self.equations(body).speed_of.index(speed)]

    def u(self, body: TreeBody) -> Slot:
        return self._u[body.index]

    def rate(self, slot: Slot) -> Slot:
        """The slot of the rate of coordinates or speeds."""
        return Slot(slot.offset + self._to_rate, slot.shape)

    def speeds(self, whole: Slot, body: TreeBody) -> Slot:
        """A body's part of an array with an entry for each speed."""
        return Slot(whole.offset + self._u_starts[body.index], (body.nu,))

    def coordinates(self, whole: Slot, body: TreeBody) -> Slot:
        """A body's part of an array with an entry for each coordinate."""
        return Slot(whole.offset + self._q_starts[body.index], (self.equations(body).nq,))

    def q_entries(self, body: TreeBody) -> slice:
        """The indices of the body's coordinates among all coordinates."""
        return slice(self._q_starts[body.index], self._q_starts[body.index] + self.equations(body).nq)

    def u_entries(self, body: TreeBody) -> slice:
        """The indices of the body's speeds among all speeds."""
        return slice(self._u_starts[body.index], self._u_starts[body.index] + body.nu)

    def columns(self, whole: Slot, body: TreeBody) -> Slot:
        """A body's (6, nu) part of H or G."""
        return Slot(whole.offset + 6 * self._u_starts[body.index], (6, body.nu))

    def D_inverse(self, body: TreeBody) -> Slot:
        return Slot(self.slots.D_inverse.offset + self._D_starts[body.index], (body.nu, body.nu))

    @property
    def u_dot(self) -> Slot:
        return self.rate(self.all_u)

    def own_parameters(self, body: TreeBody) -> list[Slot]:
        """The parameter arguments of a recorded function that evaluates its equations: one array, or nothing if there are no parameters."""
        return [self.parameters(body)] if self.equations(body).n_parameters else []
