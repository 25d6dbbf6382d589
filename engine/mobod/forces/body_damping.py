"""BodyDamping: torque and force against a body's motion in Ground."""

from typing import final

import numpy as np

from mobod.forces.force import Force
from mobod.forces.mobility.acted_on import checked_body
from mobod.matter import MobilizedBody, Tree
from mobod.scalar import Array, Scalar, Slot, Sweep, where
from mobod.spatial import shift_force
from mobod.system import Layout
from mobod.system.elements import Parameter, argument, parameter


@final
class BodyDamping(Force):
    """Torque -angular_damping w and force -linear_damping v on a body, with its angular velocity w and the velocity v of its origin.

    angular_damping  ()  N m s/rad  at least 0
    linear_damping   ()  N s/m      at least 0
    """

    body: MobilizedBody = argument("the body that it acts on", kw_only=False)
    angular_damping: Parameter[float] = parameter("N.m.s/rad", "damping of the rotation of '{element.body.name}'", default=0.0, least=0.0)
    set_angular_damping, default_angular_damping, set_default_angular_damping = angular_damping.accessors
    linear_damping: Parameter[float] = parameter("N.s/m", "damping at the origin of '{element.body.name}'", default=0.0, least=0.0)
    set_linear_damping, default_linear_damping, set_default_linear_damping = linear_damping.accessors

    def __post_init__(self) -> None:
        checked_body(self.forces, self.body, "BodyDamping")
        super().__post_init__()

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        inputs = [*self._inputs(tree, layout), tree.slots.r[self.body.index]]
        sweep.add(drag, inputs, [tree.slots.body_forces[self.body.index]], adds=(0,))

    def write_power_dissipation(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add the power that it dissipates to `total`, W."""
        sweep.add(drag_loss, self._inputs(tree, layout), [total], adds=(0,))

    def _inputs(self, tree: Tree, layout: Layout) -> list[Slot]:
        parameters = [self._slot(layout, name) for name in ("enabled", "angular_damping", "linear_damping")]
        return [*parameters, tree.slots.V_GB[self.body.index]]


def drag(enabled: Scalar, angular_damping: Scalar, linear_damping: Scalar, V_GB: Array, r: Array) -> Array:
    """(6,) about the origin of M; r is p_MB in Ground."""
    F_B = np.concatenate([-angular_damping * V_GB[:3], -linear_damping * V_GB[3:]])
    return where(enabled, shift_force(F_B, -r), 0.0)


def drag_loss(enabled: Scalar, angular_damping: Scalar, linear_damping: Scalar, V_GB: Array) -> Scalar:
    w, v = V_GB[:3], V_GB[3:]
    return where(enabled, angular_damping * (w @ w) + linear_damping * (v @ v), 0.0)
