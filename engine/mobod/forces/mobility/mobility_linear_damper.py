"""MobilityLinearDamper: a linear damper along one speed."""

from typing import final

import numpy as np

from mobod.forces.force import Force
from mobod.forces.mobility.acted_on import checked_body, damping_unit
from mobod.matter import MobilizedBody, Tree
from mobod.matter.bodies.constrained_bodies import checked_index
from mobod.scalar import Scalar, Slot, Sweep, where
from mobod.system import Layout
from mobod.system.elements import Parameter, argument, parameter


@final
class MobilityLinearDamper(Force):
    """-damping u on one speed u of a body.

    speed    which of the body's speeds, from 0
    damping  N s/m or N m s/rad, at least 0
    """

    body: MobilizedBody = argument("the body that it acts on", kw_only=False)
    damping: Parameter[float] = parameter("{element.damping_unit}", "damping of speed {element.speed} of '{element.body.name}'", least=0.0)
    set_damping, default_damping, set_default_damping = damping.accessors
    speed: int = argument("which of the speeds of the body, from 0", default=0)

    def __post_init__(self) -> None:
        checked_body(self.forces, self.body, "MobilityLinearDamper")
        self.speed = checked_index(self.speed, self.body.nu, self.body, "MobilityLinearDamper", "speeds")
        self.damping_unit = damping_unit(self.body, self.speed)
        super().__post_init__()

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        target = tree.speeds(tree.slots.mobility_forces, self.body)[self.speed]
        sweep.add(damper_force, self._inputs(tree, layout), [target], adds=(0,))

    def write_power_dissipation(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add the power that it dissipates to `total`, W."""
        sweep.add(damper_loss, self._inputs(tree, layout), [total], adds=(0,))

    def _inputs(self, tree: Tree, layout: Layout) -> list[Slot]:
        return [self._slot(layout, "enabled"), self._slot(layout, "damping"), tree.u(self.body)[self.speed]]


def damper_force(enabled: Scalar, damping: Scalar, u: Scalar) -> Scalar:
    return where(enabled, -damping * u, 0.0)


def damper_loss(enabled: Scalar, damping: Scalar, u: Scalar) -> Scalar:
    """W, of one speed or of several."""
    return where(enabled, damping * np.dot(u, u), 0.0)
