"""GlobalDamper: the same linear damping on every speed."""

from typing import final

from mobod.errors import InputError
from mobod.forces.force import Force, ForceParameter
from mobod.forces.mobility_linear_damper import damper_force
from mobod.forces.subsystem import ForceSubsystem
from mobod.matter import MatterSubsystem
from mobod.matter.tree import Tree
from mobod.scalar.sweep import Sweep
from mobod.system import Layout, State


@final
class GlobalDamper(Force):
    """-damping u on every speed u of all bodies.

    damping  N s/m for speeds in m/s, N m s/rad for those in rad/s; at least 0
    """

    parameters = (
        ForceParameter(name="damping", unit="1", description="damping of every speed, in its unit of force per unit of speed", minimum=0.0),
    )

    def __init__(self, forces: ForceSubsystem, matter: MatterSubsystem, *, damping: float, name: str | None = None, disabled: bool = False):
        if matter is not forces.system.matter:
            raise InputError(f"GlobalDamper: the matter belongs to System '{matter.system.name}', the forces to '{forces.system.name}'.")
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
        shared = [self._slot(layout, name) for name in ("enabled", "damping")]
        for body in tree.bodies:
            if body.nu:
                target = tree.speeds(tree.slots.mobility_forces, body)
                sweep.add(damper_force, [*shared, tree.u(body)], [target], adds=(0,))
