"""MobilityLinearSpring: a linear spring along one coordinate."""

from typing import final

from mobod.forces.force import Force
from mobod.forces.mobility.acted_on import checked_body, checked_coordinate, force_unit
from mobod.matter import MobilizedBody, Tree
from mobod.scalar import Scalar, Slot, Sweep, where
from mobod.system import Layout
from mobod.system.elements import Parameter, argument, parameter


@final
class MobilityLinearSpring(Force):
    """-stiffness (q - q_zero) on the speed that is the rate of coordinate q; potential energy stiffness (q - q_zero)^2 / 2.

    coordinate  which of the body's coordinates, from 0; its rate must be a speed, so not one of a quaternion
    stiffness   N/m or N m/rad, at least 0
    q_zero      m or rad, coordinate at which the spring is at rest, of any sign (the rest_length of a TwoPointLinearSpring is a distance)
    """

    body: MobilizedBody = argument("the body that it acts on", kw_only=False)
    stiffness: Parameter[float] = parameter(
        "{element.force_unit}/{element.q_unit}",
        "stiffness of the spring along {element.place}",
        least=0.0,
    )
    set_stiffness, default_stiffness, set_default_stiffness = stiffness.accessors
    q_zero: Parameter[float] = parameter("{element.q_unit}", "{element.place} at which the spring is at rest", default=0.0)
    set_q_zero, default_q_zero, set_default_q_zero = q_zero.accessors
    coordinate: int = argument("which of the coordinates of the body, from 0", default=0)

    def __post_init__(self) -> None:
        checked_body(self.forces, self.body, "MobilityLinearSpring")
        self.coordinate, self.speed = checked_coordinate(self.coordinate, self.body, "MobilityLinearSpring")
        self.force_unit, self.q_unit = force_unit(self.body, self.speed), self.body.equations.q_units[self.coordinate]
        self.place = f"coordinate {self.coordinate} of '{self.body.name}'"
        super().__post_init__()

    def _inputs(self, tree: Tree, layout: Layout) -> list[Slot]:
        return [*(self._slot(layout, name) for name in ("enabled", "stiffness", "q_zero")), tree.coordinate(self.body, self.speed)]

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        target = tree.speeds(tree.slots.mobility_forces, self.body)[self.speed]
        sweep.add(spring_force, self._inputs(tree, layout), [target], adds=(0,))

    def write_potential_energy(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add its potential energy to `total`, J."""
        sweep.add(spring_energy, self._inputs(tree, layout), [total], adds=(0,))


def spring_force(enabled: Scalar, stiffness: Scalar, q_zero: Scalar, q: Scalar) -> Scalar:
    return where(enabled, -stiffness * (q - q_zero), 0.0)


def spring_energy(enabled: Scalar, stiffness: Scalar, q_zero: Scalar, q: Scalar) -> Scalar:
    return where(enabled, stiffness * (q - q_zero) ** 2 / 2, 0.0)
