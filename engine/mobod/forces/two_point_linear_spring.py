"""TwoPointLinearSpring: a linear spring between two stations."""

from typing import Any, final

import numpy as np

from mobod.forces.force import Force
from mobod.forces.parameter import ForceParameter, accessors
from mobod.forces.subsystem import ForceSubsystem
from mobod.forces.two_point import NO_DIRECTION, BodyPair, fixed_motion, opposed, span, station_parameters
from mobod.matter import Ground, MobilizedBody
from mobod.matter.dynamics.tree import Tree
from mobod.scalar import norm, where
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.system import Layout, State


@final
class TwoPointLinearSpring(Force):
    """stiffness (x - rest_length) along the line between two points at distance x, pulling if x is greater.

    Potential energy stiffness (x - rest_length)^2 / 2.

    body1, body2        mobilized bodies or Ground, not the same
    station1, station2  (3,)  m    in the frames of the bodies
    stiffness           ()    N/m  at least 0
    rest_length         ()    m    at least 0

    Where the points coincide a spring of rest length 0 applies no force; any other has no direction there, and stops a run with an error.
    """

    station1, set_station1, default_station1, set_default_station1 = accessors("station1", "(3,) m, in the frame of body1")
    station2, set_station2, default_station2, set_default_station2 = accessors("station2", "(3,) m, in the frame of body2")
    stiffness, set_stiffness, default_stiffness, set_default_stiffness = accessors("stiffness", "() N/m")
    rest_length, set_rest_length, default_rest_length, set_default_rest_length = accessors("rest_length", "() m")

    def __init__(
        self,
        forces: ForceSubsystem,
        body1: MobilizedBody | Ground,
        station1: Any,
        body2: MobilizedBody | Ground,
        station2: Any,
        *,
        stiffness: float,
        rest_length: float,
        name: str | None = None,
        disabled: bool = False,
    ):
        self._pair = BodyPair.checked(forces, body1, body2, "TwoPointLinearSpring")
        self.body1, self.body2 = body1, body2
        self.parameters = (
            *station_parameters(self._pair),
            ForceParameter(name="stiffness", unit="N/m", description="stiffness of the spring", minimum=0.0),
            ForceParameter(name="rest_length", unit="m", description="distance at which the spring is at rest", minimum=0.0),
        )
        defaults = {"station1": station1, "station2": station2, "stiffness": stiffness, "rest_length": rest_length}
        super().__init__(forces, defaults, name=name, disabled=disabled)

    def length(self, state: State) -> float:
        """m, the distance of the points; from POSITION on."""
        return self._pair.distance(state, self.station1(state), self.station2(state))

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        sweep.add(spring_pull, self._inputs(tree, layout), self._pair.sums(tree), constants=fixed_motion(tree), adds=(0, 1))

    def write_potential_energy(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add its potential energy to `total`, J."""
        sweep.add(stretch_energy, self._inputs(tree, layout), [total], constants=fixed_motion(tree), adds=(0,))

    def why_not_finite(self, state: State) -> str:
        """A hint for the error message when the force is not finite: its cause, and what to check."""
        return NO_DIRECTION if self.length(state) == 0 else super().why_not_finite(state)

    def _inputs(self, tree: Tree, layout: Layout) -> list[Slot]:
        parameters = [self._slot(layout, name) for name in ("enabled", "station1", "station2", "stiffness", "rest_length")]
        return [*parameters, *self._pair.poses(tree)]


def spring_pull(enabled: Any, station1: Any, station2: Any, stiffness: Any, rest_length: Any, *poses: Any) -> Any:
    arm1, arm2, p = span(station1, station2, *poses)
    x = norm(p)
    is_there = x > 0
    # stiffness (x - rest_length) / x, whose second term is the one that needs a direction
    needs_direction = where(stiffness * rest_length > 0, np.nan, 0.0)
    push = stiffness * rest_length / where(is_there, x, 1.0)
    return opposed(arm1, arm2, where(enabled, p * (where(is_there, push, needs_direction) - stiffness), 0.0))


def stretch_energy(enabled: Any, station1: Any, station2: Any, stiffness: Any, rest_length: Any, *poses: Any) -> Any:
    x = norm(span(station1, station2, *poses)[2])
    return where(enabled, stiffness * (x - rest_length) ** 2 / 2, 0.0)
