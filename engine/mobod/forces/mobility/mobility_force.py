"""MobilityForce: a generalized force that is set from outside, such as a motor's torque."""

from dataclasses import replace
from typing import final

from mobod.arguments.real_numbers import real_number
from mobod.errors import InputError
from mobod.forces.drives.drive import Drive
from mobod.forces.mobility.acted_on import checked_body, force_unit
from mobod.matter import MobilizedBody, Tree
from mobod.matter.bodies.constrained_bodies import checked_index
from mobod.scalar import Scalar, Sweep, where
from mobod.scalar.slot import Slot
from mobod.system import CatalogueVariable, Layout
from mobod.system.elements import Parameter, argument, parameter


@final
class MobilityForce(Drive):
    """A force (N) or torque (N m) on one speed of a body; 0 until it is set. An input of an FMU.

    It is not cut at the effort of its actuator; FMUs declare the effort as min and max of the input. `body.set_drive_limit` cuts it.

    speed  which of the body's speeds, from 0
    force  the start value
    effort greatest force that the actuator can give, N or N m; None: not known
    """

    body: MobilizedBody = argument("the body that it acts on", kw_only=False)
    speed: int = argument("which of the speeds of the body, from 0", default=0)
    force: Parameter[float] = parameter("{element.force_unit}", "generalized force on {element.place}", default=0.0, is_input=True)
    effort: float | None = argument("greatest force or torque that its actuator can give; FMUs declare it", default=None)
    set_force, default_force, set_default_force = force.accessors

    def __post_init__(self) -> None:
        checked_body(self.forces, self.body, "MobilityForce")
        self.speed = checked_index(self.speed, self.body.nu, self.body, "MobilityForce", "speeds")
        self.force_unit = force_unit(self.body, self.speed)
        self.place = f"speed {self.speed} of '{self.body.name}'"
        if self.effort is not None and real_number(self.effort, f"MobilityForce on '{self.body.name}': effort") <= 0:
            raise InputError(f"MobilityForce on '{self.body.name}': the effort is {self.effort:g} {self.force_unit}. It must be positive.")
        super().__post_init__()

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The force, with the range of its effort, and whether it acts."""
        found = super().variables(layout)
        if self.effort is None:
            return found
        declared = (-self.effort, self.effort)
        return [replace(each, declared_range=declared) if each.name == f"{self.name}.force" else each for each in found]

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        target = tree.speeds(tree.slots.mobility_forces, self.body)[self.speed]
        sweep.add(applied, [self._slot(layout, "enabled"), self._slot(layout, "force")], [target], adds=(0,))

    @property
    def driven(self) -> list[tuple[MobilizedBody, int]]:
        """The speed that it acts on along."""
        return [(self.body, self.speed)]

    def write_drive(self, sweep: Sweep, layout: Layout, number: int, total: Slot) -> None:
        """Add the row that adds its force on the speed to `total`."""
        sweep.add(applied, [self._slot(layout, "enabled"), self._slot(layout, "force")], [total], adds=(0,))


def applied(enabled: Scalar, force: Scalar) -> Scalar:
    return where(enabled, force, 0.0)
