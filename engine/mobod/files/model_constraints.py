"""Constraints in a model file."""

from collections.abc import Callable, Mapping
from typing import Any, final

import numpy as np

from mobod import registry
from mobod.couplings import CouplingLoop
from mobod.errors import UnsupportedError
from mobod.files.codecs import BODY, BOOLEAN, INTEGER, NUMBER, TEXT, VECTOR, Codec, ListOf, NumbersCodec, Place, as_object, check_keys
from mobod.files.elements import Family, Field, Spec
from mobod.files.imports import import_path, imported, made_by_users
from mobod.files.json_source import Json
from mobod.files.model_coupling_joints import COUPLING_JOINTS
from mobod.files.model_unilateral import COORDINATE_LIMITS, DISABLED, USERS_DISTANCES
from mobod.files.values_of_users import FUNCTION, read_equations, write_dataclass
from mobod.matter import Constraint, ConstraintEquations, CustomConstraint, MatterSubsystem, UnilateralConstraint
from mobod.spatial import Transform, from_quaternion

QUATERNION = NumbersCodec(4)
COMMON: Mapping[str, Field] = {
    "name": Field(TEXT),
    "disabled": DISABLED,
}


def _base(constraint: Constraint) -> Any:
    return constraint.base


def _follower(constraint: Constraint) -> Any:
    return constraint.followers[0]


def _mobilizer(constraint: Constraint) -> Any:
    return constraint.mobilizers[0]


def _moving(number: int) -> Callable[[Any], Any]:
    """Of constraints whose bodies are followers, but for the base itself."""

    def body(constraint: Any) -> Any:
        follower = constraint.equations.moving[number]
        return constraint.base if follower is None else constraint.followers[follower]

    return body


def _equation(name: str) -> Callable[[Any], Any]:
    return lambda constraint: getattr(constraint.equations, name)


def _places(name: str, part: int) -> Callable[[Any], Any]:
    """Of (number among the mobilizers, number of the coordinate or speed) the bodies, or the numbers."""

    def values(constraint: Any) -> list[Any]:
        places = getattr(constraint.equations, name)
        return [constraint.mobilizers[place[0]] if part == 0 else place[1] for place in places]

    return values


# which arguments of a constructor are frames or rotations, whose quaternions and positions the file has
FRAMES: Mapping[str, Mapping[str, tuple[str, str | None]]] = {
    "ConstantOrientation": {"base_rotation": ("base_orientation", None), "follower_rotation": ("follower_orientation", None)},
    "PointOnPlaneContact": {"plane_frame": ("plane_orientation", "plane_origin")},
    "SphereOnPlaneContact": {"plane_frame": ("plane_orientation", "plane_origin")},
    "WeldConstraint": {"frame1": ("orientation1", "origin1"), "frame2": ("orientation2", "origin2")},
}
OF_MATTER = ("CoordinateCoupler", "PrescribedMotion", "SpeedCoupler")
FIELDS: Mapping[str, Mapping[str, Field]] = {
    "BallConstraint": {"body1": Field(BODY, _base), "point1": Field(VECTOR), "body2": Field(BODY, _follower), "point2": Field(VECTOR)},
    "ConstantAcceleration": {
        "body": Field(BODY, _mobilizer),
        "which": Field(INTEGER, _equation("which")),
        "acceleration": Field(NUMBER),
    },
    "ConstantAngle": {
        "base": Field(BODY, _base),
        "base_axis": Field(VECTOR),
        "follower": Field(BODY, _follower),
        "follower_axis": Field(VECTOR),
        "angle": Field(NUMBER),
    },
    "ConstantCoordinate": {
        "body": Field(BODY, _mobilizer),
        "coordinate": Field(INTEGER, _equation("coordinate")),
        "position": Field(NUMBER),
    },
    "ConstantOrientation": {
        "base": Field(BODY, _base),
        "base_orientation": Field(QUATERNION, _equation("base_orientation")),
        "follower": Field(BODY, _follower),
        "follower_orientation": Field(QUATERNION, _equation("follower_orientation")),
    },
    "ConstantSpeed": {"body": Field(BODY, _mobilizer), "which": Field(INTEGER, _equation("which")), "speed": Field(NUMBER)},
    "CoordinateCoupler": {
        "function": Field(FUNCTION, _equation("function")),
        "bodies": Field(ListOf(BODY), _places("coordinates", 0)),
        "coordinates": Field(ListOf(INTEGER), _places("coordinates", 1)),
    },
    "NoSlip1D": {
        "case": Field(BODY, _base),
        "contact_point": Field(VECTOR),
        "direction": Field(VECTOR),
        "body0": Field(BODY, _moving(0)),
        "body1": Field(BODY, _moving(1)),
    },
    "PointInPlane": {
        "plane_body": Field(BODY, _base),
        "normal": Field(VECTOR),
        "height": Field(NUMBER),
        "follower": Field(BODY, _follower),
        "point": Field(VECTOR),
    },
    "PointOnLine": {
        "line_body": Field(BODY, _base),
        "direction": Field(VECTOR),
        "point_on_line": Field(VECTOR),
        "follower": Field(BODY, _follower),
        "point": Field(VECTOR),
    },
    "PointOnPlaneContact": {
        "plane_body": Field(BODY, _base),
        "plane_orientation": Field(QUATERNION, _equation("plane_orientation")),
        "plane_origin": Field(VECTOR, _equation("plane_origin")),
        "follower": Field(BODY, _follower),
        "point": Field(VECTOR),
    },
    "PrescribedMotion": {
        "function": Field(FUNCTION, _equation("function")),
        "body": Field(BODY, _mobilizer),
        "coordinate": Field(INTEGER, _equation("coordinate")),
    },
    "Rod": {
        "body1": Field(BODY, _moving(0)),
        "point1": Field(VECTOR),
        "body2": Field(BODY, _moving(1)),
        "point2": Field(VECTOR),
        "length": Field(NUMBER),
    },
    "SpeedCoupler": {
        "function": Field(FUNCTION, _equation("function")),
        "speed_bodies": Field(ListOf(BODY), _places("speeds", 0)),
        "speeds": Field(ListOf(INTEGER), _places("speeds", 1)),
        "coordinate_bodies": Field(ListOf(BODY), _places("coordinates", 0), default=[]),
        "coordinates": Field(ListOf(INTEGER), _places("coordinates", 1), default=[]),
    },
    "SphereOnPlaneContact": {
        "plane_body": Field(BODY, _base),
        "plane_orientation": Field(QUATERNION, _equation("plane_orientation")),
        "plane_origin": Field(VECTOR, _equation("plane_origin")),
        "sphere_body": Field(BODY, _follower),
        "center": Field(VECTOR),
        "radius": Field(NUMBER),
        "rolling": Field(BOOLEAN, _equation("rolling")),
    },
    "WeldConstraint": {
        "body1": Field(BODY, _base),
        "orientation1": Field(QUATERNION, _equation("orientation1")),
        "origin1": Field(VECTOR, _equation("origin1")),
        "body2": Field(BODY, _follower),
        "orientation2": Field(QUATERNION, _equation("orientation2")),
        "origin2": Field(VECTOR, _equation("origin2")),
    },
}


