"""Servo: a drive of a joint or of a tendon, with the control law and the limits of its motor."""

# Decision: docs/decisions/187-drives.md

from typing import final

from mobod.errors import InputError, UnsupportedError
from mobod.forces.drives.drive_laws import same, servo, shared
from mobod.forces.drives.fixed_tendon import FixedTendon
from mobod.forces.drives.servo_law import PlaceOfServo, ServoLaw
from mobod.forces.mobility.acted_on import checked_body, force_unit
from mobod.matter import MobilizedBody
from mobod.matter.bodies.constrained_bodies import checked_index
from mobod.matter.dynamics.tree import Tree
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.system import Layout
from mobod.system.boundary import checked_kind
from mobod.system.elements import Parameter, argument, parameter
from mobod.system.variable import rate_unit


@final
class Servo(ServoLaw):
    """gear force along one speed u of a body, or on a tendon, by the law of `control`, with length l = gear q and rate v = gear u:

        'position'  force = kp (command - l) - kd v + offset
        'velocity'  force = kd (command - v) + offset
        'force'     force = command + offset - kp l - kd v
        'affine'    force = (gain + gain_length l + gain_rate v) command + offset - kp l - kd v

    The command is taken in the range from command_low to command_high, then the force in that from force_low to force_high. Where the force
    reaches its range, a run under error control ends a step.

    speed   which of the body's speeds, from 0; its coordinate is q. A speed that is no rate of a coordinate has no length
    tendon  a FixedTendon in place of a body: q is its length, u its rate
    command start value; an input of an FMU
    gear    no unit, not 0
    activation  'none'; or a state z that the law takes for the command: 'filter' (dz/dt = (command - z) / rise_time), 'integrator' (dz/dt =
            command) or 'muscle' (with rise_time and fall_time, Thelen 2003)

        mb.Servo(forces, knee, kp=80.0, kd=2.0, force_low=-40.0, force_high=40.0, name="knee_servo")

    Variables: '<name>.force', '<name>.unlimited_force' (without its range), '<name>.power', gear force u, and the state
    '<name>.activation'.
    """

    body: MobilizedBody | None = argument("the body that it acts on", kw_only=False, default=None)
    speed: int = argument("which of the speeds of the body, from 0", kw_only=False, default=0)
    tendon: FixedTendon | None = argument("the tendon that it pulls, in place of a body", default=None, is_kept=False)
    gear: Parameter[float] = parameter("1", "gear ratio of the servo on {element.place}", default=1.0)
    set_gear, default_gear, set_default_gear = gear.accessors

    def __post_init__(self) -> None:
        self.tendon = self.given["tendon"]
        if (self.body is None) == (self.tendon is None):
            raise InputError("Servo: it acts on a body or on a tendon. Give one of them.")
        super().__post_init__()

    def checked_place(self) -> PlaceOfServo:
        """Check the body and its speed, or the tendon."""
        return self._checked_body() if self.tendon is None else self._checked_tendon(self.tendon)

    @property
    def driven(self) -> list[tuple[MobilizedBody, int]]:
        """The speeds that it acts on along."""
        if self.tendon is not None:
            return self.tendon.speeds
        assert self.body is not None
        return [(self.body, self.speed)]

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        tendon, outputs = self.tendon, self._outputs(layout)
        inputs = [*self._of_law(layout), self._slot(layout, "gear"), *self._motion(tree, layout), *self._of_activation(layout)]
        added = [_speed(tree, *self.driven[0])] if tendon is None else []
        outputs = [*outputs, *added, *self._rate_of_activation(tree, layout)]
        sweep.add(servo, inputs, outputs, structure=(self.control, self.activation, tendon is None), adds=(4,) if added else ())
        if tendon is not None:
            for number, (body, speed) in enumerate(self.driven):
                inputs = [tendon.coefficient(layout, number), self.kept(layout, "pull")]
                sweep.add(shared, inputs, [_speed(tree, body, speed)], adds=(0,))

    def write_drive(self, sweep: Sweep, layout: Layout, number: int, total: Slot) -> None:
        """Add the row that adds its force on a speed to `total`."""
        pull = self.kept(layout, "pull")
        if self.tendon is None:
            sweep.add(same, [pull], [total], adds=(0,))
        else:
            sweep.add(shared, [self.tendon.coefficient(layout, number), pull], [total], adds=(0,))

    # inside
    _kept = ("force", "unlimited_force", "power", "pull")

    def _motion(self, tree: Tree, layout: Layout) -> list[Slot]:
        """q and u."""
        if self.tendon is not None:
            return self.tendon.motion(layout)
        assert self.body is not None
        u = tree.u(self.body)[self.speed]
        return [tree.coordinate(self.body, self.speed) if self.speed in self.body.equations.speed_of else u, u]

    def _checked_body(self) -> PlaceOfServo:
        body = self.body
        assert body is not None
        checked_body(self.forces, body, "Servo")
        self.speed = checked_index(self.speed, body.nu, body, "Servo", "speeds")
        place, unit = f"speed {self.speed} of '{body.name}'", body.equations.u_units[self.speed]
        has_position = self.speed in body.equations.speed_of
        if not has_position and (self.control == "position" or self.given["kp"]):
            raise UnsupportedError(
                f"Servo: {place} ({type(body).__name__}) is no rate of a coordinate, so it has no position to be held. Use "
                "control='velocity' or 'force', or a servo for each coordinate of a Gimbal."
            )
        length_unit = body.equations.q_units[body.equations.speed_of.index(self.speed)] if has_position else unit.removesuffix("/s")
        return PlaceOfServo(place, length_unit, unit, force_unit(body, self.speed))

    def _checked_tendon(self, tendon: FixedTendon) -> PlaceOfServo:
        checked_kind(tendon, FixedTendon, "Servo: 'tendon'")
        if tendon.forces is not self.forces:
            raise InputError(f"Servo: tendon '{tendon.name}' belongs to another ForceSubsystem. Add the servo to that one.")
        return PlaceOfServo(f"tendon '{tendon.name}'", tendon.unit, rate_unit(tendon.unit), tendon.force_unit)


def _speed(tree: Tree, body: MobilizedBody, speed: int) -> Slot:
    return tree.speeds(tree.slots.mobility_forces, body)[speed]
