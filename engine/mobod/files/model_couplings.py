"""Couplings in a model file: what they are made of, and what was set of them afterwards."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final, get_args

import numpy as np

from mobod import registry
from mobod.couplings import Coupling
from mobod.couplings.kinds.universal import TwoAxes
from mobod.couplings.rpy_angles import AxisSet
from mobod.errors import MobodError, UnsupportedError
from mobod.files.codecs import BOOLEAN, NUMBER, VECTOR, Choice, Codec, ListOf, Place, as_object, check_keys, made
from mobod.files.elements import Family, FileField, Record, Spec, read_fields, write_fields
from mobod.files.imports import import_path, imported, made_by_users
from mobod.files.json_source import Json
from mobod.files.values_of_users import read_arguments, write_arguments


@final
class Range(Codec):
    """[lower, upper], null where there is no bound: JSON has no word for infinity."""

    @property
    def schema(self) -> dict[str, Json]:
        return {"type": "array", "items": {"type": ["number", "null"]}, "minItems": 2, "maxItems": 2}

    def write(self, value: Any) -> Json:
        lower, upper = map(float, value)
        return [lower if lower != -np.inf else None, upper if upper != np.inf else None]

    def read(self, value: Json, place: Place) -> tuple[float, float]:
        if not isinstance(value, list) or len(value) != 2:
            place.fail("a list of two is needed, [lower, upper], null where there is no bound.")
        lower, upper = (None if each is None else NUMBER.read(each, place.at(number)) for number, each in enumerate(value))
        return -np.inf if lower is None else lower, np.inf if upper is None else upper


RANGE = Range()
UNBOUNDED: Json = [None, None]


def _ranges(*names: str) -> dict[str, FileField]:
    return {name: FileField(RANGE, default=UNBOUNDED) for name in names}


def _part(part: str, name: str) -> Callable[[Any], Any]:
    return lambda coupling: getattr(getattr(coupling, part), name)


def _on_ellipsoid(n: int) -> dict[str, FileField]:
    return {
        "radii": FileField(VECTOR, _part("surface", "radii")),
        "uses_opensim": FileField(BOOLEAN, _part("surface", "uses_opensim"), default=False),
        "ranges": FileField(ListOf(RANGE), default=[UNBOUNDED] * n),
    }


AXES = FileField(Choice(get_args(AxisSet)), _part("angles", "axes"), default="ZYX")
ARGUMENTS: Mapping[str, Mapping[str, FileField]] = {
    "CylindricalCoupling": {**_ranges("z_range", "theta_range"), "clockwise": FileField(BOOLEAN, default=True)},
    "Ellipsoid3dCoupling": _on_ellipsoid(3),
    "EllipsoidCoupling": {**_on_ellipsoid(4), "alpha": FileField(NUMBER, default=0.0)},
    "FixedAxisCoupling": {},
    "FreeCoupling": {"ranges": FileField(ListOf(RANGE), default=[UNBOUNDED] * 6), "axes": AXES},
    "GimbalCoupling": {**_ranges("roll_range", "pitch_range", "yaw_range"), "axes": AXES},
    "HingeCoupling": {**_ranges("theta_range"), "clockwise": FileField(BOOLEAN, default=False)},
    "PlanarCoupling": _ranges("x_range", "y_range", "theta_range"),
    "PlanarTranslationCoupling": _ranges("x_range", "y_range"),
    "PlaneConnectorCoupling": {"normal": FileField(VECTOR, default=[0.0, 0.0, 1.0]), "unilateral": FileField(BOOLEAN, default=False)},
    "SliderCoupling": _ranges("z_range"),
    "SlottedHingeCoupling": _ranges("x_range", "theta_range"),
    "SolidCoupling": {},
    "SphericalCoupling": {"max_tilt": FileField(NUMBER, default=None), "max_rotation": FileField(VECTOR, default=None)},
    "UniversalCoupling": {
        **_ranges("roll_range", "pitch_range"),
        "axes": FileField(Choice(get_args(TwoAxes)), _part("angles", "axes"), default="ZY"),
        "skew": FileField(NUMBER, _part("angles", "skew"), default=0.0),
    },
}


# what was set of the records of a coupling, which it was not made with: an object for each of them
COORDINATE = Record(
    {
        "value": FileField(NUMBER, default=None),
        "range": FileField(RANGE, lambda each: (each.min, each.max), default=None),
        "locked_value": FileField(NUMBER, default=None),
    }
)
WRENCH = Record({"compliance": FileField(NUMBER, default=None), "damping": FileField(NUMBER, default=None)})


def _set_since(record: Record, of: str) -> Callable[[Coupling], list[dict[str, Json]] | None]:
    """Of a coupling what differs from one that is made of the same arguments; None if nothing does."""

    def differences(coupling: Coupling) -> list[dict[str, Json]] | None:
        given, fresh = ([record.write(each) for each in getattr(each, of)] for each in (coupling, _made_again(coupling)))
        if len(given) != len(fresh):
            raise UnsupportedError(
                f"coupling {type(coupling).__name__} cannot be saved: made of the same arguments it has {len(fresh)} {of}, not "
                f"{len(given)}. Call initialize_constraints() after setting its fields."
            )
        pairs = list(zip(given, fresh, strict=True))
        if any(other.keys() - one.keys() for one, other in pairs):
            raise UnsupportedError(f"coupling {type(coupling).__name__} cannot be saved: a coordinate that it locks itself was unlocked.")
        changed = [{name: value for name, value in one.items() if repr(value) != repr(other.get(name))} for one, other in pairs]
        return changed if any(changed) else None

    return differences


def _made_again(coupling: Coupling) -> Coupling:
    cls: Any = type(coupling)
    if cls in registry.COUPLINGS.values():
        arguments = {name: field.value_of(coupling, name) for name, field in ARGUMENTS[cls.__name__].items()}
    else:
        arguments = dict(coupling.model_arguments() or {})
    try:
        again: Coupling = cls(**arguments)
    except (MobodError, TypeError) as error:
        raise UnsupportedError(f"coupling {cls.__name__} cannot be saved: it cannot be made of its arguments: {error}") from error
    return again


@final
@dataclass(frozen=True)
class Settings(Codec):
    """A list with what was set of each record."""

    record: Record

    @property
    def schema(self) -> dict[str, Json]:
        return ListOf(self.record).schema

    def read(self, value: Json, place: Place) -> list[dict[str, Any]]:
        return ListOf(self.record).read(value, place)


SETTINGS: Mapping[str, FileField] = {
    "coordinates": FileField(Settings(COORDINATE), _set_since(COORDINATE, "coordinates"), default=None),
    "constraints": FileField(Settings(WRENCH), _set_since(WRENCH, "constraints"), default=None),
}


def _with_settings(make: Callable[..., Coupling], arguments: Mapping[str, Any], settings: Mapping[str, Any], place: Place) -> Coupling:
    coupling = make(**arguments)
    for name, listed in settings.items():
        records: Sequence[Any] = getattr(coupling, name)
        at = place.at(name)
        if len(listed) != len(records):
            at.fail(f"{type(coupling).__name__} has {len(records)} {name}, and {len(listed)} are listed.")
        for number, (record, values) in enumerate(zip(records, listed, strict=True)):
            for key, value in values.items():
                made(at.at(number).at(key), _setter(record, key, value))
    return coupling


def _setter(record: Any, key: str, value: Any) -> Callable[[], Any]:
    return lambda: record.set_range(*value) if key == "range" else setattr(record, key, value)


def _maker(cls: Any) -> Callable[[Place, dict[str, Any]], Coupling]:
    def make(place: Place, values: dict[str, Any]) -> Coupling:
        settings = {name: values.pop(name) for name in SETTINGS if name in values}
        return _with_settings(cls, values, settings, place)

    return make


@final
class UsersCoupling(Codec):
    """A Coupling by import path, with the arguments that its `model_arguments` gives."""

    @property
    def schema(self) -> dict[str, Json]:
        settings = Record(SETTINGS).schema["properties"]
        properties = {"type": {"type": "string", "pattern": ":"}, "arguments": {"type": "object"}, **settings}
        return {"type": "object", "properties": properties, "required": ["type"], "additionalProperties": False}

    def write(self, value: Any) -> Json:
        what = f"coupling {type(value).__name__}"
        arguments = write_arguments(value, what)
        return {"type": import_path(type(value), what), "arguments": arguments, **write_fields(SETTINGS, value)}

    def read(self, value: Json, place: Place) -> Coupling:
        found = as_object(value, place)
        check_keys(found, ["type", "arguments", *SETTINGS], place)
        cls: Any = imported(str(found["type"]), place.at("type"), Coupling)
        arguments, settings = read_arguments(found, place), read_fields(SETTINGS, found, place)
        coupling: Coupling = made_by_users(str(found["type"]), place, lambda: _with_settings(cls, arguments, settings, place))
        return coupling


COUPLING = Family(
    "coupling",
    {name: Spec(cls, {**ARGUMENTS[name], **SETTINGS}, _maker(cls)) for name, cls in registry.COUPLINGS.items()},
    UsersCoupling(),
)
