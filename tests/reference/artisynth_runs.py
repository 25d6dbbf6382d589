"""Compare a run of ArtiSynth with mobod's MaximalCoordinateSimulation: every step in the file."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import mobod as mb
from mobod.couplings import ConstraintFlag
from mobod.maximal import MaximalBody, MaximalCoordinateSimulation, MaximalJoint
from tests.reference.artisynth_couplings import coupling_of
from tests.reference.cases import Comparison, Report
from tests.reference.models import CannotBuildError, check_keys
from tests.reference.user_couplings import UnlimitedSphericalCoupling

STATE, MULTIPLIERS, COUNTS = 1e-9, 1e-8, 0.5  # relative to the largest entry or 1; for COUNTS, the number of differences
QUANTITIES = ("bodies", "coordinates", "velocities of joints", "engagement", "counters", "multipliers", "distances")
TOLERANCES = {"engagement": COUNTS, "counters": COUNTS, "multipliers": MULTIPLIERS}
NO_LIMIT = 1e9  # larger bounds mean no limit
MULTIPLIERS_NOT_UNIQUE = {"planar_unilateral_box": 0.31}  # s: afterwards the sign of round-off decides which row is released
GROUND = "GROUND"

OF_A_RUN = frozenset(
    ["name", "integrator", "stabilization", "h", "gravity", "penetrationTol", "rotaryLimitTol", "frameDamping", "rotaryDamping"]
)
OF_A_RUN |= {"bodies", "connectors", "steps"}
BESIDES = frozenset({"t_end", "flag_bits"})
OF_A_BODY = frozenset(["name", "dynamic", "mass", "com", "J_com", "pose0", "vel0", "externalForce"])
OF_A_CONNECTOR = frozenset(
    ["type", "coupling", "bodyA", "bodyB", "TCA", "TDB", "penetrationTol", "rotaryLimitTol", "compliance", "damping", "flags", "ranges"]
)
OF_A_JOINT = {"CylindricalJoint": {"clockwise": False}}  # set by the joint; the coupling's default is clockwise
OF_A_STEP = frozenset({"t", "bodies", "con"})
OF_A_BODY_IN_A_STEP = frozenset({"p", "q", "v"})
OF_A_CONNECTOR_IN_A_STEP = frozenset({"coords", "velGD", "errC", "E", "cnt", "mult", "dist"})


def read_run(path: Path) -> list[dict[str, Any]] | None:
    """The run as the only case of a file; None if the file has other content."""
    content = json.loads(path.read_text(encoding="utf-8"))
    is_run = isinstance(content, dict) and {"integrator", "connectors", "steps"} <= content.keys()
    return [{"name": path.stem, **content}] if is_run else None


def compare_run(run: dict[str, Any]) -> Report:
    report = Report(run["name"])
    errors = dict.fromkeys(QUANTITIES, 0.0)
    try:
        simulation = simulation_of(run)
        until = next((end for name, end in MULTIPLIERS_NOT_UNIQUE.items() if run["name"].startswith(name)), np.inf)
        for step in run["steps"]:
            if step["t"] > until + 1e-9:
                report.excluded.append(f"steps after {until} s, where multipliers are not unique")
                break
            if abs(step["t"] / run["h"] - round(step["t"] / run["h"])) > 1e-6:
                raise CannotBuildError(f"a step at {step['t']} s, which is no multiple of h = {run['h']} s")
            simulation.run(until=step["t"])
            for name, error in differences(simulation, step).items():
                errors[name] = max(errors[name], error)
        report.compared += [Comparison(name, error, TOLERANCES.get(name, STATE)) for name, error in errors.items()]
    except CannotBuildError as error:
        report.trouble = f"not in mobod yet: {error}"
    except mb.MobodError as error:
        report.trouble = f"{type(error).__name__}: {error}"
    return report


def differences(simulation: MaximalCoordinateSimulation, step: dict[str, Any]) -> dict[str, float]:
    """The largest differences of one step, by kind; differences of engagement and counters are counted."""
    found = dict.fromkeys(QUANTITIES, 0.0)

    def note(name: str, value: Any, expected: Any) -> None:
        found[name] = max(found[name], difference(value, expected))

    check_keys(step, OF_A_STEP, "a step")
    dynamic = [body for body in simulation.bodies if body.is_dynamic]
    joints = [joint for joint in simulation.joints if isinstance(joint, MaximalJoint)]
    if len(dynamic) != len(step["bodies"]) or len(joints) != len(step["con"]):
        raise CannotBuildError(
            f"a step of {len(step['bodies'])} bodies and {len(step['con'])} connectors, of {len(dynamic)}, {len(joints)}"
        )
    for body, expected in zip(dynamic, step["bodies"], strict=True):
        check_keys(expected, OF_A_BODY_IN_A_STEP, "a body in a step")
        sign = 1 if body.quaternion @ expected["q"] >= 0 else -1
        note("bodies", body.position, expected["p"])
        note("bodies", sign * body.quaternion, expected["q"])
        note("bodies", body.velocity, expected["v"])
    for joint, expected in zip(joints, step["con"], strict=True):
        check_keys(expected, OF_A_CONNECTOR_IN_A_STEP, "a connector in a step")
        constraints = joint.coupling.constraints
        note("coordinates", [each.value for each in joint.coupling.coordinates], expected["coords"])
        note("velocities of joints", joint.velGD, expected["velGD"])
        note("velocities of joints", joint.errC, expected["errC"])
        found["engagement"] += counted([each.engaged for each in constraints], expected["E"])
        found["counters"] += counted([each.engaged_count for each in constraints], expected["cnt"])
        note("multipliers", [each.multiplier for each in constraints], expected["mult"])
        dist, dist_expected = joint.dist_at_engagement, np.array(expected["dist"], dtype=float)
        if isinstance(joint.coupling, (mb.SphericalCoupling, UnlimitedSphericalCoupling)) and dist.shape == dist_expected.shape:
            engaged = np.array(expected["E"]) != 0  # otherwise ArtiSynth keeps the distance of the last engagement
            dist, dist_expected = dist[engaged], dist_expected[engaged]
        note("distances", dist, dist_expected)
    return found


def counted(values: Sequence[int], expected: Sequence[int]) -> float:
    if len(values) != len(expected):
        return float("inf")
    return float(sum(a != b for a, b in zip(values, expected, strict=True)))


def difference(value: Any, expected: Any) -> float:
    value, expected = np.asarray(value, dtype=float), np.asarray(expected, dtype=float)
    if value.shape != expected.shape:
        return float("inf")
    largest = np.abs(value - expected).max(initial=0.0) / max(1.0, np.abs(expected).max(initial=0.0))
    return float(largest) if np.isfinite(largest) else float("inf")


def simulation_of(run: dict[str, Any]) -> MaximalCoordinateSimulation:
    check_keys(run, OF_A_RUN, "a run", BESIDES)
    for name, bit in run.get("flag_bits", {}).items():
        if name not in ConstraintFlag.__members__ or ConstraintFlag[name] != bit:
            raise CannotBuildError(f"flag {name} = {bit}")
    if not run["steps"] or run["steps"][0]["t"] != 0:
        raise CannotBuildError("a run whose first step is not that of time 0")
    bodies: dict[str, MaximalBody] = {}
    for each in run["bodies"]:
        check_keys(each, OF_A_BODY, f"body {each.get('name')!r}")
        if each["name"] in bodies or each["name"] == GROUND:
            raise CannotBuildError(f"a second body {each['name']!r}")
        bodies[each["name"]] = body_of(each)
    ground = MaximalBody(is_dynamic=False, name=GROUND)
    start = run["steps"][0]["con"]
    if len(start) != len(run["connectors"]):
        raise CannotBuildError(f"{len(run['connectors'])} connectors, of which a step has {len(start)}")
    joints = [joint_of(each, bodies | {GROUND: ground}, at_start) for each, at_start in zip(run["connectors"], start, strict=True)]
    return MaximalCoordinateSimulation(
        [*bodies.values(), ground],
        joints,
        step=run["h"],
        gravity=run["gravity"],
        frame_damping=run["frameDamping"],
        rotary_damping=run["rotaryDamping"],
        integrator=run["integrator"],
        stabilization=run["stabilization"],
        penetration_tolerance=run["penetrationTol"],
        rotary_tolerance=run["rotaryLimitTol"],
    )


def body_of(body: dict[str, Any]) -> MaximalBody:
    masses = None
    if body["dynamic"]:
        com = np.array(body["com"], dtype=float)
        J = np.array(body["J_com"], dtype=float) + body["mass"] * (com @ com * np.eye(3) - np.outer(com, com))
        masses = mb.MassProperties(body["mass"], com, (J + J.T) / 2)
    return MaximalBody(
        masses,
        transform(body["pose0"]),
        velocity=body["vel0"],
        external_force=body["externalForce"],
        is_dynamic=body["dynamic"],
        name=body["name"],
    )


def joint_of(connector: dict[str, Any], bodies: Mapping[str, MaximalBody], at_start: Mapping[str, Any]) -> MaximalJoint:
    """at_start: the joint's entry at time 0. Its angles are stored values; later angles are chosen nearest to them."""
    what = f"connector {connector.get('name') or connector.get('type')!r}"
    check_keys(connector, OF_A_CONNECTOR, what, frozenset({"name", "params", "locked"}))
    flags = [int(each) & ~int(ConstraintFlag.CONSTANT) for each in connector["flags"]]  # CONSTANT is only about storage
    params = OF_A_JOINT.get(connector["type"], {}) | (connector.get("params") or {})
    coupling = coupling_of(connector["coupling"], params, flags, exact_rates=False)
    of_mobod = [int(each.flags & ~ConstraintFlag.CONSTANT) for each in coupling.constraints]
    n_constraints, n_coordinates = len(coupling.constraints), len(coupling.coordinates)
    if flags != of_mobod:
        raise CannotBuildError(f"{connector['coupling']} with constraints {flags}, which are {of_mobod} here")
    locked = connector.get("locked", [False] * n_coordinates)
    for name, values, n in (
        ("compliance", connector["compliance"], n_constraints),
        ("damping", connector["damping"], n_constraints),
        ("ranges", connector["ranges"], n_coordinates),
        ("locked", locked, n_coordinates),
        ("coords", at_start["coords"], n_coordinates),
    ):
        if len(values) != n:
            raise CannotBuildError(f"{what}: {len(values)} {name} of {connector['coupling']}, which has {n}")
    for coordinate, (low, high), value in zip(coupling.coordinates, connector["ranges"], at_start["coords"], strict=True):
        low, high = (low if low > -NO_LIMIT else -np.inf), (high if high < NO_LIMIT else np.inf)
        if np.isfinite([low, high]).any() and coordinate.limit_constraint is None:
            raise CannotBuildError(f"{what} with a range of coordinate '{coordinate.name}', which has no limit")
        coordinate.set_range(low, high)
        coordinate.value = float(value)
    for constraint, compliance, damping in zip(coupling.constraints, connector["compliance"], connector["damping"], strict=True):
        if not (0 <= compliance < np.inf and 0 <= damping < np.inf):
            raise CannotBuildError(f"{what} with compliance {compliance} and damping {damping}")
        constraint.compliance, constraint.damping = compliance, damping
    for name in (connector["bodyA"], connector["bodyB"]):
        if name not in bodies:
            raise CannotBuildError(f"{what} on body {name!r}, which there is not")
    if not all(isinstance(each, bool) for each in locked):
        raise CannotBuildError(f"{what} with locked {locked}, which are no booleans")
    joint = MaximalJoint(
        coupling,
        bodies[connector["bodyA"]],
        bodies[connector["bodyB"]],
        X_AC=transform(connector["TCA"]),
        X_BD=transform(connector["TDB"]),
        # negative: use the model's value
        penetration_tolerance=connector["penetrationTol"] if connector["penetrationTol"] >= 0 else None,
        rotary_tolerance=connector["rotaryLimitTol"] if connector["rotaryLimitTol"] >= 0 else None,
        name=connector.get("name") or connector["type"],
    )
    for coordinate, is_locked in zip(coupling.coordinates, locked, strict=True):
        if is_locked:
            coordinate.lock()
    return joint


def transform(pose: dict[str, Any]) -> mb.Transform:
    check_keys(pose, frozenset({"R", "p"}), "a pose")
    return mb.Transform(pose["R"], pose["p"])
