"""A user's force."""

from typing import Any

import numpy as np

import mobod as mb


class Drag(mb.CustomForce):
    """-drag v at the origin of a body of velocity v."""

    body: mb.MobilizedBody = mb.argument("the body that is slowed")
    drag: mb.Parameter[float] = mb.parameter("N.s/m", "force for a unit of speed of '{element.body.name}'", least=0.0)
    set_drag, default_drag, set_default_drag = drag.accessors

    def calc_force(self, state: Any, body_forces: np.ndarray, mobility_forces: np.ndarray) -> None:
        body_forces[self.body.index, 3:] -= self.drag(state) * self.body.V_GB(state)[3:]

    def calc_power_dissipation(self, state: Any) -> Any:
        v = self.body.V_GB(state)[3:]
        return self.drag(state) * (v @ v)
