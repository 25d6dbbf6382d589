"""Trees with every mobilizer, forward and reversed, and every force but contacts and drives: mechanisms with many kinds."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import mobod as mb
from mobod import functions

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
            functions.MultiPoly(2, [(0.9, [1, 0]), (0.2, [1, 1])]),
            functions.Sinusoid(0.5, 0.9, 0.1),
            functions.Polynomial([0.1, 0.8, 0.3]),
            functions.Spline.fit(np.linspace(-4, 4, 9), np.cos(np.linspace(-3, 5, 9)), degree=5),
            0.2,
        ],
        coordinate_indices=[[0, 1], [1, 2], [2], [2], [0], []],
    ),
    "Gimbal": mb.Gimbal,
    "LineOrientation": mb.LineOrientation,
    "Pin": mb.Pin,
    "Planar": mb.Planar,
    "Screw": partial(mb.Screw, pitch=0.3),
    "Slider": mb.Slider,
    "SphericalCoords": partial(mb.SphericalCoords, azimuth_offset=0.4, zenith_offset=0.7),
    "Translation": mb.Translation,
    "Universal": mb.Universal,
    "Weld": mb.Weld,
}
_EACH_FORCE_FOR = 30  # bodies for one of each force


def mixed_tree(n_bodies: int) -> tuple[mb.MultibodySystem, mb.State]:
    """A System and an unrealized State with nonzero speeds. Mobilizers alternate, so that 36 bodies suffice for all of them in both
    directions.
    """
    rng = np.random.default_rng(n_bodies)
    system = mb.MultibodySystem("mixed tree")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    for i in range(n_bodies):
        # two children for each body, so that the depth of the tree grows with the logarithm of its size
        parent = matter.ground if i == 0 else matter.body(1 + (i - 1) // 2)
        kind = list(MOBILIZERS)[i % len(MOBILIZERS)]
        is_reversed = i // len(MOBILIZERS) % 2 == 1
        MOBILIZERS[kind](parent, _mass(rng), _frame(rng), _frame(rng), reversed=is_reversed, name=f"{kind} {i}")
    for part in range(max(1, n_bodies // _EACH_FORCE_FOR)):
        _add_forces(forces, rng, part)
    _add_forces_on_all(forces)
    state = system.realize_topology()
    state.q = rng.uniform(0.3, 0.9, len(state.q))  # far from the singularities of angles and radii
    state.u = rng.normal(size=len(state.u))
    return system, state


def _add_forces(forces: mb.ForceSubsystem, rng: np.random.Generator, part: int) -> None:
    """Adds each force that acts on one body or two, on random bodies."""
    bodies = forces.system.matter.bodies
    movable = [body for body in bodies if any(speed is not None for speed in body.equations.speed_of)]

    def mobility() -> tuple[Any, int, int]:
        """A random body, a coordinate and a speed that is the rate of this coordinate."""
        body = movable[rng.integers(len(movable))]
        coordinate = next(i for i, speed in enumerate(body.equations.speed_of) if speed is not None)
        speed = body.equations.speed_of[coordinate]
        assert speed is not None
        return body, coordinate, speed

    def ends() -> list[Any]:
        one, other = rng.permutation(len(bodies))[:2]
        return [bodies[one], rng.normal(scale=0.5, size=3), bodies[other], rng.normal(scale=0.5, size=3)]

    body, coordinate, _ = mobility()
    mb.MobilityLinearSpring(forces, body, coordinate=coordinate, stiffness=20.0, q_zero=0.1, name=f"spring {part}")
    body, coordinate, _ = mobility()
    curve = functions.Polynomial([3.0, 0.1, 0.0])
    mb.MobilityTableSpring(forces, body, curve, coordinate=coordinate, q_zero=0.1, name=f"table spring {part}")
    body, coordinate, _ = mobility()
    mb.MobilityLinearStop(forces, body, coordinate=coordinate, stiffness=10.0, dissipation=0.1, q_low=-0.2, q_high=0.2, name=f"stop {part}")
    body, _, speed = mobility()
    mb.MobilityLinearDamper(forces, body, speed=speed, damping=0.5, name=f"damper {part}")
    body, _, speed = mobility()
    mb.MobilityConstantForce(forces, body, speed=speed, force=0.3, name=f"push {part}")
    body, _, speed = mobility()
    mb.MobilityForce(forces, body, speed=speed, force=0.2, name=f"motor {part}")
    mb.TwoPointLinearSpring(forces, *ends(), stiffness=20.0, rest_length=0.5, name=f"two-point spring {part}")
    mb.TwoPointLinearDamper(forces, *ends(), damping=0.5, name=f"two-point damper {part}")
    mb.TwoPointConstantForce(forces, *ends(), force=0.4, name=f"two-point push {part}")
    body, station, other, _ = ends()
    mb.ConstantForce(forces, body, station, rng.normal(size=3), name=f"force {part}")
    mb.ConstantTorque(forces, body, rng.normal(size=3), name=f"torque {part}")
    mb.BodyDamping(forces, body, angular_damping=0.2, linear_damping=0.3, name=f"body damping {part}")
    stiffness, damping = rng.uniform(1, 20, size=6), rng.uniform(0.1, 1, size=6)
    mb.LinearBushing(
        forces, body, other, X_B1F=_frame(rng), X_B2M=_frame(rng), stiffness=stiffness, damping=damping, name=f"bushing {part}"
    )


def _add_forces_on_all(forces: mb.ForceSubsystem) -> None:
    """Adds forces that act on all bodies, and one port."""
    matter = forces.system.matter
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    mb.UniformGravity(forces, matter, gravity=[0.1, 0.2, 0.3], name="uniform gravity")
    mb.GlobalDamper(forces, matter, damping=0.1, name="global damper")
    mb.DiscreteForces(forces, matter, name="discrete forces")
    mb.Port(matter.bodies[-1], forces=forces, name="port")


def _mass(rng: np.random.Generator) -> mb.MassProperties:
    """The mass properties of six random point masses."""
    masses, points = rng.uniform(0.1, 0.6, size=6), rng.normal(scale=0.4, size=(6, 3))
    inertia = sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, points, strict=True))
    return mb.MassProperties(masses.sum(), masses @ points / masses.sum(), inertia)


def _frame(rng: np.random.Generator) -> mb.Transform:
    return mb.Transform(Rotation.random(random_state=rng).as_matrix(), rng.normal(scale=0.5, size=3))
