"""TwoPointLinearDamper: a linear damper between two stations."""

from typing import final

from mobod.forces.force import Force
from mobod.forces.station import velocity_at
from mobod.forces.two_point import BodyPair, fixed_motion, opposed, span
from mobod.matter import Ground, MobilizedBody
from mobod.matter.dynamics.tree import Tree
from mobod.scalar import Array, Scalar, normalized, where
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.system import Layout
from mobod.system.elements import Parameter, VectorParameter, argument, parameter


@final
class TwoPointLinearDamper(Force):
    """damping x_dot along the line between two points at distance x, against their motion.

    body1, body2        mobilized bodies or Ground, not the same
    station1, station2  (3,)  m      in the frames of the bodies
    damping             ()    N s/m  at least 0

    Where the points coincide, the line is that along which they part: the one of their relative velocity.
    """

    body1: MobilizedBody | Ground = argument("a body, or Ground", kw_only=False)
    station1: VectorParameter = parameter("m", "where it acts on '{element.body1.name}', in the body's frame", shape=(3,), kw_only=False)
    set_station1, default_station1, set_default_station1 = station1.accessors
    body2: MobilizedBody | Ground = argument("another body, or Ground", kw_only=False)
    station2: VectorParameter = parameter("m", "where it acts on '{element.body2.name}', in the body's frame", shape=(3,), kw_only=False)
    set_station2, default_station2, set_default_station2 = station2.accessors
    damping: Parameter[float] = parameter("N.s/m", "damping along the line between the points", least=0.0)
    set_damping, default_damping, set_default_damping = damping.accessors

    def __post_init__(self) -> None:
        self._pair = BodyPair.checked(self.forces, self.body1, self.body2, "TwoPointLinearDamper")
        super().__post_init__()

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
