"""TwoPointLinearSpring: a linear spring between two stations."""

from typing import final

import numpy as np

from mobod.forces.two_point.stations import NO_DIRECTION, TwoPointForce, fixed_motion, opposed, span
from mobod.matter.dynamics.tree import Tree
from mobod.scalar import Array, Scalar, Slot, Sweep, norm, where
from mobod.system import Layout, State
from mobod.system.elements import Parameter, parameter


@final
class TwoPointLinearSpring(TwoPointForce):
    """stiffness (x - rest_length) along the line between two points at distance x, pulling if x is greater.

    Potential energy stiffness (x - rest_length)^2 / 2.

    body1, body2        mobilized bodies or Ground, not the same
    station1, station2  (3,)  m    in the frames of the bodies
    stiffness           ()    N/m  at least 0
    rest_length         ()    m    distance at which the spring is at rest, at least 0 (q_zero of a MobilityLinearSpring is a coordinate)

    Where the points coincide a spring of rest length 0 applies no force; any other has no direction there, and stops a run with an error.
    """

    stiffness: Parameter[float] = parameter("N/m", "stiffness of the spring", least=0.0)
    set_stiffness, default_stiffness, set_default_stiffness = stiffness.accessors
    rest_length: Parameter[float] = parameter("m", "distance at which the spring is at rest", least=0.0)
    set_rest_length, default_rest_length, set_default_rest_length = rest_length.accessors

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


def spring_pull(
    enabled: Scalar, station1: Array, station2: Array, stiffness: Scalar, rest_length: Scalar, *poses: Array
) -> tuple[Array, Array]:
    arm1, arm2, p = span(station1, station2, *poses)
    x = norm(p)
    is_there = x > 0
    # stiffness (x - rest_length) / x, whose second term is the one that needs a direction
    needs_direction = where(stiffness * rest_length > 0, np.nan, 0.0)
    push = stiffness * rest_length / where(is_there, x, 1.0)
    return opposed(arm1, arm2, where(enabled, p * (where(is_there, push, needs_direction) - stiffness), 0.0))


def stretch_energy(enabled: Scalar, station1: Array, station2: Array, stiffness: Scalar, rest_length: Scalar, *poses: Array) -> Scalar:
    x = norm(span(station1, station2, *poses)[2])
    return where(enabled, stiffness * (x - rest_length) ** 2 / 2, 0.0)
