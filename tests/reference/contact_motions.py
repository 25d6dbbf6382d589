"""Compare motions with dry friction that are known in closed form (data/contact/closed_forms.json) with mobod's event-driven runs."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import mobod as mb
from tests.reference import contact_models as models
from tests.reference import impact_motions, resting_shapes, sliding_discs, terrain_motions, turning_motions
from tests.reference.cases import Comparison, Report
from tests.reference.jammed_rods import impact_without_collision
from tests.reference.models import CannotBuildError, check_keys

ACCURACY = 1e-10  # of a run, relative to the size of the motion
SMALLEST_ACCURACY = 1e-13
EXACT = 1e-9  # of values, relative to the largest entry, and of the times of events in s
SEARCHED = 1e-3  # of the scale of a restitution, which is searched by bisection
COUNT = 0.5  # counts must be equal
# the error of a solution of first order, relative to its difference to that with twice the step; the woodpecker needs 1.1433 with any
# accuracy of its run, so that the error is that of the file
MORE = 1.15
SHORT = 1e-3  # s, of a motion after an impact

Found = dict[str, tuple[Any, Any, float]]  # quantity: mobod's, the file's, tolerance


def read_contact_motions(path: Path) -> list[dict[str, Any]] | None:
    """The cases of a file with families of motions; None if it has other content."""
    content = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict) or not all(isinstance(each, dict) and {"what", "cases"} <= each.keys() for each in content.values()):
        return None
    return [
        {"name": f"{family}[{i}]", "family": family, "content": case}
        for family, given in content.items()
        for i, case in enumerate(given["cases"])
    ]


def compare_contact_motion(case: dict[str, Any]) -> Report:
    report = Report(case["name"])
    try:
        if case["family"] not in FAMILIES:
            raise CannotBuildError(f"a motion of the family {case['family']}")
        for name, (value, expected, tolerance) in FAMILIES[case["family"]](case["content"]).items():
            report.compared.append(Comparison(name, error_of(value, expected), tolerance))
    except CannotBuildError as error:
        report.trouble = f"not in mobod yet: {error}"
    except mb.MobodError as error:
        report.trouble = f"{type(error).__name__}: {error}"
    return report


def error_of(value: Any, expected: Any) -> float:
    """Relative to the largest entry that is expected, or to 1 where all are zero."""
    value, expected = np.asarray(value, dtype=float), np.asarray(expected, dtype=float)
    if value.shape != expected.shape:
        return float("inf")
    error = np.abs(value - expected).max(initial=0.0) / (np.abs(expected).max(initial=0.0) or 1.0)
    return float(error) if np.isfinite(error) else float("inf")


def run(start: mb.State, until: float, size: float = 1.0, **options: Any) -> mb.Results:
    """Results of a motion of a size in m or rad. Accuracies are relative to 1 + each number: small motions need smaller ones."""
    accuracy = max(ACCURACY * min(size, 1.0), SMALLEST_ACCURACY)
    results = mb.Simulation(start.system, accuracy=accuracy).run(start, until, **options)
    start.system.realize(results.final_state, mb.Stage.ACCELERATION)
    return results


def at_start(given: mb.State) -> mb.State:
    """The State that a run has decided at its start."""
    return run(given, 0.0).final_state


def keys(names: str) -> frozenset[str]:
    """Names that are separated by spaces."""
    return frozenset(names.split())


def is_mode(mode: str, expected: str) -> tuple[float, float, float]:
    return float(mode == expected), 1.0, COUNT


def changes(results: mb.Results, name: str) -> list[Any]:
    """The events of the friction of a contact or joint."""
    return [event for event in results.events if event.name == name]


def first_time(results: mb.Results, name: str) -> float:
    return float(next((event.time for event in changes(results, name)), np.nan))


# ---- blocks ----


def incline(case: Mapping[str, Any]) -> Found:
    needed = frozenset({"mu_s", "mu_k", "angle", "speed_down", "gravity", "acceleration_down"})
    further = keys("critical_angle sticks friction_over_weight stop_time stop_distance sticks_after acceleration_after")
    check_keys(case, needed, "an incline", further)
    gravity, m = case["gravity"], 2.0
    start, block, contact, _ = models.block_on_plane(m, gravity, case["speed_down"], case["mu_s"], case["mu_k"], case["angle"])
    first = at_start(start)
    found: Found = {"acceleration": (block.u_dot(first)[0], case["acceleration_down"], EXACT)}
    if "sticks" in case:
        found["mode"] = is_mode(contact.mode(first), "stick" if case["sticks"] else "slip")
    if "friction_over_weight" in case:
        found["friction"] = abs(contact.friction_force(first)[0, 0]) / (m * gravity), case["friction_over_weight"], EXACT
    if case.get("stop_time") is None:
        results = run(start, 1.0)
        found["speed after 1 s"] = block.u(results.final_state)[0], case["speed_down"] + case["acceleration_down"], EXACT
        found["events"] = len(results.events), 0, COUNT
        return found
    results = run(start, 2 * case["stop_time"])
    final, event = results.final_state, results.events[0]
    distance = case["stop_distance"] + 0.5 * case["acceleration_after"] * case["stop_time"] ** 2
    return found | {
        "time of the stop": (event.time, case["stop_time"], EXACT),
        "distance of the stop": (event.y_after[0], case["stop_distance"], EXACT),
        "mode after it": is_mode(contact.mode(final), "stick" if case["sticks_after"] else "slip"),
        "acceleration after it": (block.u_dot(final)[0], case["acceleration_after"], EXACT),
        "distance at the end": (block.q(final)[0], distance, EXACT),
        "events": (len(results.events), 1, COUNT),
    }


def sliding_block(case: Mapping[str, Any]) -> Found:
    check_keys(case, keys("mu_k mass viscous v0 gravity stop_time stop_distance"), "a sliding block")
    viscous = case["viscous"] / (case["mass"] * case["gravity"])  # of the coefficient
    start, block, contact, _ = models.block_on_plane(case["mass"], case["gravity"], case["v0"], case["mu_k"], case["mu_k"], viscous=viscous)
    results = run(start, 1.5 * case["stop_time"])
    final = results.final_state
    return {
        "time of the stop": (first_time(results, "contact.point.friction"), case["stop_time"], EXACT),
        "distance": (block.q(final)[0], case["stop_distance"], EXACT),
        "speed at the end": (block.u(final)[0], 0.0, EXACT),
        "mode at the end": is_mode(contact.mode(final), "stick"),
        "events": (len(results.events), 1, COUNT),
    }


def ball(case: Mapping[str, Any]) -> Found:
    needed = keys("mu radius gravity v0 w0 time_of_rolling speed_rolling spin_rolling distance")
    check_keys(case, needed, "a ball", frozenset({"speed_formula"}))
    start, ball, contact = models.ball_on_plane(1.5, case["radius"], case["gravity"], case["mu"], (case["w0"], case["v0"], 0.0))
    results = run(start, 1.5 * case["time_of_rolling"])
    event, final = results.events[0], results.final_state
    return {
        "time": (event.time, case["time_of_rolling"], EXACT),
        "distance": (event.y_after[4], case["distance"], EXACT),
        "speed": ([case["v0"], ball.u(final)[3]], [case["v0"], case["speed_rolling"]], EXACT),  # 0 of a ball that rolls to rest
        "spin": ([case["w0"], ball.u(final)[1]], [case["w0"], case["spin_rolling"]], EXACT),
        "mode": is_mode(contact.mode(final), "stick"),
        "events": (len(results.events), 1, COUNT),
    }


def belt(case: Mapping[str, Any]) -> Found:
    needed = keys("mass stiffness normal mu_s mu_k belt_speed x0 v0 events")
    check_keys(case, needed, "a belt", keys("slip_time stick_time period slip_amplitude"))
    start, *_ = models.block_on_belt(case)
    known = case["events"]
    results = run(start, known[-1]["t"] + 1e-6, size=max(abs(event["x"]) for event in known))
    found: Found = {"events": (len(results.events), len(known), COUNT)}
    for i, (event, expected) in enumerate(zip(results.events, known, strict=False)):
        way = max(case["belt_speed"] * expected["t"], abs(expected["x"]))  # of the belt
        found[f"event {i}: time"] = event.time, expected["t"], EXACT
        found[f"event {i}: kind"] = is_mode("slips" if event.direction > 0 else "sticks", expected["kind"])
        found[f"event {i}: x"] = [way, event.y_after[1]], [way, expected["x"]], EXACT
        found[f"event {i}: v"] = event.y_after[5], expected["v"], EXACT
    return found


def stacked(case: Mapping[str, Any]) -> Found:
    check_keys(case, keys("m1 m2 mu1 mu2 plate_acceleration gravity mode a1 a2 force_between force_of_plate"), "two blocks")
    start, (upper, lower), (between, of_plate) = models.blocks_on_plate(case)
    first, end = at_start(start), run(start, 0.5).final_state
    return {
        "accelerations": ([upper.u_dot(first)[0], lower.u_dot(first)[0]], [case["a1"], case["a2"]], EXACT),
        "speeds after 0.5 s": ([upper.u(end)[0], lower.u(end)[0]], [case["a1"] / 2, case["a2"] / 2], EXACT),
        "force between": (between.friction_force(first)[0, 0], case["force_between"], EXACT),
        "force of the plate": (of_plate.friction_force(first)[0, 0], case["force_of_plate"], EXACT),
    }


def brick(case: Mapping[str, Any]) -> Found:
    needed = keys("half_width half_height push_height mu force_over_weight mass gravity mode")
    further = "tips_above slides_above angular_acceleration com_acceleration normal friction acceleration pressure_offset edge_acceleration"
    check_keys(case, needed, "a brick", keys(further))
    start, brick, contact = models.pushed_brick(case)
    first = at_start(start)
    normals, friction = contact.normal_force(first), contact.friction_force(first).sum(axis=0)
    weight, u_dot = case["mass"] * case["gravity"], brick.u_dot(first)
    tips, slides = "tips" in case["mode"], "slides" in case["mode"]
    expected = [0.0, 0.0, 0.0]  # x, z, turn
    if tips:
        expected = [*case["com_acceleration"], case["angular_acceleration"]]
    elif slides:
        expected[0] = case["acceleration"]
    closed = [mode for mode, force in zip(contact.mode(first), normals, strict=True) if force > 1e-6 * weight]
    across = contact.contact_point(first)[:, 0]
    found: Found = {
        "accelerations": (u_dot[[3, 5, 1]], expected, EXACT),
        "accelerations out of the plane": (u_dot[[0, 2, 4]], [0.0, 0.0, 0.0], EXACT),
        "normal force": (normals.sum(), case["normal"] if tips else weight, EXACT),
        "friction": (friction[0], case.get("friction", case["mass"] * expected[0] - case["force_over_weight"] * weight), EXACT),
        "modes": (float(all(mode == ("slip" if slides else "stick") for mode in closed)), 1.0, COUNT),
    }
    if "pressure_offset" in case:
        found["offset of the pressure"] = normals @ across / normals.sum(), case["pressure_offset"], EXACT
    if "edge_acceleration" in case:
        found["acceleration of the edge"] = u_dot[3] - case["half_height"] * u_dot[1], case["edge_acceleration"], EXACT
    return found


# ---- joints and a hoop ----


def turning_points(results: mb.Results, known: list[Mapping[str, Any]], where: str, first: float, read: Callable[[Any], float]) -> Found:
    """The events of a swing from `first` against turning points, relative to the largest; the last may be a rest."""
    turns = [event for event in known if event.get("kind", "turns") == "turns"]
    events = [event for event in results.events if event.name.endswith("friction")]
    found: Found = {"turns": (len(events), len(turns), COUNT)}
    for i, (event, expected) in enumerate(zip(events, turns, strict=False)):
        found[f"turn {i}: time"] = event.time, expected["t"], EXACT
        found[f"turn {i}: {where}"] = [first, read(event)], [first, expected[where]], EXACT
    return found


def pendulum(case: Mapping[str, Any]) -> Found:
    check_keys(case, keys("inertia mgl torque phi0 events"), "a pendulum")
    start, pin, friction = models.hanging_pendulum(case)
    known = case["events"]
    results = run(start, known[-1]["t"] + 0.1, size=min(abs(event["phi"]) for event in known))
    final = results.final_state
    found = turning_points(results, known, "phi", case["phi0"], lambda event: event.y_after[0])
    if known[-1]["kind"] == "rests":
        found |= {
            "angle at rest": ([case["phi0"], pin.q(final)[0]], [case["phi0"], known[-1]["phi"]], EXACT),
            "rest": is_mode(friction.mode(final), "stick"),
            "torque at rest": ([case["phi0"], friction.torque(final) / case["mgl"]], [case["phi0"], np.sin(known[-1]["phi"])], EXACT),
        }
    return found


def oscillator(case: Mapping[str, Any]) -> Found:
    check_keys(case, keys("mass stiffness friction x0 turns"), "an oscillator")
    start, slider, friction = models.mass_on_spring(case)
    turns = [{"t": 0.0, "x": case["x0"]}, *case["turns"]]
    results = run(start, turns[-1]["t"] + 0.1, size=abs(case["x0"]))
    final, last = results.final_state, turns[-1]["x"]
    return turning_points(results, case["turns"], "x", case["x0"], lambda event: event.y_after[0]) | {
        "x at rest": ([case["x0"], slider.q(final)[0]], [case["x0"], last], EXACT),
        "rest": is_mode(friction.mode(final), "stick"),
        "force at rest": ([case["x0"], friction.torque(final) / case["stiffness"]], [case["x0"], last], EXACT),
    }


def bead(case: Mapping[str, Any]) -> Found:
    check_keys(case, keys("radius mu theta0 gravity events"), "a bead")
    start, bead, hoop = models.bead_on_hoop(case)
    known = case["events"]
    results = run(start, known[-1]["t"] + 0.1, size=case["radius"])
    final = results.final_state
    found = turning_points(results, known, "theta", case["theta0"], lambda event: np.arctan2(event.y_after[0], -event.y_after[1]))
    if known[-1]["kind"] == "rests":
        x, y = bead.q(final)[:2]
        found["angle at rest"] = [case["theta0"], np.arctan2(x, -y)], [case["theta0"], known[-1]["theta"]], EXACT
        found["rest"] = float("stick" in hoop.modes(final)), 1.0, COUNT
    return found


# ---- rods and impacts ----


def rod_with_tip_speed(case: Mapping[str, Any], angle: float, rate: float, tip_speed: float) -> Any:
    l = case["half_length"]
    u = (rate, tip_speed - l * np.sin(angle) * rate, l * np.cos(angle) * rate)
    return models.rod_on_floor(l, case["mu"], case.get("gravity", 9.81), angle, u)


def rod(case: Mapping[str, Any]) -> Found:
    needed = "half_length mu mass gravity theta0 rate0 v_tip0 normal0 angular_acceleration0 event t theta rate x_tip v_tip normal_before"
    check_keys(case, keys(needed), "a rod", keys("after stick_force after_direction"))
    start, rod, tip = rod_with_tip_speed(case, case["theta0"], case["rate0"], case["v_tip0"])
    l, m, theta0 = case["half_length"], case["mass"], case["theta0"]
    first, t = at_start(start), case["t"]
    found: Found = {
        "first normal force": (m * tip.contact_forces(first)[0], case["normal0"], EXACT),
        "first acceleration": (rod.u_dot(first)[0], case["angular_acceleration0"], EXACT),
    }
    if case["event"].startswith("theta"):
        results = run(start, t)
        final = before = results.final_state
        angle, rate, speed = rod.q(final)[0], rod.u(final)[0], tip.slips(final)[0]
        x_tip = rod.q(final)[1] - l * np.cos(angle)
    else:
        results = run(start, t + 1e-9)
        event, before = results.events[0], first.copy()  # with the modes of the start, which last until the event
        before.time, before.y = event.time, event.y_before
        start.system.realize(before, mb.Stage.ACCELERATION)
        angle, rate = event.y_before[0], event.y_before[3]
        speed = event.y_before[4] + l * np.sin(angle) * rate
        x_tip = event.y_before[1] - l * np.cos(angle)
        found["time"] = event.time, t, EXACT
        found["events"] = len(results.events), 1, COUNT
        name = "tip.contact.friction" if case["event"] == "slip stops" else "tip.contact"
        found["kind"] = is_mode(event.name, name)
    found |= {
        "angle": ([theta0, angle], [theta0, case["theta"]], EXACT),
        "rate": (rate, case["rate"], EXACT),
        "way of the tip": (x_tip, case["x_tip"], 10 * EXACT),
        "speed of the tip": (speed, case["v_tip"] if abs(case["v_tip"]) > 1e-9 else 0.0, EXACT),
    }
    if case["event"] != "lifts off":
        found["normal force before"] = m * tip.contact_forces(before)[0], case["normal_before"], EXACT
    if "after" in case:
        final = results.final_state
        found["mode after"] = is_mode(tip.modes(final)[0], {"slips": "slip", "sticks": "stick"}[case["after"]])
        if case["after"] == "sticks":
            forces = [m * tip.contact_forces(final)[0], m * tip.friction_forces(final)[0]]
            found["forces after"] = forces, case["stick_force"], 1e-7  # 1e-9 s later
        elif "after_direction" in case:
            found["direction after"] = -np.sign(tip.friction_forces(final)[0]), case["after_direction"][0], COUNT
    return found


def painleve(case: Mapping[str, Any]) -> Found:
    check_keys(case, keys("half_length theta rate mu slip_sign p b classification"), "a rod")
    start, rod, tip = rod_with_tip_speed(case, case["theta"], case["rate"], float(case["slip_sign"]))
    what = case["classification"].partition(":")[0].partition(",")[0]
    if what == "inconsistent":
        return impact_without_collision(start, rod, tip, case)
    force = tip.contact_forces(at_start(start))[0]
    if what == "contact":
        return {"normal force": (force, case["b"] / case["p"], EXACT)}
    allowed = [0.0] if what == "separates" else [0.0, case["b"] / case["p"]]
    return {"normal force": (force, min(allowed, key=lambda each: abs(force - each)), EXACT)}


def impact_ball(case: Mapping[str, Any]) -> Found:
    needed = "restitution mu radius mass v_normal v_tangent spin sticks impulse v_normal_after v_tangent_after spin_after energy_lost"
    check_keys(case, keys(needed), "a ball that hits a plane")
    given = (case["spin"], case["v_tangent"], case["v_normal"])
    start, ball, contact = models.ball_on_plane(case["mass"], case["radius"], 0.0, case["mu"], given, case["restitution"])
    start.system.realize(start, mb.Stage.VELOCITY)
    final = run(start, SHORT).final_state
    impulse = contact.contact_impulse(final)[0]
    u = ball.u(final)
    return {
        "speeds": (u[[5, 3]], [case["v_normal_after"], case["v_tangent_after"]], EXACT),
        "spin": (u[1], case["spin_after"], EXACT),
        "impulse": (impulse[[2, 0]], case["impulse"], EXACT),
        "energy": (start.system.kinetic_energy(start) - start.system.kinetic_energy(final), case["energy_lost"], EXACT),
    }


def impact_rod(case: Mapping[str, Any]) -> Found:
    scale = "largest_scale_of_restitution_without_gain"
    check_keys(case, keys("half_length mass theta mu restitution u w_before A newton"), "a rod that hits", frozenset({scale}))
    x, y, rate = case["u"]
    given = case["half_length"], case["mu"], 0.0, case["theta"], (rate, x, y), case["restitution"]
    start, rod, tip = models.rod_on_floor(*given)
    start.system.realize(start, mb.Stage.VELOCITY)
    final = run(start, 0.0).final_state
    m, newton = case["mass"], case["newton"]
    change = m * (start.system.kinetic_energy(final) - start.system.kinetic_energy(start))
    if scale in case:
        bounce = tip.velocity_errors(final)[0] / (-case["restitution"] * case["w_before"][0])
        return {"scale of the restitution": (bounce, case[scale], SEARCHED), "gain of energy": (max(change, 0.0), 0.0, EXACT)}
    impulse = [m * tip.impulses(final)[0], m * tip.friction_impulses(final)[0]]
    return {
        "speeds": (rod.u(final)[[1, 2, 0]], newton["u_after"], EXACT),
        "impulse": (impulse, newton["impulse"], EXACT),
        "energy": (change, newton["energy_change"], EXACT),
    }


def woodpecker(case: Mapping[str, Any]) -> Found:
    check_keys(case, keys("parameters step columns trajectory difference_to_twice_the_step beak_impacts"), "a woodpecker")
    start, *_ = models.woodpecker(case["parameters"])
    known = np.array(case["trajectory"])
    results = run(start, known[-1, 0] + 1e-6, report_every=known[1, 0] - known[0, 0])
    rows = np.searchsorted(results.time, known[:, 0] - 1e-9)
    q = np.array(results["bird.q"])[rows]
    impacts = [event.time for event in results.events if event.name == "beak.contact" and event.direction < 0]
    return {
        name: (np.abs(q[:, i] - known[:, 1 + i]).max(), 0.0, MORE * case["difference_to_twice_the_step"][i])
        for i, name in enumerate(("y", "phi_M", "phi_S"))
    } | {"impacts of the beak": (np.abs(np.array(impacts) - case["beak_impacts"]).max(), 0.0, 1e-4)}


FAMILIES: dict[str, Callable[[Mapping[str, Any]], Found]] = {
    "incline": incline,
    "sliding_block": sliding_block,
    "ball": ball,
    "belt": belt,
    "stacked": stacked,
    "oscillator": oscillator,
    "brick": brick,
    "pendulum": pendulum,
    "bead": bead,
    "rod": rod,
    "painleve": painleve,
    "impact_ball": impact_ball,
    "impact_rod": impact_rod,
    "woodpecker": woodpecker,
    **impact_motions.FAMILIES,
    **resting_shapes.FAMILIES,
    **sliding_discs.FAMILIES,
    **terrain_motions.FAMILIES,
    **turning_motions.FAMILIES,
}
