"""ConstantForce: a force that is constant in Ground, at a station of a body."""

from typing import final

from mobod.forces.drives.counted_force import Wrench
from mobod.forces.force import Force
from mobod.forces.station import arm, checked_body, force_at, frame
from mobod.matter import Ground, MobilizedBody, Tree
from mobod.scalar import Array, Scalar, Sweep, where
from mobod.system import Layout
from mobod.system.elements import VectorParameter, argument, parameter


@final
class ConstantForce(Force):
    """A force at a station of a body, of constant magnitude and direction in Ground.

    station  (3,)  m  in the body's frame
    force    (3,)  N  in Ground

    Its potential energy is said to be 0: its work is taken as supplied from outside.
    """

    body: MobilizedBody | Ground = argument("the body that it acts on", kw_only=False)
    station: VectorParameter = parameter("m", "where it acts on '{element.body.name}', in the body's frame", shape=(3,), kw_only=False)
    set_station, default_station, set_default_station = station.accessors
    force: VectorParameter = parameter("N", "force on '{element.body.name}', in Ground", shape=(3,), kw_only=False)
    set_force, default_force, set_default_force = force.accessors

    def __post_init__(self) -> None:
        checked_body(self.forces, self.body, "ConstantForce")
        super().__post_init__()

    @property
    def acted_bodies(self) -> list[MobilizedBody | Ground]:
        """Its body."""
        return [self.body]

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        (wrench,) = self.wrenches(layout, tree)
        sweep.add(wrench.function, wrench.inputs, [tree.slots.body_forces[self.body.index]], adds=(0,))

    def wrenches(self, layout: Layout, tree: Tree) -> list[Wrench]:
        """On its body."""
        inputs = [*(self._slot(layout, name) for name in ("enabled", "station", "force")), *frame(tree, self.body)]
        return [Wrench(self.body, force_at_station, inputs)]


def force_at_station(enabled: Scalar, station: Array, force: Array, R_GB: Array, r: Array) -> Array:
    return where(enabled, force_at(arm(R_GB, r, station), force), 0.0)
