"""Balls in a row, which touch or have gaps: what impact laws are compared on."""

from collections.abc import Sequence

import mobod as mb
from mobod.contact import Sphere

RADIUS = 0.05  # m


def row_of_balls(
    masses: Sequence[float], restitutions: float | Sequence[float] = 1.0, gaps: float | Sequence[float] = 0.0, friction: float = 0.0
) -> tuple[mb.MultibodySystem, list[mb.Slider], list[mb.RigidContact]]:
    """(system, balls, contacts) of balls that slide along x, each with a contact to the next one, with these gaps."""
    n = len(masses) - 1
    each_e = [float(restitutions)] * n if isinstance(restitutions, (int, float)) else list(restitutions)
    each_gap = [float(gaps)] * n if isinstance(gaps, (int, float)) else list(gaps)
    system = mb.MultibodySystem("row of balls")
    matter = mb.MatterSubsystem(system)
    balls, x = [], 0.0
    for i, mass in enumerate(masses):
        properties = mb.MassProperties(float(mass), [0, 0, 0], mb.Inertia.sphere(mass=float(mass), radius=RADIUS))
        balls.append(mb.Slider(matter.ground, properties, X_PF=mb.Transform(p=[x, 0, 0]), name=f"ball{i}"))
        x += 2 * RADIUS + (each_gap[i] if i < n else 0.0)
    contacts = [
        mb.RigidContact(
            balls[i], Sphere(RADIUS), balls[i + 1], Sphere(RADIUS), static_friction=friction, restitution=each_e[i], name=f"contact{i}"
        )
        for i in range(n)
    ]
    return system, balls, contacts


def started(system: mb.MultibodySystem, balls: Sequence[mb.Slider], speeds: Sequence[float]) -> mb.State:
    """The default State with these speeds of the balls."""
    state = system.realize_topology()
    for ball, speed in zip(balls, speeds, strict=True):
        ball.set_u(state, float(speed))
    return state


def speeds_of(state: mb.State, balls: Sequence[mb.Slider]) -> list[float]:
    return [float(ball.u(state)[0]) for ball in balls]
