"""Forces in a model file."""

from collections.abc import Callable, Mapping
from typing import Any, final

import numpy as np

from mobod import registry
from mobod.errors import UnsupportedError
from mobod.files.json_source import Json
from mobod.files.model.codecs import BODY, BOOLEAN, FRAME, TEXT, Codec, ListOf, MapOf, NumbersCodec
from mobod.files.model.declared_fields import arguments_of, declared_fields
from mobod.files.model.elements import Family, FieldValues, FileField, Spec
from mobod.files.model.imports import import_path, imported, made_by_users
from mobod.files.model.place import Place, as_object, check_keys
from mobod.files.model.values_of_users import read_arguments, write_arguments
from mobod.forces import CustomForce, DiscreteForces, FixedTendon, Force, ForceSubsystem, Gravity
from mobod.forces.drives.counted_force import CountedForce
from mobod.matter import MobilizedBody
from mobod.matter.unilateral.tendon_limits import TendonLimitConstraint
from mobod.system.elements import fields_of

COMMON: Mapping[str, FileField] = {
    "name": FileField(TEXT),
    "disabled": FileField(BOOLEAN, lambda force: force.is_disabled_by_default, default=False),
}


def _excluded(gravity: Gravity) -> list[MobilizedBody]:
    return [body for body in gravity.matter.bodies if gravity.default_body_is_excluded(body)]


def _set_body_forces(discrete: DiscreteForces) -> dict[str, np.ndarray]:
    forces = {body.name: discrete.default_body_force(body) for body in discrete.matter.bodies}
    return {name: force for name, force in forces.items() if force.any()}


def _set_mobility_forces(discrete: DiscreteForces) -> dict[str, np.ndarray]:
    forces = {body.name: discrete.default_mobility_force(body) for body in discrete.matter.bodies}
    return {name: force for name, force in forces.items() if force.any()}


_FRAMES_OF_SHAPES: Mapping[str, FileField] = {"X_B1S1": FileField(FRAME, default={}), "X_B2S2": FileField(FRAME, default={})}

# fields that cannot be derived from the declared fields of a class
BY_HAND: Mapping[str, Mapping[str, FileField]] = {
    "CompliantContact": _FRAMES_OF_SHAPES,
    "DiscreteForces": {
        "body_forces": FileField(MapOf(NumbersCodec(6)), _set_body_forces, default={}),
        "mobility_forces": FileField(MapOf(NumbersCodec()), _set_mobility_forces, default={}),
    },
    "FixedTendon": {"limits": FileField(TEXT, lambda tendon: tendon.limits and tendon.limits.name, default=None)},
    "DriveLimit": {"further": FileField(ListOf(TEXT), lambda limit: [force.name for force in limit.counted], default=[])},
    "Gravity": {
        "excluded": FileField(ListOf(BODY), _excluded, default=[]),
    },
    "ElasticFoundationForce": _FRAMES_OF_SHAPES,
    "HuntCrossleyForce": _FRAMES_OF_SHAPES,
    "LinearBushing": {
        "X_B1F": FileField(FRAME, lambda bushing: bushing.default_frame_on_body1, default={}),
        "X_B2M": FileField(FRAME, lambda bushing: bushing.default_frame_on_body2, default={}),
    },
    "SmoothSphereHalfSpaceForce": {"X_B1S1": FileField(FRAME, default={})},
    "Port": {"frame": FileField(FRAME, default={})},
    "Servo": {"tendon": FileField(TEXT, lambda servo: servo.tendon and servo.tendon.name, default=None)},
    "SiteServo": {
        "frame": FileField(FRAME, lambda servo: servo.default_frame, default={}),
        "reference_frame": FileField(FRAME, lambda servo: None if servo.reference is None else servo.default_reference_frame, default=None),
    },
}


def _set_excluded(gravity: Gravity, values: FieldValues, _place: Place) -> None:
    for body in values.get("excluded", []):
        gravity.set_default_body_is_excluded(body, True)


def _set_forces(discrete: DiscreteForces, values: FieldValues, place: Place) -> None:
    for field, set_one in (("body_forces", discrete.set_default_body_force), ("mobility_forces", discrete.set_default_mobility_force)):
        for name, each in values.get(field, {}).items():
            set_one(BODY.read(name, place.at(field)), each)  # type: ignore[arg-type] # refuses Ground


def _take_limits(tendon: FixedTendon, values: FieldValues, place: Place) -> None:
    if "limits" in values:
        tendon.take_limits(_tendon_limits(values["limits"], place))


