"""Mass, mass center and momentum of all bodies together; composite-body inertias."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobod.matter.dynamics import inertial_force
from mobod.matter.kinematics import symmetric
from mobod.matter.operators import TreeOperators
from mobod.matter.tree import Tree
from mobod.scalar.functions import where
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.spatial import cross_matrix, shift_force
from mobod.system import CacheEntry, Stage, State, Variable
from mobod.system.boundary import check_state
from mobod.system.variable import MOMENTUM, XYZ


class SystemMomentum(TreeOperators):
    """Sums over all bodies, expressed in Ground. If the total mass is 0, the mass center is at the Ground origin, at rest."""

    def mass(self, state: State) -> float:
        """Total mass, kg. Needs stage INSTANCE."""
        return float(self._sum(state, "total_mass"))

    def mass_center(self, state: State) -> np.ndarray:
        """(3,) m: the mass center. Needs stage POSITION."""
        return self._sum(state, "mass_center")

    def mass_center_velocity(self, state: State) -> np.ndarray:
        """(3,) m/s: velocity of the mass center. Needs stage VELOCITY."""
        return self._sum(state, "mass_center_velocity")

    def mass_center_acceleration(self, state: State) -> np.ndarray:
        """(3,) m/s^2: acceleration of the mass center. Needs stage ACCELERATION."""
        return self._sum(state, "mass_center_acceleration")

    def momentum_about_ground_origin(self, state: State) -> np.ndarray:
        """(6,) N m s, N s: angular momentum about the Ground origin, and momentum. Needs stage VELOCITY."""
        return self._sum(state, "momentum")

    def central_momentum(self, state: State) -> np.ndarray:
        """(6,) N m s, N s: angular momentum about the mass center, and momentum. Needs stage VELOCITY."""
        return self._sum(state, "central_momentum")

    def composite_body_inertias(self, state: State) -> np.ndarray:
        """(n_bodies, 6, 6) spatial inertias of each body and all its descendants, with all mobilizers locked. Needs stage POSITION.

        They are about the body's origin, expressed in Ground. That of Ground has all other bodies, about the Ground origin.
        """
        slots = self._checked_tree(state, Stage.POSITION, "composite body inertias").slots
        mass, mc, inertia, p_GM, p_GB = (state.view(slot) for slot in (slots.mass, slots.mc_G, slots.inertia_G, slots.p_GM, slots.p_GB))
        at_M = (_spatial_inertia(*each) for each in zip(mass, mc, inertia, strict=True))
        composite = np.array([_moved(each, p) for each, p in zip(at_M, p_GB - p_GM, strict=True)])
        for body in reversed(self.bodies):
            b, parent = body.index, body.parent.index
            composite[parent] += _moved(composite[b], p_GB[parent] - p_GB[b])
        return composite

    def central_inertia(self, state: State) -> np.ndarray:
        """(3, 3) kg m^2: inertia of all bodies about their common mass center, in Ground. Needs stage POSITION."""
        return _moved(self.composite_body_inertias(state)[0], self.mass_center(state))[:3, :3]

    def _sum(self, state: State, name: str) -> Any:
        check_state(state, self.system)
        return state.cached(self._entry(name))


def _spatial_inertia(mass: float, mc: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """(6, 6) spatial inertia from mass, mass * mass center and inertia (6,) about the same point."""
    mcx = cross_matrix(mc)
    return np.block([[symmetric(inertia), mcx], [mcx.T, mass * np.eye(3)]])


def _moved(inertia: np.ndarray, p: np.ndarray) -> np.ndarray:
    """A spatial inertia (6, 6) about another point, at p from its own."""
    to_point = np.eye(6)  # maps velocities at that point to the own point: v - w x p
    to_point[3:, :3] = cross_matrix(p)
    return to_point.T @ inertia @ to_point


# # sums as lazy values; the sweep of each adds a row for each body


@dataclass(frozen=True, kw_only=True)
class Sum:
    """stage: the earliest stage; needs: the sums that it is computed from; units: of the variable; empty if it has no variable."""

    name: str
    stage: Stage
    shape: tuple[int, ...]
    write: Callable[[Tree, Sweep], None]
    needs: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    description: str = ""

    def variable(self, slot: Slot, entry: CacheEntry) -> Variable:
        text = f"{self.description} of all bodies, in Ground"
        return Variable(
            name=self.name,
            slot=slot,
            stage=Stage.REPORT,
            role="output",
            units=self.units,
            description=text,
            entry=entry,
            components=MOMENTUM if self.shape == (6,) else XYZ,
        )


def _mass(tree: Tree, sweep: Sweep) -> None:
    for body in tree.bodies:
        sweep.add(term, [tree.slots.mass[body.index]], [tree.slots.total_mass], adds=(0,))


def _mass_center(tree: Tree, sweep: Sweep) -> None:
    s = tree.slots
    for body in tree.bodies:
        b = body.index
        sweep.add(share_of_mass_center, [s.total_mass, s.mass[b], s.mc_G[b], s.p_GM[b]], [s.mass_center], adds=(0,))


def _momentum(tree: Tree, sweep: Sweep) -> None:
    s = tree.slots
    for body in tree.bodies:
        b = body.index
        inputs = [s.mass[b], s.mc_G[b], s.inertia_G[b], s.p_GM[b], s.V_GM[b]]
        sweep.add(momentum, inputs, [s.momentum], constants=tree.constants, adds=(0,))


def _mass_center_velocity(tree: Tree, sweep: Sweep) -> None:
    sweep.add(mass_center_velocity, [tree.slots.total_mass, tree.slots.momentum], [tree.slots.mass_center_velocity], adds=(0,))


def _central_momentum(tree: Tree, sweep: Sweep) -> None:
    sweep.add(shift_force, [tree.slots.momentum, tree.slots.mass_center], [tree.slots.central_momentum], adds=(0,))


def _mass_center_acceleration(tree: Tree, sweep: Sweep) -> None:
    s = tree.slots
    for body in tree.bodies:
        b = body.index
        inputs = [s.total_mass, s.mass[b], s.mc_G[b], s.inertia_G[b], s.A_r[b], s.F_c[b]]
        sweep.add(share_of_acceleration, inputs, [s.mass_center_acceleration], constants=tree.constants, adds=(0,))


def term(mass: Any) -> Any:
    return mass


def share_of_mass_center(total: Any, mass: Any, mc: Any, p_GM: Any) -> Any:
    return _over(mc + mass * p_GM, total)


def momentum(mass: Any, mc: Any, inertia: Any, p_GM: Any, V: Any) -> Any:
    """(6,) momentum of one body about the Ground origin."""
    return shift_force(inertial_force(mass, mc, inertia, V), -p_GM)


def mass_center_velocity(total: Any, momentum: Any) -> Any:
    return _over(momentum[3:], total)


def share_of_acceleration(total: Any, mass: Any, mc: Any, inertia: Any, A_r: Any, F_c: Any) -> Any:
    """The rate of one body's momentum divided by the total mass."""
    return _over((inertial_force(mass, mc, inertia, A_r) + F_c)[3:], total)


