"""Limits of coordinates and of tendons, and distances by users' equations, in a model file. For couplings see coupling_joints.py."""

from collections.abc import Mapping
from typing import TypeVar, final

import numpy as np

from mobod.errors import UnsupportedError
from mobod.files.json_source import Json
from mobod.files.model.codecs import BODY, BOOLEAN, INTEGER, NUMBER, TEXT, Codec, ListOf, NumbersCodec, Values
from mobod.files.model.elements import FieldValues, FileField, Spec
from mobod.files.model.imports import made_by_users
from mobod.files.model.place import Place, as_object, check_keys, made
from mobod.files.model.values_of_users import read_equations, write_dataclass
from mobod.matter import ConstraintEquations, Ground, UnilateralConstraint
from mobod.matter.unilateral.limit_constraint import LimitConstraint
from mobod.matter.unilateral.limits import CoordinateLimitConstraint
from mobod.matter.unilateral.tendon_limits import COEFFICIENTS, TendonLimitConstraint
from mobod.matter.unilateral.unilateral_equations import UnilateralEquations
from mobod.system.elements import NO_BOUND

RESTITUTION = FileField(NUMBER, lambda constraint: constraint.equations.restitution, default=0.0)
TOLERANCE = FileField(NUMBER, lambda constraint: constraint.tolerance, default=None)
DISABLED = FileField(BOOLEAN, lambda constraint: constraint.is_disabled_by_default, default=False)


def _of_compliance(codec: Codec, name: str) -> FileField:
    """One number if it is the same for all rows, as for rigid ones, else one for each row."""

    def value(constraint: UnilateralConstraint) -> float | list[float]:
        compliance = constraint.equations.compliance
        if compliance is None:
            return 0.0
        values: tuple[float, ...] = getattr(compliance, name)
        if set(compliance.of_row) == {0}:
            return values[0]
        return [0.0 if number is None else values[number] for number in compliance.of_row]

    return FileField(codec, value, default=0.0)


def _distances(constraint: UnilateralConstraint) -> ConstraintEquations:
    assert isinstance(constraint.equations, UnilateralEquations)
    return constraint.equations.distances


def coefficient(number: int, without: float | None = None) -> FileField:
    """A coefficient of friction; without: its value if there is none."""

    def value(constraint: UnilateralConstraint) -> float | None:
        assert isinstance(constraint.equations, UnilateralEquations)
        friction = constraint.equations.friction
        return friction[number] if friction is not None and number < len(friction) else without

    return FileField(NUMBER, value, default=without)


def _moments(constraint: UnilateralConstraint) -> list[float]:
    """The coefficients of moments of friction."""
    assert isinstance(constraint.equations, UnilateralEquations)
    return list(constraint.equations.moments)


def _bound(name: str) -> FileField:
    """A bound, which is left out if there is none, since JSON has no infinity."""

    def value(limits: LimitConstraint) -> float | None:
        bound = float(getattr(_distances(limits), name))
        return bound if abs(bound) < NO_BOUND else None

    return FileField(NUMBER, value, default=None)


def _limits(place: Place, values: FieldValues) -> CoordinateLimitConstraint:
    body, coordinate = values["body"], values["coordinate"]
    if isinstance(body, Ground):
        place.at("body").fail("Ground has no coordinates that could have limits.")
    if coordinate in body.limits:
        place.fail(f"coordinate {coordinate} of '{body.name}' has limits already.")
    body.set_limits(coordinate=coordinate, **_set_at_once(values))
    limits: CoordinateLimitConstraint = body.limits[coordinate]
    return _completed(limits, values)


def _tendon_limits(place: Place, values: FieldValues) -> TendonLimitConstraint:
    """They come before their tendon, which takes them: see FixedTendon in forces.py."""
    bodies, coordinates, coefficients = values["bodies"], values["coordinates"], values["coefficients"]
    for number, (body, coordinate) in enumerate(zip(bodies, coordinates, strict=False)):
        if isinstance(body, Ground):
            place.at("bodies").at(number).fail("Ground has no coordinates that a tendon could pull.")
        if not 0 <= coordinate < body.nq:
            place.at("coordinates").at(number).fail(f"'{body.name}' has no coordinate {coordinate}; it has {body.nq}.")
    if not len(bodies) == len(coordinates) == len(coefficients) or not bodies:
        place.fail("bodies, coordinates and coefficients are lists of the same length, at least 1.")
    tendon, unit = values["tendon"], values.get("unit", "m")
    return _completed(TendonLimitConstraint(tendon, bodies, coordinates, coefficients, unit, **_set_at_once(values)), values)


