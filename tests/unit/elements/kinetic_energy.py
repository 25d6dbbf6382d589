"""A user's measure."""

from typing import Any

import mobod as mb


class KineticEnergy(mb.measures.CustomMeasure):
    """mass v^2 / 2 of the origin of a body of velocity v."""

    stage = mb.Stage.VELOCITY
    unit = "J"
    body: mb.MobilizedBody = mb.argument("the body")
    mass: mb.Parameter[float] = mb.parameter("kg", "mass at the origin", above=0.0)
    set_mass, default_mass, set_default_mass = mass.accessors

    def calc_value(self, state: Any) -> Any:
        v = self.body.V_GB(state)[3:]
        return self.mass(state) * (v @ v) / 2
