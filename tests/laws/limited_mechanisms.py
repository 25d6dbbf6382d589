"""Random mechanisms that hit and rest on limits: trees with limits of all coordinates, loops of them, falling boxes; all in motion."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

import mobod as mb
from mobod.simulate.projection import project_start
from mobod.spatial import from_quaternion
from mobod.system import State

# mobilizer -> how many coordinates it has
KINDS = {mb.Pin: 1, mb.Slider: 1, mb.Universal: 2, mb.Planar: 3, mb.Cylinder: 2, mb.Gimbal: 3, mb.BendStretch: 2}
STRETCH = (0.3, 0.7, 1.2)  # m, of a BendStretch: lower limit, start, upper limit


def limited_tree(seed: int, *, with_rods: bool = False, with_tendon: bool = False) -> tuple[mb.MultibodySystem, State]:
    """A System and its State, of up to five bodies; restitutions are up to 0.8. with_tendon: one through a coordinate of each body."""
    rng = np.random.default_rng(seed)
    system = mb.MultibodySystem(f"tree {seed}")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81)
    bodies: list = [matter.ground]
    for number in range(rng.integers(1, 6)):
        kind = list(KINDS)[rng.integers(len(KINDS))]
        com, mass = rng.normal(scale=0.3, size=3), rng.uniform(0.3, 3)
        properties = mb.MassProperties(mass, com, mb.Inertia.box(mass=mass, size=rng.uniform(0.2, 1, 3)).shifted(com))
        parent = bodies[rng.integers(len(bodies))]
        body = kind(parent, properties, X_PF=_pose(rng), X_BM=_pose(rng), name=f"body{number}")
        restitution = rng.choice([0.0, 0.3, 0.6, rng.uniform(0, 0.8)])
        for coordinate in range(KINDS[kind]):
            lower, upper = -rng.uniform(0.05, 0.8), rng.uniform(0.05, 0.8)
            if kind is mb.BendStretch and coordinate == 1:
                lower, start, upper = STRETCH
                body.set_default_q([0.0, start])
            body.set_limits(lower, upper, coordinate=coordinate, restitution=restitution)
        bodies.append(body)
    if with_tendon:
        coefficients = rng.choice([-1, 1], len(bodies) - 1) * rng.uniform(0.1, 0.3, len(bodies) - 1)
        tendon = mb.FixedTendon(forces, bodies[1:], [0] * len(coefficients), coefficients.tolist(), name="tendon")
        tendon.set_limits(-rng.uniform(0.01, 0.05), rng.uniform(0.01, 0.05), restitution=rng.uniform(0, 0.6))
    state = system.realize_topology()
    state.u = rng.normal(scale=2, size=len(state.u))
    if with_rods:
        rng = np.random.default_rng(seed + 10_000)
        _add_rods(system, state, rng)
        state = system.realize_topology()
        state.u = rng.normal(scale=2, size=len(state.u))
        project_start(system, state, 1e-11)  # random speeds do not satisfy the constraints
    return system, state


def _add_rods(system: mb.MultibodySystem, state: State, rng: np.random.Generator) -> None:
    """Adds one or two rods whose stations are not too close at the start."""
    system.realize(state, mb.Stage.POSITION)
    bodies = [system.matter.ground, *system.matter.bodies]
    rods = []
    for _ in range(rng.integers(1, 3)):
        one, other = (bodies[i] for i in rng.choice(len(bodies), 2, replace=False))
        stations = rng.normal(scale=0.3, size=3), rng.normal(scale=0.3, size=3)
        between = one.X_GB(state).apply(stations[0]) - other.X_GB(state).apply(stations[1])
        rods.append((one, stations[0], other, stations[1], float(np.linalg.norm(between))))
    for number, rod in enumerate(rods):
        mb.Rod(*rod, name=f"rod{number}")


@dataclass(frozen=True)
class Corners(mb.ConstraintEquations):
    """Heights of the corners of a box over a plane of its base; at rest on a face they depend on each other."""

    size: tuple[float, float, float]  # m

    @property
    def position_units(self) -> tuple[str, ...]:
        return ("m",) * 8

    def position_errors(self, motion: Any) -> Any:
        X = motion.X[1]
        corners = np.array(list(itertools.product((-0.5, 0.5), repeat=3))) * np.array(self.size)
        return np.array([(X.p + X.R @ corner)[1] for corner in corners])


def falling_box(seed: int) -> tuple[mb.MultibodySystem, State]:
    """A box that falls from 1 m, turning."""
    rng = np.random.default_rng(seed)
    system = mb.MultibodySystem(f"box {seed}")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81)
    size = rng.uniform(0.2, 0.6, 3)
    box = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.box(mass=1.0, size=size)), name="box")
    restitution = float(rng.choice([0, 0.2, 0.5]))
    mb.UnilateralConstraint(Corners(tuple(size.tolist())), [matter.ground, box], restitution=restitution, name="floor")
    state = system.realize_topology()
    quaternion = rng.normal(size=4)
    box.set_q(state, [*(quaternion / np.linalg.norm(quaternion)), 0, 1, 0])
    box.set_u(state, rng.normal(size=6))
    return system, state


def _pose(rng: np.random.Generator) -> mb.Transform:
    quaternion = rng.normal(size=4)
    return mb.Transform(from_quaternion(list(quaternion / np.linalg.norm(quaternion))), rng.normal(scale=0.3, size=3))


def gimbal_near_its_lock(seed: int) -> tuple[mb.MultibodySystem, State]:
    """A body on a Gimbal near its singularity, where its first and third coordinate are nearly one rotation; both have limits and reach
    them alternately.
    """
    rng = np.random.default_rng(seed)
    system = mb.MultibodySystem(f"gimbal {seed}")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81)
    com, mass, sides = rng.normal(scale=0.2, size=3), rng.uniform(0.5, 3.0), rng.uniform(0.1, 0.6, size=3)
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    central = mass / 12 * np.diag(np.sum(sides**2) - sides**2)
    inertia = axes @ central @ axes.T + mass * (com @ com * np.eye(3) - np.outer(com, com))
    body = mb.Gimbal(matter.ground, mb.MassProperties(mass, com, inertia), name="body")
    body.set_limits(coordinate=0, lower=-0.6, upper=0.6, restitution=0.8)
    body.set_limits(coordinate=2, lower=-0.6, upper=0.6, restitution=0.3)
    state = system.realize_topology()
    body.set_q(state, [rng.uniform(-0.5, 0.5), np.pi / 2 + rng.uniform(-0.6, 0.6), rng.uniform(-0.5, 0.5)])
    body.set_u(state, rng.normal(scale=2.0, size=3))
    return system, state


@dataclass(frozen=True)
class Planes(mb.ConstraintEquations):
    """Distances of the point with the coordinates q from planes through the origin, on the side of their normals."""

    normals: tuple[tuple[float, float, float], ...]

    @property
    def position_units(self) -> tuple[str, ...]:
        return ("m",) * len(self.normals)

    def position_errors(self, motion: Any) -> Any:
        return np.array([sum(n * x for n, x in zip(normal, motion.q[0], strict=True)) for normal in self.normals])


def particle_in_funnel(seed: int) -> tuple[mb.MultibodySystem, State]:
    """A particle thrown into a narrow funnel of four planes: impacts at ever shorter intervals, in a chaotic order."""
    rng = np.random.default_rng(seed)
    system = mb.MultibodySystem("funnel")
    matter = mb.MatterSubsystem(system)
    particle = mb.Translation(matter.ground, mb.MassProperties(1.3, [0, 0, 0], np.eye(3)), name="particle")
    around, tilt = np.arange(4) * np.pi / 2 + rng.uniform(-0.4, 0.4, 4), rng.uniform(0.005, 0.1, 4)
    normals = np.stack([np.cos(around) * np.cos(tilt), np.sin(around) * np.cos(tilt), np.sin(tilt)], axis=1)
    for number, (normal, restitution) in enumerate(zip(normals.tolist(), (0.8, 0.3, 0.5, 0.6), strict=True)):
        mb.UnilateralConstraint(Planes((tuple(normal),)), mobilizers=[particle], restitution=restitution, name=f"side{number}")
    state = system.realize_topology()
    particle.set_q(state, [*rng.uniform(-0.01, 0.01, 2), 1.0])
    particle.set_u(state, [*rng.normal(scale=0.5, size=2), -1.5])
    return system, state
