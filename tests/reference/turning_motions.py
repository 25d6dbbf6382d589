"""Motions with moments of friction (data/geometry/rolling_and_drilling.json), under error control and in fixed steps.

`contensou_disc` and `disc_slides_and_spins` are of another law, in which slip and spin are coupled.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

import mobod as mb
from mobod.contact import Box, Capsule, HalfSpace, Sphere
from tests.reference.models import check_keys

Found = dict[str, tuple[Any, Any, float]]  # quantity: mobod's, the file's, tolerance

GRAVITY, MASS, STEP = 9.81, 1.5, 1e-3
EXACT, ACCURACY = 1e-9, 1e-10
IN_STEPS = 2.0  # steps: of times and, times the speed, of ways in fixed steps; where friction changes within a step


def body_on_plane(
    shape: Any, inertia: mb.Inertia, height: float, slope: float = 0.0, **friction: Any
) -> tuple[mb.State, mb.Free, mb.RigidContact]:
    """(State at rest, body, contact) of a body on the plane z = 0; x points down the slope (rad)."""
    system = mb.MultibodySystem("body on a plane")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[np.sin(slope), 0, -np.cos(slope)], magnitude=GRAVITY)
    body = mb.Free(matter.ground, mb.MassProperties(MASS, [0, 0, 0], inertia), name="body")
    lying = mb.Transform(np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])) if isinstance(shape, Capsule) else None
    contact = mb.RigidContact(matter.ground, HalfSpace(), body, shape, X_B2S2=lying, name="contact", **friction)
    body.set_default_q([1, 0, 0, 0, 0, 0, height])
    return system.realize_topology(), body, contact


def ball(radius: float, slope: float = 0.0, **friction: Any) -> tuple[mb.State, mb.Free, mb.RigidContact]:
    return body_on_plane(Sphere(radius), mb.Inertia.sphere(mass=MASS, radius=radius), radius, slope, **friction)


def ends(start: mb.State, until: float) -> dict[str, mb.Results]:
    """Results by both schemes."""
    fixed = mb.Simulation(start.system, integrator="velocity_level", step=STEP, backend="interpreted")
    return {
        "error control": mb.Simulation(start.system, accuracy=ACCURACY, backend="interpreted").run(start, until),
        "fixed steps": fixed.run(start, until),
    }


def stops(start: mb.State, body: mb.Free, time: float, way: float) -> Found:
    """The time at which a body stops to roll, and its way along x."""
    found: Found = {}
    speed = 2 * way / time  # at the start, of a steady deceleration
    for scheme, results in ends(start, 1.2 * time).items():
        exact = scheme == "error control"
        if exact:
            times = [each.time for each in results.events if each.name == "contact.point.rolling"]
            found[f"time, {scheme}"] = times, [time], EXACT
        tolerance = EXACT if exact else IN_STEPS * STEP * speed / way
        found[f"way, {scheme}"] = body.q(results.final_state)[4], way, tolerance
        found[f"rest, {scheme}"] = body.u(results.final_state) / speed, np.zeros(6), EXACT
    return found


def spins(start: mb.State, body: mb.Free, time: float, angle: float) -> Found:
    """The time after which a spin about the vertical has ended, and the cosine and sine of its angle."""
    found: Found = {}
    for scheme, results in ends(start, 1.2 * time).items():
        exact = scheme == "error control"
        w, _, _, z = body.q(results.final_state)[:4]
        expected = [np.cos(angle), np.sin(angle)]
        tolerance = EXACT if exact else IN_STEPS * STEP * 2 * angle / time
        found[f"angle, {scheme}"] = [w * w - z * z, 2 * w * z], expected, tolerance
        found[f"rest, {scheme}"] = body.u(results.final_state), np.zeros(6), EXACT
        if exact:
            found["time"] = results.events[-1].time, time, EXACT
    return found


def disc_spins_flat(case: Mapping[str, Any]) -> Found:
    """One point in the middle carries the weight."""
    check_keys(case, frozenset(["radius", "mu_t", "spin", "stop_time", "angle"]), "a disc that spins")
    thin = mb.Inertia.cylinder(mass=MASS, radius=case["radius"], length=1e-3, axis="z")
    start, body, _ = body_on_plane(Sphere(0.05), thin, 0.05, static_friction=0.5, torsional_friction=case["mu_t"])
    body.set_u(start, [0, 0, case["spin"], 0, 0, 0])
    return spins(start, body, case["stop_time"], case["angle"])


def ring_of_points(case: Mapping[str, Any]) -> Found:
    """Four corners, without a moment of friction."""
    check_keys(case, frozenset(["radius", "mu", "spin", "stop_time"]), "a ring of points")
    side = case["radius"] / np.sqrt(2)
    disc = mb.Inertia.cylinder(mass=MASS, radius=case["radius"], length=0.02, axis="z")
    start, body, _ = body_on_plane(Box([side, side, 0.01]), disc, 0.01, static_friction=case["mu"])
    body.set_u(start, [0, 0, case["spin"], 0, 0, 0])
    return spins(start, body, case["stop_time"], case["spin"] * case["stop_time"] / 2)


def ball_drills(case: Mapping[str, Any]) -> Found:
    check_keys(case, frozenset(["radius", "mu_t", "spin", "stop_time"]), "a ball that drills")
    start, body, _ = ball(case["radius"], static_friction=0.3, torsional_friction=case["mu_t"])
    body.set_u(start, [0, 0, case["spin"], 0, 0, 0])
    return spins(start, body, case["stop_time"], case["spin"] * case["stop_time"] / 2)


def ball_rolls_to_rest(case: Mapping[str, Any]) -> Found:
    check_keys(
        case, frozenset(["radius", "mu_r", "mu", "speed", "deceleration", "stop_time", "stop_distance", "least_mu"]), "a ball that rolls"
    )
    start, body, _ = ball(case["radius"], static_friction=case["mu"], rolling_friction=case["mu_r"])
    body.set_u(start, [0, case["speed"] / case["radius"], 0, case["speed"], 0, 0])
    return stops(start, body, case["stop_time"], case["stop_distance"])


def cylinder_rolls_to_rest(case: Mapping[str, Any]) -> Found:
    """On two points of a capsule, each with half of the weight."""
    check_keys(case, frozenset(["radius", "mu_r", "speed", "stop_distance"]), "a cylinder that rolls")
    radius, speed = case["radius"], case["speed"]
    solid = mb.Inertia.cylinder(mass=MASS, radius=radius, length=0.3, axis="y")
    start, body, _ = body_on_plane(Capsule(radius, 0.15), solid, radius, static_friction=0.5, rolling_friction=case["mu_r"])
    body.set_u(start, [0, speed / radius, 0, speed, 0, 0])
    found: Found = {}
    for scheme, results in ends(start, 2.4 * case["stop_distance"] / speed).items():
        tolerance = EXACT if scheme == "error control" else IN_STEPS * STEP * speed / case["stop_distance"]
        found[f"way, {scheme}"] = body.q(results.final_state)[4], case["stop_distance"], tolerance
    return found


def ball_on_slope_with_rolling_friction(case: Mapping[str, Any]) -> Found:
    needed = "radius mu_r mu slope_deg rests acceleration slides angular_acceleration"
    check_keys(case, frozenset(needed.split()), "a ball on a slope")
    start, body, contact = ball(case["radius"], np.deg2rad(case["slope_deg"]), static_friction=case["mu"], rolling_friction=case["mu_r"])
    found: Found = {}
    for scheme, results in ends(start, 0.2).items():
        expected = 0.2 * np.array([case["acceleration"], case["angular_acceleration"]])
        found[f"speeds, {scheme}"] = body.u(results.final_state)[[3, 1]], expected, EXACT
        found[f"rolls, {scheme}"] = float(contact.moment_modes(results.final_state, "rolling_friction") == ["slip"]), _rolls(case), 0.5
        found[f"slides, {scheme}"] = float(contact.modes(results.final_state) == ["slip"]), float(case["slides"]), 0.5
    return found


def _rolls(case: Mapping[str, Any]) -> float:
    """Whether its rolling friction is at its limit and turns against a motion."""
    return float(case["angular_acceleration"] != 0)


def ball_slides_then_rolls_to_rest(case: Mapping[str, Any]) -> Found:
    check_keys(
        case,
        frozenset(["radius", "mu_r", "mu", "speed", "rolls_from", "rolling_speed", "distance_sliding", "total_distance"]),
        "a thrown ball",
    )
    start, body, _ = ball(case["radius"], static_friction=case["mu"], rolling_friction=case["mu_r"])
    body.set_u(start, [0, 0, 0, case["speed"], 0, 0])
    until = case["rolls_from"] + 2.2 * (case["total_distance"] - case["distance_sliding"]) / case["rolling_speed"]
    found: Found = {}
    for scheme, results in ends(start, until).items():
        exact = scheme == "error control"
        if exact:
            event = results.events[0]
            found["begin of rolling"] = event.time, case["rolls_from"], EXACT
            found["speed there"] = event.y_after[7 + 3], case["rolling_speed"], EXACT
            found["way there"] = event.y_after[4], case["distance_sliding"], EXACT
        tolerance = EXACT if exact else IN_STEPS * STEP * case["speed"] / case["total_distance"]
        found[f"way, {scheme}"] = body.q(results.final_state)[4], case["total_distance"], tolerance
    return found


FAMILIES = {
    each.__name__: each
    for each in (
        disc_spins_flat,
        ring_of_points,
        ball_drills,
        ball_rolls_to_rest,
        cylinder_rolls_to_rest,
        ball_on_slope_with_rolling_friction,
        ball_slides_then_rolls_to_rest,
    )
}
