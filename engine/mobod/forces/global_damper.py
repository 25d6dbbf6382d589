"""GlobalDamper: the same linear damping on every speed."""

from typing import final

from mobod.forces.force import Force, check_matter
from mobod.forces.mobility.mobility_linear_damper import damper_force, damper_loss
from mobod.matter import MatterSubsystem, Tree
from mobod.matter.tree.tree_body import TreeBody
from mobod.scalar import Slot, Sweep
from mobod.system import Layout
from mobod.system.elements import Parameter, argument, parameter


@final
class GlobalDamper(Force):
    """-damping u on every speed u of all bodies.

    damping  N s/m for speeds in m/s, N m s/rad for those in rad/s; at least 0
    """

    matter: MatterSubsystem = argument("of the same System", kw_only=False, is_implied=True)
    damping: Parameter[float] = parameter("1", "damping of every speed, in its unit of force per unit of speed", least=0.0)
    set_damping, default_damping, set_default_damping = damping.accessors

    def __post_init__(self) -> None:
        check_matter(self.forces, self.matter, "GlobalDamper")
        super().__post_init__()

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        for body in tree.bodies:
            if body.nu:
                target = tree.speeds(tree.slots.mobility_forces, body)
                sweep.add(damper_force, self._inputs(tree, layout, body), [target], adds=(0,))

    def write_power_dissipation(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add the power that it dissipates to `total`, W."""
        for body in tree.bodies:
            if body.nu:
                sweep.add(damper_loss, self._inputs(tree, layout, body), [total], adds=(0,))

    def _inputs(self, tree: Tree, layout: Layout, body: TreeBody) -> list[Slot]:
        return [self._slot(layout, "enabled"), self._slot(layout, "damping"), tree.u(body)]
