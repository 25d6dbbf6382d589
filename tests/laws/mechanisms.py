"""Random mechanisms with every element that mobod has: what a law must hold for. A new element joins by one line in its table."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import mobod as mb
from mobod import functions
from mobod.matter import MobilizerEquations
from mobod.spatial import from_quaternion

# name, which begins with that of the class -> the mobilizer, called as mobilizer(parent, body, X_PF, X_BM, name=...)
MOBILIZERS: dict[str, Callable[..., mb.MobilizedBody]] = {
    "Ball": mb.Ball,
    "BendStretch": mb.BendStretch,
    "Bushing": mb.Bushing,
    "Cylinder": mb.Cylinder,
    "Ellipsoid": partial(mb.Ellipsoid, radii=[0.4, 0.7, 1.1]),
    "Free": mb.Free,
    "FreeLine": mb.FreeLine,
    "FunctionBased": partial(
        mb.FunctionBased,
        functions=[
            functions.Linear([1.0, 0.3, -0.2]),
            functions.MultiPoly(2, [(0.9, [1, 0]), (0.2, [1, 1]), (-0.1, [0, 2])]),
            functions.Sinusoid(0.5, 0.9, 0.1),
            functions.MultiPoly(3, [(0.1, [1, 1, 1]), (0.8, [0, 0, 1])]),
            functions.Polynomial([0.3, 0.1, -0.4]),
            0.2,
        ],
        coordinate_indices=[[0, 1], [1, 2], [2], [0, 1, 2], [0], []],
        axes=[[1, 0.1, 0], [0, 1, 0.2], [0.1, 0, 1], [1, 0, 0.3], [0.2, 1, 0], [0, 0.3, 1]],
    ),
    "FunctionBased of one coordinate": partial(
        mb.FunctionBased,
        functions=[
            functions.Linear([1.0, 0.1]),
            functions.Sinusoid(0.4, 1.1, 0.2),
            functions.Polynomial([0.2, -0.3, 0.1]),
            functions.Spline.fit(np.linspace(-4, 4, 9), np.cos(np.linspace(-3, 5, 9)), degree=5),
            functions.Linear([-0.2, 0.1]),
            functions.Sinusoid(0.1, 2.0, 0.5),
        ],
        coordinate_indices=[[0]] * 6,
    ),
    "Gimbal": mb.Gimbal,
    "LineOrientation": mb.LineOrientation,
    "Pin": mb.Pin,
    "Planar": mb.Planar,
    "Screw": partial(mb.Screw, pitch=0.3),
    "Slider": mb.Slider,
    "SphericalCoords": partial(mb.SphericalCoords, azimuth_offset=0.4, zenith_offset=-0.7, zenith_negated=True),
    "SphericalCoords along x": partial(
        mb.SphericalCoords, azimuth_offset=-0.3, azimuth_negated=True, zenith_offset=0.2, radial_axis="x", radial_negated=True
    ),
    "Translation": mb.Translation,
    "Universal": mb.Universal,
    "Weld": mb.Weld,
}
BOTH_WAYS = MOBILIZERS | {f"{name} reversed": partial(make, reversed=True) for name, make in MOBILIZERS.items()}


def _all_equations() -> dict[str, MobilizerEquations]:
    ground = mb.MatterSubsystem(mb.MultibodySystem()).ground
    mass = mb.MassProperties(1, [0, 0, 0], np.eye(3))
    equations = {name: make(ground, mass).equations for name, make in BOTH_WAYS.items()}
    in_angles = {f"{name} in Euler angles": each.in_euler_angles() for name, each in equations.items()}
    return equations | {name: each for name, each in in_angles.items() if each not in equations.values()}


# those of every mobilizer, forward and reversed, with quaternions and in Euler angles
EQUATIONS = _all_equations()


def random_q(equations: MobilizerEquations, rng: np.random.Generator) -> np.ndarray:
    """Any coordinates but near singularities: there the condition of M, and the rates of angles, multiply round-off without bound.

    A quaternion has any length, since it stands for a rotation by its direction alone.
    """
    while True:
        q = rng.normal(size=equations.nq)
        H = np.asarray(equations.H_FM(q), dtype=float)
        rates = [np.linalg.norm(equations.q_dot(q, unit)) for unit in np.eye(equations.nu)]
        if not equations.nu or (np.linalg.svd(H, compute_uv=False)[-1] > 0.25 and max(rates) < 4):
            return q


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
        """Any time, speeds, and coordinates by random_q."""
        state = self.system.realize_topology()
        state.time = rng.uniform(0, 3)
        for body in self.bodies:
            body.set_q(state, random_q(body.equations_in(state), rng))
        state.u = rng.normal(size=len(state.u))
        return state


def random_mechanism(seed: int, *, n_bodies: int = len(MOBILIZERS) + 3, in_euler_angles: bool = False) -> Mechanism:
    """A tree with every mobilizer at least once, forward or reversed, general frames and masses, and one force of each kind."""
    rng = np.random.default_rng(seed)
    system = mb.MultibodySystem(f"mechanism {seed}")
    matter = mb.MatterSubsystem(system)
    matter.set_uses_euler_angles_by_default(in_euler_angles)
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


def rate_along_motion(system: mb.System, state: mb.State, quantity: Callable[[mb.State], Any], *, step: float = 2e-3) -> np.ndarray:
    """d/dt of quantity(state) as q moves with q_dot and u with u_dot, time standing still.

    Central differences of order 6 (Fornberg, Generation of finite difference formulas, Math. Comp. 51 (1988), table 1): for a frequency
    of 8 rad/s, which is that of the fastest bodies, the truncation error is some 1e-13 of the size, the round-off some 2e-13.
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
