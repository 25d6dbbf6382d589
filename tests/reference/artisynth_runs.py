"""Compare a run of ArtiSynth with mobod's MaximalCoordinateSimulation: every step that the file holds."""

import json
from pathlib import Path
from typing import Any

import numpy as np

import mobod as mb
from tests.reference.cases import Comparison, Report
from tests.reference.models import CannotBuildError
from tests.reference.user_couplings import SeedCoupling, WedgeCoupling

STATE, MULTIPLIERS, COUNTS = 1e-9, 1e-8, 0.5  # relative to the largest of an array, or to 1; differences are counted
CONSTANT = 8  # the bit that says how a wrench is kept, not what it is
NO_LIMIT = 1e9  # ranges beyond it are none
MULTIPLIERS_NOT_UNIQUE = {"planar_unilateral_box": 0.31}  # s: afterwards the sign of round-off decides what is let go


def read_run(path: Path) -> list[dict[str, Any]] | None:
    """The run as the only case of a file; None if it holds something else."""
    content = json.loads(path.read_text(encoding="utf-8"))
    is_run = isinstance(content, dict) and {"integrator", "stabilization", "connectors", "steps"} <= content.keys()
    return [content] if is_run else None


def compare_run(run: dict[str, Any]) -> Report:
    report = Report(run["name"])
    try:
        simulation = simulation_of(run)
        errors = {
            "bodies": 0.0,
            "coordinates": 0.0,
            "velocities of joints": 0.0,
            "engagement": 0.0,
            "counters": 0.0,
            "multipliers": 0.0,
            "distances": 0.0,
        }
        until = MULTIPLIERS_NOT_UNIQUE.get(run["name"], np.inf)
        for step in run["steps"]:
            if step["t"] > until + 1e-9:
                break
            simulation.run(until=step["t"])
            for name, error in differences(simulation, step).items():
                errors[name] = max(errors[name], error)
        tolerances = {"engagement": COUNTS, "counters": COUNTS, "multipliers": MULTIPLIERS}
        report.compared += [Comparison(name, error, tolerances.get(name, STATE)) for name, error in errors.items()]
    except CannotBuildError as error:
        report.trouble = f"not in mobod yet: {error}"
    except mb.MobodError as error:
        report.trouble = f"{type(error).__name__}: {error}"
    return report


def differences(simulation: mb.MaximalCoordinateSimulation, step: dict[str, Any]) -> dict[str, float]:
    """Of one step, each the largest of its kind."""
    found = dict.fromkeys(("bodies", "coordinates", "velocities of joints", "engagement", "counters", "multipliers", "distances"), 0.0)

    def note(name: str, value: Any, expected: Any) -> None:
        found[name] = max(found[name], difference(value, expected))

    dynamic = [body for body in simulation.bodies if body.is_dynamic]
    if len(dynamic) != len(step["bodies"]) or len(simulation.joints) != len(step["con"]):
        found["bodies"] = float("inf")
        return found
    for body, expected in zip(dynamic, step["bodies"], strict=True):
        sign = 1 if body.quaternion @ expected["q"] >= 0 else -1
        note("bodies", body.position, expected["p"])
        note("bodies", sign * body.quaternion, expected["q"])
        note("bodies", body.velocity, expected["v"])
    for joint, expected in zip(simulation.joints, step["con"], strict=True):
        constraints = joint.coupling.constraints
        note("coordinates", [each.value for each in joint.coupling.coordinates], expected["coords"])
        note("velocities of joints", joint.velGD, expected["velGD"])
        note("velocities of joints", joint.errC, expected["errC"])
        for name, value, key in (
            ("engagement", [each.engaged for each in constraints], "E"),
            ("counters", [each.engaged_count for each in constraints], "cnt"),
        ):
            found[name] += sum(a != b for a, b in zip(value, expected[key], strict=True))
        note("multipliers", [each.multiplier for each in constraints], expected["mult"])
        note("distances", joint.dist_at_engagement, expected["dist"])
    return found


def difference(value: Any, expected: Any) -> float:
    value, expected = np.asarray(value, dtype=float), np.asarray(expected, dtype=float)
    if value.shape != expected.shape:
        return float("inf")
    largest = np.abs(value - expected).max(initial=0.0) / max(1.0, np.abs(expected).max(initial=0.0))
    return float(largest) if np.isfinite(largest) else float("inf")


