"""The models of `simbody-ref/1` files as Systems. Two tables map the types in a file to mobod's elements.

MOBILIZERS  type -> the constructor of the mobilized body, called with its params as keywords
FORCES      type -> a function of (model, the file's entry) that makes the force

Constraints are in constraints.py.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import mobod as mb
from tests.reference.constraints import CONSTRAINTS
from tests.reference.functions import FUNCTIONS
from tests.reference.seed_elements import Repulsion


class CannotBuildError(Exception):
    """A case contains an element that mobod does not have; the text names it."""


# keys that describe a file and do not change a model
DESCRIPTIVE = frozenset(
    {"note", "notes", "comment", "description", "source", "convention", "conventions", "method", "reason", "seed", "title"}
)


def check_keys(values: Mapping[str, Any], needed: frozenset[str], what: str, optional: frozenset[str] = frozenset()) -> None:
    """Raises CannotBuildError for missing keys, and for keys that would be ignored."""
    if missing := needed - values.keys():
        raise CannotBuildError(f"{what} without {', '.join(sorted(missing))}")
    if unknown := values.keys() - needed - optional - DESCRIPTIVE:
        raise CannotBuildError(f"{what} with {', '.join(sorted(unknown))}")


@dataclass
class Model:
    """A System, its elements in the order of the file, and the places of their coordinates and speeds in the file.

    bodies   Ground first
    q_order  (nq,)  for each coordinate of the System its index in the file's q
    u_order  (nu,)  for each speed its index in the file's u
    locks    bodies, and the levels at which they are locked at their current values
    """

    system: mb.MultibodySystem
    matter: mb.MatterSubsystem
    force_subsystem: mb.ForceSubsystem
    bodies: list[Any]
    forces: list[mb.Force] = field(default_factory=list)
    constraints: list[mb.Constraint] = field(default_factory=list)
    q_order: list[int] = field(default_factory=list)
    u_order: list[int] = field(default_factory=list)
    locks: list[tuple[Any, str]] = field(default_factory=list)

    def body(self, entry: dict[str, Any]) -> Any:
        return self.bodies[entry["body"]]

    def state(self, entry: dict[str, Any]) -> mb.State:
        """The state of a file, realized to ACCELERATION."""
        state = self.system.realize_topology()
        state.time = entry["t"]
        state.q = np.array(entry["q"], dtype=float)[self.q_order]
        state.u = np.array(entry["u"], dtype=float)[self.u_order]
        state.z = entry.get("z", [])
        for body, level in self.locks:
            body.lock(state, level)
        self.system.realize(state, mb.Stage.ACCELERATION)
        return state


def build(case: dict[str, Any]) -> Model:
    """The System of a case. Raises CannotBuildError."""
    if "model" not in case:
        raise CannotBuildError("a case without a model")
    description = case["model"]
    system = mb.MultibodySystem(case["name"])
    matter = mb.MatterSubsystem(system)
    matter.set_uses_euler_angles_by_default(description["use_euler_angles"])
    model = Model(system, matter, mb.ForceSubsystem(system), [matter.ground])
    for entry in description["bodies"][1:]:
        _add_body(model, entry)
    for entry in description["forces"]:
        force = _found(FORCES, entry["type"], "force")(model, entry)
        force.set_disabled_by_default(entry.get("disabled", False))
        model.forces.append(force)
    for entry in description.get("constraints", []):
        make = _found(CONSTRAINTS, entry["type"], "constraint")
        model.constraints.append(make(model, entry, disabled=entry.get("disabled", False)))
    for entry in description.get("motions") or ():
        if entry["type"] == "Lock":
            model.locks.append((model.body(entry), entry["level"].lower()))
        else:
            motion = _found(MOTIONS, entry["type"], "motion")(model.body(entry), entry)
            motion.set_disabled_by_default(entry.get("disabled", False))
    return model


def _add_body(model: Model, entry: dict[str, Any]) -> None:
    mobilizer = entry["mobilizer"]
    make = _found(MOBILIZERS, mobilizer["type"], "mobilizer")
    body = make(
        model.bodies[entry["parent"]],
        mb.MassProperties(entry["mass"], entry["com"], entry["inertia_about_origin"]),
        X_PF=transform(entry["X_PF"]),
        X_BM=transform(entry["X_BM"]),
        name=entry["name"],
        reversed=mobilizer["reversed"],
        **mobilizer.get("params", {}),
    )
    model.bodies.append(body)
    model.q_order += range(entry["q_start"], entry["q_start"] + entry["nq"])
    model.u_order += range(entry["u_start"], entry["u_start"] + entry["nu"])


def transform(entry: dict[str, Any]) -> mb.Transform:
    return mb.Transform(entry["R"], entry["p"])


def _found(registry: dict[str, Callable[..., Any]], name: str, what: str) -> Callable[..., Any]:
    if name not in registry:
        raise CannotBuildError(f"{what} {name}")
    return registry[name]


def _gravity(model: Model, entry: dict[str, Any]) -> mb.Force:
    gravity = mb.Gravity(model.force_subsystem, model.matter, down=entry["down"], magnitude=entry["g"], zero_height=entry["zero_height"])
    for index in entry["excluded_bodies"]:
        gravity.set_default_body_is_excluded(model.bodies[index], True)
    return gravity


def _uniform_gravity(model: Model, entry: dict[str, Any]) -> mb.Force:
    return mb.UniformGravity(model.force_subsystem, model.matter, gravity=entry["g"], zero_height=entry["zero_height"])


def _ends(model: Model, entry: dict[str, Any]) -> tuple[Any, ...]:
    return model.bodies[entry["body1"]], entry["station1"], model.bodies[entry["body2"]], entry["station2"]


def _two_point_linear_spring(model: Model, entry: dict[str, Any]) -> mb.Force:
    return mb.TwoPointLinearSpring(model.force_subsystem, *_ends(model, entry), stiffness=entry["k"], rest_length=entry["x0"])


def _two_point_linear_damper(model: Model, entry: dict[str, Any]) -> mb.Force:
    return mb.TwoPointLinearDamper(model.force_subsystem, *_ends(model, entry), damping=entry["c"])


def _two_point_constant_force(model: Model, entry: dict[str, Any]) -> mb.Force:
    return mb.TwoPointConstantForce(model.force_subsystem, *_ends(model, entry), force=entry["force"])


def _constant_force(model: Model, entry: dict[str, Any]) -> mb.Force:
    return mb.ConstantForce(model.force_subsystem, model.body(entry), entry["station"], entry["force_G"])


def _constant_torque(model: Model, entry: dict[str, Any]) -> mb.Force:
    return mb.ConstantTorque(model.force_subsystem, model.body(entry), entry["torque_G"])


def _linear_bushing(model: Model, entry: dict[str, Any]) -> mb.Force:
    return mb.LinearBushing(
        model.force_subsystem,
        model.bodies[entry["body1"]],
        model.bodies[entry["body2"]],
        X_B1F=transform(entry["X_B1F"]),
        X_B2M=transform(entry["X_B2M"]),
        stiffness=entry["stiffness"],
        damping=entry["damping"],
    )


def _discrete_forces(model: Model, entry: dict[str, Any]) -> mb.Force:
    force = mb.DiscreteForces(model.force_subsystem, model.matter)
    for each in _listed(entry.get("mobility")):
        body = model.body(each)
        values = force.default_mobility_force(body)
        values[each["u_index"]] = each["force"]
        force.set_default_mobility_force(body, values)
    for each in _listed(entry.get("body_force")):
        force.set_default_body_force(model.body(each), np.ravel(each["spatial_force_G"]))
    return force


def _listed(entry: Any) -> list[dict[str, Any]]:
    return entry if isinstance(entry, list) else [] if entry is None else [entry]


def _global_damper(model: Model, entry: dict[str, Any]) -> mb.Force:
    return mb.GlobalDamper(model.force_subsystem, model.matter, damping=entry["damping"])


def _mobility_linear_spring(model: Model, entry: dict[str, Any]) -> mb.Force:
    return mb.MobilityLinearSpring(
        model.force_subsystem, model.body(entry), coordinate=entry["q_index"], stiffness=entry["k"], q_zero=entry["q_zero"]
    )


def _mobility_linear_damper(model: Model, entry: dict[str, Any]) -> mb.Force:
    return mb.MobilityLinearDamper(model.force_subsystem, model.body(entry), speed=entry["u_index"], damping=entry["c"])


def _mobility_force(model: Model, entry: dict[str, Any]) -> mb.Force:
    return mb.MobilityForce(model.force_subsystem, model.body(entry), speed=entry["u_index"], force=entry["force"])


def _mobility_constant_force(model: Model, entry: dict[str, Any]) -> mb.Force:
    return mb.MobilityConstantForce(model.force_subsystem, model.body(entry), speed=entry["u_index"], force=entry["force"])


def _mobility_linear_stop(model: Model, entry: dict[str, Any]) -> mb.Force:
    return mb.MobilityLinearStop(
        model.force_subsystem,
        model.body(entry),
        coordinate=entry["q_index"],
        stiffness=entry["k"],
        dissipation=entry["d"],
        q_low=entry["q_low"],
        q_high=entry["q_high"],
    )


def _function_based(
    *args: Any, nmobilities: int, functions: list[Any], coord_indices: list[list[int]], axes: Any = None, **keywords: Any
) -> mb.FunctionBased:
    made = [_found(FUNCTIONS, entry["type"], "function")(entry) for entry in functions]
    body = mb.FunctionBased(*args, functions=made, coordinate_indices=coord_indices, axes=axes, **keywords)
    if body.nu != nmobilities:
        raise CannotBuildError(f"a FunctionBased mobilizer of {nmobilities} mobilities, of which the functions use {body.nu}")
    return body


MOBILIZERS: dict[str, Callable[..., Any]] = {
    "Ball": mb.Ball,
    "BendStretch": mb.BendStretch,
    "Bushing": mb.Bushing,
    "Cylinder": mb.Cylinder,
    "Ellipsoid": mb.Ellipsoid,
    "Free": mb.Free,
    "FreeLine": mb.FreeLine,
    "FunctionBased": _function_based,
    "Gimbal": mb.Gimbal,
    "LineOrientation": mb.LineOrientation,
    "Pin": mb.Pin,
    "Planar": mb.Planar,
    "Screw": mb.Screw,
    "Slider": mb.Slider,
    "SphericalCoords": mb.SphericalCoords,
    "Translation": mb.Translation,
    "Universal": mb.Universal,
    "Weld": mb.Weld,
}

MOTIONS: dict[str, Callable[[Any, dict[str, Any]], mb.Motion]] = {
    "Sinusoid": lambda body, entry: mb.SinusoidMotion(
        body, amplitude=entry["amplitude"], rate=entry["rate"], phase=entry["phase"], level=entry["level"].lower()
    ),
    "Steady": lambda body, entry: mb.SteadyMotion(body, entry["rate"]),
}

FORCES: dict[str, Callable[[Model, dict[str, Any]], mb.Force]] = {
    "CustomRepulsion": lambda model, entry: Repulsion(model.force_subsystem, sign=-1),
    "ConstantForce": _constant_force,
    "ConstantTorque": _constant_torque,
    "DiscreteForces": _discrete_forces,
    "GlobalDamper": _global_damper,
    "Gravity": _gravity,
    "LinearBushing": _linear_bushing,
    "MobilityConstantForce": _mobility_constant_force,
    "MobilityDiscreteForce": _mobility_force,
    "MobilityLinearDamper": _mobility_linear_damper,
    "MobilityLinearSpring": _mobility_linear_spring,
    "MobilityLinearStop": _mobility_linear_stop,
    "TwoPointConstantForce": _two_point_constant_force,
    "TwoPointLinearDamper": _two_point_linear_damper,
    "TwoPointLinearSpring": _two_point_linear_spring,
    "UniformGravity": _uniform_gravity,
}
