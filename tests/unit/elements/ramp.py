"""A user's coupling."""

from typing import Any

import numpy as np

import mobod as mb


class Ramp(mb.Coupling):
    """C slides along a line in the x-y plane of D: by s along x, by slope s along y.

    slope  rise along y for a unit of x
    reach  largest s in both directions, m
    """

    slope: float = mb.argument("rise along y for a unit of x")
    reach: float = mb.argument("largest s in both directions, m", default=0.5)

    def initialize_constraints(self) -> None:
        for _ in range(5):
            self.add_constraint(mb.BILATERAL | mb.LINEAR | mb.ROTARY)
        self.add_coordinate(-self.reach, self.reach, self.add_constraint(mb.LINEAR), "s", "m")

    def coordinates_to_TCD(self, coordinates: Any) -> mb.Transform:
        s = coordinates[0]
        return mb.Transform.of(np.eye(3), np.array([s, self.slope * s, 0]))
