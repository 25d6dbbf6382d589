"""MobilityForce: a generalized force that is set from outside, such as a motor's torque."""

from typing import Any, final

from mobod.forces.force import Force
from mobod.forces.mobility import checked_body, checked_index, force_unit
from mobod.forces.parameter import ForceParameter, accessors
from mobod.forces.subsystem import ForceSubsystem
from mobod.matter import MobilizedBody
from mobod.matter.dynamics.tree import Tree
from mobod.scalar import where
from mobod.scalar.sweep import Sweep
from mobod.system import Layout


@final
class MobilityForce(Force):
    """A force (N) or torque (N m) on one speed of a body; 0 until it is set. An input of an FMU.

    speed  which of the body's speeds, from 0
    force  the start value
    """

    force, set_force, default_force, set_default_force = accessors("force", "() N or N m")

    def __init__(
        self,
        forces: ForceSubsystem,
        body: MobilizedBody,
        *,
        speed: int = 0,
        force: float = 0.0,
        name: str | None = None,
        disabled: bool = False,
    ):
        self.body = checked_body(forces, body, "MobilityForce")
        self.speed = checked_index(speed, body.nu, body, "MobilityForce", "speeds")
        unit = force_unit(body, speed)
        self.parameters = (
            ForceParameter(name="force", unit=unit, description=f"generalized force on speed {speed} of '{body.name}'", is_input=True),
        )
        super().__init__(forces, {"force": force}, name=name, disabled=disabled)

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        target = tree.speeds(tree.slots.mobility_forces, self.body)[self.speed]
        sweep.add(applied, [self._slot(layout, "enabled"), self._slot(layout, "force")], [target], adds=(0,))


def applied(enabled: Any, force: Any) -> Any:
    return where(enabled, force, 0.0)