def _set_at_once(values: FieldValues) -> dict[str, float]:
    """The arguments with which limits are made."""
    names: tuple[str, ...] = "lower", "upper", "restitution", "compliance", "damping"
    return {"lower": -np.inf, "upper": np.inf, **{name: values[name] for name in names if name in values}}


L = TypeVar("L", bound=LimitConstraint)


def _completed(limits: L, values: FieldValues) -> L:
    limits.set_disabled_by_default(values.get("disabled", False))
    limits.tolerance = values.get("tolerance")
    return limits


# what files have of both kinds of limits
_OF_LIMITS: Mapping[str, FileField] = {
    "lower": _bound("lower"),
    "upper": _bound("upper"),
    "restitution": RESTITUTION,
    "compliance": _of_compliance(NUMBER, "compliance"),
    "damping": _of_compliance(NUMBER, "damping"),
    "tolerance": TOLERANCE,
    "disabled": DISABLED,
}


# one of the constraints, whose order is that of their rows; its name follows from that of its body
COORDINATE_LIMITS = Spec(
    CoordinateLimitConstraint,
    {
        "body": FileField(BODY),
        "coordinate": FileField(INTEGER),
        **_OF_LIMITS,
    },
    _limits,
    type_in_files="CoordinateLimits",
)

# the same; the coefficients are those of the tendon
TENDON_LIMITS = Spec(
    TendonLimitConstraint,
    {
        "tendon": FileField(TEXT),
        "bodies": FileField(ListOf(BODY), lambda limits: limits.terms_on),
        "coordinates": FileField(ListOf(INTEGER)),
        "coefficients": FileField(NumbersCodec(), lambda limits: limits.default_parameter(COEFFICIENTS)),
        "unit": FileField(TEXT, default="m"),
        **_OF_LIMITS,
    },
    _tendon_limits,
    type_in_files="TendonLimits",
)


@final
class UsersDistances(Codec[UnilateralConstraint]):
    """A UnilateralConstraint whose equations are a user's dataclass, given by its import path."""

    spec = Spec(
        UnilateralConstraint,
        {
            "name": FileField(TEXT),
            "disabled": DISABLED,
            "restitution": RESTITUTION,
            "compliance": _of_compliance(Values(), "compliance"),
            "damping": _of_compliance(Values(), "damping"),
            "static_friction": coefficient(0),
            "dynamic_friction": coefficient(1),
            "viscous_friction": coefficient(2, without=0.0),
            "stribeck_speed": coefficient(3),
            "moment_friction": FileField(ListOf(NUMBER), _moments, default=[]),
            "tolerance": TOLERANCE,
            "bodies": FileField(ListOf(BODY), lambda constraint: constraint.followers, default=[]),
            "mobilizers": FileField(ListOf(BODY), lambda constraint: constraint.mobilizers, default=[]),
        },
    )

    @property
    def schema(self) -> dict[str, Json]:
        schema = self.spec.schema
        schema["properties"]["equations"] = {"type": "object", "required": ["type"]}
        schema["required"].append("equations")
        return schema

    def write(self, value: UnilateralConstraint) -> Json:
        what = f"constraint '{value.name}'"
        if type(value) is not UnilateralConstraint:
            raise UnsupportedError(f"{what} cannot be saved: a model file has no constraint of type {type(value).__name__}.")
        equations = write_dataclass(_distances(value), f"the equations of {what}")
        return {"type": UnilateralConstraint.__name__, **self.spec.write(value), "equations": equations}

    def read(self, value: Json, place: Place) -> UnilateralConstraint:
        found = as_object(value, place)
        check_keys(found, ["type", *self.spec.fields, "equations"], place)
        values = self.spec.read(found, place)
        tolerance = values.pop("tolerance", None)
        equations = read_equations(found, place, ConstraintEquations)
        constraint: UnilateralConstraint = made_by_users(
            found["equations"]["type"], place, lambda: UnilateralConstraint(equations, **values)
        )
        made(place.at("tolerance"), lambda: setattr(constraint, "tolerance", tolerance))
        return constraint


USERS_DISTANCES = UsersDistances()
