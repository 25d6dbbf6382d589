"""ConstantTorque: a torque that is constant in Ground, on a body."""

from typing import Any, final

import numpy as np

from mobod.forces.force import Force
from mobod.forces.parameter import ForceParameter, accessors
from mobod.forces.station import checked_body
from mobod.forces.subsystem import ForceSubsystem
from mobod.matter import Ground, MobilizedBody
from mobod.matter.dynamics.tree import Tree
from mobod.scalar import where
from mobod.scalar.sweep import Sweep
from mobod.system import Layout


@final
class ConstantTorque(Force):
    """A torque on a body, of constant magnitude and direction in Ground.

    torque  (3,)  N m  in Ground

    It has no potential energy: its work is supplied from outside.
    """

    torque, set_torque, default_torque, set_default_torque = accessors("torque", "(3,) N m, in Ground")

    def __init__(
        self, forces: ForceSubsystem, body: MobilizedBody | Ground, torque: Any, *, name: str | None = None, disabled: bool = False
    ):
        self.body = checked_body(forces, body, "ConstantTorque")
        self.parameters = (ForceParameter(name="torque", unit="N.m", description=f"torque on '{body.name}', in Ground", shape=(3,)),)
        super().__init__(forces, {"torque": torque}, name=name, disabled=disabled)

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        inputs = [self._slot(layout, name) for name in ("enabled", "torque")]
        sweep.add(torque_alone, inputs, [tree.slots.body_forces[self.body.index]], adds=(0,))


def torque_alone(enabled: Any, torque: Any) -> Any:
    return np.concatenate([where(enabled, torque, 0.0), np.zeros(3)])
