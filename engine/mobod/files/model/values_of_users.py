"""Values in users' own elements: numbers, texts, bodies, frames, functions and containers of them, marked if JSON lacks the type."""

# Decision: docs/decisions/166-trust-in-files.md

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, NamedTuple, Protocol, final

import numpy as np

from mobod.errors import UnsupportedError
from mobod.files.json_source import Json
from mobod.files.model.codecs import BODY, FRAME, INTEGER, MEASURE, TEXT, VALUES, Codec, Schema
from mobod.files.model.elements import Family, named
from mobod.files.model.functions import BUILT_IN
from mobod.files.model.imports import import_path, imported, made_by_users
from mobod.files.model.place import Place, as_object, check_keys, made
from mobod.functions import Function
from mobod.matter import Ground, MobilizedBody
from mobod.spatial import Transform
from mobod.system.measures import Measure

OF_CALLABLE = "Function.of"


class GivesArguments(Protocol):
    """A user's element, which gives the arguments that it was made with; None if it does not say them."""

    def model_arguments(self) -> Mapping[str, object] | None: ...


@final
class AnyValue(Codec[object]):
    """A number, a truth value, a text, null, a list, or an object with one key that names its type:
    {"$body": name}, {"$frame": ...}, {"$function": ...}, {"$measure": name}, {"$array": rows of numbers}, {"$dict": an object},
    {"$infinite": 1 or -1}.
    """

    schema: ClassVar[Schema] = {}

    def write(self, value: object) -> Json:
        match value:
            case None | bool() | str():
                return value
            case int() | np.integer():
                return int(value)
            case float() | np.floating() if np.isfinite(value):
                return float(value)
            case list() | tuple():
                return [self.write(each) for each in value]
        for key, marked in _MARKED.items():
            if isinstance(value, marked.types):
                return {key: marked.write(value)}
        raise UnsupportedError(f"a value of type {type(value).__name__} cannot be saved.")

    def read(self, value: Json, place: Place) -> object:
        if isinstance(value, list):
            return tuple(self.read(each, place.at(number)) for number, each in enumerate(value))
        if not isinstance(value, dict):
            return value
        check_keys(value, list(_MARKED), place)
        if len(value) != 1:
            place.fail(f"one key is needed, of {', '.join(_MARKED)}.")
        ((key, inner),) = value.items()
        return _MARKED[key].read(inner, place.at(key))


ANY_VALUE = AnyValue()


class _Marked(NamedTuple):
    """Types of values that JSON lacks, and how they are written and read."""

    types: type | tuple[type, ...]
    write: Callable[[Any], Json]
    read: Callable[[Json, Place], object]


def _write_infinite(value: float) -> Json:
    if np.isnan(value):
        raise UnsupportedError(f"the number {value} cannot be saved: it is not finite.")
    return 1 if value > 0 else -1


def _read_infinite(sign: Json, place: Place) -> float:
    if repr(sign) not in ("1", "-1"):  # true is no number
        place.fail("the sign is needed, 1 or -1.")
    return float(sign) * np.inf


def _write_dict(value: Mapping[object, object]) -> Json:
    return {str(key): ANY_VALUE.write(each) for key, each in value.items()}


def _read_dict(inner: Json, place: Place) -> dict[str, object]:
    return {key: ANY_VALUE.read(each, place.at(key)) for key, each in as_object(inner, place).items()}


def write_dataclass(value: object, what: str) -> dict[str, Json]:
    """{"type": import path, field: value, ...} of a dataclass; raises UnsupportedError for anything else."""
    path = import_path(type(value), what)
    if not is_dataclass(value):
        raise UnsupportedError(f"{what} cannot be saved: {type(value).__name__} is not a dataclass, whose fields are its arguments.")
    try:
        return {"type": path, **{each.name: ANY_VALUE.write(getattr(value, each.name)) for each in fields(value) if each.init}}
    except UnsupportedError as error:
        raise UnsupportedError(f"{what} ({path}): {error}") from error


