"""TwoPointConstantForce: a force of constant magnitude along the line between two stations."""

from typing import Any, final

import numpy as np

from mobod.forces.force import Force
from mobod.forces.parameter import ForceParameter, accessors
from mobod.forces.subsystem import ForceSubsystem
from mobod.forces.two_point import NO_DIRECTION, BodyPair, fixed_motion, opposed, span, station_parameters
from mobod.matter import Ground, MobilizedBody
from mobod.matter.dynamics.tree import Tree
from mobod.scalar import norm, where
from mobod.scalar.sweep import Sweep
from mobod.system import Layout, State


@final
class TwoPointConstantForce(Force):
    """A constant force along the line between two points, pushing them apart where it is positive.

    body1, body2        mobilized bodies or Ground, not the same
    station1, station2  (3,)  m  in the frames of the bodies
    force               ()    N

    Its potential energy is said to be 0: its work is taken as supplied from outside. Where the points coincide it has no direction, and
    stops a run with an error unless it is 0.
    """

    station1, set_station1, default_station1, set_default_station1 = accessors("station1", "(3,) m, in the frame of body1")
    station2, set_station2, default_station2, set_default_station2 = accessors("station2", "(3,) m, in the frame of body2")
    force, set_force, default_force, set_default_force = accessors("force", "() N, positive apart")

    def __init__(
        self,
        forces: ForceSubsystem,
        body1: MobilizedBody | Ground,
        station1: Any,
        body2: MobilizedBody | Ground,
        station2: Any,
        *,
        force: float,
        name: str | None = None,
        disabled: bool = False,
    ):
        self._pair = BodyPair.checked(forces, body1, body2, "TwoPointConstantForce")
        self.body1, self.body2 = body1, body2
        self.parameters = (
            *station_parameters(self._pair),
            ForceParameter(name="force", unit="N", description="force that pushes the points apart"),
        )
        super().__init__(forces, {"station1": station1, "station2": station2, "force": force}, name=name, disabled=disabled)

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        parameters = [self._slot(layout, name) for name in ("enabled", "station1", "station2", "force")]
        inputs = [*parameters, *self._pair.poses(tree)]
        sweep.add(constant_push, inputs, self._pair.sums(tree), constants=fixed_motion(tree), adds=(0, 1))

    def why_not_finite(self, state: State) -> str:
        """A hint for the error message when the force is not finite: its cause, and what to check."""
        is_there = self._pair.distance(state, self.station1(state), self.station2(state)) > 0
        return super().why_not_finite(state) if is_there else NO_DIRECTION


def constant_push(enabled: Any, station1: Any, station2: Any, force: Any, *poses: Any) -> Any:
    arm1, arm2, p = span(station1, station2, *poses)
    x = norm(p)
    is_there = x > 0
    needs_direction = where(force * force > 0, np.nan, 0.0)
    return opposed(arm1, arm2, where(enabled, p * where(is_there, force / where(is_there, x, 1.0), needs_direction), 0.0))