def _over(a: Any, mass: Any) -> Any:
    is_zero = mass == 0
    return where(is_zero, 0.0, a / where(is_zero, 1.0, mass))


_OF_MOMENTUM = ("N.m.s",) * 3 + ("N.s",) * 3

SUMS = (
    Sum(name="total_mass", stage=Stage.INSTANCE, shape=(), write=_mass),
    Sum(
        name="mass_center",
        stage=Stage.POSITION,
        shape=(3,),
        write=_mass_center,
        needs=("total_mass",),
        units=("m",),
        description="mass center",
    ),
    Sum(
        name="momentum",
        stage=Stage.VELOCITY,
        shape=(6,),
        write=_momentum,
        units=_OF_MOMENTUM,
        description="angular momentum about the Ground origin, then momentum,",
    ),
    Sum(
        name="mass_center_velocity",
        stage=Stage.VELOCITY,
        shape=(3,),
        write=_mass_center_velocity,
        needs=("total_mass", "momentum"),
        units=("m/s",),
        description="velocity of the mass center",
    ),
    Sum(
        name="central_momentum",
        stage=Stage.VELOCITY,
        shape=(6,),
        write=_central_momentum,
        needs=("mass_center", "momentum"),
        units=_OF_MOMENTUM,
        description="angular momentum about the mass center, then momentum,",
    ),
    Sum(
        name="mass_center_acceleration",
        stage=Stage.ACCELERATION,
        shape=(3,),
        write=_mass_center_acceleration,
        needs=("total_mass",),
        units=("m/s2",),
        description="acceleration of the mass center",
    ),
)
