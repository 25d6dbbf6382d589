"""The constraints of `simbody-ref/1` files: CONSTRAINTS has a line for each type; and their outputs.

CONSTRAINTS  type -> a function of (model, the file's entry, keywords of every constraint) that makes the constraint
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

import mobod as mb
from tests.reference.functions import FUNCTIONS
from tests.reference.seed_elements import DistanceEquationsOfTheSeed

if TYPE_CHECKING:
    from tests.reference.models import Model


def frame(entry: dict[str, Any]) -> mb.Transform:
    return mb.Transform(entry["R"], entry["p"])


def function(entry: dict[str, Any]) -> mb.Function:
    return FUNCTIONS[entry["function"]["type"]](entry["function"])


def _between(make: Callable[..., mb.Constraint], *keys: str) -> Callable[..., mb.Constraint]:
    """A function that makes a constraint from the file's values of these keys; keys that end with 'body', 'body1' and so on are bodies."""

    def constraint(model: "Model", entry: dict[str, Any], **keywords: Any) -> mb.Constraint:
        def argument(key: str) -> Any:
            value = entry[key]
            if key.rstrip("012").endswith("body"):
                return model.bodies[value]
            return frame(value) if isinstance(value, dict) else value

        return make(*(argument(key) for key in keys), **keywords)

    return constraint


def _coordinate_coupler(model: "Model", entry: dict[str, Any], **keywords: Any) -> mb.Constraint:
    bodies = [model.bodies[i] for i in entry["bodies"]]
    return mb.CoordinateCoupler(model.matter, function(entry), bodies, entry["q_indices"], **keywords)


def _speed_coupler(model: "Model", entry: dict[str, Any], **keywords: Any) -> mb.Constraint:
    of_speeds, of_coordinates = ([model.bodies[i] for i in entry[key]] for key in ("speed_bodies", "coord_bodies"))
    return mb.SpeedCoupler(model.matter, function(entry), of_speeds, entry["u_indices"], of_coordinates, entry["q_indices"], **keywords)


def _prescribed_motion(model: "Model", entry: dict[str, Any], **keywords: Any) -> mb.Constraint:
    return mb.PrescribedMotion(model.matter, function(entry), model.body(entry), entry["q_index"], **keywords)


def _distance_of_the_seed(model: "Model", entry: dict[str, Any], **keywords: Any) -> mb.Constraint:
    bodies = [model.bodies[entry["body1"]], model.bodies[entry["body2"]]]
    return mb.CustomConstraint(DistanceEquationsOfTheSeed(entry["distance"]), bodies, **keywords)


CONSTRAINTS: dict[str, Callable[..., mb.Constraint]] = {
    "Ball": _between(mb.BallConstraint, "body1", "point1", "body2", "point2"),
    "ConstantAcceleration": _between(mb.ConstantAcceleration, "body", "u_index", "acceleration"),
    "ConstantAngle": _between(mb.ConstantAngle, "base_body", "base_axis", "follower_body", "follower_axis", "angle"),
    "ConstantCoordinate": _between(mb.ConstantCoordinate, "body", "q_index", "value"),
    "ConstantOrientation": _between(mb.ConstantOrientation, "base_body", "base_R", "follower_body", "follower_R"),
    "ConstantSpeed": _between(mb.ConstantSpeed, "body", "u_index", "speed"),
    "CoordinateCoupler": _coordinate_coupler,
    "CustomDistanceDoc": _distance_of_the_seed,
    "NoSlip1D": _between(mb.NoSlip1D, "case_body", "contact_point", "direction", "body0", "body1"),
    "PointInPlane": _between(mb.PointInPlane, "plane_body", "normal", "height", "follower_body", "follower_point"),
    "PointOnLine": _between(mb.PointOnLine, "line_body", "direction", "point_on_line", "follower_body", "follower_point"),
    "PointOnPlaneContact": _between(mb.PointOnPlaneContact, "plane_body", "plane_frame", "follower_body", "follower_point"),
    "PrescribedMotion": _prescribed_motion,
    "Rod": _between(mb.Rod, "body1", "point1", "body2", "point2", "length"),
    "SpeedCoupler": _speed_coupler,
    "SphereOnPlaneContact": _between(mb.SphereOnPlaneContact, "plane_body", "plane_frame", "sphere_body", "center", "radius", "rolling"),
    "Weld": _between(mb.WeldConstraint, "body1", "frame1", "body2", "frame2"),
}


# mobod's values


def position_errors(model: "Model", state: mb.State, _: Any) -> np.ndarray:
    return np.concatenate([model.matter.constraint_position_errors(state), model.matter.quaternion_errors(state)])


def forces_of_each(model: "Model", state: mb.State, value: Any) -> np.ndarray:
    """Forces on the bodies that the file names, then on all mobilities of the constrained mobilizers; then the power."""
    numbers = []
    for entry in value:
        constraint = model.constraints[entry["constraint"]]
        on_bodies, on_mobilities = constraint.forces(state)
        numbers += [on_bodies[body] for body in entry["constrained_bodies"]]
        numbers += [body.my_part_u(state, on_mobilities) for body in constraint.mobilizers]
        numbers.append([constraint.power(state)])
    return np.concatenate([np.zeros(0), *numbers])


# values of a file


def forces_of_file(model: "Model", value: Any) -> np.ndarray:
    each = [np.concatenate([np.ravel(entry["body_forces_G"]), entry["mobility_forces"], [entry["power"]]]) for entry in value]
    return np.concatenate([np.zeros(0), *each])


def matrix_of_file(model: "Model", value: Any) -> np.ndarray:
    return np.array(value, dtype=float).reshape(-1, len(model.u_order))[:, model.u_order]
