"""Balls that roll on terrain (data/geometry/resting.json): in a bowl, in a wave, into a valley edge of triangles."""

from collections.abc import Mapping
from typing import Any

import numpy as np

import mobod as mb
from mobod.contact import HeightField, Sphere
from tests.reference.models import CannotBuildError, check_keys

Found = dict[str, tuple[Any, Any, float]]  # quantity: mobod's, the file's, tolerance

SPACING, GRAVITY = 0.01, 9.81
STEEPEST = 1.4  # rad, of a height field under a ball
PERIODS = 1e-5  # relative: a spline through points 1 cm apart, and a turn found between two times
KINKS = 1e-6  # relative: friction acts at the middle of the step in which the edge lies


def rolling_ball(field: HeightField, radius: float, p: np.ndarray, *, gravity: float = GRAVITY) -> tuple[Any, Any, Any]:
    """(system, ball, State) of a ball that cannot slip."""
    system = mb.MultibodySystem("ball")
    matter = mb.MatterSubsystem(system)
    if gravity:
        mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=gravity)
    ball = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], 0.4 * radius**2 * np.eye(3)), name="ball")
    mb.RigidContact(matter.ground, field, ball, Sphere(radius), static_friction=5.0, name="contact")
    state = system.realize_topology()
    ball.set_q(state, [1, 0, 0, 0, *p])
    return system, ball, state


def period_of(field: HeightField, radius: float, p: np.ndarray, expected: float) -> float:
    """s: when the ball is at rest again, between two times near the expected one."""
    system, ball, state = rolling_ball(field, radius, p)
    beside = 1e-3 * expected
    speeds = []
    for _ in range(2):
        end = expected - beside if not speeds else expected + beside
        state = mb.Simulation(system, accuracy=1e-8, backend="interpreted").run(state, end, report_every=end).final_state
        speeds.append(ball.u(state)[3])
    return expected - beside + 2 * beside * speeds[0] / (speeds[0] - speeds[1])


def ball_in_bowl(case: Mapping[str, Any]) -> Found:
    needed = frozenset(["bowl_radius", "ball_radius", "amplitude_rad", "period"])
    check_keys(case, needed, "a ball in a bowl", frozenset(["small_frequency_rad_s", "check", "note"]))
    R, r, angle = case["bowl_radius"], case["ball_radius"], case["amplitude_rad"]
    if angle > STEEPEST:
        raise CannotBuildError(f"a bowl in which a ball begins at {angle:g} rad: a height field has no walls")
    # the sphere ends between the ball's first point and its equator, and goes on with the same curvature
    edge = R * np.sin((angle + np.pi / 2) / 2)
    spacing = min(SPACING, R * np.cos(angle) / 60)
    half = int(np.ceil((R * np.sin(angle) + 10 * spacing) / spacing))
    x, y = spacing * np.arange(-half, half + 1), spacing * np.arange(-10, 11)
    away = np.hypot(x[:, None], y)
    inside, depth = np.minimum(away, edge), np.sqrt(R**2 - edge**2)
    beyond = edge / depth * (away - inside) + R**2 / (2 * depth**3) * (away - inside) ** 2
    field = HeightField(R - np.sqrt(R**2 - inside**2) + beyond, spacing, smooth=True)
    center = np.array([(R - r) * np.sin(angle), 0.0, R - (R - r) * np.cos(angle)])
    return {"period": (period_of(field, r, center, case["period"]), case["period"], PERIODS)}


def ball_on_sine(case: Mapping[str, Any]) -> Found:
    names = "amplitude_of_surface wave_length ball_radius contact_x_at_rest period small_period curvature"
    check_keys(case, frozenset(names.split()), "a ball on a wave")
    A, r, x, k = case["amplitude_of_surface"], case["ball_radius"], case["contact_x_at_rest"], 2 * np.pi / case["wave_length"]
    half = round(case["wave_length"] / 2 / SPACING)
    heights = -A * np.cos(k * SPACING * np.arange(-half, half + 1))
    field = HeightField(np.repeat(heights[:, None], 3, axis=1), (SPACING, 0.5), smooth=True)
    normal = np.array([-A * k * np.sin(k * x), 0.0, 1.0])
    center = np.array([x, 0.0, -A * np.cos(k * x)]) + r * normal / np.linalg.norm(normal)
    return {"period": (period_of(field, r, center, case["period"]), case["period"], PERIODS)}


def kinks_of_a_trough(case: Mapping[str, Any]) -> Found:
    check_keys(case, frozenset(["kink_deg", "ratio", "facets_of_90_deg", "ratio_over_90_deg"]), "a kink")
    slope, radius = np.radians(case["kink_deg"]) / 2, 0.05
    valley = HeightField(np.repeat(np.tan(slope) * np.abs(0.2 * np.arange(-3, 4))[:, None], 3, axis=1), 0.2)
    start = np.array([-0.3, 0.07, 0.3 * np.tan(slope) + radius / np.cos(slope)])
    system, ball, state = rolling_ball(valley, radius, start, gravity=0.0)
    ball.set_u(state, [0, 1 / radius, 0, np.cos(slope), 0, -np.sin(slope)])
    run = mb.Simulation(system, integrator="velocity_level", step=5e-4, backend="interpreted").run(state, 0.32, report_every=0.32)
    _, turning, _, *velocity = ball.u(run.final_state)
    ratio = (5 * np.linalg.norm(velocity) + 2 * turning * radius) / 7  # of its rolling
    n = case["facets_of_90_deg"]
    return {
        "ratio": (ratio, case["ratio"], KINKS),
        "ratio over 90 deg": (ratio**n, case["ratio_over_90_deg"], n * KINKS),
    }


FAMILIES = {each.__name__: each for each in (ball_in_bowl, ball_on_sine, kinks_of_a_trough)}
