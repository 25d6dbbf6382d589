"""MobilityConstantForce: a constant generalized force."""

from typing import final

from mobod.forces.force import Force
from mobod.forces.mobility import checked_body, checked_index, force_unit
from mobod.forces.mobility_force import applied
from mobod.forces.parameter import ForceParameter, accessors
from mobod.forces.subsystem import ForceSubsystem
from mobod.matter import MobilizedBody
from mobod.matter.dynamics.tree import Tree
from mobod.scalar.sweep import Sweep
from mobod.system import Layout


@final
class MobilityConstantForce(Force):
    """A constant force (N) or torque (N m) on one speed of a body; MobilityForce is the one to drive from outside.

    speed  which of the body's speeds, from 0

    Its potential energy is said to be 0: its work is taken as supplied from outside.
    """

    force, set_force, default_force, set_default_force = accessors("force", "() N or N m")

    def __init__(
        self,
        forces: ForceSubsystem,
        body: MobilizedBody,
        *,
        force: float,
        speed: int = 0,
        name: str | None = None,
        disabled: bool = False,
    ):
        self.body = checked_body(forces, body, "MobilityConstantForce")
        self.speed = checked_index(speed, body.nu, body, "MobilityConstantForce", "speeds")
        description = f"constant generalized force on speed {speed} of '{body.name}'"
        self.parameters = (ForceParameter(name="force", unit=force_unit(body, speed), description=description),)
        super().__init__(forces, {"force": force}, name=name, disabled=disabled)

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        target = tree.speeds(tree.slots.mobility_forces, self.body)[self.speed]
        sweep.add(applied, [self._slot(layout, "enabled"), self._slot(layout, "force")], [target], adds=(0,))
