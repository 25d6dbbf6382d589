"""MobilityForce: a generalized force that is set from outside, such as a motor's torque."""

from typing import final

from mobod.forces.force import Force
from mobod.forces.mobility import checked_body, checked_index, force_unit
from mobod.matter import MobilizedBody
from mobod.matter.dynamics.tree import Tree
from mobod.scalar import Scalar, where
from mobod.scalar.sweep import Sweep
from mobod.system import Layout
from mobod.system.elements import Parameter, argument, parameter


@final
class MobilityForce(Force):
    """A force (N) or torque (N m) on one speed of a body; 0 until it is set. An input of an FMU.

    speed  which of the body's speeds, from 0
    force  the start value
    """

    body: MobilizedBody = argument("the body that it acts on", kw_only=False)
    speed: int = argument("which of the speeds of the body, from 0", default=0)
    force: Parameter[float] = parameter("{element.force_unit}", "generalized force on {element.place}", default=0.0, is_input=True)
    set_force, default_force, set_default_force = force.accessors

    def __post_init__(self) -> None:
        checked_body(self.forces, self.body, "MobilityForce")
        self.speed = checked_index(self.speed, self.body.nu, self.body, "MobilityForce", "speeds")
        self.force_unit = force_unit(self.body, self.speed)
        self.place = f"speed {self.speed} of '{self.body.name}'"
        super().__post_init__()

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        target = tree.speeds(tree.slots.mobility_forces, self.body)[self.speed]
        sweep.add(applied, [self._slot(layout, "enabled"), self._slot(layout, "force")], [target], adds=(0,))


def applied(enabled: Scalar, force: Scalar) -> Scalar:
    return where(enabled, force, 0.0)
