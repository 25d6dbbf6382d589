"""UniformGravity: gravity by one vector, without the options of Gravity."""

from typing import Any, final

import numpy as np

from mobod.forces.force import Force, check_matter
from mobod.forces.parameter import ForceParameter, accessors
from mobod.forces.subsystem import ForceSubsystem
from mobod.matter import MatterSubsystem
from mobod.matter.dynamics.tree import Tree
from mobod.matter.tree.tree_body import TreeBody
from mobod.scalar import norm, where
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.spatial import cross
from mobod.system import Layout


@final
class UniformGravity(Force):
    """Force m gravity at the mass center of every body; potential energy m |gravity| (height - zero_height), heights measured against it.

    gravity      (3,)  m/s^2  in Ground
    zero_height  ()    m      where a mass center has no potential energy, from Ground's origin

    Gravity can do more: it leaves bodies out, and keeps its forces while poses stay.
    """

    parameters = (
        ForceParameter(name="gravity", unit="m/s2", description="gravity field", shape=(3,)),
        ForceParameter(name="zero_height", unit="m", description="height at which the potential energy of gravity is zero"),
    )
    gravity, set_gravity, default_gravity, set_default_gravity = accessors("gravity", "(3,) m/s^2, in Ground")
    zero_height, set_zero_height, default_zero_height, set_default_zero_height = accessors("zero_height", "() m")

    def __init__(
        self,
        forces: ForceSubsystem,
        matter: MatterSubsystem,
        *,
        gravity: Any,
        zero_height: float = 0.0,
        name: str | None = None,
        disabled: bool = False,
    ):
        check_matter(forces, matter, "UniformGravity")
        super().__init__(forces, {"gravity": gravity, "zero_height": zero_height}, name=name, disabled=disabled)

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        for body in tree.bodies:
            inputs = [self._slot(layout, "enabled"), self._slot(layout, "gravity"), *self._masses(tree, body)]
            sweep.add(uniform_weight, inputs, [tree.slots.body_forces[body.index]], constants=tree.constants, adds=(0,))

    def write_potential_energy(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add its potential energy to `total`, J."""
        shared = [self._slot(layout, name) for name in ("enabled", "gravity", "zero_height")]
        for body in tree.bodies:
            inputs = [*shared, *self._masses(tree, body), tree.slots.p_GM[body.index]]
            sweep.add(uniform_weight_energy, inputs, [total], constants=tree.constants, adds=(0,))

    def _masses(self, tree: Tree, body: TreeBody) -> list[Slot]:
        return [tree.slots.mass[body.index], tree.slots.mc_G[body.index]]


def uniform_weight(enabled: Any, gravity: Any, mass: Any, mc: Any) -> Any:
    """(6,) about the origin of M, from which mc is measured."""
    gravity = where(enabled, gravity, 0.0)
    return np.concatenate([cross(mc, gravity), mass * gravity])


def uniform_weight_energy(enabled: Any, gravity: Any, zero_height: Any, mass: Any, mc: Any, p: Any) -> Any:
    return where(enabled, -(gravity @ (mass * p + mc)) - mass * norm(gravity) * zero_height, 0.0)
