"""MobilityLinearDamper: a linear damper along one speed."""

from typing import Any, final

import numpy as np

from mobod.forces.force import Force
from mobod.forces.mobility import checked_body, checked_index, damping_unit
from mobod.forces.parameter import ForceParameter, accessors
from mobod.forces.subsystem import ForceSubsystem
from mobod.matter import MobilizedBody
from mobod.matter.dynamics.tree import Tree
from mobod.scalar import where
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.system import Layout


@final
class MobilityLinearDamper(Force):
    """-damping u on one speed u of a body.

    speed    which of the body's speeds, from 0
    damping  N s/m or N m s/rad, at least 0
    """

    damping, set_damping, default_damping, set_default_damping = accessors("damping", "() N s/m or N m s/rad")

    def __init__(
        self,
        forces: ForceSubsystem,
        body: MobilizedBody,
        *,
        damping: float,
        speed: int = 0,
        name: str | None = None,
        disabled: bool = False,
    ):
        self.body = checked_body(forces, body, "MobilityLinearDamper")
        self.speed = checked_index(speed, body.nu, body, "MobilityLinearDamper", "speeds")
        unit = damping_unit(body, speed)
        description = f"damping of speed {speed} of '{body.name}'"
        self.parameters = (ForceParameter(name="damping", unit=unit, description=description, minimum=0.0),)
        super().__init__(forces, {"damping": damping}, name=name, disabled=disabled)

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        target = tree.speeds(tree.slots.mobility_forces, self.body)[self.speed]
        sweep.add(damper_force, self._inputs(tree, layout), [target], adds=(0,))

    def write_power_dissipation(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add the power that it dissipates to `total`, W."""
        sweep.add(damper_loss, self._inputs(tree, layout), [total], adds=(0,))

    def _inputs(self, tree: Tree, layout: Layout) -> list[Slot]:
        return [self._slot(layout, "enabled"), self._slot(layout, "damping"), tree.u(self.body)[self.speed]]


def damper_force(enabled: Any, damping: Any, u: Any) -> Any:
    return where(enabled, -damping * u, 0.0)


def damper_loss(enabled: Any, damping: Any, u: Any) -> Any:
    """W, of one speed or of several."""
    return where(enabled, damping * np.dot(u, u), 0.0)
