"""Convex shapes that rest on each other (data/geometry/resting.json), in fixed steps: boxes, logs, a cylinder on edges, a ball in a groove.

`ball_in_bowl`, `kinks_of_a_trough` and `ball_on_sine` are in terrain_motions.py.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mobod.contact import Box, Cylinder, Sphere
from tests.analytic.scenes_of_shapes import Scene, rotation
from tests.reference.models import check_keys

Found = dict[str, tuple[Any, Any, float]]  # quantity: mobod's, the file's, tolerance

LOADS, MOVES = 1e-9, 1e-6  # relative; m in 1 s
OF_ROUND_SHAPES = 1e-6  # relative: their points are found to round-off of the square root
HALF_LENGTH = 0.2  # m, of logs
UNTIL, STEP = 1.0, 0.005


def box_over_edge(case: Mapping[str, Any]) -> Found:
    needed = ["mass", "half_length_x", "centre", "tips"]
    rest = ["load_at_edge", "load_at_far_end", "overhang_of_center"]
    tipping = ["angular_acceleration", "half_height", "note"]
    check_keys(case, frozenset([*needed, *(tipping if case["tips"] else rest)]), "a box over an edge")
    half = [case["half_length_x"], 0.1, case.get("half_height", 0.1)]
    scene = Scene()
    scene.fix(Box([1.0, 1.0, 0.1]), [-1.0, 0, -0.1], name="table")
    scene.add(Box(half), [case["centre"], 0, half[2]], mass=case["mass"])
    state = scene.begin(friction=1.0)
    if case["tips"]:
        step = 1e-4
        final = scene.run(state, step, step=step).final_state
        return {"angular acceleration": (scene.bodies[0].u(final)[1] / step, case["angular_acceleration"], 1e-3)}  # of first order
    final = scene.run(state, UNTIL, step=STEP).final_state
    contact = scene.contacts["table_body0"]
    forces, x = contact.normal_force(final), contact.contact_point(final)[:, 0]
    at_edge = np.abs(x) < 1e-6
    return {
        "load at the edge": (forces[at_edge].sum(), case["load_at_edge"], LOADS),
        "load at the far end": (forces[~at_edge].sum(), case["load_at_far_end"], LOADS),
        "rest": (scene.largest_move(final), 0.0, MOVES),
    }


def pyramid_of_logs(case: Mapping[str, Any]) -> Found:
    names = "mass radius normal_between friction normal_floor least_mu_between least_mu_floor"
    check_keys(case, frozenset(names.split()), "a pyramid of logs")
    m, r = case["mass"], case["radius"]
    lying = rotation("x", np.pi / 2)
    inertia = np.diag([m * (r**2 / 4 + HALF_LENGTH**2 / 3)] * 2 + [m * r**2 / 2])
    scene = Scene()
    scene.floor()
    for x, z in ((-r, r), (r, r), (0, r * (1 + np.sqrt(3)))):
        scene.add(Cylinder(r, HALF_LENGTH), [x, 0, z], lying, mass=m, inertia=inertia)
    final = scene.run(scene.begin(friction=1.2 * case["least_mu_between"]), UNTIL, step=STEP).final_state
    found: Found = {"rest": (scene.largest_move(final), 0.0, MOVES)}
    for i in range(2):
        upper, floor = scene.contacts[f"body{i}_body2"], scene.contacts[f"floor_body{i}"]
        friction = np.linalg.norm(upper.friction_force(final).sum(axis=0))
        found[f"normal force between, {i}"] = upper.normal_force(final).sum(), case["normal_between"], OF_ROUND_SHAPES
        found[f"friction between, {i}"] = friction, case["friction"], OF_ROUND_SHAPES
        found[f"normal force on the floor, {i}"] = floor.normal_force(final).sum(), case["normal_floor"], OF_ROUND_SHAPES
    return found


def pyramid_of_boxes(case: Mapping[str, Any]) -> Found:
    check_keys(case, frozenset(["mass_upper", "mass_lower", "on_each_lower", "on_floor_each"]), "a pyramid of boxes")
    scene = Scene()
    scene.floor()
    for x in (-0.13, 0.13):
        scene.add(Box([0.1, 0.1, 0.1]), [x, 0, 0.1], mass=case["mass_lower"])
    scene.add(Box([0.1, 0.1, 0.1]), [0, 0, 0.3], mass=case["mass_upper"])
    final = scene.run(scene.begin(), UNTIL, step=STEP).final_state
    found: Found = {"rest": (scene.largest_move(final), 0.0, MOVES)}
    for i in range(2):
        found[f"on lower box {i}"] = scene.load(f"body{i}_body2", final), case["on_each_lower"], LOADS
        found[f"of lower box {i}"] = scene.load(f"floor_body{i}", final), case["on_floor_each"], LOADS
    return found


def cylinder_on_two_edges(case: Mapping[str, Any]) -> Found:
    check_keys(case, frozenset(["mass", "radius", "half_gap", "normal_force", "axis_height"]), "a cylinder on two edges")
    m, r = case["mass"], case["radius"]
    scene = Scene()
    for side in (-1, 1):
        scene.fix(Box([0.5, 0.5, 0.1]), [side * (0.5 + case["half_gap"]), 0, -0.1], name=f"side{side}")
    inertia = np.diag([m * (r**2 / 4 + HALF_LENGTH**2 / 3)] * 2 + [m * r**2 / 2])
    scene.add(Cylinder(r, HALF_LENGTH), [0, 0, case["axis_height"]], rotation("x", np.pi / 2), mass=m, inertia=inertia)
    final = scene.run(scene.begin(friction=0.0), UNTIL, step=STEP).final_state
    loads = [scene.load(f"side{side}_body0", final) for side in (-1, 1)]
    return {
        "normal forces": (loads, [case["normal_force"]] * 2, OF_ROUND_SHAPES),
        "height of the axis": (scene.bodies[0].q(final)[6], case["axis_height"], MOVES),
    }


def ball_in_v_groove(case: Mapping[str, Any]) -> Found:
    names = "wall_deg slope_deg radius mass normal_force acceleration_rolling friction_each least_mu"
    check_keys(case, frozenset(names.split()), "a ball in a groove")
    wall, slope, r, until = np.deg2rad(case["wall_deg"]), np.deg2rad(case["slope_deg"]), case["radius"], 0.2
    found: Found = {}
    for friction in (0.5, 0.0):
        scene = Scene(down=(0.0, np.sin(slope), -np.cos(slope)))
        for side in (-1, 1):
            R = rotation("y", -side * wall)
            scene.fix(Box([0.3, 1.0, 0.1]), R @ np.array([side * 0.3, 0, -0.1]), R, name=f"wall{side}")
        scene.add(Sphere(r), [0, 0, r / np.cos(wall)], mass=case["mass"], inertia=0.4 * case["mass"] * r**2 * np.eye(3))
        final = scene.run(scene.begin(friction), until, step=STEP).final_state
        if friction:
            found["acceleration"] = scene.bodies[0].u(final)[4] / until, case["acceleration_rolling"], LOADS
        else:  # friction across the groove would carry a part
            loads = [scene.load(f"wall{side}_body0", final) for side in (-1, 1)]
            found["normal forces"] = loads, [case["normal_force"]] * 2, LOADS
    return found


FAMILIES = {each.__name__: each for each in (box_over_edge, pyramid_of_logs, pyramid_of_boxes, cylinder_on_two_edges, ball_in_v_groove)}
