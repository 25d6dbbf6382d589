"""TwoPointConstantForce: a force of constant magnitude along the line between two stations."""

from typing import final

import numpy as np

from mobod.forces.two_point.stations import NO_DIRECTION, TwoPointForce, fixed_motion, opposed, span
from mobod.matter.dynamics.tree import Tree
from mobod.scalar import Array, Scalar, Sweep, norm, where
from mobod.system import Layout, State
from mobod.system.elements import Parameter, parameter


@final
class TwoPointConstantForce(TwoPointForce):
    """A constant force along the line between two points, pushing them apart where it is positive.

    body1, body2        mobilized bodies or Ground, not the same
    station1, station2  (3,)  m  in the frames of the bodies
    force               ()    N

    Its potential energy is said to be 0: its work is taken as supplied from outside. Where the points coincide it has no direction, and
    stops a run with an error unless it is 0.
    """

    force: Parameter[float] = parameter("N", "force that pushes the points apart")
    set_force, default_force, set_default_force = force.accessors

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        parameters = [self._slot(layout, name) for name in ("enabled", "station1", "station2", "force")]
        inputs = [*parameters, *self._pair.poses(tree)]
        sweep.add(constant_push, inputs, self._pair.sums(tree), constants=fixed_motion(tree), adds=(0, 1))

    def why_not_finite(self, state: State) -> str:
        """A hint for the error message when the force is not finite: its cause, and what to check."""
        is_there = self._pair.distance(state, self.station1(state), self.station2(state)) > 0
        return super().why_not_finite(state) if is_there else NO_DIRECTION


def constant_push(enabled: Scalar, station1: Array, station2: Array, force: Scalar, *poses: Array) -> tuple[Array, Array]:
    arm1, arm2, p = span(station1, station2, *poses)
    x = norm(p)
    is_there = x > 0
    needs_direction = where(force * force > 0, np.nan, 0.0)
    return opposed(arm1, arm2, where(enabled, p * where(is_there, force / where(is_there, x, 1.0), needs_direction), 0.0))
