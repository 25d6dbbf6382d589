"""MobilityConstantForce: a constant generalized force."""

from typing import final

from mobod.forces.force import Force
from mobod.forces.mobility.acted_on import checked_body, force_unit
from mobod.forces.mobility.mobility_force import applied
from mobod.matter import MobilizedBody, Tree
from mobod.matter.bodies.constrained_bodies import checked_index
from mobod.scalar.sweep import Sweep
from mobod.system import Layout
from mobod.system.elements import Parameter, argument, parameter


@final
class MobilityConstantForce(Force):
    """A constant force (N) or torque (N m) on one speed of a body; MobilityForce is the one to drive from outside.

    force  N or N m
    speed  which of the body's speeds, from 0

    Its potential energy is said to be 0: its work is taken as supplied from outside.
    """

    body: MobilizedBody = argument("the body that it acts on", kw_only=False)
    force: Parameter[float] = parameter("{element.force_unit}", "constant generalized force on {element.place}")
    set_force, default_force, set_default_force = force.accessors
    speed: int = argument("which of the speeds of the body, from 0", default=0)

    def __post_init__(self) -> None:
        checked_body(self.forces, self.body, "MobilityConstantForce")
        self.speed = checked_index(self.speed, self.body.nu, self.body, "MobilityConstantForce", "speeds")
        self.force_unit = force_unit(self.body, self.speed)
        self.place = f"speed {self.speed} of '{self.body.name}'"
        super().__post_init__()

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        target = tree.speeds(tree.slots.mobility_forces, self.body)[self.speed]
        sweep.add(applied, [self._slot(layout, "enabled"), self._slot(layout, "force")], [target], adds=(0,))
