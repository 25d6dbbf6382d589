"""Elements in a model file: a type, and a field for each argument of the constructor."""

# Decision: docs/decisions/081-model-files.md

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, final

from mobod.errors import UnsupportedError
from mobod.files.json_source import Json
from mobod.files.model.codecs import TEXT, Codec
from mobod.files.model.place import Place, as_object, check_keys, made

NEEDED = object()

FieldValues = dict[str, Any]
"""Values of the fields of an element, by name."""


@final
@dataclass(frozen=True)
class FileField:
    """get      how the value is read from an element; None: by `default_NAME` or else NAME
    default  in JSON; a field with this value is left out
    """

    codec: Codec
    get: Callable[[Any], object] | None = None
    default: Json = NEEDED

    def value_of(self, element: object, name: str) -> object:
        if self.get is not None:
            return self.get(element)
        default = f"default_{name}"
        return getattr(element, default) if hasattr(type(element), default) else getattr(element, name)


@final
@dataclass(frozen=True)
class Record(Codec[dict[str, Any]]):
    """An object with fields and without a type, which is read as values by name."""

    fields: Mapping[str, FileField]

    @property
    def schema(self) -> dict[str, Json]:
        needed = [name for name, field in self.fields.items() if field.default is NEEDED]
        properties = {name: field.codec.schema for name, field in self.fields.items()}
        return {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}

    def write(self, value: object) -> dict[str, Json]:
        return write_fields(self.fields, value)

    def read(self, value: Json, place: Place) -> dict[str, Any]:
        found = as_object(value, place)
        check_keys(found, list(self.fields), place)
        return read_fields(self.fields, found, place)


def write_fields(fields: Mapping[str, FileField], element: object) -> dict[str, Json]:
    values = {name: field.value_of(element, name) for name, field in fields.items()}
    written = {name: None if value is None else fields[name].codec.write(value) for name, value in values.items()}
    return {name: value for name, value in written.items() if not _is_default(value, fields[name].default)}


def read_fields(fields: Mapping[str, FileField], found: Mapping[str, Json], place: Place) -> dict[str, Any]:
    for name, field in fields.items():
        if name not in found and field.default is NEEDED:
            place.fail(f"the key '{name}' is missing.")
    return {name: fields[name].codec.read(value, place.at(name)) for name, value in found.items() if name in fields}


@final
@dataclass(frozen=True)
class Spec:
    """make(place, values)  makes the element; None: the class is called with the values by name
    type_in_files        default: the name of the class
    """

    cls: type
    fields: Mapping[str, FileField]
    make: Callable[[Place, dict[str, Any]], Any] | None = None
    type_in_files: str = ""

    @property
    def kind(self) -> str:
        """The "type" of the element in files."""
        return self.type_in_files or self.cls.__name__

    def write(self, element: object) -> dict[str, Json]:
        return write_fields(self.fields, element)

    def read(self, found: Mapping[str, Json], place: Place) -> dict[str, Any]:
        return read_fields(self.fields, found, place)

    @property
    def schema(self) -> dict[str, Json]:
        schema = Record(self.fields).schema
        properties, needed = {"type": {"const": self.kind}, **schema["properties"]}, ["type", *schema["required"]]
        return {**schema, "properties": properties, "required": needed}


@final
@dataclass(frozen=True)
class Family(Codec):
    """Elements of one sort, distinguished by "type".

    what    for messages: 'force'
    specs   of built-in elements, by the type
    users   the codec for elements of users' classes, whose type is an import path; None: not supported
    """

    what: str
    specs: Mapping[str, Spec]
    users: Codec | None = None
    is_users: Callable[[str], bool] = lambda kind: ":" in kind

    @property
    def schema(self) -> dict[str, Json]:
        return {"$ref": f"#/$defs/{self.what}"}

    @property
    def definition(self) -> dict[str, Json]:
        users = [] if self.users is None else [self.users.schema]
        return {"oneOf": [*(spec.schema for spec in self.specs.values()), *users]}

    def write(self, value: object) -> Json:
        spec = next((each for each in self.specs.values() if each.cls is type(value)), None)
        if spec is not None:
            try:
                return {"type": spec.kind, **spec.write(value)}
            except UnsupportedError as error:
                raise UnsupportedError(f"{named(value, self.what)}: {error}") from error
        if self.users is None:
            raise UnsupportedError(f"{named(value, self.what)} cannot be saved: a model file has none of type {type(value).__name__}.")
        return self.users.write(value)

    def read(self, value: Json, place: Place) -> Any:
        found = as_object(value, place)
        if "type" not in found:
            place.fail(f"the key 'type' is missing, which says what kind of {self.what} it is.")
        kind = TEXT.read(found["type"], place.at("type"))
        if self.users is not None and self.is_users(kind):
            return self.users.read(found, place)
        if kind not in self.specs:
            place.at("type").unknown(self.what, kind, list(self.specs))
        spec = self.specs[kind]
        check_keys(found, ["type", *spec.fields], place)
        values = spec.read(found, place)
        return made(place, lambda: spec.cls(**values) if spec.make is None else spec.make(place, values))


def named(element: object, what: str) -> str:
    """For messages: "force 'motor'"."""
    name = getattr(element, "name", None)
    return f"{what} '{name}'" if name is not None else what


def _is_default(value: Json, default: Json) -> bool:
    """Compared as text, so that -0.0 differs from 0.0, and 1 from true."""
    return default is not NEEDED and repr(value) == repr(default)
