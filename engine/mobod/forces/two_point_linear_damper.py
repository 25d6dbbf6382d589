"""TwoPointLinearDamper: a linear damper between two stations."""

from typing import Any, final

from mobod.forces.force import Force
from mobod.forces.parameter import ForceParameter, accessors
from mobod.forces.station import velocity_at
from mobod.forces.subsystem import ForceSubsystem
from mobod.forces.two_point import BodyPair, fixed_motion, opposed, span, station_parameters
from mobod.matter import Ground, MobilizedBody
from mobod.matter.dynamics.tree import Tree
from mobod.scalar import normalized, where
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.system import Layout


@final
class TwoPointLinearDamper(Force):
    """damping x_dot along the line between two points at distance x, against their motion.

    body1, body2        mobilized bodies or Ground, not the same
    station1, station2  (3,)  m      in the frames of the bodies
    damping             ()    N s/m  at least 0

    Where the points coincide, the line is that along which they part: the one of their relative velocity.
    """

    station1, set_station1, default_station1, set_default_station1 = accessors("station1", "(3,) m, in the frame of body1")
    station2, set_station2, default_station2, set_default_station2 = accessors("station2", "(3,) m, in the frame of body2")
    damping, set_damping, default_damping, set_default_damping = accessors("damping", "() N s/m")

    def __init__(
        self,
        forces: ForceSubsystem,
        body1: MobilizedBody | Ground,
        station1: Any,
        body2: MobilizedBody | Ground,
        station2: Any,
        *,
        damping: float,
        name: str | None = None,
        disabled: bool = False,
    ):
        self._pair = BodyPair.checked(forces, body1, body2, "TwoPointLinearDamper")
        self.body1, self.body2 = body1, body2
        self.parameters = (
            *station_parameters(self._pair),
            ForceParameter(name="damping", unit="N.s/m", description="damping along the line between the points", minimum=0.0),
        )
        super().__init__(forces, {"station1": station1, "station2": station2, "damping": damping}, name=name, disabled=disabled)

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        sweep.add(damper_pull, self._inputs(tree, layout), self._pair.sums(tree), constants=fixed_motion(tree), adds=(0, 1))

    def write_power_dissipation(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add the power that it dissipates to `total`, W."""
        sweep.add(stretch_loss, self._inputs(tree, layout), [total], constants=fixed_motion(tree), adds=(0,))

    def _inputs(self, tree: Tree, layout: Layout) -> list[Slot]:
        parameters = [self._slot(layout, name) for name in ("enabled", "station1", "station2", "damping")]
        return [*parameters, *self._pair.poses(tree), *self._pair.speeds(tree)]


def stretch_rate(station1: Any, station2: Any, *motion: Any) -> tuple[Any, Any, Any, Any]:
    """The arms, the unit vector from station 1 to 2, and x_dot, m/s; `motion` are poses and speeds of both bodies."""
    *poses, V_GM1, V_GM2 = motion
    arm1, arm2, p = span(station1, station2, *poses)
    v = velocity_at(arm2, V_GM2) - velocity_at(arm1, V_GM1)
    direction = where(p @ p > 0, normalized(p), normalized(v))
    return arm1, arm2, direction, v @ direction


def damper_pull(enabled: Any, station1: Any, station2: Any, damping: Any, *motion: Any) -> Any:
    arm1, arm2, direction, x_dot = stretch_rate(station1, station2, *motion)
    return opposed(arm1, arm2, where(enabled, -damping * x_dot * direction, 0.0))


def stretch_loss(enabled: Any, station1: Any, station2: Any, damping: Any, *motion: Any) -> Any:
    x_dot = stretch_rate(station1, station2, *motion)[3]
    return where(enabled, damping * x_dot**2, 0.0)