# fields that are no arguments, and what sets them once the force is made
SET_AFTERWARDS: Mapping[str, tuple[tuple[str, ...], Callable[[Any, FieldValues, Place], None]]] = {
    "DiscreteForces": (("body_forces", "mobility_forces"), _set_forces),
    "FixedTendon": (("limits",), _take_limits),
    "Gravity": (("excluded",), _set_excluded),
}


def _maker(name: str) -> Callable[[Place, FieldValues], Callable[[ForceSubsystem], Force]]:
    """A function of the values that returns the function that makes the force in a subsystem."""
    cls: Any = registry.FORCES[name]
    later, set_later = SET_AFTERWARDS.get(name, ((), None))

    def make(place: Place, values: FieldValues) -> Callable[[ForceSubsystem], Force]:
        rest = {field: values.pop(field) for field in later if field in values}
        matter = place.system.matter

        def in_subsystem(forces: ForceSubsystem) -> Force:
            implied = {"matter": matter} if "matter" in fields_of(cls) else {}
            if "tendon" in values:
                values["tendon"] = _tendon(values["tendon"], forces, place)
            if "further" in values:
                values["further"] = _counted(values["further"], forces, place)
            force: Force = cls(forces=forces, **implied, **arguments_of(cls, values))
            if set_later is not None:
                set_later(force, rest, place)
            return force

        return in_subsystem

    return make


def _tendon(name: str, forces: ForceSubsystem, place: Place) -> Force:
    """The tendon that stands before its servo in the file."""
    tendons = {force.name: force for force in forces.elements if isinstance(force, FixedTendon)}
    if name not in tendons:
        place.at("tendon").unknown("tendon", name, list(tendons))
    return tendons[name]


def _counted(names: list[str], forces: ForceSubsystem, place: Place) -> list[Force]:
    """The forces that stand before the limit that counts them in the file."""
    known = {force.name: force for force in forces.elements if isinstance(force, CountedForce)}
    for number, name in enumerate(names):
        if name not in known:
            place.at("further").at(number).unknown("force", name, list(known))
    return [known[name] for name in names]


def _tendon_limits(name: str, place: Place) -> TendonLimitConstraint:
    """The limits of a tendon, among the constraints."""
    found = {each.name: each for each in place.system.matter.constraints if isinstance(each, TendonLimitConstraint)}
    if name not in found:
        place.at("limits").unknown("limits of a tendon", name, list(found))
    return found[name]


@final
class UsersForce(Codec[Callable[[ForceSubsystem], Force]]):
    """A CustomForce by import path, with the arguments that its `model_arguments` gives."""

    @property
    def schema(self) -> dict[str, Json]:
        return {
            "type": "object",
            "properties": {
                "type": {"type": "string", "pattern": ":"},
                "name": TEXT.schema,
                "disabled": BOOLEAN.schema,
                "arguments": {"type": "object"},
            },
            "required": ["type", "name"],
            "additionalProperties": False,
        }

    def write(self, value: Force) -> Json:  # type: ignore[override] # a force is written; what is read makes one in a subsystem
        what = f"force '{value.name}'"
        if not isinstance(value, CustomForce):
            raise UnsupportedError(f"{what} cannot be saved: a model file has no force of type {type(value).__name__}.")
        written = write_arguments(value, what, ", without the force subsystem, name and disabled")
        return {
            "type": import_path(type(value), what),
            **{name: field.codec.write(field.value_of(value, name)) for name, field in COMMON.items()},
            "arguments": written,
        }

    def read(self, value: Json, place: Place) -> Callable[[ForceSubsystem], Force]:
        found = as_object(value, place)
        check_keys(found, ["type", *COMMON, "arguments"], place)
        if "name" not in found:
            place.fail("the key 'name' is missing.")
        cls = imported(str(found["type"]), place.at("type"), CustomForce)
        arguments = read_arguments(found, place)
        common = {name: field.codec.read(found[name], place.at(name)) for name, field in COMMON.items() if name in found}
        return lambda forces: made_by_users(str(found["type"]), place, lambda: cls(forces, **arguments, **common))


FORCE = Family(
    "force",
    {
        name: Spec(cls, {**COMMON, **declared_fields(cls, Force), **BY_HAND.get(name, {})}, _maker(name))
        for name, cls in registry.FORCES.items()
    },
    UsersForce(),
)