def read_dataclass(found: Mapping[str, Json], place: Place, base: type) -> Any:
    cls: Any = imported(str(found["type"]), place.at("type"), base)
    if not is_dataclass(cls):
        place.at("type").fail(f"{found['type']} is no dataclass.")
    check_keys(found, ["type", *(each.name for each in fields(cls) if each.init)], place)
    values = {name: ANY_VALUE.read(value, place.at(name)) for name, value in found.items() if name != "type"}
    make: Any = cls
    return made_by_users(str(found["type"]), place, lambda: make(**values))


def read_equations(found: Mapping[str, Json], place: Place, base: type) -> Any:
    """A user's dataclass from the key 'equations'."""
    if "equations" not in found:
        place.fail("the key 'equations' is missing.")
    at = place.at("equations")
    equations = as_object(found["equations"], at)
    if "type" not in equations:
        at.fail("the key 'type' is missing.")
    return read_dataclass(equations, at, base)


def write_arguments(element: GivesArguments, what: str, without: str = "") -> dict[str, Json]:
    """The arguments of an element, which its class gives by `model_arguments`; raises UnsupportedError, which names `what`."""
    path, arguments = import_path(type(element), what), element.model_arguments()
    if arguments is None:
        raise UnsupportedError(
            f"{what} cannot be saved: {type(element).__name__} does not give its arguments. Write model_arguments(self), which "
            f"returns the arguments of its __init__ by name{without}."
        )
    try:
        return {name: ANY_VALUE.write(each) for name, each in arguments.items()}
    except UnsupportedError as error:
        raise UnsupportedError(f"{what} ({path}): {error}") from error


def read_arguments(found: Mapping[str, Json], place: Place) -> dict[str, object]:
    """The arguments from the key 'arguments' of an object, which may be left out."""
    at = place.at("arguments")
    return {name: ANY_VALUE.read(each, at.at(name)) for name, each in as_object(found.get("arguments", {}), at).items()}


@final
class UsersFunction(Codec[Function]):
    """Dataclasses, by import path; and Function.of a callable that can be imported."""

    @property
    def schema(self) -> dict[str, Json]:
        of_class = {"type": "object", "properties": {"type": {"type": "string", "pattern": ":"}}, "required": ["type"]}
        properties = {"type": {"const": OF_CALLABLE}, "function": TEXT.schema, "n_args": INTEGER.schema, "name": TEXT.schema}
        of_callable = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
        return {"anyOf": [of_class, of_callable]}

    def write(self, value: Function) -> Json:
        what = named(value, "function")
        if hasattr(value, "callable"):
            path = import_path(value.callable, what)
            return {"type": OF_CALLABLE, "function": path, "n_args": value.argument_size, "name": value.name}
        return write_dataclass(value, what)

    def read(self, value: Json, place: Place) -> Function:
        found = as_object(value, place)
        if found["type"] != OF_CALLABLE:
            return read_dataclass(found, place, Function)
        check_keys(found, ("type", "function", "n_args", "name"), place)
        for key in ("function", "n_args", "name"):
            if key not in found:
                place.fail(f"the key '{key}' is missing.")
        function = imported(TEXT.read(found["function"], place.at("function")), place.at("function"))
        n_args, name = INTEGER.read(found["n_args"], place.at("n_args")), TEXT.read(found["name"], place.at("name"))
        return made(place, lambda: Function.of(function, n_args, name=name))


FUNCTION = Family("function", BUILT_IN, UsersFunction(), is_users=lambda kind: ":" in kind or kind == OF_CALLABLE)

# by the key that marks them
_MARKED = {
    "$body": _Marked((MobilizedBody, Ground), BODY.write, BODY.read),
    "$frame": _Marked(Transform, FRAME.write, FRAME.read),
    "$function": _Marked(Function, FUNCTION.write, FUNCTION.read),
    "$measure": _Marked(Measure, MEASURE.write, MEASURE.read),
    "$array": _Marked(
        np.ndarray, lambda value: np.asarray(value, dtype=float).tolist(), lambda inner, at: np.array(VALUES.read(inner, at), dtype=float)
    ),
    "$infinite": _Marked((float, np.floating), _write_infinite, _read_infinite),
    "$dict": _Marked(dict, _write_dict, _read_dict),
}
