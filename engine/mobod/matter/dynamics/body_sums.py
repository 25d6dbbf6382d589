"""Sums over all bodies as lazy values, each by a sweep that adds up a row for each body: mass, mass center, momentum."""

from collections.abc import Callable
from dataclasses import dataclass

from mobod.matter.dynamics.dynamics import inertial_force
from mobod.matter.dynamics.tree import Tree, torque_of
from mobod.matter.tree.rotors import rotor_momentum
from mobod.scalar import Array, Scalar, Slot, Sweep, where
from mobod.spatial import shift_force
from mobod.spatial.component_names import MOMENTUM, XYZ
from mobod.system import CacheEntry, CatalogueVariable, Stage


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

    def variable(self, slot: Slot, entry: CacheEntry) -> CatalogueVariable:
        text = f"{self.description} of all bodies, in Ground"
        components = MOMENTUM if self.shape == (6,) else XYZ
        return CatalogueVariable.output(self.name, slot, Stage.REPORT, self.units, text, entry=entry, components=components)


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
    for body in filter(tree.rotors.spin, tree.rotors.bodies):
        inputs = [*tree.rotors.coupled(body), tree.u(body), s.V_GM[body.parent.index]]
        sweep.add(rotor_momentum, inputs, [torque_of(s.momentum)], constants=tree.constants, adds=(0,))


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


def term(mass: Scalar) -> Scalar:
    return mass


def share_of_mass_center(total: Scalar, mass: Scalar, mc: Array, p_GM: Array) -> Array:
    return _over(mc + mass * p_GM, total)


def momentum(mass: Scalar, mc: Array, inertia: Array, p_GM: Array, V: Array) -> Array:
    """(6,) momentum of one body about the Ground origin."""
    return shift_force(inertial_force(mass, mc, inertia, V), -p_GM)


def mass_center_velocity(total: Scalar, momentum: Array) -> Array:
    return _over(momentum[3:], total)


def share_of_acceleration(total: Scalar, mass: Scalar, mc: Array, inertia: Array, A_r: Array, F_c: Array) -> Array:
    """The rate of one body's momentum divided by the total mass."""
    return _over((inertial_force(mass, mc, inertia, A_r) + F_c)[3:], total)


def _over(a: Array, mass: Scalar) -> Array:
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
