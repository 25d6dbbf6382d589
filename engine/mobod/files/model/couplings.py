"""Couplings in a model file: what they are made of, and what was set of them afterwards."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from mobod import registry
from mobod.couplings import Coupling
from mobod.errors import MobodError, UnsupportedError
from mobod.files.json_source import Json
from mobod.files.model.codecs import NUMBER, RANGE, Codec, ListOf
from mobod.files.model.declared_fields import declared_fields
from mobod.files.model.elements import Family, FileField, Record, Spec, read_fields, write_fields
from mobod.files.model.imports import import_path, imported, made_by_users
from mobod.files.model.place import Place, as_object, check_keys, made
from mobod.files.model.values_of_users import read_arguments, write_arguments

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
    cls = type(coupling)
    try:
        again: Coupling = cls(**(coupling.model_arguments() or {}))
    except (MobodError, TypeError) as error:
        raise UnsupportedError(f"coupling {cls.__name__} cannot be saved: it cannot be made of its arguments: {error}") from error
    return again


@final
@dataclass(frozen=True)
class Settings(Codec[list[dict[str, object]]]):
    """A list with what was set of each record."""

    record: Record

    @property
    def schema(self) -> dict[str, Json]:
        return ListOf(self.record).schema

    def read(self, value: Json, place: Place) -> list[dict[str, object]]:
        return ListOf(self.record).read(value, place)


SETTINGS: Mapping[str, FileField] = {
    "coordinates": FileField(Settings(COORDINATE), _set_since(COORDINATE, "coordinates"), default=None),
    "constraints": FileField(Settings(WRENCH), _set_since(WRENCH, "constraints"), default=None),
}


def _with_settings(
    make: Callable[..., Coupling], arguments: Mapping[str, object], settings: Mapping[str, Sequence[Mapping[str, object]]], place: Place
) -> Coupling:
    coupling = make(**arguments)
    for name, listed in settings.items():
        records: Sequence[object] = getattr(coupling, name)
        at = place.at(name)
        if len(listed) != len(records):
            at.fail(f"{type(coupling).__name__} has {len(records)} {name}, and {len(listed)} are listed.")
        for number, (record, values) in enumerate(zip(records, listed, strict=True)):
            for key, value in values.items():
                made(at.at(number).at(key), _setter(record, key, value))
    return coupling


def _setter(record: Any, key: str, value: Any) -> Callable[[], object]:
    return lambda: record.set_range(*value) if key == "range" else setattr(record, key, value)


def _maker(cls: type[Coupling]) -> Callable[[Place, dict[str, object]], Coupling]:
    def make(place: Place, values: dict[str, Any]) -> Coupling:
        settings = {name: values.pop(name) for name in SETTINGS if name in values}
        return _with_settings(cls, values, settings, place)

    return make


@final
class UsersCoupling(Codec[Coupling]):
    """A Coupling by import path, with the arguments that its `model_arguments` gives."""

    @property
    def schema(self) -> dict[str, Json]:
        settings = Record(SETTINGS).schema["properties"]
        properties = {"type": {"type": "string", "pattern": ":"}, "arguments": {"type": "object"}, **settings}
        return {"type": "object", "properties": properties, "required": ["type"], "additionalProperties": False}

    def write(self, value: Coupling) -> Json:
        what = f"coupling {type(value).__name__}"
        arguments = write_arguments(value, what)
        return {"type": import_path(type(value), what), "arguments": arguments, **write_fields(SETTINGS, value)}

    def read(self, value: Json, place: Place) -> Coupling:
        found = as_object(value, place)
        check_keys(found, ["type", "arguments", *SETTINGS], place)
        cls = imported(str(found["type"]), place.at("type"), Coupling)
        arguments, settings = read_arguments(found, place), read_fields(SETTINGS, found, place)
        coupling: Coupling = made_by_users(str(found["type"]), place, lambda: _with_settings(cls, arguments, settings, place))
        return coupling


COUPLING = Family(
    "coupling",
    {name: Spec(cls, {**declared_fields(cls, Coupling), **SETTINGS}, _maker(cls)) for name, cls in registry.COUPLINGS.items()},
    UsersCoupling(),
)
