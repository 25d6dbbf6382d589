"""TwoPointLinearDamper: a linear damper between two stations."""

from typing import final

from mobod.forces.station import velocity_at
from mobod.forces.two_point.stations import TwoPointForce, fixed_motion, opposed, span
from mobod.matter.dynamics.tree import Tree
from mobod.scalar import Array, Scalar, Slot, Sweep, normalized, where
from mobod.system import Layout
from mobod.system.elements import Parameter, parameter


@final
class TwoPointLinearDamper(TwoPointForce):
    """damping x_dot along the line between two points at distance x, against their motion.

    body1, body2        mobilized bodies or Ground, not the same
    station1, station2  (3,)  m      in the frames of the bodies
    damping             ()    N s/m  at least 0

    Where the points coincide, the line is that along which they part: the one of their relative velocity.
    """

    damping: Parameter[float] = parameter("N.s/m", "damping along the line between the points", least=0.0)
    set_damping, default_damping, set_default_damping = damping.accessors

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        sweep.add(damper_pull, self._inputs(tree, layout), self._pair.sums(tree), constants=fixed_motion(tree), adds=(0, 1))

    def write_power_dissipation(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add the power that it dissipates to `total`, W."""
        sweep.add(stretch_loss, self._inputs(tree, layout), [total], constants=fixed_motion(tree), adds=(0,))

    def _inputs(self, tree: Tree, layout: Layout) -> list[Slot]:
        parameters = [self._slot(layout, name) for name in ("enabled", "station1", "station2", "damping")]
        return [*parameters, *self._pair.poses(tree), *self._pair.speeds(tree)]


def stretch_rate(station1: Array, station2: Array, *motion: Array) -> tuple[Array, Array, Array, Scalar]:
    """The arms, the unit vector from station 1 to 2, and x_dot, m/s; `motion` are poses and speeds of both bodies."""
    *poses, V_GM1, V_GM2 = motion
    arm1, arm2, p = span(station1, station2, *poses)
    v = velocity_at(arm2, V_GM2) - velocity_at(arm1, V_GM1)
    direction = where(p @ p > 0, normalized(p), normalized(v))
    return arm1, arm2, direction, v @ direction


def damper_pull(enabled: Scalar, station1: Array, station2: Array, damping: Scalar, *motion: Array) -> tuple[Array, Array]:
    arm1, arm2, direction, x_dot = stretch_rate(station1, station2, *motion)
    return opposed(arm1, arm2, where(enabled, -damping * x_dot * direction, 0.0))


def stretch_loss(enabled: Scalar, station1: Array, station2: Array, damping: Scalar, *motion: Array) -> Scalar:
    x_dot = stretch_rate(station1, station2, *motion)[3]
    return where(enabled, damping * x_dot**2, 0.0)
