"""Random mechanisms with every element that mobod has: what a law must hold for. A new element joins by one line in its table."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import mobod as mb
from mobod.matter import MobilizerEquations
from mobod.spatial import from_quaternion

# name -> the mobilizer, called as mobilizer(parent, body, X_PF, X_BM, name=...)
MOBILIZERS: dict[str, Callable[..., mb.MobilizedBody]] = {
    "Free": mb.Free,
    "Pin": mb.Pin,
    "Screw": partial(mb.Screw, pitch=0.3),
    "Slider": mb.Slider,
    "Weld": mb.Weld,
}
BOTH_WAYS = MOBILIZERS | {f"{name} reversed": partial(make, reversed=True) for name, make in MOBILIZERS.items()}


def equations_of(name: str) -> MobilizerEquations:
    """Those of a mobilizer of BOTH_WAYS."""
    matter = mb.MatterSubsystem(mb.MultibodySystem())
    return BOTH_WAYS[name](matter.ground, mb.MassProperties(1, [0, 0, 0], np.eye(3))).equations


@dataclass(frozen=True)
class ForceKind:
    """make(forces, bodies, rng) adds a force with random parameters; `bodies` are those that can move.

    nature  'conservative': all its power comes from its potential energy
            'dissipative': it has no potential energy, and its power is never positive
            'driven': it has no potential energy, and power of any sign
    """

    make: Callable[[mb.ForceSubsystem, list[mb.MobilizedBody], np.random.Generator], mb.Force]
    nature: str


def _gravity(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    return mb.Gravity(
        forces, forces.system.matter, down=rng.normal(size=3), magnitude=rng.uniform(2, 12), zero_height=rng.normal(), name="gravity"
    )


def _global_damper(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    return mb.GlobalDamper(forces, forces.system.matter, damping=rng.uniform(0.1, 2), name="global damper")


def _spring(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    places = [(body, i) for body in bodies for i, speed in enumerate(body.equations.speed_of) if speed is not None]
    body, coordinate = places[rng.integers(len(places))]
    return mb.MobilityLinearSpring(forces, body, coordinate=coordinate, stiffness=rng.uniform(5, 50), q_zero=rng.normal(), name="spring")


def _damper(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    body = bodies[rng.integers(len(bodies))]
    return mb.MobilityLinearDamper(forces, body, speed=int(rng.integers(body.nu)), damping=rng.uniform(0.1, 2), name="damper")


def _motor(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    body = bodies[rng.integers(len(bodies))]
    return mb.MobilityForce(forces, body, speed=int(rng.integers(body.nu)), force=rng.normal(), name="motor")


FORCES = {
    "Gravity": ForceKind(_gravity, "conservative"),
    "GlobalDamper": ForceKind(_global_damper, "dissipative"),
    "MobilityLinearSpring": ForceKind(_spring, "conservative"),
    "MobilityLinearDamper": ForceKind(_damper, "dissipative"),
    "MobilityForce": ForceKind(_motor, "driven"),
}


@dataclass(frozen=True)
class Mechanism:
    """forces by the names of FORCES."""

    system: mb.MultibodySystem
    matter: mb.MatterSubsystem
    forces: dict[str, mb.Force]

    @property
    def bodies(self) -> list[mb.MobilizedBody]:
        return self.matter.bodies

    def random_state(self, rng: np.random.Generator) -> mb.State:
        """Any time, coordinates and speeds; quaternions of any length, since they stand for rotations by their direction alone."""
        state = self.system.realize_topology()
        state.time = rng.uniform(0, 3)
        state.q = rng.normal(size=len(state.q))
        state.u = rng.normal(size=len(state.u))
        return state


def random_mechanism(seed: int, *, n_bodies: int = len(MOBILIZERS) + 3) -> Mechanism:
    """A tree with every mobilizer at least once, forward or reversed, general frames and masses, and one force of each kind."""
    rng = np.random.default_rng(seed)
    system = mb.MultibodySystem(f"mechanism {seed}")
    matter = mb.MatterSubsystem(system)
    kinds = [*rng.permutation(list(MOBILIZERS)), *rng.choice(list(MOBILIZERS), size=n_bodies - len(MOBILIZERS))]
    for number, kind in enumerate(kinds):
        parent = matter.body(int(rng.integers(number + 1)))
        is_reversed = bool(rng.integers(2))
        MOBILIZERS[kind](parent, random_mass(rng), random_frame(rng), random_frame(rng), name=f"{kind} {number}", reversed=is_reversed)
    forces = mb.ForceSubsystem(system)
    movable = [body for body in matter.bodies if body.nu]
    return Mechanism(system, matter, {name: kind.make(forces, movable, rng) for name, kind in FORCES.items()})


def random_mass(rng: np.random.Generator) -> mb.MassProperties:
    """That of six point masses."""
    masses, points = rng.uniform(0.1, 0.6, size=6), rng.normal(scale=0.4, size=(6, 3))
    inertia = sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, points, strict=True))
    return mb.MassProperties(masses.sum(), masses @ points / masses.sum(), inertia)


def random_frame(rng: np.random.Generator) -> mb.Transform:
    return mb.Transform(from_quaternion(rng.normal(size=4)), rng.normal(scale=0.5, size=3))


def rate_along_motion(system: mb.System, state: mb.State, quantity: Callable[[mb.State], Any], *, step: float = 4e-3) -> np.ndarray:
    """d/dt of quantity(state) as q moves with q_dot and u with u_dot, time standing still.

    Central differences of order 6 (Fornberg, Generation of finite difference formulas, Math. Comp. 51 (1988), table 1): for functions of
    size 1 the truncation error is some 1e-16, the round-off some 1e-13.
    """
    y, y_dot = state.y.copy(), state.y_dot.copy()
    total: Any = 0.0
    for steps, weight in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60)):
        for sign in (1, -1):
            moved = state.copy()
            moved.y = y + sign * steps * step * y_dot
            system.realize(moved, mb.Stage.VELOCITY)
            total = total + sign * weight * np.asarray(quantity(moved))
    return total / step
