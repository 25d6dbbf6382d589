"""Compare motions with stops that are known exactly with mobod's adaptive integration, at accuracy 1e-10."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import mobod as mb
from tests.reference.artisynth_runs import difference
from tests.reference.cases import Comparison, Report
from tests.reference.models import CannotBuildError, check_keys
from tests.reference.stops import bouncing_ball, hinge_with_stop, parallelogram, particle_in_wedge, slotted_hinge

ACCURACY = 1e-10
EXACT = 1e-8  # for times, coordinates, speeds, impulses and forces, relative to the largest entry or 1
RESTS = 1e-5  # a ball rests below the capture speed, which is 1e-6 of its first impact speed
COUNT = 0.5  # counts must be equal

Found = dict[str, tuple[Any, Any, float]]  # quantity: mobod's, the file's, tolerance


def read_motions(path: Path) -> list[dict[str, Any]] | None:
    """The motions of a file, each with its kind; None if the file has other content."""
    content = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict):
        return None
    kind = next((kind for kind, (marks, _) in KINDS.items() if marks <= content.keys()), None)
    if kind == "wedge" and not all(isinstance(each, dict) and "deg" in each for each in content["cases"]):
        kind = None
    if kind is None and path.stem.startswith("exact_"):
        return [{"name": path.stem, "kind": None, "content": content}]
    if kind in ("bouncing ball", "wedge"):
        common = {key: value for key, value in content.items() if key not in ("cases", "note")}
        return [{"name": f"{path.stem}[{i}]", "kind": kind, "content": common | case} for i, case in enumerate(content["cases"])]
    return None if kind is None else [{"name": content.get("name", path.stem), "kind": kind, "content": content}]


def compare_motion(case: dict[str, Any]) -> Report:
    report = Report(case["name"])
    try:
        if case["kind"] is None:
            raise CannotBuildError(f"an exact motion with {', '.join(sorted(case['content']))}")
        for name, (value, expected, tolerance) in KINDS[case["kind"]][1](case["content"]).items():
            report.compared.append(Comparison(name, difference(value, expected), tolerance))
    except CannotBuildError as error:
        report.trouble = f"not in mobod yet: {error}"
    except mb.MobodError as error:
        report.trouble = f"{type(error).__name__}: {error}"
    return report


def run(system: mb.MultibodySystem, until: float, state: mb.State | None = None, **options: Any) -> mb.Results:
    results = mb.Simulation(system, accuracy=ACCURACY).run(state or system.realize_topology(), until, **options)
    system.realize(results.final_state, mb.Stage.ACCELERATION)
    return results


def hinge_on_its_stop(exact: Mapping[str, Any]) -> Found:
    needed = frozenset({"params", "t_impact", "thetadot_minus", "impulse_e0", "rest_moment"})
    check_keys(exact, needed, "a hinge with a stop", frozenset({"name", "thetadot_squared"}))
    of_params = frozenset({"mass", "com_dist", "I_pivot", "g", "theta0", "theta_max"})
    check_keys(exact["params"], of_params, "a hinge with a stop", frozenset({"I_com"}))
    system, pin = hinge_with_stop(exact["params"])
    results = run(system, 3 * exact["t_impact"])
    impact, final = results.events[0], results.final_state
    return {
        "time of the impact": (impact.time, exact["t_impact"], EXACT),
        "speed before": (impact.y_before[1], exact["thetadot_minus"], EXACT),
        "impulse": (-pin.limit_impulse(final)[0], exact["impulse_e0"], EXACT),
        "moment at rest": (-pin.limit_force(final)[0], exact["rest_moment"], EXACT),
        "angle at rest": (pin.q(final)[0], exact["params"]["theta_max"], EXACT),
        "speed at rest": (pin.u(final)[0], 0.0, EXACT),
        "events": (len(results.events), 1, COUNT),
    }


def ball_on_a_floor(exact: Mapping[str, Any]) -> Found:
    check_keys(exact, frozenset({"h0", "g", "e", "t_first", "t_zeno", "impacts"}), "a bouncing ball")
    system, ball = bouncing_ball(exact["h0"], exact["g"], exact["e"])
    results = run(system, 1.05 * exact["t_zeno"])
    times, final = results.event_times("ball.lower_limit"), results.final_state
    n = min(len(times), len(exact["impacts"]))
    first = (times[0], exact["t_first"], EXACT)
    rest = (ball.q(final)[0], ball.u(final)[0], ball.engaged(final)[0])
    return {
        "first impact": first,
        "impacts": (times[:n], exact["impacts"][:n], EXACT),
        "time of the last impact": (times[-1] / exact["t_zeno"], 1.0, RESTS),
        "height, speed and engagement at rest": (rest, (0.0, 0.0, 1.0), EXACT),
        "force at rest": (ball.limit_force(final)[0], 1.3 * exact["g"], EXACT),
    }


def slotted_hinge_between_its_ends(exact: Mapping[str, Any]) -> Found:
    what = "a slotted hinge"
    check_keys(exact, frozenset({"params", "restitution", "columns", "events", "steps"}), what, frozenset({"name"}))
    of_params = "mass com_in_C bodyorigin_in_C J_z_com gravity_D frameDamping rotaryDamping x_range q0"
    check_keys(exact["params"], frozenset(of_params.split()), what)
    if exact["columns"] != ["t", "[x,theta,xdot,thetadot]", "engaged", "limit_force"]:
        raise CannotBuildError(f"{what} with columns {exact['columns']}")
    times, states, engaged, forces = (np.array(each) for each in zip(*exact["steps"], strict=True))
    system, _ = slotted_hinge(exact["params"], exact["restitution"])
    spacing = times[1] - times[0]
    if not np.allclose(times, np.arange(len(times)) * spacing, rtol=0, atol=1e-9):
        raise CannotBuildError(f"{what} at times that are not evenly spaced")
    results = run(system, times[-1], report_every=spacing)
    # results have two rows where an event changes the State at a report
    rows = np.searchsorted(results.time, times - 1e-9)
    # a file omits the bounces after its last one
    until = exact["events"][-1]["t"] + 1e-6 if exact["events"] and exact["restitution"] else np.inf
    events = [event for event in results.events if event.time <= until]
    largest = np.abs(forces).max(initial=0.0) or 1.0
    found: Found = {
        "states": (np.hstack([results["hinge.q"], results["hinge.u"]])[rows], states, EXACT),
        "engagement": (np.abs(results["hinge.limit_0.engaged"][rows] - engaged).sum(), 0, COUNT),
        "forces": (results["hinge.limit_0.force"][rows] / largest, forces / largest, EXACT),
        "events": (len(events), len(exact["events"]), COUNT),
    }
    for i, (event, known) in enumerate(zip(events, exact["events"], strict=False)):
        is_release = known["type"] == "release"
        if is_release:
            check_keys(known, frozenset({"t", "type", "side", "q", "u"}), "a release")
        elif known["type"] == "impact":
            check_keys(known, frozenset({"t", "type", "side", "u_minus", "u_plus", "impulse", "engaged_after"}), "an impact")
        else:
            raise CannotBuildError(f"{what} with an event {known['type']!r}")
        same_kind = (event.name, event.direction) == (f"hinge.{known['side']}_limit_0", 1 if is_release else -1)
        found[f"event {i}: time"] = event.time, known["t"], EXACT
        found[f"event {i}: which"] = float(same_kind), 1.0, COUNT
        found[f"event {i}: speeds before"] = event.y_before[2:], known["u" if is_release else "u_minus"], EXACT
        found[f"event {i}: speeds after"] = event.y_after[2:], known["u" if is_release else "u_plus"], EXACT
        if is_release:
            found[f"event {i}: coordinates"] = event.y_before[:2], known["q"], EXACT
            continue
        # reported until the next impact
        following = int(np.searchsorted(results.time, event.time + 1e-9))
        if i + 1 == len(results.events) or results.events[i + 1].time > results.time[following] + 1e-9:
            size = abs(known["impulse"])
            found[f"event {i}: impulse"] = results["hinge.limit_0.impulse"][following] / size, known["impulse"] / size, EXACT
            held = bool(results["hinge.limit_0.engaged"][following])
            found[f"event {i}: held"] = float(held), float(bool(known["engaged_after"])), COUNT
    return found


def particle_between_the_sides_of_a_wedge(exact: Mapping[str, Any]) -> Found:
    check_keys(exact, frozenset({"deg", "p0", "F", "events"}), "a wedge")
    system, particle, wedge = particle_in_wedge(exact["deg"], exact["p0"], exact["F"])
    impacts = [event for event in exact["events"] if event["type"] == "impact"]
    for event in exact["events"]:
        if event["type"] == "impact":
            check_keys(event, frozenset({"t", "type", "constraint", "p", "v_minus", "v_plus", "impulses", "active"}), "an impact")
        elif event["type"] == "final":
            check_keys(event, frozenset({"t", "type", "p", "v", "active", "lambda_"}), "the end")
        else:
            raise CannotBuildError(f"a wedge with an event {event['type']!r}")
    results = run(system, impacts[-1]["t"] + 1e-3)
    found = [event for event in results.events if event.direction < 0]
    if exact["deg"] == 90:  # the sides coincide to round-off, and are hit at the same time
        found = [event for i, event in enumerate(found) if i == 0 or event.time - found[i - 1].time > 1e-9]
    compared: Found = {"impacts": (len(found), len(impacts), COUNT)}
    for i, (event, known) in enumerate(zip(found, impacts, strict=False)):
        # the touching rows share the impulse: sum of impulse times normal, for a unit mass
        impulse = np.array(known["v_plus"]) - known["v_minus"]
        compared |= {
            f"impact {i}: time": (event.time, known["t"], EXACT),
            f"impact {i}: constraint": (int(event.name[-1]) + 1, known["constraint"], COUNT),
            f"impact {i}: position": (event.y_before[:2], known["p"], EXACT),
            f"impact {i}: speeds before": (event.y_before[3:5], known["v_minus"], EXACT),
            f"impact {i}: speeds after": (event.y_after[3:5], known["v_plus"], EXACT),
            f"impact {i}: impulse": (event.y_after[3:5] - event.y_before[3:5], impulse, EXACT),
        }
    compared["distance at the end"] = min(0.0, wedge.distances(results.final_state).min()), 0.0, EXACT
    for event in exact["events"]:
        if event["type"] == "final":
            final = results.final_state
            compared["position at the end"] = particle.q(final)[:2], event["p"], EXACT
            compared["speeds at the end"] = particle.u(final)[:2], event["v"], EXACT
            compared["force at the end"] = wedge.contact_forces(final).sum(), np.sum(event["lambda_"]), EXACT
    return compared


def four_bar_of_one_equation(exact: Mapping[str, Any]) -> Found:
    check_keys(exact, frozenset({"I", "G", "c", "t", "phi", "phid"}), "a parallelogram", frozenset({"equation", "masses"}))
    if exact["equation"].split(",")[0] != "I phi_dd = G cos(phi) - c phi_d":
        raise CannotBuildError(f"a parallelogram with {exact['equation']}")
    times = np.array(exact["t"])
    system = parallelogram(exact["I"], exact["G"], exact["c"], phi=exact["phi"][0])
    state = system.realize_topology()
    for name, sign in (("upper", -1), ("lower", -1), ("coupler", 1)):
        system.matter.body(name).set_u(state, sign * exact["phid"][0])
    results = run(system, times[-1], state, report_every=times[1] - times[0])
    if results.time.shape != times.shape or not np.allclose(results.time, times, rtol=0, atol=1e-9):
        raise CannotBuildError("a parallelogram at times that are not evenly spaced")
    return {
        "angles": (-results["upper.q"], exact["phi"], EXACT),
        "speeds": (-results["upper.u"], exact["phid"], EXACT),
    }


# kind -> the keys of its files, and the function that compares them
KINDS: dict[str, tuple[set[str], Callable[[Mapping[str, Any]], Found]]] = {
    "hinge": ({"t_impact", "thetadot_minus"}, hinge_on_its_stop),
    "slotted hinge": ({"restitution", "events", "steps"}, slotted_hinge_between_its_ends),
    "bouncing ball": ({"h0", "g", "cases"}, ball_on_a_floor),
    "four-bar": ({"I", "G", "c", "phi"}, four_bar_of_one_equation),
    "wedge": ({"cases"}, particle_between_the_sides_of_a_wedge),
}