def _maker(name: str) -> Callable[[Place, dict[str, Any]], Constraint]:
    cls: Any = registry.CONSTRAINTS[name]

    def make(place: Place, values: dict[str, Any]) -> Constraint:
        arguments = dict(values)
        for argument, (orientation, origin) in FRAMES.get(name, {}).items():
            R = from_quaternion(arguments.pop(orientation))
            arguments[argument] = R if origin is None else Transform(R, arguments.pop(origin))
        constraint: Constraint = cls(*([place.system.matter] if name in OF_MATTER else []), **arguments)
        _restore(constraint, values)
        return constraint

    return make


def _restore(constraint: Constraint, values: Mapping[str, Any]) -> None:
    """Give the parameters the numbers of the file bit for bit: a quaternion that went through a matrix has other last digits."""
    parameters = constraint.equations.parameters
    numbers = np.concatenate([np.zeros(0), *(np.ravel(values[parameter.name]) for parameter in parameters)])
    constraint.equations = constraint.equations.with_parameters(numbers.tolist()).checked(constraint.name)


@final
class UsersConstraint(Codec):
    """With equations that are a dataclass of the user's: CustomConstraint, or a subclass by import path, and UnilateralConstraint."""

    @property
    def schema(self) -> dict[str, Json]:
        custom = {
            "type": "object",
            "properties": {
                "type": {"anyOf": [{"const": "CustomConstraint"}, {"type": "string", "pattern": ":"}]},
                "name": TEXT.schema,
                "disabled": BOOLEAN.schema,
                "equations": {"type": "object", "required": ["type"]},
                "bodies": ListOf(BODY).schema,
                "mobilizers": ListOf(BODY).schema,
            },
            "required": ["type", "name", "equations"],
            "additionalProperties": False,
        }
        return {"oneOf": [custom, USERS_DISTANCES.schema]}

    spec = Spec(
        CustomConstraint,
        {
            **COMMON,
            "bodies": Field(ListOf(BODY), lambda constraint: constraint.followers, default=[]),
            "mobilizers": Field(ListOf(BODY), lambda constraint: constraint.mobilizers, default=[]),
        },
    )

    def write(self, value: Any) -> Json:
        what = f"constraint '{value.name}'"
        if isinstance(value, UnilateralConstraint):
            return USERS_DISTANCES.write(value)
        if not isinstance(value, CustomConstraint):
            raise UnsupportedError(f"{what} cannot be saved: a model file has no constraint of type {type(value).__name__}.")
        kind = "CustomConstraint" if type(value) is CustomConstraint else import_path(type(value), what)
        return {"type": kind, **self.spec.write(value), "equations": write_dataclass(value.equations, f"the equations of {what}")}

    def read(self, value: Json, place: Place) -> Constraint:
        found = as_object(value, place)
        if found["type"] == UnilateralConstraint.__name__:
            return USERS_DISTANCES.read(found, place)
        check_keys(found, ["type", *self.spec.fields, "equations"], place)
        kind = found["type"]
        cls: Any = CustomConstraint if kind == "CustomConstraint" else imported(kind, place.at("type"), CustomConstraint)
        values = self.spec.read(found, place)
        equations = read_equations(found, place, ConstraintEquations)
        made_one: CustomConstraint = made_by_users(found["equations"]["type"], place, lambda: cls(equations, **values))
        return made_one


def constraints_of(matter: MatterSubsystem) -> list[Constraint]:
    """Those that stand in a file by themselves: limits of a loop stand with it."""
    with_loops = {each.limits for each in matter.constraints if isinstance(each, CouplingLoop)}
    return [each for each in matter.constraints if each not in with_loops]


CONSTRAINT = Family(
    "constraint",
    {
        **{name: Spec(cls, {**COMMON, **FIELDS[name]}, _maker(name)) for name, cls in registry.CONSTRAINTS.items()},
        COORDINATE_LIMITS.kind: COORDINATE_LIMITS,
        **COUPLING_JOINTS,
    },
    UsersConstraint(),
    is_users=lambda kind: ":" in kind or kind in ("CustomConstraint", "UnilateralConstraint"),
)
