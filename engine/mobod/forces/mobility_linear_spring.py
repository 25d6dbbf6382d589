"""MobilityLinearSpring: a linear spring along one coordinate."""

from typing import Any, final

from mobod.errors import InputError
from mobod.forces.force import Force, ForceParameter
from mobod.forces.mobility import checked_body, checked_index, force_unit
from mobod.forces.subsystem import ForceSubsystem
from mobod.matter import MobilizedBody
from mobod.matter.tree import Tree
from mobod.scalar import where
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.system import Layout, State


@final
class MobilityLinearSpring(Force):
    """-stiffness (q - q_zero) on the speed that is the rate of coordinate q; potential energy stiffness (q - q_zero)^2 / 2.

    coordinate  which of the body's coordinates, from 0; its rate must be a speed, so not one of a quaternion
    stiffness   N/m or N m/rad, at least 0
    q_zero      m or rad, where the spring is at rest
    """

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
        self.coordinate = checked_index(coordinate, body.nq, body, "MobilityLinearSpring", "coordinates")
        speed = body.equations.speed_of[coordinate]
        if speed is None:
            raise InputError(
                f"MobilityLinearSpring: coordinate {coordinate} of '{body.name}' ({type(body).__name__}) has no speed as its rate "
                "(an entry of a quaternion, say), so no generalized force acts along it."
            )
        self.speed = speed
        q_unit = body.equations.q_units[coordinate]
        self.parameters = (
            ForceParameter(
                name="stiffness",
                unit=f"{force_unit(body, speed)}/{q_unit}",
                description=f"stiffness of the spring along coordinate {coordinate} of '{body.name}'",
                minimum=0.0,
            ),
            ForceParameter(
                name="q_zero", unit=q_unit, description=f"coordinate {coordinate} of '{body.name}' at which the spring is at rest"
            ),
        )
        super().__init__(forces, {"stiffness": stiffness, "q_zero": q_zero}, name=name, disabled=disabled)

    def stiffness(self, state: State) -> float:
        """N/m or N m/rad"""
        return self._get(state, "stiffness")

    def set_stiffness(self, state: State, stiffness: float) -> None:
        self._set(state, "stiffness", stiffness)

    @property
    def default_stiffness(self) -> float:
        return self._default("stiffness")

    def set_default_stiffness(self, stiffness: float) -> None:
        self._set_default("stiffness", stiffness)

    def q_zero(self, state: State) -> float:
        """m or rad"""
        return self._get(state, "q_zero")

    def set_q_zero(self, state: State, q_zero: float) -> None:
        self._set(state, "q_zero", q_zero)

    @property
    def default_q_zero(self) -> float:
        return self._default("q_zero")

    def set_default_q_zero(self, q_zero: float) -> None:
        self._set_default("q_zero", q_zero)

    def _inputs(self, tree: Tree, layout: Layout) -> list[Slot]:
        return [*(self._slot(layout, name) for name in ("enabled", "stiffness", "q_zero")), tree.coordinate(self.body, self.speed)]

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        target = tree.speeds(tree.slots.mobility_forces, self.body)[self.speed]
        sweep.add(spring_force, self._inputs(tree, layout), [target], adds=(0,))

    def write_potential_energy(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        sweep.add(spring_energy, self._inputs(tree, layout), [total], adds=(0,))


def spring_force(enabled: Any, stiffness: Any, q_zero: Any, q: Any) -> Any:
    return where(enabled, -stiffness * (q - q_zero), 0.0)


def spring_energy(enabled: Any, stiffness: Any, q_zero: Any, q: Any) -> Any:
    return where(enabled, stiffness * (q - q_zero) ** 2 / 2, 0.0)
