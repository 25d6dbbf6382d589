"""MobilityLinearSpring: a linear spring along one coordinate."""

from typing import Any, final

from mobod.forces.force import Force
from mobod.forces.mobility import checked_body, checked_coordinate, force_unit
from mobod.forces.parameter import ForceParameter, accessors
from mobod.forces.subsystem import ForceSubsystem
from mobod.matter import MobilizedBody
from mobod.matter.dynamics.tree import Tree
from mobod.scalar import where
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.system import Layout


@final
class MobilityLinearSpring(Force):
    """-stiffness (q - q_zero) on the speed that is the rate of coordinate q; potential energy stiffness (q - q_zero)^2 / 2.

    coordinate  which of the body's coordinates, from 0; its rate must be a speed, so not one of a quaternion
    stiffness   N/m or N m/rad, at least 0
    q_zero      m or rad, where the spring is at rest
    """

    stiffness, set_stiffness, default_stiffness, set_default_stiffness = accessors("stiffness", "() N/m or N m/rad")
    q_zero, set_q_zero, default_q_zero, set_default_q_zero = accessors("q_zero", "() m or rad")

    def __init__(
        self,
        forces: ForceSubsystem,
        body: MobilizedBody,
        *,
        stiffness: float,
        q_zero: float = 0.0,
        coordinate: int = 0,
        name: str | None = None,
        disabled: bool = False,
    ):
        self.body = checked_body(forces, body, "MobilityLinearSpring")
        self.coordinate, self.speed = checked_coordinate(coordinate, body, "MobilityLinearSpring")
        q_unit = body.equations.q_units[coordinate]
        self.parameters = (
            ForceParameter(
                name="stiffness",
                unit=f"{force_unit(body, self.speed)}/{q_unit}",
                description=f"stiffness of the spring along coordinate {coordinate} of '{body.name}'",
                minimum=0.0,
            ),
            ForceParameter(
                name="q_zero", unit=q_unit, description=f"coordinate {coordinate} of '{body.name}' at which the spring is at rest"
            ),
        )
        super().__init__(forces, {"stiffness": stiffness, "q_zero": q_zero}, name=name, disabled=disabled)

    def _inputs(self, tree: Tree, layout: Layout) -> list[Slot]:
        return [*(self._slot(layout, name) for name in ("enabled", "stiffness", "q_zero")), tree.coordinate(self.body, self.speed)]

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        target = tree.speeds(tree.slots.mobility_forces, self.body)[self.speed]
        sweep.add(spring_force, self._inputs(tree, layout), [target], adds=(0,))

    def write_potential_energy(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add its potential energy to `total`, J."""
        sweep.add(spring_energy, self._inputs(tree, layout), [total], adds=(0,))


def spring_force(enabled: Any, stiffness: Any, q_zero: Any, q: Any) -> Any:
    return where(enabled, -stiffness * (q - q_zero), 0.0)


def spring_energy(enabled: Any, stiffness: Any, q_zero: Any, q: Any) -> Any:
    return where(enabled, stiffness * (q - q_zero) ** 2 / 2, 0.0)
