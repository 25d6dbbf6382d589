"""UniformGravity: gravity by one vector, without the options of Gravity."""

from typing import final

import numpy as np

from mobod.forces.force import Force, check_matter
from mobod.matter import MatterSubsystem, Tree
from mobod.matter.tree.tree_body import TreeBody
from mobod.scalar import Array, Scalar, Slot, Sweep, norm, where
from mobod.spatial import cross
from mobod.system import Layout
from mobod.system.elements import Parameter, VectorParameter, argument, parameter


@final
class UniformGravity(Force):
    """Force m gravity at the mass center of every body; potential energy m |gravity| (height - zero_height), heights measured against it.

    gravity      (3,)  m/s^2  in Ground
    zero_height  ()    m      where a mass center has no potential energy, from Ground's origin

    Gravity can do more: it leaves bodies out, and keeps its forces while poses stay.
    """

    matter: MatterSubsystem = argument("of the same System", kw_only=False, is_implied=True)
    gravity: VectorParameter = parameter("m/s2", "gravity field", shape=(3,))
    set_gravity, default_gravity, set_default_gravity = gravity.accessors
    zero_height: Parameter[float] = parameter("m", "height at which the potential energy of gravity is zero", default=0.0)
    set_zero_height, default_zero_height, set_default_zero_height = zero_height.accessors

    def __post_init__(self) -> None:
        check_matter(self.forces, self.matter, "UniformGravity")
        super().__post_init__()

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

    def field_slots(self, layout: Layout) -> list[Slot]:
        """Where the field lies."""
        return [self._slot(layout, "gravity")]

    def _masses(self, tree: Tree, body: TreeBody) -> list[Slot]:
        return [tree.slots.mass[body.index], tree.slots.mc_G[body.index]]


def uniform_weight(enabled: Scalar, gravity: Array, mass: Scalar, mc: Array) -> Array:
    """(6,) about the origin of M, from which mc is measured."""
    gravity = where(enabled, gravity, 0.0)
    return np.concatenate([cross(mc, gravity), mass * gravity])


def uniform_weight_energy(enabled: Scalar, gravity: Array, zero_height: Scalar, mass: Scalar, mc: Array, p: Array) -> Scalar:
    return where(enabled, -(gravity @ (mass * p + mc)) - mass * norm(gravity) * zero_height, 0.0)
