"""ConstantForce: a force that is constant in Ground, at a station of a body."""

from typing import Any, final

from mobod.forces.force import Force
from mobod.forces.parameter import ForceParameter, accessors
from mobod.forces.station import arm, checked_body, force_at, frame
from mobod.forces.subsystem import ForceSubsystem
from mobod.matter import Ground, MobilizedBody
from mobod.matter.dynamics.tree import Tree
from mobod.scalar import where
from mobod.scalar.sweep import Sweep
from mobod.system import Layout


@final
class ConstantForce(Force):
    """A force at a station of a body, of constant magnitude and direction in Ground.

    station  (3,)  m  in the body's frame
    force    (3,)  N  in Ground

    Its potential energy is said to be 0: its work is taken as supplied from outside.
    """

    station, set_station, default_station, set_default_station = accessors("station", "(3,) m, in the body's frame")
    force, set_force, default_force, set_default_force = accessors("force", "(3,) N, in Ground")

    def __init__(
        self,
        forces: ForceSubsystem,
        body: MobilizedBody | Ground,
        station: Any,
        force: Any,
        *,
        name: str | None = None,
        disabled: bool = False,
    ):
        self.body = checked_body(forces, body, "ConstantForce")
        self.parameters = (
            ForceParameter(name="station", unit="m", description=f"where it acts on '{body.name}', in the body's frame", shape=(3,)),
            ForceParameter(name="force", unit="N", description=f"force on '{body.name}', in Ground", shape=(3,)),
        )
        super().__init__(forces, {"station": station, "force": force}, name=name, disabled=disabled)

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        inputs = [*(self._slot(layout, name) for name in ("enabled", "station", "force")), *frame(tree, self.body)]
        sweep.add(force_at_station, inputs, [tree.slots.body_forces[self.body.index]], adds=(0,))


def force_at_station(enabled: Any, station: Any, force: Any, R_GB: Any, r: Any) -> Any:
    return where(enabled, force_at(arm(R_GB, r, station), force), 0.0)