def simulation_of(run: dict[str, Any]) -> mb.MaximalCoordinateSimulation:
    bodies = {each["name"]: body_of(each) for each in run["bodies"]}
    return mb.MaximalCoordinateSimulation(
        list(bodies.values()),
        [joint_of(each, bodies) for each in run["connectors"]],
        step=run["h"],
        gravity=run["gravity"],
        frame_damping=run["frameDamping"],
        rotary_damping=run["rotaryDamping"],
        integrator=run["integrator"],
        stabilization=run["stabilization"],
        penetration_tolerance=run["penetrationTol"],
        rotary_tolerance=run["rotaryLimitTol"],
    )


def body_of(body: dict[str, Any]) -> mb.MaximalBody:
    com = np.array(body["com"])
    J = np.array(body["J_com"]) + body["mass"] * (com @ com * np.eye(3) - np.outer(com, com))
    return mb.MaximalBody(
        mb.MassProperties(body["mass"], com, (J + J.T) / 2),
        transform(body["pose0"]),
        velocity=body["vel0"],
        external_force=body["externalForce"],
        is_dynamic=body["dynamic"],
        name=body["name"],
    )


def joint_of(connector: dict[str, Any], bodies: dict[str, mb.MaximalBody]) -> mb.MaximalJoint:
    coupling = coupling_of(connector)
    flags = [int(each.flags) & ~CONSTANT for each in coupling.constraints]
    if flags != [each & ~CONSTANT for each in connector["flags"]]:
        raise CannotBuildError(f"{connector['coupling']} with constraints {connector['flags']}, which are {flags} here")
    for coordinate, (low, high) in zip(coupling.coordinates, connector["ranges"], strict=True):
        if abs(low) < NO_LIMIT or abs(high) < NO_LIMIT:
            coordinate.set_range(low if abs(low) < NO_LIMIT else -np.inf, high if abs(high) < NO_LIMIT else np.inf)
        else:
            coordinate.set_range(-np.inf, np.inf)
    for constraint, compliance, damping in zip(coupling.constraints, connector["compliance"], connector["damping"], strict=True):
        constraint.compliance, constraint.damping = compliance, damping
    return mb.MaximalJoint(
        coupling,
        bodies[connector["bodyA"]],
        None if connector["bodyB"] == "GROUND" else bodies[connector["bodyB"]],
        X_AC=transform(connector["TCA"]),
        X_BD=transform(connector["TDB"]),
        penetration_tolerance=connector["penetrationTol"],
        rotary_tolerance=connector["rotaryLimitTol"],
        name=connector["type"],
    )


def transform(pose: dict[str, Any]) -> mb.Transform:
    return mb.Transform(pose["R"], pose["p"])


def coupling_of(connector: dict[str, Any]) -> mb.Coupling:
    name, params = connector["coupling"].removesuffix("Coupling"), connector.get("params", {})
    if name == "TwoWedge":
        return WedgeCoupling(params["normals"])
    if name not in COUPLINGS:
        raise CannotBuildError(f"coupling {connector['coupling']}")
    return COUPLINGS[name](connector)


def param(connector: dict[str, Any], name: str, default: Any) -> Any:
    return connector.get("params", {}).get(name, default)


def plane_of(connector: dict[str, Any]) -> mb.Coupling:
    return mb.PlaneConnectorCoupling(param(connector, "normal", [0, 0, 1]), unilateral=not connector["flags"][0] & mb.BILATERAL)


COUPLINGS: dict[str, Any] = {
    "Custom": lambda connector: SeedCoupling(),
    "Hinge": lambda connector: mb.HingeCoupling(),
    "Slider": lambda connector: mb.SliderCoupling(),
    "Cylindrical": lambda connector: mb.CylindricalCoupling(),
    "SlottedHinge": lambda connector: mb.SlottedHingeCoupling(),
    "Universal": lambda connector: mb.UniversalCoupling(skew=param(connector, "skewAngle", 0.0)),
    "Gimbal": lambda connector: mb.GimbalCoupling(),
    "FullPlanar": lambda connector: mb.PlanarCoupling(),
    "PlanarTranslation": lambda connector: mb.PlanarTranslationCoupling(),
    "Planar": plane_of,
    "PlanarConnector": plane_of,
    "FixedAxis": lambda connector: mb.FixedAxisCoupling(),
    "Free": lambda connector: mb.FreeCoupling(),
    "Solid": lambda connector: mb.SolidCoupling(),
}
