"""ConstantTorque: a torque that is constant in Ground, on a body."""

from typing import final

import numpy as np

from mobod.forces.force import Force
from mobod.forces.station import checked_body
from mobod.matter import Ground, MobilizedBody, Tree
from mobod.scalar import Array, Scalar, Sweep, where
from mobod.system import Layout
from mobod.system.elements import VectorParameter, argument, parameter


@final
class ConstantTorque(Force):
    """A torque on a body, of constant magnitude and direction in Ground.

    torque  (3,)  N m  in Ground

    It has no potential energy: its work is supplied from outside.
    """

    body: MobilizedBody | Ground = argument("the body that it acts on", kw_only=False)
    torque: VectorParameter = parameter("N.m", "torque on '{element.body.name}', in Ground", shape=(3,), kw_only=False)
    set_torque, default_torque, set_default_torque = torque.accessors

    def __post_init__(self) -> None:
        checked_body(self.forces, self.body, "ConstantTorque")
        super().__post_init__()

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        inputs = [self._slot(layout, name) for name in ("enabled", "torque")]
        sweep.add(torque_alone, inputs, [tree.slots.body_forces[self.body.index]], adds=(0,))


def torque_alone(enabled: Scalar, torque: Array) -> Array:
    return np.concatenate([where(enabled, torque, 0.0), np.zeros(3)])
