"""Gravity: the same field on all bodies (seed 003)."""

from typing import Any, final

import numpy as np

from mobod.errors import InputError
from mobod.forces.force import Force, ForceParameter
from mobod.forces.subsystem import ForceSubsystem
from mobod.matter import MatterSubsystem
from mobod.matter.tree import Tree
from mobod.scalar import normalized, where
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.spatial import cross
from mobod.system import Layout, State


@final
class Gravity(Force):
    """Force m g at the mass center of each body; potential energy m |g| (height - zero_height), heights measured against `down`.

    down         (3,)    -      direction of the field, of any length but zero
    magnitude    ()      m/s^2  at least 0
    zero_height  ()      m      where a body's mass center has no potential energy
    """

    parameters = (
        ForceParameter(name="magnitude", unit="m/s2", description="strength of the gravity field", minimum=0.0),
        ForceParameter(name="down", unit="1", description="direction of the gravity field; its length does not matter"),
        ForceParameter(name="zero_height", unit="m", description="height at which the potential energy of gravity is zero"),
    )

    def __init__(
        self,
        forces: ForceSubsystem,
        matter: MatterSubsystem,
        *,
        down: Any = (0, -1, 0),
        magnitude: float = 9.80665,
        zero_height: float = 0.0,
        name: str | None = None,
        disabled: bool = False,
    ):
        if matter is not forces.system.matter:
            raise InputError(f"Gravity: the matter belongs to System '{matter.system.name}', the forces to '{forces.system.name}'.")
        defaults = {"down": np.array([0.0, -1.0, 0.0]), "magnitude": magnitude, "zero_height": zero_height}
        super().__init__(forces, defaults, name=name, disabled=disabled)
        self._defaults["down"] = self._direction(down)

    def down_direction(self, state: State) -> np.ndarray:
        """(3,) unit vector."""
        down = self._get(state, "down")
        return down / np.linalg.norm(down)

    def set_down_direction(self, state: State, down: Any) -> None:
        self._set(state, "down", self._direction(down))

    @property
    def default_down_direction(self) -> np.ndarray:
        return self._default("down")

    def set_default_down_direction(self, down: Any) -> None:
        self._set_default("down", self._direction(down))

    def magnitude(self, state: State) -> float:
        """m/s^2"""
        return self._get(state, "magnitude")

    def set_magnitude(self, state: State, magnitude: float) -> None:
        self._set(state, "magnitude", magnitude)

    @property
    def default_magnitude(self) -> float:
        return self._default("magnitude")

    def set_default_magnitude(self, magnitude: float) -> None:
        self._set_default("magnitude", magnitude)

    def zero_height(self, state: State) -> float:
        """m"""
        return self._get(state, "zero_height")

    def set_zero_height(self, state: State, zero_height: float) -> None:
        self._set(state, "zero_height", zero_height)

    @property
    def default_zero_height(self) -> float:
        return self._default("zero_height")

    def set_default_zero_height(self, zero_height: float) -> None:
        self._set_default("zero_height", zero_height)

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        shared = [self._slot(layout, name) for name in ("enabled", "magnitude", "down")]
        for body in tree.bodies:
            inputs = [*shared, tree.slots.mass[body.index], tree.slots.mc_G[body.index]]
            sweep.add(weight, inputs, [tree.slots.body_forces[body.index]], constants=tree.constants, adds=(0,))

    def write_potential_energy(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        shared = [self._slot(layout, name) for name in ("enabled", "magnitude", "down", "zero_height")]
        for body in tree.bodies:
            b = body.index
            inputs = [*shared, tree.slots.mass[b], tree.slots.mc_G[b], tree.slots.p_GM[b]]
            sweep.add(weight_energy, inputs, [total], constants=tree.constants, adds=(0,))

    def _direction(self, down: Any) -> np.ndarray:
        down = self._checked(self._parameter("down"), down, (3,))
        length = np.linalg.norm(down)
        if length == 0:
            raise InputError(f"'{self.name}.down' cannot be the zero vector: it has no direction. For no gravity set the magnitude to 0.")
        return down / length


def weight(enabled: Any, magnitude: Any, down: Any, mass: Any, mc: Any) -> Any:
    """(6,) the spatial force about the origin of M, which mc is measured from."""
    g = where(enabled, magnitude, 0.0) * normalized(down)
    return np.concatenate([cross(mc, g), mass * g])


def weight_energy(enabled: Any, magnitude: Any, down: Any, zero_height: Any, mass: Any, mc: Any, p: Any) -> Any:
    """m |g| (height - zero_height), with the height of the mass center measured upward."""
    return -where(enabled, magnitude, 0.0) * (normalized(down) @ (mass * p + mc) + mass * zero_height)
