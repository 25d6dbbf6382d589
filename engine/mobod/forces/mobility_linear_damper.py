"""MobilityLinearDamper: a linear damper along one speed."""

from typing import Any, final

from mobod.forces.force import Force, ForceParameter
from mobod.forces.mobility import checked_body, checked_index, force_unit
from mobod.forces.subsystem import ForceSubsystem
from mobod.matter import MobilizedBody
from mobod.matter.tree import Tree
from mobod.scalar import where
from mobod.scalar.sweep import Sweep
from mobod.system import Layout, State


@final
class MobilityLinearDamper(Force):
    """-damping u on one speed u of a body.

    speed    which of the body's speeds, from 0
    damping  N s/m or N m s/rad, at least 0
    """

    def __init__(
        self,
        forces: ForceSubsystem,
        body: MobilizedBody,
        *,
        damping: float,
        speed: int = 0,
        name: str | None = None,
        disabled: bool = False,
    ):
        self.body = checked_body(forces, body, "MobilityLinearDamper")
        self.speed = checked_index(speed, body.nu, body, "MobilityLinearDamper", "speeds")
        unit = {"N": "N.s/m", "N.m": "N.m.s/rad"}[force_unit(body, speed)]
        description = f"damping of speed {speed} of '{body.name}'"
        self.parameters = (ForceParameter(name="damping", unit=unit, description=description, minimum=0.0),)
        super().__init__(forces, {"damping": damping}, name=name, disabled=disabled)

    def damping(self, state: State) -> float:
        """N s/m or N m s/rad"""
        return self._get(state, "damping")

    def set_damping(self, state: State, damping: float) -> None:
        self._set(state, "damping", damping)

    @property
    def default_damping(self) -> float:
        return self._default("damping")

    def set_default_damping(self, damping: float) -> None:
        self._set_default("damping", damping)

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        speed = tree.u(self.body)[self.speed]
        target = tree.speeds(tree.slots.mobility_forces, self.body)[self.speed]
        sweep.add(damper_force, [self._slot(layout, "enabled"), self._slot(layout, "damping"), speed], [target], adds=(0,))


def damper_force(enabled: Any, damping: Any, u: Any) -> Any:
    return where(enabled, -damping * u, 0.0)
